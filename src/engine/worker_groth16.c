/* SPDX-License-Identifier: Apache-2.0 */
/* A Groth16 proof: the witness is parsed, wiped where it came from, and checked against the circuit; then the proof,
 * which assay_groth16_finish checks itself. */
#include "engine/worker.h"
#include "groth16/steps.h"

/* The last thing that proving tells is that it checks its own proof. */
static int tell(void *ctx, const char *stage, double done)
{
    assay_worker *w = ctx;
    if (stage == assay_groth16_own_check && w->stage != ASSAY_STAGE_VERIFY)
        assay_worker_enter(w, ASSAY_STAGE_VERIFY, done);
    return assay_worker_tell(w, stage, done);
}

assay_status assay_worker_groth16(assay_worker *w, assay_buffer *proof, assay_buffer *publics, assay_errinfo *err)
{
    const assay_groth16_open_options open = {.threads = w->order.threads};
    assay_groth16_prove_options o = {.threads = w->order.threads,
                                     .memory = w->order.bytes,
                                     .r1cs = w->entry.r1cs[0] ? w->entry.r1cs : NULL,
                                     .sym = w->entry.sym[0] ? w->entry.sym : NULL,
                                     .progress = {tell, w}};
    assay_groth16_key *own = NULL;
    assay_groth16_begun b;
    assay_status s = ASSAY_OK;
    if (w->order.n_inputs != 1)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "inputs", "are not one witness a partition", w->order.n_inputs);
    if (!w->key) {
        assay_worker_enter(w, ASSAY_STAGE_LOAD, 0);
        s = assay_groth16_key_open(&own, w->entry.path, &open, err);
    }
    assay_worker_enter(w, ASSAY_STAGE_SYNTHESIS, 0);
    if (s == ASSAY_OK) s = assay_groth16_begin(&b, own ? own : w->key, w->input[0].p, w->input[0].n, &o, err);
    assay_worker_drop_inputs(w);
    if (s == ASSAY_OK) {
        s = assay_worker_wait(w, err);
        o.threads = w->threads;
        assay_worker_enter(w, ASSAY_STAGE_PROVE, ASSAY_WORKER_READY_SHARE);
        if (s == ASSAY_OK) s = assay_groth16_finish(&b, proof, publics, &o, err);
        assay_groth16_begun_clear(&b);
    }
    assay_groth16_key_free(own);
    return s;
}
