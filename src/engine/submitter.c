/* SPDX-License-Identifier: Apache-2.0 */
/* Submissions. Checks and plans on the caller's thread; then one thread that writes all that have come since its last
 * transaction in the next one, so that many pay for one sync. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "engine/engine_impl.h"
#include "hash/random.h"
#include <stdio.h>
#include <string.h>

static void answer(const assay_submission *s, assay_submit_answer *a)
{
    memcpy(a->id, s->spec.id, sizeof a->id);
    s->fn(s->ctx, a);
}

static void refuse(const assay_submission *s, assay_status status, const char *text)
{
    assay_submit_answer a = {.status = status, .outcome = ASSAY_SUBMIT_FAILED};
    assay_text_copy(a.error, sizeof a.error, text);
    answer(s, &a);
}

static void refuse_with(const assay_submission *s, assay_status status, const assay_errinfo *err)
{
    char text[ASSAY_JOB_ERROR];
    refuse(s, status, assay_errinfo_text(err, text, sizeof text));
}

/* ---- on the caller's thread */

/* 128 random bits, as a UUID of version 4 is written. */
static assay_status make_id(char out[ASSAY_JOB_ID + 1], assay_errinfo *err)
{
    uint8_t r[16];
    const assay_status s = assay_random_bytes(r, sizeof r, err);
    if (s != ASSAY_OK) return s;
    r[6] = (uint8_t)((r[6] & 0x0f) | 0x40);
    r[8] = (uint8_t)((r[8] & 0x3f) | 0x80);
    char *p = out;
    for (size_t i = 0; i < sizeof r; i++)
        p += snprintf(p, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
    return ASSAY_OK;
}

static assay_status check_spec(assay_job_spec *s, assay_errinfo *err)
{
    if (!s->id[0]) {
        const assay_status st = make_id(s->id, err);
        if (st != ASSAY_OK) return st;
    }
    for (const char *p = s->id; *p; p++)
        if (*p < ' ' || *p > '~') return ASSAY_FAIL(err, ASSAY_ERANGE, "id", "may hold printable ASCII only");
    if ((unsigned)s->kind >= ASSAY_JOB_KINDS)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "kind", "there is none such", s->kind);
    if (s->priority < ASSAY_PRIORITY_LOW || s->priority > ASSAY_PRIORITY_CRITICAL)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "priority", "goes from 1 to 4", s->priority);
    if (s->n_inputs > ASSAY_JOB_PARTITIONS && s->kind < ASSAY_JOB_POREP)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "inputs", "more than there may be", s->n_inputs, ASSAY_JOB_PARTITIONS);
    return ASSAY_OK;
}

/* Whether it can be done at all: its subject is there, its inputs are of the right kind, it fits alone. Filecoin's
 * kinds wait for their turn to be told that they cannot. */
static assay_status check_job(const assay_engine *e, const assay_job_spec *s, assay_errinfo *err)
{
    assay_job_plan plan;
    uint64_t room = e->room; /* the daemon's copy of the inputs takes its part */
    for (size_t i = 0; i < s->n_inputs; i++) room = s->inputs[i].n < room ? room - s->inputs[i].n : 0;
    if (s->kind >= ASSAY_JOB_POREP) return ASSAY_OK;
    assay_subject_entry *entry = assay_mem_alloc(1, sizeof *entry);
    if (!entry) return ASSAY_FAIL(err, ASSAY_ENOMEM, "submit", "out of memory");
    assay_status st = assay_catalogue_find(e->catalogue, s->kind, s->subject, entry, err);
    if (st == ASSAY_OK)
        st = assay_job_plan_make(&plan, e->catalogue, s->kind, entry, s->inputs, s->n_inputs,
                                 (unsigned)e->settings.threads_a_prover, room, err);
    if (st == ASSAY_OK && plan.partitions > ASSAY_JOB_PARTITIONS)
        st = ASSAY_FAIL2(err, ASSAY_ERANGE, s->subject, "more partitions than there may be", plan.partitions,
                         ASSAY_JOB_PARTITIONS);
    assay_mem_free(entry);
    return st;
}

