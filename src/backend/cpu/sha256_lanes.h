/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of many messages side by side: lane i is message i, and word-major arrays keep word j of all messages
 * together, so that rows of a matrix are message words as they lie in memory. */
#ifndef ASSAY_BACKEND_CPU_SHA256_LANES_H
#define ASSAY_BACKEND_CPU_SHA256_LANES_H

#include <stddef.h>
#include <stdint.h>

/* At most so many lanes a call; four cache lines of a row. */
#define ASSAY_SHA256_LANES 64

/* One compression for each of the first m lanes (1 <= m <= 64): h[j][i] is state word j of lane i, w[j][i] the j-th
 * four message bytes of lane i as a little-endian integer. Lanes from m on of h are scratch; of w they are not read. */
typedef void assay_sha256_lanes_fn(uint32_t h[8][ASSAY_SHA256_LANES], const uint32_t *const w[16], size_t m);

void assay_sha256_lanes_portable(uint32_t h[8][ASSAY_SHA256_LANES], const uint32_t *const w[16], size_t m);
void assay_sha256_lanes_shani(uint32_t h[8][ASSAY_SHA256_LANES], const uint32_t *const w[16], size_t m);
void assay_sha256_lanes_avx2(uint32_t h[8][ASSAY_SHA256_LANES], const uint32_t *const w[16], size_t m);
void assay_sha256_lanes_avx512(uint32_t h[8][ASSAY_SHA256_LANES], const uint32_t *const w[16], size_t m);

/* The fastest that assay_cpu_features() allows now. */
assay_sha256_lanes_fn *assay_sha256_lanes_pick(void);

#endif
