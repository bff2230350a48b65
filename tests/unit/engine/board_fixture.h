/* SPDX-License-Identifier: Apache-2.0 */
/* Boards and jobs in tests. */
#ifndef ASSAY_TESTS_BOARD_FIXTURE_H
#define ASSAY_TESTS_BOARD_FIXTURE_H

#include "engine/board.h"

/* Freed by assay_mem_free; NULL when out of memory. Nothing is the daemon's. */
assay_board *fixture_board(const assay_board_limits *limits, uint64_t total);
/* Process 1, synthesis 4, ready 2, prove 3 bytes; a key of 10, 2 more while it is loaded. */
void fixture_job(assay_board_job *j, const char *subject, unsigned priority, uint64_t arrival, uint32_t partitions);

#endif
