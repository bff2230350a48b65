/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of one assay_group (curve.h) over a group of point.tmpl.h, as a template. Before inclusion: GROUP, the
 * prefix of the group's names; GCOORD, of its coordinates'; and of the coordinates GROUP_COORD_LEM(out, bytes),
 * GROUP_COORD_TO_LEM(bytes, in), GROUP_COORD_BE, GROUP_COORD_TO_BE, GROUP_COORD_SQRT(root, square),
 * GROUP_COORD_HIGH(a); GROUP_B, the b of the curve; GROUP_GENERATOR, an affine value; GROUP_MEMBER(a), whether a point
 * of the curve has order r or is infinity. They are undefined at the end. */

#define GR_FN(name)  LIMB_JOIN(GROUP, LIMB_JOIN(op, name))
#define GP_FN(name)  LIMB_JOIN(GROUP, name)
#define GC_FN(name)  LIMB_JOIN(GCOORD, name)
#define GR_AFFINE    GP_FN(affine)
#define GR_COORD_LEN sizeof(GCOORD)

static bool GR_FN(from_lem)(void *out, const uint8_t *bytes)
{
    GR_AFFINE a;
    bool ok = GROUP_COORD_LEM(&a.x, bytes) && GROUP_COORD_LEM(&a.y, bytes + GR_COORD_LEN);
    if (!ok) a = GP_FN(affine_infinity)();
    memcpy(out, &a, sizeof a);
    return ok;
}

static void GR_FN(to_lem)(uint8_t *bytes, const void *affine)
{
    const GR_AFFINE *a = affine;
    GROUP_COORD_TO_LEM(bytes, a->x);
    GROUP_COORD_TO_LEM(bytes + GR_COORD_LEN, a->y);
}

static bool GR_FN(from_be)(void *out, const uint8_t *bytes)
{
    GR_AFFINE a;
    bool ok = GROUP_COORD_BE(&a.x, bytes) && GROUP_COORD_BE(&a.y, bytes + GR_COORD_LEN);
    if (!ok) a = GP_FN(affine_infinity)();
    memcpy(out, &a, sizeof a);
    return ok;
}

static void GR_FN(to_be)(uint8_t *bytes, const void *affine)
{
    const GR_AFFINE *a = affine;
    GROUP_COORD_TO_BE(bytes, a->x);
    GROUP_COORD_TO_BE(bytes + GR_COORD_LEN, a->y);
}

static bool GR_FN(from_x)(void *out, const uint8_t *bytes, bool high)
{
    GR_AFFINE a = GP_FN(affine_infinity)();
    GCOORD x;
    bool ok = GROUP_COORD_BE(&x, bytes);
    if (ok) {
        GCOORD y, square = GC_FN(add)(GC_FN(mul)(GC_FN(sqr)(x), x), GROUP_B);
        ok = GROUP_COORD_SQRT(&y, square);
        a.x = x;
        a.y = ok && GROUP_COORD_HIGH(y) != high ? GC_FN(neg)(y) : y;
        if (!ok) a = GP_FN(affine_infinity)();
    }
    memcpy(out, &a, sizeof a);
    return ok;
}

static bool GR_FN(y_is_high)(const void *affine)
{
    const GR_AFFINE *a = affine;
    return GROUP_COORD_HIGH(a->y);
}

static bool GR_FN(affine_is_infinity)(const void *affine)
{
    return GP_FN(affine_is_infinity)(affine);
}

static bool GR_FN(on_curve)(const void *affine)
{
    return GP_FN(on_curve)(affine);
}

static bool GR_FN(in_group)(const void *affine)
{
    return GP_FN(on_curve)(affine) && GROUP_MEMBER(affine);
}

static void GR_FN(affine_neg)(void *out, const void *affine)
{
    *(GR_AFFINE *)out = GP_FN(affine_neg)(affine);
}

static void GR_FN(generator)(void *affine)
{
    *(GR_AFFINE *)affine = GROUP_GENERATOR;
}

static void GR_FN(infinity)(void *point)
{
    *(GROUP *)point = GP_FN(infinity)();
}

static bool GR_FN(is_infinity)(const void *point)
{
    return GP_FN(is_infinity)(point);
}

static void GR_FN(from_affine)(void *point, const void *affine)
{
    *(GROUP *)point = GP_FN(from_affine)(affine);
}

static void GR_FN(to_affine)(void *affine, const void *point)
{
    *(GR_AFFINE *)affine = GP_FN(to_affine)(point);
}

static void GR_FN(neg)(void *out, const void *point)
{
    GROUP a = *(const GROUP *)point;
    a.y = GC_FN(neg)(a.y);
    *(GROUP *)out = a;
}

static void GR_FN(dbl)(void *out, const void *a)
{
    GP_FN(dbl)(out, a);
}

static void GR_FN(add)(void *out, const void *a, const void *b)
{
    GROUP r;
    GP_FN(add)(&r, a, b);
    *(GROUP *)out = r;
}

static void GR_FN(add_affine)(void *out, const void *a, const void *affine)
{
    GROUP r;
    GP_FN(add_affine)(&r, a, affine);
    *(GROUP *)out = r;
}

static bool GR_FN(equal)(const void *a, const void *b)
{
    return GP_FN(equal)(a, b);
}

static void GR_FN(mul)(void *out, const void *affine, const uint64_t scalar[ASSAY_FR_LIMBS])
{
    GROUP r;
    GP_FN(mul_limbs)(&r, affine, scalar, ASSAY_FR_LIMBS);
    *(GROUP *)out = r;
}

static void GR_FN(sum)(void *out, const void *affine, const uint64_t (*k)[ASSAY_FR_LIMBS], size_t n)
{
    GROUP r;
    GP_FN(sum_of)(&r, affine, n ? k[0] : NULL, ASSAY_FR_LIMBS, n);
    *(GROUP *)out = r;
}

#undef GR_FN
#undef GP_FN
#undef GC_FN
#undef GR_AFFINE
#undef GR_COORD_LEN
#undef GROUP
#undef GCOORD
#undef GROUP_COORD_LEM
#undef GROUP_COORD_TO_LEM
#undef GROUP_COORD_BE
#undef GROUP_COORD_TO_BE
#undef GROUP_COORD_SQRT
#undef GROUP_COORD_HIGH
#undef GROUP_B
#undef GROUP_GENERATOR
#undef GROUP_MEMBER
