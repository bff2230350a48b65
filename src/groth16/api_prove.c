/* SPDX-License-Identifier: Apache-2.0 */
/* Proving from bytes or files, and plans. */
#include "base/buffer.h"
#include "base/mem.h"
#include "groth16/json.h"
#include "groth16/prover.h"
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

/* The share of the check against a circuit in the whole, for progress. */
#define CHECK_SHARE 0.2

static assay_status check_circuit(const assay_groth16_prove_options *o, const assay_groth16_key *key,
                                  const assay_wtns *w, assay_pool *pool, assay_errinfo *err)
{
    char text[sizeof err->subject];
    assay_subprogress part;
    const assay_progress progress = assay_progress_part(&part, &o->progress, 0, CHECK_SHARE);
    assay_status s = assay_groth16_witness_check(text, sizeof text, o->r1cs, o->sym, &key->z, w, o->memory,
                                                 assay_groth16_plan_beside(w->n), pool, &progress, err);
    if (s == ASSAY_OK && text[0]) s = ASSAY_FAIL(err, ASSAY_EUNSATISFIED, text, "is not satisfied by the witness");
    return s;
}

/* w is used up. */
static assay_status prove(const assay_groth16_key *key, assay_buffer *proof_out, assay_buffer *publics_out,
                          assay_wtns *w, const assay_groth16_prove_options *o, assay_errinfo *err)
{
    assay_publics publics = {0};
    assay_proof proof;
    assay_pool *pool = NULL;
    assay_group_backend be;
    assay_groth16_plan plan;
    assay_groth16_pieces pieces;
    assay_subprogress part;
    assay_status s = keep_publics(&publics, w, key, err);
    if (s == ASSAY_OK) s = assay_pool_new(&pool, o->threads, err);
    if (s == ASSAY_OK) assay_group_backend_cpu_init(&be, pool);
    if (s == ASSAY_OK && o->r1cs) s = assay_groth16_plan_pieces(&plan, &pieces, key, &be, o->memory, err);
    /* when the proof fits: that is known at once */
    if (s == ASSAY_OK && o->r1cs) s = check_circuit(o, key, w, pool, err);
    if (s == ASSAY_OK) {
        const assay_progress progress = assay_progress_part(&part, &o->progress, o->r1cs ? CHECK_SHARE : 0, 1);
        s = assay_groth16_prove_with(&proof, key, w, &be, NULL, o->r1cs != NULL, o->memory, &progress, err);
    }
    if (s == ASSAY_OK) s = write_both(proof_out, publics_out, &proof, &publics, err);
    assay_wtns_clear(w);
    assay_publics_clear(&publics);
    assay_pool_free(pool);
    return s;
}

static assay_status begin(const assay_groth16_key *key, assay_buffer *proof, assay_buffer *publics, const void *wtns,
                          assay_errinfo *err)
{
    if (!proof || !publics) return ASSAY_FAIL(err, ASSAY_EINVAL, "proof", "a pointer is NULL");
    *proof = *publics = (assay_buffer){NULL, 0};
    return key && wtns ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_EINVAL, "proof", "a pointer is NULL");
}

static const assay_groth16_prove_options usual = {0};

assay_status assay_groth16_prove(const assay_groth16_key *key, assay_buffer *proof, assay_buffer *publics,
                                 const void *wtns, size_t n, const assay_groth16_prove_options *options,
                                 assay_errinfo *err)
{
    assay_wtns w = {0};
    assay_status s = begin(key, proof, publics, wtns, err);
    if (s == ASSAY_OK) s = assay_wtns_parse(&w, "witness", wtns, n, err);
    return s == ASSAY_OK ? prove(key, proof, publics, &w, options ? options : &usual, err) : s;
}

assay_status assay_groth16_prove_file(const assay_groth16_key *key, assay_buffer *proof, assay_buffer *publics,
                                      const char *wtns_path, const assay_groth16_prove_options *options,
                                      assay_errinfo *err)
{
    assay_wtns w = {0};
    assay_status s = begin(key, proof, publics, wtns_path, err);
    if (s == ASSAY_OK) s = assay_wtns_read(&w, wtns_path, err);
    return s == ASSAY_OK ? prove(key, proof, publics, &w, options ? options : &usual, err) : s;
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
    s = assay_groth16_plan_pieces(out, &pieces, key, &be, memory, err);
    assay_pool_free(pool);
    return s;
}
