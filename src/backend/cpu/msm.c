/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples by buckets (Pippenger, "On the evaluation of powers and related problems", 1976; signed digits and
 * affine buckets as in Bernstein, Doumen, Lange, Oosterwijk, "Faster batch forgery identification", 2012, and in
 * gnark-crypto). Each call of msm_add is a sum of its own:
 *
 *   - terms with scalar 0 or an infinite point are left out; k > r / 2 becomes r - k of the negated point, so that
 * small negative numbers are small; terms with magnitude 1 are set apart and added up;
 *   - the rest is cut into windows; for some windows at a time the terms are sorted by bucket (msm_sort.c), the buckets
 *     added up (msm_tree.c) and reduced (msm_reduce.c);
 *   - the windows' sums are joined by doublings.
 *
 * No endomorphism: it would halve the windows and double the terms, so it saves reductions only, 6 % of the additions
 * at 2^18 terms and 10 % at 2^12, and twice the points are fetched: measured slower from 2^16 terms on
 * (docs/groth16.md, "Figures"). Multiples of points outside the group of order r, which only a bad key has, would be
 * wrong, while here k P is right for every point of the curve (but for k > r / 2, which is taken as k - r). */
#include "backend/cpu/msm.h"
#include "backend/cpu/groups.h"
#include "base/mem.h"
#include "field/limbs.h"
#include <string.h>

enum {
    PIECE = 1 << 21,    /* terms at a time */
    PIECE_LEAST = 64,   /* a sum that cannot have so many has too little memory */
    RANGE_LEAST = 8192, /* terms that a job looks through */
    ALONE = 2048        /* additions for which waking threads does not pay */
};

struct assay_msm {
    assay_pool *pool;
    const assay_curve *curve;
    const assay_group *group;
    const assay_affine_ops *ops;
    unsigned bits, workers;
    size_t piece;          /* terms at a time */
    assay_msm_shape shape; /* for so many */
    uint8_t *memory;       /* wide terms, terms with magnitude 1, counts of both a range; then what the shape says */
    size_t bytes, used;    /* of memory; what has been written to at most */
    assay_point sum;
    assay_point sums[ASSAY_MSM_MAX_WINDOWS];
};

static unsigned magnitude_bits(const assay_curve *c)
{
    unsigned bits = ASSAY_FR_LIMBS * LIMB_BITS;
    while (!limbs_bit(c->fr_modulus, bits - 1)) bits--;
    return bits - 1;
}

static size_t lists_bytes(size_t piece)
{
    return 2 * ((piece * sizeof(uint32_t) + 63) / 64 * 64);
}

/* Fills in what depends on the number of terms; the whole memory is at most max_bytes, if that is not 0. */
static bool plan(assay_msm *m, size_t n, size_t max_bytes)
{
    m->piece = n < PIECE_LEAST ? PIECE_LEAST : n < PIECE ? n : PIECE;
    for (;; m->piece = (m->piece + 1) / 2) {
        size_t lists = lists_bytes(m->piece), fixed = sizeof *m + lists;
        if (!max_bytes || fixed < max_bytes) {
            size_t limit = max_bytes ? max_bytes - fixed : 0;
            if (assay_msm_plan(&m->shape, m->ops, m->group->affine_bytes, m->bits, m->piece, m->workers, limit)) {
                m->bytes = lists + m->shape.bytes;
                return true;
            }
        }
        if (m->piece <= PIECE_LEAST) return false;
    }
}

static void describe(assay_msm *m, const assay_group_backend *be, const assay_curve *c, assay_group_id g)
{
    m->pool = be->pool;
    m->curve = c;
    m->group = &c->group[g];
    m->ops = assay_affine_select(c, g);
    m->bits = magnitude_bits(c);
    m->workers = assay_pool_threads(be->pool);
}

static assay_status msm_new(const assay_group_backend *be, assay_msm **out, const assay_curve *c, assay_group_id g,
                            size_t n, size_t max_bytes, assay_errinfo *err)
{
    *out = NULL;
    assay_msm *m = assay_mem_alloc(1, sizeof *m);
    if (!m) return ASSAY_FAIL(err, ASSAY_ENOMEM, "msm", "out of memory");
    describe(m, be, c, g);
    m->group->infinity(&m->sum);
    if (!plan(m, n, max_bytes)) {
        assay_mem_free(m);
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, "msm", "more memory than allowed, in bytes", max_bytes);
    }
    m->memory = assay_mem_alloc_raw(m->bytes, 1);
    if (!m->memory) {
        size_t bytes = m->bytes;
        assay_mem_free(m);
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, "msm", "out of memory, in bytes", bytes);
    }
    *out = m;
    return ASSAY_OK;
}

