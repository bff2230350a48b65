/* SPDX-License-Identifier: Apache-2.0 */
/* The circle code for the prover: twiddle tables, encoding, transposed encoding (docs/protocol.md, "Code"). */
#include "commit/code.h"
#include "base/mem.h"
#include "field/circle.h"
#include <string.h>

enum { MAX_LOG_LENGTH = 30, MAX_LOG_RATE = 4, K_COORDINATES = 6 };

/* Twiddles of one group. With n = 2^(c-2) and the points P(h) = g^(2 gamma + 1 + sum_k h_k D/2^(k+1)), h < n:
 *   stage 1        tw[n + h]            = x(P(h))
 *   stage 0        tw[2n + 2h], .. + 1  = y(P(h)), -y(P(h))     (bit 0 of a stage-0 block is the antipode)
 *   stage i >= 2   tw[2^(c-1-i) + h]    = pi(entry 2h of stage i-1), that is tw[j] = pi(tw[2j])
 * The points come by doubling: P(h + 2^k) = P(h) times the point of order 2^(k+2). */
static void fill_group(uint32_t *tw, unsigned c, unsigned log_rate, unsigned gamma)
{
    assay_circle_point start = assay_circle_pow(assay_circle_root(c + log_rate + 1), 2 * (uint64_t)gamma + 1);
    tw[0] = 0;
    if (c == 1) {
        tw[1] = start.y;
        return;
    }
    size_t n = (size_t)1 << (c - 2);
    uint32_t *x = tw + n, *y = tw + 2 * n;
    x[0] = start.x;
    y[0] = start.y;
    for (unsigned k = 0; k + 2 < c; k++) {
        assay_circle_point turn = assay_circle_root(k + 2);
        size_t half = (size_t)1 << k;
        for (size_t h = 0; h < half; h++) {
            assay_circle_point p = circle_mul(circle_make(x[h], y[2 * h]), turn);
            x[half + h] = p.x;
            y[2 * (half + h)] = p.y;
        }
    }
    for (size_t h = 0; h < n; h++) y[2 * h + 1] = m31_neg(y[2 * h]);
    for (size_t j = n - 1; j > 0; j--) tw[j] = circle_double_x(tw[2 * j]);
}

assay_status assay_code_new(assay_code **out, unsigned c, unsigned log_rate, assay_errinfo *err)
{
    *out = NULL;
    if (c < 1 || log_rate < 1 || log_rate > MAX_LOG_RATE || c > MAX_LOG_LENGTH - log_rate)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, NULL, "code parameters out of range (c, log_rate)", c, log_rate);
    assay_code *code = (assay_code *)assay_mem_alloc(1, sizeof *code);
    if (!code) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the code");
    code->c = c;
    code->log_rate = log_rate;
    for (unsigned g = 0; g < 1u << log_rate; g++) {
        code->tw[g] = (uint32_t *)assay_mem_alloc_raw((size_t)1 << c, sizeof *code->tw[g]);
        if (!code->tw[g]) {
            assay_code_free(code);
            return ASSAY_FAIL1(err, ASSAY_ENOMEM, NULL, "out of memory for the twiddles of the code (c)", c);
        }
        fill_group(code->tw[g], c, log_rate, g);
    }
    *out = code;
    return ASSAY_OK;
}

void assay_code_free(assay_code *code)
{
    if (!code) return;
    for (unsigned g = 0; g < 1u << code->log_rate; g++) assay_mem_free(code->tw[g]);
    assay_mem_free(code);
}

void assay_code_encode_group(const assay_code *code, const assay_backend *be, unsigned g, uint32_t *out,
                             const uint32_t *msg)
{
    memcpy(out, msg, sizeof *out << code->c);
    be->fft(be, out, code->tw[g], code->c);
}

void assay_code_encode_blocks(const assay_code *code, const assay_backend *be, unsigned g, unsigned log_block,
                              const uint64_t *blocks, size_t n, uint32_t *out, const uint32_t *msg)
{
    be->fft_blocks(be, out, msg, code->tw[g], code->c, log_block, blocks, n);
}

typedef struct transpose_job {
    const assay_code *code;
    const assay_backend *be;
    assay_kvec *phi;
    const uint64_t *pos;
    const kel *w;
    size_t n;
    uint32_t *scratch; /* 2^c words a coordinate */
} transpose_job;

/* One coordinate of phi: group after group, the sparse vector goes through the transposed transform. */
static void transpose_coordinate(void *ctx, size_t k)
{
    const transpose_job *t = (const transpose_job *)ctx;
    unsigned c = t->code->c;
    size_t len = (size_t)1 << c;
    uint32_t *restrict row = t->scratch + k * len, *restrict sum = t->phi->c[k];
    for (unsigned g = 0; g < 1u << t->code->log_rate; g++) {
        bool any = false;
        for (size_t j = 0; j < t->n; j++) {
            if (t->pos[j] >> c != g) continue;
            if (!any) memset(row, 0, len * sizeof *row);
            any = true;
            size_t at = (size_t)(t->pos[j] & (len - 1));
            row[at] = m31_add(row[at], t->w[j].v[k]);
        }
        if (!any) continue;
        t->be->fft_transpose(t->be, row, t->code->tw[g], c);
        for (size_t i = 0; i < len; i++) sum[i] = m31_add(sum[i], row[i]);
    }
}

assay_status assay_code_transpose(const assay_code *code, const assay_backend *be, assay_kvec *phi, const uint64_t *pos,
                                  const kel *w, size_t n)
{
    transpose_job t = {code, be, phi, pos, w, n, NULL};
    t.scratch = (uint32_t *)assay_mem_alloc_raw((size_t)K_COORDINATES << code->c, sizeof *t.scratch);
    if (!t.scratch) return ASSAY_ENOMEM;
    assay_pool_run(be->pool, K_COORDINATES, transpose_coordinate, &t);
    assay_mem_free(t.scratch);
    return ASSAY_OK;
}
