/* SPDX-License-Identifier: Apache-2.0 */
/* A keeper process: holds one key, or none; forks workers; says when they began and how they ended. One thread, but for
 * those that load the key and are gone before it takes orders. */
#define _GNU_SOURCE
#include "engine/keeper_process.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cp/commitment.h"
#include "engine/catalogue_impl.h"
#include "engine/keeper.h"
#include "engine/stamp.h"
#include "engine/worker.h"
#include "engine/worker_end.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    uint64_t task;
    pid_t pid;
    int socket; /* over which it asks */
    bool killed;
    assay_worker_origin origin;
} child;

typedef struct keeper_process {
    int daemon, signals, score; /* score: of this process for the out-of-memory killer, or -1 */
    assay_groth16_key *key;
    assay_commitment *commitment;
    child *children;
    struct pollfd *polled;
    size_t n, room;
} keeper_process;

enum {
    FIXED = 2, /* of polled: daemon, signals */
    ROOM = 16,
    LOCK_WAIT = 2000, /* ms */
    LOCK_PAUSE = 20
};

static void tell(const keeper_process *k, const assay_worker_message *m)
{
    (void)assay_channel_send(k->daemon, m, NULL, -1, true); /* a daemon that is gone is noticed when it is read from */
}

/* ---- loading */

static int hung_up(void *ctx, const char *stage, double done)
{
    const keeper_process *k = ctx;
    struct pollfd p = {.fd = k->daemon, .events = POLLRDHUP};
    (void)stage;
    (void)done;
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP));
}

static assay_status load_circuit(keeper_process *k, const assay_subject_entry *e, unsigned threads, uint64_t *bytes,
                                 assay_errinfo *err)
{
    const assay_groth16_open_options o = {.resident = 1, .threads = threads, .progress = {hung_up, k}};
    assay_groth16_key_info info;
    assay_status s = assay_groth16_key_open(&k->key, e->path, &o, err);
    if (s != ASSAY_OK) return s;
    assay_groth16_key_describe(k->key, &info);
    *bytes = info.resident;
    return ASSAY_OK;
}

/* A daemon that was killed leaves processes that still have the lock while the system takes their memory: they are
 * given some time. What has it longer is told of by assay_commitment_open. */
static void await_lock(keeper_process *k, const char *folder)
{
    char path[ASSAY_SUBJECT_PATH];
    assay_lock l;
    for (int i = 0; i < LOCK_WAIT / LOCK_PAUSE && !hung_up(k, "", 0); i++) {
        assay_status s = assay_path_join(path, sizeof path, folder, "isk/lock", NULL);
        if (s == ASSAY_OK) s = assay_lock_take(&l, path, false, NULL);
        if (s == ASSAY_OK) assay_lock_release(&l);
        if (s != ASSAY_EBUSY) return;
        (void)poll(NULL, 0, LOCK_PAUSE);
    }
}

static assay_status load_model(keeper_process *k, const assay_subject_entry *e, unsigned threads, uint64_t *bytes,
                               assay_errinfo *err)
{
    /* each proof is written off by itself: what is written off in advance would be lost whenever the key is evicted */
    const assay_open_options o = {.threads = threads, .reserve = 1};
    await_lock(k, e->path);
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    assay_status s = assay_commitment_open(&k->commitment, e->path, &o, err);
    assay_mem_peak_reset();
    *bytes = assay_mem_peak() - before;
    return s == ASSAY_OK ? assay_commitment_set_threads(k->commitment, 1, err) : s;
}

/* Whether the files are still those that the order meant. */
static assay_status check_stamp(const assay_subject_entry *e, assay_errinfo *err)
{
    assay_file_stamp now;
    assay_status s = assay_subject_stamp(&now, e->kind, e->path, err);
    if (s == ASSAY_OK && memcmp(&now, &e->stamp, sizeof now) != 0)
        s = ASSAY_FAIL(err, ASSAY_EBUSY, e->path, "was replaced or changed while it was loaded");
    return s;
}

static void load(keeper_process *k, const assay_worker_message *order, const assay_subject_entry *e)
{
    assay_worker_message m = {.kind = ASSAY_MESSAGE_LOADED};
    assay_errinfo err = {0};
    const uint64_t begin = assay_clock_ms();
    if (k->key || k->commitment)
        m.status = ASSAY_FAIL(&err, ASSAY_EINVAL, e->name, "a key is loaded already");
    else if (e->kind == ASSAY_JOB_GROTH16)
        m.status = load_circuit(k, e, order->threads, &m.bytes, &err);
    else if (e->kind == ASSAY_JOB_REPLY)
        m.status = load_model(k, e, order->threads, &m.bytes, &err);
    else
        m.status = ASSAY_FAIL(&err, ASSAY_EUNSUPPORTED, assay_job_kind_name(e->kind), "has no key to load");
    if (m.status == ASSAY_OK) m.status = check_stamp(e, &err); /* afterwards: it was so all the time */
    if (m.status == ASSAY_OK) m.bytes += ASSAY_PLAN_KEEPER;    /* as plans count it */
    m.ms[0] = assay_clock_ms() - begin;
    if (m.status != ASSAY_OK) {
        m.bytes = 0;
        (void)assay_errinfo_text(&err, m.text, sizeof m.text);
    }
    tell(k, &m);
}

