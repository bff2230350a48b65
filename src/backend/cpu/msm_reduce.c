/* SPDX-License-Identifier: Apache-2.0 */
/* From the buckets of a window, X_0 .. X_(B - 1), the sum of (i + 1) X_i by 2 B additions in log2 B layers of pairs.
 * With Y_i = X_(2 i) + X_(2 i + 1), the sum of i X_i is twice the sum of i Y_i and the sum of the X of odd i; so layer
 * k halves the array, and the sums of the odd ones, one for each earlier layer, are halved beside it. At the end the
 * sum is Y + sum_k 2^k odd_k. */
#include "backend/cpu/msm.h"
#include <string.h>

typedef struct pair_list {
    const assay_msm_frame *f;
    assay_msm_worker *w;
    size_t n, room;
} pair_list;

static void flush(pair_list *l)
{
    assay_affine_pairs p = {l->f->own, l->f->own, l->f->own, l->w->io, l->w->ia, l->w->ib, false, NULL, 0};
    l->f->ops->add(l->w->scratch, &p, l->n);
    l->n = 0;
}

/* out + i = point (from + stride i) and the one `gap` after it, i < n. */
static void fold(pair_list *l, size_t out, size_t from, size_t stride, size_t gap, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (l->n == l->room) flush(l);
        l->w->io[l->n] = (uint32_t)(out + i);
        l->w->ia[l->n] = (uint32_t)(from + stride * i);
        l->w->ib[l->n++] = (uint32_t)(from + stride * i + gap);
    }
}

/* Where the odd sums of layer k lie: they begin with B / 2^(k + 2) points, at least one. */
static size_t odd_at(const assay_msm_worker *w, size_t buckets, size_t window, unsigned k)
{
    return w->odd + window * (buckets / 2 + 1) + buckets / 2 - (buckets >> (k + 1));
}

/* Layer k of windows from .. to - 1. The order matters: nothing is overwritten that a later pair needs. */
static void halve(pair_list *l, size_t from, size_t to, unsigned k)
{
    size_t buckets = l->f->shape->buckets, n = buckets >> k, bytes = l->f->group->affine_bytes;
    for (size_t g = from; g < to; g++) {
        size_t odd = odd_at(l->w, buckets, g - from, k);
        if (n > 2)
            fold(l, odd, g * buckets + 1, 4, 2, n / 4);
        else
            memcpy(assay_msm_own(l->f, odd), assay_msm_own(l->f, g * buckets + 1), bytes);
    }
    for (size_t g = from; g < to; g++) {
        fold(l, g * buckets, g * buckets, 2, 1, n / 2);
        for (unsigned j = 0; j < k; j++) {
            size_t odd = odd_at(l->w, buckets, g - from, j);
            fold(l, odd, odd, 2, 1, n / 4);
        }
    }
    flush(l);
}

static void finish_window(const assay_msm_frame *f, const assay_msm_worker *w, size_t g, size_t slot, unsigned layers)
{
    const assay_group *group = f->group;
    size_t buckets = f->shape->buckets;
    assay_point t, *out = &f->sums[f->first + g];
    group->infinity(&t);
    for (unsigned k = layers; k-- > 0;) {
        group->dbl(&t, &t);
        group->add_affine(&t, &t, assay_msm_own(f, odd_at(w, buckets, slot, k)));
    }
    group->add_affine(&t, &t, assay_msm_own(f, g * buckets));
    *out = t;
}

static void reduce_job(void *ctx, size_t worker)
{
    assay_msm_frame *f = ctx;
    const assay_msm_shape *s = f->shape;
    assay_msm_worker w = assay_msm_worker_of(f, worker);
    pair_list l = {f, &w, 0, s->capacity / 2};
    unsigned layers = 0;
    while (s->buckets >> (layers + 1)) layers++;
    for (;;) {
        size_t from = atomic_fetch_add_explicit(&f->next, s->reduced, memory_order_relaxed);
        if (from >= f->limit) return;
        size_t to = from + s->reduced < f->count ? from + s->reduced : f->count;
        for (unsigned k = 0; k < layers; k++) halve(&l, from, to, k);
        for (size_t g = from; g < to; g++) finish_window(f, &w, g, g - from, layers);
    }
}

void assay_msm_reduce(assay_msm_frame *f)
{
    atomic_store(&f->next, 0);
    assay_msm_all(f, reduce_job, f->count);
}
