/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. */
#ifndef ASSAY_FUZZ_FUZZ_H
#define ASSAY_FUZZ_FUZZ_H

#include "assay/status.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For a call that may succeed or fail: only its behaviour is watched. */
static inline void fuzz_either(assay_status s)
{
    (void)s;
}

/* A property that must hold for every input: a fuzzer finds the trap, a replay dies with it. */
#define FUZZ_REQUIRE(cond) ((cond) ? (void)0 : __builtin_trap())

#endif
