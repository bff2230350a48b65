/* SPDX-License-Identifier: Apache-2.0 */
/* Randomness of the operating system, and one block of the deterministic expander. */
#ifndef ASSAY_HASH_RANDOM_H
#define ASSAY_HASH_RANDOM_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* n bytes from the kernel's generator, waiting until it is seeded. ASSAY_EIO when it refuses; out is then zero. */
ASSAY_MUST_USE assay_status assay_random_bytes(uint8_t *out, size_t n, assay_errinfo *err);

/* Block i of the stream (key, label) = SHA-256(key || le64 label || le64 i). Arrays of them, and field elements: the
 * backend's `stream`, backend/drbg.h. */
void assay_drbg_block(uint8_t out[32], const uint8_t key[32], uint64_t label, uint64_t i);

#endif
