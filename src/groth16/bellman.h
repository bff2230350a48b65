/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs, verification keys and parameters of bellman and bellperson (Filecoin), on BLS12-381: points in the encoding
 * of zcash (big-endian, of G2 the second component first, three flags in the top bits), counts as u32 big-endian. */
#ifndef ASSAY_GROTH16_BELLMAN_H
#define ASSAY_GROTH16_BELLMAN_H

#include "base/bytes.h"
#include "groth16/points.h"
#include "groth16/vk.h"

enum { ASSAY_BELLMAN_PROOF_BYTES = 192 }; /* 48 + 96 + 48 */

/* A point of n bytes: compressed when n = coord_bytes, not when n = affine_bytes. NULL, or what is wrong with it
 * (static text): flags, a coordinate not below q, an infinity with other bits set, or what `check` asks. Only the one
 * canonical encoding of a point passes. */
const char *assay_zcash_decode(void *affine, const uint8_t *bytes, size_t n, const assay_group *g,
                               assay_point_check check);
void assay_zcash_encode(uint8_t *bytes, size_t n, const void *affine, const assay_group *g);

/* A proof of exactly 192 bytes: each point of order r and not infinity. ASSAY_EFORMAT, ASSAY_ERANGE. */
ASSAY_MUST_USE assay_status assay_bellman_proof_decode(assay_proof *proof, const char *name, const void *p, size_t n,
                                                       assay_errinfo *err);
void assay_bellman_proof_encode(uint8_t out[ASSAY_BELLMAN_PROOF_BYTES], const assay_proof *proof);

/* How many public values a .vk file of n bytes is for; UINT64_MAX when none has that length. */
uint64_t assay_bellman_vk_values(size_t n);
/* A .vk file, whole: alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, u32 count, IC. All points checked as
 * assay_vk_check does, beta_g1 and delta_g1 too, in time that grows with IC. Cleared on failure. */
ASSAY_MUST_USE assay_status assay_bellman_vk_parse(assay_vk *vk, const char *name, const void *p, size_t n,
                                                   assay_errinfo *err);

/* A .params file: a .vk and then h, l, a, b_g1, b_g2. Only places and counts are read; the points stay in the file. */
enum { ASSAY_PARAMS_H, ASSAY_PARAMS_L, ASSAY_PARAMS_A, ASSAY_PARAMS_B_G1, ASSAY_PARAMS_B_G2, ASSAY_PARAMS_PARTS };
typedef struct assay_bellman_params {
    assay_source source;
    assay_vk vk;
    uint64_t at[ASSAY_PARAMS_PARTS]; /* of the first point */
    uint32_t n[ASSAY_PARAMS_PARTS];
} assay_bellman_params;

/* Opens and checks that the parts fill the file exactly. Memory: the points of IC. Closed on failure. */
ASSAY_MUST_USE assay_status assay_bellman_params_open(assay_bellman_params *b, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_bellman_params_of(assay_bellman_params *b, const char *name, const void *p, size_t n,
                                                    assay_errinfo *err);
void assay_bellman_params_close(assay_bellman_params *b);
const char *assay_bellman_part_name(unsigned part);
/* Points [first, first + n) of a part. n = 0 is fine. */
ASSAY_MUST_USE assay_status assay_bellman_params_points(void *out, const assay_bellman_params *b, unsigned part,
                                                        uint32_t first, size_t n, assay_point_check check,
                                                        assay_errinfo *err);

#endif
