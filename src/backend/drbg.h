/* SPDX-License-Identifier: Apache-2.0 */
/* Field elements from the deterministic expander (hash/random.h): pads, masks, salts, random slots. */
#ifndef ASSAY_BACKEND_DRBG_H
#define ASSAY_BACKEND_DRBG_H

#include "backend/backend.h"

/* out[0 .. n-1] = the stream (key, label) as little-endian words masked to 31 bits, words equal to p dropped, in
 * order. be = NULL: plain C on this thread; the result is the same for every backend and number of threads. */
void assay_drbg_fill_f(const assay_backend *be, uint32_t *out, size_t n, const uint8_t key[32], uint64_t label);

#endif
