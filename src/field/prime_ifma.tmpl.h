/* SPDX-License-Identifier: Apache-2.0 */
/* Eight elements of a prime field at a time, one a lane, with AVX-512 IFMA; as a template. Before inclusion: the
 * field's header, and FIELD, FIELD_LIMBS and FIELD_BIG (BN254_FQ: prefix of the constants). They are undefined at the
 * end. prime_lanes.tmpl.h has the same names in plain C, so that algorithms are written once.
 *
 * Numbers. A FIELD_v is eight integers in L = 5 (8) limbs of 52 bits: *normal*, every limb below 2^52, unless "loose"
 * is said. Integers are residues mod p, not always reduced; comments give their bound as a multiple of p. Room is for
 * H p, H = 2^(52 L) / p: 84.6 and 84.6 (BN254), 2^35 (bls381_fq), 35.3 (bls381_fr). Nothing checks the bounds.
 *
 * Forms. Memory holds a R, R = 2^(64 FIELD_LIMBS). The vector product divides by R' = 2^(52 L) = R 2^s, s = 4 (32):
 *     mul(a R', b R) = a b R        so one factor in form R', which often is a constant, keeps form R;
 *     lift(a) = a 2^s               turns form R into form R' by a shift, the bound by 2^s (no product).
 *
 * API, v a vector, k a constant; bounds of arguments -> of results:
 *     load(p), load_at(p[8])        memory, form R, as it is (below p where memory is canonical)
 *     store(p, v), store_at(p, v)   v below p
 *     set1(a), zero(), one()        a field element in all lanes, as it is; one(): 1 in form R'
 *     lift(v)                       A -> 2^s A, at most H
 *     shift(v, s)                   A -> 2^s A, at most H
 *     raise(v), lower(v)            form R to R' and back by one product; any -> 1 + A / H
 *     from_integers, to_integers    plain integers below p to form R and back; any -> 1 + 16 A / H
 *     mul(v, w), sqr(v)             A, B -> 1 + A B / H; A B / H + 1 < H
 *     mul_r(v, w)                   mul(lift(v), w): both and the result in form R
 *     add(v, w), dbl(v)             A, B -> A + B
 *     sub(v, w, k)                  B <= k <= 64: v - w + k p, A -> A + k
 *     neg(v, k)                     A <= k: k p - v
 *     tame(v)                       any -> below 2
 *     once(v)                       below 2 -> below 1
 *     canon(v)                      any -> below 1: once(tame(v))
 *     is_zero(v), equal(v, w)       lanes, for numbers below p; bit i for lane i
 *     is_reduced(v)                 lanes below p
 *     from_splat, to_splat          one element in form R' in memory, to and from all lanes (lane 0)
 *     select(lanes, v, w)           lane i from v where bit i is set
 *     batch_inv(x, scratch, n)      n vectors in form R', below 2, no lane zero, to their inverses, below 2
 * Products of sums need no reduction: for instance mul(sub(a, b, 2), add(c, d)) of numbers below 2 has A B = 16. */
#include "field/words_ifma.h"

#define FIELD_FN(name)   LIMB_JOIN(FIELD, name)
#define FIELD_v          LIMB_JOIN(FIELD, v)
#define FIELDV_FN(name)  LIMB_JOIN(FIELD_v, name)
#define FIELDV_C(name)   LIMB_JOIN(FIELD_BIG, IFMA_##name)
#define FIELDV_L         FIELDV_C(LIMBS)
#define FIELDV_UNROLL    _Pragma("GCC unroll 8")
#define FIELDV_INLINE    static inline __attribute__((always_inline))
#define FIELDV_SHIFT     (52 * FIELDV_L - 64 * FIELD_LIMBS)
#define FIELDV_ALL(f, t) FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)(t)[i] = (f)

enum { FIELDV_FN(LANES) = 8, FIELDV_FN(HEADROOM) = FIELDV_C(HEADROOM) > 64 ? 64 : FIELDV_C(HEADROOM) };

