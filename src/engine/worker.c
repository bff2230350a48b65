/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's life: order, stages, result. Its answers go to the daemon itself, not through its keeper process, which
 * may be busy. */
#define _GNU_SOURCE
#include "engine/worker.h"
#include "base/clock.h"
#include "engine/blob_list_codec.h"
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { TELL_EVERY = 100 /* ms */ };

/* ---- stages */

static void tell_stage(assay_worker *w, double done, uint64_t now)
{
    const assay_worker_message m = {.kind = ASSAY_MESSAGE_STAGE, .stage = w->stage, .done = done};
    w->told = now;
    (void)assay_channel_send(w->daemon, &m, NULL, -1, false); /* a daemon that is slow misses one */
}

void assay_worker_enter(assay_worker *w, assay_worker_stage stage, double done)
{
    const uint64_t now = assay_clock_ms();
    w->ms[w->stage] += now - w->since;
    w->since = now;
    w->stage = stage;
    tell_stage(w, done, now);
}

int assay_worker_tell(void *ctx, const char *stage, double done)
{
    assay_worker *w = ctx;
    struct pollfd other = {.fd = w->daemon, .events = POLLRDHUP};
    const uint64_t now = assay_clock_ms();
    (void)stage;
    if (now - w->told < TELL_EVERY) return 0;
    tell_stage(w, done, now);
    return poll(&other, 1, 0) > 0;
}

assay_status assay_worker_wait(assay_worker *w, assay_errinfo *err)
{
    assay_worker_message m = {.kind = ASSAY_MESSAGE_READY};
    int passed;
    w->threads = w->order.threads;
    if (!w->order.hold) return ASSAY_OK;
    assay_worker_enter(w, ASSAY_STAGE_READY, ASSAY_WORKER_READY_SHARE);
    m.ms[0] = w->ms[ASSAY_STAGE_SYNTHESIS];
    if (assay_channel_send(w->daemon, &m, NULL, -1, true) != ASSAY_CHANNEL_OK ||
        assay_channel_receive(w->daemon, &m, NULL, &passed, true) != ASSAY_CHANNEL_OK || m.kind != ASSAY_MESSAGE_GO)
        return ASSAY_FAIL(err, ASSAY_ECANCELED, "worker", "the daemon hung up");
    if (passed >= 0) (void)close(passed);
    if (m.threads) w->threads = m.threads;
    return ASSAY_OK;
}

/* ---- inputs and outputs */

void assay_worker_drop_inputs(assay_worker *w)
{
    assay_memory_wipe_shared(&w->memory);
    memset(w->input, 0, sizeof w->input);
}

/* Takes the order, and maps the inputs. False: there will be none. */
static bool take_order(assay_worker *w, assay_status *s, assay_errinfo *err)
{
    static const uint8_t nothing;
    int passed;
    uint64_t all = 0;
    if (assay_channel_receive(w->daemon, &w->order, &w->entry, &passed, true) != ASSAY_CHANNEL_OK) return false;
    if (w->order.kind != ASSAY_MESSAGE_ORDER || passed < 0) return false; /* passed: the process ends */
    for (size_t i = 0; i < w->order.n_inputs; i++) all += w->order.input[i];
    *s = assay_memory_map(&w->memory, passed, all, err);
    const uint8_t *p = w->memory.p ? w->memory.p : &nothing;
    for (size_t i = 0; *s == ASSAY_OK && i < w->order.n_inputs; p += w->order.input[i++])
        w->input[i] = (assay_blob){p, (size_t)w->order.input[i]};
    return true;
}

static assay_status hand_over(assay_worker *w, const assay_buffer *proof, const assay_buffer *publics,
                              assay_worker_message *m, assay_errinfo *err)
{
    const assay_blob blobs[] = {{proof->p, proof->n}, {publics->p, publics->n}};
    assay_buffer packed;
    int fd;
    assay_status s = assay_blobs_pack(&packed, blobs, sizeof blobs / sizeof *blobs, err);
    if (s != ASSAY_OK) return s;
    const assay_blob all = {packed.p, packed.n};
    s = assay_memory_share(&fd, "outputs", &all, 1, err);
    assay_buffer_free(&packed);
    if (s != ASSAY_OK) return s;
    m->bytes = all.n;
    if (assay_channel_send(w->daemon, m, NULL, fd, true) != ASSAY_CHANNEL_OK)
        s = ASSAY_FAIL(err, ASSAY_ECANCELED, "worker", "the daemon hung up");
    (void)close(fd);
    return s;
}

/* ---- */

static assay_status work(assay_worker *w, assay_buffer *proof, assay_buffer *publics, assay_errinfo *err)
{
    const unsigned kind = w->entry.kind;
    if (kind == ASSAY_JOB_GROTH16) return assay_worker_groth16(w, proof, publics, err);
    if (kind == ASSAY_JOB_REPLY) return assay_worker_reply(w, proof, err);
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, assay_job_kind_name(w->entry.kind), "such jobs cannot be worked");
}

int assay_worker_run(assay_worker *w)
{
    assay_buffer proof = {NULL, 0}, publics = {NULL, 0};
    assay_worker_message m = {.kind = ASSAY_MESSAGE_DONE};
    assay_errinfo err = {0};
    assay_status s = ASSAY_OK;
    w->since = assay_clock_ms();
    if (!take_order(w, &s, &err)) return 1;
    if (s == ASSAY_OK) s = work(w, &proof, &publics, &err);
    assay_worker_drop_inputs(w);
    assay_worker_enter(w, w->stage, 1);
    m.ms[0] = w->ms[ASSAY_STAGE_SYNTHESIS];
    m.ms[3] = w->ms[ASSAY_STAGE_LOAD];
    m.ms[1] = w->ms[ASSAY_STAGE_PROVE];
    m.ms[2] = w->ms[ASSAY_STAGE_VERIFY];
    if (s == ASSAY_OK) s = hand_over(w, &proof, &publics, &m, &err);
    if (s != ASSAY_OK) {
        m.status = s;
        if (w->relayed[0])
            memcpy(m.text, w->relayed, sizeof m.text);
        else
            (void)assay_errinfo_text(&err, m.text, sizeof m.text);
        (void)assay_channel_send(w->daemon, &m, NULL, -1, true);
    }
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    return 0;
}
