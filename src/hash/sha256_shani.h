/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 with the SHA extensions of x86 (Intel's instruction set reference, SHA256RNDS2 and friends): the pieces from
 * which the compression functions are made. Include only in files compiled with -msha -msse4.1. */
#ifndef ASSAY_HASH_SHA256_SHANI_H
#define ASSAY_HASH_SHA256_SHANI_H

#include "hash/sha256.h"
#include <immintrin.h>

/* The instructions want the state as (a b e f) and (c d g h), highest word first. */
typedef struct sha_state {
    __m128i abef, cdgh;
} sha_state;

/* From and to the words in order, lowest first. */
static inline sha_state sha_pack(__m128i abcd, __m128i efgh)
{
    __m128i dcba = _mm_shuffle_epi32(abcd, 0x1b), hgfe = _mm_shuffle_epi32(efgh, 0x1b);
    sha_state s = {_mm_unpackhi_epi64(hgfe, dcba), _mm_unpacklo_epi64(hgfe, dcba)};
    return s;
}
static inline void sha_unpack(__m128i *abcd, __m128i *efgh, sha_state s)
{
    *abcd = _mm_shuffle_epi32(_mm_unpackhi_epi64(s.cdgh, s.abef), 0x1b);
    *efgh = _mm_shuffle_epi32(_mm_unpacklo_epi64(s.cdgh, s.abef), 0x1b);
}

/* The bytes of each word reversed: messages are big-endian. */
static inline __m128i sha_swap(__m128i a)
{
    return _mm_shuffle_epi8(a, _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL));
}

static inline __m128i sha_constants(int i)
{
    return _mm_loadu_si128((const void *)(assay_sha256_round + 4 * i));
}

/* Four rounds with schedule words w, round constants k. */
static inline void sha_rounds4(sha_state *s, __m128i w, __m128i k)
{
    __m128i wk = _mm_add_epi32(w, k);
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, wk);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* Replaces w[j], the oldest four of sixteen schedule words, by the four that follow the newest. */
static inline void sha_advance(__m128i w[4], int j)
{
    __m128i last = w[(j + 3) & 3];
    __m128i t = _mm_alignr_epi8(last, w[(j + 2) & 3], 4);
    t = _mm_add_epi32(_mm_sha256msg1_epu32(w[j], w[(j + 1) & 3]), t);
    w[j] = _mm_sha256msg2_epu32(t, last);
}

static inline sha_state sha_add(sha_state a, sha_state b)
{
    sha_state s = {_mm_add_epi32(a.abef, b.abef), _mm_add_epi32(a.cdgh, b.cdgh)};
    return s;
}

/* One compression of message words w, which are used up. */
static inline void sha_compress(sha_state *s, __m128i w[4])
{
    sha_state start = *s;
    for (int i = 0; i < 16; i++) {
        sha_rounds4(s, w[i & 3], sha_constants(i));
        if (i < 12) sha_advance(w, i & 3);
    }
    *s = sha_add(*s, start);
}

/* Two independent compressions, interleaved so that each hides the other's latency. */
static inline void sha_compress2(sha_state *s, sha_state *t, __m128i v[4], __m128i w[4])
{
    sha_state s0 = *s, t0 = *t;
    for (int i = 0; i < 16; i++) {
        __m128i k = sha_constants(i);
        sha_rounds4(s, v[i & 3], k);
        sha_rounds4(t, w[i & 3], k);
        if (i < 12) {
            sha_advance(v, i & 3);
            sha_advance(w, i & 3);
        }
    }
    *s = sha_add(*s, s0);
    *t = sha_add(*t, t0);
}

#endif
