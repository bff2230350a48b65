/* SPDX-License-Identifier: Apache-2.0 */
/* How many workers and threads: the operator's numbers, or the engine's own choice. */
#ifndef ASSAY_ENGINE_SETTINGS_H
#define ASSAY_ENGINE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the operator gave them: may be ASSAY_ENGINE_AUTO. */
typedef struct assay_settings_given {
    uint64_t threads, partition_workers, gpu_workers, gpu_threads;
    bool pipeline;
} assay_settings_given;

/* Partition workers: partitions from their start until a prover takes them; gpu_workers: provers, for which the
 * processor stands in. Threads for each. */
typedef struct assay_settings {
    uint64_t threads, partition_workers, gpu_workers, gpu_threads;
    uint64_t threads_a_synthesis, threads_a_prover;
    bool pipeline;
} assay_settings;

/* available: threads that the process may use. */
assay_settings assay_settings_choose(const assay_settings_given *given, uint64_t available);
/* Threads that this process may use: its affinity mask; at least 1. */
uint64_t assay_threads_available(void);
/* One to three sentences on why so many. room: bytes for jobs; peak: of one partition, as last planned, 0: none was;
 * fewer: partitions fewer at once, since workers were killed for memory. */
void assay_settings_why(char *out, size_t n, const assay_settings *s, const assay_settings_given *given,
                        uint64_t available, uint64_t room, uint64_t peak, uint64_t fewer);

#endif