void assay_engine_submit(assay_engine *e, const assay_job_spec *spec, assay_submit_fn *fn, void *ctx)
{
    assay_errinfo err = {0};
    assay_submission stack = {.spec = *spec, .fn = fn, .ctx = ctx};
    if (atomic_load(&e->draining)) {
        refuse(&stack, ASSAY_EBUSY, "the daemon is ending: it takes no more jobs");
        return;
    }
    assay_status st = check_spec(&stack.spec, &err);
    if (st == ASSAY_OK) st = check_job(e, &stack.spec, &err);
    assay_submission *s = st == ASSAY_OK ? assay_mem_alloc(1, sizeof *s) : NULL;
    if (st != ASSAY_OK) {
        refuse_with(&stack, st, &err);
        return;
    }
    if (!s) {
        refuse(&stack, ASSAY_ENOMEM, "out of memory");
        return;
    }
    *s = stack;
    (void)pthread_mutex_lock(&e->lock);
    const bool late = e->stop;
    if (!late) {
        if (e->last_submission)
            e->last_submission->next = s;
        else
            e->first_submission = s;
        e->last_submission = s;
        (void)pthread_cond_signal(&e->more);
    }
    (void)pthread_mutex_unlock(&e->lock);
    if (!late) return;
    refuse(s, ASSAY_EBUSY, "the daemon is ending: it takes no more jobs");
    assay_mem_free(s);
}

/* ---- on the submitter's thread */

static uint64_t bytes_of(const assay_submission *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->spec.n_inputs; i++) n += s->spec.inputs[i].n;
    return n;
}

/* One transaction's worth: a few seconds' writing at most, for heartbeats wait for it. */
static size_t take(assay_engine *e, assay_submission **group)
{
    uint64_t bytes = 0;
    size_t n = 0;
    (void)pthread_mutex_lock(&e->lock);
    while (!e->first_submission && !e->stop) (void)pthread_cond_wait(&e->more, &e->lock);
    while (e->first_submission && n < ASSAY_ENGINE_GROUP) {
        bytes += bytes_of(e->first_submission);
        if (n > 0 && bytes > ASSAY_ENGINE_GROUP_BYTES) break;
        group[n] = e->first_submission;
        e->first_submission = group[n++]->next;
    }
    if (!e->first_submission) e->last_submission = NULL;
    (void)pthread_mutex_unlock(&e->lock);
    return n;
}

static void answer_new(assay_engine *e, const assay_submission *s, assay_submit_outcome outcome)
{
    assay_submit_answer a = {.status = ASSAY_OK, .outcome = outcome};
    if (outcome == ASSAY_SUBMIT_NEW) {
        (void)atomic_fetch_add(&e->submitted, 1);
        const uint64_t before = atomic_fetch_add(&e->waiting, 1);
        a.queue_position = before > UINT32_MAX ? UINT32_MAX : (uint32_t)before;
        assay_engine_log(e, ASSAY_ENGINE_DEBUG, "job_submitted", "job", s->spec.id, "kind",
                         assay_job_kind_name(s->spec.kind), "subject", s->spec.subject, NULL);
    } else if (outcome == ASSAY_SUBMIT_CONFLICT) {
        assay_text_copy(a.error, sizeof a.error, "another job has this id");
    } else if (outcome == ASSAY_SUBMIT_FULL) {
        assay_text_copy(a.error, sizeof a.error, "as many jobs wait as may (queue.max_jobs)");
    }
    answer(s, &a);
}

static void write_group(assay_engine *e, assay_submission **group, size_t n)
{
    const assay_job_spec *specs[ASSAY_ENGINE_GROUP];
    assay_submit_outcome outcomes[ASSAY_ENGINE_GROUP];
    assay_errinfo err = {0};
    for (size_t i = 0; i < n; i++) specs[i] = &group[i]->spec;
    const assay_status st = assay_queue_submit(e->queue, specs, n, outcomes, &err);
    (void)assay_engine_queue_said(e, st, &err);
    if (st == ASSAY_OK) {
        atomic_store(&e->heads_dirty, true);
        assay_engine_ring(e);
    }
    for (size_t i = 0; i < n; i++) {
        if (st == ASSAY_OK)
            answer_new(e, group[i], outcomes[i]);
        else
            refuse_with(group[i], st, &err);
        assay_mem_free(group[i]);
    }
}

void *assay_submitter_loop(void *engine)
{
    assay_engine *e = engine;
    assay_submission *group[ASSAY_ENGINE_GROUP];
    for (size_t n; (n = take(e, group)) > 0;) write_group(e, group, n);
    return NULL;
}
