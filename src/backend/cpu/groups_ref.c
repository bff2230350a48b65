/* SPDX-License-Identifier: Apache-2.0 */
/* The plain reference of backend/groups.h: one value after the other, by the functions of the curve's table. It defines
 * what the others must equal. */
#include "backend/cpu/groups.h"
#include "base/mem.h"
#include <string.h>

static void fr_mul(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                   const assay_fr *b, size_t n)
{
    (void)be;
    for (size_t i = 0; i < n; i++) out[i] = c->fr_mul(a[i], b[i]);
}

static void fr_mul_sub(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                       const assay_fr *b, const assay_fr *sub, size_t n)
{
    (void)be;
    for (size_t i = 0; i < n; i++) out[i] = c->fr_sub(c->fr_mul(a[i], b[i]), sub[i]);
}

static void fr_powers(const assay_group_backend *be, const assay_curve *c, assay_fr *x, assay_fr s, assay_fr g,
                      size_t n)
{
    (void)be;
    for (size_t i = 0; i < n; i++, s = c->fr_mul(s, g)) x[i] = c->fr_mul(x[i], s);
}

static void fr_to_scalars(const assay_group_backend *be, const assay_curve *c, assay_scalar *out, const assay_fr *a,
                          size_t n)
{
    (void)be;
    for (size_t i = 0; i < n; i++) c->fr_to_limbs(out[i], a[i]);
}

static void fr_from_scalars(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_scalar *a,
                            size_t n)
{
    (void)be;
    for (size_t i = 0; i < n; i++) out[i] = c->fr_from_limbs(a[i]);
}

/* ---- NTT */

struct assay_ntt {
    const assay_curve *curve;
    unsigned k;
};

static assay_status ntt_new(const assay_group_backend *be, assay_ntt **t, const assay_curve *c, unsigned k,
                            assay_errinfo *err)
{
    (void)be;
    *t = NULL;
    if (k > c->two_adicity) return ASSAY_FAIL(err, ASSAY_EINVAL, "ntt", "the field has no root of unity of this order");
    assay_ntt *n = assay_mem_alloc(1, sizeof *n);
    if (!n) return ASSAY_FAIL(err, ASSAY_ENOMEM, "ntt", "out of memory");
    n->curve = c;
    n->k = k;
    *t = n;
    return ASSAY_OK;
}

static void ntt_free(assay_ntt *t)
{
    assay_mem_free(t);
}

