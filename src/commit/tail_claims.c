/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of the tail evaluated by the verifier.
 *
 * On a vector in clear each position is evaluated by itself: batching all of them into one dense functional would save
 * no time at 2^12 entries (192 transforms of one position each are as many products), and needs no further challenge.
 */
#include "commit/tail_claims.h"
#include "base/mem.h"
#include "poly/eq.h"

enum { MAX_VARS = 30 };

static kel prefix_at(const assay_tail_claim *claim, unsigned c, const kel *r)
{
    kel sum = k_zero();
    for (size_t i = 0; i < claim->n; i++) sum = k_add(sum, k_mul(claim->k[i], assay_eq_index(r, c, i)));
    return sum;
}

kel assay_tail_claim_at(const assay_tail_claim *claim, unsigned c, unsigned log_rate, const kel *r)
{
    uint32_t vars[MAX_VARS];
    switch (claim->kind) {
    case ASSAY_FUN_EQ:
        return assay_eq_eval(claim->k, r, c);
    case ASSAY_FUN_PREFIX:
        return prefix_at(claim, c, r);
    case ASSAY_FUN_POSITION:
        break;
    }
    assay_code_vars(c, log_rate, claim->pos, vars);
    return assay_code_functional_at(c, vars, r);
}

static kel dot(const kel *a, const kel *b, size_t n)
{
    kel sum = k_zero();
    for (size_t i = 0; i < n; i++) sum = k_add(sum, k_mul(a[i], b[i]));
    return sum;
}

/* sum_b u[b] prod_i vars[i]^(b_i), u in six planes of 2^c words: the functional is written out as a tensor over F (2^c
 * words of `tensor`), then multiplied into the planes. Products are below 2^62; their 31-bit halves are summed apart
 * from each other, which leaves room for 2^32 terms. */
static kel position_value(const uint32_t *planes, uint32_t *tensor, unsigned c, const uint32_t *vars)
{
    size_t n = (size_t)1 << c;
    tensor[0] = 1;
    for (unsigned i = 0; i < c; i++) {
        size_t half = (size_t)1 << i;
        for (size_t b = 0; b < half; b++) tensor[half + b] = m31_mul(tensor[b], vars[i]);
    }
    kel out;
    for (int j = 0; j < K_WORDS; j++) {
        const uint32_t *u = planes + (size_t)j * n;
        uint64_t low = 0, high = 0;
        for (size_t b = 0; b < n; b++) {
            uint64_t x = (uint64_t)u[b] * tensor[b];
            low += x & M31_P;
            high += x >> M31_BITS;
        }
        out.v[j] = m31_add(m31_reduce64(low), m31_reduce64(high));
    }
    return out;
}

/* table: 2^c elements of scratch. */
static kel dense_value(const assay_tail_claim *claim, unsigned c, const kel *u, kel *table)
{
    if (claim->kind == ASSAY_FUN_PREFIX) return dot(claim->k, u, claim->n);
    assay_eq_table(table, claim->k, c);
    return dot(table, u, (size_t)1 << c);
}

assay_status assay_tail_claims_hold(bool *holds, const assay_tail_claim *claims, size_t n_claims, unsigned c,
                                    unsigned log_rate, const kel *u)
{
    size_t n = (size_t)1 << c;
    uint32_t vars[MAX_VARS];
    *holds = false;
    kel *table = (kel *)assay_mem_alloc(n, sizeof *table);
    uint32_t *planes = (uint32_t *)assay_mem_alloc(n, (K_WORDS + 1) * sizeof *planes);
    if (!table || !planes) {
        assay_mem_free(table);
        assay_mem_free(planes);
        return ASSAY_ENOMEM;
    }
    for (size_t b = 0; b < n; b++)
        for (int j = 0; j < K_WORDS; j++) planes[(size_t)j * n + b] = u[b].v[j];
    bool all = true;
    for (size_t i = 0; i < n_claims; i++) {
        kel value;
        if (claims[i].kind == ASSAY_FUN_POSITION) {
            assay_code_vars(c, log_rate, claims[i].pos, vars);
            value = position_value(planes, planes + K_WORDS * n, c, vars);
        } else {
            value = dense_value(&claims[i], c, u, table);
        }
        all = all && k_eq(value, claims[i].value);
    }
    *holds = all;
    assay_mem_free(table);
    assay_mem_free(planes);
    return ASSAY_OK;
}
