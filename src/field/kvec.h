/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of K elements, stored as six planes of base-field words so that vector units need no shuffles. */
#ifndef ASSAY_FIELD_KVEC_H
#define ASSAY_FIELD_KVEC_H

#include "base/mem.h"
#include "field/k.h"
#include <stddef.h>
#include <stdint.h>

/* c[j][i] is coordinate j of element i. Planes are 64-byte aligned when the vector owns its memory; a view
 * (assay_kvec_at) may start anywhere. Words are canonical (< p). */
typedef struct assay_kvec {
    uint32_t *c[6];
    size_t n;      /* elements */
    void *own;     /* the allocation, or NULL for a view */
    size_t nbytes; /* of the allocation */
} assay_kvec;

/* Zeroed vector of n >= 1 elements; false when out of memory (v is then empty and may be freed). */
bool assay_kvec_new(assay_kvec *v, size_t n);
/* The same without zeroing: for vectors that are written whole before they are read. */
bool assay_kvec_new_raw(assay_kvec *v, size_t n);
/* Wipes and frees an owned vector; empties v. */
void assay_kvec_free(assay_kvec *v);

static inline assay_kvec assay_kvec_at(const assay_kvec *v, size_t from, size_t n)
{
    assay_kvec w = {{0}, n, NULL, 0};
    for (int j = 0; j < 6; j++) w.c[j] = v->c[j] + from;
    return w;
}
static inline kel kvec_get(const assay_kvec *v, size_t i)
{
    kel k;
    for (int j = 0; j < 6; j++) k.v[j] = v->c[j][i];
    return k;
}
static inline void kvec_set(assay_kvec *v, size_t i, kel k)
{
    for (int j = 0; j < 6; j++) v->c[j][i] = k.v[j];
}

#endif
