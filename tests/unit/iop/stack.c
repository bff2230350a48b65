/* SPDX-License-Identifier: Apache-2.0 */
/* The random stack. */
#include "stack.h"
#include "base/mem.h"
#include "harness.h"
#include "poly/eq.h"
#include "toy.h"
#include <string.h>

static void fill(assay_kvec *v, size_t n)
{
    REQUIRE(assay_kvec_new(v, n));
    for (size_t i = 0; i < n; i++) kvec_set(v, i, toy_random_k());
}

void stack_new(stack *s, unsigned c, unsigned row_bits, size_t n_rows, unsigned threads)
{
    size_t n = (size_t)1 << c;
    memset(s, 0, sizeof *s);
    s->shape = (assay_merge_shape){c, row_bits, n_rows};
    REQUIRE_OK(assay_pool_new(&s->pool, threads, NULL));
    assay_backend_cpu_init(&s->be, s->pool);
    fill(&s->p, n);
    fill(&s->r, n);
    fill(&s->m, n);
    s->rows = (uint32_t **)assay_mem_alloc(n_rows + 1, sizeof *s->rows);
    s->phi = (assay_kvec *)assay_mem_alloc(n_rows + 2, sizeof *s->phi);
    for (size_t i = 0; i < n_rows; i++) {
        s->rows[i] = (uint32_t *)assay_mem_alloc(n, sizeof **s->rows);
        for (size_t x = 0; x < n; x++) s->rows[i][x] = (uint32_t)(assay_test_random() % M31_P);
    }
    for (size_t row = 0; row < n_rows + 2; row++) {
        if (row == 1) continue; /* R is in no claim */
        fill(&s->phi[row], n);
        for (size_t x = 0; x < n; x++)
            s->value = k_add(s->value, k_mul(kvec_get(&s->phi[row], x), stack_at(s, row, x)));
    }
}

void stack_free(stack *s)
{
    assay_kvec_free(&s->p);
    assay_kvec_free(&s->r);
    assay_kvec_free(&s->m);
    for (size_t i = 0; i < s->shape.n_rows; i++) assay_mem_free(s->rows[i]);
    for (size_t i = 0; i < s->shape.n_rows + 2; i++) assay_kvec_free(&s->phi[i]);
    assay_mem_free(s->rows);
    assay_mem_free(s->phi);
    assay_pool_free(s->pool);
}

kel stack_at(const stack *s, size_t row, size_t column)
{
    if (row == 0) return kvec_get(&s->p, column);
    if (row == 1) return kvec_get(&s->r, column);
    return row < s->shape.n_rows + 2 ? k_from_f(s->rows[row - 2][column]) : k_zero();
}

kel stack_phi_at(const stack *s, const kel *point)
{
    kel sum = k_zero();
    for (size_t row = 0; row < s->shape.n_rows + 2; row++) {
        kel here = k_zero(), er = assay_eq_index(point + s->shape.c, s->shape.row_bits, row);
        for (size_t x = 0; row != 1 && x < (size_t)1 << s->shape.c; x++)
            here = k_add(here, k_mul(kvec_get(&s->phi[row], x), assay_eq_index(point, s->shape.c, x)));
        sum = k_add(sum, k_mul(er, here));
    }
    return sum;
}

assay_merge_prover stack_prover(const stack *s)
{
    size_t n = (size_t)1 << s->shape.c;
    assay_merge_prover mp = {.ops = &assay_merge_prover_ops,
                             .be = &s->be,
                             .p = &s->p,
                             .r = &s->r,
                             .m = &s->m,
                             .rows = (const uint32_t *const *)s->rows};
    mp.phi = (assay_kvec *)assay_mem_alloc(s->shape.n_rows + 2, sizeof *mp.phi);
    for (size_t row = 0; row < s->shape.n_rows + 2; row++) {
        if (row == 1) continue;
        CHECK(assay_kvec_new(&mp.phi[row], n));
        for (int j = 0; j < K_WORDS; j++) memcpy(mp.phi[row].c[j], s->phi[row].c[j], n * sizeof(uint32_t));
    }
    return mp;
}

void stack_prover_clear(const stack *s, assay_merge_prover *mp)
{
    for (size_t row = 0; row < s->shape.n_rows + 2; row++) assay_kvec_free(&mp->phi[row]);
    assay_mem_free(mp->phi);
}
