/* SPDX-License-Identifier: Apache-2.0 */
/* Products of F and of K on vectors, for whichever m31_vec_*.h was included before.
 *
 * A product of K is six sums of six products of F. With both factors centred, |c| <= (p-1)/2 < 2^30, a sum of eight
 * products stays below 2^63 in absolute value, so each sum is reduced once. Vector multiplication works on even lanes;
 * factors are kept as their even lanes and their odd lanes moved down (vop). */
#ifndef ASSAY_FIELD_K_VEC_H
#define ASSAY_FIELD_K_VEC_H

#include "base/isa.h"
#include "field/kvec.h"

/* A product of K is too large for compilers to inline of themselves, and a call would pass its factors through memory.
 */
#define VEC_INLINE ASSAY_FORCE_INLINE

/* A centred factor; the high halves of 64-bit lanes are ignored by the multiplier. */
typedef struct vop {
    vec e, o;
} vop;

/* A single product in F doubles one factor, so that the high half of 2ab is the quotient by 2^31 at once. */
VEC_INLINE vop v_twice(vec a)
{
    vec d = v_add32(a, a);
    vop r = {d, v_odd(d)};
    return r;
}
VEC_INLINE vop v_twice_const(uint32_t a)
{
    vec d = v_set1(2 * a);
    vop r = {d, d};
    return r;
}
/* a b, where b2 is b doubled. */
VEC_INLINE vec v_mul(vec a, vop b2)
{
    vec e = v_mul_wide_u(a, b2.e), o = v_mul_wide_u(v_odd(a), b2.o);
    return v_once(v_add32(v_high_halves(e, o), v_srl1(v_low_halves(e, o))));
}

/* A sum of products not yet reduced. */
typedef struct vacc {
    vec e, o;
} vacc;

typedef struct vk {
    vec v[K_WORDS];
} vk;

/* A factor in C: x + i y, and x + y, which still fits 32 bits. */
typedef struct vcop {
    vop x, y, sum;
} vcop;

/* A factor of K ready for multiplication from the left, and from the right also times 2 + i. */
typedef struct vk_left {
    vcop a[3];
} vk_left;
typedef struct vk_right {
    vcop b[3], xb[3]; /* xb[0] is not used */
} vk_right;

VEC_INLINE vk vk_load(const assay_kvec *v, size_t i)
{
    vk r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_load(v->c[j] + i);
    return r;
}
VEC_INLINE void vk_store(assay_kvec *v, size_t i, vk a)
{
    for (int j = 0; j < K_WORDS; j++) v_store(v->c[j] + i, a.v[j]);
}
VEC_INLINE vk vk_set1(kel a)
{
    vk r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_set1(a.v[j]);
    return r;
}
VEC_INLINE vk vk_zero(void)
{
    return vk_set1(k_zero());
}
VEC_INLINE vk vk_add(vk a, vk b)
{
    for (int j = 0; j < K_WORDS; j++) a.v[j] = v_add(a.v[j], b.v[j]);
    return a;
}
VEC_INLINE vk vk_sub(vk a, vk b)
{
    for (int j = 0; j < K_WORDS; j++) a.v[j] = v_sub(a.v[j], b.v[j]);
    return a;
}

VEC_INLINE vop v_operand(vec a)
{
    vec c = v_center(a);
    vop r = {c, v_odd(c)};
    return r;
}
/* The same number in all lanes. */
VEC_INLINE vop v_operand_const(uint32_t a)
{
    vec c = v_center(v_set1(a));
    vop r = {c, c};
    return r;
}

VEC_INLINE vacc vacc_mul(vop a, vop b)
{
    vacc r = {v_mul_wide_s(a.e, b.e), v_mul_wide_s(a.o, b.o)};
    return r;
}
VEC_INLINE vacc vacc_add(vacc s, vacc t)
{
    vacc r = {v_add64(s.e, t.e), v_add64(s.o, t.o)};
    return r;
}
VEC_INLINE vacc vacc_sub(vacc s, vacc t)
{
    vacc r = {v_sub64(s.e, t.e), v_sub64(s.o, t.o)};
    return r;
}

