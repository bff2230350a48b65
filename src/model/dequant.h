/* SPDX-License-Identifier: Apache-2.0 */
/* The types of GGUF tensors, and those that can be read, to float32. Source: https://github.com/ggml-org/ggml,
 * ggml.h (numbers), ggml-common.h (layouts) and docs/gguf.md. */
#ifndef ASSAY_MODEL_DEQUANT_H
#define ASSAY_MODEL_DEQUANT_H

#include <stddef.h>
#include <stdint.h>

/* A block of `bytes` bytes holds `cells` neighbours of a row. cells = 0: known by name only. */
typedef struct assay_ggml_type {
    const char *name;
    uint32_t cells, bytes;
    void (*read)(float *out, const uint8_t *block);
} assay_ggml_type;

/* NULL: no type has this number. */
const assay_ggml_type *assay_ggml_type_of(uint32_t number);

/* n_blocks blocks at p, in float32, products and sums in the order in which ggml makes them: the same bits. */
void assay_dequant(float *out, const assay_ggml_type *t, const uint8_t *p, size_t n_blocks);

#endif
