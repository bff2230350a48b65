/* SPDX-License-Identifier: Apache-2.0 */
/* The assay_curve (curve.h) of one curve, as a template. Before inclusion: its headers (bn254.h, bn254_member.h,
 * bn254_pairing.h), and CURVE_TABLE, its name; CURVE, FQ, FR, prefixes of names; FQ_BIG, FR_BIG, those of the fields'
 * constants; CURVE_ID, CURVE_NAME, CURVE_TITLE. They are undefined at the end. Square roots: q = 3 mod 4, so a^((q + 1)
 * / 4); in Fq2 by the norm (Adj and Rodriguez-Henriquez, "Square root computation over even extension fields", 2014,
 * the complex method). */

#define CT_FN(name) LIMB_JOIN(CURVE, name)
#define CQ_FN(name) LIMB_JOIN(FQ, name)
#define CR_FN(name) LIMB_JOIN(FR, name)
#define CT_FQ2      CT_FN(fq2)
#define C2_FN(name) LIMB_JOIN(CT_FQ2, name)

static bool CQ_FN(lem)(FQ *out, const uint8_t *bytes)
{
    return CQ_FN(from_mont_bytes)(out, bytes);
}

static bool CQ_FN(be)(FQ *out, const uint8_t *bytes)
{
    return CQ_FN(from_bytes)(out, bytes, true);
}

static void CQ_FN(to_be)(uint8_t *bytes, FQ a)
{
    CQ_FN(to_bytes)(bytes, a, true);
}

/* False, and no root, when there is none. */
static bool CQ_FN(sqrt)(FQ *root, FQ a)
{
    static const uint64_t e[] = LIMB_JOIN(FQ_BIG, SQRT_EXP);
    *root = CQ_FN(pow)(a, e, sizeof e / sizeof e[0]);
    return CQ_FN(equal)(CQ_FN(sqr)(*root), a);
}

static bool C2_FN(lem)(CT_FQ2 *out, const uint8_t *bytes)
{
    return CQ_FN(lem)(&out->c[0], bytes) && CQ_FN(lem)(&out->c[1], bytes + sizeof(FQ));
}

static void C2_FN(to_lem)(uint8_t *bytes, CT_FQ2 a)
{
    CQ_FN(to_mont_bytes)(bytes, a.c[0]);
    CQ_FN(to_mont_bytes)(bytes + sizeof(FQ), a.c[1]);
}

static bool C2_FN(be)(CT_FQ2 *out, const uint8_t *bytes)
{
    return CQ_FN(be)(&out->c[1], bytes) && CQ_FN(be)(&out->c[0], bytes + sizeof(FQ));
}

static void C2_FN(to_be)(uint8_t *bytes, CT_FQ2 a)
{
    CQ_FN(to_be)(bytes, a.c[1]);
    CQ_FN(to_be)(bytes + sizeof(FQ), a.c[0]);
}

static bool C2_FN(is_high)(CT_FQ2 a)
{
    return CQ_FN(is_zero)(a.c[1]) ? CQ_FN(is_high)(a.c[0]) : CQ_FN(is_high)(a.c[1]);
}

/* With x = x0 + x1 u and x^2 = a: x0^2 = (a0 +- |a|) / 2, |a|^2 the norm, and x1 = a1 / (2 x0); x0 = 0 only when a1 =
 * 0. */
static bool C2_FN(sqrt)(CT_FQ2 *root, CT_FQ2 a)
{
    FQ s, t, zero = CQ_FN(zero)(), half = CQ_FN(inv)(CQ_FN(dbl)(CQ_FN(one)()));
    if (CQ_FN(is_zero)(a.c[1])) {
        bool real = CQ_FN(sqrt)(&s, a.c[0]);
        if (!real && !CQ_FN(sqrt)(&s, CQ_FN(neg)(a.c[0]))) return false;
        *root = real ? C2_FN(make)(s, zero) : C2_FN(make)(zero, s);
        return true;
    }
    if (!CQ_FN(sqrt)(&s, CQ_FN(add)(CQ_FN(sqr)(a.c[0]), CQ_FN(sqr)(a.c[1])))) return false;
    if (!CQ_FN(sqrt)(&t, CQ_FN(mul)(half, CQ_FN(add)(a.c[0], s))) &&
        !CQ_FN(sqrt)(&t, CQ_FN(mul)(half, CQ_FN(sub)(a.c[0], s))))
        return false;
    *root = C2_FN(make)(t, CQ_FN(mul)(a.c[1], CQ_FN(inv)(CQ_FN(dbl)(t))));
    return C2_FN(equal)(C2_FN(sqr)(*root), a);
}

