/* SPDX-License-Identifier: Apache-2.0 */
/* The choice between implementations of many SHA-256 streams, and the portable one: lane after lane. */
#include "backend/cpu/sha256_lanes.h"
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/isa.h"
#include "hash/sha256.h"

enum { LANES = ASSAY_SHA256_LANES };

void assay_sha256_lanes_portable(uint32_t h[8][LANES], const uint32_t *const w[16], size_t m)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t s[8];
        uint8_t block[ASSAY_SHA256_BLOCK];
        for (size_t j = 0; j < 8; j++) s[j] = h[j][i];
        for (size_t j = 0; j < 16; j++) assay_store_u32(block + 4 * j, w[j][i]);
        assay_sha256_compress_portable(s, block, 1);
        for (size_t j = 0; j < 8; j++) h[j][i] = s[j];
    }
}

/* The fastest first. */
assay_sha256_lanes_fn *assay_sha256_lanes_pick(void)
{
    const struct {
        unsigned needs;
        assay_sha256_lanes_fn *fn;
    } choices[] = {{ASSAY_CPU_AVX512, ASSAY_X86_FN(assay_sha256_lanes_avx512)},
                   {ASSAY_CPU_SHANI, ASSAY_X86_FN(assay_sha256_lanes_shani)},
                   {ASSAY_CPU_AVX2, ASSAY_X86_FN(assay_sha256_lanes_avx2)}};
    unsigned features = assay_cpu_features();
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (choices[i].fn && features & choices[i].needs) return choices[i].fn;
    return assay_sha256_lanes_portable;
}
