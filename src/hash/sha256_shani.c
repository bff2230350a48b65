/* SPDX-License-Identifier: Apache-2.0 */
/* The SHA-256 compression function with the SHA extensions of x86. */
#include "hash/sha256_shani.h"

void assay_sha256_compress_shani(uint32_t h[8], const uint8_t *blocks, size_t nblocks)
{
    __m128i abcd = _mm_loadu_si128((const void *)h), efgh = _mm_loadu_si128((const void *)(h + 4));
    sha_state s = sha_pack(abcd, efgh);
    for (; nblocks; nblocks--, blocks += ASSAY_SHA256_BLOCK) {
        __m128i w[4];
        for (int i = 0; i < 4; i++) w[i] = sha_swap(_mm_loadu_si128((const void *)(blocks + 16 * i)));
        sha_compress(&s, w);
    }
    sha_unpack(&abcd, &efgh, s);
    _mm_storeu_si128((void *)h, abcd);
    _mm_storeu_si128((void *)(h + 4), efgh);
}
