/* SPDX-License-Identifier: Apache-2.0 */
/* The small opening. */
#include "opening.h"
#include "base/mem.h"
#include "commit/matrix.h"
#include "harness.h"
#include "poly/eq.h"
#include <string.h>

enum { EXTRA = 2 * K_WORDS /* words of M and R in a column */, SETTING = 128 };

/* One party's run. */
typedef struct party {
    const opening *o;
    assay_channel ch;
    assay_kvec p, r, m;         /* prover: rows over K */
    uint32_t **row;             /* prover: weights, then witness */
    const uint32_t **committed; /* prover: M, R and the witness's rows */
    assay_matrix *weights, *witness;
    uint8_t root_w[32], root_x[32];
    kel ej[1 << 4];
    assay_merge_result merge;
} party;

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = (uint32_t)(assay_test_random() % M31_P);
    return k;
}

void opening_new(opening *o, opening_shape shape, opening_weakness weak, uint64_t seed)
{
    size_t slots = (size_t)1 << shape.slots;
    *o = (opening){.shape = shape, .weak = weak, .seed = seed};
    o->n = (size_t)1 << shape.c;
    o->n_matrix = ((size_t)1 << shape.jb) + shape.n_rows;
    o->n_data = o->n_matrix * (o->n - slots);
    o->n_coins = EXTRA * o->n + o->n_matrix * slots;
    assay_backend_cpu_init(&o->be, NULL);
    CHECK_OK(assay_code_new(&o->code, shape.c, ASSAY_MAIN_LOG_RATE, NULL));
    o->phi = (assay_kvec *)assay_mem_alloc(shape.n_rows + 2, sizeof *o->phi);
    for (size_t row = 0; row < shape.n_rows + 2; row++) {
        if (row == 1) continue;
        REQUIRE(assay_kvec_new(&o->phi[row], o->n));
        for (size_t x = 0; x < o->n - slots; x++) kvec_set(&o->phi[row], x, random_k());
    }
}

void opening_free(opening *o)
{
    for (size_t row = 0; row < o->shape.n_rows + 2; row++) assay_kvec_free(&o->phi[row]);
    assay_mem_free(o->phi);
    assay_code_free(o->code);
}

/* Output point of the fixed challenges: the first one drawn. */
static void draw_weights_point(const opening *o, assay_channel *ch, kel *ej)
{
    kel rj[4];
    assay_channel_challenges(ch, "rJ", rj, o->shape.jb);
    assay_eq_table(ej, rj, o->shape.jb);
}

kel opening_claim_of_cell(const opening *o, size_t i)
{
    size_t data = o->n - ((size_t)1 << o->shape.slots), row = i / data, n_w = (size_t)1 << o->shape.jb;
    if (row >= n_w) return kvec_get(&o->phi[2 + row - n_w], i % data);
    fixed_challenges fixed = {.seed = o->seed};
    assay_tamper t = {.ctx = &fixed, .challenge = fixed_challenge};
    assay_channel ch;
    kel ej[1 << 4];
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, NULL);
    ch.tamper = &t;
    draw_weights_point(o, &ch, ej);
    return k_mul(ej[row], kvec_get(&o->phi[0], i % data));
}

/* The rows as the coins make them, weakened. */
static void fill(party *y, const uint32_t *data, const uint32_t *coins)
{
    const opening *o = y->o;
    size_t n = o->n, slots = (size_t)1 << o->shape.slots, n_w = (size_t)1 << o->shape.jb;
    y->row = (uint32_t **)assay_mem_alloc(o->n_matrix, sizeof *y->row);
    y->committed = (const uint32_t **)assay_mem_alloc(EXTRA + o->shape.n_rows, sizeof *y->committed);
    REQUIRE(assay_kvec_new(&y->p, n) && assay_kvec_new(&y->r, n) && assay_kvec_new(&y->m, n));
    for (int j = 0; j < K_WORDS; j++) {
        memcpy(y->m.c[j], coins + (size_t)j * n, n * sizeof *coins);
        memcpy(y->r.c[j], coins + (size_t)(K_WORDS + j) * n, n * sizeof *coins);
        for (size_t x = 0; x < n; x++) {
            bool quadratic = x > 0 && x % 2 == 0 && x <= 2 * (size_t)(o->shape.c + o->shape.row_bits);
            if (o->weak.no_mask || (o->weak.mask_of_degree_one && quadratic)) y->m.c[j][x] = 0;
            if (o->weak.no_r || (o->weak.r_in_slots_only && x < n - slots)) y->r.c[j][x] = 0;
        }
        y->committed[j] = y->m.c[j];
        y->committed[K_WORDS + j] = y->r.c[j];
    }
    for (size_t i = 0; i < o->n_matrix; i++) {
        y->row[i] = (uint32_t *)assay_mem_alloc(n, sizeof **y->row);
        memcpy(y->row[i], data + i * (n - slots), (n - slots) * sizeof *data);
        memcpy(y->row[i] + n - slots, coins + EXTRA * n + i * slots, slots * sizeof *coins);
        if (i >= n_w) y->committed[EXTRA + i - n_w] = y->row[i];
    }
}

