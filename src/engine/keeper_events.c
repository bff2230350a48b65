/* SPDX-License-Identifier: Apache-2.0 */
/* What keeper processes and workers say, and how they end. Nothing is queued: a task or a process remembers what is to
 * be said of it, so that no event is lost for want of memory, and of several stages only the last is told.
 *
 * A task has ended when its worker's socket is at its end and its process is known to be dead, from its keeper or
 * because the keeper is: only then everything that it sent has been read. */
#define _GNU_SOURCE
#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cp/store_codec.h"
#include "engine/keeper_impl.h"
#include "engine/worker_end.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A proof of a reply, or two texts of a Groth16 proof; and the lengths. */
static const uint64_t most_output = (uint64_t)ASSAY_MAX_PROOF_FILE + ((uint64_t)32 << 20);

enum {
    MOST_CHANGES = 16,   /* of a task's stage that are told at once */
    LEAST_PAUSE = 50,    /* ms, between others */
    MESSAGES_A_CALL = 64 /* that assay_keeper_next reads in vain: the caller has other things to do */
};

/* ---- who has events */

void assay_keeper_list(assay_keeper *k, assay_keeper_source *s)
{
    const uint64_t one = 1;
    if (!s->listed) {
        s->listed = true;
        s->next = NULL;
        if (k->first)
            k->last->next = s;
        else
            k->first = s;
        k->last = s;
    }
    if (!k->rung) k->rung = write(k->bell.fd, &one, sizeof one) == (ssize_t)sizeof one;
}

static void quiet(assay_keeper *k)
{
    uint64_t n;
    if (k->rung) (void)!read(k->bell.fd, &n, sizeof n);
    k->rung = false;
}

/* ---- ends */

void assay_keeper_set_timer(const assay_keeper *k)
{
    static const long ms = 1000000;
    const struct itimerspec at = {
        .it_value = {.tv_sec = ASSAY_KEEPER_GRACE / 1000, .tv_nsec = ASSAY_KEEPER_GRACE % 1000 * ms}};
    (void)timerfd_settime(k->timer.fd, 0, &at, NULL);
}

static void settle_process(assay_keeper *k, assay_keeper_child *p)
{
    if (p->n_tasks > 0) return;
    if (p->state == ASSAY_PROCESS_DEAD)
        assay_keeper_list(k, &p->source);
    else if (p->evicting)
        assay_keeper_let_go(k, p);
}

static void settle_task(assay_keeper *k, assay_keeper_task *t)
{
    if (t->ended || t->source.fd >= 0) return;
    if (t->exited || t->process->state == ASSAY_PROCESS_DEAD) {
        t->ended = true;
        assay_keeper_list(k, &t->source);
    } else if (!t->hung_up) {
        t->hung_up = assay_clock_ms();
        if (!t->to_end_at) t->to_end_at = t->hung_up;
        assay_keeper_set_timer(k);
    }
}

static bool out_of_patience(uint64_t to_end_at, uint64_t now)
{
    return to_end_at && now - to_end_at >= ASSAY_KEEPER_PATIENCE;
}

/* A worker without a socket that goes on living is of no use to anybody, nor is a keeper process that neither ends nor
 * ends its workers when it is told to: one that was stopped, say. That takes its other workers with it. */
static void stop_hung_up(assay_keeper *k)
{
    const uint64_t now = assay_clock_ms();
    uint64_t n;
    bool more = false;
    (void)!read(k->timer.fd, &n, sizeof n);
    for (assay_keeper_task *t = k->tasks; t; t = t->next) {
        const assay_worker_message m = {.kind = ASSAY_MESSAGE_KILL, .task = t->number};
        if (t->ended || t->exited || !t->to_end_at) continue;
        more = true;
        if (out_of_patience(t->to_end_at, now) && !t->process->to_end_at) t->process->to_end_at = t->to_end_at;
        if (t->hung_up && now - t->hung_up >= ASSAY_KEEPER_GRACE &&
            assay_keeper_post_message(k, t->process, &m, -1, NULL) == ASSAY_OK)
            t->hung_up = now;
    }
    for (assay_keeper_child *p = k->processes; p; p = p->next) {
        if (p->state == ASSAY_PROCESS_DEAD || !p->to_end_at) continue;
        more = true;
        p->overdue = out_of_patience(p->to_end_at, now);
        if (p->overdue) (void)kill(p->pid, SIGKILL); /* it hangs up then */
    }
    if (more) assay_keeper_set_timer(k);
}

void assay_keeper_bury(assay_keeper *k, assay_keeper_child *p)
{
    struct rusage used = {0};
    int status = 0;
    if (p->state == ASSAY_PROCESS_DEAD) return;
    (void)kill(p->pid, SIGKILL); /* it hung up, or is to: it has no reason to live */
    while (wait4(p->pid, &status, 0, &used) < 0 && errno == EINTR) {}
    assay_worker_end(&p->end, "keeper", &p->origin, status, &used, p->overdue);
    p->state = ASSAY_PROCESS_DEAD;
    assay_keeper_close_source(k, &p->source);
    while (p->first) {
        assay_keeper_post *post = p->first;
        p->first = post->next;
        if (post->passed >= 0) (void)close(post->passed);
        assay_mem_free(post);
    }
    p->n_posts = 0;
}

