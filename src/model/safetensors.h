/* SPDX-License-Identifier: Apache-2.0 */
/* The safetensors container: an 8-byte header length, a JSON header, raw little-endian tensors.
 * Source: https://github.com/huggingface/safetensors, "Format". */
#ifndef ASSAY_MODEL_SAFETENSORS_H
#define ASSAY_MODEL_SAFETENSORS_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef enum assay_dtype { ASSAY_DTYPE_OTHER, ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16 } assay_dtype;

enum { ASSAY_MAX_TENSOR_RANK = 8 };

typedef struct assay_stored_tensor {
    char *name;
    assay_dtype dtype;
    uint32_t rank;
    uint64_t shape[ASSAY_MAX_TENSOR_RANK];
    uint64_t begin, end; /* bytes of the data part */
} assay_stored_tensor;

/* data is borrowed from the bytes that were parsed. Tensors lie in the order of their offsets and tile the data part.
 */
typedef struct assay_safetensors {
    const uint8_t *data;
    assay_stored_tensor *tensor;
    size_t n_tensors;
} assay_safetensors;

/* p is untrusted; `file` is for messages. Memory is bounded by a small multiple of the header, whose length the file
 * must really have. On failure *s is empty. */
ASSAY_MUST_USE assay_status assay_safetensors_parse(assay_safetensors *s, const char *file, const uint8_t *p, size_t n,
                                                    assay_errinfo *err);
void assay_safetensors_clear(assay_safetensors *s);

/* Converts tensor t, which must have shape [rows][cols] (or [cols] when rows = 1), to float32. The caller allocates
 * rows * cols values after assay_safetensors_expect said that the tensor has them. ASSAY_ERANGE for a value that is not
 * finite. */
ASSAY_MUST_USE assay_status assay_safetensors_expect(const assay_stored_tensor *t, const char *file, uint64_t rows,
                                                     uint64_t cols, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_safetensors_read(float *out, const assay_safetensors *s, const assay_stored_tensor *t,
                                                   const char *file, assay_errinfo *err);

#endif
