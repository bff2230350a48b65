/* SPDX-License-Identifier: Apache-2.0 */
/* Fresh coins: two proofs of one request differ in every masked value, with the same challenges; and the coins of a
 * proof depend on the system's randomness, the secret key, the statement and the witness.
 *
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "hash/merkle_hash.h"
#include "proof.h"
#include <stdio.h>
#include <string.h>

static const assay_small_shape shape = {2, 16, 4, 2, 4, 24, 37, false};

/* A proof with all that was sent and the coins that the hooks can see. */
typedef struct run {
    record rec; /* first: the hooks' context */
    assay_writer proof;
    kel *cells;
    uint32_t *slots; /* [n_rows][2^8] */
    size_t n_cells, n_pads, n_rows, n_columns;
    bool change_witness;
} run;

static void see_cells(void *ctx, const assay_frame *f, kel *cells)
{
    run *r = (run *)ctx;
    r->n_cells = iop_plan_cells(&f->plan);
    r->n_pads = f->plan.n_hidden + 2;
    r->n_columns = frame_columns(f);
    r->cells = (kel *)assay_mem_alloc(r->n_cells, sizeof(kel));
    REQUIRE(r->cells);
    memcpy(r->cells, cells, r->n_cells * sizeof(kel));
}

static void see_rows(void *ctx, const assay_frame *f, uint32_t **rows)
{
    run *r = (run *)ctx;
    size_t n = (size_t)1 << f->shape.params.c, slots = (size_t)1 << ASSAY_WITNESS_SLOTS;
    r->n_rows = f->shape.n_rows;
    r->slots = (uint32_t *)assay_mem_alloc(r->n_rows, slots * sizeof *r->slots);
    REQUIRE(r->slots);
    for (size_t i = 0; i < r->n_rows; i++) memcpy(r->slots + i * slots, rows[i] + n - slots, slots * sizeof **rows);
}

static void change_witness(void *ctx, assay_witness *w)
{
    if (((run *)ctx)->change_witness) w->ten[TEN_H0][0] = m31_add(w->ten[TEN_H0][0], 1);
}

static void make(proof_maker *m, const assay_request *rq, run *r, bool fixed, const uint8_t *system, bool claims_only)
{
    record_init(&r->rec, 5);
    const assay_tamper t = fixed ? record_hooks(&r->rec) : record_hooks_free(&r->rec);
    const assay_cheat hooks = {
        .ctx = r, .cells = see_cells, .rows = see_rows, .witness = change_witness, .messages = &t, .system = system};
    proof_make(m, rq, &hooks, claims_only, &r->proof);
    CHECK(r->cells && r->slots);
}

static void run_clear(run *r)
{
    record_clear(&r->rec);
    assay_writer_clear(&r->proof);
    assay_mem_free(r->cells);
    assay_mem_free(r->slots);
    memset(r, 0, sizeof *r);
}

/* The salt that follows a column in the proof's bytes. */
static const uint8_t *salt_after(const run *r, const record_item *column)
{
    uint8_t *bytes = (uint8_t *)assay_mem_alloc(column->n, 4);
    const uint8_t *found = NULL;
    size_t n = 4 * column->n;
    for (size_t i = 0; i < column->n; i++) assay_store_u32(bytes + 4 * i, r->rec.words[column->first + i]);
    for (size_t at = 0; !found && at + n + ASSAY_MERKLE_SALT <= r->proof.n; at++)
        if (memcmp(r->proof.p + at, bytes, n) == 0) found = r->proof.p + at + n;
    assay_mem_free(bytes);
    return found;
}

typedef struct tally {
    size_t elements, roots, columns, column_words, salts;
    size_t equal_elements, equal_roots, equal_masks, equal_words, equal_salts;
} tally;

static void compare_column(const run *a, const run *b, const record_item *x, const record_item *y, tally *t)
{
    const uint32_t *p = a->rec.words + x->first, *q = b->rec.words + y->first;
    t->columns++;
    for (int half = 0; half < 2; half++) /* M, then R */
        t->equal_masks += memcmp(p + half * K_WORDS, q + half * K_WORDS, K_BYTES) == 0;
    for (size_t i = 2 * K_WORDS; i < x->n; i++, t->column_words++) t->equal_words += p[i] == q[i];
    const uint8_t *s = salt_after(a, x), *u = salt_after(b, y);
    if (!CHECK(s && u)) return;
    t->salts++;
    t->equal_salts += memcmp(s, u, ASSAY_MERKLE_SALT) == 0;
}

static void compare(const run *a, const run *b, tally *t)
{
    if (!CHECK_EQ_U64(a->rec.n_items, b->rec.n_items)) return;
    for (size_t i = 0; i < a->rec.n_items; i++) {
        const record_item *x = &a->rec.item[i], *y = &b->rec.item[i];
        const uint32_t *p = a->rec.words + x->first, *q = b->rec.words + y->first;
        CHECK_EQ_STR(x->label, y->label);
        if (!CHECK_EQ_U64(x->n, y->n)) return;
        if (record_is(x, "column")) {
            if (x->n == a->n_columns) compare_column(a, b, x, y, t); /* others: weights and tail */
        } else if (record_is(x, "witness root") || record_is(x, "tail/root")) {
            t->roots++;
            t->equal_roots += memcmp(p, q, x->n * sizeof *p) == 0;
        } else {
            for (size_t k = 0; k < x->n; k += K_WORDS, t->elements++) {
                bool same = memcmp(p + k, q + k, K_BYTES) == 0;
                t->equal_elements += same;
                if (same) printf("the same in both proofs: %s\n", x->label);
            }
        }
    }
}

