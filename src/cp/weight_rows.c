/* SPDX-License-Identifier: Apache-2.0 */
/* Laying out weights; see weight_rows.h. */
#include "cp/weight_rows.h"

#include "backend/drbg.h"
#include "base/large_pages.h"
#include "base/mem.h"
#include "hash/random.h"
#include <string.h>

/* Streams of the seed. */
enum { LABEL_SALT_KEY = 1, LABEL_SLOTS = 1 << 16 /* + row */ };

static const int16_t *matrix_of(const assay_model *m, assay_matrix_kind k, uint32_t l)
{
    switch (k) {
    case MAT_EMBED:
        return m->embed;
    case MAT_Q:
        return m->layer[l].q;
    case MAT_K:
        return m->layer[l].k;
    case MAT_V:
        return m->layer[l].v;
    case MAT_O:
        return m->layer[l].o;
    case MAT_GATE:
        return m->layer[l].gate;
    case MAT_UP:
        return m->layer[l].up;
    case MAT_DOWN:
        return m->layer[l].down;
    case MAT_GAIN:
        return m->gf;
    case MAT_HEAD:
        return m->head;
    case MAT_FIRST_K:
        return m->first_k + l * (size_t)(m->cfg.n_kv * m->cfg.head_dim);
    case MAT_FIRST_V:
        return m->first_v + l * (size_t)(m->cfg.n_kv * m->cfg.head_dim);
    case MAT_NQ:
        return m->layer[l].nq;
    case MAT_NK:
        return m->layer[l].nk;
    case MAT_BQ:
    case MAT_BK:
    case MAT_BV:
    case MAT_COUNT:
        break;
    }
    return NULL;
}

static const int32_t *bias_of(const assay_model *m, assay_matrix_kind k, uint32_t l)
{
    return k == MAT_BQ ? m->layer[l].bq : k == MAT_BK ? m->layer[l].bk : k == MAT_BV ? m->layer[l].bv : NULL;
}

enum { ROWS_A_JOB = 16 };

typedef struct layout_job {
    assay_weight_rows *r;
    const assay_model *m;
    const assay_grid *grids;
    const assay_backend *be; /* without a pool: jobs are parallel themselves */
    const uint8_t *seed;
    size_t slots;
    uint32_t jb;
} layout_job;

/* n inputs of the outputs out, out + 1, .. that stand in rows from .. end-1, to column `at` of these rows. Matrices are
 * [out][in] but for the embedding, which is stored [V][D] and maps V to D: there a line of the table serves all rows.
 */
static void lay_out_run(const layout_job *job, assay_matrix_kind k, uint32_t l, const assay_matrix_dims *d, size_t out,
                        size_t in, size_t n, size_t from, size_t end, size_t at)
{
    uint32_t *const *row = job->r->row;
    const int16_t *w = matrix_of(job->m, k, l);
    const int32_t *bias = bias_of(job->m, k, l);
    if (out >= d->out) return;
    if (end - from > d->out - out) end = from + (d->out - out);
    if (bias) { /* one input */
        for (size_t j = from; j < end; j++) row[j][at] = m31_from_i64(bias[out + (j - from)]);
        return;
    }
    if (k == MAT_EMBED) {
        for (size_t x = 0; x < n; x++)
            for (size_t j = from; j < end; j++) row[j][at + x] = m31_from_i64(w[(in + x) * d->out + out + (j - from)]);
        return;
    }
    for (size_t j = from; j < end; j++) {
        const int16_t *v = w + (out + (j - from)) * d->in + in;
        for (size_t x = 0; x < n; x++) row[j][at + x] = m31_from_i64(v[x]);
    }
}

/* Some rows: their cells and their random slots. */
static void lay_out(void *ctx, size_t number)
{
    const layout_job *job = ctx;
    const assay_weight_rows *r = job->r;
    size_t from = number * ROWS_A_JOB, end = r->n_rows - from < ROWS_A_JOB ? r->n_rows : from + ROWS_A_JOB;
    for (unsigned k = 0; k < MAT_COUNT; k++) {
        assay_matrix_dims d = assay_matrix_dims_of(&job->m->cfg, (assay_matrix_kind)k);
        for (uint32_t i = 0; i < job->grids[k].n_box; i++) {
            const assay_box *b = &job->grids[k].box[i];
            size_t run = (size_t)1 << b->log_len[2], at = (size_t)b->base;
            for (uint32_t l = b->start[0]; l < b->start[0] + ((uint32_t)1 << b->log_len[0]); l++)
                for (uint32_t x = b->start[1]; x < b->start[1] + ((uint32_t)1 << b->log_len[1]); x++, at += run)
                    lay_out_run(job, (assay_matrix_kind)k, l, &d, ((size_t)x << job->jb) + from, b->start[2], run, from,
                                end, at);
        }
    }
    for (size_t j = from; j < end; j++)
        assay_drbg_fill_f(job->be, r->row[j] + (r->n_words >> job->jb) - job->slots, job->slots, job->seed,
                          LABEL_SLOTS + j);
}

assay_status assay_weight_rows_new(assay_weight_rows *r, const assay_model *m, const assay_commit_params *p,
                                   const uint8_t seed[32], const assay_backend *be, assay_errinfo *err)
{
    assay_grid grids[MAT_COUNT];
    memset(r, 0, sizeof *r);
    memset(grids, 0, sizeof grids);
    assay_status s = assay_weights_place(grids, &m->cfg, p, err);
    if (s != ASSAY_OK) goto out;
    s = assay_code_new(&r->code, p->c, ASSAY_MAIN_LOG_RATE, err);
    if (s != ASSAY_OK) goto out;
    size_t n = (size_t)1 << p->c;
    r->n_rows = (size_t)1 << p->jb;
    r->n_words = n << p->jb;
    r->words = assay_mem_alloc(r->n_words, sizeof *r->words);
    assay_large_pages(r->words, r->n_words * sizeof *r->words);
    r->row = assay_mem_alloc(r->n_rows, sizeof *r->row);
    if (!r->words || !r->row) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "weights", "out of memory");
        goto out;
    }
    for (size_t j = 0; j < r->n_rows; j++) r->row[j] = r->words + n * j;
    assay_backend alone = *be;
    alone.pool = NULL;
    layout_job job = {r, m, grids, &alone, seed, (size_t)1 << p->a, p->jb};
    assay_pool_run(be->pool, (r->n_rows + ROWS_A_JOB - 1) / ROWS_A_JOB, lay_out, &job);
    assay_drbg_block(r->salt_key, seed, LABEL_SALT_KEY, 0);
out:
    for (unsigned k = 0; k < MAT_COUNT; k++) assay_grid_clear(&grids[k]);
    if (s != ASSAY_OK) assay_weight_rows_clear(r);
    return s;
}

void assay_weight_rows_clear(assay_weight_rows *r)
{
    assay_mem_free_secret(r->words, r->n_words * sizeof *r->words);
    assay_mem_free(r->row);
    assay_code_free(r->code);
    assay_mem_wipe(r->salt_key, sizeof r->salt_key);
    memset(r, 0, sizeof *r);
}
