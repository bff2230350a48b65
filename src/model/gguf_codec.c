/* SPDX-License-Identifier: Apache-2.0 */
/* Reading GGUF files that nobody vouches for. */
#include "base/mem.h"
#include "base/subject.h"
#include "model/float_bits.h"
#include "model/gguf.h"
#include <stdlib.h>
#include <string.h>

enum {
    MIN_VERSION = 2,
    MAX_VERSION = 3,
    MAX_VALUES = 1 << 12,
    MAX_TENSORS = 1 << 16,
    MIN_VALUE_BYTES = 8 + 4 + 1,      /* empty key, type, one byte */
    MIN_TENSOR_BYTES = 8 + 4 + 4 + 8, /* empty name, rank, type, offset */
    MAX_STRING = 16 << 20,
    MAX_ELEMENTS = 1 << 24,
    MAX_DEPTH = 3, /* arrays of arrays of arrays */
    DEFAULT_ALIGNMENT = 32,
    MAX_ALIGNMENT = 1 << 16
};

static assay_status refuse(assay_errinfo *err, assay_status s, const assay_gguf *g, const char *what,
                           const char *reason, uint64_t a, uint64_t b)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, g->file, what), reason, a, b);
}

void assay_gguf_clear(assay_gguf *g)
{
    assay_mem_free(g->value);
    assay_mem_free(g->tensor);
    *g = (assay_gguf){0};
}

