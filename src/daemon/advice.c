/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds the throughput now. The first rule that holds speaks. */
#include "daemon/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double gib(uint64_t n)
{
    return (double)n / (double)((uint64_t)1 << 30);
}

static uint64_t waiting(const assay_engine_look *l)
{
    uint64_t n = 0;
    for (int kind = 0; kind < ASSAY_JOB_KINDS; kind++) n += l->queue.waiting[kind];
    return n;
}

const char *assay_advice(char out[ASSAY_ADVICE_BYTES], const assay_engine_look *l)
{
    const uint64_t jobs = waiting(l), room = assay_budget_free(&l->budget);
    uint64_t largest = 0, ready = 0, provers = 0;
    for (size_t i = 0; i < l->n_workers; i++) {
        const assay_look_worker *w = &l->workers[i];
        if (w->reserved > largest) largest = w->reserved;
        ready += strcmp(w->stage, "ready") == 0;
        provers += w->prover;
    }
    if (l->draining)
        (void)snprintf(out, ASSAY_ADVICE_BYTES, "Draining: running jobs end, waiting ones stay in the queue.");
    else if (l->killed_for_memory > 0)
        (void)snprintf(out, ASSAY_ADVICE_BYTES,
                       "%" PRIu64 " worker(s) were killed for want of memory: others take memory that the budget of "
                       "%.1f GiB counts on. Raise memory.margin, or set memory.total lower.",
                       l->killed_for_memory, gib(l->budget.total));
    else if (jobs == 0)
        (void)snprintf(out, ASSAY_ADVICE_BYTES, "No job waits: the settings are enough for the present load.");
    else if (ready > 0 && provers >= l->gpu_workers)
        (void)snprintf(out, ASSAY_ADVICE_BYTES,
                       "Proving is the bound: %" PRIu64 " partition(s) wait for one of %" PRIu64
                       " prover(s). More partition workers would only take memory.",
                       ready, l->gpu_workers);
    else if (l->n_workers < l->partition_workers && l->n_workers > 0 && room < largest)
        (void)snprintf(out, ASSAY_ADVICE_BYTES,
                       "Memory is the bound: a partition takes %.1f GiB and %.1f GiB are free, so %zu of %" PRIu64
                       " partition workers work. %.1f GiB more would let another begin.",
                       gib(largest), gib(room), l->n_workers, l->partition_workers, gib(largest - room));
    else if (l->n_workers >= l->partition_workers && largest > 0 && room >= largest)
        (void)snprintf(out, ASSAY_ADVICE_BYTES,
                       "Partition workers are the bound: all %" PRIu64 " work, and the %.1f GiB that are free are "
                       "enough for %" PRIu64 " more. Processors may be the reason; if some idle, raise "
                       "engine.partition_workers.",
                       l->partition_workers, gib(room), room / largest);
    else
        (void)snprintf(out, ASSAY_ADVICE_BYTES,
                       "%" PRIu64 " job(s) wait and %zu of %" PRIu64 " partition workers work: memory and workers are "
                       "in use as planned.",
                       jobs, l->n_workers, l->partition_workers);
    return out;
}
