/* SPDX-License-Identifier: Apache-2.0 */
/* Large arrays, zeroed and wiped by all threads: one alone would take a tenth of a proof's time for that. */
#ifndef ASSAY_BACKEND_LARGE_H
#define ASSAY_BACKEND_LARGE_H

#include "backend/backend.h"

/* A zeroed vector of n >= 1 elements; false when out of memory. Free with assay_large_kvec_free or assay_kvec_free. */
bool assay_large_kvec_new(const assay_backend *be, assay_kvec *v, size_t n);
/* Wipes and frees an owned vector; empties v. */
void assay_large_kvec_free(const assay_backend *be, assay_kvec *v);
/* Wipes and frees; NULL is fine. */
void assay_large_free_secret(const assay_backend *be, void *p, size_t nbytes);

#endif
