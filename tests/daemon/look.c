/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up look. */
#include "daemon/look.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

static const uint64_t GIB = (uint64_t)1 << 30, MIB = (uint64_t)1 << 20;
enum { SECOND = 1000, MINUTE = 60 * SECOND };

static void text(char *out, size_t n, const char *value)
{
    const size_t length = strlen(value);
    memmove(out, value, length < n ? length + 1 : n - 1); /* the rest is zero */
}

static void memory(assay_engine_look *l)
{
    l->memory = (assay_memory_found){.installed = 256 * GIB,
                                     .available = 231 * GIB,
                                     .group_max = 192 * GIB,
                                     .group_current = 3 * GIB,
                                     .total = 187 * GIB};
    text(l->memory.group, sizeof l->memory.group, "/system.slice/assayd.service");
    text(l->memory.why, sizeof l->memory.why,
         "187 GiB: the control group /system.slice/assayd.service leaves 189 GiB, less the margin of 2 GiB");
    l->daemon_bytes = 1536 * MIB;
    l->keys_bytes = 51 * GIB;
    l->workers_bytes = 98 * GIB;
    l->budget = (assay_budget){
        .total = 187 * GIB, .used = l->daemon_bytes + l->keys_bytes + l->workers_bytes, .peak = 171 * GIB};
}

static void counters(assay_engine_look *l)
{
    l->threads = 32;
    l->partition_workers = 8;
    l->gpu_workers = 2;
    l->gpu_threads = 8;
    l->pipeline = true;
    text(l->why, sizeof l->why,
         "8 partition workers: a partition of multiplier-2m takes 14.0 GiB and 116 GiB are left beside its key. 2 "
         "provers "
         "of 16 threads keep 32 processors busy.");
    l->submitted = 1290;
    l->completed = 1237;
    l->failed = 9;
    l->cancelled = 4;
    l->retried = 3;
    l->killed_for_memory = 1;
    l->ended_by_kind[ASSAY_JOB_GROTH16][0] = 1200;
    l->ended_by_kind[ASSAY_JOB_GROTH16][1] = 7;
    l->ended_by_kind[ASSAY_JOB_REPLY][0] = 37;
    l->ended_by_kind[ASSAY_JOB_REPLY][1] = 2;
    for (uint64_t i = 0; i < 1237; i++) {
        const assay_job_times t = {.queue_wait = 900 * (i % 50),
                                   .load = i % 100 ? 0 : 21000,
                                   .synthesis = 30000,
                                   .prove = 9000 + 11 * i,
                                   .verify = 12,
                                   .total = 20000 + (i * 7919) % 200000,
                                   .peak_bytes = 14 * GIB - i * MIB};
        assay_look_add(&l->done[i < 1200 ? ASSAY_JOB_GROTH16 : ASSAY_JOB_REPLY], &t);
    }
    l->queue.waiting[ASSAY_JOB_GROTH16] = 33;
    l->queue.waiting[ASSAY_JOB_REPLY] = 4;
    l->queue.running[ASSAY_JOB_GROTH16] = 2;
    l->queue.running[ASSAY_JOB_REPLY] = 1;
    l->queue.completed = 1237;
    l->queue.failed = 9;
    l->queue.cancelled = 4;
    l->proofs_per_hour = 587.5;
    for (size_t i = 0; i < ASSAY_LOOK_MINUTES; i++)
        l->per_minute[i] = i > 95 ? 0 : i > 40 && i < 46 ? 1 : 8 + (i * 37 % 11) - (i * 13 % 5);
}

static assay_job_view *job(assay_engine_look *l, const char *id, assay_job_state state, const char *subject)
{
    assay_job_view *j = &l->jobs[l->n_jobs++];
    text(j->id, sizeof j->id, id);
    text(j->subject, sizeof j->subject, subject);
    j->kind = ASSAY_JOB_GROTH16;
    j->state = state;
    j->priority = ASSAY_PRIORITY_NORMAL;
    j->stage = "";
    j->partitions = 1;
    j->attempts = state != ASSAY_JOB_QUEUED;
    j->submitted = l->now - 9 * MINUTE;
    if (state != ASSAY_JOB_QUEUED) j->started = l->now - 4 * MINUTE;
    return j;
}