static void clear(party *y)
{
    for (size_t i = 0; y->row && i < y->o->n_matrix; i++) assay_mem_free(y->row[i]);
    assay_mem_free(y->row);
    assay_mem_free(y->committed);
    assay_kvec_free(&y->p);
    assay_kvec_free(&y->r);
    assay_kvec_free(&y->m);
    assay_matrix_free(y->weights);
    assay_matrix_free(y->witness);
}

static void commit(party *y)
{
    static const uint8_t salt[32] = {1, 2, 3};
    const opening *o = y->o;
    CHECK_OK(assay_matrix_commit(&y->weights, o->code, &o->be, (const uint32_t *const *)y->row,
                                 (size_t)1 << o->shape.jb, ASSAY_TREE_WEIGHTS, salt, y->root_w, NULL));
    CHECK_OK(assay_matrix_commit(&y->witness, o->code, &o->be, y->committed, EXTRA + o->shape.n_rows,
                                 ASSAY_TREE_WITNESS, salt, y->root_x, NULL));
}

/* P, and the claim on the stack. */
static kel claim(party *y)
{
    const opening *o = y->o;
    size_t n_w = (size_t)1 << o->shape.jb;
    for (size_t j = 0; j < n_w; j++) o->be.kf_axpy(&o->be, &y->p, y->ej[j], y->row[j], o->n);
    kel v = o->be.k_dot(&o->be, &o->phi[0], &y->p, o->n);
    for (size_t i = 0; i < o->shape.n_rows; i++)
        v = k_add(v, o->be.kf_dot(&o->be, &o->phi[2 + i], y->row[n_w + i], o->n));
    return v;
}

static kel phi_at(const opening *o, const kel *point)
{
    kel sum = k_zero();
    for (size_t row = 0; row < 2 + o->shape.n_rows; row++) {
        kel er = assay_eq_index(point + o->shape.c, o->shape.row_bits, row), here = k_zero();
        for (size_t x = 0; row != 1 && x < o->n; x++)
            here = k_add(here, k_mul(kvec_get(&o->phi[row], x), assay_eq_index(point, o->shape.c, x)));
        sum = k_add(sum, k_mul(er, here));
    }
    return sum;
}

static size_t open_columns(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    const party *y = (const party *)ctx;
    const opening *o = y->o;
    const assay_merge_shape shape = {o->shape.c, o->shape.row_bits, o->shape.n_rows};
    uint64_t pos[ASSAY_MAX_QUERIES];
    kel er[64];
    unsigned log_size = o->shape.c + ASSAY_MAIN_LOG_RATE;
    size_t n_w = (size_t)1 << o->shape.jb, n_x = EXTRA + o->shape.n_rows;
    if (!CHECK(o->shape.t <= max && o->shape.row_bits <= 6)) return 0;
    size_t n = assay_channel_positions(ch, "positions", log_size, o->shape.t, pos);
    uint32_t *w = (uint32_t *)assay_mem_alloc(n * n_w, sizeof *w), *x = (uint32_t *)assay_mem_alloc(n * n_x, sizeof *x);
    if (ch->role == ASSAY_PROVE) {
        CHECK_OK(assay_matrix_open(y->weights, &o->be, ch, pos, n, w, NULL));
        CHECK_OK(assay_matrix_open(y->witness, &o->be, ch, pos, n, x, NULL));
    } else {
        assay_matrix_check(ch, y->root_w, ASSAY_TREE_WEIGHTS, log_size, true, pos, n, w, n_w);
        assay_matrix_check(ch, y->root_x, ASSAY_TREE_WITNESS, log_size, true, pos, n, x, n_x);
    }
    assay_eq_table(er, y->merge.point + o->shape.c, o->shape.row_bits);
    for (size_t i = 0; i < n; i++) {
        kel p = k_zero();
        for (size_t j = 0; j < n_w; j++) p = k_add(p, k_mul_f(y->ej[j], w[i * n_w + j]));
        out[i] = (assay_tail_claim){.kind = ASSAY_FUN_POSITION, .pos = pos[i]};
        out[i].value = assay_merge_position_value(&shape, &y->merge, er, p, x + i * n_x);
    }
    assay_mem_free(w);
    assay_mem_free(x);
    return n;
}

