/* SPDX-License-Identifier: Apache-2.0 */
/* The digits of the scalars of a sum, and its terms in the order of their buckets, window by window. */
#include "backend/cpu/msm.h"
#include "backend/cpu/windows.h"
#include "base/mem.h"
#include <string.h>

enum { GRAIN = 4096 };

static void digits_range(void *ctx, size_t begin, size_t end)
{
    const assay_msm_frame *f = ctx;
    const assay_msm_shape *s = f->shape;
    assay_windows w = assay_windows_make(s->width, s->windows);
    uint64_t k[ASSAY_WINDOW_LIMBS];
    for (size_t i = begin; i < end; i++) {
        const uint64_t *scalar = f->scalars[f->terms[i] & ~ASSAY_AFFINE_NEG];
        if (f->terms[i] & ASSAY_AFFINE_NEG)
            limbs_sub(k, f->curve->fr_modulus, scalar, ASSAY_FR_LIMBS);
        else
            memcpy(k, scalar, sizeof(assay_scalar));
        assay_windows_prepare(&w, k);
        for (unsigned g = 0; g < f->count; g++)
            f->digits[g * s->terms + i] = (uint16_t)assay_windows_digit(&w, k, f->first + g);
    }
    assay_mem_wipe(k, sizeof k);
}

static uint32_t *window_starts(const assay_msm_frame *f, size_t g)
{
    return f->starts + g * (f->shape->buckets + 1);
}

/* Bucket of a digit d above or below `half`, not equal to it. */
static size_t bucket_of(uint32_t d, uint32_t half)
{
    return d > half ? d - half - 1 : half - d - 1;
}

static void count_window(void *ctx, size_t g)
{
    assay_msm_frame *f = ctx;
    const assay_msm_shape *s = f->shape;
    uint32_t half = (uint32_t)s->buckets, *starts = window_starts(f, g);
    const uint16_t *digits = f->digits + g * s->terms;
    memset(starts, 0, (s->buckets + 1) * sizeof *starts);
    memset(assay_msm_own(f, g * s->buckets), 0, s->buckets * s->point_bytes);
    for (size_t i = 0; i < f->n; i++)
        if (digits[i] != half) starts[bucket_of(digits[i], half) + 1]++;
    for (size_t b = 0; b < s->buckets; b++) starts[b + 1] += starts[b];
}

/* starts: relative to the window on entry, in the whole of `sorted` at the end. */
static void place_window(void *ctx, size_t g)
{
    assay_msm_frame *f = ctx;
    const assay_msm_shape *s = f->shape;
    uint32_t half = (uint32_t)s->buckets, *starts = window_starts(f, g);
    const uint16_t *digits = f->digits + g * s->terms;
    for (size_t i = 0; i < f->n; i++) {
        if (digits[i] == half) continue;
        uint32_t neg = digits[i] < half ? ASSAY_AFFINE_NEG : 0;
        f->sorted[starts[bucket_of(digits[i], half)]++] = f->terms[i] ^ neg;
    }
    /* Each start has moved to the next one's place. */
    memmove(starts + 1, starts, s->buckets * sizeof *starts);
}

void assay_msm_sort(assay_msm_frame *f)
{
    size_t buckets = f->shape->buckets, total = 0;
    assay_pool_range(f->pool, f->n, GRAIN, digits_range, f);
    assay_pool_run(f->pool, f->count, count_window, f);
    for (size_t g = 0; g < f->count; g++) {
        uint32_t *starts = window_starts(f, g), own = starts[buckets];
        for (size_t b = 0; b <= buckets; b++) starts[b] += (uint32_t)total;
        total += own;
    }
    f->total = total;
    assay_pool_run(f->pool, f->count, place_window, f);
    for (size_t g = 0, at = 0; g < f->count;
         g++) { /* the memmove left each window's first start in place of the second */
        window_starts(f, g)[0] = (uint32_t)at;
        at = window_starts(f, g)[buckets];
    }
}
