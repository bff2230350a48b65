/* SPDX-License-Identifier: Apache-2.0 */
/* Proving from bytes or files, in one step or two, and plans. */
#include "base/buffer.h"
#include "base/mem.h"
#include "groth16/json.h"
#include "groth16/prover.h"
#include "groth16/steps.h"
#include "groth16/witness.h"
#include <string.h>

enum { MAX_JSON = ASSAY_JSON_MAX_BYTES };

/* The public values as they go to public.json. */
static assay_status keep_publics(assay_publics *out, const assay_wtns *w, const assay_groth16_key *key,
                                 assay_errinfo *err)
{
    const uint32_t n = key->z.n_public;
    *out = (assay_publics){.curve = key->z.curve, .n = n};
    if (n == 0 || w->n != key->z.n_vars) return ASSAY_OK; /* such a witness is refused by the prover */
    out->v = assay_mem_alloc(n, sizeof *out->v);
    if (!out->v) return ASSAY_FAIL(err, ASSAY_ENOMEM, key->path, "out of memory for a proof");
    memcpy(out->v, w->w + 1, n * sizeof *out->v);
    return ASSAY_OK;
}

static assay_status write_both(assay_buffer *proof_out, assay_buffer *publics_out, const assay_proof *proof,
                               const assay_publics *publics, assay_errinfo *err)
{
    assay_writer w;
    assay_writer_init(&w, MAX_JSON);
    assay_proof_json(&w, proof);
    assay_status s = assay_buffer_take(proof_out, &w, "proof", err);
    if (s != ASSAY_OK) return s;
    assay_writer_init(&w, MAX_JSON);
    assay_publics_json(&w, publics);
    s = assay_buffer_take(publics_out, &w, "public values", err);
    if (s != ASSAY_OK) assay_buffer_free(proof_out);
    return s;
}

static assay_status check_circuit(const assay_groth16_prove_options *o, const assay_groth16_begun *b, assay_pool *pool,
                                  assay_errinfo *err)
{
    char text[sizeof err->subject];
    assay_subprogress part;
    const assay_progress progress = assay_progress_part(&part, &o->progress, 0, ASSAY_GROTH16_BEGIN_SHARE);
    assay_status s = assay_groth16_witness_check(text, sizeof text, o->r1cs, o->sym, &b->key->z, &b->w, o->memory,
                                                 assay_groth16_plan_beside(b->w.n), pool, &progress, err);
    if (s == ASSAY_OK && text[0]) s = ASSAY_FAIL(err, ASSAY_EUNSATISFIED, text, "is not satisfied by the witness");
    return s;
}

/* With the witness in b->w. */
static assay_status begin(assay_groth16_begun *b, const assay_groth16_prove_options *o, assay_errinfo *err)
{
    assay_pool *pool = NULL;
    assay_group_backend be;
    assay_groth16_plan plan;
    assay_groth16_pieces pieces;
    assay_status s = keep_publics(&b->publics, &b->w, b->key, err);
    if (s == ASSAY_OK && o->r1cs) {
        s = assay_pool_new(&pool, o->threads, err);
        if (s == ASSAY_OK) assay_group_backend_cpu_init(&be, pool);
        if (s == ASSAY_OK) s = assay_groth16_plan_pieces(&plan, &pieces, b->key, &be, o->memory, &b->w, err);
        /* when the proof fits: that is known at once */
        if (s == ASSAY_OK) s = check_circuit(o, b, pool, err);
        assay_pool_free(pool);
        b->checked = s == ASSAY_OK;
    }
    if (s != ASSAY_OK) assay_groth16_begun_clear(b);
    return s;
}

void assay_groth16_begun_clear(assay_groth16_begun *b)
{
    assay_wtns_clear(&b->w);
    assay_publics_clear(&b->publics);
}

