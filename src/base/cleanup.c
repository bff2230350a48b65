/* SPDX-License-Identifier: Apache-2.0 */
/* Removal of unfinished files on SIGINT, SIGTERM and SIGHUP. The handler uses only unlink, rmdir, sigaction and raise,
 * which POSIX lists as async-signal-safe, and lock-free atomics. */
#define _POSIX_C_SOURCE 200809L
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Atomic(char *) slots[ASSAY_CLEANUP_SLOTS];
static atomic_bool started;

assay_status assay_cleanup_add(int *slot, const char *path, assay_errinfo *err)
{
    size_t n = strlen(path) + 1;
    *slot = -1;
    char *copy = (char *)assay_mem_alloc(n, 1);
    if (!copy) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    memcpy(copy, path, n);
    for (int i = 0; i < ASSAY_CLEANUP_SLOTS; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&slots[i], &empty, copy)) {
            *slot = i;
            return ASSAY_OK;
        }
    }
    assay_mem_free(copy);
    return ASSAY_FAIL(err, ASSAY_EBUSY, path, "too many unfinished files");
}

void assay_cleanup_drop(int slot)
{
    if (slot < 0) return;
    /* A handler in another thread may hold the pointer: once it has started, the process ends, so leak instead. */
    char *path = atomic_exchange(&slots[slot], NULL);
    if (!atomic_load(&started)) assay_mem_free(path);
}

void assay_cleanup_remove(int slot)
{
    const char *path = slot < 0 ? NULL : atomic_load(&slots[slot]);
    if (path && unlink(path) != 0) (void)rmdir(path);
    assay_cleanup_drop(slot);
}

void assay_cleanup_vary(char *name)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static _Atomic uint64_t counter;
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t x = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 17;
    x += atomic_fetch_add(&counter, 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    char *end = name + strlen(name);
    for (char *c = end - 6; c < end; c++, x /= 36) *c = digits[(x >> 8) % 36];
}

bool assay_cleanup_started(void)
{
    return atomic_load(&started);
}

static void remove_unfinished(int signal_number)
{
    atomic_store(&started, true);
    for (int i = ASSAY_CLEANUP_SLOTS - 1; i >= 0; i--) { /* later entries lie inside earlier folders */
        const char *path = atomic_load(&slots[i]);
        if (path && unlink(path) != 0) (void)rmdir(path);
    }
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = SIG_DFL;
    (void)sigaction(signal_number, &act, NULL);
    (void)raise(signal_number);
}

void assay_file_cleanup_on_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = remove_unfinished;
    (void)sigfillset(&act.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        /* A signal that the parent shell told us to ignore (nohup, background jobs) stays ignored. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &act, NULL);
    }
}
