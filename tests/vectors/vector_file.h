/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the vector files: lines of a name and fields separated by blanks (make_field_vectors.py). */
#ifndef ASSAY_TESTS_VECTOR_FILE_H
#define ASSAY_TESTS_VECTOR_FILE_H

#include "field/k.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vector_file {
    FILE *f;
    char line[16384];
    char *next; /* rest of the line */
    unsigned used;
} vector_file;

/* Opens tests/vectors/<name>; false after a failed check. */
static inline bool vector_open(vector_file *v, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/tests/vectors/%s", assay_test_source_dir(), name);
    v->f = fopen(path, "r");
    v->used = 0;
    return CHECK(v->f != NULL);
}

/* The next field of the line, "" at its end. */
static inline char *vector_field(vector_file *v)
{
    char *p = v->next;
    char *end = p + strcspn(p, " \n");
    v->next = *end ? end + 1 : end;
    *end = 0;
    return p;
}

/* Goes to the next line whose name begins with prefix; gives its name, or NULL at the end of the file. */
static inline const char *vector_line(vector_file *v, const char *prefix)
{
    while (fgets(v->line, sizeof v->line, v->f)) {
        v->next = v->line;
        const char *name = vector_field(v);
        if (strncmp(name, prefix, strlen(prefix)) != 0) continue;
        v->used++;
        return name;
    }
    return NULL;
}

/* Closes; at least `least` lines must have been used, so that no test passes on an empty file. */
static inline void vector_close(vector_file *v, unsigned least)
{
    CHECK(v->used >= least);
    (void)fclose(v->f);
}

static inline uint64_t vector_u64(vector_file *v)
{
    return strtoull(vector_field(v), NULL, 10);
}
static inline uint32_t vector_f(vector_file *v)
{
    return (uint32_t)vector_u64(v);
}

static inline kel vector_k(vector_file *v)
{
    kel k;
    char *p = vector_field(v);
    for (int j = 0; j < K_WORDS; j++) {
        k.v[j] = (uint32_t)strtoul(p, &p, 10);
        if (*p == ',') p++;
    }
    return k;
}

/* Hex, "-" for none; returns the number of bytes, at most max. */
static inline size_t vector_bytes(vector_file *v, uint8_t *out, size_t max)
{
    const char *p = vector_field(v);
    size_t n = 0;
    if (*p == '-') return 0;
    for (; p[0] && p[1] && n < max; p += 2) {
        const char two[3] = {p[0], p[1], 0};
        out[n++] = (uint8_t)strtoul(two, NULL, 16);
    }
    return n;
}

static inline void vector_check_digest(vector_file *v, const uint8_t got[32])
{
    uint8_t want[32];
    CHECK_EQ_U64(vector_bytes(v, want, 32), 32);
    CHECK_EQ_MEM(got, want, 32);
}

#endif
