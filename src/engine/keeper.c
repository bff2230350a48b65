/* SPDX-License-Identifier: Apache-2.0 */
/* Orders to keeper processes. */
#define _GNU_SOURCE
#include "engine/keeper.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/keeper_impl.h"
#include "engine/keeper_process.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_WAIT = 5000 /* ms */ };

static bool watch(assay_keeper *k, assay_keeper_source *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data = {.ptr = s}};
    return s->fd >= 0 && epoll_ctl(k->epoll, EPOLL_CTL_ADD, s->fd, &e) == 0;
}

/* ---- processes */

static assay_keeper_child *find(const assay_keeper *k, assay_job_kind kind, const char *name)
{
    for (assay_keeper_child *p = k->processes; p; p = p->next)
        if (!p->plain && !p->said_nothing && p->kind == kind && strcmp(p->name, name) == 0) return p;
    return NULL;
}

static assay_keeper_child *find_plain(const assay_keeper *k)
{
    for (assay_keeper_child *p = k->processes; p; p = p->next)
        if (p->plain && p->state != ASSAY_PROCESS_DEAD) return p;
    return NULL;
}

static void link_process(assay_keeper *k, assay_keeper_child *p)
{
    assay_keeper_child **at = &k->processes;
    if (!p->plain)
        while (*at) at = &(*at)->next;
    p->next = *at;
    *at = p;
}

static assay_status start_process(assay_keeper *k, assay_keeper_child **out, bool plain, assay_errinfo *err)
{
    int pair[2];
    assay_keeper_child *p = assay_mem_alloc(1, sizeof *p);
    *out = NULL;
    if (!p) return ASSAY_FAIL(err, ASSAY_ENOMEM, "keeper", "out of memory");
    p->source = (assay_keeper_source){.kind = ASSAY_SOURCE_PROCESS, .fd = -1};
    p->plain = plain;
    p->state = plain ? ASSAY_PROCESS_READY : ASSAY_PROCESS_LOADING;
    assay_worker_origin_take(&p->origin);
    p->origin.bytes = 0; /* it executes the program anew: all that it has is its own */
    assay_status s = assay_channel_pair(pair, err);
    if (s == ASSAY_OK) {
        p->source.fd = pair[0];
        s = assay_keeper_spawn(&p->pid, k->program, pair[1], err);
        (void)close(pair[1]);
    }
    if (s == ASSAY_OK) link_process(k, p);
    if (s == ASSAY_OK && !watch(k, &p->source)) {
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, "keeper", "a process cannot be watched", errno);
        assay_keeper_bury(k, p);
        assay_keeper_drop_process(k, p);
    } else if (s != ASSAY_OK) {
        if (p->source.fd >= 0) (void)close(p->source.fd);
        assay_mem_free(p);
    } else {
        *out = p;
    }
    return s;
}

assay_status assay_keeper_post_message(assay_keeper *k, assay_keeper_child *p, const assay_worker_message *m,
                                       int passed, assay_errinfo *err)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data = {.ptr = &p->source}};
    if (p->source.fd < 0) return ASSAY_FAIL(err, ASSAY_EIO, "keeper", "its process is gone");
    if (!p->first) {
        const assay_channel_result r = assay_channel_send(p->source.fd, m, NULL, passed, false);
        if (r == ASSAY_CHANNEL_OK && passed >= 0) (void)close(passed);
        if (r == ASSAY_CHANNEL_OK) return ASSAY_OK;
        if (r != ASSAY_CHANNEL_AGAIN) return ASSAY_FAIL(err, ASSAY_EIO, "keeper", "its process is gone");
    }
    if (p->n_posts >= ASSAY_KEEPER_POSTS) return ASSAY_FAIL(err, ASSAY_EBUSY, "keeper", "its process takes no orders");
    assay_keeper_post *post = assay_mem_alloc(1, sizeof *post);
    if (!post) return ASSAY_FAIL(err, ASSAY_ENOMEM, "keeper", "out of memory");
    *post = (assay_keeper_post){.m = *m, .passed = passed};
    if (p->first)
        p->last->next = post;
    else
        p->first = post;
    p->last = post;
    p->n_posts++;
    (void)epoll_ctl(k->epoll, EPOLL_CTL_MOD, p->source.fd, &e);
    return ASSAY_OK;
}

