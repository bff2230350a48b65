/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4): streaming, padding, and the portable compression function. */
#include "hash/sha256.h"
#include "base/mem.h"
#include <stdatomic.h>
#include <string.h>

const uint32_t assay_sha256_iv[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                     0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};

const uint32_t assay_sha256_round[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

static inline uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}
static inline uint32_t load_be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

/* The schedule lives in a ring of sixteen words. */
static inline uint32_t schedule(uint32_t w[16], unsigned t)
{
    uint32_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
    uint32_t s0 = rotr(x, 7) ^ rotr(x, 18) ^ x >> 3, s1 = rotr(y, 17) ^ rotr(y, 19) ^ y >> 10;
    return w[t & 15] += s0 + w[(t + 9) & 15] + s1;
}

/* Round t on state words s[(k - t) mod 8]: words stay where they are and roles move. */
static inline void one_round(uint32_t s[8], unsigned t, uint32_t wk)
{
    uint32_t a = s[(0 - t) & 7], b = s[(1 - t) & 7], c = s[(2 - t) & 7];
    uint32_t e = s[(4 - t) & 7], f = s[(5 - t) & 7], g = s[(6 - t) & 7];
    uint32_t t1 = s[(7 - t) & 7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + wk;
    s[(3 - t) & 7] += t1;
    s[(7 - t) & 7] = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
}

static void compress_block(uint32_t h[8], const uint8_t *block)
{
    uint32_t w[16], s[8];
    for (int i = 0; i < 16; i++) w[i] = load_be(block + 4 * i);
    memcpy(s, h, sizeof s);
    for (unsigned t = 0; t < 64; t += 8) {
        uint32_t wk[8];
        for (unsigned j = 0; j < 8; j++) wk[j] = assay_sha256_round[t + j] + (t < 16 ? w[t + j] : schedule(w, t + j));
        one_round(s, 0, wk[0]);
        one_round(s, 1, wk[1]);
        one_round(s, 2, wk[2]);
        one_round(s, 3, wk[3]);
        one_round(s, 4, wk[4]);
        one_round(s, 5, wk[5]);
        one_round(s, 6, wk[6]);
        one_round(s, 7, wk[7]);
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}

void assay_sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++) compress_block(h, blocks + i * ASSAY_SHA256_BLOCK);
}

/* Chosen by a program that has faster ones; a library of the verifier alone links no other. */
static _Atomic(assay_sha256_compress_fn *) chosen = assay_sha256_compress_portable;

void assay_sha256_use(assay_sha256_compress_fn *fn)
{
    atomic_store_explicit(&chosen, fn, memory_order_relaxed);
}

static inline void compress(uint32_t h[8], const uint8_t *blocks, size_t nblocks)
{
    atomic_load_explicit(&chosen, memory_order_relaxed)(h, blocks, nblocks);
}

void assay_sha256_init(assay_sha256 *s)
{
    memcpy(s->h, assay_sha256_iv, sizeof s->h);
    s->n = 0;
}

void assay_sha256_update(assay_sha256 *s, const void *p, size_t n)
{
    const uint8_t *in = p;
    size_t at = s->n % ASSAY_SHA256_BLOCK;
    s->n += n;
    if (at && n >= ASSAY_SHA256_BLOCK - at) {
        size_t take = ASSAY_SHA256_BLOCK - at;
        memcpy(s->buf + at, in, take);
        compress(s->h, s->buf, 1);
        in += take;
        n -= take;
        at = 0;
    }
    if (n >= ASSAY_SHA256_BLOCK) {
        size_t whole = n / ASSAY_SHA256_BLOCK;
        compress(s->h, in, whole);
        in += whole * ASSAY_SHA256_BLOCK;
        n %= ASSAY_SHA256_BLOCK;
    }
    if (n) memcpy(s->buf + at, in, n);
}

void assay_sha256_final(assay_sha256 *s, uint8_t out[32])
{
    size_t at = s->n % ASSAY_SHA256_BLOCK;
    uint64_t bits = s->n * 8;
    s->buf[at++] = 0x80;
    if (at > ASSAY_SHA256_BLOCK - 8) {
        memset(s->buf + at, 0, ASSAY_SHA256_BLOCK - at);
        compress(s->h, s->buf, 1);
        at = 0;
    }
    memset(s->buf + at, 0, ASSAY_SHA256_BLOCK - 8 - at);
    for (int i = 0; i < 8; i++) s->buf[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    compress(s->h, s->buf, 1);
    sha256_store(out, s->h);
    assay_mem_wipe(s, sizeof *s);
}

void assay_sha256_digest(uint8_t out[32], const void *p, size_t n)
{
    assay_sha256 s;
    assay_sha256_init(&s);
    assay_sha256_update(&s, p, n);
    assay_sha256_final(&s, out);
}
