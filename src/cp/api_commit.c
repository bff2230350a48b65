/* SPDX-License-Identifier: Apache-2.0 */
/* Making commitments: import, weight rows, tree, identity. */
#include "assay/commit.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cp/commitment.h"
#include "hash/random.h"
#include "hash/sha256.h"
#include "model/bounds.h"
#include "model/tokenizer.h"
#include "model/weights.h"
#include <stdio.h>
#include <string.h>

enum { DEFAULT_SECURITY = 128, DEFAULT_LIFETIME = 1000 };

assay_status assay_commitment_alloc(assay_commitment **out, unsigned threads, assay_errinfo *err)
{
    *out = NULL;
    assay_commitment *c = assay_mem_alloc(1, sizeof *c);
    if (!c) return ASSAY_FAIL(err, ASSAY_ENOMEM, "commitment", "out of memory");
    assay_counter_init(&c->counter, 0, 0);
    assay_status s = assay_pool_new(&c->pool, threads, err);
    if (s != ASSAY_OK) {
        assay_mem_free(c);
        return s;
    }
    assay_backend_cpu_init(&c->be, c->pool);
    *out = c;
    return ASSAY_OK;
}

assay_status assay_commitment_set_threads(assay_commitment *c, unsigned threads, assay_errinfo *err)
{
    assay_pool *pool = NULL;
    assay_status s = assay_pool_new(&pool, threads, err);
    if (s != ASSAY_OK) return s;
    assay_pool_free(c->pool);
    c->pool = pool;
    assay_backend_cpu_init(&c->be, c->pool);
    return ASSAY_OK;
}

void assay_commitment_free(assay_commitment *c)
{
    if (!c) return;
    assay_counter_close(&c->counter);
    assay_matrix_free(c->tree);
    assay_weight_rows_clear(&c->rows);
    assay_model_clear(&c->model);
    assay_buffer_free(&c->tokenizer);
    assay_public_clear(&c->pub);
    assay_pool_free(c->pool);
    assay_mem_free_secret(c, sizeof *c);
}

/* The model's configuration once more, for the public half. */
static assay_status copy_config(assay_model_config *to, const assay_model_config *from, assay_errinfo *err)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_model_config_encode(&w, from);
    assay_reader r = assay_reader_of(w.p, w.n);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "configuration", "out of memory")
                           : assay_model_config_decode(to, &r, err);
    assay_writer_clear(&w);
    return s;
}

static assay_status hash_piece(void *ctx, const void *p, size_t n, assay_errinfo *err)
{
    (void)err;
    assay_sha256_update(ctx, p, n);
    return ASSAY_OK;
}

static assay_status commit_weights(assay_commitment *c, assay_errinfo *err)
{
    assay_public *pub = &c->pub;
    assay_status s = assay_random_bytes(c->key.seed, sizeof c->key.seed, err);
    if (s == ASSAY_OK) s = assay_weight_rows_new(&c->rows, &c->model, &pub->params, c->key.seed, &c->be, err);
    if (s != ASSAY_OK) return s;
    return assay_matrix_commit(&c->tree, c->rows.code, &c->be, (const uint32_t *const *)c->rows.row, c->rows.n_rows,
                               ASSAY_TREE_WEIGHTS, c->rows.salt_key, pub->root, err);
}

static assay_status finish_key(assay_commitment *c, assay_errinfo *err)
{
    assay_sha256 sha;
    assay_sha256_init(&sha);
    assay_status s = assay_model_weights_emit(&c->model, hash_piece, &sha, err);
    assay_sha256_final(&sha, c->key.weights_digest);
    memcpy(c->key.id, c->pub.id, ASSAY_ID_BYTES);
    c->key.lifetime = assay_proofs_covered(&c->pub.params);
    assay_counter_init(&c->counter, 0, c->key.lifetime);
    return s;
}

assay_status assay_commitment_of_model(assay_commitment *c, assay_model *m, const void *tokenizer, size_t n_tokenizer,
                                       unsigned security, uint64_t lifetime, assay_errinfo *err)
{
    assay_public *pub = &c->pub;
    c->model = *m;
    memset(m, 0, sizeof *m);
    assay_sha256_digest(pub->tokenizer_hash, tokenizer, n_tokenizer);
    assay_status s = assay_buffer_copy(&c->tokenizer, tokenizer, n_tokenizer, "tokenizer", err);
    if (s == ASSAY_OK) s = copy_config(&pub->cfg, &c->model.cfg, err);
    if (s == ASSAY_OK) s = assay_commit_params_choose(&pub->params, &pub->cfg, security, lifetime, err);
    if (s == ASSAY_OK) s = commit_weights(c, err);
    if (s == ASSAY_OK) s = assay_public_identify(pub, err);
    if (s == ASSAY_OK) s = finish_key(c, err);
    c->can_prove = s == ASSAY_OK;
    return s;
}

assay_status assay_commitment_make(assay_commitment **out, const char *model_folder,
                                   const assay_commit_options *options, assay_errinfo *err)
{
    const assay_commit_options plain = {0, 0, NULL, 0, {NULL, NULL}}, *o = options ? options : &plain;
    assay_subprogress part;
    assay_commitment *c = NULL;
    assay_buffer tokenizer = {NULL, 0};
    assay_model m;
    memset(&m, 0, sizeof m);
    *out = NULL;
    assay_status s = assay_commitment_alloc(&c, o->threads, err);
    if (s != ASSAY_OK) return s;
    const assay_run_options run = {.pool = c->pool, .progress = assay_progress_part(&part, &o->progress, 0, 0.8)};
    unsigned security = o->security ? o->security : DEFAULT_SECURITY;
    uint64_t lifetime = o->lifetime ? o->lifetime : DEFAULT_LIFETIME;
    if (security != 128 && security != 100)
        s = ASSAY_FAIL1(err, ASSAY_EINVAL, "security", "is not 128 or 100", security);
    if (s == ASSAY_OK) s = assay_tokenizer_file(&tokenizer.p, &tokenizer.n, model_folder, err);
    if (s == ASSAY_OK) s = assay_model_import(&m, model_folder, o->calibration, &run, err);
    if (s == ASSAY_OK) s = assay_progress_tell(&o->progress, "committing", 0.8, err);
    if (s == ASSAY_OK) s = assay_commitment_of_model(c, &m, tokenizer.p, tokenizer.n, security, lifetime, err);
    if (s == ASSAY_OK) s = assay_progress_tell(&o->progress, "committed", 1, err);
    assay_buffer_free(&tokenizer);
    assay_model_clear(&m);
    if (s == ASSAY_OK)
        *out = c;
    else
        assay_commitment_free(c);
    return s;
}

const uint8_t *assay_commitment_id(const assay_commitment *c)
{
    return c->pub.id;
}

size_t assay_commitment_ranges(const assay_commitment *c, assay_range *out, size_t max)
{
    assay_bound b[ASSAY_N_BOUNDS];
    assay_model_bounds(b, &c->model);
    for (size_t i = 0; i < ASSAY_N_BOUNDS && i < max; i++) {
        memset(&out[i], 0, sizeof out[i]);
        (void)snprintf(out[i].name, sizeof out[i].name, "%s", b[i].name);
        out[i].by_sum = b[i].by_sum;
        out[i].by_norm = b[i].by_norm;
        out[i].limit = b[i].limit;
        out[i].excluded = b[i].excluded;
    }
    return ASSAY_N_BOUNDS;
}