static void span(assay_engine_look *l, const char *id, uint32_t partition, const char *stage, uint64_t begin,
                 uint64_t end)
{
    assay_look_span *s = &l->spans[l->n_spans++];
    text(s->job, sizeof s->job, id);
    s->partition = partition;
    s->stage = stage;
    s->begin = l->now - begin;
    s->end = end ? l->now - end : 0;
}

static void worker(assay_engine_look *l, const assay_job_view *j, uint32_t partition, const char *stage, double done,
                   uint64_t since)
{
    assay_look_worker *w = &l->workers[l->n_workers++];
    w->number = (uint32_t)l->n_workers;
    w->pid = 48210 + 3 * (int)l->n_workers;
    text(w->job, sizeof w->job, j->id);
    w->kind = j->kind;
    w->partition = partition;
    w->stage = stage;
    w->done = done;
    w->since = l->now - since;
    w->reserved = j->kind == ASSAY_JOB_REPLY ? 2 * GIB : 14 * GIB;
    w->peak = w->reserved / (24 + l->n_workers) * 24;
    w->prover = stage[0] == 'p';
}

static void running(assay_engine_look *l)
{
    assay_job_view *a = job(l, "porep-1000-7731", ASSAY_JOB_RUNNING, "multiplier-2m");
    a->partitions = 10;
    a->partitions_done = 4;
    a->done = 0.52;
    a->stage = "prove";
    a->priority = ASSAY_PRIORITY_HIGH;
    a->deadline = l->now + 25 * MINUTE;
    for (uint32_t p = 0; p < 4; p++) {
        span(l, a->id, p, "synthesis", (240 - 9 * p) * SECOND, (205 - 9 * p) * SECOND);
        span(l, a->id, p, "ready", (205 - 9 * p) * SECOND, (200 - 17 * p) * SECOND);
        span(l, a->id, p, "prove", (200 - 17 * p) * SECOND, (183 - 17 * p) * SECOND);
    }
    span(l, a->id, 4, "synthesis", 150 * SECOND, 44 * SECOND);
    span(l, a->id, 4, "prove", 44 * SECOND, 0);
    span(l, a->id, 5, "synthesis", 140 * SECOND, 30 * SECOND);
    span(l, a->id, 5, "ready", 30 * SECOND, 0);
    for (uint32_t p = 6; p < 9; p++) span(l, a->id, p, "synthesis", (101 - 8 * p) * SECOND, 0);
    worker(l, a, 4, "prove", 0.7, 44 * SECOND);
    worker(l, a, 5, "ready", 1, 30 * SECOND);
    for (uint32_t p = 6; p < 9; p++) worker(l, a, p, "synthesis", 0.15 * (10 - p), (101 - 8 * p) * SECOND);
    assay_job_view *b = job(l, TEST_LOOK_HOSTILE_ID, ASSAY_JOB_RUNNING, "sha256_chain");
    b->partitions = 2;
    b->attempts = 2;
    b->stage = "synthesis";
    b->done = 0.2;
    span(l, b->id, 0, "synthesis", 120 * SECOND, 88 * SECOND);
    l->spans[l->n_spans - 1].failed = true;
    span(l, b->id, 0, "load", 60 * SECOND, 50 * SECOND);
    span(l, b->id, 0, "synthesis", 50 * SECOND, 0);
    span(l, b->id, 1, "synthesis", 46 * SECOND, 0);
    worker(l, b, 0, "synthesis", 0.4, 50 * SECOND);
    worker(l, b, 1, "synthesis", 0.33, 46 * SECOND);
    assay_job_view *c = job(l, "reply-2f81c4", ASSAY_JOB_RUNNING, "smollm2-135m");
    c->kind = ASSAY_JOB_REPLY;
    c->stage = "prove";
    c->done = 0.81;
    c->started = l->now - 31 * SECOND;
    span(l, c->id, 0, "load", 31 * SECOND, 29 * SECOND);
    span(l, c->id, 0, "prove", 29 * SECOND, 0);
    worker(l, c, 0, "prove", 0.81, 29 * SECOND);
}

