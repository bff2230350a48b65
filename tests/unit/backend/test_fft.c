/* SPDX-License-Identifier: Apache-2.0 */
/* The circle FFT and its transpose. */
#include "base/mem.h"
#include "setups.h"
#include <string.h>

static void compare(const assay_backend *ref, const assay_backend *be)
{
    for (unsigned c = 0; c <= 18; c++) {
        if (c == 14 || c == 17) continue;
        size_t n = (size_t)1 << c;
        uint32_t *tw = new_words(n), *row = new_words(n), *got = new_words(n), *want = new_words(n);
        memcpy(got, row, 4 * n);
        memcpy(want, row, 4 * n);
        be->fft(be, got, tw, c);
        ref->fft(ref, want, tw, c);
        check_words(be, "fft", got, want, n);
        memcpy(got, row, 4 * n);
        memcpy(want, row, 4 * n);
        be->fft_transpose(be, got, tw, c);
        ref->fft_transpose(ref, want, tw, c);
        check_words(be, "fft_transpose", got, want, n);
        assay_mem_free(tw);
        assay_mem_free(row);
        assay_mem_free(got);
        assay_mem_free(want);
    }
}

TEST(implementations_agree)
{
    for_each_setup(compare);
}

/* Of each third, then of some, then of all blocks: the words are those of the whole transform. */
static void compare_blocks(const assay_backend *ref, const assay_backend *be)
{
    for (unsigned c = 1; c <= 15; c++)
        for (unsigned log_block = 0; log_block <= c; log_block += c < 6 ? 1 : 2) {
            size_t n = (size_t)1 << c, n_blocks = n >> log_block, width = (size_t)1 << log_block;
            uint32_t *tw = new_words(n), *row = new_words(n), *got = new_words(n), *want = new_words(n);
            uint64_t *blocks = assay_mem_alloc(n_blocks, sizeof *blocks);
            memcpy(want, row, 4 * n);
            ref->fft(ref, want, tw, c);
            for (size_t step = 1; step <= 3 * n_blocks; step = 3 * step + 1) {
                size_t m = 0;
                for (size_t b = step / 2; b < n_blocks; b += step) blocks[m++] = b;
                be->fft_blocks(be, got, row, tw, c, log_block, blocks, m);
                for (size_t k = 0; k < m; k++)
                    check_words(be, "fft_blocks", got + blocks[k] * width, want + blocks[k] * width, width);
            }
            assay_mem_free(blocks);
            assay_mem_free(tw);
            assay_mem_free(row);
            assay_mem_free(got);
            assay_mem_free(want);
        }
}
TEST(blocks_are_parts_of_the_whole)
{
    for_each_setup(compare_blocks);
}

/* Word k of the transform of the unit row e_j, by the definition: going down from the root, bit i of k says which half,
 * and bit i of j whether the twiddle of the node comes in. */
static uint32_t entry(const uint32_t *tw, unsigned c, size_t k, size_t j)
{
    uint32_t v = 1;
    for (unsigned i = c; i-- > 0;) {
        uint32_t t = tw[((size_t)1 << (c - 1 - i)) + (k >> (i + 1))];
        if (j >> i & 1) v = m31_mul(v, k >> i & 1 ? m31_neg(t) : t);
    }
    return v;
}

TEST(is_the_matrix_of_the_definition)
{
    enum { C = 6, N = 64 };
    assay_backend be;
    uint32_t tw[N], row[N], got[N], back[N];
    assay_backend_cpu_init(&be, NULL);
    fill_f(tw, N);
    fill_f(row, N);
    memcpy(got, row, sizeof got);
    memcpy(back, row, sizeof back);
    be.fft(&be, got, tw, C);
    be.fft_transpose(&be, back, tw, C);
    for (size_t k = 0; k < N; k++) {
        uint32_t by_row = 0, by_column = 0;
        for (size_t j = 0; j < N; j++) {
            by_row = m31_add(by_row, m31_mul(entry(tw, C, k, j), row[j]));
            by_column = m31_add(by_column, m31_mul(entry(tw, C, j, k), row[j]));
        }
        CHECK_EQ_U64(got[k], by_row);
        CHECK_EQ_U64(back[k], by_column);
    }
}
