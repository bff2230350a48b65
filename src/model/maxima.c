/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima over calibration windows, gathered in parallel: each window has its own and they are merged afterwards. */
#include "model/maxima.h"
#include "base/mem.h"
#include "base/progress.h"

/* Places the arrays from base on (NULL: only counts); returns the floats used. */
static size_t lay_out(assay_maxima *m, const assay_hf_config *c, float *base)
{
    size_t q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim, used = 0;
    for (size_t l = 0; l < c->n_layers; l++) {
        assay_layer_maxima *y = &m->layer[l];
        float **const part[] = {&y->q, &y->k,  &y->v,  &y->qr, &y->kr,    &y->u,        &y->a,  &y->n1, &y->n2,
                                &y->g, &y->sg, &y->ho, &y->hd, &y->score, &y->distance, &y->xq, &y->xk, &y->nx};
        const size_t count[] = {q, kv, kv, q, kv, c->ff, c->ff, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            if (base) *part[i] = base + used;
            used += count[i];
        }
    }
    if (base) {
        m->nf = base + used;
        m->ng = m->nf + 1;
        m->logit = m->ng + 1;
        m->h = m->logit + 1;
    }
    return used + 3 + 2 * c->n_layers + 1;
}

assay_status assay_maxima_new(assay_maxima *m, const assay_hf_config *c, assay_errinfo *err)
{
    *m = (assay_maxima){0};
    m->layer = assay_mem_alloc(c->n_layers, sizeof *m->layer);
    if (m->layer) {
        m->n_own = lay_out(m, c, NULL);
        m->own = assay_mem_alloc(m->n_own, sizeof *m->own);
    }
    if (!m->own) {
        assay_maxima_clear(m);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "calibration", "out of memory");
    }
    (void)lay_out(m, c, m->own);
    return ASSAY_OK;
}

void assay_maxima_clear(assay_maxima *m)
{
    assay_mem_free_secret(m->own, m->n_own * sizeof *m->own);
    assay_mem_free(m->layer);
    *m = (assay_maxima){0};
}

void assay_maxima_merge(assay_maxima *into, const assay_maxima *from)
{
    for (size_t i = 0; i < into->n_own; i++)
        if (from->own[i] > into->own[i]) into->own[i] = from->own[i];
}

typedef struct window {
    assay_maxima m;
    assay_status s;
    assay_errinfo err;
} window;

typedef struct job {
    const assay_checkpoint *ck;
    const uint32_t *ids;
    size_t length;
    window *w;
} job;

static void run_window(void *ctx, size_t i)
{
    job *j = ctx;
    window *w = &j->w[i];
    w->s = assay_maxima_new(&w->m, &j->ck->cfg, &w->err);
    if (w->s == ASSAY_OK) w->s = assay_float_forward(&w->m, j->ck, j->ids + i * j->length, j->length, NULL, &w->err);
}

/* Merges and frees the maxima of a round of windows; the first failure counts. */
static assay_status collect(assay_maxima *m, window *w, size_t n, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < n; i++) {
        if (w[i].s == ASSAY_OK) assay_maxima_merge(m, &w[i].m);
        if (w[i].s != ASSAY_OK && s == ASSAY_OK) {
            s = w[i].s;
            if (err && err->status == ASSAY_OK) *err = w[i].err;
        }
        assay_maxima_clear(&w[i].m);
        assay_errinfo_clear(&w[i].err);
    }
    return s;
}

assay_status assay_calibrate(assay_maxima *m, const assay_checkpoint *ck, const uint32_t *ids, size_t n_windows,
                             size_t length, assay_pool *pool, assay_progress progress, assay_errinfo *err)
{
    size_t round = assay_pool_threads(pool);
    window *w = assay_mem_alloc(round, sizeof *w);
    assay_status s =
        w ? assay_maxima_new(m, &ck->cfg, err) : ASSAY_FAIL(err, ASSAY_ENOMEM, "calibration", "out of memory");
    for (size_t at = 0; s == ASSAY_OK && at < n_windows; at += round) {
        size_t n = n_windows - at < round ? n_windows - at : round;
        job j = {ck, ids + at * length, length, w};
        assay_pool_run(pool, n, run_window, &j);
        s = collect(m, w, n, err);
        double done = (double)(at + n) / (double)n_windows;
        if (s == ASSAY_OK) s = assay_progress_tell(&progress, "calibrating", done, err);
    }
    assay_mem_free(w);
    if (s != ASSAY_OK) assay_maxima_clear(m);
    return s;
}
