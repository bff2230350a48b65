/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sum of multiples on the CPU (msm.c has the algorithm). */
#ifndef ASSAY_BACKEND_CPU_MSM_H
#define ASSAY_BACKEND_CPU_MSM_H

#include "backend/cpu/affine.h"
#include "backend/groups.h"
#include <stdatomic.h>

enum { ASSAY_MSM_MAX_WIDTH = 16, ASSAY_MSM_MAX_WINDOWS = 128 };

/* What is to be summed, and how the memory for it is shared out. Offsets are bytes from the start of the memory, *_at;
 * points in it are counted from points_at, *_point. */
typedef struct assay_msm_shape {
    unsigned width, windows; /* bits of a window; how many cover a magnitude and its sign */
    unsigned group;          /* windows that are worked on at a time */
    unsigned workers;
    size_t buckets;  /* of a window: 2^(width - 1) */
    size_t terms;    /* at most */
    size_t segment;  /* sorted terms a job adds up */
    size_t segments; /* at most */
    size_t capacity; /* terms a worker can take at a time */
    size_t reduced;  /* windows that one job reduces */
    size_t point_bytes;
    size_t digits_at, sorted_at, starts_at, cuts_at, points_at, workers_at, worker_bytes;
    size_t cut_point, worker_point, worker_points;
    size_t bytes;
} assay_msm_shape;

/* The part of a worker: three index arrays of capacity / 2, runs of capacity, scratch, and points. */
typedef struct assay_msm_run {
    uint32_t n, home; /* n summands that lie one after the other, and the point in which their sum goes */
} assay_msm_run;

typedef struct assay_msm_worker {
    uint32_t *ia, *ib, *io;
    assay_msm_run *runs;
    void *scratch;
    const uint32_t *soon; /* terms of the segment after this one */
    size_t n_soon;
    uint32_t layer[2], odd; /* points: two layers of a tree, and the odd sums of a reduction */
} assay_msm_worker;

/* A sum at work: the caller's terms, and pointers into the memory that a shape describes. */
typedef struct assay_msm_frame {
    const assay_msm_shape *shape;
    const assay_affine_ops *ops;
    const assay_curve *curve;
    const assay_group *group;
    assay_pool *pool;
    const uint8_t *points; /* the caller's */
    const assay_scalar *scalars;
    const uint32_t *terms; /* indices of points, negated ones marked (ASSAY_AFFINE_NEG) */
    size_t n;
    unsigned first, count; /* windows of the group at work */
    uint16_t *digits;      /* [window][term]: digit + 2^(width - 1) */
    uint32_t *sorted;      /* terms in the order of window and bucket */
    uint32_t *starts;      /* [window][bucket], and the end of the window: where in `sorted` */
    uint32_t *cuts;      /* two a segment: the bucket whose sum the cut point holds, or ASSAY_MSM_NO_CUT; then terms */
    uint8_t *own;        /* points of the memory */
    assay_point *sums;   /* one a window of the whole sum */
    size_t total;        /* terms in `sorted` */
    _Atomic size_t next; /* job to be taken */
    size_t limit;        /* where to stop */
} assay_msm_frame;

#define ASSAY_MSM_NO_CUT UINT32_MAX

/* The shape for n terms with magnitudes of so many bits, in at most `limit` bytes (0: no limit); false when that is too
 * little. */
bool assay_msm_plan(assay_msm_shape *s, const assay_affine_ops *ops, size_t point_bytes, unsigned bits, size_t n,
                    unsigned workers, size_t limit);
/* The shape of a plain sum of n terms. */
bool assay_msm_plan_plain(assay_msm_shape *s, const assay_affine_ops *ops, size_t point_bytes, size_t n,
                          unsigned workers, size_t limit);

/* Windows of the frame: digits, then the sorted terms and where each bucket starts. Buckets are cleared. */
void assay_msm_sort(assay_msm_frame *f);

/* The sums of all buckets, from f->sorted. */
assay_status assay_msm_buckets(assay_msm_frame *f, const assay_progress *progress, assay_errinfo *err);

/* f->sums of the windows at work, from the buckets. */
void assay_msm_reduce(assay_msm_frame *f);

/* Runs f on every worker at once. */
void assay_msm_all(assay_msm_frame *f, assay_job_fn *fn, size_t limit);
assay_msm_worker assay_msm_worker_of(const assay_msm_frame *f, size_t worker);

/* The runs of w->runs, whose summands lie in points one after the other, in the order of `terms`, are added up. */
void assay_msm_tree(const assay_msm_frame *f, assay_msm_worker *w, const uint8_t *points, const uint32_t *terms,
                    size_t n_runs);

static inline uint8_t *assay_msm_own(const assay_msm_frame *f, size_t i)
{
    return f->own + i * f->group->affine_bytes;
}

#endif