#define GROUP              CT_FN(g1)
#define GCOORD             FQ
#define GROUP_COORD_LEM    CQ_FN(lem)
#define GROUP_COORD_TO_LEM CQ_FN(to_mont_bytes)
#define GROUP_COORD_BE     CQ_FN(be)
#define GROUP_COORD_TO_BE  CQ_FN(to_be)
#define GROUP_COORD_SQRT   CQ_FN(sqrt)
#define GROUP_COORD_HIGH   CQ_FN(is_high)
#define GROUP_B            CT_FN(b)()
#define GROUP_GENERATOR    CT_FN(g1_generator)()
#define GROUP_MEMBER       CT_FN(g1_member)
#include "curve/curve_group.tmpl.h"

#define GROUP              CT_FN(g2)
#define GCOORD             CT_FQ2
#define GROUP_COORD_LEM    C2_FN(lem)
#define GROUP_COORD_TO_LEM C2_FN(to_lem)
#define GROUP_COORD_BE     C2_FN(be)
#define GROUP_COORD_TO_BE  C2_FN(to_be)
#define GROUP_COORD_SQRT   C2_FN(sqrt)
#define GROUP_COORD_HIGH   C2_FN(is_high)
#define GROUP_B            CT_FN(b2)()
#define GROUP_GENERATOR    CT_FN(g2_generator)()
#define GROUP_MEMBER       CT_FN(g2_member)
#include "curve/curve_group.tmpl.h"

/* The scalar field: assay_fr has the same limbs as FR. */
static FR CR_FN(of)(assay_fr a)
{
    FR r;
    memcpy(&r, &a, sizeof r);
    return r;
}

static assay_fr CR_FN(as)(FR a)
{
    assay_fr r;
    memcpy(&r, &a, sizeof r);
    return r;
}

static assay_fr CR_FN(t_add)(assay_fr a, assay_fr b)
{
    return CR_FN(as)(CR_FN(add)(CR_FN(of)(a), CR_FN(of)(b)));
}

static assay_fr CR_FN(t_sub)(assay_fr a, assay_fr b)
{
    return CR_FN(as)(CR_FN(sub)(CR_FN(of)(a), CR_FN(of)(b)));
}

static assay_fr CR_FN(t_mul)(assay_fr a, assay_fr b)
{
    return CR_FN(as)(CR_FN(mul)(CR_FN(of)(a), CR_FN(of)(b)));
}

static assay_fr CR_FN(t_inv)(assay_fr a)
{
    return CR_FN(as)(CR_FN(inv)(CR_FN(of)(a)));
}

static assay_fr CR_FN(t_from_u64)(uint64_t v)
{
    return CR_FN(as)(CR_FN(from_u64)(v));
}

static assay_fr CR_FN(t_from_limbs)(const uint64_t v[ASSAY_FR_LIMBS])
{
    return CR_FN(as)(CR_FN(from_limbs)(v));
}

static void CR_FN(t_to_limbs)(uint64_t v[ASSAY_FR_LIMBS], assay_fr a)
{
    CR_FN(to_limbs)(v, CR_FN(of)(a));
}

static bool CR_FN(t_from_bytes)(assay_fr *a, const uint8_t *bytes, bool big)
{
    FR v;
    bool ok = CR_FN(from_bytes)(&v, bytes, big);
    *a = CR_FN(as)(v);
    return ok;
}

