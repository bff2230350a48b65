/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of jansson from texts that nobody vouches for, in memory that is bounded beforehand. */
#ifndef ASSAY_MODEL_JSON_TREE_H
#define ASSAY_MODEL_JSON_TREE_H

#include "base/status.h"
#include <jansson.h>

/* Reads a text of n <= max < 2^28 bytes, for json_decref; no name twice in an object. flags: of jansson. A tree that
 * could take more than 1 GiB is refused, and memory for it is asked for before jansson is, which does not say when it
 * finds none. *root is NULL on failure. ASSAY_ERANGE (too long, too many values), ASSAY_EFORMAT (line and column),
 * ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_json_tree(json_t **root, const char *name, const void *p, size_t n, size_t max,
                                            size_t flags, assay_errinfo *err);

#endif
