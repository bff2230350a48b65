/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the container, in one pass, to a file or to memory. */
#include "base/mem.h"
#include "groth16/container.h"
#include <string.h>

enum { BUFFER_BYTES = 256 << 10 };

static assay_status out_of_order(assay_errinfo *err)
{
    return ASSAY_FAIL(err, ASSAY_EINVAL, "container", "sections are not written as they were announced");
}

static assay_status flush(assay_container_writer *w, const void *p, size_t n, assay_errinfo *err)
{
    if (w->file) return assay_outfile_append(w->file, p, n, err);
    assay_write_bytes(w->memory, p, n);
    return w->memory->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "container", "out of memory") : ASSAY_OK;
}

static assay_status put(assay_container_writer *w, const uint8_t *p, size_t n, assay_errinfo *err)
{
    while (n > 0) {
        size_t now = BUFFER_BYTES - w->n < n ? BUFFER_BYTES - w->n : n;
        memcpy(w->buffer + w->n, p, now);
        w->n += now;
        p += now;
        n -= now;
        if (w->n < BUFFER_BYTES) break;
        assay_status s = flush(w, w->buffer, w->n, err);
        if (s != ASSAY_OK) return s;
        w->n = 0;
    }
    return ASSAY_OK;
}

assay_status assay_container_write(assay_container_writer *w, assay_outfile *file, assay_writer *memory,
                                   const char *magic, uint32_t version, uint32_t n_sections, assay_errinfo *err)
{
    uint8_t head[12];
    *w = (assay_container_writer){.file = file, .memory = memory, .sections_left = n_sections};
    w->buffer = assay_mem_alloc_raw(BUFFER_BYTES, 1);
    if (!w->buffer) return ASSAY_FAIL(err, ASSAY_ENOMEM, "container", "out of memory");
    memcpy(head, magic, 4);
    assay_store_u32(head + 4, version);
    assay_store_u32(head + 8, n_sections);
    return put(w, head, sizeof head, err);
}

assay_status assay_container_section(assay_container_writer *w, uint32_t id, uint64_t n, assay_errinfo *err)
{
    uint8_t head[12];
    if (w->left != 0 || w->sections_left == 0) return out_of_order(err);
    w->sections_left--;
    w->left = n;
    assay_store_u32(head, id);
    assay_store_u64(head + 4, n);
    return put(w, head, sizeof head, err);
}

assay_status assay_container_put(assay_container_writer *w, const void *p, size_t n, assay_errinfo *err)
{
    if (n > w->left) return out_of_order(err);
    w->left -= n;
    return put(w, p, n, err);
}

assay_status assay_container_put_u32(assay_container_writer *w, uint32_t v, assay_errinfo *err)
{
    uint8_t b[4];
    assay_store_u32(b, v);
    return assay_container_put(w, b, sizeof b, err);
}

assay_status assay_container_finish(assay_container_writer *w, assay_errinfo *err)
{
    if (w->left != 0 || w->sections_left != 0) return out_of_order(err);
    assay_status s = w->n > 0 ? flush(w, w->buffer, w->n, err) : ASSAY_OK;
    w->n = 0;
    return s;
}

void assay_container_writer_clear(assay_container_writer *w)
{
    assay_mem_free_secret(w->buffer, BUFFER_BYTES);
    *w = (assay_container_writer){0};
}

size_t assay_store_prime(uint8_t out[ASSAY_PRIME_MAX], const uint64_t *modulus, size_t n_limbs)
{
    assay_store_u32(out, (uint32_t)(8 * n_limbs));
    for (size_t i = 0; i < n_limbs; i++) assay_store_u64(out + 4 + 8 * i, modulus[i]);
    return 4 + 8 * n_limbs;
}
