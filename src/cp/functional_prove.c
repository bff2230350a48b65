/* SPDX-License-Identifier: Apache-2.0 */
/* Writing phi out for the merge: every box gathers the terms that meet it, so boxes are independent jobs. */
#include "base/mem.h"
#include "cp/functional.h"
#include "poly/eq.h"
#include <stdatomic.h>

enum { INNER = 256 /* trailing axes are multiplied out up to this many weights */ };

typedef struct job_box {
    uint32_t grid, box;
} job_box;

typedef struct write_job {
    const assay_functional *f;
    const assay_iop *iop;
    const assay_backend *be; /* without a pool: jobs are parallel themselves */
    assay_kvec *phi;
    const job_box *jobs;
    const uint32_t *first; /* terms of slot g: order[first[g] .. first[g+1]) */
    const uint32_t *order;
    atomic_bool *out_of_memory;
} write_job;

static kel weight_at(const assay_weights *w, uint32_t i)
{
    if (w->w) return w->w[i - w->start];
    return w->point ? assay_eq_index(w->point, layout_ceil_log2(w->len), i - w->start) : k_one();
}

static size_t slot_of(const assay_cp_shape *s, uint32_t grid)
{
    return grid >= ASSAY_GRID_OF_MATRIX(0) ? s->n_grids + (grid - ASSAY_GRID_OF_MATRIX(0)) : grid;
}

/* Adds coef * w over axes axis .. n-1, restricted to [lo, hi), to the cells at `at`. inner: weights of the axes from
 * `split` on, multiplied out over the whole box. */
typedef struct place {
    const assay_backend *be;
    const assay_term *t;
    const assay_box *b;
    const uint32_t *lo, *hi;
    assay_kvec *row;
    unsigned split;
    size_t inner_n;
    assay_kvec *inner;
} place;

static void add_outer(const place *p, unsigned axis, size_t at, kel coef)
{
    if (axis >= p->split || axis >= ASSAY_GRID_AXES) {
        assay_kvec y = assay_kvec_at(p->row, at, p->inner_n);
        p->be->k_axpy(p->be, &y, coef, p->inner, p->inner_n);
        return;
    }
    size_t stride = 1;
    for (unsigned a = axis + 1; a < ASSAY_GRID_AXES; a++) stride <<= p->b->log_len[a];
    for (uint32_t i = p->lo[axis]; i < p->hi[axis]; i++)
        add_outer(p, axis + 1, at + (size_t)(i - p->b->start[axis]) * stride,
                  k_mul(coef, weight_at(&p->t->ax[axis], i)));
}

/* out[i n + k] = eq(w->point, start + i - w->start) out[k] for the 2^bits indices i of a piece, variable by variable.
 */
static void spread_eq(assay_kvec *out, size_t n, const assay_weights *w, uint32_t start, unsigned bits)
{
    kel high = assay_eq_index(w->point + bits, layout_ceil_log2(w->len) - bits, (start - w->start) >> bits);
    for (size_t k = 0; k < n; k++) kvec_set(out, k, k_mul(high, kvec_get(out, k)));
    for (unsigned v = 0; v < bits; v++, n *= 2)
        for (size_t k = 0; k < n; k++) {
            kel x = kvec_get(out, k), y = k_mul(x, w->point[v]);
            kvec_set(out, n + k, y);
            kvec_set(out, k, k_sub(x, y));
        }
}

/* Weights of the last axes, from `split` on, over the box (zero outside [lo, hi)). */
static void multiply_out(const assay_term *t, const assay_grid *g, const assay_box *b, const uint32_t *lo,
                         const uint32_t *hi, unsigned split, assay_kvec *out)
{
    size_t n = 1;
    kvec_set(out, 0, k_one());
    for (unsigned a = g->n_axes; a-- > split;) {
        size_t len = (size_t)1 << b->log_len[a];
        if (t->ax[a].point) {
            spread_eq(out, n, &t->ax[a], b->start[a], b->log_len[a]);
            n *= len;
            continue;
        }
        /* From the back, so that the product so far (the first n entries) is read before it is overwritten. */
        for (size_t i = len; i-- > 0;) {
            uint32_t x = b->start[a] + (uint32_t)i;
            bool in = x >= lo[a] && x < hi[a];
            kel w = in ? weight_at(&t->ax[a], x) : k_zero();
            for (size_t k = 0; k < n; k++) kvec_set(out, i * n + k, in ? k_mul(w, kvec_get(out, k)) : k_zero());
        }
        n *= len;
    }
}

