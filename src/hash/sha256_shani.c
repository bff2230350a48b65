/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 compression with the SHA extensions of x86 (Intel's instruction set reference, SHA256RNDS2 and friends). */
#include "hash/sha256.h"

#include <immintrin.h>

/* The instructions want the state as (a b e f) and (c d g h), highest word first. */
typedef struct state {
    __m128i abef, cdgh;
} state;

static inline state load_state(const uint32_t h[8])
{
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const void *)h), 0x1b);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(h + 4)), 0x1b);
    state s = {_mm_unpackhi_epi64(efgh, abcd), _mm_unpacklo_epi64(efgh, abcd)};
    return s;
}

static inline void store_state(uint32_t h[8], state s)
{
    __m128i abcd = _mm_unpackhi_epi64(s.cdgh, s.abef), efgh = _mm_unpacklo_epi64(s.cdgh, s.abef);
    _mm_storeu_si128((void *)h, _mm_shuffle_epi32(abcd, 0x1b));
    _mm_storeu_si128((void *)(h + 4), _mm_shuffle_epi32(efgh, 0x1b));
}

static inline void load_block(__m128i w[4], const uint8_t *p)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    for (int i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), swap);
}

/* Four rounds with schedule words w, round constants k. */
static inline void rounds4(state *s, __m128i w, __m128i k)
{
    __m128i wk = _mm_add_epi32(w, k);
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, wk);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* The four schedule words after w[0..15], where w0..w3 hold sixteen of them in order. */
static inline __m128i next4(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    __m128i t = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(t, w3);
}

static inline __m128i constants(int i)
{
    return _mm_loadu_si128((const void *)(assay_sha256_round + 4 * i));
}

static inline state state_add(state a, state b)
{
    state s = {_mm_add_epi32(a.abef, b.abef), _mm_add_epi32(a.cdgh, b.cdgh)};
    return s;
}

void assay_sha256_compress_shani(uint32_t h[8], const uint8_t *blocks, size_t nblocks)
{
    state s = load_state(h);
    for (; nblocks; nblocks--, blocks += ASSAY_SHA256_BLOCK) {
        state start = s;
        __m128i w[4];
        load_block(w, blocks);
        for (int i = 0; i < 16; i++) {
            rounds4(&s, w[i & 3], constants(i));
            if (i < 12) w[i & 3] = next4(w[i & 3], w[(i + 1) & 3], w[(i + 2) & 3], w[(i + 3) & 3]);
        }
        s = state_add(s, start);
    }
    store_state(h, s);
}

void assay_sha256_compress2_shani(uint32_t ha[8], uint32_t hb[8], const uint8_t *a, const uint8_t *b, size_t nblocks)
{
    state s = load_state(ha), t = load_state(hb);
    for (; nblocks; nblocks--, a += ASSAY_SHA256_BLOCK, b += ASSAY_SHA256_BLOCK) {
        state s0 = s, t0 = t;
        __m128i v[4], w[4];
        load_block(v, a);
        load_block(w, b);
        for (int i = 0; i < 16; i++) {
            __m128i k = constants(i);
            rounds4(&s, v[i & 3], k);
            rounds4(&t, w[i & 3], k);
            if (i < 12) {
                v[i & 3] = next4(v[i & 3], v[(i + 1) & 3], v[(i + 2) & 3], v[(i + 3) & 3]);
                w[i & 3] = next4(w[i & 3], w[(i + 1) & 3], w[(i + 2) & 3], w[(i + 3) & 3]);
            }
        }
        s = state_add(s, s0);
        t = state_add(t, t0);
    }
    store_state(ha, s);
    store_state(hb, t);
}
