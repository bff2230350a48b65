/* SPDX-License-Identifier: Apache-2.0 */
/* A pairing-friendly curve as a table of functions, so that what stands above is written once for BN254 and BLS12-381.
 *
 * Forms. An element of the scalar field is an assay_fr: Montgomery form, four limbs, below r. A scalar is four limbs of
 * a plain integer below r. A point is opaque bytes in the reader's memory: affine, `affine_bytes` long, x and then y in
 * Montgomery limbs, all zero for infinity; or Jacobian, `point_bytes` long. On little-endian machines the affine form
 * equals the bytes of key files (LEM of docs/groth16.md). An array of points has no gaps. Everything here works on one
 * value and takes time that depends on it, unless it says otherwise; arrays belong to backend/groups.h. */
#ifndef ASSAY_CURVE_CURVE_H
#define ASSAY_CURVE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ASSAY_FR_LIMBS = 4,
    ASSAY_FR_BYTES = 32,
    ASSAY_FQ_MAX_BYTES = 48,
    ASSAY_FQ_MAX_LIMBS = 6,
    ASSAY_AFFINE_MAX_BYTES = 192, /* G2 of BLS12-381 */
    ASSAY_POINT_MAX_BYTES = 288,
    ASSAY_GT_COORDS = 12
};

typedef enum assay_curve_id { ASSAY_BN254, ASSAY_BLS381, ASSAY_CURVE_COUNT } assay_curve_id;
typedef enum assay_group_id { ASSAY_G1, ASSAY_G2, ASSAY_GROUP_COUNT } assay_group_id;

typedef struct assay_fr {
    uint64_t l[ASSAY_FR_LIMBS];
} assay_fr;

/* Room for any point, aligned. */
typedef union assay_affine {
    uint64_t l[ASSAY_AFFINE_MAX_BYTES / 8];
    uint8_t b[ASSAY_AFFINE_MAX_BYTES];
} assay_affine;
typedef union assay_point {
    uint64_t l[ASSAY_POINT_MAX_BYTES / 8];
    uint8_t b[ASSAY_POINT_MAX_BYTES];
} assay_point;

/* One of the two groups. Outputs may be inputs. */
typedef struct assay_group {
    assay_curve_id curve;
    assay_group_id id;
    size_t coord_bytes;  /* of x: one element of Fq, or two (G2) */
    size_t affine_bytes; /* 2 coord_bytes */
    size_t point_bytes;  /* 3 coord_bytes */

    /* Affine points from and to bytes. Each returns false, and writes infinity, for a coordinate that is not below q,
     * and looks at nothing else: not at the curve. lem  x | y, little-endian Montgomery, infinity all zero (snarkjs) be
     * x | y, big-endian plain, of G2 the second component first, no flags; infinity all zero (the body of the zcash
     *        encoding) */
    bool (*from_lem)(void *affine, const uint8_t *bytes);
    void (*to_lem)(uint8_t *bytes, const void *affine);
    bool (*from_be)(void *affine, const uint8_t *bytes);
    void (*to_be)(uint8_t *bytes, const void *affine);
    /* y from x (big-endian, as in `be`) and whether y is the larger of the two roots (zcash: compared from the second
     * component on); false when x is not below q or no point of the curve has it. */
    bool (*from_x)(void *affine, const uint8_t *bytes, bool high);
    bool (*y_is_high)(const void *affine);

    bool (*affine_is_infinity)(const void *affine);
    bool (*on_curve)(const void *affine); /* infinity is */
    bool (*in_group)(const void *affine); /* on the curve, and of order r or infinity; at most 150 point operations */
    void (*affine_neg)(void *out, const void *affine);
    void (*generator)(void *affine);

    void (*infinity)(void *point);
    bool (*is_infinity)(const void *point);
    void (*from_affine)(void *point, const void *affine);
    void (*to_affine)(void *affine, const void *point); /* one inversion */
    void (*neg)(void *out, const void *point);
    void (*dbl)(void *out, const void *a);
    void (*add)(void *out, const void *a, const void *b);
    void (*add_affine)(void *out, const void *a, const void *affine);
    bool (*equal)(const void *a, const void *b);
    void (*mul)(void *out, const void *affine, const uint64_t scalar[ASSAY_FR_LIMBS]);
    /* sum_i k[i] P_i over n affine points, for public k: 32 doublings and 55 additions a term when there are many. Sums
     * of thousands belong to backend/groups.h. */
    void (*sum)(void *out, const void *affine, const uint64_t (*k)[ASSAY_FR_LIMBS], size_t n);
} assay_group;

typedef struct assay_curve {
    assay_curve_id id;
    const char *name;  /* as snarkjs has it: "bn128", "bls12381" */
    const char *title; /* "BN254", "BLS12-381" */
    size_t fq_bytes;   /* 32, 48 */
    unsigned fq_limbs;
    const uint64_t *fq_modulus, *fr_modulus;
    unsigned two_adicity; /* of r - 1: 28, 32 */
    assay_group group[ASSAY_GROUP_COUNT];

    /* The scalar field. Constant time but for fr_pow. */
    assay_fr (*fr_add)(assay_fr a, assay_fr b);
    assay_fr (*fr_sub)(assay_fr a, assay_fr b);
    assay_fr (*fr_mul)(assay_fr a, assay_fr b);
    assay_fr (*fr_inv)(assay_fr a); /* 0 for 0 */
    assay_fr (*fr_from_u64)(uint64_t v);
    assay_fr (*fr_from_limbs)(const uint64_t v[ASSAY_FR_LIMBS]); /* v < r */
    void (*fr_to_limbs)(uint64_t v[ASSAY_FR_LIMBS], assay_fr a);
    /* 32 bytes of the plain integer (big: highest byte first); false, and zero, when it is not below r. */
    bool (*fr_from_bytes)(assay_fr *a, const uint8_t *bytes, bool big);
    void (*fr_to_bytes)(uint8_t *bytes, assay_fr a, bool big);
    /* 2^k-th root of unity, k <= two_adicity: 5^((r - 1) / 2^k), as circom and snarkjs take it on both curves. */
    assay_fr (*fr_root)(unsigned k);

    /* Whether the product of e(p[i], q[i]) is 1. p, q: arrays of affine points of the groups, not checked here;
     * infinity counts as 1. */
    bool (*pairing_product_is_one)(const void *p, const void *q, size_t n);
    /* The 12 coordinates of e(p, q) over Fq, plain big-endian, fq_bytes each, in the order c[i][j][k] of
     * ((i of w) (j of v) (k of u)), as vk_alphabeta_12 of snarkjs has them. Several ms. */
    void (*pairing)(uint8_t *coords, const void *p, const void *q);
} assay_curve;

/* NULL for no curve of that number. There is a table for each kind of processor, equal bit for bit: curves are the same
 * when their ids are. */
const assay_curve *assay_curve_get(assay_curve_id id);
/* By a name: bn128, bn254, alt_bn128, bls12381, bls12-381, bls12_381. NULL if unknown. */
const assay_curve *assay_curve_by_name(const char *name);
/* By the modulus of the scalar field, or of the coordinates, n little-endian bytes. NULL if unknown. */
const assay_curve *assay_curve_by_fr(const uint8_t *modulus, size_t n);
const assay_curve *assay_curve_by_fq(const uint8_t *modulus, size_t n);

static inline const assay_group *assay_curve_group(const assay_curve *c, assay_group_id g)
{
    return &c->group[g];
}

#endif