/* Bytes of a value of one size, 0 for the others. */
static size_t scalar_bytes(assay_gguf_type t)
{
    static const uint8_t size[ASSAY_GGUF_N_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return size[t];
}

const char *assay_gguf_next_string(assay_reader *r, size_t *n)
{
    uint64_t length = assay_read_u64(r);
    *n = 0;
    if (length > assay_reader_left(r)) {
        r->bad = true;
        return NULL;
    }
    *n = (size_t)length;
    return (const char *)assay_read_bytes(r, *n);
}

/* A zero-terminated copy of a name of printable characters without spaces. */
static const char *read_name(char out[ASSAY_GGUF_NAME_BYTES], assay_reader *r)
{
    size_t n;
    const char *p = assay_gguf_next_string(r, &n);
    out[0] = 0;
    if (!p) return "ends inside a name";
    if (n == 0 || n >= ASSAY_GGUF_NAME_BYTES) return "a name is empty or too long";
    for (size_t i = 0; i < n; i++)
        if (p[i] <= ' ' || p[i] > '~') return "a name holds characters that are not printable";
    memcpy(out, p, n);
    out[n] = 0;
    return NULL;
}

static const char *skip_value(assay_reader *r, assay_gguf_type type, int depth);

/* Moves r past `count` values of a type. Strings and arrays take at least eight bytes each, so the walk is bounded by
 * the length of the file. */
static const char *skip_values(assay_reader *r, assay_gguf_type type, uint64_t count, int depth)
{
    size_t each = scalar_bytes(type), nbytes;
    const char *wrong = NULL;
    if (count > MAX_ELEMENTS) return "is an array of too many elements";
    if (each > 0) {
        if (!assay_mul_size((size_t)count, each, &nbytes) || !assay_read_bytes(r, nbytes)) return "ends too early";
        return NULL;
    }
    for (uint64_t i = 0; i < count && !wrong; i++) wrong = skip_value(r, type, depth);
    return wrong;
}

static const char *read_array_head(assay_gguf_type *element, uint64_t *count, assay_reader *r)
{
    uint32_t type = assay_read_u32(r);
    *count = assay_read_u64(r);
    if (r->bad) return "ends too early";
    if (type >= ASSAY_GGUF_N_TYPES) return "is an array of an unknown type";
    *element = (assay_gguf_type)type;
    return NULL;
}

static const char *skip_value(assay_reader *r, assay_gguf_type type, int depth)
{
    assay_gguf_type element;
    uint64_t count;
    if (type == ASSAY_GGUF_STRING) {
        size_t n;
        if (!assay_gguf_next_string(r, &n)) return "holds a string that ends too early";
        return n > MAX_STRING ? "holds a string that is too long" : NULL;
    }
    if (type != ASSAY_GGUF_ARRAY) return skip_values(r, type, 1, depth);
    if (depth == MAX_DEPTH) return "holds arrays nested too deep";
    const char *wrong = read_array_head(&element, &count, r);
    return wrong ? wrong : skip_values(r, element, count, depth + 1);
}

/* The value after a key. */
static const char *read_value(assay_gguf_value *v, assay_reader *r)
{
    uint32_t type = assay_read_u32(r);
    if (type >= ASSAY_GGUF_N_TYPES) return "has an unknown type";
    v->type = v->element = (assay_gguf_type)type;
    v->count = 1;
    const char *wrong = NULL;
    int depth = 0;
    if (v->type == ASSAY_GGUF_ARRAY) {
        wrong = read_array_head(&v->element, &v->count, r);
        depth = 1;
    }
    if (wrong) return wrong;
    size_t start = r->at;
    v->p = r->p + start;
    wrong = skip_values(r, v->element, v->count, depth);
    if (r->bad && !wrong) wrong = "ends too early";
    v->n = r->at - start;
    return wrong;
}

static assay_status read_values(assay_gguf *g, assay_reader *r, uint64_t n, assay_errinfo *err)
{
    if (n > MAX_VALUES || n > assay_reader_left(r) / MIN_VALUE_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, g->file, "more values than fit (values, limit)", n, MAX_VALUES);
    g->value = assay_mem_alloc((size_t)n + 1, sizeof *g->value);
    if (!g->value) return ASSAY_FAIL(err, ASSAY_ENOMEM, g->file, "out of memory");
    for (uint64_t i = 0; i < n; i++) {
        assay_gguf_value *v = &g->value[i];
        const char *wrong = read_name(v->key, r);
        if (wrong) return ASSAY_FAIL2(err, ASSAY_EFORMAT, g->file, wrong, i, n);
        if (assay_gguf_find(g, v->key)) wrong = "comes twice";
        if (!wrong) wrong = read_value(v, r);
        if (wrong) return refuse(err, ASSAY_EFORMAT, g, v->key, wrong, i, n);
        g->n_values++;
    }
    return ASSAY_OK;
}

/* Everything about a tensor but its place; *nbytes of its cells. */
static const char *read_shape(assay_gguf_tensor *t, size_t *nbytes, assay_reader *r)
{
    size_t cells = 1;
    t->rank = assay_read_u32(r);
    if (t->rank == 0 || t->rank > ASSAY_GGUF_MAX_RANK) return "has no axes or too many";
    for (uint32_t i = 0; i < t->rank; i++) {
        t->shape[i] = assay_read_u64(r);
        if (t->shape[i] == 0) return "has an axis of length 0";
        if (t->shape[i] > SIZE_MAX || !assay_mul_size(cells, (size_t)t->shape[i], &cells))
            return "has a shape of more cells than memory has bytes";
    }
    t->type = assay_ggml_type_of(assay_read_u32(r));
    t->begin = assay_read_u64(r);
    if (r->bad) return "ends too early";
    if (!t->type || !t->type->read) return NULL;
    if (t->shape[0] % t->type->cells != 0) return "has rows that are no whole number of blocks";
    return assay_mul_size(cells / t->type->cells, t->type->bytes, nbytes) ? NULL : "has more bytes than memory";
}

static assay_status read_tensor(assay_gguf *g, assay_gguf_tensor *t, assay_reader *r, uint64_t i, uint64_t alignment,
                                assay_errinfo *err)
{
    size_t nbytes = 0;
    const char *wrong = read_name(t->name, r);
    if (wrong) return ASSAY_FAIL1(err, ASSAY_EFORMAT, g->file, wrong, i);
    wrong = read_shape(t, &nbytes, r);
    if (wrong) return refuse(err, ASSAY_EFORMAT, g, t->name, wrong, t->shape[0], t->shape[1]);
    if (!t->type) return refuse(err, ASSAY_EUNSUPPORTED, g, t->name, "has an unknown type", 0, 0);
    if (!t->type->read) {
        char named[ASSAY_GGUF_NAME_BYTES + 16];
        snprintf(named, sizeof named, "%s (%s)", t->name, t->type->name);
        return refuse(err, ASSAY_EUNSUPPORTED, g, named, "is of a type that this version does not read", t->shape[0],
                      t->shape[1]);
    }
    if (t->begin % alignment != 0)
        return refuse(err, ASSAY_EFORMAT, g, t->name, "is not aligned (offset, alignment)", t->begin, alignment);
    if (t->begin > UINT64_MAX - nbytes)
        return refuse(err, ASSAY_EFORMAT, g, t->name, "lies outside the file (offset, bytes)", t->begin, nbytes);
    t->end = t->begin + nbytes;
    return ASSAY_OK;
}

static assay_status read_tensors(assay_gguf *g, assay_reader *r, uint64_t n, uint64_t alignment, assay_errinfo *err)
{
    if (n > MAX_TENSORS || n > assay_reader_left(r) / MIN_TENSOR_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, g->file, "more tensors than fit (tensors, limit)", n, MAX_TENSORS);
    g->tensor = assay_mem_alloc((size_t)n + 1, sizeof *g->tensor);
    if (!g->tensor) return ASSAY_FAIL(err, ASSAY_ENOMEM, g->file, "out of memory");
    assay_status s = ASSAY_OK;
    for (uint64_t i = 0; s == ASSAY_OK && i < n; i++) s = read_tensor(g, &g->tensor[i], r, i, alignment, err);
    g->n_tensors = (size_t)n;
    return s;
}

static int by_offset(const void *a, const void *b)
{
    const assay_gguf_tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* n up to the next multiple of a power of two; n is far from overflow. */
static uint64_t align_up(uint64_t n, uint64_t alignment)
{
    return (n + alignment - 1) & ~(alignment - 1);
}

/* Tensors follow one another with padding only; n_data: bytes of the data part. */
static assay_status check_tiling(const assay_gguf *g, uint64_t n_data, uint64_t alignment, assay_errinfo *err)
{
    uint64_t at = 0;
    for (size_t i = 0; i < g->n_tensors; i++) {
        const assay_gguf_tensor *t = &g->tensor[i];
        if (t->end > n_data)
            return refuse(err, ASSAY_EFORMAT, g, t->name, "lies outside the file (end, bytes of data)", t->end, n_data);
        if (t->begin != at)
            return refuse(err, ASSAY_EFORMAT, g, t->name,
                          t->begin < at ? "overlaps the tensor before it (offset, end)"
                                        : "leaves a hole before it (offset, end)",
                          t->begin, at);
        at = align_up(t->end, alignment);
    }
    if (n_data > at) return ASSAY_FAIL2(err, ASSAY_EFORMAT, g->file, "bytes after the last tensor", at, n_data);
    return ASSAY_OK;
}

static assay_status read_alignment(const assay_gguf *g, uint64_t *out, assay_errinfo *err)
{
    static const char key[] = "general.alignment";
    const assay_gguf_value *v = assay_gguf_find(g, key);
    *out = DEFAULT_ALIGNMENT;
    if (!v) return ASSAY_OK;
    if (!assay_gguf_whole(out, v) || *out < 8 || *out > MAX_ALIGNMENT || (*out & (*out - 1)) != 0)
        return refuse(err, ASSAY_EFORMAT, g, key, "is no power of two between (least, most)", 8, MAX_ALIGNMENT);
    return ASSAY_OK;
}

static assay_status read_header(uint64_t *n_tensors, uint64_t *n_values, assay_reader *r, const char *file,
                                assay_errinfo *err)
{
    const uint8_t *magic = assay_read_bytes(r, 4);
    uint32_t version = assay_read_u32(r);
    *n_tensors = assay_read_u64(r);
    *n_values = assay_read_u64(r);
    if (!magic || memcmp(magic, "GGUF", 4) != 0) return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "is not a GGUF file");
    if (r->bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "is too short for a GGUF file");
    if (version > UINT16_MAX && (version & UINT16_MAX) == 0)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, file, "is a big-endian GGUF file");
    if (version < MIN_VERSION || version > MAX_VERSION)
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, file, "GGUF version is not 2 or 3", version);
    return ASSAY_OK;
}

