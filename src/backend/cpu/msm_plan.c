/* SPDX-License-Identifier: Apache-2.0 */
/* How a sum of multiples is cut: the width of its windows, how many are worked on at a time, and the memory. */
#include "backend/cpu/msm.h"
#include "backend/cpu/windows.h"

enum {
    SEGMENT = 8192,      /* terms a job, so that its points stay in the second cache */
    SEGMENT_LEAST = 256, /* below this the inversions cost more than the additions */
    REDUCED = 8192,      /* buckets that a job reduces, where there are so many */
    ALIGNMENT = 64,
    GROUP_BYTES = 20 << 20 /* of the windows at work, unless one alone takes more */
};

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The width with the fewest additions, windows * (terms + twice the buckets), where they are fewer by 3 % than with
 * narrower windows, which take less memory. */
static unsigned best_width(unsigned bits, size_t n)
{
    unsigned best = 2;
    size_t least_cost = 0;
    for (unsigned c = 2; c <= ASSAY_MSM_MAX_WIDTH; c++) {
        size_t cost = assay_windows_count(bits, c) * (n + ((size_t)2 << (c - 1)));
        if (c == 2 || cost + cost / 32 < least_cost) {
            best = c;
            least_cost = cost;
        }
    }
    return best;
}

/* Fills the offsets in. What one window takes is counted once for each of the group. */
static void place(assay_msm_shape *s, const assay_affine_ops *ops, bool sorts)
{
    size_t at = 0, arrays = s->group * s->terms, cap = s->capacity;
    s->digits_at = at;
    at = aligned(at + (sorts ? arrays : 0) * sizeof(uint16_t));
    s->sorted_at = at;
    at = aligned(at + (sorts ? arrays : 0) * sizeof(uint32_t));
    s->starts_at = at;
    at = aligned(at + s->group * (s->buckets + 1) * sizeof(uint32_t));
    s->cuts_at = at;
    at = aligned(at + 4 * s->segments * sizeof(uint32_t));
    s->points_at = at;
    s->cut_point = s->group * s->buckets;
    s->worker_point = s->cut_point + 2 * s->segments;
    s->worker_points = cap * 2 / 3 + 1 + cap * 4 / 9 + 1 + s->reduced * (s->buckets / 2 + 1);
    at = aligned(at + (s->worker_point + s->workers * s->worker_points) * s->point_bytes);
    s->workers_at = at;
    s->worker_bytes = 3 * aligned((cap / 2 + 1) * sizeof(uint32_t)) + aligned(cap * sizeof(assay_msm_run)) +
                      aligned(assay_affine_scratch(ops, cap / 2 + 1));
    s->bytes = at + s->workers * s->worker_bytes;
}

/* Segments small enough that each worker gets some; large enough a worker to merge what they cut. */
static void cut(assay_msm_shape *s, size_t segment)
{
    size_t total = s->group * s->terms;
    s->segment = most(SEGMENT_LEAST, least(segment, total / (4 * (size_t)s->workers)));
    s->segments = total / s->segment + 1;
    s->capacity = most(s->segment, 2 * s->segments);
    s->reduced = least((s->group - 1) / s->workers + 1, most(1, REDUCED / s->buckets));
}

static void choose(assay_msm_shape *s, unsigned bits, size_t n, unsigned workers)
{
    s->width = best_width(bits, n);
    s->windows = assay_windows_count(bits, s->width);
    s->buckets = (size_t)1 << (s->width - 1);
    s->terms = n;
    s->workers = workers;
    size_t window = n * 6 + s->buckets * (s->point_bytes + 4);
    s->group = (unsigned)least(s->windows, most(1, GROUP_BYTES / window));
}

bool assay_msm_plan(assay_msm_shape *s, const assay_affine_ops *ops, size_t point_bytes, unsigned bits, size_t n,
                    unsigned workers, size_t limit)
{
    size_t segment = SEGMENT;
    s->point_bytes = point_bytes;
    choose(s, bits, n, workers);
    for (;;) {
        cut(s, segment);
        place(s, ops, true);
        if (!limit || s->bytes <= limit) return true;
        if (s->group > 1)
            s->group--;
        else if (s->width > 4 && s->buckets * 2 > s->terms / 8) {
            s->width--;
            s->windows = assay_windows_count(bits, s->width);
            s->buckets /= 2;
        } else if (s->workers > 1)
            s->workers--;
        else if (segment > SEGMENT_LEAST)
            segment /= 2;
        else
            return false;
    }
}

bool assay_msm_plan_plain(assay_msm_shape *s, const assay_affine_ops *ops, size_t point_bytes, size_t n,
                          unsigned workers, size_t limit)
{
    size_t segment = SEGMENT;
    s->point_bytes = point_bytes;
    s->width = s->windows = s->group = 1;
    s->buckets = 1;
    s->terms = n;
    s->workers = workers;
    for (;;) {
        cut(s, segment);
        place(s, ops, false);
        if (!limit || s->bytes <= limit) return true;
        if (s->workers > 1)
            s->workers--;
        else if (segment > SEGMENT_LEAST)
            segment /= 2;
        else
            return false;
    }
}
