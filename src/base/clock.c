/* SPDX-License-Identifier: Apache-2.0 */
/* Time. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include <time.h>

uint64_t assay_clock_ms(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1;
}

uint64_t assay_unix_ms(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
