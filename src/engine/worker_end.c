/* SPDX-License-Identifier: Apache-2.0 */
/* The measure of a worker's own memory: ru_maxrss is the most pages that it had resident at once; from the fork on
 * those include all pages of its keeper that belong to no file, which stay shared until one of the two writes to them.
 * They are subtracted as they were at the fork. What is left counts pages of files (the program's, some MiB) too, as
 * budgets must; it does not count pages of the keeper that the worker wrote to, which are few: blocks of any size come
 * from fresh pages (assay_mem_return). The kernel's counters may be behind by some hundred KiB. */
#define _GNU_SOURCE
#include "engine/worker_end.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 8192 };

/* The beginning of a file, as text. */
static bool read_start(char out[TEXT], const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t n = read(fd, out, TEXT - 1);
    (void)close(fd);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* Resident pages less those of files and shared memory. */
static uint64_t own_bytes(void)
{
    char text[TEXT], *at = text;
    unsigned long long pages[3] = {0};
    if (!read_start(text, "/proc/self/statm")) return 0;
    for (size_t i = 0; i < 3; i++) pages[i] = strtoull(at, &at, 10); /* size, resident, shared */
    const long page = sysconf(_SC_PAGESIZE);
    return pages[1] > pages[2] && page > 0 ? (pages[1] - pages[2]) * (unsigned long)page : 0;
}

static uint64_t oom_kills(void)
{
    static const char name[] = "\noom_kill ";
    char text[TEXT];
    const char *at = read_start(text, "/proc/vmstat") ? strstr(text, name) : NULL;
    return at ? strtoull(at + sizeof name - 1, NULL, 10) : UINT64_MAX;
}

void assay_worker_origin_take(assay_worker_origin *o)
{
    o->bytes = own_bytes();
    o->oom_kills = oom_kills();
}

static void say_killed(assay_worker_message *m, const char *who, const assay_worker_origin *o)
{
    const uint64_t now = oom_kills();
    const char *evidence = o->oom_kills == UINT64_MAX || now == UINT64_MAX ? "whether it kills for memory is not known"
                           : now > o->oom_kills ? "it has killed for want of memory since the worker began"
                                                : "though it counts no kill for want of memory";
    m->status = ASSAY_ENOMEM;
    (void)snprintf(m->text, sizeof m->text,
                   "%s: killed by the system, probably for its memory: it had %" PRIu64 " MiB of its own (%s)", who,
                   m->bytes >> 20, evidence);
}

void assay_worker_end(assay_worker_message *m, const char *who, const assay_worker_origin *o, int wait_status,
                      const struct rusage *used, bool killed)
{
    const uint64_t most = (uint64_t)used->ru_maxrss * 1024;
    m->bytes = most > o->bytes ? most - o->bytes : 0;
    m->signal = WIFSIGNALED(wait_status) ? (uint32_t)WTERMSIG(wait_status) : 0;
    m->status = ASSAY_EINTERNAL;
    if (killed) {
        m->status = ASSAY_ECANCELED;
        (void)snprintf(m->text, sizeof m->text, "%s: was stopped", who);
    } else if (m->signal == SIGKILL) {
        say_killed(m, who, o);
    } else if (m->signal) {
        const char *name = sigabbrev_np((int)m->signal);
        (void)snprintf(m->text, sizeof m->text, "%s: crashed: signal %u (SIG%s)", who, m->signal, name ? name : "?");
    } else {
        (void)snprintf(m->text, sizeof m->text, "%s: ended without a result (exit code %d)", who,
                       WEXITSTATUS(wait_status));
    }
}