void assay_keeper_let_go(assay_keeper *k, assay_keeper_child *p)
{
    if (p->source.fd < 0) return;
    (void)shutdown(p->source.fd, SHUT_WR);
    if (!p->to_end_at) p->to_end_at = assay_clock_ms();
    assay_keeper_set_timer(k);
}

/* ---- keys */

assay_status assay_keeper_load(assay_keeper *k, const assay_subject_entry *entry, assay_errinfo *err)
{
    const assay_worker_message m = {.kind = ASSAY_MESSAGE_LOAD, .threads = k->threads};
    assay_keeper_child *p = find(k, entry->kind, entry->name);
    if (p && (p->evicting || p->state == ASSAY_PROCESS_DEAD || memcmp(&p->stamp, &entry->stamp, sizeof p->stamp) != 0))
        return ASSAY_FAIL(err, ASSAY_EBUSY, entry->name, "is still held as it was before: it must be evicted first");
    if (p) {
        p->loads++;
        if (p->answered) assay_keeper_list(k, &p->source);
        return ASSAY_OK;
    }
    assay_status s = start_process(k, &p, false, err);
    if (s != ASSAY_OK) return s;
    p->kind = entry->kind;
    memcpy(p->name, entry->name, sizeof p->name);
    p->stamp = entry->stamp;
    p->loads = 1;
    if (assay_channel_send(p->source.fd, &m, entry, -1, false) == ASSAY_CHANNEL_OK) return ASSAY_OK;
    assay_keeper_bury(k, p);
    assay_keeper_drop_process(k, p);
    return ASSAY_FAIL(err, ASSAY_EIO, "keeper", "its process takes no order");
}

assay_status assay_keeper_evict(assay_keeper *k, assay_job_kind kind, const char *name, assay_errinfo *err)
{
    assay_keeper_child *p = find(k, kind, name);
    const size_t n = strlen(name);
    if (p) {
        p->evicting = true;
        if (!p->answered && p->state == ASSAY_PROCESS_LOADING) {
            p->answered = true;
            p->loaded = (assay_worker_message){.status = ASSAY_ECANCELED, .text = "loading was given up"};
            assay_keeper_list(k, &p->source);
            (void)kill(p->pid, SIGKILL);
        }
        if (p->n_tasks == 0) assay_keeper_let_go(k, p);
        return ASSAY_OK;
    }
    p = n < sizeof p->name ? assay_mem_alloc(1, sizeof *p) : NULL;
    if (!p) return ASSAY_FAIL(err, ASSAY_ENOMEM, "keeper", "out of memory");
    p->source = (assay_keeper_source){.kind = ASSAY_SOURCE_PROCESS, .fd = -1};
    p->kind = kind;
    memcpy(p->name, name, n + 1);
    p->state = ASSAY_PROCESS_DEAD;
    p->evicting = true;
    link_process(k, p);
    assay_keeper_list(k, &p->source);
    return ASSAY_OK;
}

/* ---- tasks */

static assay_keeper_task *find_task(const assay_keeper *k, uint64_t number)
{
    assay_keeper_task *t = k->tasks;
    while (t && t->number != number) t = t->next;
    return t;
}

/* The process to fork the worker from. */
static assay_status choose(assay_keeper *k, assay_keeper_child **p, const assay_subject_entry *entry, bool *other,
                           assay_errinfo *err)
{
    *p = find(k, entry->kind, entry->name);
    *other = *p != NULL;
    if (*p && (*p)->state == ASSAY_PROCESS_READY && !(*p)->evicting &&
        memcmp(&(*p)->stamp, &entry->stamp, sizeof entry->stamp) == 0)
        return ASSAY_OK;
    *p = find_plain(k);
    return *p ? ASSAY_OK : start_process(k, p, true, err);
}