typedef struct FIELD_v {
    __m512i l[FIELDV_L];
} FIELD_v;

typedef __mmask8 FIELDV_FN(mask);

static const uint64_t FIELDV_FN(p)[FIELDV_L] = FIELDV_C(MODULUS);

FIELDV_INLINE __m512i FIELDV_FN(low)(void)
{
    return _mm512_set1_epi64((1LL << 52) - 1);
}

/* k times limb i of p, in all lanes. */
FIELDV_INLINE __m512i FIELDV_FN(kp)(int i, unsigned k)
{
    const uint64_t limb = k * FIELDV_FN(p)[i];
    return _mm512_set1_epi64((long long)limb);
}

/* From loose limbs, signed, of a number that is not negative but for its top limb, to normal ones. */
FIELDV_INLINE FIELD_v FIELDV_FN(carry)(FIELD_v a)
{
    FIELDV_UNROLL for (int i = 0; i + 1 < FIELDV_L; i++)
    {
        a.l[i + 1] = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(a.l[i], 52));
        a.l[i] = _mm512_and_si512(a.l[i], FIELDV_FN(low)());
    }
    return a;
}

/* ---- memory */

/* Words of 64 bits to limbs of the number shifted left by `shift`. */
FIELDV_INLINE FIELD_v FIELDV_FN(from_words)(const __m512i *w, int shift)
{
    FIELD_v a;
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)
    {
        int at = 52 * i - shift, word = at >> 6, off = at & 63;
        __m512i x = at < 0 ? _mm512_slli_epi64(w[0], (unsigned)(-at & 63)) : _mm512_srli_epi64(w[word], (unsigned)off);
        if (at >= 0 && off > 12 && word + 1 < FIELD_LIMBS)
            x = _mm512_or_si512(x, _mm512_slli_epi64(w[word + 1], (unsigned)(64 - off)));
        a.l[i] = _mm512_and_si512(x, FIELDV_FN(low)());
    }
    return a;
}

FIELDV_INLINE FIELD_v FIELDV_FN(load_at)(const FIELD *const p[8])
{
    const uint64_t *const q[8] = {p[0]->l, p[1]->l, p[2]->l, p[3]->l, p[4]->l, p[5]->l, p[6]->l, p[7]->l};
    __m512i w[FIELD_LIMBS];
    LIMB_JOIN(words_load, FIELD_LIMBS)(w, q);
    return FIELDV_FN(from_words)(w, 0);
}

FIELDV_INLINE FIELD_v FIELDV_FN(load)(const FIELD *p)
{
    const FIELD *const q[8] = {p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7};
    return FIELDV_FN(load_at)(q);
}

FIELDV_INLINE void FIELDV_FN(store_at)(FIELD *const p[8], FIELD_v a)
{
    uint64_t *const q[8] = {p[0]->l, p[1]->l, p[2]->l, p[3]->l, p[4]->l, p[5]->l, p[6]->l, p[7]->l};
    __m512i w[FIELD_LIMBS];
    FIELDV_UNROLL for (int j = 0; j < FIELD_LIMBS; j++)
    {
        int i = 64 * j / 52, off = 64 * j % 52;
        w[j] = _mm512_or_si512(_mm512_srli_epi64(a.l[i], (unsigned)off),
                               _mm512_slli_epi64(a.l[i + 1], 52 - (unsigned)off));
        if (off > 40 && i + 2 < FIELDV_L)
            w[j] = _mm512_or_si512(w[j], _mm512_slli_epi64(a.l[i + 2], 104 - (unsigned)off));
    }
    LIMB_JOIN(words_store, FIELD_LIMBS)(q, w);
}

FIELDV_INLINE void FIELDV_FN(store)(FIELD *p, FIELD_v a)
{
    FIELD *const q[8] = {p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7};
    FIELDV_FN(store_at)(q, a);
}