/* A sum s = 2^32 hi + lo of at most eight products, to canonical: 2^32 = 2, hence 2 (hi + lo/2) and the low bit of lo.
 */
VEC_INLINE vec vacc_reduce(vacc s)
{
    vec hi = v_wrap(v_high_halves(s.e, s.o)), lo = v_low_halves(s.e, s.o);
    return v_once(v_double_plus_bit(v_once(v_add32(hi, v_srl1(lo))), lo));
}

VEC_INLINE vcop vc_operand(vop x, vop y)
{
    vcop r = {x, y, {v_add32(x.e, y.e), v_add32(x.o, y.o)}};
    return r;
}

VEC_INLINE vk_left vk_as_left(vk a)
{
    vk_left r;
    for (int j = 0; j < 3; j++) r.a[j] = vc_operand(v_operand(a.v[2 * j]), v_operand(a.v[2 * j + 1]));
    return r;
}

VEC_INLINE vk_right vk_as_right(vk a)
{
    vk_right r;
    for (int j = 0; j < 3; j++) {
        vec x = a.v[2 * j], y = a.v[2 * j + 1];
        r.b[j] = vc_operand(v_operand(x), v_operand(y));
        if (j > 0) r.xb[j] = vc_operand(v_operand(v_sub(v_add(x, x), y)), v_operand(v_add(x, v_add(y, y))));
    }
    return r;
}

VEC_INLINE vk_right vk_const_right(kel a)
{
    vk_right r;
    for (int j = 0; j < 3; j++) {
        cel b = k_part(&a, j), x = c_mul_xi(b);
        r.b[j] = vc_operand(v_operand_const(b.x), v_operand_const(b.y));
        r.xb[j] = vc_operand(v_operand_const(x.x), v_operand_const(x.y));
    }
    return r;
}

/* a0 u + a1 v + a2 w in C, three products of F each. The imaginary part is the sum of (x+y)(x'+y') less the others;
 * sums may pass 2^63 on the way, their difference does not. */
VEC_INLINE void vk_dot3(vec out[2], const vcop *a, const vcop *u, const vcop *v, const vcop *w)
{
    vacc xx = vacc_add(vacc_add(vacc_mul(a[0].x, u->x), vacc_mul(a[1].x, v->x)), vacc_mul(a[2].x, w->x));
    vacc yy = vacc_add(vacc_add(vacc_mul(a[0].y, u->y), vacc_mul(a[1].y, v->y)), vacc_mul(a[2].y, w->y));
    vacc ss = vacc_add(vacc_add(vacc_mul(a[0].sum, u->sum), vacc_mul(a[1].sum, v->sum)), vacc_mul(a[2].sum, w->sum));
    out[0] = vacc_reduce(vacc_sub(xx, yy));
    out[1] = vacc_reduce(vacc_sub(ss, vacc_add(xx, yy)));
}

VEC_INLINE vk vk_mul(const vk_left *a, const vk_right *b)
{
    vk r;
    vk_dot3(r.v, a->a, &b->b[0], &b->xb[2], &b->xb[1]);
    vk_dot3(r.v + 2, a->a, &b->b[1], &b->b[0], &b->xb[2]);
    vk_dot3(r.v + 4, a->a, &b->b[2], &b->b[1], &b->b[0]);
    return r;
}

VEC_INLINE vk vk_mul_by(vk a, const vk_right *b)
{
    vk_left l = vk_as_left(a);
    return vk_mul(&l, b);
}

/* Sum of the even and of the odd lanes. */
static inline void vk_sum_lanes(kel out[2], vk a)
{
    for (int j = 0; j < K_WORDS; j++) {
        uint32_t w[VEC_WIDTH];
        uint64_t s[2] = {0, 0};
        v_store(w, a.v[j]);
        for (int i = 0; i < VEC_WIDTH; i++) s[i & 1] += w[i];
        out[0].v[j] = m31_reduce64(s[0]);
        out[1].v[j] = m31_reduce64(s[1]);
    }
}

#endif