static assay_status parse(assay_gguf *g, assay_reader *r, assay_errinfo *err)
{
    uint64_t n_tensors, n_values, alignment;
    assay_status s = read_header(&n_tensors, &n_values, r, g->file, err);
    if (s == ASSAY_OK) s = read_values(g, r, n_values, err);
    if (s == ASSAY_OK) s = read_alignment(g, &alignment, err);
    if (s == ASSAY_OK) s = read_tensors(g, r, n_tensors, alignment, err);
    if (s != ASSAY_OK) return s;
    uint64_t start = align_up(r->at, alignment), n_data = start < r->n ? r->n - start : 0;
    g->data = r->p + (r->n - n_data);
    qsort(g->tensor, g->n_tensors, sizeof *g->tensor, by_offset);
    return check_tiling(g, n_data, alignment, err);
}

assay_status assay_gguf_parse(assay_gguf *g, const char *file, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    *g = (assay_gguf){.file = file};
    assay_status s = parse(g, &r, err);
    if (s != ASSAY_OK) assay_gguf_clear(g);
    return s;
}

const assay_gguf_value *assay_gguf_find(const assay_gguf *g, const char *key)
{
    for (size_t i = 0; i < g->n_values; i++)
        if (strcmp(g->value[i].key, key) == 0) return &g->value[i];
    return NULL;
}