static void add_rotation(const write_job *j, const assay_term *t, const assay_grid *g, const assay_box *b,
                         const uint32_t *lo, const uint32_t *hi, kel coef, assay_kvec *row, size_t at,
                         assay_kvec *inner)
{
    const assay_rotation *r = &j->f->rotation[t->rotation - 1];
    unsigned a = g->n_axes - 2u;
    size_t len = (size_t)1 << b->log_len[a + 1], n_i = (size_t)1 << b->log_len[a];
    for (size_t i = 0; i < n_i; i++) {
        const size_t token = b->start[a] + i;
        for (size_t k = 0; k < len; k++) kvec_set(inner, k, rotation_weight(r, token, b->start[a + 1] + (uint32_t)k));
        place p = {j->be, t, b, lo, hi, row, a, len, inner};
        /* The leading axes' stride already counts the two inner ones. */
        add_outer(&p, 0, at + i * len, coef);
    }
}

static void write_box(void *ctx, size_t job)
{
    const write_job *j = ctx;
    const assay_cp_shape *s = j->f->shape;
    uint32_t grid = j->jobs[job].grid;
    const assay_grid *g = assay_functional_grid(s, grid);
    const assay_box *b = &g->box[j->jobs[job].box];
    uint64_t addr = assay_functional_address(s, grid, b);
    size_t slot = slot_of(s, grid), at = (size_t)(addr & (((uint64_t)1 << s->params.c) - 1));
    assay_kvec *row = &j->phi[addr >> s->params.c], inner;

    unsigned split = g->n_axes;
    size_t inner_n = 1;
    while (split > 0 && (inner_n == 1 || inner_n << b->log_len[split - 1] <= INNER)) inner_n <<= b->log_len[--split];
    size_t room = inner_n > (size_t)1 << b->log_len[g->n_axes - 1] ? inner_n : (size_t)1 << b->log_len[g->n_axes - 1];
    if (!assay_kvec_new(&inner, room)) {
        atomic_store(j->out_of_memory, true);
        return;
    }
    for (uint32_t k = j->first[slot]; k < j->first[slot + 1]; k++) {
        const assay_term *t = &j->f->term[j->order[k]];
        uint32_t lo[ASSAY_GRID_AXES], hi[ASSAY_GRID_AXES];
        if (!assay_term_meets(t, g, b, lo, hi)) continue;
        kel coef = t->node == (assay_claim)ASSAY_NODE_ONE ? t->coef : k_mul(t->coef, assay_iop_weight(j->iop, t->node));
        if (k_is_zero(coef)) continue;
        if (t->rotation) {
            add_rotation(j, t, g, b, lo, hi, coef, row, at, &inner);
            continue;
        }
        multiply_out(t, g, b, lo, hi, split, &inner);
        place p = {j->be, t, b, lo, hi, row, split, inner_n, &inner};
        add_outer(&p, 0, at, coef);
    }
    assay_kvec_free(&inner);
}

assay_status assay_functional_write(const assay_functional *f, const assay_iop *iop, const assay_backend *be,
                                    assay_kvec *phi)
{
    const assay_cp_shape *s = f->shape;
    size_t n_slots = s->n_grids + MAT_COUNT, n_jobs = 0, at = 0;
    if (f->failed) return ASSAY_ENOMEM;
    uint32_t *first = assay_mem_alloc(n_slots + 1, sizeof *first), *order = assay_mem_alloc(f->n, sizeof *order);
    for (uint32_t g = 0; g < s->n_grids; g++) n_jobs += s->grid[g].n_box;
    for (unsigned m = 0; m < MAT_COUNT; m++) n_jobs += s->weights[m].n_box;
    job_box *jobs = assay_mem_alloc(n_jobs, sizeof *jobs);
    assay_status st = first && order && jobs ? ASSAY_OK : ASSAY_ENOMEM;
    if (st == ASSAY_OK) {
        for (size_t i = 0; i < f->n; i++) first[slot_of(s, f->term[i].grid) + 1]++;
        for (size_t g = 0; g < n_slots; g++) first[g + 1] += first[g];
        for (size_t i = f->n; i-- > 0;) order[--first[slot_of(s, f->term[i].grid) + 1]] = (uint32_t)i;
        /* first[g + 1] now points at the start of slot g; shift back. */
        for (size_t g = 0; g < n_slots; g++) first[g] = first[g + 1];
        first[n_slots] = (uint32_t)f->n;
        for (size_t g = 0; g < n_slots; g++) {
            uint32_t grid = g < s->n_grids ? (uint32_t)g : ASSAY_GRID_OF_MATRIX(g - s->n_grids);
            for (uint32_t b = 0; b < assay_functional_grid(s, grid)->n_box; b++) jobs[at++] = (job_box){grid, b};
        }
        assay_backend alone = *be;
        alone.pool = NULL;
        atomic_bool out_of_memory = false;
        write_job j = {f, iop, &alone, phi, jobs, first, order, &out_of_memory};
        assay_pool_run(be->pool, n_jobs, write_box, &j);
        if (atomic_load(&out_of_memory)) st = ASSAY_ENOMEM;
    }
    assay_mem_free(first);
    assay_mem_free(order);
    assay_mem_free(jobs);
    return st;
}
