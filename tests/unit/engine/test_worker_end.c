/* SPDX-License-Identifier: Apache-2.0 */
/* How processes ended, and the most memory that they had of their own: beside a parent that holds more.
 * ctest: labels nosan */
#define _GNU_SOURCE
#include "base/mem.h"
#include "engine/worker_end.h"
#include "harness.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, HELD = 200 };

static uint64_t sum;

/* Fills so much memory, frees it, and fills half as much; reads all that the parent holds. */
static void child(const uint8_t *held, size_t mebibytes, int signal_number)
{
    const size_t n = mebibytes * MEBIBYTE;
    uint8_t *p = n ? assay_mem_alloc_raw(n, 1) : NULL;
    if (n && !p) _exit(1);
    if (n) memset(p, 1, n);
    for (size_t i = 0; i < (size_t)HELD * MEBIBYTE; i += 64) sum += held[i];
    assay_mem_free(p);
    p = n ? assay_mem_alloc_raw(n / 2, 1) : NULL;
    if (p) memset(p, 2, n / 2);
    if (signal_number) (void)kill(getpid(), signal_number);
    _exit(0);
}

static assay_worker_message end_of(const uint8_t *held, size_t mebibytes, int signal_number, bool killed)
{
    assay_worker_message m = {.kind = ASSAY_MESSAGE_EXITED};
    assay_worker_origin o;
    struct rusage used;
    int status = 0;
    assay_worker_origin_take(&o);
    const pid_t pid = fork();
    if (!CHECK(pid >= 0)) return m;
    if (pid == 0) child(held, mebibytes, signal_number);
    CHECK(wait4(pid, &status, 0, &used) == pid);
    assay_worker_end(&m, "worker", &o, status, &used, killed);
    return m;
}

TEST(peaks)
{
    static const size_t sizes[] = {1, 10, 64, 300};
    assay_mem_return();
    uint8_t *held = assay_mem_alloc_raw((size_t)HELD * MEBIBYTE, 1);
    REQUIRE(held != NULL);
    memset(held, 3, (size_t)HELD * MEBIBYTE);
    const uint64_t nothing = end_of(held, 0, 0, false).bytes; /* the program's pages, its stack */
    CHECK(nothing < 6 * MEBIBYTE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t bytes = end_of(held, sizes[i], 0, false).bytes, want = nothing + sizes[i] * MEBIBYTE;
        const uint64_t slack = want / 50 + MEBIBYTE / 2; /* two in a hundred */
        if (!CHECK(bytes + slack >= want && bytes <= want + slack))
            printf("    %zu MiB: %llu, not %llu\n", sizes[i], (unsigned long long)bytes, (unsigned long long)want);
    }
    const assay_worker_message m = end_of(held, 64, SIGKILL, false); /* also of one that was killed */
    CHECK(m.bytes > 63 * MEBIBYTE && m.bytes < 72 * MEBIBYTE);
    CHECK(strstr(m.text, "MiB of its own") != NULL);
    assay_mem_free(held);
}

TEST(ends)
{
    static uint8_t none[(size_t)HELD * MEBIBYTE];
    assay_worker_message m = end_of(none, 0, SIGKILL, true);
    CHECK(m.status == ASSAY_ECANCELED && m.signal == SIGKILL);
    m = end_of(none, 0, SIGKILL, false);
    CHECK(m.status == ASSAY_ENOMEM && m.signal == SIGKILL);
    CHECK(strstr(m.text, "worker: killed by the system") == m.text);
    m = end_of(none, 0, SIGBUS, false);
    CHECK(m.status == ASSAY_EINTERNAL && m.signal == SIGBUS && strstr(m.text, "signal 7 (SIGBUS)"));
    m = end_of(none, 0, 0, false);
    CHECK(m.status == ASSAY_EINTERNAL && m.signal == 0 && strstr(m.text, "exit code 0"));
}
