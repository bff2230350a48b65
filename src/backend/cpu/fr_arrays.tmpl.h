/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of fr.h over eight-lane vectors (prime_lanes.tmpl.h or prime_ifma.tmpl.h), as a template. Before
 * inclusion: the lanes of FIELD, and FIELD. Defines FIELD_kernel_... ; ntt_lines.tmpl.h needs it and comes after it.
 *
 * The last n mod 8 elements go through a vector of zeros. Bounds: everything that is stored has been a product of
 * numbers below p, less than 2p, or such a product less a number below p, plus p: below 3p. */

#define FR_FN(name) LIMB_JOIN(FIELD, name)
#define FR_V        LIMB_JOIN(FIELD, v)
#define FRV_FN(n)   LIMB_JOIN(FR_V, n)

static inline FR_V FR_FN(kernel_load)(const void *a, size_t left)
{
    FIELD part[ASSAY_FR_LANES];
    if (left >= ASSAY_FR_LANES) return FRV_FN(load)(a);
    memset(part, 0, sizeof part);
    memcpy(part, a, left * sizeof part[0]);
    return FRV_FN(load)(part);
}

static inline void FR_FN(kernel_store)(void *out, FR_V a, size_t left)
{
    FIELD part[ASSAY_FR_LANES];
    a = FRV_FN(canon)(a);
    if (left >= ASSAY_FR_LANES) {
        FRV_FN(store)(out, a);
        return;
    }
    FRV_FN(store)(part, a);
    memcpy(out, part, left * sizeof part[0]);
}

static void FR_FN(kernel_mul)(assay_fr *out, const assay_fr *a, const assay_fr *b, size_t n)
{
    for (size_t i = 0; i < n; i += ASSAY_FR_LANES) {
        FR_V x = FR_FN(kernel_load)(a + i, n - i), y = FR_FN(kernel_load)(b + i, n - i);
        FR_FN(kernel_store)(out + i, FRV_FN(mul_r)(x, y), n - i);
    }
}

static void FR_FN(kernel_mul_sub)(assay_fr *out, const assay_fr *a, const assay_fr *b, const assay_fr *sub, size_t n)
{
    for (size_t i = 0; i < n; i += ASSAY_FR_LANES) {
        FR_V x = FR_FN(kernel_load)(a + i, n - i), y = FR_FN(kernel_load)(b + i, n - i);
        FR_V z = FR_FN(kernel_load)(sub + i, n - i);
        FR_FN(kernel_store)(out + i, FRV_FN(sub)(FRV_FN(mul_r)(x, y), z, 1), n - i);
    }
}

/* s g^i of eight lanes goes on by g^8. */
static void FR_FN(kernel_powers)(assay_fr *x, assay_fr s, assay_fr g, size_t n)
{
    FIELD first[ASSAY_FR_LANES], power, ratio;
    memcpy(&power, &s, sizeof power);
    memcpy(&ratio, &g, sizeof ratio);
    for (int i = 0; i < ASSAY_FR_LANES; i++) {
        first[i] = power;
        power = FR_FN(mul)(power, ratio);
    }
    for (int i = 1; i < ASSAY_FR_LANES; i *= 2) ratio = FR_FN(sqr)(ratio);
    FR_V at = FRV_FN(raise)(FRV_FN(load)(first)), on = FRV_FN(raise)(FRV_FN(set1)(ratio));
    for (size_t i = 0; i < n; i += ASSAY_FR_LANES) {
        FR_FN(kernel_store)(x + i, FRV_FN(mul)(at, FR_FN(kernel_load)(x + i, n - i)), n - i);
        at = FRV_FN(mul)(at, on);
    }
}

static void FR_FN(kernel_to_scalars)(assay_scalar *out, const assay_fr *a, size_t n)
{
    for (size_t i = 0; i < n; i += ASSAY_FR_LANES)
        FR_FN(kernel_store)(out + i, FRV_FN(to_integers)(FR_FN(kernel_load)(a + i, n - i)), n - i);
}

static void FR_FN(kernel_from_scalars)(assay_fr *out, const assay_scalar *a, size_t n)
{
    for (size_t i = 0; i < n; i += ASSAY_FR_LANES)
        FR_FN(kernel_store)(out + i, FRV_FN(from_integers)(FR_FN(kernel_load)(a + i, n - i)), n - i);
}

static void FR_FN(kernel_splats)(void *out, const assay_fr *a, size_t n)
{
    FRV_FN(splat) *splat = out;
    for (size_t i = 0; i < n; i++) {
        FIELD one;
        memcpy(&one, a + i, sizeof one);
        FRV_FN(to_splat)(splat + i, FRV_FN(canon)(FRV_FN(raise)(FRV_FN(set1)(one))));
    }
}
