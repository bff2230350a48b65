/* SPDX-License-Identifier: Apache-2.0 */
/* The service assay.test.v1.Test: what tests of the gRPC layer call. */
#ifndef ASSAY_TESTS_DAEMON_SERVICE_H
#define ASSAY_TESTS_DAEMON_SERVICE_H

#include "daemon/rpc.h"

typedef struct test_service test_service;

enum { TEST_SERVICE_METHODS = 6 };

/* NULL when it cannot be had. */
test_service *test_service_new(void);
/* Its methods, to be served while it lives. */
void test_service_methods(test_service *s, assay_rpc_method out[TEST_SERVICE_METHODS]);
/* After the server has stopped. */
void test_service_free(test_service *s);

typedef struct test_counters {
    uint64_t started, cancelled, finished;
} test_counters;
test_counters test_service_counters(test_service *s);

#endif
