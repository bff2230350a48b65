/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a checkpoint as a GGUF file, with one thing different where a test wants it. */
#ifndef ASSAY_TESTS_MODEL_GGUF_WRITER_H
#define ASSAY_TESTS_MODEL_GGUF_WRITER_H

#include "model/gguf.h"

/* What to do differently when writing a file. Keys and tensors are found by name. */
typedef struct gguf_twist {
    const char *skip_key, *skip; /* value or tensor left out */
    const char *key;             /* value that is replaced, or added when `added` */
    uint32_t type;               /* its type */
    const void *value;           /* its bytes */
    size_t n_value;
    bool added;
    const char *tensor;    /* tensor that is changed: */
    const char *rename;    /* another name */
    uint32_t number, rank; /* another type, another number of axes */
    uint64_t rows;         /* another number of rows */
    int64_t shift;         /* added to its offset */
    uint32_t poison;       /* bits of its first value */
    uint32_t version, magic;
    uint64_t n_tensors, n_values; /* other counts */
    int64_t cut;                  /* bytes cut off the end; negative: zeros added */
    uint32_t alignment;
    float factor[2]; /* of RoPE scaling, none when 0 */
    uint32_t parts;  /* of a Qwen model */
} gguf_twist;

/* Reports through the harness. */
void gguf_write(const char *path, const assay_checkpoint *ck, gguf_twist t);

#endif