static void msm_free(assay_msm *m)
{
    if (!m) return;
    assay_mem_free_secret(m->memory, m->used);
    assay_mem_free_secret(m, sizeof *m);
}

static size_t msm_bytes(const assay_group_backend *be, const assay_curve *c, assay_group_id g, size_t n)
{
    assay_msm m;
    describe(&m, be, c, g);
    (void)plan(&m, n, 0);
    return sizeof m + m.bytes;
}

/* ---- Sorting out. */

typedef struct sift {
    const assay_msm *m;
    const uint8_t *points;
    const assay_scalar *scalars;
    uint32_t *wide, *ones;
    size_t n, range;
    size_t *found; /* two a range */
} sift;

static bool is_zero_bytes(const uint8_t *p, size_t n)
{
    uint64_t any = 0, limb;
    for (size_t i = 0; i < n; i += sizeof limb) {
        memcpy(&limb, p + i, sizeof limb);
        any |= limb;
    }
    return any == 0;
}

/* Writes the terms of a range that count to the range's places in both lists, from its start on. */
static void sift_range(void *ctx, size_t job)
{
    sift *s = ctx;
    const assay_msm *m = s->m;
    size_t begin = job * s->range, end = begin + s->range < s->n ? begin + s->range : s->n;
    size_t wide = begin, ones = begin, bytes = m->group->affine_bytes;
    uint64_t other[ASSAY_FR_LIMBS] = {0};
    for (size_t i = begin; i < end; i++) {
        const uint64_t *k = s->scalars[i];
        if (limbs_zero(k, ASSAY_FR_LIMBS) || is_zero_bytes(s->points + i * bytes, bytes)) continue;
        limbs_sub(other, m->curve->fr_modulus, k, ASSAY_FR_LIMBS);
        bool neg = limbs_less(other, k, ASSAY_FR_LIMBS);
        const uint64_t *low = neg ? other : k;
        uint32_t term = (uint32_t)i | (neg ? ASSAY_AFFINE_NEG : 0);
        if (low[0] == 1 && limbs_zero(low + 1, ASSAY_FR_LIMBS - 1))
            s->ones[ones++] = term;
        else
            s->wide[wide++] = term;
    }
    assay_mem_wipe(other, sizeof other);
    s->found[2 * job] = wide - begin;
    s->found[2 * job + 1] = ones - begin;
}

/* Moves the finds of all ranges together; returns how many. */
static size_t close_up(const sift *s, uint32_t *list, size_t which, size_t ranges)
{
    size_t n = 0;
    for (size_t r = 0; r < ranges; r++) {
        size_t found = s->found[2 * r + which];
        memmove(list + n, list + r * s->range, found * sizeof *list);
        n += found;
    }
    return n;
}

/* ---- Summing. */

static void frame_init(assay_msm_frame *f, assay_msm *m, const assay_msm_shape *s, const uint32_t *terms, size_t n)
{
    uint8_t *at = m->memory + lists_bytes(m->piece);
    size_t used = lists_bytes(m->piece) + s->bytes;
    if (m->used < used) m->used = used;
    f->shape = s;
    f->ops = m->ops;
    f->curve = m->curve;
    f->group = m->group;
    f->pool = n * s->windows < ALONE ? NULL : m->pool;
    f->terms = terms;
    f->n = n;
    f->digits = (uint16_t *)(void *)(at + s->digits_at);
    f->sorted = (uint32_t *)(void *)(at + s->sorted_at);
    f->starts = (uint32_t *)(void *)(at + s->starts_at);
    f->cuts = (uint32_t *)(void *)(at + s->cuts_at);
    f->own = at + s->points_at;
    f->sums = m->sums;
}

