/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a pruned Merkle multi-proof (docs/protocol.md, "Openings"): one walk for both parties. */
#ifndef ASSAY_COMMIT_MULTIPROOF_H
#define ASSAY_COMMIT_MULTIPROOF_H

#include "commit/queries.h"
#include <stdbool.h>
#include <stdint.h>

/* Called for each node of which a child is known: `known` is the index of the left-most known child at `level` (leaves:
 * 0), its digest is in slot `from`. both: its sibling known + 1 is known too, in slot from + 1; otherwise the sibling
 * known ^ 1 must be supplied. The parent's digest belongs in slot `to` <= from. */
typedef void assay_multiproof_fn(void *ctx, unsigned level, uint64_t known, size_t to, size_t from, bool both);

/* Walks from the n known leaves (ascending, distinct, 1 <= n <= ASSAY_MAX_QUERIES; slot i belongs to leaf i) to the
 * root of a tree with 2^log_size leaves; the root ends in slot 0. */
void assay_multiproof_walk(const uint64_t *leaves, size_t n, unsigned log_size, assay_multiproof_fn *fn, void *ctx);

/* Whether these positions may be walked: ascending, distinct, in range, at least one, not too many. */
bool assay_multiproof_valid(const uint64_t *leaves, size_t n, unsigned log_size);

#endif
