/* SPDX-License-Identifier: Apache-2.0 */
/* The queue over SQLite: the cases of every database.
 * ctest: labels threads */
#include "engine/queue.h"
#include "unit/engine/queue_cases.h"
#include "unit/engine/queue_file.h"

#define QUEUE_TEST(name)                                                                                               \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        queue_place p;                                                                                                 \
        queue_file_place(&p);                                                                                          \
        queue_case_##name(&p);                                                                                         \
    }
QUEUE_CASES(QUEUE_TEST)