static void CR_FN(t_to_bytes)(uint8_t *bytes, assay_fr a, bool big)
{
    CR_FN(to_bytes)(bytes, CR_FN(of)(a), big);
}

static assay_fr CR_FN(t_root)(unsigned k)
{
    static const FR root = {LIMB_JOIN(FR_BIG, ROOT)};
    FR w = root;
    for (unsigned i = k; i < LIMB_JOIN(FR_BIG, TWO_ADICITY); i++) w = CR_FN(sqr)(w);
    return CR_FN(as)(w);
}

static bool CT_FN(product_is_one)(const void *p, const void *q, size_t n)
{
    return CT_FN(pairing_product_is_one)(p, q, n);
}

static void CT_FN(pairing_coords)(uint8_t *coords, const void *p, const void *q)
{
    CT_FN(fq12) e;
    CT_FN(pairing)(&e, p, q);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++, coords += sizeof(FQ)) CQ_FN(to_be)(coords, e.c[i].c[j].c[k]);
}

#define GROUP_OP(g, name) LIMB_JOIN(g, LIMB_JOIN(op, name))
#define GROUP_TABLE(g, id, coord)                                                                                      \
    {                                                                                                                  \
        CURVE_ID, id, sizeof(coord), 2 * sizeof(coord), 3 * sizeof(coord), GROUP_OP(g, from_lem), GROUP_OP(g, to_lem), \
            GROUP_OP(g, from_be), GROUP_OP(g, to_be), GROUP_OP(g, from_x), GROUP_OP(g, y_is_high),                     \
            GROUP_OP(g, affine_is_infinity), GROUP_OP(g, on_curve), GROUP_OP(g, in_group), GROUP_OP(g, affine_neg),    \
            GROUP_OP(g, generator), GROUP_OP(g, infinity), GROUP_OP(g, is_infinity), GROUP_OP(g, from_affine),         \
            GROUP_OP(g, to_affine), GROUP_OP(g, neg), GROUP_OP(g, dbl), GROUP_OP(g, add), GROUP_OP(g, add_affine),     \
            GROUP_OP(g, equal), GROUP_OP(g, mul), GROUP_OP(g, sum)                                                     \
    }

const assay_curve CURVE_TABLE = {
    .id = CURVE_ID,
    .name = CURVE_NAME,
    .title = CURVE_TITLE,
    .fq_bytes = sizeof(FQ),
    .fq_limbs = sizeof(FQ) / LIMB_BYTES,
    .fq_modulus = CQ_FN(modulus),
    .fr_modulus = CR_FN(modulus),
    .two_adicity = LIMB_JOIN(FR_BIG, TWO_ADICITY),
    .group = {[ASSAY_G1] = GROUP_TABLE(CT_FN(g1), ASSAY_G1, FQ), [ASSAY_G2] = GROUP_TABLE(CT_FN(g2), ASSAY_G2, CT_FQ2)},
    .fr_add = CR_FN(t_add),
    .fr_sub = CR_FN(t_sub),
    .fr_mul = CR_FN(t_mul),
    .fr_inv = CR_FN(t_inv),
    .fr_from_u64 = CR_FN(t_from_u64),
    .fr_from_limbs = CR_FN(t_from_limbs),
    .fr_to_limbs = CR_FN(t_to_limbs),
    .fr_from_bytes = CR_FN(t_from_bytes),
    .fr_to_bytes = CR_FN(t_to_bytes),
    .fr_root = CR_FN(t_root),
    .pairing_product_is_one = CT_FN(product_is_one),
    .pairing = CT_FN(pairing_coords),
};

#undef GROUP_OP
#undef GROUP_TABLE
#undef CT_FN
#undef CQ_FN
#undef CR_FN
#undef CT_FQ2
#undef C2_FN
#undef CURVE
#undef FQ
#undef FR
#undef FQ_BIG
#undef FR_BIG
#undef CURVE_ID
#undef CURVE_NAME
#undef CURVE_TITLE
#undef CURVE_TABLE