assay_status assay_groth16_finish(assay_groth16_begun *b, assay_buffer *proof_out, assay_buffer *publics_out,
                                  const assay_groth16_prove_options *o, assay_errinfo *err)
{
    assay_proof proof;
    assay_pool *pool = NULL;
    assay_group_backend be;
    assay_subprogress part;
    const assay_progress progress =
        assay_progress_part(&part, &o->progress, b->checked ? ASSAY_GROTH16_BEGIN_SHARE : 0, 1);
    *proof_out = *publics_out = (assay_buffer){NULL, 0};
    assay_status s = assay_pool_new(&pool, o->threads, err);
    if (s == ASSAY_OK) {
        assay_group_backend_cpu_init(&be, pool);
        s = assay_groth16_prove_with(&proof, b->key, &b->w, &be, NULL, b->checked, o->memory, &progress, err);
    }
    if (s == ASSAY_OK) s = write_both(proof_out, publics_out, &proof, &b->publics, err);
    assay_groth16_begun_clear(b);
    assay_pool_free(pool);
    return s;
}

static const assay_groth16_prove_options usual = {0};

static assay_status check_arguments(const assay_groth16_key *key, const void *wtns, assay_errinfo *err)
{
    return key && wtns ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_EINVAL, "proof", "a pointer is NULL");
}

assay_status assay_groth16_begin(assay_groth16_begun *out, const assay_groth16_key *key, const void *wtns, size_t n,
                                 const assay_groth16_prove_options *options, assay_errinfo *err)
{
    *out = (assay_groth16_begun){.key = key};
    assay_status s = check_arguments(key, wtns, err);
    if (s == ASSAY_OK) s = assay_wtns_parse(&out->w, "witness", wtns, n, err);
    return s == ASSAY_OK ? begin(out, options ? options : &usual, err) : s;
}

static assay_status empty_outputs(assay_buffer *proof, assay_buffer *publics, assay_errinfo *err)
{
    if (!proof || !publics) return ASSAY_FAIL(err, ASSAY_EINVAL, "proof", "a pointer is NULL");
    *proof = *publics = (assay_buffer){NULL, 0};
    return ASSAY_OK;
}

assay_status assay_groth16_prove(const assay_groth16_key *key, assay_buffer *proof, assay_buffer *publics,
                                 const void *wtns, size_t n, const assay_groth16_prove_options *options,
                                 assay_errinfo *err)
{
    assay_groth16_begun b;
    assay_status s = empty_outputs(proof, publics, err);
    if (s == ASSAY_OK) s = assay_groth16_begin(&b, key, wtns, n, options, err);
    return s == ASSAY_OK ? assay_groth16_finish(&b, proof, publics, options ? options : &usual, err) : s;
}

assay_status assay_groth16_prove_file(const assay_groth16_key *key, assay_buffer *proof, assay_buffer *publics,
                                      const char *wtns_path, const assay_groth16_prove_options *options,
                                      assay_errinfo *err)
{
    const assay_groth16_prove_options *o = options ? options : &usual;
    assay_groth16_begun b = {.key = key};
    assay_status s = empty_outputs(proof, publics, err);
    if (s == ASSAY_OK) s = check_arguments(key, wtns_path, err);
    if (s == ASSAY_OK) s = assay_wtns_read(&b.w, wtns_path, err);
    if (s == ASSAY_OK) s = begin(&b, o, err);
    return s == ASSAY_OK ? assay_groth16_finish(&b, proof, publics, o, err) : s;
}

assay_status assay_groth16_plan_make(assay_groth16_plan *out, const assay_groth16_key *key, uint64_t memory,
                                     unsigned threads, assay_errinfo *err)
{
    assay_groth16_pieces pieces;
    assay_group_backend be;
    assay_pool *pool = NULL;
    *out = (assay_groth16_plan){0};
    assay_status s = assay_pool_new(&pool, threads, err);
    if (s != ASSAY_OK) return s;
    assay_group_backend_cpu_init(&be, pool);
    s = assay_groth16_plan_pieces(out, &pieces, key, &be, memory, NULL, err);
    assay_pool_free(pool);
    return s;
}
