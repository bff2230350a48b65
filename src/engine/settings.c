/* SPDX-License-Identifier: Apache-2.0 */
/* The choice. A proof has serial parts (reading, the last windows of sums, the check at its end) in which it leaves
 * cores idle: a second prover fills them (bench/daemon/run.py overlap: 1.3 to 1.5 times the proofs on two cores). Up to
 * sixteen threads each of the two has all of them, so that a job that is alone is not slower; with many more they
 * share. Two partitions in slots keep a prover busy: one is ready when it is free, the next in the making; with many
 * threads more syntheses run beside each other, a quarter of the threads' number. Memory bounds it further, partition
 * by partition: see board.h. */
#define _GNU_SOURCE
#include "engine/settings.h"
#include "engine/engine.h"
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_A_PROVER = 16, THREADS_A_PARTITION = 4, PARTITIONS = 2, MOST_PARTITIONS = 64 };

uint64_t assay_threads_available(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (uint64_t)n : 1;
}

static uint64_t at_least(uint64_t v, uint64_t least)
{
    return v < least ? least : v;
}

assay_settings assay_settings_choose(const assay_settings_given *g, uint64_t available)
{
    assay_settings s = {.pipeline = g->pipeline};
    s.threads = g->threads != ASSAY_ENGINE_AUTO ? at_least(g->threads, 1) : available;
    s.gpu_workers = g->gpu_workers;
    if (g->gpu_workers == ASSAY_ENGINE_AUTO) s.gpu_workers = s.threads >= 2 ? 2 : 1;
    s.partition_workers = g->partition_workers;
    if (g->partition_workers == ASSAY_ENGINE_AUTO) {
        s.partition_workers = at_least(s.threads / THREADS_A_PARTITION, PARTITIONS);
        if (s.partition_workers > MOST_PARTITIONS) s.partition_workers = MOST_PARTITIONS;
    }
    if (!s.pipeline) s.partition_workers = s.gpu_workers = 1;
    s.gpu_workers = at_least(s.gpu_workers, 1);
    s.partition_workers = at_least(s.partition_workers, 1);
    s.gpu_threads = g->gpu_threads != ASSAY_ENGINE_AUTO ? at_least(g->gpu_threads, 1) : s.threads;
    const bool share =
        g->gpu_workers != ASSAY_ENGINE_AUTO || g->gpu_threads != ASSAY_ENGINE_AUTO || s.threads >= 2 * THREADS_A_PROVER;
    s.threads_a_prover = share ? at_least(s.gpu_threads / s.gpu_workers, 1) : s.gpu_threads;
    s.threads_a_synthesis = at_least(s.threads / s.partition_workers, 1);
    return s;
}

static void add(char *out, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t n, const char *format, ...)
{
    const size_t at = strlen(out);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(out + at, n - at, format, args);
    va_end(args);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void assay_settings_why(char *out, size_t n, const assay_settings *s, const assay_settings_given *g, uint64_t available,
                        uint64_t room, uint64_t peak, uint64_t fewer)
{
    const uint64_t mib = (uint64_t)1 << 20;
    *out = 0;
    if (!s->pipeline) {
        add(out, n, "The pipeline is off: one partition from its beginning to its end, with %llu thread%s.",
            (unsigned long long)s->threads_a_prover, plural(s->threads_a_prover));
    } else {
        add(out, n, "%llu partition worker%s (%s) and %llu prover%s (%s) for %llu thread%s%s.",
            (unsigned long long)s->partition_workers, plural(s->partition_workers),
            g->partition_workers != ASSAY_ENGINE_AUTO ? "as set"
            : s->partition_workers == PARTITIONS      ? "one ready while the next is made"
                                                      : "a quarter of the threads",
            (unsigned long long)s->gpu_workers, plural(s->gpu_workers),
            g->gpu_workers != ASSAY_ENGINE_AUTO ? "as set"
            : s->gpu_workers > 1                ? "one fills the cores that the other leaves idle"
                                                : "it uses all threads",
            (unsigned long long)s->threads, plural(s->threads),
            g->threads == ASSAY_ENGINE_AUTO && s->threads == available ? ", all there are" : "");
    }
    if (peak)
        add(out, n, " Memory for jobs is %llu MiB: room for %llu partition%s like the last planned, %llu MiB each.",
            (unsigned long long)(room / mib), (unsigned long long)(room / peak), plural(room / peak),
            (unsigned long long)((peak + mib - 1) / mib));
    if (fewer)
        add(out, n, " %llu fewer at once for a while: workers were killed for their memory.",
            (unsigned long long)fewer);
}
