/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian readers and writers over byte buffers: the only way hostile bytes are decoded. */
#ifndef ASSAY_BASE_BYTES_H
#define ASSAY_BASE_BYTES_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A read cursor. After the first short read `bad` stays set and every read returns zero, so callers
 * may read a whole record and test once. The bytes are borrowed. */
typedef struct assay_reader {
    const uint8_t *p;
    size_t n, at;
    bool bad;
} assay_reader;

static inline assay_reader assay_reader_of(const void *p, size_t n)
{
    assay_reader r = {(const uint8_t *)p, n, 0, false};
    return r;
}
static inline size_t assay_reader_left(const assay_reader *r)
{
    return r->bad ? 0 : r->n - r->at;
}

uint8_t assay_read_u8(assay_reader *r);
uint16_t assay_read_u16(assay_reader *r);
uint32_t assay_read_u32(assay_reader *r);
uint64_t assay_read_u64(assay_reader *r);
int64_t assay_read_i64(assay_reader *r);
/* Borrowed pointer to the next n bytes, or NULL (and bad). n = 0 gives a non-NULL pointer. */
const uint8_t *assay_read_bytes(assay_reader *r, size_t n);

/* A growable write buffer with a maximum. After a failed append `bad` stays set. */
typedef struct assay_writer {
    uint8_t *p;
    size_t n, cap, max;
    bool bad;
} assay_writer;

void assay_writer_init(assay_writer *w, size_t max);
void assay_writer_clear(assay_writer *w); /* wipes and frees */
void assay_write_u8(assay_writer *w, uint8_t v);
void assay_write_u16(assay_writer *w, uint16_t v);
void assay_write_u32(assay_writer *w, uint32_t v);
void assay_write_u64(assay_writer *w, uint64_t v);
void assay_write_i64(assay_writer *w, int64_t v);
void assay_write_bytes(assay_writer *w, const void *p, size_t n);

static inline void assay_store_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (8 * i));
}
static inline void assay_store_u64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}
static inline uint16_t assay_load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t assay_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t assay_load_u64(const uint8_t *p)
{
    return (uint64_t)assay_load_u32(p) | (uint64_t)assay_load_u32(p + 4) << 32;
}

#endif
