/* SPDX-License-Identifier: Apache-2.0 */
/* How many workers of which kind, by the machine and by what the operator says. */
#include "engine/engine.h"
#include "engine/settings.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

#define AUTO ASSAY_ENGINE_AUTO

static assay_settings choose(uint64_t partitions, uint64_t provers, uint64_t prover_threads, bool pipeline,
                             uint64_t threads)
{
    const assay_settings_given g = {.threads = AUTO,
                                    .partition_workers = partitions,
                                    .gpu_workers = provers,
                                    .gpu_threads = prover_threads,
                                    .pipeline = pipeline};
    return assay_settings_choose(&g, threads);
}

TEST(the_machine_decides)
{
    static const struct {
        uint64_t threads, partitions, provers, a_prover, a_synthesis;
    } cases[] = {{1, 2, 1, 1, 1},   {2, 2, 2, 2, 1},   {4, 2, 2, 4, 2},    {16, 4, 2, 16, 4},
                 {31, 7, 2, 31, 4}, {32, 8, 2, 16, 4}, {96, 24, 2, 48, 4}, {1024, 64, 2, 512, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const assay_settings s = choose(AUTO, AUTO, AUTO, true, cases[i].threads);
        if (!CHECK(s.threads == cases[i].threads && s.partition_workers == cases[i].partitions &&
                   s.gpu_workers == cases[i].provers && s.threads_a_prover == cases[i].a_prover &&
                   s.threads_a_synthesis == cases[i].a_synthesis))
            printf("    %u threads\n", (unsigned)cases[i].threads);
    }
}

TEST(the_operator_decides)
{
    assay_settings s = choose(7, 2, AUTO, true, 8);
    CHECK(s.partition_workers == 7 && s.gpu_workers == 2 && s.threads_a_prover == 4 && s.threads_a_synthesis == 1);
    s = choose(AUTO, 1, AUTO, true, 8);
    CHECK(s.gpu_workers == 1 && s.threads_a_prover == 8);
    s = choose(AUTO, AUTO, 6, true, 8);
    CHECK(s.gpu_workers == 2 && s.gpu_threads == 6 && s.threads_a_prover == 3);
    s = choose(AUTO, 5, 3, true, 8);
    CHECK(s.gpu_workers == 5 && s.threads_a_prover == 1);
}

TEST(without_the_pipeline_there_is_one)
{
    const assay_settings s = choose(7, 3, AUTO, false, 8);
    CHECK(s.partition_workers == 1 && s.gpu_workers == 1 && s.threads_a_prover == 8 && s.threads_a_synthesis == 8);
}

TEST(why)
{
    const assay_settings_given given = {
        .threads = AUTO, .partition_workers = 3, .gpu_workers = AUTO, .gpu_threads = AUTO, .pipeline = true};
    const assay_settings s = assay_settings_choose(&given, 4);
    char text[400];
    assay_settings_why(text, sizeof text, &s, &given, 4, (uint64_t)10 << 30, (uint64_t)3 << 30, 1);
    CHECK(strstr(text,
                 "3 partition workers (as set) and 2 provers (one fills the cores that the other leaves idle) for 4 "
                 "threads, all there are.") != NULL);
    CHECK(strstr(text, "10240 MiB: room for 3 partitions") != NULL && strstr(text, " 1 fewer at once") != NULL);
}
