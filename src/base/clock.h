/* SPDX-License-Identifier: Apache-2.0 */
/* Time. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic milliseconds; never 0. */
uint64_t assay_clock_ms(void);
/* Milliseconds of Unix time: for what people and other machines see. It may jump. */
uint64_t assay_unix_ms(void);

#endif