/* ---- forking */

/* In the child: nothing of the keeper's stays open but what its key reads from. */
static void leave(const keeper_process *k, const int pair[2], pid_t keeper)
{
    sigset_t none;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != keeper) _exit(1); /* the keeper died before */
    (void)prctl(PR_SET_NAME, "assay-worker");
    for (size_t i = 0; i < k->n; i++)
        if (k->children[i].socket >= 0) (void)close(k->children[i].socket);
    (void)close(pair[0]);
    (void)close(k->daemon);
    (void)close(k->signals);
    if (k->score >= 0) (void)close(k->score);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_score(const keeper_process *k, const char *score)
{
    if (k->score >= 0) (void)!pwrite(k->score, score, strlen(score), 0); /* not where it is not permitted */
}

static bool grow(keeper_process *k)
{
    if (k->n < k->room) return true;
    const size_t room = k->room ? 2 * k->room : ROOM;
    child *c = assay_mem_grow(k->children, k->n, room, sizeof *c);
    if (!c) return false;
    k->children = c;
    struct pollfd *p = assay_mem_alloc(room + FIXED, sizeof *p);
    if (!p) return false;
    assay_mem_free(k->polled);
    k->polled = p;
    k->room = room;
    return true;
}

/* Takes `task` over. Returns an error number, or 0. */
static int fork_worker(keeper_process *k, uint64_t number, int task, char own_score[16])
{
    const pid_t keeper = getpid();
    child c = {.task = number};
    int pair[2];
    if (!grow(k)) return ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return errno;
    assay_worker_origin_take(&c.origin);
    set_score(k, "1000"); /* inherited: the child may not write its own, being closed to others */
    c.pid = fork();
    const int why = errno;
    if (c.pid == 0) {
        assay_worker w = {.daemon = task, .keeper = pair[1], .key = k->key, .commitment = k->commitment};
        leave(k, pair, keeper);
        _exit(assay_worker_run(&w));
    }
    set_score(k, own_score);
    (void)close(pair[1]);
    c.socket = pair[0];
    if (c.pid < 0) {
        (void)close(pair[0]);
        return why;
    }
    k->children[k->n++] = c;
    return 0;
}

static void start(keeper_process *k, uint64_t number, int task)
{
    char own_score[16] = "0";
    assay_worker_message m = {.kind = ASSAY_MESSAGE_STARTED, .task = number};
    if (k->score >= 0) (void)!pread(k->score, own_score, sizeof own_score - 1, 0);
    const int why = task < 0 ? EBADF : fork_worker(k, number, task, own_score);
    if (why) {
        assay_errinfo err = {0};
        m.kind = ASSAY_MESSAGE_EXITED;
        m.status = ASSAY_FAIL_OS(&err, ASSAY_EBUSY, "worker", "no process for it", why); /* in a while, perhaps */
        (void)assay_errinfo_text(&err, m.text, sizeof m.text);
    } else {
        m.pid = (uint32_t)k->children[k->n - 1].pid;
    }
    if (task >= 0) (void)close(task);
    tell(k, &m);
}

/* ---- what is asked for */

static void stop_task(keeper_process *k, uint64_t number)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->children[i].task == number) {
            k->children[i].killed = true;
            (void)kill(k->children[i].pid, SIGKILL);
        }
}

/* False: the daemon is gone. */
static bool take_orders(keeper_process *k)
{
    assay_subject_entry entry;
    assay_worker_message m;
    int passed;
    for (;;) {
        const assay_channel_result r = assay_channel_receive(k->daemon, &m, &entry, &passed, false);
        if (r == ASSAY_CHANNEL_AGAIN) return true;
        if (r != ASSAY_CHANNEL_OK) return false;
        if (m.kind == ASSAY_MESSAGE_FORK) {
            start(k, m.task, passed);
            continue;
        }
        if (passed >= 0) (void)close(passed);
        if (m.kind == ASSAY_MESSAGE_LOAD) load(k, &m, &entry);
        if (m.kind == ASSAY_MESSAGE_KILL) stop_task(k, m.task);
    }
}

