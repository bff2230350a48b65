/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON text (RFC 8259) as an array of nodes that point into it.
 *
 * Why not jansson: its trees take up to 77 times the length of a text, and a byte that it finds no memory for is
 * dropped in silence. Where its trees are used (model/json_tree.h), assay_json_count goes first. */
#ifndef ASSAY_BASE_JSON_TEXT_H
#define ASSAY_BASE_JSON_TEXT_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value. Its children follow it, each with its own: of an array the elements, of an object names and values in turn.
 * text: of a string what is between the quotes, escapes as they stand; else from the first character. */
typedef struct assay_json_node {
    const char *text;
    uint32_t n;         /* bytes of text; of an array or object the number of elements or members */
    uint32_t span : 28; /* nodes, this one and all below */
    uint32_t kind : 4;  /* of enum assay_json_kind */
} assay_json_node;

enum assay_json_kind { ASSAY_JSON_OTHER, ASSAY_JSON_NUMBER, ASSAY_JSON_STRING, ASSAY_JSON_ARRAY, ASSAY_JSON_OBJECT };

/* Reads a text of n <= max < 2^28 bytes; the nodes point into it. *root: the first node, for assay_mem_free; NULL on
 * failure. Two passes, one allocation of 16 bytes a value: at most 8 times the length of the text, for a value and what
 * parts it from the next are two bytes. At most 32 arrays and objects inside each other. Of the outermost object: no
 * name twice, at most 256 members, names without escapes. ASSAY_ERANGE (too long), ASSAY_EFORMAT (line and column, from
 * 1), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_json_read(assay_json_node **root, const char *name, const void *p, size_t n,
                                            size_t max, assay_errinfo *err);

/* What a text holds: values and names, and how many of the values are arrays and objects. */
typedef struct assay_json_counts {
    uint32_t nodes, lists;
} assay_json_counts;
/* Counts, and so tells whether a text of n <= max < 2^28 bytes is JSON that assay_json_read takes (but for the
 * outermost object's names). Escapes of lone surrogates and of character 0 are refused. No allocation. ASSAY_ERANGE
 * (too long), ASSAY_EFORMAT (line and column, from 1). */
ASSAY_MUST_USE assay_status assay_json_count(assay_json_counts *counts, const char *name, const void *p, size_t n,
                                             size_t max, assay_errinfo *err);

/* Of a value that may be NULL. */
static inline bool assay_json_is(const assay_json_node *v, unsigned kind)
{
    return v && v->kind == kind;
}
/* Whether it is this string. */
bool assay_json_equals(const assay_json_node *v, const char *text);
/* The element after v of the same array. */
static inline const assay_json_node *assay_json_next(const assay_json_node *v)
{
    return v + v->span;
}
/* Element i of an array, i steps away; NULL for none, or no array. */
const assay_json_node *assay_json_at(const assay_json_node *array, uint32_t i);
/* NULL for none, or no object. */
const assay_json_node *assay_json_member(const assay_json_node *object, const char *name);

#endif
