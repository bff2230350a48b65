/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse in a prime field by divsteps, in time that depends on the value: part of prime.tmpl.h. Bernstein and
 * Yang, "Fast constant-time gcd computation and modular inversion" (2019), in the arrangement of P. Wuille's note on
 * the safegcd implementation of libsecp256k1: 62 steps on the low words, then their matrix on the whole numbers.
 *
 * Numbers are in signed words of 62 bits, the lowest first: all but the highest in [0, 2^62), the sign in the highest.
 */

enum { FIELD_FN(INV_WORDS) = FIELD_LIMBS * LIMB_BITS / 62 + 1 };

typedef struct FIELD_FN(inv_number) {
    int64_t v[FIELD_FN(INV_WORDS)];
} FIELD_FN(inv_number);

/* 2^62 times the map of 62 steps on (f, g): f' = (u f + v g) / 2^62, g' = (q f + r g) / 2^62. |u| + |v| and |q| + |r|
 * are at most 2^62. */
typedef struct FIELD_FN(inv_map) {
    int64_t u, v, q, r;
} FIELD_FN(inv_map);

static inline FIELD_FN(inv_number) FIELD_FN(inv_split)(const uint64_t *a)
{
    FIELD_FN(inv_number) n;
    for (unsigned i = 0; i < FIELD_FN(INV_WORDS); i++) {
        unsigned at = 62 * i / LIMB_BITS, off = 62 * i % LIMB_BITS;
        uint64_t w = at < FIELD_LIMBS ? a[at] >> off : 0;
        if (off > 2 && at + 1 < FIELD_LIMBS) w |= a[at + 1] << (LIMB_BITS - off);
        n.v[i] = (int64_t)(w & (UINT64_MAX >> 2));
    }
    return n;
}

/* 62 steps from the lowest words of f (odd) and g. Several zero bits of g go at once; a multiple w of f clears up to
 * four more. */
static inline int FIELD_FN(inv_steps)(int eta, uint64_t f, uint64_t g, FIELD_FN(inv_map) * map)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    for (int left = 62;;) {
        int zeros = limb_trailing_zeros(g | UINT64_MAX << left);
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        left -= zeros;
        if (left == 0) break;
        if (eta < 0) {
            uint64_t t = f;
            eta = -eta;
            f = g, g = 0 - t;
            t = u, u = q, q = 0 - t;
            t = v, v = r, r = 0 - t;
        }
        int clear = eta + 1 < left ? eta + 1 : left;
        uint64_t inverse = f + (((f + 1) & 4) << 1); /* of f mod 16 */
        uint64_t w = (0 - inverse * g) & 15 & (UINT64_MAX >> (LIMB_BITS - clear));
        g += f * w;
        q += u * w;
        r += v * w;
    }
    map->u = (int64_t)u, map->v = (int64_t)v, map->q = (int64_t)q, map->r = (int64_t)r;
    return eta;
}

/* (f, g) by the map: the low words vanish. */
static inline void FIELD_FN(inv_apply)(FIELD_FN(inv_number) * f, FIELD_FN(inv_number) * g, const FIELD_FN(inv_map) * m)
{
    limb2s a = (limb2s)m->u * f->v[0] + (limb2s)m->v * g->v[0], b = (limb2s)m->q * f->v[0] + (limb2s)m->r * g->v[0];
    a >>= 62;
    b >>= 62;
    for (int i = 1; i < FIELD_FN(INV_WORDS); i++) {
        a += (limb2s)m->u * f->v[i] + (limb2s)m->v * g->v[i];
        b += (limb2s)m->q * f->v[i] + (limb2s)m->r * g->v[i];
        f->v[i - 1] = (int64_t)((uint64_t)a & (UINT64_MAX >> 2));
        g->v[i - 1] = (int64_t)((uint64_t)b & (UINT64_MAX >> 2));
        a >>= 62;
        b >>= 62;
    }
    f->v[FIELD_FN(INV_WORDS) - 1] = (int64_t)a;
    g->v[FIELD_FN(INV_WORDS) - 1] = (int64_t)b;
}

