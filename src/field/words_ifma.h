/* SPDX-License-Identifier: Apache-2.0 */
/* Eight numbers of 4 or 6 words of 64 bits, somewhere in memory, to vectors w[k] that hold word k of all eight, lane i
 * from p[i]; and back. AVX-512 F. */
#ifndef ASSAY_FIELD_WORDS_IFMA_H
#define ASSAY_FIELD_WORDS_IFMA_H

#include <immintrin.h>
#include <stdint.h>

/* Which 128-bit quarters of a and of b: a[i], a[j], b[i], b[j]. */
#define WORDS_EVEN(a, b) _mm512_shuffle_i64x2(a, b, 0x88)
#define WORDS_ODD(a, b)  _mm512_shuffle_i64x2(a, b, 0xdd)

static inline __m512i words_two(const uint64_t *low, const uint64_t *high)
{
    __m512i a = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)low));
    return _mm512_inserti64x4(a, _mm256_loadu_si256((const void *)high), 1);
}

/* Quarters of an unpacked pair: words 0 (or 1) of rows i and i + 1, words 2 (or 3) of them, then rows i + 2, i + 3. */
static inline void words_load_4(__m512i *w, const uint64_t *const p[8])
{
    __m512i a = words_two(p[0], p[2]), b = words_two(p[1], p[3]), c = words_two(p[4], p[6]), d = words_two(p[5], p[7]);
    __m512i ab0 = _mm512_unpacklo_epi64(a, b), ab1 = _mm512_unpackhi_epi64(a, b);
    __m512i cd0 = _mm512_unpacklo_epi64(c, d), cd1 = _mm512_unpackhi_epi64(c, d);
    w[0] = WORDS_EVEN(ab0, cd0);
    w[1] = WORDS_EVEN(ab1, cd1);
    w[2] = WORDS_ODD(ab0, cd0);
    w[3] = WORDS_ODD(ab1, cd1);
}

static inline void words_store_two(uint64_t *low, uint64_t *high, __m512i a)
{
    _mm256_storeu_si256((void *)low, _mm512_castsi512_si256(a));
    _mm256_storeu_si256((void *)high, _mm512_extracti64x4_epi64(a, 1));
}

static inline void words_store_4(uint64_t *const p[8], const __m512i *w)
{
    __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    __m512i a = _mm512_unpacklo_epi64(w[0], w[1]), b = _mm512_unpackhi_epi64(w[0], w[1]);
    __m512i c = _mm512_unpacklo_epi64(w[2], w[3]), d = _mm512_unpackhi_epi64(w[2], w[3]);
    words_store_two(p[0], p[2], _mm512_permutex2var_epi64(a, low, c));
    words_store_two(p[4], p[6], _mm512_permutex2var_epi64(a, high, c));
    words_store_two(p[1], p[3], _mm512_permutex2var_epi64(b, low, d));
    words_store_two(p[5], p[7], _mm512_permutex2var_epi64(b, high, d));
}

static inline void words_load_6(__m512i *w, const uint64_t *const p[8])
{
    __m512i low[4], high[4]; /* of rows 2i and 2i + 1: words 0, 2, 4; words 1, 3, 5 */
    for (int i = 0; i < 4; i++) {
        __m512i a = _mm512_maskz_loadu_epi64(0x3f, p[2 * i]), b = _mm512_maskz_loadu_epi64(0x3f, p[2 * i + 1]);
        low[i] = _mm512_unpacklo_epi64(a, b);
        high[i] = _mm512_unpackhi_epi64(a, b);
    }
    __m512i a = WORDS_EVEN(low[0], low[1]), b = WORDS_EVEN(low[2], low[3]);
    w[0] = WORDS_EVEN(a, b);
    w[4] = WORDS_ODD(a, b);
    w[2] = WORDS_EVEN(WORDS_ODD(low[0], low[1]), WORDS_ODD(low[2], low[3]));
    a = WORDS_EVEN(high[0], high[1]);
    b = WORDS_EVEN(high[2], high[3]);
    w[1] = WORDS_EVEN(a, b);
    w[5] = WORDS_ODD(a, b);
    w[3] = WORDS_EVEN(WORDS_ODD(high[0], high[1]), WORDS_ODD(high[2], high[3]));
}

/* Rows i, i + 2, i + 4, i + 6 from pairs of their words. */
static inline void words_store_rows(uint64_t *const *p, __m512i w01, __m512i w23, __m512i w45)
{
    __m512i first = _mm512_set_epi64(0, 0, 9, 8, 5, 4, 1, 0), second = _mm512_set_epi64(0, 0, 11, 10, 5, 4, 1, 0);
    __m512i third = _mm512_set_epi64(0, 0, 13, 12, 7, 6, 3, 2), fourth = _mm512_set_epi64(0, 0, 15, 14, 7, 6, 3, 2);
    __m512i even = WORDS_EVEN(w01, w23), odd = WORDS_ODD(w01, w23);
    _mm512_mask_storeu_epi64(p[0], 0x3f, _mm512_permutex2var_epi64(even, first, w45));
    _mm512_mask_storeu_epi64(p[2], 0x3f, _mm512_permutex2var_epi64(odd, second, w45));
    _mm512_mask_storeu_epi64(p[4], 0x3f, _mm512_permutex2var_epi64(even, third, w45));
    _mm512_mask_storeu_epi64(p[6], 0x3f, _mm512_permutex2var_epi64(odd, fourth, w45));
}

static inline void words_store_6(uint64_t *const p[8], const __m512i *w)
{
    words_store_rows(p, _mm512_unpacklo_epi64(w[0], w[1]), _mm512_unpacklo_epi64(w[2], w[3]),
                     _mm512_unpacklo_epi64(w[4], w[5]));
    words_store_rows(p + 1, _mm512_unpackhi_epi64(w[0], w[1]), _mm512_unpackhi_epi64(w[2], w[3]),
                     _mm512_unpackhi_epi64(w[4], w[5]));
}

#undef WORDS_EVEN
#undef WORDS_ODD

#endif
