/* SPDX-License-Identifier: Apache-2.0 */
/* The circle code (docs/protocol.md, "Code"): message of 2^c words, codeword of 2^(c + log_rate) words. */
#ifndef ASSAY_COMMIT_CODE_H
#define ASSAY_COMMIT_CODE_H

#include "backend/backend.h"
#include "base/status.h"
#include "field/k.h"

typedef struct assay_code {
    unsigned c, log_rate;
    uint32_t *tw[16]; /* tw[g]: twiddles of group g, 2^c words laid out as backend fft wants them */
} assay_code;

/* 1 <= c, c + log_rate <= 30, 1 <= log_rate <= 4. */
ASSAY_MUST_USE assay_status assay_code_new(assay_code **code, unsigned c, unsigned log_rate, assay_errinfo *err);
void assay_code_free(assay_code *code);

/* Codeword positions g 2^c .. (g+1) 2^c - 1 of one row: out[2^c] from msg[2^c]. */
void assay_code_encode_group(const assay_code *code, const assay_backend *be, unsigned g, uint32_t *out,
                             const uint32_t *msg);

/* The same, only for n blocks of 2^log_block positions (ascending numbers within the group); other words of out get no
 * meaning. On the caller's thread. */
void assay_code_encode_blocks(const assay_code *code, const assay_backend *be, unsigned g, unsigned log_block,
                              const uint64_t *blocks, size_t n, uint32_t *out, const uint32_t *msg);

/* phi += sum_j w_j functional(pos_j): the transposed encoding of a sparse K-vector, all 6 coordinates. phi has 2^c
 * elements. */
ASSAY_MUST_USE assay_status assay_code_transpose(const assay_code *code, const assay_backend *be, assay_kvec *phi,
                                                 const uint64_t *pos, const kel *w, size_t n);

/* ---- for the verifier (code_params.c: no tables, libc only) */
/* The c basis variables at a position: codeword[pos] = sum_b msg[b] prod_i vars[i]^(b_i). */
void assay_code_vars(unsigned c, unsigned log_rate, uint64_t pos, uint32_t *vars);
/* prod_i (1 - z_i + z_i vars[i]): the functional's multilinear extension at z. */
kel assay_code_functional_at(unsigned c, const uint32_t *vars, const kel *z);

#endif