/* Leaves the order, with the inputs, in the task's socket, and the worker's end of it in *worker. */
static assay_status place_order(assay_keeper *k, assay_keeper_task *t, const assay_worker_order *o, bool wait,
                                int *worker, assay_errinfo *err)
{
    assay_worker_message m = {.kind = ASSAY_MESSAGE_ORDER,
                              .task = o->task,
                              .threads = o->threads,
                              .bytes = o->prove_bytes,
                              .hold = o->hold,
                              .wait = wait,
                              .n_inputs = (uint32_t)o->n_inputs};
    int inputs, pair[2] = {-1, -1};
    for (size_t i = 0; i < o->n_inputs; i++) m.input[i] = o->inputs[i].n;
    assay_status s = assay_memory_share(&inputs, "inputs", o->inputs, o->n_inputs, err);
    if (s != ASSAY_OK) return s;
    s = assay_channel_pair(pair, err);
    if (s == ASSAY_OK && assay_channel_send(pair[0], &m, &o->entry, inputs, false) != ASSAY_CHANNEL_OK)
        s = ASSAY_FAIL(err, ASSAY_EIO, "worker", "its order cannot be placed");
    (void)close(inputs);
    t->source.fd = pair[0];
    if (s == ASSAY_OK && !watch(k, &t->source))
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, "worker", "it cannot be watched", errno);
    *worker = pair[1];
    return s;
}

assay_status assay_keeper_run(assay_keeper *k, const assay_worker_order *o, assay_errinfo *err)
{
    const assay_worker_message m = {.kind = ASSAY_MESSAGE_FORK, .task = o->task};
    assay_keeper_child *p = NULL;
    bool other = false;
    int worker = -1;
    if (find_task(k, o->task)) return ASSAY_FAIL1(err, ASSAY_EINVAL, "worker", "the task is known already", o->task);
    if (o->n_inputs > ASSAY_MESSAGE_INPUTS)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, "worker", "too many inputs (given, most)", o->n_inputs,
                           ASSAY_MESSAGE_INPUTS);
    if (k->n_tasks >= ASSAY_KEEPER_TASKS) return ASSAY_FAIL(err, ASSAY_EBUSY, "keeper", "too many workers at once");
    assay_status s = choose(k, &p, &o->entry, &other, err);
    assay_keeper_task *t = s == ASSAY_OK ? assay_mem_alloc(1, sizeof *t) : NULL;
    if (s != ASSAY_OK) return s;
    if (!t) return ASSAY_FAIL(err, ASSAY_ENOMEM, "worker", "out of memory");
    t->source = (assay_keeper_source){.kind = ASSAY_SOURCE_TASK, .fd = -1};
    t->number = o->task;
    t->process = p;
    t->next = k->tasks;
    k->tasks = t;
    k->n_tasks++;
    p->n_tasks++;
    s = place_order(k, t, o, !other, &worker, err);
    if (s == ASSAY_OK) s = assay_keeper_post_message(k, p, &m, worker, err);
    if (s != ASSAY_OK) {
        if (worker >= 0) (void)close(worker);
        assay_keeper_drop_task(k, t);
    }
    return s;
}

assay_status assay_keeper_go(assay_keeper *k, uint64_t task, unsigned threads, assay_errinfo *err)
{
    const assay_worker_message m = {.kind = ASSAY_MESSAGE_GO, .threads = threads};
    const assay_keeper_task *t = find_task(k, task);
    if (!t || t->source.fd < 0) return ASSAY_OK;
    const assay_channel_result r = assay_channel_send(t->source.fd, &m, NULL, -1, false);
    if (r == ASSAY_CHANNEL_OK || r == ASSAY_CHANNEL_GONE) return ASSAY_OK;
    return ASSAY_FAIL1(err, ASSAY_EBUSY, "worker", "takes no orders", task);
}

assay_status assay_keeper_kill(assay_keeper *k, uint64_t task, assay_errinfo *err)
{
    const assay_worker_message m = {.kind = ASSAY_MESSAGE_KILL, .task = task};
    assay_keeper_task *t = find_task(k, task);
    if (!t || t->ended) return ASSAY_OK;
    t->killed = true;
    if (!t->to_end_at) t->to_end_at = assay_clock_ms();
    assay_keeper_set_timer(k);
    if (t->source.fd >= 0) (void)shutdown(t->source.fd, SHUT_WR); /* were its keeper stuck, the worker would see that */
    return t->exited || t->process->source.fd < 0 ? ASSAY_OK : assay_keeper_post_message(k, t->process, &m, -1, err);
}