static void others(assay_engine_look *l)
{
    char id[64];
    for (uint32_t i = 0; i < 9; i++) {
        (void)snprintf(id, sizeof id, "porep-1000-%u", 7732 + i);
        assay_job_view *j = job(l, id, ASSAY_JOB_QUEUED, "multiplier-2m");
        j->partitions = 10;
        j->queue_position = i;
        j->submitted = l->now - (540 - 40 * i) * SECOND;
        if (i == 0) j->priority = ASSAY_PRIORITY_CRITICAL;
        if (i == 8) j->kind = ASSAY_JOB_REPLY;
    }
    for (uint32_t i = 0; i < 6; i++) {
        (void)snprintf(id, sizeof id, "batch-%u", 410 - i);
        assay_job_view *j = job(l, id, ASSAY_JOB_COMPLETED, "sha256_chain");
        j->partitions = j->partitions_done = 1;
        j->done = 1;
        j->started = l->now - (300 + 20 * i) * SECOND;
        j->ended = j->started + (41 + i) * SECOND;
        j->times = (assay_job_times){.queue_wait = 1200,
                                     .synthesis = 30000,
                                     .prove = 9000,
                                     .verify = 11,
                                     .total = 42000 + i * SECOND,
                                     .peak_bytes = 900 * MIB};
        span(l, id, 0, "synthesis", (300 + 20 * i) * SECOND, (270 + 20 * i) * SECOND);
        span(l, id, 0, "prove", (270 + 20 * i) * SECOND, (260 + 20 * i) * SECOND);
    }
    assay_job_view *f = job(l, "batch-404", ASSAY_JOB_FAILED, "sha256_chain");
    f->ended = l->now - 3 * MINUTE;
    text(f->error, sizeof f->error, "input 0: constraint 20481 does not hold: the witness <b>breaks</b> the circuit");
    assay_job_view *k = job(l, "batch-403", ASSAY_JOB_CANCELLED, "sha256_chain");
    k->ended = l->now - 200 * SECOND;
    text(k->error, sizeof k->error, "cancelled by a client");
}

static void keys(assay_engine_look *l)
{
    static const struct {
        const char *name;
        assay_job_kind kind;
        uint64_t mib;
        uint32_t references;
        bool loading;
    } made[] = {{"multiplier-2m", ASSAY_JOB_GROTH16, 45168, 5, false},
                {"sha256_chain", ASSAY_JOB_GROTH16, 6200, 2, false},
                {"smollm2-135m", ASSAY_JOB_REPLY, 830, 1, false},
                {"poseidon-tree", ASSAY_JOB_GROTH16, 26, 0, true}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        assay_look_key *k = &l->keys[l->n_keys++];
        text(k->name, sizeof k->name, made[i].name);
        k->kind = made[i].kind;
        k->bytes = made[i].mib * MIB;
        k->references = made[i].references;
        k->loading = made[i].loading;
        k->last_used = l->now - i * 71 * SECOND;
    }
}

assay_engine_look *test_look_new(uint64_t now)
{
    assay_engine_look *l = assay_mem_alloc(1, sizeof *l);
    if (!l) return NULL;
    l->now = now;
    l->started = now - 97 * (uint64_t)MINUTE;
    l->ready = true;
    memory(l);
    counters(l);
    running(l);
    others(l);
    keys(l);
    return l;
}

void test_look_free(assay_engine_look *l)
{
    assay_mem_free(l);
}
