/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of the buckets. The sorted terms are cut into segments of equal length, whatever the buckets' sizes, so that
 * any distribution of scalars keeps all workers busy. A segment adds up its buckets as trees, all pairs of a layer at
 * once; what a cut has taken from a bucket goes into a cut point, and the cut points are added up at the end. */
#include "backend/cpu/msm.h"
#include "base/mem.h"
#include <string.h>

enum { SLICE = 32 }; /* segments a worker does between two reports */

/* A point of `from`, negated if marked, as one of the frame's. */
static void put(const assay_msm_frame *f, uint32_t to, const uint8_t *from, uint32_t index)
{
    size_t bytes = f->group->affine_bytes;
    const uint8_t *p = from + (size_t)(index & ~ASSAY_AFFINE_NEG) * bytes;
    if (index & ASSAY_AFFINE_NEG) {
        assay_affine t;
        memcpy(&t, p, bytes);
        f->group->affine_neg(assay_msm_own(f, to), &t);
    } else
        memcpy(assay_msm_own(f, to), p, bytes);
}

/* One layer: pairs go to the next layer, or home when a run has no more; odd ones out are carried along. Returns the
 * runs that are left. */
static size_t layer(const assay_msm_frame *f, assay_msm_worker *w, const uint8_t *from, const uint32_t *terms,
                    uint32_t base, uint32_t to, size_t n_runs)
{
    size_t at = 0, pairs = 0, kept = 0;
    for (size_t r = 0; r < n_runs; r++) {
        assay_msm_run run = w->runs[r];
        bool last = run.n == 2;
        for (uint32_t j = 0; j + 1 < run.n; j += 2, pairs++) {
            w->ia[pairs] = terms ? terms[at + j] : base + (uint32_t)at + j;
            w->ib[pairs] = terms ? terms[at + j + 1] : base + (uint32_t)at + j + 1;
            w->io[pairs] = last ? run.home : to++;
        }
        at += run.n;
        if (run.n % 2) put(f, run.n == 1 ? run.home : to++, from, terms ? terms[at - 1] : base + (uint32_t)at - 1);
        run.n = run.n / 2 + run.n % 2;
        if (run.n > 1) w->runs[kept++] = run;
    }
    assay_affine_pairs p = {f->own, from, from, w->io, w->ia, w->ib, terms != NULL, NULL, 0};
    if (terms) {
        p.soon = w->soon;
        p.n_soon = w->n_soon;
    }
    f->ops->add(w->scratch, &p, pairs);
    return kept;
}

void assay_msm_tree(const assay_msm_frame *f, assay_msm_worker *w, const uint8_t *points, const uint32_t *terms,
                    size_t n_runs)
{
    uint32_t base = 0;
    for (unsigned side = 0; n_runs; side ^= 1) {
        n_runs = layer(f, w, points, terms, base, w->layer[side], n_runs);
        points = f->own;
        terms = NULL;
        base = w->layer[side];
    }
}

assay_msm_worker assay_msm_worker_of(const assay_msm_frame *f, size_t worker)
{
    const assay_msm_shape *s = f->shape;
    size_t cap = s->capacity, step = ((cap / 2 + 1) * sizeof(uint32_t) + 63) / 64 * 64;
    uint8_t *at = (uint8_t *)f->digits - s->digits_at + s->workers_at + worker * s->worker_bytes;
    uint32_t point = (uint32_t)(s->worker_point + worker * s->worker_points);
    assay_msm_worker w = {0};
    w.ia = (uint32_t *)(void *)at;
    w.ib = (uint32_t *)(void *)(at + step);
    w.io = (uint32_t *)(void *)(at + 2 * step);
    w.runs = (assay_msm_run *)(void *)(at + 3 * step);
    w.scratch = at + 3 * step + (cap * sizeof(assay_msm_run) + 63) / 64 * 64;
    w.layer[0] = point;
    w.layer[1] = point + (uint32_t)(cap * 2 / 3 + 1);
    w.odd = w.layer[1] + (uint32_t)(cap * 4 / 9 + 1);
    return w;
}

