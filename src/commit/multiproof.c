/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a pruned Merkle multi-proof. */
#include "commit/multiproof.h"
#include <string.h>

void assay_multiproof_walk(const uint64_t *leaves, size_t n, unsigned log_size, assay_multiproof_fn *fn, void *ctx)
{
    uint64_t index[ASSAY_MAX_QUERIES];
    memcpy(index, leaves, n * sizeof *index);
    for (unsigned level = 0; level < log_size; level++) {
        size_t parents = 0;
        for (size_t i = 0; i < n;) {
            bool both = i + 1 < n && (index[i] ^ 1) == index[i + 1];
            fn(ctx, level, index[i], parents, i, both);
            index[parents++] = index[i] >> 1;
            i += both ? 2 : 1;
        }
        n = parents;
    }
}

bool assay_multiproof_valid(const uint64_t *leaves, size_t n, unsigned log_size)
{
    if (n < 1 || n > ASSAY_MAX_QUERIES) return false;
    for (size_t i = 0; i < n; i++)
        if (leaves[i] >> log_size || (i > 0 && leaves[i] <= leaves[i - 1])) return false;
    return true;
}
