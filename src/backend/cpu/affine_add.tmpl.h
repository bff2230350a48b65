/* SPDX-License-Identifier: Apache-2.0 */
/* assay_affine_ops of one group over one field of lanes, as a template. Before inclusion: AFFINE, the prefix of all
 * names; LANE, that of the lanes of Fq; COORD, that of the lanes of coordinates (the same for G1); AFFINE_LANES, how
 * many; AFFINE_CHAINS, how many products run beside each other to hide the time that one multiplication takes;
 * AFFINE_COORD, the bytes of a coordinate in memory. They are undefined at the end.
 *
 * A first pass forms what is to be inverted, for each pair the norm to Fq of x_b - x_a (2 y_a when both points are
 * equal, 1 where nothing is divided), and the running products, from the last pair to the first; the second pass goes
 * from the first on, divides and adds. */

#define AF_FN(name) LIMB_JOIN(AFFINE, name)
#define AL_FN(name) LIMB_JOIN(LANE, name)
#define AC_FN(name) LIMB_JOIN(COORD, name)
#define AF_STEP     AF_FN(step)
#define AF_MASK     AL_FN(mask)

/* What the second pass needs of the first. The masks: lanes with equal points, and lanes whose sum is a, b, infinity.
 */
typedef struct AF_STEP {
    LANE norm, rest; /* rest: product of the norms of the later steps of the chain */
    AF_MASK odd, same, a, b, none;
} AF_STEP;

typedef struct AF_FN(summand) {
    const uint8_t *p[AFFINE_LANES];
    AF_MASK neg;
} AF_FN(summand);

/* Summands k .. k + count - 1; lanes beyond repeat the first. */
ASSAY_FORCE_INLINE AF_FN(summand) AF_FN(find)(const uint8_t *base, const uint32_t *index, size_t k, unsigned count)
{
    AF_FN(summand) s;
    unsigned neg = 0;
    for (unsigned l = 0; l < AFFINE_LANES; l++) {
        size_t at = l < count ? k + l : k;
        uint32_t i = index ? index[at] : (uint32_t)at;
        s.p[l] = base + (size_t)(i & ~ASSAY_AFFINE_NEG) * (2 * AFFINE_COORD);
        neg |= (unsigned)(i / ASSAY_AFFINE_NEG) << l;
    }
    s.neg = (AF_MASK)neg;
    return s;
}

ASSAY_FORCE_INLINE void AF_FN(fetch)(const uint8_t *base, const uint32_t *index, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++) {
        const uint8_t *p = base + (size_t)(index[k] & ~ASSAY_AFFINE_NEG) * (2 * AFFINE_COORD);
        for (size_t at = 0; at < 2 * AFFINE_COORD; at += 64) cpu_prefetch(p + at);
        if (2 * AFFINE_COORD % 64) cpu_prefetch(p + 2 * AFFINE_COORD - 1); /* points that straddle lines */
    }
}

/* y, negated where the index says so: at most p. */
ASSAY_FORCE_INLINE COORD AF_FN(y)(const AF_FN(summand) * s)
{
    COORD y = AC_FN(load)(s->p, AFFINE_COORD);
    return AC_FN(select)(s->neg, AC_FN(neg)(y, 1), y);
}

/* The lanes that no division by x_b - x_a serves; returns the divisor with 2 y_a or 1 there. */
static COORD AF_FN(resolve)(AF_STEP *s, const AF_FN(summand) * a, const AF_FN(summand) * b, COORD xa, COORD xb, COORD d)
{
    COORD ya = AC_FN(canon)(AF_FN(y)(a)), yb = AC_FN(canon)(AF_FN(y)(b));
    unsigned inf_a = AC_FN(is_zero)(xa) & AC_FN(is_zero)(ya), inf_b = AC_FN(is_zero)(xb) & AC_FN(is_zero)(yb);
    unsigned meet = AC_FN(equal)(xa, xb) & ~(inf_a | inf_b);
    unsigned none = meet & AC_FN(is_zero)(AC_FN(canon)(AC_FN(add)(ya, yb)));
    s->a = (AF_MASK)inf_b;
    s->b = (AF_MASK)(inf_a & ~inf_b);
    s->none = (AF_MASK)none;
    s->same = (AF_MASK)(meet & ~none);
    d = AC_FN(select)(s->same, AC_FN(add)(ya, ya), d);
    return AC_FN(select)((AF_MASK)(inf_a | inf_b | none), AC_FN(one)(), d);
}

ASSAY_FORCE_INLINE void AF_FN(divisor)(AF_STEP *s, const AF_FN(summand) * a, const AF_FN(summand) * b, LANE *product)
{
    COORD xa = AC_FN(load)(a->p, 0), xb = AC_FN(load)(b->p, 0), d = AC_FN(sub)(xb, xa, 1);
    s->odd = (AF_MASK)(AC_FN(equal)(xa, xb) | AC_FN(is_zero)(xa) | AC_FN(is_zero)(xb));
    if (s->odd) d = AF_FN(resolve)(s, a, b, xa, xb, d);
    s->norm = AC_FN(norm)(d);
    s->rest = *product;
    *product = AL_FN(mul)(*product, s->norm);
}

/* Bounds, as multiples of p: up and d 2, in lanes with equal points 64 and 2; slope 2; x 5, y 8 before they are made
 * canonical. */
