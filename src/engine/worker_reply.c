/* SPDX-License-Identifier: Apache-2.0 */
/* A proof of a reply, made with a committed model. The commitment is the keeper process's, which alone writes its
 * proofs off (assay_counter_delegate), or, where none is loaded, opened here under its lock. */
#include "assay/verify.h"
#include "base/file.h"
#include "base/progress.h"
#include "cp/commitment.h"
#include "cp/id_codec.h"
#include "cp/store_codec.h"
#include "engine/worker.h"
#include <string.h>
#include <unistd.h>

/* Asks the keeper process for one proof of the lifetime: an assay_counter_fn. */
static assay_status ask(void *ctx, assay_errinfo *err)
{
    assay_worker *w = ctx;
    assay_worker_message m = {.kind = ASSAY_MESSAGE_ASK};
    int passed = -1;
    if (assay_channel_send(w->keeper, &m, NULL, -1, true) != ASSAY_CHANNEL_OK ||
        assay_channel_receive(w->keeper, &m, NULL, &passed, true) != ASSAY_CHANNEL_OK || m.kind != ASSAY_MESSAGE_GRANT)
        return ASSAY_FAIL(err, ASSAY_ECANCELED, "worker", "the keeper process hung up");
    if (passed >= 0) (void)close(passed);
    if (m.status == ASSAY_OK) return ASSAY_OK;
    memcpy(w->relayed, m.text, sizeof w->relayed);
    return ASSAY_FAIL(err, m.status, "commitment", "the proof cannot be counted");
}

static assay_status open_commitment(assay_worker *w, assay_commitment **own, assay_errinfo *err)
{
    const assay_open_options o = {.threads = w->order.threads, .wait = w->order.wait, .reserve = 1};
    *own = NULL;
    if (!w->commitment) return assay_commitment_open(own, w->entry.path, &o, err);
    assay_counter_delegate(&w->commitment->counter, ask, w);
    return assay_commitment_set_threads(w->commitment, w->order.threads, err);
}

static assay_status prove(assay_worker *w, assay_commitment *c, assay_buffer *proof, const assay_request *r,
                          assay_errinfo *err)
{
    const assay_progress progress = {assay_worker_tell, w};
    assay_subprogress part;
    const assay_progress rest = assay_progress_part(&part, &progress, ASSAY_WORKER_READY_SHARE, 1);
    assay_status s = assay_worker_wait(w, err);
    assay_worker_enter(w, ASSAY_STAGE_PROVE, ASSAY_WORKER_READY_SHARE);
    if (s == ASSAY_OK && w->threads != w->order.threads) s = assay_commitment_set_threads(c, w->threads, err);
    return s == ASSAY_OK ? assay_commitment_prove(c, proof, r, &rest, err) : s;
}

/* As a client would, with the files that clients have. */
static assay_status verify(const assay_worker *w, const assay_commitment *c, const assay_request *r,
                           const assay_buffer *proof, assay_errinfo *err)
{
    assay_buffer file[2] = {{NULL, 0}, {NULL, 0}};
    static const char *const names[] = {"config/config.bin", "ivk/ivk.bin"};
    char path[ASSAY_SUBJECT_PATH];
    assay_report report;
    assay_verifier *v = NULL;
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < 2; i++) {
        s = assay_path_join(path, sizeof path, w->entry.path, names[i], err);
        if (s == ASSAY_OK) s = assay_file_read(path, ASSAY_MAX_PUBLIC_FILE, &file[i].p, &file[i].n, err);
    }
    if (s == ASSAY_OK) s = assay_verifier_new(&v, file[0].p, file[0].n, file[1].p, file[1].n, err);
    if (s == ASSAY_OK)
        s = assay_verifier_check(v, &report, r, proof->p, proof->n, assay_commitment_id(c), assay_verifier_security(v),
                                 err);
    if (s == ASSAY_OK && report.verdict != ASSAY_ACCEPT)
        s = ASSAY_FAIL(err, ASSAY_EINTERNAL, report.reason, "the proof made does not verify");
    assay_verifier_free(v);
    for (size_t i = 0; i < 2; i++) assay_buffer_free(&file[i]);
    return s;
}

assay_status assay_worker_reply(assay_worker *w, assay_buffer *proof, assay_errinfo *err)
{
    assay_request *r = NULL;
    assay_commitment *own = NULL, *c = NULL;
    if (w->order.n_inputs != 2)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "inputs", "are not a request and its answer", w->order.n_inputs);
    assay_status s = assay_request_parse(&r, w->input[0].p, w->input[0].n, w->input[1].p, w->input[1].n, err);
    assay_worker_drop_inputs(w);
    if (s == ASSAY_OK) {
        assay_worker_enter(w, ASSAY_STAGE_LOAD, 0);
        s = open_commitment(w, &own, err);
    }
    assay_worker_enter(w, ASSAY_STAGE_SYNTHESIS, 0);
    c = own ? own : w->commitment;
    if (s == ASSAY_OK) s = assay_request_check(r, &c->pub.cfg, err);
    if (s == ASSAY_OK) s = prove(w, c, proof, r, err);
    if (s == ASSAY_OK) {
        assay_worker_enter(w, ASSAY_STAGE_VERIFY, 1);
        s = verify(w, c, r, proof, err);
    }
    if (s != ASSAY_OK) assay_buffer_free(proof);
    assay_commitment_free(own);
    assay_request_free(r);
    return s;
}
