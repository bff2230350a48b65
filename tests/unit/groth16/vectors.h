/* SPDX-License-Identifier: Apache-2.0 */
/* Test data that lies outside of the repository: files made by circom, snarkjs and Filecoin's software. */
#ifndef ASSAY_TESTS_GROTH16_VECTORS_H
#define ASSAY_TESTS_GROTH16_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VECTOR_PATH = 1024 };

/* The path of vectors/NAME under ASSAY_SHARED, or under ../shared beside the repository; false, and the test is
 * skipped, when there is no such file. */
bool vector_path(char path[VECTOR_PATH], const char *name);

/* The whole file, freed by assay_mem_free; NULL, and the test skipped, when it is not there. */
uint8_t *vector_load(size_t *n, const char *name);

#endif