FIELDV_INLINE FIELD_v FIELDV_FN(set1)(FIELD a)
{
    __m512i w[FIELD_LIMBS];
    FIELDV_UNROLL for (int i = 0; i < FIELD_LIMBS; i++) w[i] = _mm512_set1_epi64((long long)a.l[i]);
    return FIELDV_FN(from_words)(w, 0);
}

FIELDV_INLINE FIELD_v FIELDV_FN(set_limbs)(const uint64_t *l)
{
    FIELD_v a;
    FIELDV_ALL(_mm512_set1_epi64((long long)l[i]), a.l);
    return a;
}

FIELDV_INLINE FIELD_v FIELDV_FN(zero)(void)
{
    FIELD_v a;
    FIELDV_ALL(_mm512_setzero_si512(), a.l);
    return a;
}

FIELDV_INLINE FIELD_v FIELDV_FN(one)(void)
{
    static const uint64_t one[FIELDV_L] = FIELDV_C(ONE);
    return FIELDV_FN(set_limbs)(one);
}

/* a 2^s, 0 < s < 52. */
FIELDV_INLINE FIELD_v FIELDV_FN(shift)(FIELD_v a, unsigned s)
{
    FIELD_v r;
    r.l[0] = _mm512_and_si512(_mm512_slli_epi64(a.l[0], s), FIELDV_FN(low)());
    FIELDV_UNROLL for (int i = 1; i < FIELDV_L; i++)
    {
        __m512i low = _mm512_srli_epi64(a.l[i - 1], 52 - s);
        r.l[i] = _mm512_and_si512(_mm512_or_si512(_mm512_slli_epi64(a.l[i], s), low), FIELDV_FN(low)());
    }
    return r;
}

FIELDV_INLINE FIELD_v FIELDV_FN(lift)(FIELD_v a)
{
    return FIELDV_FN(shift)(a, FIELDV_SHIFT);
}

/* ---- sums */

FIELDV_INLINE FIELD_v FIELDV_FN(add)(FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(_mm512_add_epi64(a.l[i], b.l[i]), a.l);
    return FIELDV_FN(carry)(a);
}

FIELDV_INLINE FIELD_v FIELDV_FN(dbl)(FIELD_v a)
{
    return FIELDV_FN(add)(a, a);
}

/* Limbs of k p are below 2^58: nothing wraps. */
FIELDV_INLINE FIELD_v FIELDV_FN(sub)(FIELD_v a, FIELD_v b, unsigned k)
{
    FIELDV_ALL(_mm512_add_epi64(_mm512_sub_epi64(a.l[i], b.l[i]), FIELDV_FN(kp)(i, k)), a.l);
    return FIELDV_FN(carry)(a);
}

FIELDV_INLINE FIELD_v FIELDV_FN(neg)(FIELD_v a, unsigned k)
{
    return FIELDV_FN(sub)(FIELDV_FN(zero)(), a, k);
}

FIELDV_INLINE FIELD_v FIELDV_FN(select)(__mmask8 lanes, FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(_mm512_mask_blend_epi64(lanes, b.l[i], a.l[i]), a.l);
    return a;
}

/* a - p where that is not negative: the sign is that of the top limb. */
FIELDV_INLINE FIELD_v FIELDV_FN(once)(FIELD_v a)
{
    FIELD_v d;
    FIELDV_ALL(_mm512_sub_epi64(a.l[i], FIELDV_FN(kp)(i, 1)), d.l);
    d = FIELDV_FN(carry)(d);
    return FIELDV_FN(select)(_mm512_movepi64_mask(d.l[FIELDV_L - 1]), a, d);
}

/* Lanes below p. */
FIELDV_INLINE __mmask8 FIELDV_FN(is_reduced)(FIELD_v a)
{
    FIELDV_ALL(_mm512_sub_epi64(a.l[i], FIELDV_FN(kp)(i, 1)), a.l);
    return _mm512_movepi64_mask(FIELDV_FN(carry)(a).l[FIELDV_L - 1]);
}

