/* SPDX-License-Identifier: Apache-2.0 */
/* Many SHA-256 streams with the SHA extensions: four lanes are transposed into registers and compressed two by two. */
#include "backend/cpu/sha256_lanes.h"
#include "hash/sha256_shani.h"
#include <string.h>

enum { LANES = ASSAY_SHA256_LANES };

/* Rows to columns of a 4x4 matrix of words. */
static inline void transpose(__m128i m[4])
{
    __m128i a = _mm_unpacklo_epi32(m[0], m[1]), b = _mm_unpackhi_epi32(m[0], m[1]);
    __m128i c = _mm_unpacklo_epi32(m[2], m[3]), d = _mm_unpackhi_epi32(m[2], m[3]);
    m[0] = _mm_unpacklo_epi64(a, c);
    m[1] = _mm_unpackhi_epi64(a, c);
    m[2] = _mm_unpacklo_epi64(b, d);
    m[3] = _mm_unpackhi_epi64(b, d);
}

/* Lanes at .. at + 3 of h, with message words words[j][from .. from + 3]. */
static void compress4(uint32_t h[8][LANES], size_t at, const uint32_t *const words[16], size_t from)
{
    __m128i w[4][4], abcd[4], efgh[4]; /* w: of each lane */
    sha_state s[4];
    for (int q = 0; q < 4; q++) {
        __m128i m[4];
        for (int j = 0; j < 4; j++) m[j] = sha_swap(_mm_loadu_si128((const void *)(words[4 * q + j] + from)));
        transpose(m);
        for (int lane = 0; lane < 4; lane++) w[lane][q] = m[lane];
        abcd[q] = _mm_loadu_si128((const void *)&h[q][at]);
        efgh[q] = _mm_loadu_si128((const void *)&h[q + 4][at]);
    }
    transpose(abcd);
    transpose(efgh);
    for (int lane = 0; lane < 4; lane++) s[lane] = sha_pack(abcd[lane], efgh[lane]);
    sha_compress2(&s[0], &s[1], w[0], w[1]);
    sha_compress2(&s[2], &s[3], w[2], w[3]);
    for (int lane = 0; lane < 4; lane++) sha_unpack(&abcd[lane], &efgh[lane], s[lane]);
    transpose(abcd);
    transpose(efgh);
    for (int q = 0; q < 4; q++) {
        _mm_storeu_si128((void *)&h[q][at], abcd[q]);
        _mm_storeu_si128((void *)&h[q + 4][at], efgh[q]);
    }
}

#define LANES_FN    assay_sha256_lanes_shani
#define LANES_WIDTH 4
#define LANES_STEP  compress4
#include "backend/cpu/sha256_lanes_loop.tmpl.h"
