/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy choice as the proof sees it: the smallest index of the maximum, all differences in 30 bits.
 * Source: docs/protocol.md, "Greedy check". */
#include "model/forward.h"

bool assay_greedy_pick(uint32_t *y, const int32_t *logits, uint32_t n, bool field)
{
    const int64_t edge = (int64_t)1 << ACC_BITS;
    uint32_t best = 0;
    /* Mod p there is no largest logit, but a token that satisfies all rows stays once it is met, and is met. */
    for (uint32_t v = 1; v < n; v++) {
        int64_t d = forward_difference(logits[best], logits[v], v < best, field);
        if (field ? d >= edge : d < 0) best = v;
    }
    *y = best;
    bool fine = true;
    for (uint32_t v = 0; v < n; v++) {
        int64_t d = forward_difference(logits[best], logits[v], v < best, field);
        fine = fine && (v == best || (d >= 0 && d < edge));
    }
    return fine;
}
