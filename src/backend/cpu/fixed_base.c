/* SPDX-License-Identifier: Apache-2.0 */
/* Many multiples of one point, by a table of its multiples for every window of the scalar: windows - 1 additions a
 * multiple, one window after the other, over many multiples at a time with one inversion (affine.h). */
#include "backend/cpu/affine.h"
#include "backend/cpu/groups.h"
#include "backend/cpu/windows.h"
#include "base/mem.h"
#include <stdatomic.h>
#include <string.h>

enum {
    CHUNK = 2048,           /* multiples a worker makes at a time */
    SLICE = 16,             /* chunks a worker makes between two reports */
    TABLE_BYTES = 16 << 20, /* the table takes at most */
    MAX_WIDTH = 16
};

typedef struct worker_part {
    uint32_t ia[CHUNK], ib[CHUNK];
    uint64_t k[CHUNK][ASSAY_WINDOW_LIMBS];
} worker_part;

typedef struct fixed {
    const assay_group *group;
    const assay_affine_ops *ops;
    assay_pool *pool;
    assay_windows windows;
    uint32_t half, row; /* row: points of a window in the table: infinity, P, 2 P, ... half P, for P of the window */
    size_t workers, scratch_bytes;
    uint8_t *table, *scratch;
    worker_part *parts;
    uint8_t *out;
    const assay_scalar *scalars;
    size_t n, limit;
    _Atomic size_t next;
} fixed;

static unsigned bits_of(const assay_curve *c)
{
    unsigned bits = ASSAY_FR_LIMBS * LIMB_BITS;
    while (!limbs_bit(c->fr_modulus, bits - 1)) bits--;
    return bits;
}

/* The width with the fewest additions, those of the table included. */
static assay_windows choose(unsigned bits, size_t n, size_t point_bytes)
{
    unsigned best = 2;
    size_t least = 0;
    for (unsigned c = 2; c <= MAX_WIDTH; c++) {
        size_t windows = assay_windows_count(bits, c), table = windows * (((size_t)1 << (c - 1)) + 1);
        size_t cost = n * (windows - 1) + table;
        if (c > 2 && (cost >= least || table * point_bytes > TABLE_BYTES)) continue;
        best = c;
        least = cost;
    }
    return assay_windows_make(best, assay_windows_count(bits, best));
}

static uint8_t *entry(const fixed *f, size_t i)
{
    return f->table + i * f->group->affine_bytes;
}

/* The row of window w from its first multiple: k + 1 .. 2 k from 1 .. k. */
static void table_row(fixed *f, size_t w, size_t worker)
{
    worker_part *part = &f->parts[worker];
    uint32_t at = (uint32_t)w * f->row;
    for (uint32_t k = 1; k < f->half; k *= 2) {
        for (uint32_t done = 0; done < k;) {
            uint32_t n = k - done < CHUNK ? k - done : CHUNK;
            for (uint32_t i = 0; i < n; i++) {
                part->ia[i] = at + k;
                part->ib[i] = at + 1 + done + i;
            }
            assay_affine_pairs p = {
                entry(f, at + k + 1 + done), f->table, f->table, NULL, part->ia, part->ib, false, NULL, 0};
            f->ops->add(f->scratch + worker * f->scratch_bytes, &p, n);
            done += n;
        }
    }
}

/* Index of the multiple that window w of the i-th scalar asks for. */
static uint32_t pick(const fixed *f, const worker_part *part, size_t i, unsigned w)
{
    uint32_t d = assay_windows_digit(&f->windows, part->k[i], w), at = w * f->row;
    return d < f->half ? (at + f->half - d) | ASSAY_AFFINE_NEG : at + d - f->half;
}