/* A worker asks for one proof of the lifetime: it is on disk before it is granted. */
static void grant(keeper_process *k, child *c)
{
    assay_worker_message m;
    assay_errinfo err = {0};
    int passed = -1;
    const assay_channel_result r = assay_channel_receive(c->socket, &m, NULL, &passed, false);
    if (r == ASSAY_CHANNEL_AGAIN) return;
    if (r != ASSAY_CHANNEL_OK) { /* it ends, or has nothing to ask any more */
        (void)close(c->socket);
        c->socket = -1;
        return;
    }
    if (passed >= 0) (void)close(passed);
    if (m.kind != ASSAY_MESSAGE_ASK || !k->commitment) return;
    m = (assay_worker_message){.kind = ASSAY_MESSAGE_GRANT};
    m.status = assay_counter_take(&k->commitment->counter, &err);
    if (m.status != ASSAY_OK) (void)assay_errinfo_text(&err, m.text, sizeof m.text);
    (void)assay_channel_send(c->socket, &m, NULL, -1, false);
}

static void reap(keeper_process *k)
{
    struct signalfd_siginfo seen;
    struct rusage used;
    int status;
    pid_t pid;
    while (read(k->signals, &seen, sizeof seen) > 0) {}
    while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0)
        for (size_t i = 0; i < k->n; i++) {
            child *c = &k->children[i];
            assay_worker_message m = {.kind = ASSAY_MESSAGE_EXITED, .task = c->task};
            if (c->pid != pid) continue;
            assay_worker_end(&m, "worker", &c->origin, status, &used, c->killed);
            if (c->socket >= 0) (void)close(c->socket);
            *c = k->children[--k->n];
            tell(k, &m);
            break;
        }
}

/* ---- */

static size_t prepare_poll(keeper_process *k)
{
    k->polled[0] = (struct pollfd){.fd = k->daemon, .events = POLLIN};
    k->polled[1] = (struct pollfd){.fd = k->signals, .events = POLLIN};
    for (size_t i = 0; i < k->n; i++)
        k->polled[FIXED + i] = (struct pollfd){.fd = k->children[i].socket, .events = POLLIN};
    return FIXED + k->n;
}

static void serve(keeper_process *k)
{
    for (;;) {
        const size_t n = prepare_poll(k);
        if (poll(k->polled, n, -1) < 0 && errno != EINTR) return;
        for (size_t i = FIXED; i < n; i++) /* before any child is taken off the list */
            if (k->polled[i].revents) grant(k, &k->children[i - FIXED]);
        if (k->polled[1].revents) reap(k);
        if (k->polled[0].revents && !take_orders(k)) return;
    }
}

/* Signals that are sent to everything of a service or a terminal are for the daemon, which ends this process in time.
 */
static int take_signals(void)
{
    static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    struct sigaction act;
    sigset_t children;
    memset(&act, 0, sizeof act);
    act.sa_handler = SIG_IGN;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) (void)sigaction(ignored[i], &act, NULL);
    (void)sigemptyset(&children);
    (void)sigaddset(&children, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &children, NULL) != 0) return -1;
    return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

int assay_keeper_process_run(int parent)
{
    const struct rlimit nothing = {0, 0};
    keeper_process k = {.daemon = ASSAY_KEEPER_SOCKET};
    assay_mem_return(); /* what a worker frees is not to be counted as its own */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) return 1;
    (void)prctl(PR_SET_NAME, "assay-keeper");
    (void)setrlimit(RLIMIT_CORE, &nothing);
    k.score = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC); /* while it may be opened */
    (void)prctl(PR_SET_DUMPABLE, 0);                                /* there are secrets: nobody is to look inside */
    (void)fcntl(k.daemon, F_SETFD, FD_CLOEXEC);
    k.signals = take_signals();
    if (k.signals < 0 || !grow(&k)) return 1;
    tell(&k, &(assay_worker_message){.kind = ASSAY_MESSAGE_UP});
    serve(&k);
    assay_commitment_free(k.commitment); /* wipes, releases the lock */
    return 0;
}

void assay_keeper_main(int argc, char **argv)
{
    char *end;
    if (argc != 3 || strcmp(argv[1], ASSAY_KEEPER_ARGUMENT) != 0) return;
    const long parent = strtol(argv[2], &end, 10);
    if (*end || parent <= 0 || parent != getppid()) {
        (void)fprintf(stderr, "%s: is for the daemon to start\n", ASSAY_KEEPER_ARGUMENT);
        _exit(2);
    }
    _exit(assay_keeper_process_run((int)parent));
}
