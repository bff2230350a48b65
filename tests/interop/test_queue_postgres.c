/* SPDX-License-Identifier: Apache-2.0 */
/* The queue over PostgreSQL: the cases of every database, on a server of the test's own.
 * ctest: labels interop
 * ctest: uses unit/engine */
#include "engine/queue.h"
#include "unit/engine/postgres_server.h"
#include "unit/engine/queue_cases.h"

static void run_case(queue_case *body)
{
    queue_place p;
    const char *why;
    bool failed = false;
    if (!postgres_have(&why, &failed)) {
        CHECK(!failed);
        assay_test_skip(why);
        return;
    }
    postgres_place(&p);
    body(&p);
}

#define QUEUE_TEST(name)                                                                                               \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        run_case(queue_case_##name);                                                                                   \
    }
QUEUE_CASES(QUEUE_TEST)
