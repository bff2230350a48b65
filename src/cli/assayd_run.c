/* SPDX-License-Identifier: Apache-2.0 */
/* From start to end. The main thread takes the signals, tells systemd and the health service how things are; everything
 * else has threads of its own. */
#define _GNU_SOURCE
#include "cli/assayd_run.h"
#include "assay/version.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/assayd_config.h"
#include "cli/report.h"
#include "daemon/engine_service.h"
#include "daemon/health.h"
#include "daemon/http_server.h"
#include "daemon/notify.h"
#include "daemon/reflection.h"
#include "daemon/token.h"
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    METHODS = ASSAY_SERVICE_METHODS + ASSAY_HEALTH_METHODS + ASSAY_REFLECTION_METHODS,
    TICK = 250,        /* ms between looks at everything */
    LAST_WORDS = 2000, /* ms for answers that are on their way when the server stops */
    PAIRS = 16,
    PATH_BYTES = 4096
};

typedef struct daemon_state {
    const assay_config *config;
    assay_log log;
    assay_memory_found memory;
    assay_engine *engine;
    assay_service *service;
    assay_health *health;
    assay_reflection *reflection;
    assay_server *server;
    assay_http *http;
    assay_rpc_method methods[METHODS];
    char token[ASSAY_TOKEN_BYTES];
    char program[PATH_BYTES], owner[128];
    bool serving; /* as the health service was told */
    uint64_t drain_ms;
    atomic_bool drained;
    _Atomic uint64_t answered; /* assay_clock_ms: when the dispatcher answered last */
    atomic_bool asked;
} daemon_state;

/* ---- the log */

/* Of the engine: pairs of names and values. */
static void on_engine_event(void *ctx, int level, const char *event, const char *const *pairs, size_t n)
{
    const daemon_state *d = ctx;
    assay_log_field fields[PAIRS];
    if (n > PAIRS) n = PAIRS;
    for (size_t i = 0; i < n; i++) fields[i] = ASSAY_LOG_TEXT_FIELD(pairs[2 * i], pairs[2 * i + 1]);
    assay_log_event(&d->log, (assay_log_level)level, event, fields, n);
}

static void log_start(const daemon_state *d, bool scaled)
{
    const assay_config *c = d->config;
    assay_engine_look *l = assay_engine_look_new(d->engine);
    const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("version", ASSAY_VERSION_STRING),
                                      ASSAY_LOG_NUMBER_FIELD("pid", getpid()),
                                      ASSAY_LOG_NUMBER_FIELD("budget_bytes", d->memory.total),
                                      ASSAY_LOG_TEXT_FIELD("budget_why", d->memory.why),
                                      ASSAY_LOG_NUMBER_FIELD("daemon_bytes", assay_assayd_memory(c)),
                                      ASSAY_LOG_NUMBER_FIELD("calls_bytes", c->limits.total_memory),
                                      ASSAY_LOG_TEXT_FIELD("calls_scaled_down", scaled ? "yes" : "no"),
                                      ASSAY_LOG_TEXT_FIELD("workers", l ? l->why : "")};
    assay_log_event(&d->log, ASSAY_LOG_INFO, "daemon_started", fields, sizeof fields / sizeof *fields);
    assay_engine_look_free(l);
    for (size_t i = 0; i < c->daemon.listen.n; i++) {
        const assay_log_field where[] = {ASSAY_LOG_TEXT_FIELD("address", c->daemon.listen.at[i]),
                                         ASSAY_LOG_NUMBER_FIELD("port", assay_server_port(d->server, i))};
        assay_log_event(&d->log, ASSAY_LOG_INFO, "listening", where, 2);
    }
    if (d->http) {
        const assay_log_field where[] = {ASSAY_LOG_TEXT_FIELD("address", c->daemon.status_listen),
                                         ASSAY_LOG_NUMBER_FIELD("port", assay_http_port(d->http))};
        assay_log_event(&d->log, ASSAY_LOG_INFO, "status_listening", where, 2);
    }
}

static void log_word(const daemon_state *d, const char *event)
{
    assay_log_event(&d->log, ASSAY_LOG_INFO, event, NULL, 0);
}

/* Whether stderr is the journal's: JOURNAL_STREAM names its device and inode (systemd.exec(5)); a variable that was
 * only inherited does not fit. */
static bool is_journal(void)
{
    const char *named = getenv("JOURNAL_STREAM");
    struct stat st;
    char own[64];
    if (!named || fstat(STDERR_FILENO, &st) != 0) return false;
    (void)snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(named, own) == 0;
}

/* ---- starting */

/* As many descriptors as may be; and no file with the secrets of a process that crashed. */
static void set_limits(void)
{
    struct rlimit files;
    const struct rlimit no_core = {0, 0};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    (void)setrlimit(RLIMIT_CORE, &no_core);
}

/* Blocked in every thread: the main thread takes them. SIGHUP does nothing: there is nothing to be read again. A peer
 * that is gone is an error of a write, not the end. */
