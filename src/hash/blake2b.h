/* SPDX-License-Identifier: Apache-2.0 */
/* BLAKE2b with a digest of 64 bytes and no key (RFC 7693), for the circuit hash of .zkey files. Nothing of Assay's own
 * protocols uses it. */
#ifndef ASSAY_HASH_BLAKE2B_H
#define ASSAY_HASH_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

enum { ASSAY_BLAKE2B_BYTES = 64, ASSAY_BLAKE2B_BLOCK = 128 };

typedef struct assay_blake2b {
    uint64_t h[8];
    uint64_t n; /* bytes hashed, those in the block not counted; 2^64 is more than there are */
    uint8_t block[ASSAY_BLAKE2B_BLOCK];
    size_t fill;
} assay_blake2b;

void assay_blake2b_init(assay_blake2b *b);
void assay_blake2b_update(assay_blake2b *b, const void *p, size_t n);
void assay_blake2b_final(assay_blake2b *b, uint8_t out[ASSAY_BLAKE2B_BYTES]);

#endif
