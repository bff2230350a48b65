/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing field elements: words go into SHA-256 as four little-endian bytes each, on every machine. */
#ifndef ASSAY_HASH_WORDS_H
#define ASSAY_HASH_WORDS_H

#include "hash/sha256.h"
#include <stddef.h>
#include <stdint.h>

void assay_sha256_update_words(assay_sha256 *s, const uint32_t *words, size_t n);

#endif