static void take_signals(sigset_t *signals)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGTERM);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, signals, NULL);
    (void)sigaction(SIGPIPE, &ignored, NULL);
}

static assay_status open_engine(daemon_state *d, assay_errinfo *err)
{
    const assay_config *c = d->config;
    const ssize_t n = readlink("/proc/self/exe", d->program, sizeof d->program - 1);
    char host[64] = "";
    if (n <= 0) return ASSAY_FAIL(err, ASSAY_EIO, "/proc/self/exe", "cannot be read: is /proc mounted?");
    d->program[n] = '\0';
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(d->owner, sizeof d->owner, "%s:%ld", host, (long)getpid());
    const assay_engine_options o = {.program = d->program,
                                    .circuits = c->paths.circuits,
                                    .models = c->paths.models,
                                    .queue = {.where = *c->queue.url ? c->queue.url : c->queue.path,
                                              .owner = d->owner,
                                              .lease = c->queue.lease,
                                              .keep = c->queue.keep_results,
                                              .attempts = (uint32_t)c->queue.attempts,
                                              .max_jobs = c->queue.max_jobs},
                                    .memory = c->memory.total,
                                    .margin = c->memory.margin,
                                    .daemon_memory = assay_assayd_memory(c),
                                    .evict_idle = c->memory.evict_idle,
                                    .threads = c->engine.threads,
                                    .partition_workers = c->engine.partition_workers,
                                    .gpu_workers = c->engine.gpu_workers,
                                    .gpu_threads = c->engine.gpu_threads,
                                    .pipeline = c->engine.pipeline,
                                    .batch_size = c->engine.batch_size,
                                    .batch_wait = c->engine.batch_wait,
                                    .preload = c->engine.preload.at,
                                    .n_preload = c->engine.preload.n,
                                    .log = on_engine_event,
                                    .log_ctx = d};
    return assay_engine_open(&d->engine, &o, err);
}

static assay_status make_services(daemon_state *d, assay_errinfo *err)
{
    const assay_config *c = d->config;
    assay_rpc_method *health = d->methods + ASSAY_SERVICE_METHODS, *reflection = health + ASSAY_HEALTH_METHODS;
    assay_status s = assay_service_new(&d->service, d->engine, c->paths.circuits, c->paths.models, &d->log, err);
    if (s != ASSAY_OK) return s;
    assay_service_methods(d->service, d->methods);
    assay_health_methods(NULL, health); /* their paths, for reflection to tell of */
    s = assay_reflection_new(&d->reflection, d->methods, ASSAY_SERVICE_METHODS + ASSAY_HEALTH_METHODS, err);
    if (s != ASSAY_OK) return s;
    size_t n;
    const char *const *services = assay_reflection_services(d->reflection, &n);
    s = assay_health_new(&d->health, services, n, err);
    if (s != ASSAY_OK) return s;
    assay_health_methods(d->health, health);
    assay_reflection_methods(d->reflection, reflection);
    return ASSAY_OK;
}

static assay_engine_look *look(void *ctx)
{
    return assay_engine_look_new(((daemon_state *)ctx)->engine);
}

static assay_server_stats look_at_server(void *ctx)
{
    return assay_server_look(((daemon_state *)ctx)->server);
}

static assay_status serve_pages(daemon_state *d, assay_errinfo *err)
{
    const assay_config *c = d->config;
    const assay_http_options o = {.listen = c->daemon.status_listen,
                                  .token = d->token[0] ? d->token : NULL,
                                  .certificate = c->tls.certificate,
                                  .key = c->tls.key,
                                  .source = {d, look, assay_engine_look_free, look_at_server}};
    return *o.listen ? assay_http_start(&d->http, &o, err) : ASSAY_OK;
}

static assay_status serve(daemon_state *d, assay_errinfo *err)
{
    assay_server_options o = assay_server_options_of(d->config);
    o.methods = d->methods;
    o.n_methods = METHODS;
    o.token = d->token[0] ? d->token : NULL;
    assay_status s = make_services(d, err);
    if (s == ASSAY_OK) s = assay_server_new(&d->server, &o, err);
    if (s == ASSAY_OK) assay_service_set_server(d->service, d->server);
    if (s == ASSAY_OK) s = assay_server_start(d->server, err);
    return s == ASSAY_OK ? serve_pages(d, err) : s;
}

static assay_status start(daemon_state *d, assay_config *c, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    if (*c->auth.token_file) s = assay_token_read(d->token, c->auth.token_file, err);
    if (s == ASSAY_OK) s = assay_memory_find(&d->memory, "", c->memory.total, c->memory.margin, err);
    if (s != ASSAY_OK) return s;
    const bool scaled = assay_assayd_scale(c, d->memory.total);
    c->memory.total = d->memory.total; /* the number that was just found and will be logged */
    s = open_engine(d, err);
    if (s == ASSAY_OK) s = serve(d, err);
    assay_mem_wipe(d->token, sizeof d->token); /* the servers have its hash */
    if (s == ASSAY_OK) log_start(d, scaled);
    return s;
}

