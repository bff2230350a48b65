/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of A w and B w. A coefficient stands in the key as c R^2, so that one Montgomery product with the plain
 * value of the wire gives c w in Montgomery form.
 *
 * The product of both, row by row, is made window by window: for each window of rows, only the part of section 4 is
 * read in which its coefficients stand, from the first to the last. In the files of snarkjs they stand in order of the
 * rows, and all windows together are read once; in another order it takes longer, and is right all the same. */
#include "base/mem.h"
#include "groth16/prover.h"
#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 4096, ROW_CLASS = 64, TERMS = 64 };

static const char stage[] = "rows";

/* Some rows: `count` from `first` on; out[m] has row `first` of matrix m first, or is NULL. */
typedef struct some_rows {
    uint32_t first, count;
    assay_fr *out[2];
} some_rows;

/* ---- a resident key: the matrices stand by rows */

typedef struct by_rows {
    const assay_zkey_matrices *m;
    const assay_curve *curve;
    const assay_wires *w;
    some_rows rows;
} by_rows;

static void sum_rows(void *ctx, size_t begin, size_t end)
{
    const by_rows *r = ctx;
    for (unsigned m = 0; m < 2; m++)
        for (size_t i = begin; r->rows.out[m] && i < end; i++) {
            const uint32_t *start = r->m->start[m] + r->rows.first + i;
            assay_fr sum = {{0}}, w;
            for (uint32_t t = start[0]; t < start[1]; t++) {
                if (!assay_wires_get(&w, r->w, r->m->signal[t])) continue;
                sum = r->curve->fr_add(sum, r->curve->fr_mul(r->m->values.v[r->m->value[t]], w));
            }
            r->rows.out[m][i] = sum;
        }
}

/* ---- a key in a file: coefficients come in the file's order, which a reader may not rely on. Each thread takes the
 * rows of its class out of every piece, so that no two add to one row. */

typedef struct by_pieces {
    const assay_zkey *z;
    const assay_wires *w;
    some_rows rows;
    assay_group_backend alone; /* without threads */
    assay_zkey_coef *coefs;
    uint32_t first;
    size_t n, classes;
    atomic_bool failed;
} by_pieces;

static void read_range(void *ctx, size_t begin, size_t end)
{
    by_pieces *r = ctx;
    if (atomic_load(&r->failed)) return;
    if (assay_zkey_coefs(r->coefs + begin, r->z, r->first + (uint32_t)begin, end - begin, NULL) != ASSAY_OK)
        atomic_store(&r->failed, true);
}

/* Terms of rows that are to be multiplied together. */
typedef struct terms {
    size_t n;
    assay_fr *to[TERMS], value[TERMS], w[TERMS];
} terms;

static void add_terms(terms *t, const assay_group_backend *alone, const assay_curve *c)
{
    alone->fr_mul(alone, c, t->value, t->value, t->w, t->n);
    for (size_t i = 0; i < t->n; i++) *t->to[i] = c->fr_add(*t->to[i], t->value[i]);
    t->n = 0;
}

static void add_class(void *ctx, size_t job)
{
    const by_pieces *r = ctx;
    const assay_curve *c = r->z->curve;
    terms t = {.n = 0};
    for (size_t i = 0; i < r->n; i++) {
        const assay_zkey_coef *k = &r->coefs[i];
        const uint32_t row = k->row - r->rows.first;
        assay_fr *to = r->rows.out[k->matrix];
        if (!to || row >= r->rows.count || row / ROW_CLASS % r->classes != job) continue;
        if (!assay_wires_get(&t.w[t.n], r->w, k->signal)) continue;
        t.value[t.n] = k->value;
        t.to[t.n] = to + row;
        if (++t.n == TERMS) add_terms(&t, &r->alone, c);
    }
    add_terms(&t, &r->alone, c);
    assay_mem_wipe(&t, sizeof t);
}

static assay_status read_piece(by_pieces *r, assay_pool *pool, assay_errinfo *err)
{
    atomic_init(&r->failed, false);
    assay_pool_range(pool, r->n, GRAIN, read_range, r);
    /* again in order, for the message */
    return atomic_load(&r->failed) ? assay_zkey_coefs(r->coefs, r->z, r->first, r->n, err) : ASSAY_OK;
}

