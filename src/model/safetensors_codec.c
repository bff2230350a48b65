/* SPDX-License-Identifier: Apache-2.0 */
/* Reading safetensors files that nobody vouches for. */
#include "base/bytes.h"
#include "base/mem.h"
#include "base/subject.h"
#include "model/float_bits.h"
#include "model/json_tree.h"
#include "model/safetensors.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 64 << 20, LENGTH_BYTES = 8 };

static assay_status refuse(assay_errinfo *err, assay_status s, const char *file, const char *tensor, const char *reason,
                           uint64_t a, uint64_t b)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, file, tensor), reason, a, b);
}

void assay_safetensors_clear(assay_safetensors *s)
{
    for (size_t i = 0; s->tensor && i < s->n_tensors; i++) assay_mem_free(s->tensor[i].name);
    assay_mem_free(s->tensor);
    *s = (assay_safetensors){0};
}

/* Bytes of an element, 0 when the type is not one that weights may have. */
static uint32_t dtype_bytes(assay_dtype d)
{
    return d == ASSAY_DTYPE_F32 ? 4 : d == ASSAY_DTYPE_F16 || d == ASSAY_DTYPE_BF16 ? 2 : 0;
}

static assay_dtype dtype_of(const char *text)
{
    if (strcmp(text, "F32") == 0) return ASSAY_DTYPE_F32;
    if (strcmp(text, "F16") == 0) return ASSAY_DTYPE_F16;
    if (strcmp(text, "BF16") == 0) return ASSAY_DTYPE_BF16;
    return ASSAY_DTYPE_OTHER;
}

static bool read_whole(uint64_t *out, const json_t *v)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0) return false;
    *out = (uint64_t)json_integer_value(v);
    return true;
}

static const char *read_shape(assay_stored_tensor *t, const json_t *shape)
{
    size_t cells = 1;
    if (!json_is_array(shape)) return "has no shape";
    if (json_array_size(shape) > ASSAY_MAX_TENSOR_RANK) return "has too many axes";
    t->rank = (uint32_t)json_array_size(shape);
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!read_whole(&t->shape[i], json_array_get(shape, i))) return "has a bad shape";
        if (!assay_mul_size(cells, t->shape[i], &cells)) return "has a shape of more cells than memory has bytes";
    }
    size_t nbytes = t->end - t->begin;
    if (t->dtype != ASSAY_DTYPE_OTHER && (!assay_mul_size(cells, dtype_bytes(t->dtype), &cells) || cells != nbytes))
        return "has a shape that does not fit its bytes";
    return NULL;
}

/* NULL, or what is wrong. n_data: bytes of the data part. */
static const char *read_entry(assay_stored_tensor *t, const json_t *entry, uint64_t n_data)
{
    const json_t *dtype = json_object_get(entry, "dtype"), *offsets = json_object_get(entry, "data_offsets");
    if (!json_is_string(dtype)) return "has no dtype";
    t->dtype = dtype_of(json_string_value(dtype));
    if (json_array_size(offsets) != 2 || !read_whole(&t->begin, json_array_get(offsets, 0)) ||
        !read_whole(&t->end, json_array_get(offsets, 1)))
        return "has no data_offsets";
    if (t->begin > t->end || t->end > n_data) return "has data_offsets outside the file";
    return read_shape(t, json_object_get(entry, "shape"));
}

static int by_offset(const void *a, const void *b)
{
    const assay_stored_tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static assay_status check_tiling(const assay_safetensors *s, const char *file, uint64_t n_data, assay_errinfo *err)
{
    uint64_t at = 0;
    for (size_t i = 0; i < s->n_tensors; at = s->tensor[i++].end)
        if (s->tensor[i].begin != at)
            return refuse(err, ASSAY_EFORMAT, file, s->tensor[i].name,
                          s->tensor[i].begin < at ? "overlaps the tensor before it (begin, end of that one)"
                                                  : "leaves a hole after the tensor before it (begin, end of that one)",
                          s->tensor[i].begin, at);
    if (at != n_data)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, file, "bytes after the last tensor (end of tensors, end of file)", at,
                           n_data);
    return ASSAY_OK;
}

