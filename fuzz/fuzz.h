/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets share. */
#ifndef ASSAY_FUZZ_FUZZ_H
#define ASSAY_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input: a fuzzer finds the trap, a replay dies with it. */
#define FUZZ_REQUIRE(cond) ((cond) ? (void)0 : __builtin_trap())

#endif
