/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of backend/groups.h by the kernel `lines` (fr.h): log2 n levels in two or three passes over the array
 * (one a call of the kernel for every eight lines), each of at most ASSAY_NTT_LEVELS levels on lines that lie in the
 * second-level cache. No array beside x; tables have 2^11 elements at most.
 *
 * With n = 2^k and w of order n, write an index as h (its top l bits), mid (b bits), low (the rest): a pass works on
 * the lines of equal h and low.
 *
 *   Tower, from values on w^j, in order, to coefficients with reversed indices: at level i, block H of 2^(k-i) elements
 *   holds a polynomial modulo X^(2^(k-i)) - c, and splits by X^(2^(k-i-1)) = +-f, f = w^-(rev H), rev over k - 1 bits;
 *   all times n at the end. With i = l + t and H = h 2^t + q, f is the product of a power for q, which does not depend
 *   on l, and one for h: base_t of fr.h, w_(l+b)^-(rev h) at t = b - 1, rev over l bits; w_m: root of order 2^m.
 *
 *   Stair, from coefficients with reversed indices to values on s w^j, in order (decimation in time): at level i the
 *   factor of the pair whose first index is j modulo 2^i is s^(2^(k-i-1)) w_(i+1)^j. With i = z + t (z bits in low) and
 *   j = low + 2^z q it is the product of w_(t+1)^q, which does not depend on z, and of s^(2^(k-i-1)) w_(i+1)^low,
 * base_t.
 *
 * Coefficients never stand in order between the two: values on w^j become values on s w^j without reversing an index,
 * with the last pass of the tower and the first of the stair in one. Where coefficients are asked for in order, indices
 * are reversed in place. Products a value: about k / 2 + 1 for a transform. */
#include "backend/cpu/fr.h"
#include "backend/cpu/groups.h"
#include "base/mem.h"
#include <stdatomic.h>
#include <string.h>

enum { SMALLEST = 6, PASSES = 3, ALIGN = 64 };

struct assay_ntt {
    const assay_curve *curve;
    const assay_fr_kernels *kernels;
    void *memory;
    uint8_t *tower, *stair; /* splats: powers of inverse roots, 2^(most - 1); of roots, 2^most; most levels a pass */
    unsigned k, passes, first[PASSES + 1]; /* levels of the tower before each pass */
    assay_fr scale;                        /* 1 / n */
};

/* The lowest `bits` bits of v < 2^bits in the other order, bits from 1 to 32. */
static size_t reversed(size_t v, unsigned bits)
{
    uint32_t r = (uint32_t)v;
    r = (r >> 1 & 0x55555555) | (r & 0x55555555) << 1;
    r = (r >> 2 & 0x33333333) | (r & 0x33333333) << 2;
    r = (r >> 4 & 0x0f0f0f0f) | (r & 0x0f0f0f0f) << 4;
    r = (r >> 8 & 0x00ff00ff) | (r & 0x00ff00ff) << 8;
    return (r >> 16 | r << 16) >> (32 - bits);
}

static assay_fr power(const assay_curve *c, assay_fr base, size_t e)
{
    assay_fr r = c->fr_from_u64(1);
    for (; e; e >>= 1, base = c->fr_mul(base, base))
        if (e & 1) r = c->fr_mul(r, base);
    return r;
}

/* s squared n times. */
static assay_fr squared(const assay_curve *c, assay_fr s, unsigned n)
{
    while (n-- > 0) s = c->fr_mul(s, s);
    return s;
}

/* ---- tables */

/* out[2^t + q] = s^(2^(k-t-1)) w_(t+1)^q for t < b; s NULL: 1. */
static void stair_table(const assay_curve *c, assay_fr *out, unsigned k, unsigned b, const assay_fr *s)
{
    out[0] = c->fr_from_u64(1);
    for (unsigned t = 0; t < b; t++) {
        assay_fr f = s ? squared(c, *s, k - t - 1) : out[0], root = c->fr_root(t + 1);
        for (size_t q = 0; q >> t == 0; q++, f = c->fr_mul(f, root)) out[((size_t)1 << t) + q] = f;
    }
}

/* out[q] = w^-(rev q), q < 2^(b-1): bit i of q brings the inverse root of order 2^(i+2). */
static void tower_table(const assay_curve *c, assay_fr *out, unsigned b)
{
    out[0] = c->fr_from_u64(1);
    for (unsigned i = 0; i + 1 < b; i++) {
        assay_fr f = c->fr_inv(c->fr_root(i + 2));
        for (size_t q = 0; q >> i == 0; q++) out[((size_t)1 << i) + q] = c->fr_mul(out[q], f);
    }
}