static assay_status read_entries(assay_safetensors *s, const char *file, json_t *root, uint64_t n_data,
                                 assay_errinfo *err)
{
    s->tensor = assay_mem_alloc(json_object_size(root) + 1, sizeof *s->tensor);
    if (!s->tensor) return ASSAY_FAIL(err, ASSAY_ENOMEM, file, "out of memory");
    assay_status status = ASSAY_OK;
    for (void *it = json_object_iter(root); it && status == ASSAY_OK; it = json_object_iter_next(root, it)) {
        const char *name = json_object_iter_key(it);
        if (strcmp(name, "__metadata__") == 0) continue;
        assay_stored_tensor *t = &s->tensor[s->n_tensors];
        const char *wrong = read_entry(t, json_object_iter_value(it), n_data);
        size_t length = strlen(name) + 1;
        if (wrong) {
            status = refuse(err, ASSAY_EFORMAT, file, name, wrong, t->begin, t->end);
        } else if (!(t->name = assay_mem_alloc(length, 1))) {
            status = ASSAY_FAIL(err, ASSAY_ENOMEM, file, "out of memory");
        } else {
            memcpy(t->name, name, length);
            s->n_tensors++;
        }
    }
    return status;
}

assay_status assay_safetensors_parse(assay_safetensors *s, const char *file, const uint8_t *p, size_t n,
                                     assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    *s = (assay_safetensors){0};
    if (n < LENGTH_BYTES) return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "is too short for a safetensors file");
    uint64_t header = assay_load_u64(p);
    if (header > n - LENGTH_BYTES)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, file, "is shorter than its header (header, file)", header, n);
    if (header > MAX_HEADER)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, file, "header too large (bytes, limit)", header, MAX_HEADER);
    json_t *root;
    assay_status status = assay_json_tree(&root, subject_of(subject, file, "header"), p + LENGTH_BYTES, (size_t)header,
                                          MAX_HEADER, 0, err);
    if (status != ASSAY_OK) return status;
    if (!json_is_object(root)) {
        json_decref(root);
        return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "header is not a JSON object");
    }
    uint64_t n_data = n - LENGTH_BYTES - header;
    s->data = p + LENGTH_BYTES + header;
    status = read_entries(s, file, root, n_data, err);
    json_decref(root);
    if (status == ASSAY_OK) {
        qsort(s->tensor, s->n_tensors, sizeof *s->tensor, by_offset);
        status = check_tiling(s, file, n_data, err);
    }
    if (status != ASSAY_OK) assay_safetensors_clear(s);
    return status;
}

assay_status assay_safetensors_expect(const assay_stored_tensor *t, const char *file, uint64_t rows, uint64_t cols,
                                      assay_errinfo *err)
{
    if (t->dtype == ASSAY_DTYPE_OTHER)
        return refuse(err, ASSAY_EUNSUPPORTED, file, t->name, "has a dtype other than F32, F16, BF16 (bytes)",
                      t->end - t->begin, 0);
    bool row = rows == 1 && t->rank == 1 && t->shape[0] == cols;
    bool matrix = t->rank == 2 && t->shape[0] == rows && t->shape[1] == cols;
    if (!row && !matrix) return refuse(err, ASSAY_EFORMAT, file, t->name, "has another shape than", rows, cols);
    return ASSAY_OK;
}

assay_status assay_safetensors_read(float *out, const assay_safetensors *s, const assay_stored_tensor *t,
                                    const char *file, assay_errinfo *err)
{
    const uint8_t *p = s->data + t->begin;
    uint64_t n = (t->end - t->begin) / dtype_bytes(t->dtype);
    uint32_t worst = 0; /* largest exponent field: all ones only when a value is not finite */
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits;
        if (t->dtype == ASSAY_DTYPE_F32) {
            bits = assay_load_u32(p + 4 * i);
        } else {
            bits = (uint32_t)p[2 * i] | (uint32_t)p[2 * i + 1] << 8;
            bits = t->dtype == ASSAY_DTYPE_F16 ? bits_of_half(bits) : bits << 16;
        }
        uint32_t exponent = bits & ASSAY_F32_EXPONENT;
        worst = exponent > worst ? exponent : worst;
        out[i] = float_of_bits(bits);
    }
    if (worst == ASSAY_F32_EXPONENT)
        return refuse(err, ASSAY_ERANGE, file, t->name, "holds a value that is not finite", 0, 0);
    return ASSAY_OK;
}