void assay_msm_all(assay_msm_frame *f, assay_job_fn *fn, size_t limit)
{
    f->limit = limit;
    assay_pool_run(f->pool, f->shape->workers, fn, f);
}

/* The window and bucket of the sorted term at position `at`. */
static size_t find(const assay_msm_frame *f, size_t at)
{
    size_t buckets = f->shape->buckets, g = 0, low = 0, high = buckets;
    while (f->starts[g * (buckets + 1) + buckets] <= at) g++;
    const uint32_t *starts = f->starts + g * (buckets + 1);
    while (high - low > 1) { /* starts[low] <= at < starts[high] */
        size_t middle = low + (high - low) / 2;
        if (starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return g * buckets + low;
}

static void segment(const assay_msm_frame *f, assay_msm_worker *w, size_t i)
{
    const assay_msm_shape *s = f->shape;
    size_t begin = i * s->segment, end = begin + s->segment < f->total ? begin + s->segment : f->total, n_runs = 0;
    uint32_t *cuts = f->cuts + 2 * i;
    cuts[0] = cuts[1] = ASSAY_MSM_NO_CUT;
    for (size_t b = find(f, begin), at = begin; at < end; b++) {
        const uint32_t *start = f->starts + b / s->buckets * (s->buckets + 1) + b % s->buckets;
        size_t stop = start[1] < end ? start[1] : end;
        if (stop <= at) continue;
        uint32_t home = (uint32_t)b;
        if (start[0] < begin || start[1] > end) {
            size_t side = at == begin ? 0 : 1;
            cuts[side] = (uint32_t)b;
            home = (uint32_t)(s->cut_point + 2 * i + side);
        }
        w->runs[n_runs].n = (uint32_t)(stop - at);
        w->runs[n_runs++].home = home;
        at = stop;
    }
    assay_msm_tree(f, w, f->points, f->sorted + begin, n_runs);
}

/* A worker claims its next segment early, so that its points can be fetched while this one is added up. */
static void segments_job(void *ctx, size_t worker)
{
    assay_msm_frame *f = ctx;
    assay_msm_worker w = assay_msm_worker_of(f, worker);
    size_t i = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed);
    while (i < f->limit) {
        size_t next = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed), size = f->shape->segment;
        w.n_soon = next >= f->limit ? 0 : f->total - next * size < size ? f->total - next * size : size;
        w.soon = f->sorted + (w.n_soon ? next * size : 0);
        segment(f, &w, i);
        i = next;
    }
}

/* Adds the cut points of each bucket up. Neighbours in order belong together. */
static void mend(assay_msm_frame *f, size_t segments)
{
    assay_msm_worker w = assay_msm_worker_of(f, 0);
    uint32_t *terms = f->cuts + 2 * segments;
    size_t n = 0, n_runs = 0;
    for (size_t i = 0; i < 2 * segments; i++) {
        if (f->cuts[i] == ASSAY_MSM_NO_CUT) continue;
        terms[n++] = (uint32_t)(f->shape->cut_point + i);
        if (n_runs && w.runs[n_runs - 1].home == f->cuts[i])
            w.runs[n_runs - 1].n++;
        else
            w.runs[n_runs++] = (assay_msm_run){1, f->cuts[i]};
    }
    assay_msm_tree(f, &w, f->own, terms, n_runs);
}

assay_status assay_msm_buckets(assay_msm_frame *f, const assay_progress *progress, assay_errinfo *err)
{
    size_t segments = (f->total + f->shape->segment - 1) / f->shape->segment, slice = SLICE * (size_t)f->shape->workers;
    for (size_t done = 0; done < segments;) {
        assay_status st = assay_progress_tell_count(progress, "sum of multiples", done, segments, err);
        if (st) return st;
        size_t limit = segments - done < slice ? segments : done + slice;
        atomic_store(&f->next, done);
        assay_msm_all(f, segments_job, limit);
        done = limit;
    }
    mend(f, segments);
    return ASSAY_OK;
}