/* m->sum += the points of `terms`. */
static assay_status add_plain(assay_msm *m, assay_msm_frame *f, uint32_t *terms, size_t n, assay_errinfo *err)
{
    assay_msm_shape s;
    if (!n) return ASSAY_OK;
    if (!assay_msm_plan_plain(&s, m->ops, m->group->affine_bytes, n, m->workers, m->shape.bytes))
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "msm", "more memory than allowed");
    frame_init(f, m, &s, terms, n);
    f->sorted = terms;
    f->starts[0] = 0;
    f->starts[1] = (uint32_t)n;
    f->total = n;
    assay_status st = assay_msm_buckets(f, NULL, err);
    if (!st) m->group->add_affine(&m->sum, &m->sum, f->own);
    return st;
}

/* m->sum += the sum of multiples of `terms`. */
static assay_status add_wide(assay_msm *m, assay_msm_frame *f, const uint32_t *terms, size_t n,
                             const assay_progress *progress, assay_errinfo *err)
{
    assay_msm_shape s;
    assay_point t;
    if (!n) return ASSAY_OK;
    if (!assay_msm_plan(&s, m->ops, m->group->affine_bytes, m->bits, n, m->workers, m->shape.bytes)) s = m->shape;
    frame_init(f, m, &s, terms, n);
    for (f->first = 0; f->first < s.windows; f->first += f->count) {
        f->count = s.windows - f->first < s.group ? s.windows - f->first : s.group;
        assay_msm_sort(f);
        assay_subprogress part;
        assay_progress inner = assay_progress_part_count(&part, progress, f->first, f->first + f->count, s.windows);
        assay_status st = assay_msm_buckets(f, &inner, err);
        if (st) return st;
        assay_msm_reduce(f);
    }
    m->group->infinity(&t);
    for (unsigned w = s.windows; w-- > 0;) {
        for (unsigned i = 0; i < s.width; i++) m->group->dbl(&t, &t);
        m->group->add(&t, &t, &m->sums[w]);
    }
    m->group->add(&m->sum, &m->sum, &t);
    assay_mem_wipe(&t, sizeof t);
    return ASSAY_OK;
}

static assay_status add_piece(assay_msm *m, const uint8_t *points, const assay_scalar *scalars, size_t n,
                              const assay_progress *progress, assay_errinfo *err)
{
    size_t found[2 * 64];
    size_t ranges = n / RANGE_LEAST + 1 < 64 ? n / RANGE_LEAST + 1 : 64;
    uint32_t *wide = (uint32_t *)(void *)m->memory, *ones = (uint32_t *)(void *)(m->memory + lists_bytes(m->piece) / 2);
    sift s = {m, points, scalars, wide, ones, n, (n - 1) / ranges + 1, found};
    ranges = (n - 1) / s.range + 1;
    if (m->used < lists_bytes(m->piece)) m->used = lists_bytes(m->piece);
    assay_pool_run(m->pool, ranges, sift_range, &s);
    size_t n_wide = close_up(&s, wide, 0, ranges), n_ones = close_up(&s, ones, 1, ranges);
    assay_msm_frame f;
    memset(&f, 0, sizeof f);
    f.points = points;
    f.scalars = scalars;
    assay_status st = add_plain(m, &f, ones, n_ones, err);
    return st ? st : add_wide(m, &f, wide, n_wide, progress, err);
}

static assay_status msm_add(assay_msm *m, const void *points, const assay_scalar *scalars, size_t n,
                            const assay_progress *progress, assay_errinfo *err)
{
    const uint8_t *p = points;
    for (size_t at = 0; at < n;) {
        assay_subprogress part;
        size_t count = n - at < m->piece ? n - at : m->piece;
        assay_progress inner = assay_progress_part_count(&part, progress, at, at + count, n);
        assay_status st = assay_progress_tell_count(progress, "sum of multiples", at, n, err);
        if (!st) st = add_piece(m, p + at * m->group->affine_bytes, scalars + at, count, &inner, err);
        if (st) return st;
        at += count;
    }
    return ASSAY_OK;
}

static assay_status msm_finish(assay_msm *m, void *point, assay_errinfo *err)
{
    (void)err;
    memcpy(point, &m->sum, m->group->point_bytes);
    return ASSAY_OK;
}

void assay_group_backend_msm_init(assay_group_backend *be)
{
    be->msm_new = msm_new;
    be->msm_add = msm_add;
    be->msm_finish = msm_finish;
    be->msm_free = msm_free;
    be->msm_bytes = msm_bytes;
}
