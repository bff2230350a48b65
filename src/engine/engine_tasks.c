/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: the board's moves as orders to the keeper, and what the keeper says of them. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_impl.h"
#include <stdio.h>
#include <string.h>

enum {
    PAUSE_LEAST = 50, /* ms until a keeper that refused is asked again; doubled up to PAUSE_MOST */
    PAUSE_MOST = 10000,
    RELIEF_MS = 300000 /* until one partition more is tried again after a kill for memory */
};

/* ---- orders */

/* Busy, no memory, no more processes: in a while again. */
static void could_not(assay_engine *e, const char *what, const char *name, const assay_errinfo *err)
{
    char text[ASSAY_JOB_ERROR];
    e->pause = e->pause == 0 ? PAUSE_LEAST : e->pause * 2 < PAUSE_MOST ? e->pause * 2 : PAUSE_MOST;
    e->moves_after = assay_clock_ms() + e->pause;
    assay_engine_log(e, err->status == ASSAY_EBUSY ? ASSAY_ENGINE_DEBUG : ASSAY_ENGINE_WARN, what, "name", name,
                     "error", assay_errinfo_text(err, text, sizeof text), NULL);
}

/* Each partition has its process, or had one: until then it may have to be ordered again. */
static void free_inputs_when_used(assay_engine *e, assay_live_job *j)
{
    for (uint32_t i = 0; i < j->board.n_tasks; i++)
        if (!j->tasks[i].pid && j->board.tasks[i].phase != ASSAY_TASK_ENDED) return;
    assay_buffer_free(&j->inputs);
    assay_board_inputs_gone(e->board, &j->board);
    j->n_blobs = 0;
}

static void run(assay_engine *e, const assay_move *m)
{
    assay_live_job *j = assay_live_of(m->job);
    const uint32_t i = m->task->partition;
    const bool each = j->view.kind == ASSAY_JOB_GROTH16; /* an input a partition; else all are of the one */
    assay_errinfo err = {0};
    const assay_worker_order order = {
        .task = ++e->task_numbers,
        .entry = j->board.entry,
        .inputs = each ? &j->blobs[i] : j->blobs,
        .n_inputs = each ? 1 : j->n_blobs,
        .threads = (unsigned)(e->settings.pipeline ? e->settings.threads_a_synthesis : e->settings.threads_a_prover),
        .prove_bytes = j->board.plan.prove_bytes,
        .hold = e->settings.pipeline};
    const assay_status s = assay_keeper_run(e->keeper, &order, &err);
    if (s != ASSAY_OK) {
        char text[ASSAY_JOB_ERROR];
        assay_board_task_back(e->board, m->task);
        if (s == ASSAY_EINVAL) /* never, however often it is tried */
            assay_engine_stop_job(e, j, ASSAY_END_FAILED, assay_errinfo_text(&err, text, sizeof text));
        else
            could_not(e, "worker_not_started", j->view.id, &err);
        return;
    }
    if (j->key_asked) { /* its first partitions waited for the key */
        j->view.times.load += assay_clock_ms() - j->key_asked;
        j->key_asked = 0;
    }
    j->tasks[i].number = order.task;
    j->running++;
    if (j->running > j->most_running) j->most_running = j->running;
    assay_live_stage(e, j, i, "synthesis", false);
}

static void go(assay_engine *e, const assay_move *m)
{
    assay_live_job *j = assay_live_of(m->job);
    assay_errinfo err = {0};
    if (assay_keeper_go(e->keeper, j->tasks[m->task->partition].number, (unsigned)e->settings.threads_a_prover, &err) ==
        ASSAY_OK) {
        assay_live_stage(e, j, m->task->partition, "prove", false);
        return;
    }
    could_not(e, "worker_not_let_on", j->view.id, &err);
    assay_engine_try_again(e, j, "a worker could not be told to go on");
}

void assay_engine_evict_key(assay_engine *e, assay_board_key *key)
{
    assay_errinfo err = {0};
    key->state = ASSAY_KEY_LEAVING;
    if (assay_keeper_evict(e->keeper, key->entry.kind, key->entry.name, &err) == ASSAY_OK) return;
    could_not(e, "key_not_evicted", key->entry.name, &err);
    key->state = ASSAY_KEY_RESIDENT;
}