const assay_gguf_tensor *assay_gguf_find_tensor(const assay_gguf *g, const char *name)
{
    for (size_t i = 0; i < g->n_tensors; i++)
        if (strcmp(g->tensor[i].name, name) == 0) return &g->tensor[i];
    return NULL;
}

bool assay_gguf_is_text(const assay_gguf_value *v, const char *text)
{
    size_t n;
    if (v->type != ASSAY_GGUF_STRING) return false;
    assay_reader r = assay_reader_of(v->p, v->n);
    const char *p = assay_gguf_next_string(&r, &n);
    return p && n == strlen(text) && memcmp(p, text, n) == 0;
}

bool assay_gguf_whole(uint64_t *out, const assay_gguf_value *v)
{
    bool is_signed =
        v->type == ASSAY_GGUF_I8 || v->type == ASSAY_GGUF_I16 || v->type == ASSAY_GGUF_I32 || v->type == ASSAY_GGUF_I64;
    bool is_unsigned =
        v->type == ASSAY_GGUF_U8 || v->type == ASSAY_GGUF_U16 || v->type == ASSAY_GGUF_U32 || v->type == ASSAY_GGUF_U64;
    uint64_t x = 0;
    if (!is_signed && !is_unsigned) return false;
    for (size_t i = 0; i < v->n; i++) x |= (uint64_t)v->p[i] << 8 * i;
    if (is_signed && v->p[v->n - 1] >> 7) return false;
    *out = x;
    return true;
}

bool assay_gguf_real(double *out, const assay_gguf_value *v)
{
    if (v->type == ASSAY_GGUF_F32) {
        *out = (double)float_of_bits(assay_load_u32(v->p));
    } else if (v->type == ASSAY_GGUF_F64) {
        uint64_t bits = assay_load_u64(v->p);
        memcpy(out, &bits, sizeof *out);
    }
    return v->type == ASSAY_GGUF_F32 || v->type == ASSAY_GGUF_F64;
}

bool assay_gguf_bool(bool *out, const assay_gguf_value *v)
{
    if (v->type != ASSAY_GGUF_BOOL || v->p[0] > 1) return false;
    *out = v->p[0] == 1;
    return true;
}
