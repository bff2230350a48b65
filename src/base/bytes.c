/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian readers and writers. */
#include "base/bytes.h"
#include "base/mem.h"
#include <string.h>

const uint8_t *assay_read_bytes(assay_reader *r, size_t n)
{
    static const uint8_t nothing;
    if (r->bad || n > r->n - r->at) {
        r->bad = true;
        return NULL;
    }
    if (n == 0) return r->p ? r->p + r->at : &nothing;
    const uint8_t *p = r->p + r->at;
    r->at += n;
    return p;
}

uint8_t assay_read_u8(assay_reader *r)
{
    const uint8_t *p = assay_read_bytes(r, 1);
    return p ? p[0] : 0;
}

uint16_t assay_read_u16(assay_reader *r)
{
    const uint8_t *p = assay_read_bytes(r, 2);
    return p ? assay_load_u16(p) : 0;
}

uint32_t assay_read_u32(assay_reader *r)
{
    const uint8_t *p = assay_read_bytes(r, 4);
    return p ? assay_load_u32(p) : 0;
}

uint64_t assay_read_u64(assay_reader *r)
{
    const uint8_t *p = assay_read_bytes(r, 8);
    return p ? assay_load_u64(p) : 0;
}

int64_t assay_read_i64(assay_reader *r)
{
    return (int64_t)assay_read_u64(r);
}

void assay_writer_init(assay_writer *w, size_t max)
{
    memset(w, 0, sizeof *w);
    w->max = max;
}

void assay_writer_clear(assay_writer *w)
{
    assay_mem_free_secret(w->p, w->cap);
    memset(w, 0, sizeof *w);
}

/* Room for n more bytes; doubles, so that appends cost constant time on average. */
static bool writer_reserve(assay_writer *w, size_t n)
{
    if (w->bad || n > w->max - w->n) {
        w->bad = true;
        return false;
    }
    if (n <= w->cap - w->n) return true;
    size_t cap = w->cap < 64 ? 64 : w->cap;
    while (cap < w->n + n) cap = cap > w->max / 2 ? w->max : 2 * cap;
    uint8_t *p = (uint8_t *)assay_mem_grow(w->p, w->cap, cap, 1);
    if (!p) {
        w->bad = true;
        return false;
    }
    w->p = p;
    w->cap = cap;
    return true;
}

void assay_write_bytes(assay_writer *w, const void *p, size_t n)
{
    if (n == 0 || !writer_reserve(w, n)) return;
    memcpy(w->p + w->n, p, n);
    w->n += n;
}

void assay_write_u8(assay_writer *w, uint8_t v)
{
    assay_write_bytes(w, &v, 1);
}

void assay_write_u16(assay_writer *w, uint16_t v)
{
    uint8_t b[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
    assay_write_bytes(w, b, sizeof b);
}

void assay_write_u32(assay_writer *w, uint32_t v)
{
    uint8_t b[4];
    assay_store_u32(b, v);
    assay_write_bytes(w, b, sizeof b);
}

void assay_write_u64(assay_writer *w, uint64_t v)
{
    uint8_t b[8];
    assay_store_u64(b, v);
    assay_write_bytes(w, b, sizeof b);
}

void assay_write_i64(assay_writer *w, int64_t v)
{
    assay_write_u64(w, (uint64_t)v);
}