/* The text of both parties; value: NULL for the prover, who computes it. */
static kel run(party *y, const kel *value)
{
    const opening *o = y->o;
    const assay_merge_shape shape = {o->shape.c, o->shape.row_bits, o->shape.n_rows};
    bool proving = y->ch.role == ASSAY_PROVE;
    assay_tail_claim claims[2];
    assay_tail_prover *tail = NULL;
    assay_kvec u = {{0}, 0, NULL, 0}, phi[16];
    memset(phi, 0, sizeof phi);
    draw_weights_point(o, &y->ch, y->ej);
    kel v = value ? *value : claim(y);
    const assay_merge_prover mp = {&assay_merge_prover_ops,
                                   &o->be,
                                   &y->p,
                                   &y->r,
                                   &y->m,
                                   (const uint32_t *const *)(proving ? y->row + ((size_t)1 << o->shape.jb) : NULL),
                                   phi};
    for (size_t row = 0; proving && row < 2 + o->shape.n_rows; row++) {
        if (row == 1) continue;
        CHECK(assay_kvec_new(&phi[row], o->n));
        for (int j = 0; j < K_WORDS; j++) memcpy(phi[row].c[j], o->phi[row].c[j], o->n * sizeof(uint32_t));
    }
    assay_merge_run(&y->ch, &shape, proving ? &mp : NULL, v, &y->merge);
    assay_merge_fold(&y->ch, &shape, proving ? &mp : NULL, phi_at(o, y->merge.point), &y->merge, claims, &u);
    if (proving) CHECK_OK(assay_tail_prover_new(&tail, &o->be, o->code, &u, NULL));
    assay_tail_run(&y->ch, tail, SETTING, o->shape.c, claims, 2, open_columns, y);
    assay_tail_prover_free(tail);
    assay_kvec_free(&u);
    return v;
}

static void check_verifier(opening *o, const party *prover, const assay_writer *proof, fixed_challenges fixed)
{
    assay_reader in = assay_reader_of(proof->p, proof->n);
    assay_tamper t = {.ctx = &fixed, .challenge = fixed_challenge};
    party v = {.o = o};
    assay_channel_init(&v.ch, ASSAY_VERIFY, NULL, &in);
    v.ch.tamper = &t;
    memcpy(v.root_w, prover->root_w, 32);
    memcpy(v.root_x, prover->root_x, 32);
    (void)run(&v, &o->value);
    CHECK(channel_ok(&v.ch) && assay_reader_left(&in) == 0);
}

static void one_run(opening *o, party *y, record *view, const char *vary)
{
    assay_writer proof;
    fixed_challenges fixed = {o->seed, 0, 1, vary};
    assay_tamper t = record_hooks(view);
    view->fixed = fixed;
    assay_writer_init(&proof, (size_t)1 << 24);
    assay_channel_init(&y->ch, ASSAY_PROVE, &proof, NULL);
    y->ch.tamper = &t;
    for (size_t j = 0; j < o->n; j++) kvec_set(&y->p, j, k_zero());
    o->value = run(y, NULL);
    CHECK(channel_ok(&y->ch));
    check_verifier(o, y, &proof, fixed);
    assay_writer_clear(&proof);
}

void opening_view(opening *o, record *view, const uint32_t *data, const uint32_t *coins)
{
    party y = {.o = o};
    record_init(view, o->seed);
    fill(&y, data, coins);
    commit(&y);
    one_run(o, &y, view, NULL);
    if (o->weak.mask_used_twice) { /* the messages before eps and the columns are the same ones: only u is new */
        record second;
        record_init(&second, o->seed);
        one_run(o, &y, &second, "eps");
        assay_tamper t = record_hooks(view);
        for (size_t i = 0; i < second.n_items; i++) {
            if (!record_is(&second.item[i], "tail/u")) continue;
            const uint32_t *w = second.words + second.item[i].first;
            for (size_t x = 0; x < o->n; x++) {
                kel u;
                memcpy(u.v, w + K_WORDS * x, sizeof u.v);
                t.k(t.ctx, "tail/u again", &u, 1);
            }
        }
        record_clear(&second);
    }
    clear(&y);
}
