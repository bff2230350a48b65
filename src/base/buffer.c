/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of the public API. */
#include "base/buffer.h"
#include "base/mem.h"
#include <string.h>

void assay_buffer_free(assay_buffer *b)
{
    if (!b) return;
    assay_mem_free_secret(b->p, b->n);
    b->p = NULL;
    b->n = 0;
}

void assay_ids_free(assay_ids *ids)
{
    if (!ids) return;
    assay_mem_free(ids->p);
    ids->p = NULL;
    ids->n = 0;
}

assay_status assay_buffer_take(assay_buffer *b, assay_writer *w, const char *what, assay_errinfo *err)
{
    b->p = NULL;
    b->n = 0;
    if (w->bad) {
        assay_writer_clear(w);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    }
    b->p = w->p;
    b->n = w->n;
    memset(w, 0, sizeof *w);
    return ASSAY_OK;
}

assay_status assay_buffer_copy(assay_buffer *b, const void *p, size_t n, const char *what, assay_errinfo *err)
{
    b->n = 0;
    b->p = assay_mem_alloc(n ? n : 1, 1);
    if (!b->p) return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    if (n) memcpy(b->p, p, n);
    b->n = n;
    return ASSAY_OK;
}
