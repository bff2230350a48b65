/* SPDX-License-Identifier: Apache-2.0 */
/* Events are made when an order comes, with the time at which they are due; a timer descriptor wakes the engine. */
#define _GNU_SOURCE
#include "support/keeper/fake_keeper.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { TASKS = 512, KEYS = 32, EVENTS = 4096, LABELS = 512, MIB = 1 << 20 };
enum { PROCESS = 1, SYNTHESIS = 3, READY = 1, PROVE = 2 }; /* MiB */

typedef struct task {
    uint64_t number;
    char label[32], end[16];
    unsigned ms_synthesis, ms_prove;
    bool hold, went, proves;
    size_t key; /* plus 1 */
} task;

typedef struct key {
    char name[ASSAY_JOB_SUBJECT + 1];
    assay_file_stamp stamp;
    bool loaded, leaving;
    size_t users;
} key;

typedef struct due {
    uint64_t at, order;
    uint64_t task;
    assay_keeper_event event;
} due;

struct assay_keeper {
    int timer;
    task tasks[TASKS];
    key keys[KEYS];
    due events[EVENTS];
    size_t n_events;
    uint64_t orders;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fake_seen seen;
static unsigned load_ms;
static assay_keeper *living;
static char changed[64], failing[64];
static assay_status failing_with;
static uint64_t change;
static struct {
    char label[32];
    unsigned n;
} tries[LABELS];

/* ---- the tests' side */

void fake_keeper_reset(unsigned ms)
{
    (void)pthread_mutex_lock(&lock);
    memset(&seen, 0, sizeof seen);
    memset(tries, 0, sizeof tries);
    load_ms = ms;
    changed[0] = failing[0] = 0;
    (void)pthread_mutex_unlock(&lock);
}

fake_seen *fake_keeper_seen(void)
{
    fake_seen *copy = assay_mem_alloc(1, sizeof *copy);
    (void)pthread_mutex_lock(&lock);
    if (copy) memcpy(copy, &seen, sizeof seen);
    (void)pthread_mutex_unlock(&lock);
    return copy;
}

size_t fake_runs_of(const fake_seen *s, const char *label)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_runs; i++) n += strcmp(s->runs[i].label, label) == 0;
    return n;
}

size_t fake_place_of(const fake_run *r, size_t n, const char *label)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(r[i].label, label) == 0) return i;
    return n;
}

static void arm(const assay_keeper *k)
{
    uint64_t first = UINT64_MAX;
    const uint64_t now = assay_clock_ms();
    for (size_t i = 0; i < k->n_events; i++)
        if (k->events[i].at < first) first = k->events[i].at;
    const uint64_t ms = first > now ? first - now : 0;
    struct itimerspec t = {{0, 0}, {0, 0}};
    if (first != UINT64_MAX) t.it_value = (struct timespec){(time_t)(ms / 1000), ms ? (long)(ms % 1000) * 1000000 : 1};
    (void)timerfd_settime(k->timer, 0, &t, NULL);
}

static void put(assay_keeper *k, uint64_t ms, const assay_keeper_event *e)
{
    if (k->n_events == EVENTS) return;
    k->events[k->n_events++] = (due){assay_clock_ms() + ms, ++k->orders, e->task, *e};
    arm(k);
}

void fake_stamp_change(const char *name)
{
    (void)pthread_mutex_lock(&lock);
    (void)snprintf(changed, sizeof changed, "%s", name);
    change++;
    (void)pthread_mutex_unlock(&lock);
}

void fake_load_fails(const char *name, assay_status with)
{
    (void)pthread_mutex_lock(&lock);
    failing_with = with;
    (void)snprintf(failing, sizeof failing, "%s", name);
    (void)pthread_mutex_unlock(&lock);
}

static void drop_events_of(assay_keeper *k, uint64_t number)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n_events; i++)
        if (k->events[i].task != number)
            k->events[n++] = k->events[i];
        else
            assay_buffer_free(&k->events[i].event.outputs);
    k->n_events = n;
}

