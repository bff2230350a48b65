/* SPDX-License-Identifier: Apache-2.0 */
/* Which curve is meant, and which table of it runs on this processor. */
#include "curve/curve.h"
#include "base/cpu.h"
#include "base/isa.h"
#include "curve/curves.h"
#include "field/limbs.h"
#include <string.h>

static const assay_curve *const plain[ASSAY_CURVE_COUNT] = {&assay_curve_bn254, &assay_curve_bls381};
static const assay_curve *const adx[ASSAY_CURVE_COUNT] = {ASSAY_X86_FN(&assay_curve_bn254_adx),
                                                          ASSAY_X86_FN(&assay_curve_bls381_adx)};

static const struct {
    const char *name;
    assay_curve_id id;
} names[] = {{"bn128", ASSAY_BN254},     {"bn254", ASSAY_BN254},      {"alt_bn128", ASSAY_BN254},
             {"bls12381", ASSAY_BLS381}, {"bls12-381", ASSAY_BLS381}, {"bls12_381", ASSAY_BLS381}};

const assay_curve *assay_curve_get(assay_curve_id id)
{
    if ((unsigned)id >= ASSAY_CURVE_COUNT) return NULL;
    return adx[id] && assay_cpu_features() & ASSAY_CPU_ADX ? adx[id] : plain[id];
}

const assay_curve *assay_curve_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0) return assay_curve_get(names[i].id);
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
        if (same(plain[i]->fr_modulus, ASSAY_FR_LIMBS, modulus, n)) return assay_curve_get((assay_curve_id)i);
    return NULL;
}

const assay_curve *assay_curve_by_fq(const uint8_t *modulus, size_t n)
{
    for (size_t i = 0; i < ASSAY_CURVE_COUNT; i++)
        if (same(plain[i]->fq_modulus, plain[i]->fq_limbs, modulus, n)) return assay_curve_get((assay_curve_id)i);
    return NULL;
}
