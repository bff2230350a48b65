/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 with a message a vector lane (FIPS 180-4, section 6.2). sha256_lanes_avx2.c and sha256_lanes_avx512.c define
 * the vector type hv of HV_WIDTH words, its operations hv_*, and LANES_FN, the name of the function. */
#include "backend/cpu/sha256_lanes.h"
#include "hash/sha256.h"
#include <string.h>

enum { LANES = ASSAY_SHA256_LANES };

static inline hv big0(hv x)
{
    return hv_xor3(hv_rotr(x, 2), hv_rotr(x, 13), hv_rotr(x, 22));
}
static inline hv big1(hv x)
{
    return hv_xor3(hv_rotr(x, 6), hv_rotr(x, 11), hv_rotr(x, 25));
}
static inline hv small0(hv x)
{
    return hv_xor3(hv_rotr(x, 7), hv_rotr(x, 18), hv_shr(x, 3));
}
static inline hv small1(hv x)
{
    return hv_xor3(hv_rotr(x, 17), hv_rotr(x, 19), hv_shr(x, 10));
}

/* Round t on state words s[(k - t) mod 8], so that words stay where they are and roles move. */
static inline void one_round(hv s[8], unsigned t, hv w, uint32_t k)
{
    hv a = s[(0 - t) & 7], b = s[(1 - t) & 7], c = s[(2 - t) & 7];
    hv e = s[(4 - t) & 7], f = s[(5 - t) & 7], g = s[(6 - t) & 7];
    hv *d = &s[(3 - t) & 7], *h = &s[(7 - t) & 7];
    hv t1 = hv_add(hv_add(hv_add(*h, hv_add(w, hv_set1(k))), hv_choose(e, f, g)), big1(e));
    *d = hv_add(*d, t1);
    *h = hv_add(t1, hv_add(big0(a), hv_majority(a, b, c)));
}

/* The schedule lives in a ring of sixteen words. */
static inline void advance(hv w[16], unsigned j)
{
    hv old = hv_add(w[j], small0(w[(j + 1) & 15]));
    w[j] = hv_add(old, hv_add(w[(j + 9) & 15], small1(w[(j + 14) & 15])));
}

/* Sixteen rounds written out, so that every index is a constant. */
#define FOUR_ROUNDS(j)                                                                                                 \
    one_round(s, (j), w[j], k[j]);                                                                                     \
    one_round(s, (j) + 1, w[(j) + 1], k[(j) + 1]);                                                                     \
    one_round(s, (j) + 2, w[(j) + 2], k[(j) + 2]);                                                                     \
    one_round(s, (j) + 3, w[(j) + 3], k[(j) + 3])
#define FOUR_WORDS(j)                                                                                                  \
    advance(w, (j));                                                                                                   \
    advance(w, (j) + 1);                                                                                               \
    advance(w, (j) + 2);                                                                                               \
    advance(w, (j) + 3)

static inline void sixteen_rounds(hv s[8], const hv w[16], const uint32_t *k)
{
    FOUR_ROUNDS(0);
    FOUR_ROUNDS(4);
    FOUR_ROUNDS(8);
    FOUR_ROUNDS(12);
}

static inline void sixteen_words(hv w[16])
{
    FOUR_WORDS(0);
    FOUR_WORDS(4);
    FOUR_WORDS(8);
    FOUR_WORDS(12);
}

/* Lanes at .. at + HV_WIDTH - 1 of h, with message words words[j][from ..]. */
static void compress(uint32_t h[8][LANES], size_t at, const uint32_t *const words[16], size_t from)
{
    hv s[8], w[16];
    for (int j = 0; j < 8; j++) s[j] = hv_load(&h[j][at]);
    for (int j = 0; j < 16; j++) w[j] = hv_swap_bytes(hv_load(words[j] + from));
    sixteen_rounds(s, w, assay_sha256_round);
    for (int t = 16; t < 64; t += 16) {
        sixteen_words(w);
        sixteen_rounds(s, w, assay_sha256_round + t);
    }
    for (int j = 0; j < 8; j++) hv_store(&h[j][at], hv_add(s[j], hv_load(&h[j][at])));
}

#define LANES_WIDTH HV_WIDTH
#define LANES_STEP  compress
#include "backend/cpu/sha256_lanes_loop.tmpl.h"
