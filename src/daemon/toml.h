/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of TOML 1.0 (https://toml.io/en/v1.0.0), without dates and times. */
#ifndef ASSAY_DAEMON_TOML_H
#define ASSAY_DAEMON_TOML_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum assay_toml_kind {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_ARRAY,
    TOML_TABLE
} assay_toml_kind;

enum {
    ASSAY_TOML_MAX_BYTES = 1 << 20, /* of a document */
    ASSAY_TOML_MAX_VALUES = 16384,  /* tables and arrays count too */
    ASSAY_TOML_MAX_DEPTH = 64       /* of arrays and tables in each other */
};

/* One value. Text is UTF-8, may hold zero bytes, and is followed by one that n_text does not count; so is a key. */
typedef struct assay_toml_value {
    assay_toml_kind kind;
    uint32_t line;   /* where it stands, from 1; of a table, where it was first spoken of */
    const char *key; /* in a table; "" for elements of arrays and the root */
    size_t n_key;
    const char *text; /* TOML_STRING */
    size_t n_text;
    int64_t integer; /* TOML_INTEGER */
    double real;     /* TOML_FLOAT */
    bool truth;      /* TOML_BOOLEAN */
    /* TOML_ARRAY, TOML_TABLE: the members in the order of the document */
    struct assay_toml_value *first, *last, *next;
    size_t n_members;
    /* While reading: whether the table may still be opened or extended. */
    bool declared, frozen, of_tables;
    uint32_t dotted_in; /* the section whose dotted keys made or passed it; 0: none */
    uint32_t depth;
} assay_toml_value;

typedef struct assay_toml assay_toml;

/* Reads a document of n bytes, which may be hostile. `file` names it in messages, whose subject is "file:line: key" as
 * far as known. *out is NULL on failure. Cost: memory for ten times the document and 3 MB at most; time that grows with
 * the square of the number of members of a table, 0.3 s at the limits above. Errors: ASSAY_EFORMAT, ASSAY_ERANGE (an
 * integer of more than 64 bits, a limit above), ASSAY_EUNSUPPORTED (dates and times), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_toml_parse(assay_toml **out, const char *file, const void *text, size_t n,
                                             assay_errinfo *err);
/* NULL is fine. */
void assay_toml_free(assay_toml *t);

/* The table of the whole document; it lives as long as t. */
const assay_toml_value *assay_toml_root(const assay_toml *t);
/* The member of a table with this key; NULL if there is none, or if v is NULL or no table. */
const assay_toml_value *assay_toml_find(const assay_toml_value *v, const char *key);

/* "file:line: key" for messages; a long file name loses its beginning. line 0 and key NULL are left out. */
enum { ASSAY_TOML_PLACE = 256 };
const char *assay_toml_place(char out[ASSAY_TOML_PLACE], const char *file, uint32_t line, const char *key);

#endif