static void process_died(assay_keeper *k, assay_keeper_child *p)
{
    assay_keeper_bury(k, p);
    if (!p->plain && !p->answered) {
        p->answered = true;
        p->loaded = p->end;
    }
    for (assay_keeper_task *t = k->tasks; t; t = t->next)
        if (t->process == p) settle_task(k, t);
    if (p->loads && p->answered) assay_keeper_list(k, &p->source);
    settle_process(k, p);
}

/* ---- what comes in */

static assay_keeper_task *task_of(const assay_keeper *k, const assay_keeper_child *p, uint64_t number)
{
    assay_keeper_task *t = k->tasks;
    while (t && (t->number != number || t->process != p)) t = t->next;
    return t;
}

static void hear_process(assay_keeper *k, assay_keeper_child *p)
{
    assay_worker_message m;
    int passed;
    const assay_channel_result r = assay_channel_receive(p->source.fd, &m, NULL, &passed, false);
    if (r == ASSAY_CHANNEL_AGAIN) return;
    if (r != ASSAY_CHANNEL_OK) {
        process_died(k, p);
        return;
    }
    if (passed >= 0) (void)close(passed);
    p->heard = true;
    assay_keeper_task *t = task_of(k, p, m.task);
    if (m.kind == ASSAY_MESSAGE_LOADED && !p->plain && !p->answered) {
        p->answered = true;
        p->loaded = m;
        if (m.status == ASSAY_OK)
            p->state = ASSAY_PROCESS_READY;
        else
            assay_keeper_let_go(k, p);
        assay_keeper_list(k, &p->source);
    } else if (m.kind == ASSAY_MESSAGE_STARTED && t) {
        t->started = true;
        t->pid = m.pid;
        assay_keeper_list(k, &t->source);
    } else if (m.kind == ASSAY_MESSAGE_EXITED && t) {
        t->exited = true;
        t->exit = m;
        settle_task(k, t);
    }
}

static void send_posts(assay_keeper *k, assay_keeper_child *p)
{
    struct epoll_event e = {.events = EPOLLIN, .data = {.ptr = &p->source}};
    while (p->first) {
        assay_keeper_post *post = p->first;
        if (assay_channel_send(p->source.fd, &post->m, NULL, post->passed, false) != ASSAY_CHANNEL_OK) return;
        p->first = post->next;
        p->n_posts--;
        if (post->passed >= 0) (void)close(post->passed);
        assay_mem_free(post);
    }
    (void)epoll_ctl(k->epoll, EPOLL_CTL_MOD, p->source.fd, &e);
}

static void take_result(assay_keeper_task *t, const assay_worker_message *m, int passed)
{
    assay_errinfo err = {0};
    t->done = true;
    t->result = *m;
    if (m->status != ASSAY_OK) return;
    if (passed < 0)
        t->result.status = ASSAY_FAIL(&err, ASSAY_EINTERNAL, "worker", "says that it is done, and has no outputs");
    else
        t->result.status = assay_memory_read(&t->outputs, passed, most_output, &err);
    if (t->result.status != ASSAY_OK) (void)assay_errinfo_text(&err, t->result.text, sizeof t->result.text);
}

/* A worker that keeps to the rules changes its stage a few times, and speaks every 100 ms besides. Another one does not
 * keep the daemon busy with it. */
static void take_stage(assay_keeper_task *t, const assay_worker_message *m)
{
    const uint64_t now = assay_clock_ms();
    if (m->stage != t->stage.stage && t->changes < MOST_CHANGES)
        t->changes++;
    else if (now - t->staged_at < LEAST_PAUSE)
        return;
    t->staged_at = now;
    t->staged = true;
    t->stage = *m;
}

static void hear_task(assay_keeper *k, assay_keeper_task *t)
{
    assay_worker_message m;
    int passed;
    const assay_channel_result r = assay_channel_receive(t->source.fd, &m, NULL, &passed, false);
    if (r == ASSAY_CHANNEL_AGAIN) return;
    if (r != ASSAY_CHANNEL_OK) { /* at its end; or it does not keep to the rules */
        assay_keeper_close_source(k, &t->source);
        settle_task(k, t);
        return;
    }
    if (m.kind == ASSAY_MESSAGE_STAGE) {
        take_stage(t, &m);
    } else if (m.kind == ASSAY_MESSAGE_READY) {
        t->ready = true;
        t->staged = false;
        t->synthesis_ms = m.ms[0];
    } else if (m.kind == ASSAY_MESSAGE_DONE && !t->done) {
        take_result(t, &m, passed); /* takes `passed` over */
        if (m.status == ASSAY_OK) passed = -1;
    }
    if (passed >= 0) (void)close(passed);
    if (t->staged || t->ready) assay_keeper_list(k, &t->source);
}

