/* SPDX-License-Identifier: Apache-2.0 */
/* Laying out weights; see weight_rows.h. */
#include "cp/weight_rows.h"

#include "backend/drbg.h"
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
    case MAT_COUNT:
        break;
    }
    return NULL;
}

/* Element (output, input) of a matrix: [out][in] but for the embedding, which is stored [V][D] and maps V to D. */
static int16_t element(const int16_t *w, assay_matrix_kind k, const assay_matrix_dims *d, size_t out, size_t in)
{
    return k == MAT_EMBED ? w[in * d->out + out] : w[out * d->in + in];
}

static void lay_out(assay_weight_rows *r, const assay_model *m, const assay_grid grids[MAT_COUNT], uint32_t jb)
{
    for (unsigned k = 0; k < MAT_COUNT; k++) {
        assay_matrix_dims d = assay_matrix_dims_of(&m->cfg, (assay_matrix_kind)k);
        for (uint32_t i = 0; i < grids[k].n_box; i++) {
            const assay_box *b = &grids[k].box[i];
            for (size_t x = 0; x < (size_t)1 << b->log_n; x++) {
                size_t in = b->start[2] + (x & (((size_t)1 << b->log_len[2]) - 1)), y = x >> b->log_len[2];
                size_t high = b->start[1] + (y & (((size_t)1 << b->log_len[1]) - 1)),
                       l = b->start[0] + (y >> b->log_len[1]);
                const int16_t *w = matrix_of(m, (assay_matrix_kind)k, (uint32_t)l);
                for (size_t j = 0; j < r->n_rows && (high << jb) + j < d.out; j++)
                    r->row[j][b->base + x] = m31_from_i64(element(w, (assay_matrix_kind)k, &d, (high << jb) + j, in));
            }
        }
    }
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
    size_t n = (size_t)1 << p->c, slots = (size_t)1 << p->a;
    r->n_rows = (size_t)1 << p->jb;
    r->n_words = n << p->jb;
    r->words = assay_mem_alloc(r->n_words, sizeof *r->words);
    r->row = assay_mem_alloc(r->n_rows, sizeof *r->row);
    if (!r->words || !r->row) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "weights", "out of memory");
        goto out;
    }
    for (size_t j = 0; j < r->n_rows; j++) {
        r->row[j] = r->words + n * j;
        assay_drbg_fill_f(be, r->row[j] + n - slots, slots, seed, LABEL_SLOTS + j);
    }
    lay_out(r, m, grids, p->jb);
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
