/* SPDX-License-Identifier: Apache-2.0 */
/* Named integer arrays in a file: how the C model and tests/reference/dump_model.py exchange models and values.
 * A record is a name of 32 bytes, zero padded, the count as 8 bytes, and the values as int64, all little-endian. */
#ifndef ASSAY_TESTS_MODEL_ARRAYS_H
#define ASSAY_TESTS_MODEL_ARRAYS_H

#include "model/model.h"
#include <stdio.h>

typedef struct assay_arrays {
    uint8_t *p;
    size_t n;
} assay_arrays;

/* False when the file cannot be read. */
bool assay_arrays_open(assay_arrays *a, const char *path);
void assay_arrays_close(assay_arrays *a);
/* Number of values of an array, 0 if there is none. */
size_t assay_arrays_count(const assay_arrays *a, const char *name);
/* Value i of an array that is there. */
int64_t assay_arrays_at(const assay_arrays *a, const char *name, size_t i);
/* Index of the first value that differs from v[0 .. n - 1], n if none, SIZE_MAX if the array has not n values. */
size_t assay_arrays_differ(const assay_arrays *a, const char *name, const int32_t *v, size_t n);

void assay_arrays_write(FILE *f, const char *name, const int64_t *v, size_t n);
/* The whole model, configuration and weights. False when the file cannot be written. */
bool assay_arrays_save_model(const char *path, const assay_model *m);

#endif