/* One thing; false when there is none. */
static bool hear(assay_keeper *k)
{
    struct epoll_event e;
    if (epoll_wait(k->epoll, &e, 1, 0) <= 0) return false;
    assay_keeper_source *s = e.data.ptr;
    switch (s->kind) {
    case ASSAY_SOURCE_BELL:
        quiet(k);
        break;
    case ASSAY_SOURCE_TIMER:
        stop_hung_up(k);
        break;
    case ASSAY_SOURCE_PROCESS:
        if (e.events & EPOLLOUT) send_posts(k, (assay_keeper_child *)s);
        if (e.events & ~(uint32_t)EPOLLOUT) hear_process(k, (assay_keeper_child *)s);
        break;
    case ASSAY_SOURCE_TASK:
        hear_task(k, (assay_keeper_task *)s);
        break;
    }
    return true;
}

/* ---- what is said */

static void put_text(assay_keeper_event *out, assay_status status, const char *text)
{
    out->status = status;
    if (status != ASSAY_OK) (void)snprintf(out->error, sizeof out->error, "%s", text);
}

static void say_ended(assay_keeper *k, assay_keeper_task *t, assay_keeper_event *out)
{
    assay_keeper_child *p = t->process;
    const assay_worker_message *how = t->done ? &t->result : t->exited ? &t->exit : &p->end;
    out->kind = ASSAY_KEEPER_ENDED;
    put_text(out, how->status, how->text);
    out->signal = t->done ? 0 : (int)how->signal;
    if (t->killed && out->status != ASSAY_OK) put_text(out, ASSAY_ECANCELED, "worker: was stopped");
    out->peak = t->exited ? t->exit.bytes : 0;
    out->synthesis_ms = t->done ? t->result.ms[0] : t->synthesis_ms;
    out->prove_ms = t->done ? t->result.ms[1] : 0;
    out->verify_ms = t->done ? t->result.ms[2] : 0;
    out->load_ms = t->done ? t->result.ms[3] : 0;
    if (out->status == ASSAY_OK) {
        out->outputs = t->outputs;
        t->outputs = (assay_buffer){NULL, 0};
    }
    assay_keeper_drop_task(k, t);
    settle_process(k, p);
}

static void say_task(assay_keeper *k, assay_keeper_task *t, assay_keeper_event *out)
{
    out->task = t->number;
    out->pid = (int)t->pid;
    if (t->started) {
        t->started = false;
        out->kind = ASSAY_KEEPER_STARTED;
    } else if (t->ready) {
        t->ready = false;
        out->kind = ASSAY_KEEPER_READY;
        out->synthesis_ms = t->synthesis_ms;
    } else if (t->staged) {
        t->staged = false;
        out->kind = ASSAY_KEEPER_STAGE;
        out->stage = assay_worker_stage_name(t->stage.stage);
        out->done = t->stage.done;
    } else if (t->ended) {
        say_ended(k, t, out);
        return;
    }
    if (t->ready || t->staged || t->ended) assay_keeper_list(k, &t->source);
}

static void say_process(assay_keeper *k, assay_keeper_child *p, assay_keeper_event *out)
{
    const bool failed = p->answered && p->loaded.status != ASSAY_OK;
    out->subject_kind = p->kind;
    memcpy(out->name, p->name, sizeof out->name);
    if (p->loads && p->answered) {
        p->loads--;
        out->kind = ASSAY_KEEPER_LOADED;
        put_text(out, p->loaded.status, p->loaded.text);
        out->bytes = p->loaded.bytes;
        out->load_ms = p->loaded.ms[0];
        if (failed && !p->evicting) p->said_nothing = true;
        if (p->loads || p->state == ASSAY_PROCESS_DEAD) assay_keeper_list(k, &p->source);
        return;
    }
    if (p->state != ASSAY_PROCESS_DEAD || p->n_tasks > 0) return;
    if (p->plain ? !p->heard : !p->said_nothing) {
        out->kind = p->plain ? ASSAY_KEEPER_GONE : ASSAY_KEEPER_EVICTED;
        out->bytes = failed ? 0 : p->loaded.bytes;
        if (!p->evicting) put_text(out, p->end.status, p->end.text);
    }
    assay_keeper_drop_process(k, p);
}

void assay_keeper_next(assay_keeper *k, assay_keeper_event *out)
{
    unsigned heard = 0;
    memset(out, 0, sizeof *out);
    out->stage = "";
    while (out->kind == ASSAY_KEEPER_NOTHING) {
        assay_keeper_source *s = k->first;
        if (!s) {
            if (heard++ == MESSAGES_A_CALL || !hear(k)) return;
            continue;
        }
        k->first = s->next;
        s->listed = false;
        if (s->kind == ASSAY_SOURCE_TASK)
            say_task(k, (assay_keeper_task *)s, out);
        else
            say_process(k, (assay_keeper_child *)s, out);
    }
}

void assay_keeper_event_clear(assay_keeper_event *e)
{
    assay_buffer_free(&e->outputs);
}
