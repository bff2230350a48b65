/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel `lines` of fr.h, as a template: fr_arrays.tmpl.h comes before it, with the same FIELD. Undefines FIELD.
 *
 * Both networks multiply before they add (Cooley and Tukey 1965), so numbers grow by 2p a level and need no reduction:
 * factors are below 1.1p (a product of two numbers below p is below (1 + 1 / H) p, H >= 35), so a product with a number
 * below 31p is below 2p; sums begin below 2p and pass at most ASSAY_NTT_LEVELS = 10 levels, ending below 22p. Where the
 * factor is 1, `tame` takes the place of the product. Levels are done by twos, four vectors at a time. */

typedef struct FR_FN(network) {
    FR_V base[ASSAY_NTT_LEVELS];
    bool based;
    const FRV_FN(splat) * table;
} FR_FN(network);

/* Squares from the last level down. */
static inline void FR_FN(network_begin)(FR_FN(network) * w, const void *table, const assay_fr *base, unsigned b)
{
    w->table = table;
    w->based = base != NULL;
    if (!base) return;
    w->base[b - 1] = FRV_FN(canon)(FRV_FN(raise)(FRV_FN(load)((const void *)base)));
    for (unsigned t = b - 1; t > 0; t--) w->base[t - 1] = FRV_FN(canon)(FRV_FN(sqr)(w->base[t]));
}

static inline FR_V FR_FN(network_factor)(const FR_FN(network) * w, unsigned t, size_t at)
{
    FR_V f = FRV_FN(from_splat)(w->table + at);
    return w->based ? FRV_FN(mul)(w->base[t], f) : f;
}

/* (x, y) to (x + f y, x - f y). */
#define BUTTERFLY(x, y, f)                                                                                             \
    do {                                                                                                               \
        FR_V product = (f);                                                                                            \
        (y) = FRV_FN(sub)((x), product, 2);                                                                            \
        (x) = FRV_FN(add)((x), product);                                                                               \
    } while (0)

/* Two levels on x[0], x[d], x[2d], x[3d], for n neighbours at distance s: of the tower pairs (0, 2), (1, 3) by `first`
 * come first, of the stair (0, 1), (2, 3). */
static inline void FR_FN(network_tower)(FR_V *x, size_t d, FR_V first, FR_V low, FR_V high)
{
    for (size_t j = 0; j < d; j++, x++) {
        FR_V a = x[0], b = x[d], c = x[2 * d], e = x[3 * d];
        BUTTERFLY(a, c, FRV_FN(mul)(first, c));
        BUTTERFLY(b, e, FRV_FN(mul)(first, e));
        BUTTERFLY(a, b, FRV_FN(mul)(low, b));
        BUTTERFLY(c, e, FRV_FN(mul)(high, e));
        x[0] = a;
        x[d] = b;
        x[2 * d] = c;
        x[3 * d] = e;
    }
}

static inline void FR_FN(network_stair)(FR_V *x, size_t d, size_t size, FR_V first, FR_V low, FR_V high)
{
    for (FR_V *end = x + size; x < end; x += 4 * d) {
        FR_V a = x[0], b = x[d], c = x[2 * d], e = x[3 * d];
        BUTTERFLY(a, b, FRV_FN(mul)(first, b));
        BUTTERFLY(c, e, FRV_FN(mul)(first, e));
        BUTTERFLY(a, c, FRV_FN(mul)(low, c));
        BUTTERFLY(b, e, FRV_FN(mul)(high, e));
        x[0] = a;
        x[d] = b;
        x[2 * d] = c;
        x[3 * d] = e;
    }
}

/* The first two levels of a block whose factor is 1 at both, and i at the upper half of the second. */
static inline void FR_FN(network_plain)(FR_V *x, size_t d, FR_V i)
{
    for (size_t j = 0; j < d; j++, x++) {
        FR_V a = x[0], b = x[d], c = x[2 * d], e = x[3 * d];
        BUTTERFLY(a, c, FRV_FN(tame)(c));
        BUTTERFLY(b, e, FRV_FN(tame)(e));
        BUTTERFLY(a, b, FRV_FN(tame)(b));
        BUTTERFLY(c, e, FRV_FN(mul)(i, e));
        x[0] = a;
        x[d] = b;
        x[2 * d] = c;
        x[3 * d] = e;
    }
}

static void FR_FN(tower)(const FR_FN(network) * w, FR_V *x, unsigned b)
{
    unsigned t = 0;
    for (; t + 2 <= b; t += 2) {
        size_t d = (size_t)1 << (b - 2 - t), q = 0;
        if (!w->based) FR_FN(network_plain)(x, d, FRV_FN(from_splat)(w->table + 1)), q++;
        for (; q >> t == 0; q++) FR_FN(network_tower)
        (x + 4 * d * q, d, FR_FN(network_factor)(w, t, q), FR_FN(network_factor)(w, t + 1, 2 * q),
         FR_FN(network_factor)(w, t + 1, 2 * q + 1));
    }
    for (size_t q = 0; t < b && q >> t == 0; q++)
        BUTTERFLY(x[2 * q], x[2 * q + 1], FRV_FN(mul)(FR_FN(network_factor)(w, t, q), x[2 * q + 1]));
}

static void FR_FN(stair)(const FR_FN(network) * w, FR_V *x, unsigned b)
{
    size_t size = (size_t)1 << b;
    unsigned t = b & 1;
    if (t) {
        FR_V f = FR_FN(network_factor)(w, 0, 1);
        for (size_t u = 0; u < size; u += 2) BUTTERFLY(x[u], x[u + 1], FRV_FN(mul)(f, x[u + 1]));
    }
    for (; t < b; t += 2) {
        size_t d = (size_t)1 << t;
        for (size_t q = 0; q < d; q++) FR_FN(network_stair)
        (x + q, d, size, FR_FN(network_factor)(w, t, d + q), FR_FN(network_factor)(w, t + 1, 2 * d + q),
         FR_FN(network_factor)(w, t + 1, 3 * d + q));
    }
}

static void FR_FN(kernel_lines)(const assay_ntt_lines *l, void *scratch)
{
    FR_V *x = scratch;
    FR_FN(network) w;
    FIELD *p[ASSAY_FR_LANES];
    const FIELD *q[ASSAY_FR_LANES];
    size_t size = (size_t)1 << l->b;
    for (size_t u = 0; u < size; u++) {
        for (size_t i = 0; i < ASSAY_FR_LANES; i++) q[i] = (const void *)(l->at + i * l->lane + u * l->step);
        x[u] = FRV_FN(load_at)(q);
    }
    if (l->tower) {
        FR_FN(network_begin)(&w, l->tower, l->tower_base, l->b);
        FR_FN(tower)(&w, x, l->b);
    }
    if (l->scale) {
        FIELD one;
        memcpy(&one, l->scale, sizeof one);
        FR_V by = FRV_FN(raise)(FRV_FN(set1)(one));
        for (size_t u = 0; u < size; u++) x[u] = FRV_FN(mul)(by, x[u]);
    }
    if (l->stair) {
        FR_FN(network_begin)(&w, l->stair, l->stair_base, l->b);
        FR_FN(stair)(&w, x, l->b);
    }
    for (size_t u = 0; u < size; u++) {
        for (size_t i = 0; i < ASSAY_FR_LANES; i++) p[i] = (void *)(l->at + i * l->lane + u * l->step);
        FRV_FN(store_at)(p, FRV_FN(canon)(x[u]));
    }
}

#undef BUTTERFLY
#undef FR_FN
#undef FR_V
#undef FRV_FN
#undef FIELD
