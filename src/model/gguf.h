/* SPDX-License-Identifier: Apache-2.0 */
/* The GGUF container, little-endian, versions 2 and 3: named values, then a list of tensors, then their bytes.
 * Source: https://github.com/ggml-org/ggml, docs/gguf.md. */
#ifndef ASSAY_MODEL_GGUF_H
#define ASSAY_MODEL_GGUF_H

#include "base/bytes.h"
#include "model/checkpoint.h"
#include "model/dequant.h"

enum { ASSAY_GGUF_MAX_RANK = 4, ASSAY_GGUF_NAME_BYTES = 128 };

typedef enum assay_gguf_type {
    ASSAY_GGUF_U8,
    ASSAY_GGUF_I8,
    ASSAY_GGUF_U16,
    ASSAY_GGUF_I16,
    ASSAY_GGUF_U32,
    ASSAY_GGUF_I32,
    ASSAY_GGUF_F32,
    ASSAY_GGUF_BOOL,
    ASSAY_GGUF_STRING,
    ASSAY_GGUF_ARRAY,
    ASSAY_GGUF_U64,
    ASSAY_GGUF_I64,
    ASSAY_GGUF_F64,
    ASSAY_GGUF_N_TYPES
} assay_gguf_type;

/* A named value; its bytes are borrowed and were checked to be whole: strings are a 64-bit length and that many bytes,
 * arrays follow one another. For arrays `element` and `count` describe the elements, whose bytes p holds; else count is
 * 1 and element equals type. */
typedef struct assay_gguf_value {
    char key[ASSAY_GGUF_NAME_BYTES];
    assay_gguf_type type, element;
    uint64_t count;
    const uint8_t *p;
    size_t n;
} assay_gguf_value;

/* shape[0] is the length of a row, as stored. Bytes [begin, end) of the data part. */
typedef struct assay_gguf_tensor {
    char name[ASSAY_GGUF_NAME_BYTES];
    const assay_ggml_type *type;
    uint32_t rank;
    uint64_t shape[ASSAY_GGUF_MAX_RANK];
    uint64_t begin, end;
} assay_gguf_tensor;

/* data is borrowed from the bytes that were parsed. Tensors lie in the order of their offsets, are aligned, do not
 * overlap and have nothing but padding between them. */
typedef struct assay_gguf {
    const char *file;
    assay_gguf_value *value;
    size_t n_values;
    assay_gguf_tensor *tensor;
    size_t n_tensors;
    const uint8_t *data;
} assay_gguf;

/* p is untrusted; `file` is for messages and kept. Memory: 1/8 kB for each value and tensor, whose number the limits of
 * the implementation and the length of the file bound; nothing is allocated for the elements of arrays. On failure *g
 * is empty; err names the value or tensor. ASSAY_EUNSUPPORTED for another version, and for tensors of a type that
 * cannot be read. */
ASSAY_MUST_USE assay_status assay_gguf_parse(assay_gguf *g, const char *file, const uint8_t *p, size_t n,
                                             assay_errinfo *err);
void assay_gguf_clear(assay_gguf *g);

/* The value of a key, or NULL. */
const assay_gguf_value *assay_gguf_find(const assay_gguf *g, const char *key);
/* The tensor of a name, or NULL. */
const assay_gguf_tensor *assay_gguf_find_tensor(const assay_gguf *g, const char *name);
/* The next string of r, a reader of a string value or an array of strings; *n: its length. Not zero-terminated. */
const char *assay_gguf_next_string(assay_reader *r, size_t *n);
/* Whether a value is a string equal to text. */
bool assay_gguf_is_text(const assay_gguf_value *v, const char *text);
/* A number of any integer type, not negative; of any floating type; a boolean. False when v is another kind. */
bool assay_gguf_whole(uint64_t *out, const assay_gguf_value *v);
bool assay_gguf_real(double *out, const assay_gguf_value *v);
bool assay_gguf_bool(bool *out, const assay_gguf_value *v);

/* The shape and tokens of a model of the Llama family from the values, and whether there is an output matrix from the
 * tensors. ASSAY_EUNSUPPORTED names a value that would change the function and is not handled. Every number is inside
 * the ranges that assay_model_config_check asks for. */
ASSAY_MUST_USE assay_status assay_gguf_config(assay_hf_config *c, const assay_gguf *g, assay_errinfo *err);

/* Whether rows of q and k lie in the order of rotation on neighbours, as llama.cpp wants them for this architecture. */
bool assay_gguf_rotates_neighbours(const assay_gguf *g);

/* The model of a GGUF file, as a Hugging Face folder gives it: rows of q and k back in the order of rotation on split
 * halves. Memory: the file is mapped, and each tensor is once in float32. On failure *ck is empty. */
ASSAY_MUST_USE assay_status assay_gguf_checkpoint(assay_checkpoint *ck, const char *path, assay_errinfo *err);

#endif
