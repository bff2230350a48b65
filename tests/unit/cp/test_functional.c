/* SPDX-License-Identifier: Apache-2.0 */
/* phi as the prover writes it and as the verifier evaluates it are one function.
 * ctest: uses unit/model */
#include "base/mem.h"
#include "cp/functional.h"
#include "cp/protocol.h"
#include "harness.h"
#include "poly/eq.h"
#include "unit/model/small_model.h"
#include <string.h>

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = (uint32_t)(assay_test_random() % M31_P);
    return k;
}

static assay_weights random_weights(assay_functional *f, uint32_t extent)
{
    if (assay_test_random() % 5 == 0) return weights_ones(extent);
    uint32_t start = (uint32_t)(assay_test_random() % extent),
             len = 1 + (uint32_t)(assay_test_random() % (extent - start));
    if (assay_test_random() % 2) {
        start = 0;
        len = extent;
    }
    kel *w = assay_functional_weights(f, len);
    for (uint32_t i = 0; i < len; i++) w[i] = random_k();
    return weights_part(w, start, len);
}

enum { ANGLES = 2 * 9 * 8 / 2 /* cos and sin of at most 9 tokens and heads of 8 */ };
static int32_t angles[ANGLES];

static void random_terms(assay_functional *f, uint32_t grid, int n)
{
    const assay_grid *g = assay_functional_grid(f->shape, grid);
    if (g->n_box == 0) return;
    for (int k = 0; k < n; k++) {
        assay_weights ax[ASSAY_GRID_AXES];
        for (unsigned a = 0; a < g->n_axes; a++) ax[a] = random_weights(f, g->extent[a]);
        if (grid == TEN_Q || grid == TEN_K) {
            const uint32_t tokens = g->extent[1], width = g->extent[2];
            kel *w = assay_functional_weights(f, tokens + width);
            for (size_t i = 0; i < tokens + width; i++) w[i] = random_k();
            const assay_rotation r = {w, w + tokens, angles, angles + ANGLES / 2, f->shape->run.cfg->head_dim};
            assay_functional_add_rotation(f, (assay_claim)ASSAY_NODE_ONE, random_k(), grid, ax, &r);
        } else {
            assay_functional_add(f, (assay_claim)ASSAY_NODE_ONE, random_k(), grid, ax);
        }
    }
}

/* Weights that are not written out, on every natural box of a table's multiplicities. */
static void eq_terms(assay_functional *f, uint32_t grid)
{
    const uint32_t rows = assay_functional_grid(f->shape, grid)->extent[0];
    uint32_t start = 0, natural = 0;
    for (unsigned k = 32; k-- > 0;) {
        kel point[32];
        if (!(rows >> k & 1)) continue;
        for (unsigned i = 0; i < k; i++) point[i] = random_k();
        const assay_weights ax = assay_functional_eq_at(f, point, k, start);
        assay_functional_add_in_box(f, (assay_claim)ASSAY_NODE_ONE, random_k(), grid, &ax, natural++);
        start += (uint32_t)1 << k;
    }
}

/* phi~(point) from the written rows. */
static kel written_at(const assay_cp_shape *s, const assay_kvec *phi, const kel *point)
{
    size_t n = (size_t)1 << s->params.c;
    kel *ez = assay_mem_alloc(n, sizeof *ez), sum = k_zero();
    assay_eq_table(ez, point, s->params.c);
    for (size_t r = 0; r < 2 + (size_t)s->n_rows; r++) {
        kel row = k_zero();
        for (size_t i = 0; r != 1 && i < n; i++) row = k_add(row, k_mul(ez[i], kvec_get(&phi[r], i)));
        sum = k_add(sum, k_mul(row, assay_eq_index(point + s->params.c, s->row_bits, r)));
    }
    assay_mem_free(ez);
    return sum;
}

static void check_shape(assay_small_shape small, uint32_t n_prompt, uint32_t n_tokens)
{
    assay_model m;
    assay_cp_shape s;
    assay_functional f;
    assay_errinfo err = {0};
    assay_backend be;
    const assay_commit_params params = {128, 11, 8, 2};
    REQUIRE(assay_small_model(&m, small, 3));
    REQUIRE_OK(assay_cp_shape_init(&s, &m.cfg, &params, n_prompt, n_tokens, NULL, 1 << 30, &err));
    REQUIRE_OK(assay_cp_shape_close(&s, 77, &err));
    REQUIRE_OK(assay_cp_shape_place(&s, &err));
    assay_backend_cpu_init(&be, NULL);
    assay_functional_init(&f, &s, false);
    for (int i = 0; i < ANGLES; i++) angles[i] = (int32_t)(assay_test_random() % 8193) - 4096;
    for (uint32_t g = 0; g < s.n_grids; g++) random_terms(&f, g, s.grid[g].extent[0] > 1000 ? 1 : 3);
    for (uint32_t g = TEN_COUNT; g < s.hid; g++) eq_terms(&f, g);
    for (unsigned k = 0; k < MAT_COUNT; k++) random_terms(&f, ASSAY_GRID_OF_MATRIX(k), 2);
    kel weights[77], point[64], got;
    for (int i = 0; i < 77; i++) weights[i] = random_k();
    assay_functional_add_hidden(&f, weights);
    for (unsigned i = 0; i < params.c + s.row_bits; i++) point[i] = random_k();
    size_t n_rows = 2 + (size_t)s.n_rows;
    assay_kvec *phi = assay_mem_alloc(n_rows, sizeof *phi);
    for (size_t r = 0; r < n_rows; r++) REQUIRE(assay_kvec_new(&phi[r], (size_t)1 << params.c));
    REQUIRE_OK(assay_functional_write(&f, NULL, &be, phi));
    REQUIRE_OK(assay_functional_eval(&f, NULL, point, &got));
    kel want = written_at(&s, phi, point);
    CHECK(k_eq(got, want));
    CHECK(!k_is_zero(got));
    /* No weight on slots. */
    for (size_t r = 2; r < n_rows; r++)
        for (size_t i = ((size_t)1 << params.c) - (1 << ASSAY_WITNESS_SLOTS); i < (size_t)1 << params.c; i++)
            REQUIRE(k_is_zero(kvec_get(&phi[r], i)));
    for (size_t r = 0; r < n_rows; r++) assay_kvec_free(&phi[r]);
    assay_mem_free(phi);
    assay_functional_clear(&f);
    assay_cp_shape_clear(&s);
    assay_model_clear(&m);
}

TEST(written_and_evaluated_agree)
{
    check_shape((assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 9);
    check_shape((assay_small_shape){3, 12, 3, 1, 6, 20, 11, true}, 3, 8);
    check_shape((assay_small_shape){1, 8, 1, 1, 8, 8, 5, false}, 1, 1);
}