static uint64_t key_mib(const char *name)
{
    return strtoull(name + 1, NULL, 10);
}

static void account(const assay_keeper *k)
{
    uint64_t bytes = 0;
    size_t n = 0, proving = 0;
    for (size_t i = 0; i < KEYS; i++)
        if (k->keys[i].name[0]) bytes += key_mib(k->keys[i].name) * MIB;
    for (size_t i = 0; i < TASKS; i++) {
        const task *t = &k->tasks[i];
        if (!t->number) continue;
        bytes += (uint64_t)(PROCESS + (t->proves ? PROVE : SYNTHESIS)) * MIB;
        n++;
        proving += t->proves;
    }
    seen.at_once = n;
    if (n > seen.most_at_once) seen.most_at_once = n;
    if (proving > seen.most_proving) seen.most_proving = proving;
    if (bytes > seen.most_bytes) seen.most_bytes = bytes;
}

static void end_task(assay_keeper *k, task *t)
{
    if (t->key) {
        key *y = &k->keys[t->key - 1];
        if (--y->users == 0 && y->leaving) {
            assay_keeper_event e = {.kind = ASSAY_KEEPER_EVICTED};
            (void)snprintf(e.name, sizeof e.name, "%s", y->name);
            *y = (key){{0}, {0}, false, false, 0};
            put(k, 1, &e);
        }
    }
    *t = (task){0};
    account(k);
}

/* The worker of a dead process. */
static void kill_with_process(assay_keeper *k, task *t)
{
    assay_keeper_event e = {
        .kind = ASSAY_KEEPER_ENDED, .task = t->number, .status = ASSAY_EINTERNAL, .error = "its keeper process died"};
    drop_events_of(k, t->number);
    t->key = 0;
    put(k, 0, &e);
}

void fake_keeper_die(void)
{
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; living && i < TASKS; i++)
        if (living->tasks[i].number && !living->tasks[i].key) kill_with_process(living, &living->tasks[i]);
    if (living)
        put(living, 0, &(assay_keeper_event){.kind = ASSAY_KEEPER_GONE, .status = ASSAY_EIO, .error = "it died"});
    (void)pthread_mutex_unlock(&lock);
}

void fake_key_die(const char *name)
{
    (void)pthread_mutex_lock(&lock);
    assay_keeper *k = living;
    for (size_t i = 0; k && i < KEYS; i++) {
        if (strcmp(k->keys[i].name, name) != 0) continue;
        for (size_t n = 0; n < TASKS; n++) {
            task *t = &k->tasks[n];
            if (t->number && t->key == i + 1) kill_with_process(k, t);
        }
        assay_keeper_event e = {.kind = ASSAY_KEEPER_EVICTED, .status = ASSAY_EINTERNAL, .error = "it died"};
        (void)snprintf(e.name, sizeof e.name, "%s", name);
        put(k, 0, &e);
        k->keys[i] = (key){{0}, {0}, false, false, 0};
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- the engine's side */

void assay_keeper_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
}

assay_status assay_keeper_start(assay_keeper **out, const assay_keeper_options *o, assay_errinfo *err)
{
    (void)o;
    assay_keeper *k = *out = assay_mem_alloc(1, sizeof *k);
    if (!k) return ASSAY_FAIL(err, ASSAY_ENOMEM, "fake keeper", "out of memory");
    k->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    (void)pthread_mutex_lock(&lock);
    living = k;
    seen.n_starts++;
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

void assay_keeper_stop(assay_keeper *k)
{
    if (!k) return;
    (void)pthread_mutex_lock(&lock);
    living = NULL;
    seen.at_once = 0;
    (void)pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < k->n_events; i++) assay_buffer_free(&k->events[i].event.outputs);
    (void)close(k->timer);
    assay_mem_free(k);
}

int assay_keeper_fd(const assay_keeper *k)
{
    return k->timer;
}

size_t assay_keeper_pids(const assay_keeper *k, int *out, size_t max)
{
    (void)k;
    (void)out;
    (void)max;
    return 0;
}

static key *find_key(assay_keeper *k, const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(k->keys[i].name, name) == 0) return &k->keys[i];
    return NULL;
}

