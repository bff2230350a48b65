/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field of FIELD_LIMBS limbs, as a template. Before inclusion: FIELD, the prefix of all names, and FIELD_LIMBS,
 * FIELD_MODULUS, FIELD_ONE, FIELD_R2, FIELD_NEG_INV, FIELD_MINUS_TWO, FIELD_HALF (primes_gen.h). They are undefined at
 * the end.
 *
 * An element is its Montgomery form a R mod p, R = 2^(64 FIELD_LIMBS), always below p. The modulus leaves its top bit
 * free, so that sums do not overflow and the products need no further limb (Montgomery 1985; the form by columns with
 * one spare bit: gnark-crypto's "no-carry" observation). Everything but what ends in _var takes time that does not
 * depend on values. */
#include "base/isa.h"
#include "field/limbs.h"
#include <stddef.h>

#define FIELD_FN(name) LIMB_JOIN(FIELD, name)

typedef struct FIELD {
    uint64_t l[FIELD_LIMBS];
} FIELD;

enum { FIELD_FN(BYTES) = FIELD_LIMBS * LIMB_BYTES };

static const uint64_t FIELD_FN(modulus)[FIELD_LIMBS] = FIELD_MODULUS;

#if ASSAY_ISA_ADX
#include "field/limbs_adx.h"
#define FIELD_ADX(name) LIMB_JOIN(limbs_##name, FIELD_LIMBS)
static const union {
    struct {
        uint64_t p[FIELD_LIMBS], neg_inv;
    } as;
    uint64_t l[FIELD_LIMBS + 1];
} FIELD_FN(adx_modulus) = {{FIELD_MODULUS, FIELD_NEG_INV}};
#endif

static inline FIELD FIELD_FN(zero)(void)
{
    FIELD r = {{0}};
    return r;
}

static inline FIELD FIELD_FN(one)(void)
{
    FIELD r = {FIELD_ONE};
    return r;
}

static inline bool FIELD_FN(is_zero)(FIELD a)
{
    return limbs_zero(a.l, FIELD_LIMBS);
}

static inline bool FIELD_FN(equal)(FIELD a, FIELD b)
{
    return limbs_equal(a.l, b.l, FIELD_LIMBS);
}

/* Through pointers, for what is used most: structs passed by value are copied. raw_sum: a + b as it is, below 2p; the
 * product of two such numbers is right for a modulus with 4 p < R (its t is below 3p throughout and below 2p at the
 * end). */
#if ASSAY_ISA_ADX
ASSAY_FORCE_INLINE void FIELD_FN(sum)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD_ADX(mod_add)(r->l, a->l, b->l, FIELD_FN(modulus));
}

ASSAY_FORCE_INLINE void FIELD_FN(difference)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD_ADX(mod_sub)(r->l, a->l, b->l, FIELD_FN(modulus));
}

ASSAY_FORCE_INLINE void FIELD_FN(product)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD_ADX(mont_mul)(r->l, a->l, b->l, FIELD_FN(adx_modulus).l);
}

ASSAY_FORCE_INLINE void FIELD_FN(raw_sum)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD_ADX(raw_add)(r->l, a->l, b->l);
}

ASSAY_FORCE_INLINE void FIELD_FN(mul_sum)(FIELD *r, const FIELD a[2], const FIELD b[2])
{
    FIELD_ADX(mont_sum)(r->l, a->l, b->l, FIELD_FN(adx_modulus).l);
}
#undef FIELD_ADX
#else
/* a below 2p to a mod p. */
static inline FIELD FIELD_FN(once)(FIELD a)
{
    FIELD d;
    uint64_t borrow = limbs_sub(d.l, a.l, FIELD_FN(modulus), FIELD_LIMBS);
    limbs_select(a.l, a.l, d.l, 0 - borrow, FIELD_LIMBS);
    return a;
}

static inline void FIELD_FN(raw_sum)(FIELD *r, const FIELD *a, const FIELD *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < FIELD_LIMBS; i++) r->l[i] = limb_add(a->l[i], b->l[i], &carry);
}