static void note_places(assay_row_places *places, const by_pieces *r)
{
    const uint32_t count = assay_groth16_window_rows(r->z->domain);
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t window = r->coefs[i].row / count;
        if (places->end[window] == 0) places->first[window] = r->first + i;
        places->end[window] = r->first + i + 1;
    }
}

/* From coefficients first .. end - 1. */
static assay_status add_pieces(const assay_groth16_prover *p, const some_rows *rows, const assay_wires *w,
                               uint32_t first, uint32_t end, assay_row_places *places, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const size_t piece = p->pieces.coefs < end - first ? p->pieces.coefs : end - first;
    by_pieces r = {.z = z, .w = w, .rows = *rows, .alone = *p->be, .classes = assay_pool_threads(p->be->pool)};
    assay_status s = ASSAY_OK;
    r.alone.pool = NULL;
    for (unsigned m = 0; m < 2; m++)
        if (rows->out[m]) memset(rows->out[m], 0, rows->count * sizeof *rows->out[m]);
    if (first == end) return ASSAY_OK;
    r.coefs = assay_mem_alloc_raw(piece, sizeof *r.coefs);
    if (!r.coefs) return ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for coefficients of the key");
    for (uint32_t at = first; s == ASSAY_OK && at < end; at += (uint32_t)r.n) {
        r.first = at;
        r.n = end - at < piece ? end - at : piece;
        s = read_piece(&r, p->be->pool, err);
        if (s != ASSAY_OK) break;
        if (places) note_places(places, &r);
        assay_pool_run(p->be->pool, r.classes, add_class, &r);
        s = assay_progress_tell(p->progress, stage,
                                p->done + p->share * (double)(r.first - first + r.n) / (double)(end - first), err);
    }
    assay_mem_free(r.coefs);
    return s;
}

/* ---- both */

assay_status assay_groth16_rows(const assay_groth16_prover *p, assay_fr *a, assay_fr *b, const assay_wires *w,
                                assay_row_places *places, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const some_rows all = {0, z->domain, {a, b}};
    assay_status s = assay_progress_tell(p->progress, stage, p->done, err);
    if (places) *places = (assay_row_places){0};
    if (s != ASSAY_OK || !p->key->resident)
        return s == ASSAY_OK ? add_pieces(p, &all, w, 0, z->n_coefs, places, err) : s;
    by_rows r = {&p->key->matrices, z->curve, w, all};
    assay_pool_range(p->be->pool, z->domain, GRAIN, sum_rows, &r);
    return ASSAY_OK;
}

assay_status assay_groth16_row_products(const assay_groth16_prover *p, assay_fr *out, const assay_wires *w,
                                        const assay_row_places *places, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const uint32_t count = assay_groth16_window_rows(z->domain), windows = z->domain / count;
    assay_groth16_prover of_window = *p;
    assay_status s = ASSAY_OK;
    assay_fr *room = assay_mem_alloc_raw(count, sizeof *room);
    if (!room) s = ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for a proof");
    of_window.share = p->share / windows;
    for (uint32_t i = 0; s == ASSAY_OK && i < windows; i++) {
        assay_fr *to = out + (size_t)i * count;
        const some_rows some = {i * count, count, {to, room}};
        of_window.done = p->done + i * of_window.share;
        s = assay_progress_tell(p->progress, stage, of_window.done, err);
        if (s != ASSAY_OK) break;
        if (p->key->resident) {
            by_rows r = {&p->key->matrices, z->curve, w, some};
            assay_pool_range(p->be->pool, count, GRAIN, sum_rows, &r);
        } else {
            s = add_pieces(&of_window, &some, w, places->first[i], places->end[i], NULL, err);
        }
        if (s == ASSAY_OK) p->be->fr_mul(p->be, z->curve, to, to, room, count);
    }
    assay_mem_free_secret(room, count * sizeof *room);
    return s;
}
