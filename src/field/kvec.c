/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of K vectors: one allocation, six planes, each starting on a cache line. */
#include "field/kvec.h"

/* Planes a power of two apart would fall into the same cache sets, eighteen streams for an operation on three
 * vectors; a few lines between them spread the sets. */
enum { LINE_WORDS = 16, GAP_WORDS = 5 * LINE_WORDS, GAP_FROM = 1024 };

static bool make(assay_kvec *v, size_t n, void *alloc(size_t n, size_t each))
{
    *v = (assay_kvec){{0}, 0, NULL, 0};
    size_t gap = n >= GAP_FROM ? GAP_WORDS : 0, stride, nbytes;
    if (!assay_add_size(n, LINE_WORDS - 1 + gap, &stride)) return false;
    stride -= stride % LINE_WORDS;
    if (!assay_mul_size(stride, K_WORDS * sizeof(uint32_t), &nbytes)) return false;
    uint32_t *p = alloc(stride, K_WORDS * sizeof(uint32_t));
    if (!p) return false;
    for (size_t j = 0; j < K_WORDS; j++) v->c[j] = p + j * stride;
    v->n = n;
    v->own = p;
    v->nbytes = nbytes;
    return true;
}

bool assay_kvec_new(assay_kvec *v, size_t n)
{
    return make(v, n, assay_mem_alloc);
}

bool assay_kvec_new_raw(assay_kvec *v, size_t n)
{
    return make(v, n, assay_mem_alloc_raw);
}

void assay_kvec_free(assay_kvec *v)
{
    assay_mem_free_secret(v->own, v->nbytes);
    *v = (assay_kvec){{0}, 0, NULL, 0};
}