static inline void FIELD_FN(sum)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD_FN(raw_sum)(r, a, b);
    *r = FIELD_FN(once)(*r);
}

static inline void FIELD_FN(difference)(FIELD *r, const FIELD *a, const FIELD *b)
{
    uint64_t borrow = limbs_sub(r->l, a->l, b->l, FIELD_LIMBS), carry = 0, mask = 0 - borrow;
    for (int i = 0; i < FIELD_LIMBS; i++) r->l[i] = limb_add(r->l[i], FIELD_FN(modulus)[i] & mask, &carry);
}

/* r = a b / R. By rows: with m chosen so that the lowest limb vanishes, t = (t + a b_i + m p) / 2^64; t < 2p
 * throughout.
 */
static inline void FIELD_FN(product)(FIELD *r, const FIELD *a, const FIELD *b)
{
    FIELD t = {{0}};
    for (int i = 0; i < FIELD_LIMBS; i++) {
        uint64_t ca = 0, cm = 0, low = limb_mac(t.l[0], a->l[0], b->l[i], &ca), m = low * FIELD_NEG_INV;
        limb_mac(low, m, FIELD_FN(modulus)[0], &cm);
        for (int j = 1; j < FIELD_LIMBS; j++) {
            low = limb_mac(t.l[j], a->l[j], b->l[i], &ca);
            t.l[j - 1] = limb_mac(low, m, FIELD_FN(modulus)[j], &cm);
        }
        t.l[FIELD_LIMBS - 1] = ca + cm;
    }
    *r = FIELD_FN(once)(t);
}

/* r = (a[0] b[0] + a[1] b[1]) / R, for a modulus with 4 p < R: by rows as above, t < 3p throughout, and below 2p at the
 * end. One of the four may be p, the others are below it. */
static inline void FIELD_FN(mul_sum)(FIELD *r, const FIELD a[2], const FIELD b[2])
{
    FIELD t = {{0}};
    for (int i = 0; i < FIELD_LIMBS; i++) {
        uint64_t c0 = 0, c1 = 0, cm = 0, low = limb_mac(t.l[0], a[0].l[0], b[0].l[i], &c0);
        low = limb_mac(low, a[1].l[0], b[1].l[i], &c1);
        uint64_t m = low * FIELD_NEG_INV;
        limb_mac(low, m, FIELD_FN(modulus)[0], &cm);
        for (int j = 1; j < FIELD_LIMBS; j++) {
            low = limb_mac(t.l[j], a[0].l[j], b[0].l[i], &c0);
            low = limb_mac(low, a[1].l[j], b[1].l[i], &c1);
            t.l[j - 1] = limb_mac(low, m, FIELD_FN(modulus)[j], &cm);
        }
        t.l[FIELD_LIMBS - 1] = c0 + c1 + cm;
    }
    *r = FIELD_FN(once)(t);
}
#endif

ASSAY_FORCE_INLINE FIELD FIELD_FN(add)(FIELD a, FIELD b)
{
    FIELD_FN(sum)(&a, &a, &b);
    return a;
}

ASSAY_FORCE_INLINE FIELD FIELD_FN(sub)(FIELD a, FIELD b)
{
    FIELD_FN(difference)(&a, &a, &b);
    return a;
}

ASSAY_FORCE_INLINE FIELD FIELD_FN(mul)(FIELD a, FIELD b)
{
    FIELD_FN(product)(&a, &a, &b);
    return a;
}

/* r = p - a, which is p for 0. */
static inline void FIELD_FN(minus)(FIELD *r, const FIELD *a)
{
    limbs_sub(r->l, FIELD_FN(modulus), a->l, FIELD_LIMBS);
}

static inline FIELD FIELD_FN(dbl)(FIELD a)
{
    return FIELD_FN(add)(a, a);
}

static inline FIELD FIELD_FN(neg)(FIELD a)
{
    return FIELD_FN(sub)(FIELD_FN(zero)(), a);
}