ASSAY_FORCE_INLINE void AF_FN(sum)(const AF_STEP *s, const AF_FN(summand) * a, const AF_FN(summand) * b, LANE *inverse,
                                   uint8_t *const *out, unsigned count)
{
    COORD xa = AC_FN(load)(a->p, 0), xb = AC_FN(load)(b->p, 0), ya = AF_FN(y)(a), yb = AF_FN(y)(b);
    COORD d = AC_FN(sub)(xb, xa, 1), up = AC_FN(sub)(yb, ya, 1);
    LANE i = AL_FN(mul)(*inverse, s->rest);
    *inverse = AL_FN(mul)(*inverse, s->norm);
    if (s->odd) {
        COORD square = AC_FN(sqr)(xa);
        d = AC_FN(select)(s->same, AC_FN(add)(ya, ya), d);
        up = AC_FN(select)(s->same, AC_FN(tangent)(AC_FN(add)(AC_FN(add)(square, square), square)), up);
    }
    COORD slope = AC_FN(divide)(up, d, i);
    COORD x = AC_FN(sub)(AC_FN(sub)(AC_FN(sqr)(slope), xa, 1), xb, 1);
    COORD y = AC_FN(canon)(AC_FN(sub)(AC_FN(mul_slope)(slope, AC_FN(sub)(xa, x, 5)), ya, 1));
    x = AC_FN(canon)(x);
    if (s->odd) {
        ya = AC_FN(canon)(ya), yb = AC_FN(canon)(yb);
        x = AC_FN(select)(s->none, AC_FN(zero)(), AC_FN(select)(s->a, xa, AC_FN(select)(s->b, xb, x)));
        y = AC_FN(select)(s->none, AC_FN(zero)(), AC_FN(select)(s->a, ya, AC_FN(select)(s->b, yb, y)));
    }
    AC_FN(store)(out, 0, x, count);
    AC_FN(store)(out, AFFINE_COORD, y, count);
}

/* From the product of each chain its inverse, with one inversion. */
static inline void AF_FN(invert)(LANE chain[AFFINE_CHAINS])
{
    LANE before[AFFINE_CHAINS];
    before[0] = chain[0];
    for (size_t i = 1; i < AFFINE_CHAINS; i++) before[i] = AL_FN(mul)(before[i - 1], chain[i]);
    LANE t = AL_FN(inverse)(before[AFFINE_CHAINS - 1]);
    for (size_t i = AFFINE_CHAINS; i-- > 1;) {
        LANE own = AL_FN(mul)(t, before[i - 1]);
        t = AL_FN(mul)(t, chain[i]);
        chain[i] = own;
    }
    chain[0] = t;
}

/* Step v of the first pass, of the second. */
ASSAY_FORCE_INLINE void AF_FN(first)(AF_STEP *steps, LANE *chain, const assay_affine_pairs *p, size_t v, unsigned count)
{
    const size_t k = v * AFFINE_LANES, ahead = 4 * AFFINE_LANES;
    AF_FN(summand) a = AF_FN(find)(p->a, p->ia, k, count), b = AF_FN(find)(p->b, p->ib, k, count);
    if (p->far && k >= ahead) {
        AF_FN(fetch)(p->a, p->ia, k - ahead, k - ahead + AFFINE_LANES);
        AF_FN(fetch)(p->b, p->ib, k - ahead, k - ahead + AFFINE_LANES);
    }
    AF_FN(divisor)(&steps[v], &a, &b, &chain[v % AFFINE_CHAINS]);
}

ASSAY_FORCE_INLINE void AF_FN(second)(AF_STEP *steps, LANE *chain, const assay_affine_pairs *p, size_t v,
                                      unsigned count)
{
    const size_t k = v * AFFINE_LANES;
    AF_FN(summand) a = AF_FN(find)(p->a, p->ia, k, count), b = AF_FN(find)(p->b, p->ib, k, count);
    uint8_t *out[AFFINE_LANES];
    for (unsigned l = 0; l < AFFINE_LANES; l++) {
        size_t at = l < count ? k + l : k;
        out[l] = p->out + (p->io ? (size_t)p->io[at] : at) * (2 * AFFINE_COORD);
    }
    AF_FN(sum)(&steps[v], &a, &b, &chain[v % AFFINE_CHAINS], out, count);
}

/* The last step, when it is not full, is kept apart: only there lanes have to be counted. */
static void AF_FN(add)(void *scratch, const assay_affine_pairs *p, size_t n)
{
    AF_STEP *steps = scratch;
    LANE chain[AFFINE_CHAINS];
    const size_t full = n / AFFINE_LANES;
    const unsigned rest = (unsigned)(n % AFFINE_LANES);
    if (n == 0) return;
    for (size_t i = 0; i < AFFINE_CHAINS; i++) chain[i] = AL_FN(one)();
    if (rest) AF_FN(first)(steps, chain, p, full, rest);
    for (size_t v = full; v-- > 0;) AF_FN(first)(steps, chain, p, v, AFFINE_LANES);
    AF_FN(invert)(chain);
    for (size_t v = 0; v < full; v++) {
        AF_FN(fetch)(p->a, p->soon, p->n_soon * v / full, p->n_soon * (v + 1) / full);
        AF_FN(second)(steps, chain, p, v, AFFINE_LANES);
    }
    if (rest) AF_FN(second)(steps, chain, p, full, rest);
}

#undef AF_FN
#undef AL_FN
#undef AC_FN
#undef AF_STEP
#undef AF_MASK
#undef AFFINE
#undef LANE
#undef COORD
#undef AFFINE_LANES
#undef AFFINE_CHAINS
#undef AFFINE_COORD
