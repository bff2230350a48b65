/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes one by one or two by two, for machines whose vector units do not hash faster. */
#include "backend/cpu/sha256_lanes.h"
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/isa.h"
#include "hash/sha256.h"

enum { LANES = ASSAY_SHA256_LANES };

static void take_lane(uint32_t s[8], uint8_t block[ASSAY_SHA256_BLOCK], uint32_t h[8][LANES],
                      const uint32_t *const w[16], size_t i)
{
    for (size_t j = 0; j < 8; j++) s[j] = h[j][i];
    for (size_t j = 0; j < 16; j++) assay_store_u32(block + 4 * j, w[j][i]);
}

static void put_lane(uint32_t h[8][LANES], const uint32_t s[8], size_t i)
{
    for (size_t j = 0; j < 8; j++) h[j][i] = s[j];
}

void assay_sha256_lanes_portable(uint32_t h[8][LANES], const uint32_t *const w[16], size_t m)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t s[8];
        uint8_t block[ASSAY_SHA256_BLOCK];
        take_lane(s, block, h, w, i);
        assay_sha256_compress_portable(s, block, 1);
        put_lane(h, s, i);
    }
}

#if ASSAY_ISA_X86
void assay_sha256_lanes_shani(uint32_t h[8][LANES], const uint32_t *const w[16], size_t m)
{
    for (size_t i = 0; i < m; i += 2) {
        uint32_t s[8], t[8];
        uint8_t a[ASSAY_SHA256_BLOCK], b[ASSAY_SHA256_BLOCK];
        take_lane(s, a, h, w, i);
        if (i + 1 == m) {
            assay_sha256_compress_shani(s, a, 1);
            put_lane(h, s, i);
            return;
        }
        take_lane(t, b, h, w, i + 1);
        assay_sha256_compress2_shani(s, t, a, b, 1);
        put_lane(h, s, i);
        put_lane(h, t, i + 1);
    }
}
#endif

assay_sha256_lanes_fn *assay_sha256_lanes_pick(void)
{
    const struct {
        unsigned needs;
        assay_sha256_lanes_fn *fn;
    } choices[] = {{ASSAY_CPU_SHANI, ASSAY_X86_FN(assay_sha256_lanes_shani)}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (choices[i].fn && assay_cpu_features() & choices[i].needs) return choices[i].fn;
    return assay_sha256_lanes_portable;
}