static void load(assay_engine *e, const assay_move *m)
{
    assay_errinfo err = {0};
    if (assay_keeper_load(e->keeper, &m->key->entry, &err) == ASSAY_OK) {
        assay_engine_log(e, ASSAY_ENGINE_DEBUG, "key_loading", "name", m->key->entry.name, NULL);
        return;
    }
    could_not(e, "key_not_loaded", m->key->entry.name, &err);
    assay_board_key_gone(e->board, m->key);
}

static void show_loading(assay_engine *e)
{
    for (assay_live_job *j = e->jobs; j; j = j->next)
        for (uint32_t i = 0; j->on_board && i < j->board.n_tasks; i++) {
            if (j->board.tasks[i].phase != ASSAY_TASK_LOADING) continue;
            if (j->tasks[i].stage && strcmp(j->tasks[i].stage, "load") == 0) continue;
            if (!j->key_asked) j->key_asked = assay_clock_ms();
            assay_live_stage(e, j, i, "load", false);
        }
}

static void give_back(assay_engine *e, assay_live_job *j)
{
    assay_board_remove(e->board, &j->board);
    j->on_board = false;
    assay_engine_stop_job(e, j, ASSAY_END_RETURN, "");
}

void assay_engine_make_moves(assay_engine *e, uint64_t now)
{
    if (now < e->moves_after) return;
    for (int i = 0; i < ASSAY_ENGINE_GROUP; i++) {
        const size_t n_heads = atomic_load(&e->draining) || now < e->queue_after ? 0 : e->n_heads;
        const assay_move m = assay_board_next(e->board, e->heads, n_heads, assay_unix_ms());
        switch (m.kind) {
        case ASSAY_MOVE_CLAIM:
            assay_engine_claim(e, m.head);
            break;
        case ASSAY_MOVE_GIVE_BACK:
            give_back(e, assay_live_of(m.job));
            break;
        case ASSAY_MOVE_LOAD:
            load(e, &m);
            break;
        case ASSAY_MOVE_RUN:
            run(e, &m);
            break;
        case ASSAY_MOVE_EVICT:
            assay_engine_evict_key(e, m.key);
            break;
        case ASSAY_MOVE_GO:
            go(e, &m);
            break;
        case ASSAY_MOVE_NONE:
            break;
        }
        if (m.forced)
            assay_engine_log(e, ASSAY_ENGINE_WARN, "memory_forced", "job", assay_live_of(m.job)->view.id, NULL);
        if (m.kind == ASSAY_MOVE_NONE) break;
        e->look_dirty = true;
        if (now < e->moves_after || now < e->queue_after) break;
    }
    show_loading(e);
}

static bool has_worker(assay_task_phase p)
{
    return p == ASSAY_TASK_SYNTHESIS || p == ASSAY_TASK_READY || p == ASSAY_TASK_PROVING;
}

/* ---- a worker's end */

static bool was_out_of_memory(const assay_engine *e, const char *id)
{
    const size_t n = e->n_out_of_memory < ASSAY_ENGINE_OUT_OF_MEMORY ? e->n_out_of_memory : ASSAY_ENGINE_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (strcmp(e->out_of_memory[i], id) == 0) return true;
    return false;
}

static void set_most(assay_engine *e)
{
    const uint64_t all = e->settings.partition_workers + e->settings.gpu_workers;
    e->board->limits.most = e->penalty < all ? all - e->penalty : 1;
}

void assay_engine_relieve(assay_engine *e, uint64_t now)
{
    if (!e->penalty || now < e->relief_at) return;
    e->penalty--;
    e->relief_at = now + RELIEF_MS;
    set_most(e);
}

