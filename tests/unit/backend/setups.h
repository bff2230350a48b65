/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a comparison for every implementation of the backend that this machine has, and makes test data. */
#ifndef ASSAY_TESTS_BACKEND_SETUPS_H
#define ASSAY_TESTS_BACKEND_SETUPS_H

#include "backend/backend.h"
#include "harness.h"

/* Calls fn for {ref, avx2, avx512} x {without, with SHA extensions} x {1, 2, 3 threads}, as far as the machine has
 * them. ref: plain C on one thread. While fn runs the features of be are the ones that can be seen. */
typedef void setup_fn(const assay_backend *ref, const assay_backend *be);
void for_each_setup(setup_fn *fn);

/* Sizes around vector widths and job boundaries. */
extern const size_t setup_sizes[];
extern const size_t setup_n_sizes;

/* Canonical words, half of them 0, 1, p-1 and other corners. */
void fill_f(uint32_t *out, size_t n);
kel random_k(void);
/* A new vector of n elements (n = 0 gives one), filled. Freed by the caller. */
assay_kvec new_kvec(size_t n);
uint32_t *new_words(size_t n);
assay_kvec copy_kvec(const assay_kvec *v);

/* Compare and name the setup and the operation when they differ. */
void check_kvec(const assay_backend *be, const char *op, const assay_kvec *got, const assay_kvec *want);
void check_words(const assay_backend *be, const char *op, const uint32_t *got, const uint32_t *want, size_t n);
void check_kels(const assay_backend *be, const char *op, size_t n, const kel *got, const kel *want, size_t count);
void check_bytes(const assay_backend *be, const char *op, const uint8_t *got, const uint8_t *want, size_t n);

#endif
