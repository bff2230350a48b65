/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "cli/bench_daemon.h"
#include "base/bytes.h"
#include "base/file.h"
#include "cli/bench_client.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 120000, STOP_MS = 60000, STEP_MS = 50, PATH_BYTES = 4096 };

static void pause_step(void)
{
    const struct timespec t = {0, STEP_MS * 1000000L};
    (void)nanosleep(&t, NULL);
}

/* assayd beside this program. */
static assay_status find_program(char out[PATH_BYTES], assay_errinfo *err)
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_BYTES - 1);
    if (n <= 0) return ASSAY_FAIL(err, ASSAY_EIO, "/proc/self/exe", "cannot be read");
    out[n] = 0;
    char *slash = strrchr(out, '/');
    if (!slash || (size_t)(slash - out) + sizeof "/assayd" > PATH_BYTES)
        return ASSAY_FAIL(err, ASSAY_EIO, out, "has no folder");
    memcpy(slash, "/assayd", sizeof "/assayd");
    if (access(out, X_OK) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, out, "cannot be executed", errno);
    return ASSAY_OK;
}

static void become_daemon(const char *program, const assay_bench_daemon *d, const char *const *flags)
{
    const char *argv[ASSAY_BENCH_FLAGS + 12];
    char queue[128], config[128];
    size_t n = 0;
    (void)snprintf(queue, sizeof queue, "%s/queue.sqlite", d->folder);
    (void)snprintf(config, sizeof config, "%s/assayd.toml", d->folder); /* all at its default, whatever is in /etc */
    const int log = open(d->log, O_WRONLY | O_CREAT | O_APPEND, 0600), null = open("/dev/null", O_RDONLY),
              empty = open(config, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    argv[n++] = program;
    argv[n++] = "--config";
    argv[n++] = config;
    argv[n++] = "--listen";
    argv[n++] = d->address;
    argv[n++] = "--status-listen"; /* its usual port may be another daemon's */
    argv[n++] = "";
    argv[n++] = "--queue";
    argv[n++] = queue;
    for (size_t i = 0; flags[i] && i < ASSAY_BENCH_FLAGS; i++) argv[n++] = flags[i];
    argv[n] = NULL;
    if (log < 0 || null < 0 || empty < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) _exit(127);
    (void)execv(program, (char *const *)(uintptr_t)argv);
    _exit(127);
}

static bool serves(const char *address)
{
    assay_client *c = NULL;
    Cuzk__V1__GetStatusRequest q;
    assay_bench_answer answer = {0};
    const assay_client_options o = {.address = address, .connect_timeout = 1000};
    cuzk__v1__get_status_request__init(&q);
    bool good = assay_client_new(&c, &o, NULL) == ASSAY_OK &&
                assay_bench_call(c, "/cuzk.v1.ProvingEngine/GetStatus", &q.base, 5000,
                                 &cuzk__v1__get_status_response__descriptor, &answer, NULL) == ASSAY_OK &&
                answer.code == ASSAY_RPC_OK;
    assay_bench_answer_clear(&answer);
    assay_client_free(c);
    return good;
}

/* Whether it ends within ms. */
static bool wait_for(assay_bench_daemon *d, unsigned ms)
{
    for (unsigned t = 0; t <= ms; t += STEP_MS) {
        const pid_t got = waitpid(d->pid, NULL, WNOHANG);
        if (got == d->pid || (got < 0 && errno != EINTR)) {
            d->pid = 0;
            return true;
        }
        if (t < ms) pause_step();
    }
    return false;
}

assay_status assay_bench_daemon_start(assay_bench_daemon *d, const char *const *flags, assay_errinfo *err)
{
    char program[PATH_BYTES];
    memset(d, 0, sizeof *d);
    assay_status s = find_program(program, err);
    if (s != ASSAY_OK) return s;
    memcpy(d->folder, "/tmp/assay-bench-XXXXXX", sizeof "/tmp/assay-bench-XXXXXX");
    if (!mkdtemp(d->folder)) {
        d->folder[0] = 0;
        return ASSAY_FAIL_OS(err, ASSAY_EIO, "/tmp", "a folder cannot be made", errno);
    }
    (void)snprintf(d->address, sizeof d->address, "unix://%s/socket", d->folder);
    (void)snprintf(d->log, sizeof d->log, "%s.log", d->folder);
    d->pid = fork();
    if (d->pid == 0) become_daemon(program, d, flags);
    if (d->pid < 0) {
        d->pid = 0;
        return ASSAY_FAIL_OS(err, ASSAY_EIO, "assayd", "no process can be made", errno);
    }
    for (unsigned t = 0; t < START_MS; t += STEP_MS) {
        if (wait_for(d, 0)) return ASSAY_FAIL(err, ASSAY_EIO, d->log, "assayd ended at once: its log says why");
        if (serves(d->address)) return ASSAY_OK;
        pause_step();
    }
    return ASSAY_FAIL(err, ASSAY_EIO, d->log, "assayd does not serve after two minutes: its log may say why");
}

void assay_bench_daemon_stop(assay_bench_daemon *d, int keep_log)
{
    static const char *const files[] = {
        "assayd.toml",          "queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm", "queue.sqlite.lock",
        "queue.sqlite-journal", "socket"};
    char path[192];
    if (d->pid > 0) {
        (void)kill(d->pid, SIGTERM);
        if (!wait_for(d, STOP_MS)) {
            (void)kill(d->pid, SIGKILL);
            (void)waitpid(d->pid, NULL, 0);
        }
    }
    for (size_t i = 0; d->folder[0] && i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", d->folder, files[i]);
        (void)unlink(path);
    }
    if (d->folder[0]) (void)rmdir(d->folder);
    if (d->folder[0] && !keep_log) (void)unlink(d->log);
    d->pid = 0;
}