/* ---- running */

static void notify(const daemon_state *d, const char *state)
{
    assay_errinfo err = {0};
    char text[300];
    if (assay_notify_send(getenv("NOTIFY_SOCKET"), state, &err) == ASSAY_OK) return;
    const assay_log_field f = ASSAY_LOG_TEXT_FIELD("reason", assay_errinfo_text(&err, text, sizeof text));
    assay_log_event(&d->log, ASSAY_LOG_WARN, "systemd_not_told", &f, 1);
}

static void on_answer(void *ctx, const assay_key_answer *a)
{
    (void)a;
    daemon_state *d = ctx;
    atomic_store(&d->answered, assay_clock_ms());
    atomic_store(&d->asked, false);
}

/* systemd hears of us as long as the dispatcher answers: it is asked to forget a key that cannot be. */
static void watch_dispatcher(daemon_state *d, uint64_t every, uint64_t now, uint64_t *last)
{
    if (every == 0 || now - *last < every) return;
    *last = now;
    if (now - atomic_load(&d->answered) <= 2 * every) notify(d, "WATCHDOG=1");
    if (!atomic_exchange(&d->asked, true)) assay_engine_evict(d->engine, "-", on_answer, d);
}

/* One that asks to end, within a tick; 0 for none. */
static int wait_signal(const sigset_t *signals)
{
    const struct timespec tick = {TICK / 1000, TICK % 1000 * 1000000};
    const int got = sigtimedwait(signals, NULL, &tick);
    return got == SIGTERM || got == SIGINT ? got : 0;
}

static void *drain(void *arg)
{
    daemon_state *d = arg;
    assay_engine_drain(d->engine, d->drain_ms);
    atomic_store(&d->drained, true);
    return NULL;
}

/* What is waited for, and for how long at most. */
static void log_drain(const daemon_state *d)
{
    assay_engine_look *l = assay_engine_look_new(d->engine);
    const assay_log_field f[] = {ASSAY_LOG_NUMBER_FIELD("partitions_at_work", l ? l->n_workers : 0),
                                 ASSAY_LOG_NUMBER_FIELD("seconds_at_most", d->drain_ms / 1000)};
    assay_log_event(&d->log, ASSAY_LOG_INFO, "draining", f, 2);
    assay_engine_look_free(l);
}

/* Until nothing runs any more, or a second signal. The engine's last answers are on their way then. */
static void drain_engine(daemon_state *d, const sigset_t *signals, uint64_t every, uint64_t *last)
{
    pthread_t thread;
    notify(d, "STOPPING=1");
    d->drain_ms = d->config->daemon.drain_timeout;
    log_drain(d);
    assay_health_set(d->health, NULL, false);
    if (pthread_create(&thread, NULL, drain, d) != 0) {
        assay_engine_drain(d->engine, 0);
        return;
    }
    while (!atomic_load(&d->drained)) {
        watch_dispatcher(d, every, assay_clock_ms(), last);
        if (!wait_signal(signals)) continue;
        log_word(d, "draining_cut_short");
        assay_engine_drain(d->engine, 0);
    }
    (void)pthread_join(thread, NULL);
}

static void live(daemon_state *d, const sigset_t *signals)
{
    const uint64_t every = assay_notify_watchdog_ms(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"), getpid());
    uint64_t last = assay_clock_ms();
    atomic_store(&d->answered, last);
    notify(d, "READY=1");
    do {
        const bool ready = assay_engine_ready(d->engine);
        if (ready != d->serving) {
            assay_health_set(d->health, NULL, ready);
            log_word(d, ready ? "ready" : "not_ready");
        }
        d->serving = ready;
        watch_dispatcher(d, every, assay_clock_ms(), &last);
    } while (!wait_signal(signals));
    drain_engine(d, signals, every, &last);
}

static void stop(daemon_state *d)
{
    assay_http_stop(d->http);
    if (d->service) assay_service_stop(d->service);
    if (d->health) assay_health_stop(d->health);
    if (d->server) assay_server_stop(d->server, LAST_WORDS);
    assay_engine_close(d->engine);
    assay_service_free(d->service);
    assay_health_free(d->health);
    assay_reflection_free(d->reflection);
    assay_server_free(d->server);
}

int assay_assayd_run(const assay_args *a, assay_config *c)
{
    static daemon_state state;
    daemon_state *d = &state;
    assay_errinfo err = {0};
    sigset_t signals;
    d->config = c;
    d->log = (assay_log){.fd = STDERR_FILENO,
                         .level = (assay_log_level)c->log.level,
                         .format = (assay_log_format)c->log.format,
                         .journal = is_journal()};
    set_limits();
    take_signals(&signals);
    const assay_status s = start(d, c, &err);
    if (s == ASSAY_OK) live(d, &signals);
    stop(d);
    if (s != ASSAY_OK) return assay_report_error(a, ASSAY_READING, s, &err);
    log_word(d, "stopped");
    return ASSAY_EXIT_OK;
}