/* With m = floor(H) and t the top limb, q = floor(t m / 2^52) is at most a / p, and a / p - q below
 * 1 + (a / p) (H - m) / H + m / 2^52 < 2 when a < (m - 1) p: a - q p is below 2p (H - m is at most 0.80 in these
 * fields). */
FIELDV_INLINE FIELD_v FIELDV_FN(tame)(FIELD_v a)
{
    __m512i zero = _mm512_setzero_si512();
    __m512i q = _mm512_madd52hi_epu64(zero, a.l[FIELDV_L - 1], _mm512_set1_epi64(FIELDV_C(HEADROOM)));
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)
    {
        a.l[i] = _mm512_sub_epi64(a.l[i], _mm512_madd52lo_epu64(zero, q, FIELDV_FN(kp)(i, 1)));
        if (i > 0) a.l[i] = _mm512_sub_epi64(a.l[i], _mm512_madd52hi_epu64(zero, q, FIELDV_FN(kp)(i - 1, 1)));
    }
    return FIELDV_FN(carry)(a);
}

FIELDV_INLINE FIELD_v FIELDV_FN(canon)(FIELD_v a)
{
    return FIELDV_FN(once)(FIELDV_FN(tame)(a));
}

FIELDV_INLINE __mmask8 FIELDV_FN(is_zero)(FIELD_v a)
{
    __m512i any = a.l[0];
    FIELDV_UNROLL for (int i = 1; i < FIELDV_L; i++) any = _mm512_or_si512(any, a.l[i]);
    return _mm512_testn_epi64_mask(any, any);
}

FIELDV_INLINE __mmask8 FIELDV_FN(equal)(FIELD_v a, FIELD_v b)
{
    FIELDV_ALL(_mm512_xor_si512(a.l[i], b.l[i]), a.l);
    return FIELDV_FN(is_zero)(a);
}

/* ---- products. Columns hold at most 4 L terms below 2^52 and a carry: below 2^58. */

/* One step of Montgomery's reduction on columns t[0 .. L]: adds m p with t[0] + m p[0] = 0 mod 2^52, and carries t[0]
 * into t[1]. The low half of m p[0] is not computed: with it the limb is 2^52 unless t[0] ends in 52 zero bits, so the
 * carry is that of t[0] + 2^52 - 1. */
FIELDV_INLINE void FIELDV_FN(reduce_step)(__m512i *t)
{
    __m512i m = _mm512_madd52lo_epu64(_mm512_setzero_si512(), t[0], _mm512_set1_epi64(FIELDV_C(NEG_INV)));
    __m512i carry = _mm512_srli_epi64(_mm512_add_epi64(t[0], FIELDV_FN(low)()), 52);
    t[1] = _mm512_add_epi64(t[1], carry);
    t[1] = _mm512_madd52hi_epu64(t[1], m, FIELDV_FN(kp)(0, 1));
    FIELDV_UNROLL for (int i = 1; i < FIELDV_L; i++)
    {
        t[i] = _mm512_madd52lo_epu64(t[i], m, FIELDV_FN(kp)(i, 1));
        t[i + 1] = _mm512_madd52hi_epu64(t[i + 1], m, FIELDV_FN(kp)(i, 1));
    }
}

/* By rows, as the scalar product: t = (t + a b_i + m p) / 2^52. The sum of all m p is below R' p. */
FIELDV_INLINE FIELD_v FIELDV_FN(mul)(FIELD_v a, FIELD_v b)
{
    __m512i t[2 * FIELDV_L];
    FIELD_v r;
    FIELDV_UNROLL for (int i = 0; i < 2 * FIELDV_L; i++) t[i] = _mm512_setzero_si512();
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)
    {
        FIELDV_UNROLL for (int j = 0; j < FIELDV_L; j++)
        {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.l[j], b.l[i]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.l[j], b.l[i]);
        }
        FIELDV_FN(reduce_step)(t + i);
    }
    FIELDV_ALL(t[FIELDV_L + i], r.l);
    return FIELDV_FN(carry)(r);
}

