/* SPDX-License-Identifier: Apache-2.0 */
/* Queues in a fresh SQLite file. */
#ifndef ASSAY_TESTS_QUEUE_FILE_H
#define ASSAY_TESTS_QUEUE_FILE_H

#include "unit/engine/queue_cases.h"

void queue_file_place(queue_place *p);

#endif
