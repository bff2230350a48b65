/* SPDX-License-Identifier: Apache-2.0 */
/* Both models over the windows of a text. */
#include "model/evaluate.h"
#include "base/mem.h"
#include "base/progress.h"
#include "model/forward.h"
#include "model/matmul_f32.h"
#include "model/maxima.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t nothing = UINT32_MAX; /* no token follows */

/* n logits x, in nats, and the token that follows. */
static void choose(assay_choice *out, const double *x, size_t n, uint32_t next)
{
    size_t top = 0;
    double second = -INFINITY, sum = 0;
    for (size_t k = 1; k < n; k++) top = x[k] > x[top] ? k : top;
    for (size_t k = 0; k < n; k++) {
        if (k != top && x[k] > second) second = x[k];
        sum += exp(x[k] - x[top]);
    }
    out->top = (uint32_t)top;
    out->margin = (float)(x[top] - second);
    out->loss = next == nothing ? 0 : log(sum) + x[top] - x[next];
}

static uint32_t next_of(const assay_windows *w, size_t window, size_t position)
{
    return position + 1 < w->length ? w->ids[window * w->length + position + 1] : nothing;
}

/* ---- the float checkpoint: a job is a window */

typedef struct float_round {
    const assay_checkpoint *ck;
    const assay_windows *w;
    size_t first; /* window of job 0 */
    assay_choice *out;
    assay_status *s;
    assay_errinfo *err;
} float_round;

/* The last rows of a window become choices, sixteen at a time. */
static assay_status choose_rows(const float_round *r, size_t window, const float *rows, assay_errinfo *err)
{
    enum { LANES = ASSAY_MATMUL_LANES };
    const size_t d = r->ck->cfg.d, vocab = r->ck->cfg.vocab, n = r->w->length;
    float *y = assay_mem_alloc(vocab, LANES * sizeof *y), *scratch = assay_mem_alloc(d, LANES * sizeof *scratch);
    double *x = assay_mem_alloc(vocab, sizeof *x);
    const bool fits = y && scratch && x;
    for (size_t at = 0; fits && at < n; at += LANES) {
        size_t lanes = n - at < LANES ? n - at : LANES;
        assay_matmul_f32(y, rows + at * d, r->ck->head, lanes, d, vocab, scratch);
        for (size_t i = 0; i < lanes; i++) {
            for (size_t k = 0; k < vocab; k++) x[k] = (double)y[i * vocab + k];
            choose(&r->out[window * n + at + i], x, vocab, next_of(r->w, window, at + i));
        }
    }
    assay_mem_free_secret(y, LANES * vocab * sizeof *y);
    assay_mem_free_secret(scratch, LANES * d * sizeof *scratch);
    assay_mem_free_secret(x, vocab * sizeof *x);
    return fits ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
}

static void float_window(void *ctx, size_t job)
{
    const float_round *r = ctx;
    const size_t window = r->first + job, n = r->w->length, cells = n * r->ck->cfg.d;
    assay_errinfo *err = &r->err[job];
    assay_maxima seen = {0};
    float *rows = assay_mem_alloc(cells, sizeof *rows);
    assay_status s = rows ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
    if (s == ASSAY_OK) s = assay_maxima_new(&seen, &r->ck->cfg, err);
    if (s == ASSAY_OK) s = assay_float_forward(&seen, r->ck, r->w->ids + window * n, n, rows, err);
    if (s == ASSAY_OK) s = choose_rows(r, window, rows, err);
    assay_maxima_clear(&seen);
    assay_mem_free_secret(rows, cells * sizeof *rows);
    r->s[job] = s;
}

assay_status assay_evaluate_float(assay_choice *out, const assay_checkpoint *ck, const assay_windows *w,
                                  assay_pool *pool, const assay_progress *progress, assay_errinfo *err)
{
    const size_t round = assay_pool_threads(pool);
    float_round r = {ck, w, 0, out, assay_mem_alloc(round, sizeof *r.s), assay_mem_alloc(round, sizeof *r.err)};
    assay_status s = r.s && r.err ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
    for (; s == ASSAY_OK && r.first < w->n; r.first += round) {
        const size_t n = w->n - r.first < round ? w->n - r.first : round;
        s = assay_progress_tell(progress, "float model", (double)r.first / (double)w->n, err);
        if (s == ASSAY_OK) assay_pool_run(pool, n, float_window, &r);
        for (size_t i = 0; s == ASSAY_OK && i < n; i++) {
            s = r.s[i];
            if (s != ASSAY_OK && err && err->status == ASSAY_OK) *err = r.err[i];
        }
    }
    assay_mem_free(r.s);
    assay_mem_free(r.err);
    return s;
}

/* ---- the integer model: threads are inside a window */

typedef struct integer_run {
    assay_forward f;
    const assay_windows *w;
    assay_choice *out;
    assay_window_result *result;
    assay_peaks *peaks;
    int32_t *logits; /* [FORWARD_BLOCK][V] */
    double *x;       /* [FORWARD_BLOCK][V] */
    size_t window;
    bool *fine; /* [FORWARD_BLOCK] */
} integer_run;

