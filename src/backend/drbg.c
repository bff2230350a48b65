/* SPDX-License-Identifier: Apache-2.0 */
/* The stream is written where the elements go, then masked and compacted in place: a word in 2^31 is dropped. */
#include "backend/drbg.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "hash/random.h"

enum { BLOCK_WORDS = 8 };

static void blocks(const assay_backend *be, uint8_t *out, const uint8_t key[32], uint64_t label, uint64_t first,
                   size_t n)
{
    if (be) {
        be->stream(be, out, key, label, first, n);
        return;
    }
    for (size_t i = 0; i < n; i++) assay_drbg_block(out + 32 * i, key, label, first + i);
}

/* Appends the elements among n words of bytes to out, which may be the same memory; returns how many. */
static size_t take(uint32_t *out, const uint8_t *bytes, size_t n)
{
    size_t got = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t w = assay_load_u32(bytes + 4 * i) & M31_P;
        if (w != M31_P) out[got++] = w;
    }
    return got;
}

void assay_drbg_fill_f(const assay_backend *be, uint32_t *out, size_t n, const uint8_t key[32], uint64_t label)
{
    uint64_t first = 0;
    while (n >= BLOCK_WORDS) {
        size_t count = n / BLOCK_WORDS;
        uint8_t *bytes = (uint8_t *)out;
        blocks(be, bytes, key, label, first, count);
        size_t got = take(out, bytes, count * BLOCK_WORDS);
        first += count;
        out += got;
        n -= got;
    }
    while (n) {
        uint8_t last[4 * BLOCK_WORDS];
        uint32_t words[BLOCK_WORDS];
        blocks(be, last, key, label, first++, 1);
        size_t got = take(words, last, BLOCK_WORDS);
        for (size_t i = 0; i < got && n; i++, n--) *out++ = words[i];
        assay_mem_wipe(last, sizeof last);
        assay_mem_wipe(words, sizeof words);
    }
}