/* Levels of the tower before each pass. */
static void divide(assay_ntt *t, unsigned k)
{
    t->k = k;
    if (k < SMALLEST) return;
    t->passes = k <= 2 * ASSAY_NTT_LEVELS ? 2 : PASSES;
    for (unsigned i = 0; i <= t->passes; i++) t->first[i] = (k * i + t->passes - 1) / t->passes;
}

static unsigned levels(const assay_ntt *t, unsigned pass)
{
    return t->first[pass + 1] - t->first[pass];
}

static unsigned most_levels(const assay_ntt *t)
{
    unsigned most = 0;
    for (unsigned i = 0; i < t->passes; i++) most = levels(t, i) > most ? levels(t, i) : most;
    return most;
}

/* Scratch of a strand, and the stair's splats, of a run. */
static size_t strand_bytes(const assay_ntt *t)
{
    return ((size_t)1 << most_levels(t)) * t->kernels->vector_bytes;
}

static size_t splats_bytes(const assay_ntt *t)
{
    return (((size_t)1 << most_levels(t)) * t->kernels->splat_bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t ntt_bytes(const assay_group_backend *be, const assay_curve *c, unsigned k)
{
    assay_ntt t = {.kernels = assay_fr_select(c)};
    divide(&t, k);
    if (k < SMALLEST) return sizeof t;
    size_t n = (size_t)1 << most_levels(&t);
    return sizeof t + (n / 2 + n) * t.kernels->splat_bytes + splats_bytes(&t) + n * sizeof(assay_fr) +
           assay_pool_threads(be->pool) * strand_bytes(&t);
}

static uint8_t *aligned(void *p)
{
    return (uint8_t *)p + (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
}

static void ntt_free(assay_ntt *t)
{
    if (!t) return;
    assay_mem_free(t->memory);
    assay_mem_free(t);
}

static assay_status ntt_new(const assay_group_backend *be, assay_ntt **out, const assay_curve *c, unsigned k,
                            assay_errinfo *err)
{
    (void)be;
    *out = NULL;
    if (k > c->two_adicity) return ASSAY_FAIL(err, ASSAY_EINVAL, "ntt", "the field has no root of unity of this order");
    assay_ntt *t = assay_mem_alloc(1, sizeof *t);
    if (!t) return ASSAY_FAIL(err, ASSAY_ENOMEM, "ntt", "out of memory");
    t->curve = c;
    t->kernels = assay_fr_select(c);
    divide(t, k);
    t->scale = c->fr_inv(c->fr_from_u64((uint64_t)1 << k));
    *out = t;
    if (k < SMALLEST) return ASSAY_OK;
    unsigned most = most_levels(t);
    size_t n = (size_t)1 << most, each = t->kernels->splat_bytes;
    assay_fr *plain = assay_mem_alloc(n, sizeof *plain);
    t->memory = assay_mem_alloc(n / 2 + n, each);
    if (!plain || !t->memory) {
        assay_mem_free(plain);
        ntt_free(t);
        *out = NULL;
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "ntt", "out of memory");
    }
    t->tower = t->memory;
    t->stair = t->tower + n / 2 * each;
    tower_table(c, plain, most);
    t->kernels->splats(t->tower, plain, n / 2);
    stair_table(c, plain, k, most, NULL);
    t->kernels->splats(t->stair, plain, n);
    assay_mem_free(plain);
    return ASSAY_OK;
}

/* ---- passes */

typedef struct transform {
    const assay_ntt *t;
    assay_fr *x;
    const assay_fr *shift;  /* of the stair, or NULL */
    const uint8_t *shifted; /* the stair's splats with the shift, for its first pass; NULL without a shift */
    uint8_t *scratch;
    size_t scratch_bytes; /* a strand */
    /* the pass */
    unsigned pass;
    bool tower, stair;
    assay_fr tower_root, stair_root, stair_first;
    _Atomic size_t next;
} transform;

/* Eight lines: eight neighbours in low, or, in the last pass of the tower, in h. */
static void eight_lines(const transform *r, size_t job, void *scratch)
{
    const assay_ntt *t = r->t;
    const assay_curve *c = t->curve;
    unsigned l = t->first[r->pass], b = levels(t, r->pass), z = t->k - l - b;
    bool last = z == 0;
    size_t at = job * ASSAY_FR_LANES, h = last ? at : at >> z, low = last ? 0 : at & (((size_t)1 << z) - 1);
    assay_fr tower_base[ASSAY_FR_LANES], stair_base[ASSAY_FR_LANES];
    assay_ntt_lines lines = {.at = r->x + (h << (b + z)) + low, .step = (size_t)1 << z, .b = b};
    lines.lane = last ? (size_t)1 << b : 1;
    if (r->tower) {
        lines.tower = t->tower;
        for (size_t i = 0; l > 0 && i < ASSAY_FR_LANES; i++)
            tower_base[i] = i == 0 || last ? power(c, r->tower_root, reversed(h + i, l)) : tower_base[0];
        if (l > 0) lines.tower_base = tower_base;
        if (last) lines.scale = &t->scale;
    }
    if (r->stair) {
        lines.stair = last && r->shifted ? r->shifted : t->stair;
        assay_fr f = last ? r->stair_root : c->fr_mul(r->stair_first, power(c, r->stair_root, low));
        for (size_t i = 0; !last && i < ASSAY_FR_LANES; i++, f = c->fr_mul(f, r->stair_root)) stair_base[i] = f;
        if (!last) lines.stair_base = stair_base;
    }
    t->kernels->lines(&lines, scratch);
}

static void strand(void *ctx, size_t number)
{
    transform *r = ctx;
    size_t jobs = (size_t)1 << (r->t->k - levels(r->t, r->pass)), job;
    void *scratch = r->scratch + number * r->scratch_bytes;
    jobs /= ASSAY_FR_LANES;
    while ((job = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed)) < jobs) eight_lines(r, job, scratch);
}

static void run_pass(const assay_group_backend *be, transform *r, unsigned pass, bool tower, bool stair)
{
    const assay_ntt *t = r->t;
    const assay_curve *c = t->curve;
    unsigned l = t->first[pass], below = t->k - l; /* z + b */
    r->pass = pass;
    r->tower = tower;
    r->stair = stair;
    r->tower_root = c->fr_inv(c->fr_root(t->first[pass + 1]));
    r->stair_root = c->fr_root(below);
    r->stair_first = r->shift ? squared(c, *r->shift, l) : c->fr_from_u64(1);
    atomic_store_explicit(&r->next, 0, memory_order_relaxed);
    assay_pool_run(be->pool, assay_pool_threads(be->pool), strand, r);
}

typedef struct reversal {
    assay_fr *x;
    unsigned k;
} reversal;

/* Each pair is swapped where its smaller index is. */
static void reverse_range(void *ctx, size_t begin, size_t end)
{
    const reversal *r = ctx;
    for (size_t i = begin; i < end; i++) {
        size_t j = reversed(i, r->k);
        if (i >= j) continue;
        assay_fr a = r->x[i];
        r->x[i] = r->x[j];
        r->x[j] = a;
    }
}

static void reverse(const assay_group_backend *be, assay_fr *x, unsigned k)
{
    reversal r = {x, k};
    if (k == 0) return;
    assay_pool_range(be->pool, (size_t)1 << k, 4096, reverse_range, &r);
}

/* The passes that `tower` and `stair` ask for, in order; coefficients stand, and are left, with reversed indices.
 * False, and x as it was, when there is no memory for scratch or the size is small: the reference then does it, which
 * needs none. */
static bool run(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, bool tower, bool stair,
                const assay_fr *shift)
{
    if (t->k < SMALLEST) return false;
    unsigned b = levels(t, t->passes - 1);
    size_t splats = splats_bytes(t), strands = assay_pool_threads(be->pool), bytes;
    size_t table = shift ? splats + ((size_t)1 << most_levels(t)) * sizeof(assay_fr) : 0;
    transform r = {.t = t, .x = x, .shift = shift, .scratch_bytes = strand_bytes(t)};
    if (!assay_mul_size(strands, r.scratch_bytes, &bytes)) return false;
    void *memory = assay_mem_alloc_raw(1, bytes + table + ALIGN);
    if (!memory) return false;
    r.scratch = aligned(memory);
    if (shift) {
        uint8_t *shifted = r.scratch + bytes;
        assay_fr *plain = (void *)(shifted + splats);
        stair_table(t->curve, plain, t->k, b, shift);
        t->kernels->splats(shifted, plain, (size_t)1 << b);
        r.shifted = shifted;
    }
    unsigned last = t->passes - 1;
    for (unsigned i = 0; tower && i < last; i++) run_pass(be, &r, i, true, false);
    run_pass(be, &r, last, tower, stair);
    for (unsigned i = last; stair && i-- > 0;) run_pass(be, &r, i, false, true);
    assay_mem_free_secret(memory, bytes + table + ALIGN);
    return true;
}

static void forward(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift)
{
    reverse(be, x, t->k);
    if (run(be, t, x, false, true, shift)) return;
    reverse(be, x, t->k);
    assay_ntt_ref_forward(be, t->curve, t->k, x, shift);
}

static void inverse(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift)
{
    const assay_curve *c = t->curve;
    if (!run(be, t, x, true, false, NULL)) {
        assay_ntt_ref_inverse(be, c, t->k, x, shift);
        return;
    }
    reverse(be, x, t->k);
    if (shift) be->fr_powers(be, c, x, c->fr_from_u64(1), c->fr_inv(*shift), (size_t)1 << t->k);
}

static void extend(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, assay_fr shift)
{
    if (run(be, t, x, true, true, &shift)) return;
    assay_ntt_ref_inverse(be, t->curve, t->k, x, NULL);
    assay_ntt_ref_forward(be, t->curve, t->k, x, &shift);
}

/* ---- a part of the values */

typedef struct folding {
    const assay_ntt *t;
    assay_fr *x;
    assay_fr power[ASSAY_NTT_PARTS]; /* of what X^(n / parts) is: as the neighbours in x come */
    size_t parts, from;
} folding;

enum { FOLD = 64 };

/* At most FOLD of them. */
static void fold_some(const folding *f, size_t begin, size_t n)
{
    const assay_curve *c = f->t->curve;
    const assay_fr *x = f->x + begin * f->parts;
    assay_fr sum[FOLD], term[FOLD], by[FOLD];
    for (size_t j = 0; j < n; j++) sum[j] = x[j * f->parts];
    for (size_t i = 1; i < f->parts; i++) {
        for (size_t j = 0; j < n; j++) {
            term[j] = x[j * f->parts + i];
            by[j] = f->power[i];
        }
        f->t->kernels->mul(term, term, by, n);
        for (size_t j = 0; j < n; j++) sum[j] = c->fr_add(sum[j], term[j]);
    }
    memcpy(f->x + begin, sum, n * sizeof *sum);
}

static void fold_range(void *ctx, size_t begin, size_t end)
{
    for (size_t j = begin; j < end; j += FOLD) fold_some(ctx, j, end - j < FOLD ? end - j : FOLD);
}

static void fold_upper(void *ctx, size_t begin, size_t end)
{
    const folding *f = ctx;
    fold_range(ctx, f->from + begin, f->from + end);
}

/* The coefficients modulo X^(n / parts) - value, indices reversed before and after: those of X^(i + t n / parts), t <
 * parts, are neighbours. What a round writes, earlier ones have read. */
static void fold(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, unsigned fewer, assay_fr value)
{
    folding f = {.t = t, .x = x, .parts = (size_t)1 << fewer};
    if (fewer == 0) return;
    for (size_t i = 0; i < f.parts; i++) f.power[i] = power(t->curve, value, reversed(i, fewer));
    fold_range(&f, 0, 1);
    for (f.from = 1; f.from >> (t->k - fewer) == 0; f.from *= 2)
        assay_pool_range(be->pool, f.from, 1024, fold_upper, &f);
}

static void part(const assay_group_backend *be, const assay_ntt *t, const assay_ntt *fewer, assay_fr *x, assay_fr s)
{
    const assay_curve *c = t->curve;
    if (!run(be, t, x, true, false, NULL)) {
        assay_ntt_ref_inverse(be, c, t->k, x, NULL);
        reverse(be, x, t->k);
    }
    fold(be, t, x, t->k - fewer->k, squared(c, s, fewer->k));
    if (run(be, fewer, x, false, true, &s)) return;
    reverse(be, x, fewer->k);
    assay_ntt_ref_forward(be, c, fewer->k, x, &s);
}

void assay_group_backend_ntt_init(assay_group_backend *be)
{
    be->ntt_new = ntt_new;
    be->ntt_free = ntt_free;
    be->ntt_forward = forward;
    be->ntt_inverse = inverse;
    be->ntt_extend = extend;
    be->ntt_part = part;
    be->ntt_bytes = ntt_bytes;
}
