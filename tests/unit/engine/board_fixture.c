/* SPDX-License-Identifier: Apache-2.0 */
#include "board_fixture.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

assay_board *fixture_board(const assay_board_limits *limits, uint64_t total)
{
    assay_board *b = assay_mem_alloc(1, sizeof *b);
    if (b) assay_board_init(b, limits, total, 0);
    return b;
}

void fixture_job(assay_board_job *j, const char *subject, unsigned priority, uint64_t arrival, uint32_t partitions)
{
    memset(j, 0, sizeof *j);
    j->priority = priority;
    j->arrival = arrival;
    (void)snprintf(j->entry.name, sizeof j->entry.name, "%s", subject);
    j->plan = (assay_job_plan){
        .key = 10, .load = 2, .process = 1, .synthesis = 4, .ready = 2, .prove = 3, .partitions = partitions};
}