/* (d, e) by the map, mod p: a multiple of p makes the low words vanish. Both stay in (-2 p, p). */
static inline void FIELD_FN(inv_apply_mod)(FIELD_FN(inv_number) * d, FIELD_FN(inv_number) * e,
                                           const FIELD_FN(inv_map) * m, const FIELD_FN(inv_number) * p)
{
    const uint64_t low = UINT64_MAX >> 2, inverse = 0 - FIELD_NEG_INV; /* of p mod 2^62 */
    const int top = FIELD_FN(INV_WORDS) - 1;
    int64_t d_neg = d->v[top] >> 63, e_neg = e->v[top] >> 63;
    int64_t kd = (m->u & d_neg) + (m->v & e_neg), ke = (m->q & d_neg) + (m->r & e_neg);
    limb2s a = (limb2s)m->u * d->v[0] + (limb2s)m->v * e->v[0], b = (limb2s)m->q * d->v[0] + (limb2s)m->r * e->v[0];
    kd -= (int64_t)((inverse * (uint64_t)a + (uint64_t)kd) & low);
    ke -= (int64_t)((inverse * (uint64_t)b + (uint64_t)ke) & low);
    a = (a + (limb2s)p->v[0] * kd) >> 62;
    b = (b + (limb2s)p->v[0] * ke) >> 62;
    for (int i = 1; i <= top; i++) {
        a += (limb2s)m->u * d->v[i] + (limb2s)m->v * e->v[i] + (limb2s)p->v[i] * kd;
        b += (limb2s)m->q * d->v[i] + (limb2s)m->r * e->v[i] + (limb2s)p->v[i] * ke;
        d->v[i - 1] = (int64_t)((uint64_t)a & low);
        e->v[i - 1] = (int64_t)((uint64_t)b & low);
        a >>= 62;
        b >>= 62;
    }
    d->v[top] = (int64_t)a;
    e->v[top] = (int64_t)b;
}

/* s d mod p for d in (-2 p, p) and s = 1, -1, as limbs: s d + 2 p is in (0, 4 p) and has p taken off three times. */
static inline FIELD FIELD_FN(inv_join)(const FIELD_FN(inv_number) * d, bool minus, const FIELD_FN(inv_number) * p)
{
    uint64_t words[FIELD_FN(INV_WORDS)], l[FIELD_LIMBS + 1] = {0}, m[FIELD_LIMBS + 1] = {0};
    FIELD a;
    limb2s carry = 0;
    for (int i = 0; i < FIELD_FN(INV_WORDS); i++) {
        carry += (limb2s)2 * p->v[i] + (minus ? -d->v[i] : d->v[i]);
        words[i] = (uint64_t)carry & (UINT64_MAX >> 2);
        carry >>= 62;
    }
    for (unsigned i = 0; i < FIELD_FN(INV_WORDS); i++) {
        unsigned at = 62 * i / LIMB_BITS, off = 62 * i % LIMB_BITS;
        if (at <= FIELD_LIMBS) l[at] |= words[i] << off;
        if (off > 2 && at + 1 <= FIELD_LIMBS) l[at + 1] |= words[i] >> (LIMB_BITS - off);
    }
    for (int i = 0; i < FIELD_LIMBS; i++) m[i] = FIELD_FN(modulus)[i];
    while (!limbs_less(l, m, FIELD_LIMBS + 1)) limbs_sub(l, l, m, FIELD_LIMBS + 1);
    for (int i = 0; i < FIELD_LIMBS; i++) a.l[i] = l[i];
    return a;
}

/* 1 / a; 0 for 0. About a tenth of the time of inv. */
static inline FIELD FIELD_FN(inv_var)(FIELD a)
{
    static const FIELD r2 = {FIELD_R2};
    FIELD_FN(inv_number) p = FIELD_FN(inv_split)(FIELD_FN(modulus)), f = p, g = FIELD_FN(inv_split)(a.l);
    FIELD_FN(inv_number) d = {{0}}, e = {{1}};
    if (FIELD_FN(is_zero)(a)) return a;
    /* d a = f, e a = g (mod p, up to the powers of two that the maps take off): at the end f = 1 or -1, g = 0. */
    for (int eta = -1;;) {
        FIELD_FN(inv_map) map;
        int64_t rest = 0;
        eta = FIELD_FN(inv_steps)(eta, (uint64_t)f.v[0], (uint64_t)g.v[0], &map);
        FIELD_FN(inv_apply_mod)(&d, &e, &map, &p);
        FIELD_FN(inv_apply)(&f, &g, &map);
        for (int i = 0; i < FIELD_FN(INV_WORDS); i++) rest |= g.v[i];
        if (rest == 0) break;
    }
    a = FIELD_FN(inv_join)(&d, f.v[FIELD_FN(INV_WORDS) - 1] < 0, &p);
    return FIELD_FN(mul)(FIELD_FN(mul)(a, r2), r2); /* (a R)^-1 to a^-1 R */
}
