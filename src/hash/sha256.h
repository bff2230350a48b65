/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), streaming and in one shot. */
#ifndef ASSAY_HASH_SHA256_H
#define ASSAY_HASH_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define ASSAY_SHA256_BYTES 32
#define ASSAY_SHA256_BLOCK 64

typedef struct assay_sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes absorbed */
    uint8_t buf[ASSAY_SHA256_BLOCK];
} assay_sha256;

void assay_sha256_init(assay_sha256 *s);
void assay_sha256_update(assay_sha256 *s, const void *p, size_t n);
/* Writes the digest and wipes *s. */
void assay_sha256_final(assay_sha256 *s, uint8_t out[32]);
void assay_sha256_digest(uint8_t out[32], const void *p, size_t n);

/* ---- for code that lays out blocks itself (src/backend) */

extern const uint32_t assay_sha256_iv[8];
extern const uint32_t assay_sha256_round[64];

/* Applies the compression function to nblocks consecutive blocks. */
typedef void assay_sha256_compress_fn(uint32_t h[8], const uint8_t *blocks, size_t nblocks);
void assay_sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t nblocks);

/* What all hashing uses from now on; the portable one until this is called. Any thread, any time. */
void assay_sha256_use(assay_sha256_compress_fn *fn);
/* Calls assay_sha256_use with the fastest one that assay_cpu_features() allows now. Not part of the verifier's library.
 */
void assay_sha256_select(void);

/* Needs ASSAY_CPU_SHANI; reached through ASSAY_X86_FN (base/isa.h). */
void assay_sha256_compress_shani(uint32_t h[8], const uint8_t *blocks, size_t nblocks);

static inline void sha256_store(uint8_t out[32], const uint32_t h[8])
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) out[4 * i + j] = (uint8_t)(h[i] >> (24 - 8 * j));
}

#endif
