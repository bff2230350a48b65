/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds around jansson. */
#include "model/json_tree.h"
#include "base/json_text.h"
#include "base/mem.h"

/* What jansson 2.14 takes on a 64-bit machine with glibc, at most: an object 240 bytes, a member's pair and its place
 * 112, a string 80 and its bytes, an array 128 and up to 24 an element. Names are nodes too. */
enum { LIST_BYTES = 256, NODE_BYTES = 128, TEXT_TIMES = 2, MAX_TREE = 1 << 30 };

assay_status assay_json_tree(json_t **root, const char *name, const void *p, size_t n, size_t max, size_t flags,
                             assay_errinfo *err)
{
    assay_json_counts counts;
    json_error_t e;
    *root = NULL;
    assay_status s = assay_json_count(&counts, name, p, n, max, err);
    if (s != ASSAY_OK) return s;
    const uint64_t bytes = (uint64_t)counts.lists * LIST_BYTES + (uint64_t)counts.nodes * NODE_BYTES + TEXT_TIMES * n;
    if (bytes > MAX_TREE)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, name,
                           "holds too many values: they would take too much memory (bytes, limit)", bytes, MAX_TREE);
    void *room = assay_mem_alloc_raw((size_t)bytes, 1);
    assay_mem_free(room);
    if (!room) return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    *root = json_loadb(p, n, flags | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (*root) return ASSAY_OK;
    const enum json_error_code code = json_error_code(&e);
    if (code == json_error_duplicate_key)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "has a member twice (line, column)", e.line, e.column);
    if (code == json_error_numeric_overflow)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "has a number that is too large (line, column)", e.line, e.column);
    return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory"); /* for the text is JSON */
}