static void make_chunk(fixed *f, size_t chunk, size_t worker)
{
    worker_part *part = &f->parts[worker];
    void *scratch = f->scratch + worker * f->scratch_bytes;
    size_t begin = chunk * CHUNK, n = f->n - begin < CHUNK ? f->n - begin : CHUNK;
    uint8_t *out = f->out + begin * f->group->affine_bytes;
    for (size_t i = 0; i < n; i++) {
        memcpy(part->k[i], f->scalars[begin + i], sizeof(assay_scalar));
        assay_windows_prepare(&f->windows, part->k[i]);
        part->ia[i] = pick(f, part, i, 0);
        part->ib[i] = pick(f, part, i, 1);
    }
    assay_affine_pairs first = {out, f->table, f->table, NULL, part->ia, part->ib, false, NULL, 0};
    f->ops->add(scratch, &first, n);
    assay_affine_pairs next = {out, out, f->table, NULL, NULL, part->ib, false, NULL, 0};
    for (unsigned w = 2; w < f->windows.count; w++) {
        for (size_t i = 0; i < n; i++) part->ib[i] = pick(f, part, i, w);
        f->ops->add(scratch, &next, n);
    }
}

static void table_job(void *ctx, size_t worker)
{
    fixed *f = ctx;
    size_t w;
    while ((w = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed)) < f->limit) table_row(f, w, worker);
}

static void chunk_job(void *ctx, size_t worker)
{
    fixed *f = ctx;
    size_t c;
    while ((c = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed)) < f->limit) make_chunk(f, c, worker);
}

static void run(fixed *f, assay_job_fn *fn, size_t from, size_t limit)
{
    atomic_store(&f->next, from);
    f->limit = limit;
    assay_pool_run(f->pool, f->workers, fn, f);
}

/* The table: the first multiple of each window by doublings, then the rows. */
static void make_table(fixed *f, const void *affine)
{
    const assay_group *g = f->group;
    assay_point p;
    g->from_affine(&p, affine);
    for (unsigned w = 0; w < f->windows.count; w++) {
        g->to_affine(entry(f, w * f->row + 1), &p);
        for (unsigned i = 0; i < f->windows.width; i++) g->dbl(&p, &p);
    }
    run(f, table_job, 0, f->windows.count);
}

static assay_status make_all(fixed *f, const assay_progress *progress, assay_errinfo *err)
{
    size_t chunks = (f->n + CHUNK - 1) / CHUNK, slice = SLICE * f->workers;
    for (size_t done = 0; done < chunks;) {
        size_t to = chunks - done < slice ? chunks : done + slice;
        assay_status st = assay_progress_tell_count(progress, "multiples of a point", done, chunks, err);
        if (st) return st;
        run(f, chunk_job, done, to);
        done = to;
    }
    return ASSAY_OK;
}

static assay_status fixed_base(const assay_group_backend *be, const assay_curve *c, assay_group_id g, void *out,
                               const void *affine, const assay_scalar *k, size_t n, const assay_progress *progress,
                               assay_errinfo *err)
{
    fixed f;
    assay_status st = ASSAY_OK;
    if (n == 0) return ASSAY_OK;
    memset(&f, 0, sizeof f);
    f.group = &c->group[g];
    f.ops = assay_affine_select(c, g);
    f.windows = choose(bits_of(c), n, f.group->affine_bytes);
    f.pool = n < 64 ? NULL : be->pool;
    f.half = UINT32_C(1) << (f.windows.width - 1);
    f.row = f.half + 1;
    f.workers = assay_pool_threads(f.pool);
    f.scratch_bytes = assay_affine_scratch(f.ops, CHUNK);
    f.out = out;
    f.scalars = k;
    f.n = n;
    f.table = assay_mem_alloc((size_t)f.windows.count * f.row, f.group->affine_bytes);
    f.scratch = assay_mem_alloc_raw(f.workers, f.scratch_bytes);
    f.parts = assay_mem_alloc_raw(f.workers, sizeof *f.parts);
    if (!f.table || !f.scratch || !f.parts) {
        st = ASSAY_FAIL(err, ASSAY_ENOMEM, "fixed base", "out of memory");
        goto out;
    }
    make_table(&f, affine);
    st = make_all(&f, progress, err);
out:
    assay_mem_free(f.table);
    assay_mem_free_secret(f.scratch, f.scratch ? f.workers * f.scratch_bytes : 0);
    assay_mem_free_secret(f.parts, f.parts ? f.workers * sizeof *f.parts : 0);
    return st;
}

void assay_group_backend_fixed_base_init(assay_group_backend *be)
{
    be->fixed_base = fixed_base;
}