/* Fewer at once for a while; the job once more, and then it has failed. */
static void out_of_memory(assay_engine *e, assay_live_job *j, const assay_keeper_event *ev, uint32_t partition)
{
    char text[ASSAY_JOB_ERROR];
    const uint64_t mib = (uint64_t)1 << 20;
    const bool again = was_out_of_memory(e, j->view.id);
    (void)snprintf(text, sizeof text, "partition %u was %s%s: planned %llu MiB, it had %llu MiB%s%.200s",
                   (unsigned)partition, ev->signal ? "killed for its memory" : "out of memory",
                   again ? ", for the second time" : "", (unsigned long long)(j->board.plan.peak / mib),
                   (unsigned long long)(ev->peak / mib), ev->error[0] ? ": " : "", ev->error);
    e->draft->killed_for_memory++;
    if (e->penalty + 1 < e->settings.partition_workers + e->settings.gpu_workers) e->penalty++;
    e->relief_at = assay_clock_ms() + RELIEF_MS;
    set_most(e);
    assay_engine_log(e, ASSAY_ENGINE_WARN, "worker_out_of_memory", "job", j->view.id, "error", text, NULL);
    if (again) {
        assay_engine_stop_job(e, j, ASSAY_END_FAILED, text);
        return;
    }
    char *place = e->out_of_memory[e->n_out_of_memory++ % ASSAY_ENGINE_OUT_OF_MEMORY];
    memcpy(place, j->view.id, sizeof j->view.id);
    assay_engine_try_again(e, j, text);
}

static void failed(assay_engine *e, assay_live_job *j, const assay_keeper_event *ev, uint32_t partition)
{
    char text[ASSAY_JOB_ERROR];
    if (ev->status == ASSAY_ENOMEM) {
        out_of_memory(e, j, ev, partition);
        return;
    }
    const char *what = ev->error[0] ? ev->error : assay_status_name(ev->status);
    if (j->board.n_tasks > 1)
        (void)snprintf(text, sizeof text, "partition %u: %.480s", (unsigned)partition, what);
    else
        (void)snprintf(text, sizeof text, "%s", what);
    /* A crash, or a kill that nobody here ordered, may be the machine's; files that others have or replace will be
     * there again; the rest is the job's own. */
    if (ev->status == ASSAY_EINTERNAL || ev->status == ASSAY_ECANCELED || ev->status == ASSAY_EBUSY || ev->signal)
        assay_engine_try_again(e, j, text);
    else
        assay_engine_stop_job(e, j, ASSAY_END_FAILED, text);
}

/* Its keeper could make no process for it: nothing is lost, and it waits again. */
static void not_begun(assay_engine *e, assay_live_job *j, uint32_t i, const assay_keeper_event *ev)
{
    assay_errinfo err = {0};
    (void)ASSAY_FAIL(&err, ASSAY_ENOMEM, "keeper", ev->error);
    could_not(e, "worker_not_started", j->view.id, &err);
    assay_board_task_back(e->board, &j->board.tasks[i]);
    assay_live_stage(e, j, i, "wait", false);
    j->tasks[i].number = 0;
    j->running--;
}

static void ended(assay_engine *e, assay_live_job *j, uint32_t i, assay_keeper_event *ev)
{
    assay_board_task *t = &j->board.tasks[i];
    assay_job_times *times = &j->view.times;
    if (ev->status == ASSAY_EBUSY && !j->tasks[i].pid && !j->board.stopping) {
        not_begun(e, j, i, ev);
        return;
    }
    assay_board_task_ended(e->board, t, assay_unix_ms());
    j->running--;
    if (ev->peak > j->worst_peak) j->worst_peak = ev->peak;
    j->tasks[i].peak = ev->peak;
    times->load += ev->load_ms;
    times->synthesis += ev->synthesis_ms;
    times->prove += ev->prove_ms;
    times->verify += ev->verify_ms;
    assay_live_stage(e, j, i, "", ev->status != ASSAY_OK);
    if (ev->status != ASSAY_OK) {
        failed(e, j, ev, i);
        return;
    }
    assay_buffer_free(&j->outputs[i]);
    j->outputs[i] = ev->outputs;
    ev->outputs = (assay_buffer){0};
    j->tasks[i].done = 1;
}

/* ---- events */

static assay_live_job *find_task(assay_engine *e, uint64_t number, uint32_t *partition)
{
    for (assay_live_job *j = e->jobs; number && j; j = j->next)
        for (uint32_t i = 0; j->on_board && i < j->board.n_tasks; i++)
            if (j->tasks[i].number == number && has_worker(j->board.tasks[i].phase)) {
                *partition = i;
                return j;
            }
    return NULL;
}

