/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of A w and B w. A coefficient stands in the key as c R^2, so that one Montgomery product with the plain
 * value of the wire gives c w in Montgomery form. */
#include "base/mem.h"
#include "groth16/prover.h"
#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 4096, ROW_CLASS = 64 };

static inline assay_fr value_of(const assay_scalar *w)
{
    assay_fr v;
    memcpy(v.l, *w, sizeof v.l);
    return v;
}

static inline bool is_zero(const assay_scalar *w)
{
    return ((*w)[0] | (*w)[1] | (*w)[2] | (*w)[3]) == 0;
}

/* ---- a resident key: the matrices stand by rows */

typedef struct by_rows {
    const assay_zkey_matrices *m;
    const assay_curve *curve;
    const assay_scalar *w;
    assay_fr *out[2];
} by_rows;

static void sum_rows(void *ctx, size_t begin, size_t end)
{
    const by_rows *r = ctx;
    for (unsigned m = 0; m < 2; m++)
        for (size_t i = begin; i < end; i++) {
            assay_fr sum = {{0}};
            for (uint32_t t = r->m->start[m][i]; t < r->m->start[m][i + 1]; t++) {
                const assay_scalar *w = &r->w[r->m->signal[t]];
                if (is_zero(w)) continue;
                sum = r->curve->fr_add(sum, r->curve->fr_mul(r->m->values.v[r->m->value[t]], value_of(w)));
            }
            r->out[m][i] = sum;
        }
}

/* ---- a key in a file: coefficients come in the file's order, which a reader may not rely on. Each thread takes the
 * rows of its class out of every piece, so that no two add to one row. */

typedef struct by_pieces {
    const assay_zkey *z;
    const assay_scalar *w;
    assay_fr *out[2];
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

static void add_class(void *ctx, size_t job)
{
    const by_pieces *r = ctx;
    const assay_curve *c = r->z->curve;
    for (size_t i = 0; i < r->n; i++) {
        const assay_zkey_coef *k = &r->coefs[i];
        if (k->row / ROW_CLASS % r->classes != job || is_zero(&r->w[k->signal])) continue;
        assay_fr *to = &r->out[k->matrix][k->row];
        *to = c->fr_add(*to, c->fr_mul(k->value, value_of(&r->w[k->signal])));
    }
}

static assay_status add_piece(by_pieces *r, assay_pool *pool, assay_errinfo *err)
{
    atomic_init(&r->failed, false);
    assay_pool_range(pool, r->n, GRAIN, read_range, r);
    if (atomic_load(&r->failed)) { /* again in order, for the message */
        assay_status s = assay_zkey_coefs(r->coefs, r->z, r->first, r->n, err);
        if (s != ASSAY_OK) return s;
    }
    assay_pool_run(pool, r->classes, add_class, r);
    return ASSAY_OK;
}

assay_status assay_groth16_rows(const assay_groth16_prover *p, assay_fr *a, assay_fr *b, const assay_scalar *w,
                                assay_errinfo *err)
{
    static const char stage[] = "rows";
    const assay_zkey *z = &p->key->z;
    assay_status s = assay_progress_tell(p->progress, stage, p->done, err);
    if (s != ASSAY_OK) return s;
    if (p->key->resident) {
        by_rows r = {&p->key->matrices, z->curve, w, {a, b}};
        assay_pool_range(p->be->pool, z->domain, GRAIN, sum_rows, &r);
        return ASSAY_OK;
    }
    memset(a, 0, z->domain * sizeof *a);
    memset(b, 0, z->domain * sizeof *b);
    if (z->n_coefs == 0) return ASSAY_OK;
    const size_t piece = p->pieces.coefs < z->n_coefs ? p->pieces.coefs : z->n_coefs;
    by_pieces r = {.z = z, .w = w, .out = {a, b}, .classes = assay_pool_threads(p->be->pool)};
    r.coefs = assay_mem_alloc_raw(piece, sizeof *r.coefs);
    if (!r.coefs) return ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for coefficients of the key");
    for (uint32_t at = 0; s == ASSAY_OK && at < z->n_coefs; at += (uint32_t)r.n) {
        r.first = at;
        r.n = z->n_coefs - at < piece ? z->n_coefs - at : piece;
        s = add_piece(&r, p->be->pool, err);
        if (s == ASSAY_OK)
            s = assay_progress_tell(p->progress, stage, p->done + p->share * (double)(at + r.n) / (double)z->n_coefs,
                                    err);
    }
    assay_mem_free(r.coefs);
    return s;
}