static void choose_row(void *ctx, size_t i)
{
    const integer_run *r = ctx;
    const uint32_t vocab = r->f.c->vocab, position = r->f.t0 + (uint32_t)i;
    const int32_t *logits = r->logits + i * vocab;
    double *x = r->x + i * vocab;
    assay_choice *c = &r->out[r->window * r->w->length + position];
    for (size_t k = 0; k < vocab; k++) x[k] = ldexp((double)logits[k], -r->f.c->logit_f);
    choose(c, x, vocab, next_of(r->w, r->window, position));
    r->fine[i] = assay_greedy_pick(&c->top, logits, vocab, false);
}

/* Positions at .. at + n - 1 of the window; *refused: the first that was refused there by what ran first. */
static assay_status run_block(integer_run *r, uint32_t at, uint32_t n, uint32_t *refused, assay_errinfo *err)
{
    char subject[96];
    assay_forward *f = &r->f;
    assay_status s = assay_forward_block(f, r->w->ids + r->window * r->w->length, at, n, err);
    if (s == ASSAY_OK) s = assay_forward_logits(f, r->logits, n, err);
    if (s == ASSAY_ENORESULT) {
        *refused = UINT32_MAX;
        for (int k = 0; k < BAD_COUNT; k++) {
            uint32_t bad = atomic_load(&f->bad[k]);
            *refused = bad < *refused ? bad : *refused;
        }
    }
    if (s != ASSAY_OK) return s;
    assay_peaks_see_logits(r->peaks, f->c, r->logits, (size_t)n * f->c->vocab);
    assay_pool_run(f->pool, n, choose_row, r);
    for (uint32_t i = 0; i < n; i++) {
        if (r->fine[i]) continue;
        *refused = at + i;
        snprintf(subject, sizeof subject, "layer %u, logits, position %u", f->c->n_layers, at + i);
        return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "difference outside 30 bits");
    }
    return ASSAY_OK;
}

/* A block that is refused is run again up to the position that was, until what is left has a result: so n and why are
 * those of the first position without one. */
static assay_status run_window(integer_run *r, assay_errinfo *err)
{
    const uint32_t length = (uint32_t)r->w->length;
    assay_window_result *q = &r->result[r->window];
    *q = (assay_window_result){.n = length};
    assay_status first = assay_model_prompt_check(r->f.c, r->w->ids + r->window * r->w->length, length, err);
    if (first != ASSAY_OK) return first;
    for (uint32_t at = 0; at < q->n; at += FORWARD_BLOCK) {
        for (bool again = true; again && q->n > at;) {
            uint32_t refused = at, n = q->n - at < FORWARD_BLOCK ? q->n - at : FORWARD_BLOCK;
            assay_errinfo why = {0};
            assay_status s = run_block(r, at, n, &refused, &why);
            again = s == ASSAY_ENORESULT;
            if (s != ASSAY_OK && !again) {
                if (err && err->status == ASSAY_OK) *err = why;
                return s;
            }
            if (again && (refused < at || refused >= at + n))
                return ASSAY_FAIL(err, ASSAY_EINTERNAL, "evaluation", "a refusal without a position");
            if (again) *q = (assay_window_result){refused, why};
        }
    }
    return ASSAY_OK;
}

assay_status assay_evaluate_integer(assay_choice *out, assay_window_result *result, assay_peaks *peaks,
                                    const assay_model *m, const assay_tables *tb, const assay_windows *w,
                                    assay_pool *pool, const assay_progress *progress, assay_errinfo *err)
{
    const assay_run_options opt = {.pool = pool};
    const size_t cells = (size_t)m->cfg.vocab * FORWARD_BLOCK;
    bool fine[FORWARD_BLOCK];
    integer_run r = {.w = w, .out = out, .result = result, .peaks = peaks, .fine = fine};
    r.logits = assay_mem_alloc(cells, sizeof *r.logits);
    r.x = assay_mem_alloc(cells, sizeof *r.x);
    assay_status s = r.logits && r.x ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
    if (s == ASSAY_OK) s = assay_forward_open(&r.f, m, tb, (uint32_t)w->length, NULL, &opt, err);
    if (s == ASSAY_OK) {
        r.f.peaks = peaks;
        for (; s == ASSAY_OK && r.window < w->n; r.window++) {
            s = assay_progress_tell(progress, "integer model", (double)r.window / (double)w->n, err);
            if (s == ASSAY_OK) s = run_window(&r, err);
        }
        assay_forward_close(&r.f);
    }
    assay_mem_free_secret(r.logits, cells * sizeof *r.logits);
    assay_mem_free_secret(r.x, cells * sizeof *r.x);
    return s;
}

/* ---- figures */

void assay_fidelity_sum(assay_fidelity *f, const assay_choice *a, const assay_choice *b,
                        const assay_window_result *result, const assay_windows *w, double margin)
{
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < w->n; i++) {
        const size_t n = result ? result[i].n : w->length;
        for (size_t t = w->from; t < n; t++) {
            const size_t at = i * w->length + t;
            f->positions++;
            f->predicted += t + 1 < w->length;
            if (a) f->loss_float += a[at].loss;
            if (b) f->loss_integer += b[at].loss;
            if (!a || !b) continue;
            const bool same = a[at].top == b[at].top, clear = a[at].margin > (float)margin;
            f->same += same;
            f->decisive += clear;
            f->decisive_same += same && clear;
        }
    }
}