static void task_event(assay_engine *e, assay_keeper_event *ev)
{
    uint32_t i;
    assay_live_job *j = find_task(e, ev->task, &i);
    if (!j) return;
    assay_board_task *t = &j->board.tasks[i];
    assay_live_task *l = &j->tasks[i];
    if (ev->kind == ASSAY_KEEPER_STARTED) {
        l->pid = ev->pid;
        e->pause = 0;
    } else if (ev->kind == ASSAY_KEEPER_STAGE) {
        const bool late = t->phase == ASSAY_TASK_PROVING && strcmp(ev->stage, "prove") != 0 &&
                          strcmp(ev->stage, "verify") != 0; /* of before it went on */
        if (strcmp(ev->stage, "prove") == 0) assay_board_task_proving(e->board, t);
        if (!late) {
            assay_live_stage(e, j, i, ev->stage, false);
            l->done = ev->done;
        }
    } else if (ev->kind == ASSAY_KEEPER_READY) {
        assay_board_task_ready(e->board, t);
        assay_live_stage(e, j, i, "ready", false);
    } else {
        ended(e, j, i, ev);
    }
    free_inputs_when_used(e, j);
    j->changed = true;
    e->look_dirty = true;
}

static void key_loaded(assay_engine *e, const assay_keeper_event *ev)
{
    assay_board_key *k = assay_board_key_find(e->board, ev->subject_kind, ev->name);
    const bool good = ev->status == ASSAY_OK;
    assay_engine_log(e, good ? ASSAY_ENGINE_INFO : ASSAY_ENGINE_WARN, good ? "key_loaded" : "key_not_loaded", "name",
                     ev->name, good ? NULL : "error", ev->error, NULL);
    if (k && k->state == ASSAY_KEY_LOADING) {
        if (ev->status == ASSAY_OK) {
            assay_board_key_loaded(e->board, k, ev->bytes, assay_unix_ms());
        } else {
            for (assay_live_job *j = e->jobs; j; j = j->next)
                for (uint32_t i = 0; j->on_board && i < j->board.n_tasks; i++) {
                    if (j->board.tasks[i].key != k || j->board.tasks[i].phase != ASSAY_TASK_LOADING) continue;
                    if (ev->status == ASSAY_EINTERNAL || ev->status == ASSAY_ENOMEM || ev->status == ASSAY_EBUSY)
                        assay_engine_try_again(e, j, ev->error);
                    else
                        assay_engine_stop_job(e, j, ASSAY_END_FAILED, ev->error);
                    break;
                }
            assay_board_key_gone(e->board, k);
        }
    }
    assay_engine_key_loaded(e, ev);
}

static void key_evicted(assay_engine *e, const assay_keeper_event *ev)
{
    assay_board_key *k = assay_board_key_find(e->board, ev->subject_kind, ev->name);
    assay_engine_log(e, ev->status == ASSAY_OK ? ASSAY_ENGINE_INFO : ASSAY_ENGINE_WARN, "key_evicted", "name", ev->name,
                     "error", ev->error, NULL);
    if (k && (k->state == ASSAY_KEY_LEAVING || k->state == ASSAY_KEY_RESIDENT)) {
        const uint64_t bytes = k->held.bytes;
        assay_board_key_gone(e->board, k);
        assay_engine_key_evicted(e, ev->name, bytes);
    }
}

void assay_engine_keeper_events(assay_engine *e)
{
    for (;;) {
        assay_keeper_event ev;
        assay_keeper_next(e->keeper, &ev);
        switch (ev.kind) {
        case ASSAY_KEEPER_NOTHING:
            return;
        case ASSAY_KEEPER_LOADED:
            key_loaded(e, &ev);
            break;
        case ASSAY_KEEPER_EVICTED:
            key_evicted(e, &ev);
            break;
        case ASSAY_KEEPER_STARTED:
        case ASSAY_KEEPER_STAGE:
        case ASSAY_KEEPER_READY:
        case ASSAY_KEEPER_ENDED:
            task_event(e, &ev);
            break;
        case ASSAY_KEEPER_GONE: /* its tasks have ended, and the next one starts another */
            assay_engine_log(e, ASSAY_ENGINE_WARN, "keeper_died", "error", ev.error, NULL);
            break;
        }
        e->look_dirty = true;
        assay_keeper_event_clear(&ev);
    }
}
