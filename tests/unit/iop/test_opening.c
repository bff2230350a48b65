/* SPDX-License-Identifier: Apache-2.0 */
/* From a claim <phi, stack> = value to accepted bytes: commitment, merge, fold, tail, columns. The row P has no tree
 * here: both parties evaluate its codeword from the row itself. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "harness.h"
#include "poly/eq.h"
#include "stack.h"
#include <string.h>

enum { EXTRA = 2 * K_WORDS }; /* words of M and R in a column */

typedef struct opening {
    stack s;
    assay_code *code;
    const uint32_t **rows; /* of the committed matrix: M, R, then the rows over F */
    size_t n_committed;
    uint8_t root[32];
} opening;

static void opening_new(opening *o, unsigned c, unsigned row_bits, size_t n_rows)
{
    stack_new(&o->s, c, row_bits, n_rows, 2);
    o->n_committed = EXTRA + n_rows;
    o->rows = (const uint32_t **)assay_mem_alloc(o->n_committed, sizeof *o->rows);
    for (int j = 0; j < K_WORDS; j++) {
        o->rows[j] = o->s.m.c[j];
        o->rows[K_WORDS + j] = o->s.r.c[j];
    }
    for (size_t i = 0; i < n_rows; i++) o->rows[EXTRA + i] = o->s.rows[i];
    CHECK_OK(assay_code_new(&o->code, c, ASSAY_MAIN_LOG_RATE, NULL));
}

static void opening_free(opening *o)
{
    assay_code_free(o->code);
    assay_mem_free(o->rows);
    stack_free(&o->s);
}

/* Opens columns of the witness at fresh positions and folds them. */
typedef struct column_opener {
    const opening *o;
    const assay_matrix *matrix; /* prover */
    const assay_merge_result *res;
} column_opener;

static kel codeword_of_p(const opening *o, uint64_t pos)
{
    unsigned c = o->s.shape.c;
    uint32_t vars[32], *fun = (uint32_t *)assay_mem_alloc((size_t)1 << c, sizeof *fun);
    kel sum = k_zero();
    assay_code_vars(c, ASSAY_MAIN_LOG_RATE, pos, vars);
    fun[0] = 1;
    for (unsigned i = 0; i < c; i++)
        for (size_t x = 0; x < (size_t)1 << i; x++) fun[((size_t)1 << i) + x] = m31_mul(fun[x], vars[i]);
    for (size_t x = 0; x < (size_t)1 << c; x++) sum = k_add(sum, k_mul_f(kvec_get(&o->s.p, x), fun[x]));
    assay_mem_free(fun);
    return sum;
}

static size_t open_columns(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    const column_opener *k = (const column_opener *)ctx;
    const opening *o = k->o;
    const assay_merge_shape *shape = &o->s.shape;
    uint64_t pos[ASSAY_MAX_QUERIES];
    kel er[64];
    size_t n = assay_query_count(100, ASSAY_MAIN_LOG_RATE);
    CHECK(n <= max && shape->row_bits <= 6);
    n = assay_channel_positions(ch, "positions", shape->c + ASSAY_MAIN_LOG_RATE, n, pos);
    uint32_t *columns = (uint32_t *)assay_mem_alloc(n * o->n_committed, sizeof *columns);
    if (k->matrix)
        CHECK_OK(assay_matrix_open(k->matrix, &o->s.be, ch, pos, n, columns, NULL));
    else
        assay_matrix_check(ch, o->root, ASSAY_TREE_WITNESS, shape->c + ASSAY_MAIN_LOG_RATE, true, pos, n, columns,
                           o->n_committed);
    assay_eq_table(er, k->res->point + shape->c, shape->row_bits);
    for (size_t i = 0; i < n; i++) {
        kel p = codeword_of_p(o, pos[i]);
        out[i] = (assay_tail_claim){.kind = ASSAY_FUN_POSITION, .pos = pos[i]};
        out[i].value = assay_merge_position_value(shape, k->res, er, p, columns + i * o->n_committed);
    }
    assay_mem_free(columns);
    return n;
}

static void run(opening *o, assay_channel *ch, const assay_matrix *matrix, kel value)
{
    bool proving = ch->role == ASSAY_PROVE;
    assay_merge_result res;
    assay_tail_claim claims[2];
    assay_kvec u = {{0}, 0, NULL, 0};
    assay_tail_prover *tp = NULL;
    assay_merge_prover mp;
    if (proving) mp = stack_prover(&o->s);
    assay_channel_bytes(ch, "root", o->root, sizeof o->root);
    assay_merge_run(ch, &o->s.shape, proving ? &mp : NULL, value, &res);
    assay_merge_fold(ch, &o->s.shape, proving ? &mp : NULL, stack_phi_at(&o->s, res.point), &res, claims, &u);
    if (proving) CHECK_OK(assay_tail_prover_new(&tp, &o->s.be, o->code, &u, NULL));
    column_opener opener = {o, matrix, &res};
    assay_tail_run(ch, tp, 100, o->s.shape.c, claims, 2, open_columns, &opener);
    assay_tail_prover_free(tp);
    assay_kvec_free(&u);
    if (proving) stack_prover_clear(&o->s, &mp);
}

static void prove(opening *o, assay_writer *w, kel value, const assay_tamper *tamper)
{
    static const uint8_t salt[32] = {1, 2, 3};
    assay_channel ch;
    assay_matrix *matrix;
    assay_writer_init(w, (size_t)1 << 26);
    assay_channel_init(&ch, ASSAY_PROVE, w, NULL);
    ch.tamper = tamper;
    REQUIRE_OK(assay_matrix_commit(&matrix, o->code, &o->s.be, o->rows, o->n_committed, ASSAY_TREE_WITNESS, salt,
                                   o->root, NULL));
    run(o, &ch, matrix, value);
    CHECK(channel_ok(&ch));
    assay_matrix_free(matrix);
}

static bool verify(opening *o, const assay_writer *w, kel value)
{
    assay_channel ch;
    assay_reader r = assay_reader_of(w->p, w->n);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    run(o, &ch, NULL, value);
    CHECK_OK(ch.status);
    return channel_ok(&ch) && assay_reader_left(&r) == 0;
}

static void opening_case(unsigned c, unsigned row_bits, size_t n_rows)
{
    opening o;
    assay_writer w;
    opening_new(&o, c, row_bits, n_rows);
    prove(&o, &w, o.s.value, NULL);
    CHECK(verify(&o, &w, o.s.value));
    CHECK(!verify(&o, &w, k_add_f(o.s.value, 1)));
    for (int i = 0; i < 8; i++) {
        size_t at = (size_t)(assay_test_random() % w.n);
        w.p[at] ^= 1;
        CHECK(!verify(&o, &w, o.s.value));
        w.p[at] ^= 1;
    }
    w.n--;
    CHECK(!verify(&o, &w, o.s.value));
    w.n++;
    CHECK(verify(&o, &w, o.s.value));
    assay_writer_clear(&w);
    prove(&o, &w, k_add_f(o.s.value, 1), NULL); /* a false claim, consistently used */
    CHECK(!verify(&o, &w, k_add_f(o.s.value, 1)));
    assay_writer_clear(&w);
    opening_free(&o);
}

TEST(vector_in_clear)
{
    opening_case(8, 3, 5);
}
TEST(one_tail_level)
{
    opening_case(13, 2, 2);
}
