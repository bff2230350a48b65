/* SPDX-License-Identifier: Apache-2.0 */
/* What the rank lemma asks of a proof's coins, on the prover of whole models: M and R are fresh and random over the
 * whole row, each row of weights and cells ends with its random slots, and no claim names one.
 *
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "poly/eq.h"
#include "proof.h"
#include <string.h>

enum { PROOFS = 2 };

/* M as it was used; R from the opened vector: u = M + eps (E0 P + E1 R + sum of E F). */
typedef struct masks {
    uint32_t **rows;
    size_t n, n_rows, slots;
    unsigned row_bits;
    const assay_kvec *p;
    kel *m, *r; /* n elements */
} masks;

static void see_rows(void *ctx, const assay_frame *f, uint32_t **rows)
{
    masks *k = (masks *)ctx;
    k->rows = rows;
    k->n = (size_t)1 << f->shape.params.c;
    k->slots = (size_t)1 << ASSAY_WITNESS_SLOTS;
    k->n_rows = f->shape.n_rows;
    k->row_bits = f->shape.row_bits;
}

/* Every term stays within cells: a claim that named a random slot could not be shown not to. */
static void see_claims(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    masks *k = (masks *)ctx;
    const assay_cp_shape *s = &w->shape[0];
    k->p = p;
    for (size_t t = 0; t < cp->fn.n; t++) {
        const assay_term *term = &cp->fn.term[t];
        const assay_grid *g = assay_functional_grid(s, term->grid);
        bool weights = term->grid >= ASSAY_GRID_OF_MATRIX(0);
        size_t free_cells = k->n - (weights ? (size_t)1 << s->params.a : k->slots);
        for (uint32_t b = 0; b < g->n_box; b++) {
            uint64_t first = assay_functional_address(s, term->grid, &g->box[b]);
            uint64_t last = first + ((uint64_t)1 << g->box[b].log_n) - 1, row = first >> s->params.c;
            if (!CHECK(row == last >> s->params.c && (last & (k->n - 1)) < free_cells)) return;
            if (!CHECK(weights ? row == 0 : row >= 2)) return; /* row 1 is R */
        }
    }
}

static void see_opening(void *ctx, const assay_merge_result *merge, kel phi, const assay_kvec *m, assay_kvec *u)
{
    masks *k = (masks *)ctx;
    (void)phi;
    kel *er = (kel *)assay_mem_alloc(2 + k->n_rows, sizeof *er);
    k->m = (kel *)assay_mem_alloc(k->n, sizeof *k->m);
    k->r = (kel *)assay_mem_alloc(k->n, sizeof *k->r);
    REQUIRE(er && k->m && k->r);
    unsigned c = 0;
    while ((size_t)1 << c < k->n) c++;
    assay_eq_prefix(er, 2 + k->n_rows, merge->point + c, k->row_bits);
    kel inv_eps = k_inv(merge->eps), inv_e1 = k_inv(er[1]);
    for (size_t x = 0; x < k->n; x++) {
        k->m[x] = kvec_get(m, x);
        kel rest = k_mul(inv_eps, k_sub(kvec_get(u, x), k->m[x]));
        rest = k_sub(rest, k_mul(er[0], kvec_get(k->p, x)));
        for (size_t i = 0; i < k->n_rows; i++) rest = k_sub(rest, k_mul_f(er[2 + i], k->rows[i][x]));
        k->r[x] = k_mul(inv_e1, rest);
    }
    assay_mem_free(er);
}

static void make(proof_maker *m, masks *k)
{
    assay_cp_result result;
    assay_writer proof;
    memset(k, 0, sizeof *k);
    const assay_cheat hooks = {.ctx = k, .rows = see_rows, .claims = see_claims, .opening = see_opening};
    proof_make(m, &m->rq, &hooks, false, &proof);
    CHECK_OK(cp_fixture_verify(&m->f, &m->rq, &proof, NULL, 0, &result));
    CHECK(result.verdict == ASSAY_ACCEPT); /* so the M and R that were used are the committed ones */
    assay_writer_clear(&proof);
}

/* Words below p/2 and even words are half of all, up to seven standard deviations. */
static bool looks_uniform(const kel *v, size_t n)
{
    for (int j = 0; j < K_WORDS; j++) {
        size_t low = 0, even = 0;
        for (size_t x = 0; x < n; x++) {
            low += v[x].v[j] < M31_P / 2;
            even += v[x].v[j] % 2 == 0;
        }
        double limit = 49.0 * (double)n / 4, a = (double)low - (double)n / 2, b = (double)even - (double)n / 2;
        if (a * a > limit || b * b > limit) return false;
    }
    return true;
}

TEST(rows_m_and_r_are_random_and_fresh_over_their_whole_length)
{
    proof_maker m;
    masks k[PROOFS];
    REQUIRE(proof_maker_new(&m, (assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 4, 11));
    for (int i = 0; i < PROOFS; i++) make(&m, &k[i]);
    size_t n = k[0].n;
    kel *all = (kel *)assay_mem_alloc(2 * PROOFS * n, sizeof *all);
    REQUIRE(all && k[0].m && k[1].m);
    for (int i = 0; i < PROOFS; i++) {
        CHECK(looks_uniform(k[i].m, n) && looks_uniform(k[i].r, n));
        memcpy(all + 2 * (size_t)i * n, k[i].m, n * sizeof *all);
        memcpy(all + (2 * (size_t)i + 1) * n, k[i].r, n * sizeof *all);
        assay_mem_free(k[i].m);
        assay_mem_free(k[i].r);
    }
    CHECK_EQ_U64(proof_repeats(all, 2 * PROOFS * n), 0);
    assay_mem_free(all);
    proof_maker_clear(&m);
}

/* Words of the weight rows' slots, six to an element, and what stands before them. */
TEST(each_weight_row_ends_with_random_slots)
{
    proof_maker m;
    REQUIRE(proof_maker_new(&m, (assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 4, 11));
    const assay_weight_rows *r = &m.f.rows;
    size_t n = (size_t)1 << m.f.pub.params.c, slots = (size_t)1 << m.f.pub.params.a, each = slots / K_WORDS;
    kel *all = (kel *)assay_mem_alloc(each * r->n_rows, sizeof *all);
    REQUIRE(all && r->n_rows == 4);
    for (size_t j = 0; j < r->n_rows; j++) {
        for (size_t x = 0; x < n - slots; x++) { /* weights have 16 bits */
            int64_t w = m31_to_i64(r->row[j][x]);
            if (!CHECK(w >= -32768 && w < 32768)) break;
        }
        memcpy(all + j * each, r->row[j] + n - slots, each * sizeof *all);
    }
    CHECK(looks_uniform(all, each * r->n_rows));
    CHECK_EQ_U64(proof_repeats(all, each * r->n_rows), 0);
    assay_mem_free(all);
    proof_maker_clear(&m);
}
