/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up look at an engine that is busy: eight workers, jobs in every state, two hours of throughput, and ids and
 * errors as an attacker would choose them. */
#ifndef ASSAY_TESTS_DAEMON_LOOK_H
#define ASSAY_TESTS_DAEMON_LOOK_H

#include "engine/engine.h"

/* The same for the same `now` (Unix ms). NULL when out of memory. */
assay_engine_look *test_look_new(uint64_t now);
void test_look_free(assay_engine_look *l);

#define TEST_LOOK_HOSTILE_ID "<img/src=x/onerror=document.title='owned'>\"';--&amp;</script>"

#endif