/* Products of different limbs once, doubled, then the squares, then the reduction. Of eight limbs the columns do not
 * stay in registers, and the product is faster. */
FIELDV_INLINE FIELD_v FIELDV_FN(sqr)(FIELD_v a)
{
    if (FIELDV_L > 6) return FIELDV_FN(mul)(a, a);
    __m512i t[2 * FIELDV_L + 1];
    FIELD_v r;
    FIELDV_UNROLL for (int i = 0; i < 2 * FIELDV_L + 1; i++) t[i] = _mm512_setzero_si512();
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)
    {
        FIELDV_UNROLL for (int j = i + 1; j < FIELDV_L; j++)
        {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.l[j], a.l[i]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.l[j], a.l[i]);
        }
    }
    FIELDV_UNROLL for (int i = 1; i < 2 * FIELDV_L; i++) t[i] = _mm512_add_epi64(t[i], t[i]);
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++)
    {
        t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a.l[i], a.l[i]);
        t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a.l[i], a.l[i]);
    }
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++) FIELDV_FN(reduce_step)(t + i);
    FIELDV_ALL(t[FIELDV_L + i], r.l);
    return FIELDV_FN(carry)(r);
}

FIELDV_INLINE FIELD_v FIELDV_FN(mul_r)(FIELD_v a, FIELD_v b)
{
    return FIELDV_FN(mul)(FIELDV_FN(lift)(a), b);
}

FIELDV_INLINE FIELD_v FIELDV_FN(raise)(FIELD_v a)
{
    static const uint64_t factor[FIELDV_L] = FIELDV_C(RAISE);
    return FIELDV_FN(mul)(a, FIELDV_FN(set_limbs)(factor));
}

FIELDV_INLINE FIELD_v FIELDV_FN(lower)(FIELD_v a)
{
    static const uint64_t factor[FIELDV_L] = FIELDV_C(LOWER);
    return FIELDV_FN(mul)(a, FIELDV_FN(set_limbs)(factor));
}

FIELDV_INLINE FIELD_v FIELDV_FN(from_integers)(FIELD_v a)
{
    static const uint64_t factor[FIELDV_L] = FIELDV_C(INTEGER);
    return FIELDV_FN(mul)(a, FIELDV_FN(set_limbs)(factor));
}

/* a R 2^s / R' = a. */
FIELDV_INLINE FIELD_v FIELDV_FN(to_integers)(FIELD_v a)
{
    static const uint64_t factor[FIELDV_L] = {UINT64_C(1) << FIELDV_SHIFT};
    return FIELDV_FN(mul)(a, FIELDV_FN(set_limbs)(factor));
}

/* One element in form R', below p, as five (eight) words in memory, to be used in all lanes; from lane 0 of v, below p.
 */
typedef struct FIELDV_FN(splat) {
    uint64_t l[FIELDV_L];
} FIELDV_FN(splat);

FIELDV_INLINE FIELD_v FIELDV_FN(from_splat)(const FIELDV_FN(splat) * p)
{
    return FIELDV_FN(set_limbs)(p->l);
}

FIELDV_INLINE void FIELDV_FN(to_splat)(FIELDV_FN(splat) * p, FIELD_v a)
{
    FIELDV_UNROLL for (int i = 0; i < FIELDV_L; i++) p->l[i] =
        (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a.l[i]));
}

#include "field/prime_lanes_inv.tmpl.h"

#undef FIELDV_C
#undef FIELDV_L
#undef FIELDV_UNROLL
#undef FIELDV_SHIFT
#undef FIELDV_ALL
#undef FIELDV_INLINE
#undef FIELDV_FN
#undef FIELD_v
#undef FIELD_FN
#undef FIELD
#undef FIELD_LIMBS
#undef FIELD_BIG