static inline FIELD FIELD_FN(sqr)(FIELD a)
{
    return FIELD_FN(mul)(a, a);
}

/* The integer v < p, in limbs, and back. */
static inline FIELD FIELD_FN(from_limbs)(const uint64_t *v)
{
    static const FIELD r2 = {FIELD_R2};
    FIELD a;
    for (int i = 0; i < FIELD_LIMBS; i++) a.l[i] = v[i];
    return FIELD_FN(mul)(a, r2);
}

static inline void FIELD_FN(to_limbs)(uint64_t *v, FIELD a)
{
    FIELD unit = {{1}};
    a = FIELD_FN(mul)(a, unit);
    for (int i = 0; i < FIELD_LIMBS; i++) v[i] = a.l[i];
}

static inline FIELD FIELD_FN(from_u64)(uint64_t v)
{
    uint64_t l[FIELD_LIMBS] = {v};
    return FIELD_FN(from_limbs)(l);
}

/* FIELD_BYTES bytes of an integer, big: the highest byte first. False, and zero, when it is not below p. */
static inline bool FIELD_FN(from_bytes)(FIELD *a, const uint8_t *p, bool big)
{
    uint64_t v[FIELD_LIMBS];
    limbs_from_bytes(v, p, FIELD_LIMBS, big);
    bool canonical = limbs_less(v, FIELD_FN(modulus), FIELD_LIMBS);
    *a = canonical ? FIELD_FN(from_limbs)(v) : FIELD_FN(zero)();
    return canonical;
}

static inline void FIELD_FN(to_bytes)(uint8_t *p, FIELD a, bool big)
{
    uint64_t v[FIELD_LIMBS];
    FIELD_FN(to_limbs)(v, a);
    limbs_to_bytes(p, v, FIELD_LIMBS, big);
}

/* The Montgomery form itself, as key files hold it. False, and zero, when it is not below p. */
static inline bool FIELD_FN(from_mont_bytes)(FIELD *a, const uint8_t *p)
{
    limbs_from_bytes(a->l, p, FIELD_LIMBS, false);
    bool canonical = limbs_less(a->l, FIELD_FN(modulus), FIELD_LIMBS);
    if (!canonical) *a = FIELD_FN(zero)();
    return canonical;
}

static inline void FIELD_FN(to_mont_bytes)(uint8_t *p, FIELD a)
{
    limbs_to_bytes(p, a.l, FIELD_LIMBS, false);
}

/* a^e, e of n limbs; time depends on e. */
static inline FIELD FIELD_FN(pow)(FIELD a, const uint64_t *e, unsigned n)
{
    FIELD r = FIELD_FN(one)();
    for (unsigned i = n * LIMB_BITS; i-- > 0;) {
        r = FIELD_FN(sqr)(r);
        if (limbs_bit(e, i)) r = FIELD_FN(mul)(r, a);
    }
    return r;
}

/* 1 / a by Fermat; 0 for 0. About 1.5 multiplications a bit: divide many by inverting their product. */
static inline FIELD FIELD_FN(inv)(FIELD a)
{
    static const uint64_t e[FIELD_LIMBS] = FIELD_MINUS_TWO;
    return FIELD_FN(pow)(a, e, FIELD_LIMBS);
}

/* Whether the integer exceeds (p - 1) / 2: the sign bit of compressed points. */
static inline bool FIELD_FN(is_high)(FIELD a)
{
    static const uint64_t half[FIELD_LIMBS] = FIELD_HALF;
    uint64_t v[FIELD_LIMBS];
    FIELD_FN(to_limbs)(v, a);
    return limbs_less(half, v, FIELD_LIMBS);
}

#include "field/prime_inv.tmpl.h"

#undef FIELD_FN
#undef FIELD
#undef FIELD_LIMBS
#undef FIELD_MODULUS
#undef FIELD_ONE
#undef FIELD_R2
#undef FIELD_NEG_INV
#undef FIELD_MINUS_TWO
#undef FIELD_HALF
