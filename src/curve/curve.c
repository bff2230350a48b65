/* SPDX-License-Identifier: Apache-2.0 */
/* Which curve is meant. */
#include "curve/curve.h"
#include "curve/curves.h"
#include "field/limbs.h"
#include <string.h>

static const assay_curve *const curves[ASSAY_CURVE_COUNT] = {&assay_curve_bn254, &assay_curve_bls381};

static const struct {
    const char *name;
    assay_curve_id id;
} names[] = {{"bn128", ASSAY_BN254},     {"bn254", ASSAY_BN254},      {"alt_bn128", ASSAY_BN254},
             {"bls12381", ASSAY_BLS381}, {"bls12-381", ASSAY_BLS381}, {"bls12_381", ASSAY_BLS381}};

const assay_curve *assay_curve_get(assay_curve_id id)
{
    return (unsigned)id < ASSAY_CURVE_COUNT ? curves[id] : NULL;
}

const assay_curve *assay_curve_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0) return curves[names[i].id];
    return NULL;
}

static bool same(const uint64_t *limbs, size_t n_limbs, const uint8_t *bytes, size_t n)
{
    uint8_t mine[ASSAY_FQ_MAX_BYTES];
    if (n != n_limbs * LIMB_BYTES) return false;
    limbs_to_bytes(mine, limbs, (int)n_limbs, false);
    return memcmp(mine, bytes, n) == 0;
}

const assay_curve *assay_curve_by_fr(const uint8_t *modulus, size_t n)
{
    for (size_t i = 0; i < ASSAY_CURVE_COUNT; i++)
        if (same(curves[i]->fr_modulus, ASSAY_FR_LIMBS, modulus, n)) return curves[i];
    return NULL;
}

const assay_curve *assay_curve_by_fq(const uint8_t *modulus, size_t n)
{
    for (size_t i = 0; i < ASSAY_CURVE_COUNT; i++)
        if (same(curves[i]->fq_modulus, curves[i]->fq_limbs, modulus, n)) return curves[i];
    return NULL;
}
