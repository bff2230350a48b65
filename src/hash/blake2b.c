/* SPDX-License-Identifier: Apache-2.0 */
/* BLAKE2b: RFC 7693, sections 2 and 3. */
#include "hash/blake2b.h"
#include "base/bytes.h"
#include <string.h>

enum { ROUNDS = 12, WORDS = 16 };

/* Section 2.6: the fractional parts of the square roots of the first eight primes, as of SHA-512. */
static const uint64_t iv[8] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
                               UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
                               UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

/* Section 2.7. */
static const uint8_t sigma[10][WORDS] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

static inline void mix(uint64_t *v, unsigned a, unsigned b, unsigned c, unsigned d, uint64_t x, uint64_t y)
{
    v[a] = v[a] + v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 32);
    v[c] = v[c] + v[d];
    v[b] = rotate(v[b] ^ v[c], 24);
    v[a] = v[a] + v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] = v[c] + v[d];
    v[b] = rotate(v[b] ^ v[c], 63);
}

static void compress(assay_blake2b *b, const uint8_t *block, uint64_t last)
{
    uint64_t v[16], m[WORDS];
    for (unsigned i = 0; i < WORDS; i++) m[i] = assay_load_u64(block + 8 * i);
    for (unsigned i = 0; i < 8; i++) {
        v[i] = b->h[i];
        v[i + 8] = iv[i];
    }
    v[12] ^= b->n;
    v[14] ^= last;
    for (unsigned r = 0; r < ROUNDS; r++) {
        const uint8_t *s = sigma[r % 10];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (unsigned i = 0; i < 8; i++) b->h[i] ^= v[i] ^ v[i + 8];
}

void assay_blake2b_init(assay_blake2b *b)
{
    memset(b, 0, sizeof *b);
    memcpy(b->h, iv, sizeof b->h);
    b->h[0] ^= 0x01010000 ^ (uint64_t)ASSAY_BLAKE2B_BYTES; /* no key, one leaf */
}

void assay_blake2b_update(assay_blake2b *b, const void *p, size_t n)
{
    const uint8_t *at = p;
    while (n > 0) {
        if (b->fill == sizeof b->block) { /* a full block waits until more comes: the last one is marked */
            b->n += sizeof b->block;
            compress(b, b->block, 0);
            b->fill = 0;
        }
        size_t take = sizeof b->block - b->fill;
        if (take > n) take = n;
        memcpy(b->block + b->fill, at, take);
        b->fill += take;
        at += take;
        n -= take;
    }
}

void assay_blake2b_final(assay_blake2b *b, uint8_t out[ASSAY_BLAKE2B_BYTES])
{
    memset(b->block + b->fill, 0, sizeof b->block - b->fill);
    b->n += b->fill;
    compress(b, b->block, UINT64_MAX);
    for (unsigned i = 0; i < 8; i++) assay_store_u64(out + 8 * i, b->h[i]);
}