/* Cooley and Tukey: bits of the index reversed, then stages of growing length over the root w of order 2^k. */
static void transform(const assay_curve *c, assay_fr *x, unsigned k, assay_fr w)
{
    size_t n = (size_t)1 << k;
    for (size_t i = 0, j = 0; i < n; i++) {
        if (i < j) {
            assay_fr t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
        for (size_t bit = n >> 1; bit && ((j ^= bit) & bit) == 0; bit >>= 1) continue;
    }
    for (unsigned s = 0; s < k; s++) {
        assay_fr root = w;
        for (unsigned i = s + 1; i < k; i++) root = c->fr_mul(root, root);
        size_t half = (size_t)1 << s;
        for (size_t at = 0; at < n; at += 2 * half) {
            assay_fr t = c->fr_from_u64(1);
            for (size_t i = at; i < at + half; i++, t = c->fr_mul(t, root)) {
                assay_fr b = c->fr_mul(x[i + half], t);
                x[i + half] = c->fr_sub(x[i], b);
                x[i] = c->fr_add(x[i], b);
            }
        }
    }
}

void assay_ntt_ref_forward(const assay_group_backend *be, const assay_curve *c, unsigned k, assay_fr *x,
                           const assay_fr *shift)
{
    if (shift) fr_powers(be, c, x, c->fr_from_u64(1), *shift, (size_t)1 << k);
    transform(c, x, k, c->fr_root(k));
}

void assay_ntt_ref_inverse(const assay_group_backend *be, const assay_curve *c, unsigned k, assay_fr *x,
                           const assay_fr *shift)
{
    size_t n = (size_t)1 << k;
    assay_fr one = c->fr_from_u64(1);
    transform(c, x, k, c->fr_inv(c->fr_root(k)));
    fr_powers(be, c, x, c->fr_inv(c->fr_from_u64(n)), shift ? c->fr_inv(*shift) : one, n);
}

static void ntt_forward(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift)
{
    assay_ntt_ref_forward(be, t->curve, t->k, x, shift);
}

static void ntt_inverse(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift)
{
    assay_ntt_ref_inverse(be, t->curve, t->k, x, shift);
}

static void ntt_extend(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, assay_fr shift)
{
    ntt_inverse(be, t, x, NULL);
    ntt_forward(be, t, x, &shift);
}

/* Modulo X^(n / m) - s^(n / m), which is 0 on all of s w^(mj). */
static void ntt_part(const assay_group_backend *be, const assay_ntt *t, const assay_ntt *fewer, assay_fr *x, assay_fr s)
{
    const assay_curve *c = t->curve;
    const size_t n = (size_t)1 << t->k, left = (size_t)1 << fewer->k;
    assay_fr value = s;
    for (unsigned i = 0; i < fewer->k; i++) value = c->fr_mul(value, value);
    ntt_inverse(be, t, x, NULL);
    for (size_t i = n - left; i-- > 0;) x[i] = c->fr_add(x[i], c->fr_mul(value, x[i + left]));
    ntt_forward(be, fewer, x, &s);
}

static size_t ntt_bytes(const assay_group_backend *be, const assay_curve *c, unsigned k)
{
    (void)be, (void)c, (void)k;
    return sizeof(struct assay_ntt);
}

/* ---- sums of multiples */

struct assay_msm {
    const assay_group *group;
    assay_point sum;
};

static assay_status msm_new(const assay_group_backend *be, assay_msm **m, const assay_curve *c, assay_group_id g,
                            size_t n, size_t max_bytes, assay_errinfo *err)
{
    (void)be, (void)n;
    *m = NULL;
    if (max_bytes && max_bytes < sizeof **m) return ASSAY_FAIL(err, ASSAY_ENOMEM, "msm", "more memory than allowed");
    assay_msm *r = assay_mem_alloc(1, sizeof *r);
    if (!r) return ASSAY_FAIL(err, ASSAY_ENOMEM, "msm", "out of memory");
    r->group = &c->group[g];
    r->group->infinity(&r->sum);
    *m = r;
    return ASSAY_OK;
}

static assay_status msm_add(assay_msm *m, const void *points, const assay_scalar *scalars, size_t n,
                            const assay_progress *progress, assay_errinfo *err)
{
    const assay_group *g = m->group;
    for (size_t i = 0; i < n; i++) {
        assay_point t;
        if (i % 4096 == 0) {
            assay_status st = assay_progress_tell_count(progress, "sum of multiples", i, n, err);
            if (st) return st;
        }
        g->mul(&t, (const uint8_t *)points + i * g->affine_bytes, scalars[i]);
        g->add(&m->sum, &m->sum, &t);
    }
    return ASSAY_OK;
}

static assay_status msm_finish(assay_msm *m, void *point, assay_errinfo *err)
{
    (void)err;
    memcpy(point, &m->sum, m->group->point_bytes);
    return ASSAY_OK;
}

static void msm_free(assay_msm *m)
{
    assay_mem_free_secret(m, sizeof *m);
}

static size_t msm_bytes(const assay_group_backend *be, const assay_curve *c, assay_group_id g, size_t n)
{
    (void)be, (void)c, (void)g, (void)n;
    return sizeof(struct assay_msm);
}

static assay_status fixed_base(const assay_group_backend *be, const assay_curve *c, assay_group_id g, void *out,
                               const void *affine, const assay_scalar *k, size_t n, const assay_progress *progress,
                               assay_errinfo *err)
{
    const assay_group *group = &c->group[g];
    (void)be;
    for (size_t i = 0; i < n; i++) {
        assay_point t;
        if (i % 4096 == 0) {
            assay_status st = assay_progress_tell_count(progress, "multiples of a point", i, n, err);
            if (st) return st;
        }
        group->mul(&t, affine, k[i]);
        group->to_affine((uint8_t *)out + i * group->affine_bytes, &t);
    }
    return ASSAY_OK;
}

void assay_group_backend_ref_init(assay_group_backend *be, assay_pool *pool)
{
    static const assay_group_backend ref = {
        .name = "ref",
        .fr_mul = fr_mul,
        .fr_mul_sub = fr_mul_sub,
        .fr_powers = fr_powers,
        .fr_to_scalars = fr_to_scalars,
        .fr_from_scalars = fr_from_scalars,
        .ntt_new = ntt_new,
        .ntt_free = ntt_free,
        .ntt_forward = ntt_forward,
        .ntt_inverse = ntt_inverse,
        .ntt_extend = ntt_extend,
        .ntt_part = ntt_part,
        .ntt_bytes = ntt_bytes,
        .msm_new = msm_new,
        .msm_add = msm_add,
        .msm_finish = msm_finish,
        .msm_free = msm_free,
        .msm_bytes = msm_bytes,
        .fixed_base = fixed_base,
    };
    *be = ref;
    be->pool = pool;
}