assay_status assay_keeper_load(assay_keeper *k, const assay_subject_entry *entry, assay_errinfo *err)
{
    assay_keeper_event e = {.kind = ASSAY_KEEPER_LOADED, .subject_kind = entry->kind, .load_ms = load_ms};
    (void)snprintf(e.name, sizeof e.name, "%s", entry->name);
    (void)pthread_mutex_lock(&lock);
    assay_status s = ASSAY_OK;
    key *y = find_key(k, entry->name), *place = find_key(k, "");
    if (y) {
        s = ASSAY_FAIL(err, ASSAY_EBUSY, entry->name, "is there"); /* the engine must not ask */
    } else if (strcmp(failing, entry->name) == 0) {
        failing[0] = 0;
        e.status = failing_with;
        (void)snprintf(e.error, sizeof e.error, "%s: cannot be loaded", entry->name);
        put(k, load_ms, &e);
    } else {
        (void)snprintf(place->name, sizeof place->name, "%s", entry->name);
        place->stamp = entry->stamp;
        e.bytes = key_mib(entry->name) * MIB;
        put(k, load_ms, &e);
    }
    seen.n_loads++;
    account(k);
    (void)pthread_mutex_unlock(&lock);
    return s;
}

assay_status assay_keeper_evict(assay_keeper *k, assay_job_kind kind, const char *name, assay_errinfo *err)
{
    (void)err;
    assay_keeper_event e = {.kind = ASSAY_KEEPER_EVICTED, .subject_kind = kind};
    (void)snprintf(e.name, sizeof e.name, "%s", name);
    (void)pthread_mutex_lock(&lock);
    key *y = find_key(k, name);
    seen.n_evicts++;
    if (y && y->users) {
        y->leaving = true;
    } else {
        if (y) *y = (key){{0}, {0}, false, false, 0};
        put(k, 2, &e);
    }
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

static void count_try(task *t)
{
    char *number = t->end + strcspn(t->end, "0123456789");
    if (!*number) return;
    const unsigned most = (unsigned)strtoul(number, NULL, 10);
    *number = 0;
    for (size_t i = 0; i < LABELS; i++) {
        if (tries[i].label[0] && strcmp(tries[i].label, t->label) != 0) continue;
        (void)snprintf(tries[i].label, sizeof tries[i].label, "%s", t->label);
        if (++tries[i].n > most) (void)snprintf(t->end, sizeof t->end, "ok");
        return;
    }
}

static bool parse(task *t, const assay_blob *input)
{
    char text[96] = "", *at = text;
    memcpy(text, input->p, input->n < sizeof text ? input->n : sizeof text - 1);
    const char *label = strsep(&at, " "), *s = strsep(&at, " "), *p = strsep(&at, " ");
    if (!at) return false;
    (void)snprintf(t->label, sizeof t->label, "%s", label);
    (void)snprintf(t->end, sizeof t->end, "%s", at);
    t->ms_synthesis = (unsigned)strtoul(s, NULL, 10);
    t->ms_prove = (unsigned)strtoul(p, NULL, 10);
    return true;
}

/* The end of a task that goes on to prove. */
static void finish_later(assay_keeper *k, task *t, uint64_t after)
{
    assay_keeper_event e = {.kind = ASSAY_KEEPER_STAGE, .task = t->number, .stage = "prove", .done = 0.5};
    put(k, after + t->ms_prove / 2, &e);
    e = (assay_keeper_event){.kind = ASSAY_KEEPER_ENDED,
                             .task = t->number,
                             .peak = 2 * MIB,
                             .synthesis_ms = t->ms_synthesis,
                             .prove_ms = t->ms_prove,
                             .verify_ms = 1};
    if (strcmp(t->end, "bad") == 0) {
        e.status = ASSAY_EUNSATISFIED;
        (void)snprintf(e.error, sizeof e.error, "constraint 7 does not hold");
    } else if (strcmp(t->end, "crash") == 0) {
        e.status = ASSAY_EINTERNAL;
        e.signal = 11;
        (void)snprintf(e.error, sizeof e.error, "the worker crashed");
    } else if (strcmp(t->end, "busy") == 0) {
        e.status = ASSAY_EBUSY;
        (void)snprintf(e.error, sizeof e.error, "others have the key");
    } else if (strcmp(t->end, "unborn") == 0) {
        e = (assay_keeper_event){.kind = ASSAY_KEEPER_ENDED, .task = t->number, .status = ASSAY_EBUSY};
        (void)snprintf(e.error, sizeof e.error, "no process");
    } else if (strcmp(t->end, "oom") == 0) {
        e.status = ASSAY_ENOMEM;
        e.signal = 9;
        e.peak = 77 * (uint64_t)MIB;
    } else {
        char proof[64], public[64];
        (void)snprintf(proof, sizeof proof, "proof of %s", t->label);
        (void)snprintf(public, sizeof public, "public %s", t->label);
        const assay_blob blobs[2] = {{(const uint8_t *)proof, strlen(proof)},
                                     {(const uint8_t *)public, strlen(public)}};
        e.status = assay_blobs_pack(&e.outputs, blobs, 2, NULL);
    }
    put(k, after + t->ms_prove, &e);
}

assay_status assay_keeper_run(assay_keeper *k, const assay_worker_order *o, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    (void)pthread_mutex_lock(&lock);
    task *t = NULL;
    for (size_t i = 0; i < TASKS && !t; i++)
        if (!k->tasks[i].number) t = &k->tasks[i];
    if (!t || o->n_inputs != 1 || !parse(t, &o->inputs[0])) {
        s = ASSAY_FAIL(err, ASSAY_EINVAL, "fake keeper", "not a task");
    } else {
        t->number = o->task;
        t->hold = o->hold;
        count_try(t);
        key *y = find_key(k, o->entry.name);
        if (y && !y->leaving) {
            t->key = (size_t)(y - k->keys) + 1;
            y->users++;
        }
        if (seen.n_runs < FAKE_RUNS) {
            fake_run *r = &seen.runs[seen.n_runs++];
            memcpy(r->label, t->label, sizeof r->label);
            r->task = o->task;
            r->threads = o->threads;
        }
        assay_keeper_event e = {.kind = ASSAY_KEEPER_STARTED, .task = o->task, .pid = 4321};
        if (strcmp(t->end, "unborn") != 0) put(k, 0, &e);
        e = (assay_keeper_event){.kind = ASSAY_KEEPER_STAGE, .task = o->task, .stage = "synthesis", .done = 0.5};
        put(k, t->ms_synthesis / 2, &e);
        if (o->hold && strcmp(t->end, "unborn") != 0) {
            e = (assay_keeper_event){.kind = ASSAY_KEEPER_READY, .task = o->task, .synthesis_ms = t->ms_synthesis};
            put(k, t->ms_synthesis, &e);
        } else {
            t->proves = true;
            finish_later(k, t, t->ms_synthesis);
        }
        account(k);
    }
    (void)pthread_mutex_unlock(&lock);
    return s;
}

static task *find_task(assay_keeper *k, uint64_t number)
{
    for (size_t i = 0; i < TASKS; i++)
        if (k->tasks[i].number == number) return &k->tasks[i];
    return NULL;
}

assay_status assay_keeper_go(assay_keeper *k, uint64_t number, unsigned threads, assay_errinfo *err)
{
    (void)err;
    (void)pthread_mutex_lock(&lock);
    task *t = number ? find_task(k, number) : NULL;
    if (t && t->hold && !t->went) {
        t->went = t->proves = true;
        fake_run *r = &seen.goes[seen.n_goes < FAKE_RUNS ? seen.n_goes++ : 0];
        memcpy(r->label, t->label, sizeof r->label);
        r->threads = threads;
        finish_later(k, t, 0);
        account(k);
    }
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

assay_status assay_keeper_kill(assay_keeper *k, uint64_t number, assay_errinfo *err)
{
    (void)err;
    (void)pthread_mutex_lock(&lock);
    if (number && find_task(k, number)) {
        assay_keeper_event e = {
            .kind = ASSAY_KEEPER_ENDED, .task = number, .status = ASSAY_ECANCELED, .signal = 9, .error = "killed"};
        drop_events_of(k, number);
        put(k, 3, &e);
    }
    seen.n_kills++;
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

void assay_keeper_next(assay_keeper *k, assay_keeper_event *out)
{
    const uint64_t now = assay_clock_ms();
    uint64_t count;
    *out = (assay_keeper_event){.kind = ASSAY_KEEPER_NOTHING};
    (void)pthread_mutex_lock(&lock);
    const ssize_t got = read(k->timer, &count, sizeof count);
    (void)got;
    size_t best = k->n_events;
    for (size_t i = 0; i < k->n_events; i++) {
        const due *d = &k->events[i];
        if (d->at > now) continue;
        if (best < k->n_events &&
            (d->at > k->events[best].at || (d->at == k->events[best].at && d->order > k->events[best].order)))
            continue;
        best = i;
    }
    if (best < k->n_events) {
        *out = k->events[best].event;
        k->events[best] = k->events[--k->n_events];
        if (out->kind == ASSAY_KEEPER_ENDED) {
            task *t = find_task(k, out->task);
            if (t) end_task(k, t);
        }
    }
    arm(k);
    (void)pthread_mutex_unlock(&lock);
}

void assay_keeper_event_clear(assay_keeper_event *e)
{
    assay_buffer_free(&e->outputs);
}

/* ---- the catalogue */

struct assay_catalogue {
    int nothing;
};

assay_status assay_catalogue_new(assay_catalogue **out, const char *circuits, const char *models, assay_errinfo *err)
{
    (void)circuits;
    (void)models;
    *out = assay_mem_alloc(1, sizeof **out);
    return *out ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "catalogue", "out of memory");
}

void assay_catalogue_free(assay_catalogue *c)
{
    assay_mem_free(c);
}

assay_status assay_catalogue_find(const assay_catalogue *c, assay_job_kind kind, const char *name,
                                  assay_subject_entry *out, assay_errinfo *err)
{
    (void)c;
    memset(out, 0, sizeof *out);
    if (kind != ASSAY_JOB_GROTH16 || strcmp(name, "none") == 0)
        return ASSAY_FAIL(err, ASSAY_EIO, name, "no such circuit");
    out->kind = kind;
    memcpy(out->name, name, strlen(name) + 1);
    (void)pthread_mutex_lock(&lock);
    if (strcmp(changed, name) == 0) out->stamp.inode = change;
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

assay_status assay_job_plan_make(assay_job_plan *out, assay_catalogue *c, assay_job_kind kind,
                                 const assay_subject_entry *entry, const assay_blob *inputs, size_t n_inputs,
                                 unsigned threads, uint64_t room, assay_errinfo *err)
{
    task t;
    (void)c;
    (void)kind;
    (void)threads;
    for (size_t i = 0; i < n_inputs; i++)
        if (!parse(&t, &inputs[i])) return ASSAY_FAIL(err, ASSAY_EFORMAT, "input", "not a witness");
    *out = (assay_job_plan){.key = key_mib(entry->name) * MIB,
                            .load = key_mib(entry->name) ? MIB : 0,
                            .process = PROCESS * MIB,
                            .synthesis = SYNTHESIS * MIB,
                            .ready = READY * MIB,
                            .prove = PROVE * MIB,
                            .peak = (PROCESS + SYNTHESIS) * MIB,
                            .partitions = (uint32_t)n_inputs};
    if (out->key + out->load + out->peak > room)
        return ASSAY_FAIL2(err, ASSAY_ENOMEM, entry->name, "takes more memory than there is for jobs (MiB, MiB)",
                           (out->key + out->load + out->peak) / MIB, room / MIB);
    return ASSAY_OK;
}