/* The same challenges and positions in both, so that only masks can make values differ. */
TEST(two_proofs_of_one_request_differ_in_every_masked_value)
{
    proof_maker m;
    run a = {0}, b = {0};
    tally t = {0};
    REQUIRE(proof_maker_new(&m, shape, 5, 4, 11));
    make(&m, &m.rq, &a, true, NULL, false);
    make(&m, &m.rq, &b, true, NULL, false);
    compare(&a, &b, &t);
    printf("%zu elements of K, %zu roots, %zu witness columns with %zu words of F-rows and %zu salts compared\n",
           t.elements, t.roots, t.columns, t.column_words, t.salts);
    CHECK(t.elements > a.n_pads + 512 && t.roots == 2 && t.columns == 192 && t.salts == 192);
    CHECK_EQ_U64(t.equal_elements + t.equal_roots + t.equal_masks + t.equal_salts, 0);
    CHECK(t.equal_words <= 2); /* single words: one in 2^31 is equal by chance */
    /* pads and random slots, seen from inside */
    for (size_t i = 0; i < a.n_cells; i++) CHECK(!k_eq(a.cells[i], b.cells[i]));
    CHECK_EQ_U64(proof_repeats(a.cells, a.n_pads), 0);
    for (size_t i = 0; i < a.n_rows; i++)
        for (size_t k = 0; k < a.n_rows; k++) {
            const uint32_t *x = a.slots + (i << ASSAY_WITNESS_SLOTS), *y = a.slots + (k << ASSAY_WITNESS_SLOTS);
            CHECK(memcmp(x, b.slots + (k << ASSAY_WITNESS_SLOTS), 64) != 0);
            CHECK(i == k || memcmp(x, y, 64) != 0);
        }
    run_clear(&a);
    run_clear(&b);
    proof_maker_clear(&m);
}

/* As served: both are accepted, and no element that was sent stands in both. */
TEST(two_served_proofs_share_no_value)
{
    proof_maker m;
    run r[2];
    memset(r, 0, sizeof r);
    REQUIRE(proof_maker_new(&m, shape, 5, 4, 11));
    size_t n[2];
    kel *both = NULL;
    for (int i = 0; i < 2; i++) {
        assay_cp_result result;
        make(&m, &m.rq, &r[i], false, NULL, false);
        CHECK_OK(cp_fixture_verify(&m.f, &m.rq, &r[i].proof, NULL, 0, &result));
        CHECK_EQ_STR(result.reason, "");
        CHECK(result.verdict == ASSAY_ACCEPT);
        n[i] = 0;
        kel *v = (kel *)assay_mem_grow(both, i ? n[0] : 0, (i ? n[0] : 0) + r[i].rec.n_words / K_WORDS + 1, sizeof *v);
        REQUIRE(v != NULL);
        both = v;
        for (size_t k = 0; k < r[i].rec.n_items; k++) {
            const record_item *x = &r[i].rec.item[k];
            if (record_is(x, "column") || strstr(x->label, "root")) continue;
            for (size_t w = 0; w < x->n; w += K_WORDS)
                memcpy(&both[(i ? n[0] : 0) + n[i]++], r[i].rec.words + x->first + w, K_BYTES);
        }
    }
    CHECK(n[0] == n[1] && n[0] > 1000);
    CHECK_EQ_U64(proof_repeats(both, n[0] + n[1]), 0);
    assay_mem_free(both);
    run_clear(&r[0]);
    run_clear(&r[1]);
    proof_maker_clear(&m);
}

/* First pads of a run up to the batch. */
static void pads_of(proof_maker *m, const assay_request *rq, const uint8_t *system, bool other_witness, kel out[4])
{
    run r = {.change_witness = other_witness};
    make(m, rq, &r, false, system, true);
    memcpy(out, r.cells, 4 * sizeof *out);
    run_clear(&r);
}

/* A restored backup or a clone whose system gives the same randomness again: other statements and witnesses still get
 * other coins, and the same one gets the same proof, so that no mask meets two transcripts. */
TEST(coins_depend_on_randomness_key_statement_and_witness)
{
    static const uint8_t system[32] = {1}, other_system[32] = {2};
    enum { CASES = 6 };
    proof_maker m;
    assay_request other, context;
    kel pads[CASES][4];
    REQUIRE(proof_maker_new(&m, shape, 5, 4, 11));
    REQUIRE(proof_maker_ask(&m, &other, 5, 4, 200));
    REQUIRE(memcmp(other.ids, m.rq.ids, 5 * sizeof *other.ids) != 0);
    REQUIRE_OK(
        assay_request_new(&context, m.rq.ids, m.rq.n_prompt, m.rq.n_tokens, m.rq.ids[m.rq.n_tokens], "other", 5, NULL));
    pads_of(&m, &m.rq, system, false, pads[0]);
    pads_of(&m, &other, system, false, pads[1]);
    pads_of(&m, &context, system, false, pads[2]); /* the same tokens: the same witness, another statement */
    pads_of(&m, &m.rq, system, true, pads[3]);
    pads_of(&m, &m.rq, other_system, false, pads[4]);
    m.f.seed[7] ^= 1;
    pads_of(&m, &m.rq, system, false, pads[5]);
    m.f.seed[7] ^= 1;
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < i; k++)
            for (int j = 0; j < 4; j++) CHECK(!k_eq(pads[i][j], pads[k][j]));

    run a = {0}, b = {0};
    make(&m, &m.rq, &a, false, system, false);
    make(&m, &m.rq, &b, false, system, false);
    CHECK_EQ_MEM(a.cells, pads[0], sizeof pads[0]);
    CHECK(a.proof.n == b.proof.n && memcmp(a.proof.p, b.proof.p, a.proof.n) == 0);
    run_clear(&a);
    run_clear(&b);
    assay_request_clear(&other);
    assay_request_clear(&context);
    proof_maker_clear(&m);
}
