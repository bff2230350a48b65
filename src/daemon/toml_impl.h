/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the TOML reader share: the cursor, and the tree that is built. */
#ifndef ASSAY_DAEMON_TOML_IMPL_H
#define ASSAY_DAEMON_TOML_IMPL_H

#include "daemon/toml.h"

typedef struct toml_block {
    struct toml_block *next;
    size_t used, nbytes;
} toml_block;

struct assay_toml {
    toml_block *blocks; /* the memory of everything below; the newest first */
    assay_toml_value *root;
    size_t n_values;
};

/* Where reading stands. `text` has no carriage return before a line feed, is valid UTF-8, and ends with a zero byte. */
typedef struct toml_cursor {
    assay_toml *doc;
    const char *file, *at, *end;
    uint32_t line;
    const char *key; /* for messages: the key whose value is read, or NULL */
    assay_errinfo *err;
} toml_cursor;

/* A failure here. */
#define TOML_FAIL(c, s, reason) assay_toml_fail((c), (s), (reason), __LINE__)
assay_status assay_toml_fail(toml_cursor *c, assay_status s, const char *reason, int line);

/* The character here, 0 at the end: a zero byte inside is refused by all that reads on. */
static inline char toml_peek(const toml_cursor *c)
{
    return c->at < c->end ? *c->at : '\0';
}
static inline bool toml_starts(const toml_cursor *c, const char *word, size_t n)
{
    if ((size_t)(c->end - c->at) < n) return false;
    for (size_t i = 0; i < n; i++)
        if (c->at[i] != word[i]) return false;
    return true;
}

/* ---- toml_tree.c */

/* nbytes of the document's memory, zeroed, aligned for any value; NULL when there is none. */
void *assay_toml_take(assay_toml *t, size_t nbytes);
/* A new member at the end of an array or a table. Errors: ASSAY_ENOMEM, ASSAY_ERANGE. */
ASSAY_MUST_USE assay_status assay_toml_add(toml_cursor *c, assay_toml_value **out, assay_toml_value *parent,
                                           assay_toml_kind kind, const char *key, size_t n_key);
assay_toml_value *assay_toml_member(const assay_toml_value *table, const char *key, size_t n_key);

/* ---- toml_string_codec.c */

/* A string that begins here, with its quotes; multi-line ones only if `multiline`. */
ASSAY_MUST_USE assay_status assay_toml_string(toml_cursor *c, const char **text, size_t *n, bool multiline);
/* A bare or quoted key. */
ASSAY_MUST_USE assay_status assay_toml_key(toml_cursor *c, const char **text, size_t *n);

/* ---- toml_number_codec.c: an integer or a float that begins here, into *v */
ASSAY_MUST_USE assay_status assay_toml_number(toml_cursor *c, assay_toml_value *v);

#endif