/* ---- the whole */

void assay_keeper_close_source(assay_keeper *k, assay_keeper_source *s)
{
    if (s->fd < 0) return;
    (void)epoll_ctl(k->epoll, EPOLL_CTL_DEL, s->fd, NULL);
    (void)close(s->fd);
    s->fd = -1;
}

/* Takes a source off the list of those with events. */
static void unlist(assay_keeper *k, assay_keeper_source *s)
{
    assay_keeper_source **at = &k->first, *before = NULL;
    if (!s->listed) return;
    while (*at != s) {
        before = *at;
        at = &(*at)->next;
    }
    *at = s->next;
    if (k->last == s) k->last = before;
    s->listed = false;
}

void assay_keeper_drop_process(assay_keeper *k, assay_keeper_child *p)
{
    assay_keeper_child **at = &k->processes;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    unlist(k, &p->source);
    assay_mem_free(p);
}

void assay_keeper_drop_task(assay_keeper *k, assay_keeper_task *t)
{
    assay_keeper_task **at = &k->tasks;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    k->n_tasks--;
    t->process->n_tasks--;
    /* whose keeper process died: ours to wait for where orphans are ours, as in a container without an init */
    if (t->pid && t->process->state == ASSAY_PROCESS_DEAD) (void)waitpid((pid_t)t->pid, NULL, WNOHANG);
    unlist(k, &t->source);
    assay_keeper_close_source(k, &t->source);
    assay_buffer_free(&t->outputs);
    assay_mem_free(t);
}

assay_status assay_keeper_start(assay_keeper **out, const assay_keeper_options *o, assay_errinfo *err)
{
    const size_t n = strlen(o->program);
    assay_keeper_child *plain;
    assay_status s = ASSAY_OK;
    *out = NULL;
    if (n >= ASSAY_SUBJECT_PATH) return ASSAY_FAIL(err, ASSAY_EINVAL, o->program, "path name too long");
    assay_keeper *k = assay_mem_alloc(1, sizeof *k);
    if (!k) return ASSAY_FAIL(err, ASSAY_ENOMEM, "keeper", "out of memory");
    memcpy(k->program, o->program, n + 1);
    k->threads = o->threads;
    k->epoll = epoll_create1(EPOLL_CLOEXEC);
    k->bell = (assay_keeper_source){.kind = ASSAY_SOURCE_BELL, .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    k->timer = (assay_keeper_source){.kind = ASSAY_SOURCE_TIMER,
                                     .fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    if (k->epoll < 0 || !watch(k, &k->bell) || !watch(k, &k->timer))
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, "keeper", "cannot be started", errno);
    if (s == ASSAY_OK) s = start_process(k, &plain, true, err);
    if (s == ASSAY_OK)
        *out = k;
    else
        assay_keeper_stop(k);
    return s;
}

/* Workers die with their keeper process; here until they have. */
static void wait_for_workers(const assay_keeper *k)
{
    for (const assay_keeper_task *t = k->tasks; t; t = t->next) {
        struct pollfd p = {.fd = t->source.fd, .events = 0};
        if (p.fd >= 0) (void)poll(&p, 1, STOP_WAIT);
    }
}

void assay_keeper_stop(assay_keeper *k)
{
    if (!k) return;
    for (assay_keeper_child *p = k->processes; p; p = p->next) assay_keeper_bury(k, p);
    wait_for_workers(k);
    while (k->tasks) assay_keeper_drop_task(k, k->tasks);
    while (k->processes) assay_keeper_drop_process(k, k->processes);
    if (k->bell.fd >= 0) (void)close(k->bell.fd);
    if (k->timer.fd >= 0) (void)close(k->timer.fd);
    if (k->epoll >= 0) (void)close(k->epoll);
    assay_mem_free(k);
}

int assay_keeper_fd(const assay_keeper *k)
{
    return k->epoll;
}

size_t assay_keeper_pids(const assay_keeper *k, int *out, size_t max)
{
    size_t n = 0;
    for (const assay_keeper_child *p = k->processes; p; p = p->next) {
        if (p->state == ASSAY_PROCESS_DEAD) continue;
        if (n < max) out[n] = p->pid;
        n++;
    }
    return n;
}
