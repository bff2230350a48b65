/* SPDX-License-Identifier: Apache-2.0 */
/* Where the bytes of a key or a witness come from: a file, read by pread, or memory. A file is never mapped: one that
 * is cut or replaced while it is read gives an error, not a signal. */
#ifndef ASSAY_GROTH16_SOURCE_H
#define ASSAY_GROTH16_SOURCE_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct assay_source {
    const char *name; /* for messages; borrowed */
    uint64_t n;       /* bytes, when it was opened */
    const uint8_t *p; /* memory, borrowed; NULL: a file */
    int fd;           /* -1: memory */
} assay_source;

/* A regular file. Close it with assay_source_close. */
ASSAY_MUST_USE assay_status assay_source_open(assay_source *s, const char *path, assay_errinfo *err);
/* n bytes of memory, which must live as long as the source. */
assay_source assay_source_of(const char *name, const void *p, size_t n);
void assay_source_close(assay_source *s);

/* n bytes from place `at` into out. part: what they are, for the message ("section 5 (A)"). ASSAY_EFORMAT when the
 * source ends before, also when it did not when it was opened; ASSAY_EIO. Safe from several threads at once. */
ASSAY_MUST_USE assay_status assay_source_read(const assay_source *s, void *out, uint64_t at, size_t n, const char *part,
                                              assay_errinfo *err);

/* A part of a source, read in order through a buffer. */
typedef struct assay_stream {
    const assay_source *source; /* borrowed */
    const char *part;           /* borrowed; static text mostly */
    uint64_t at, end;           /* what is not in the buffer yet */
    uint8_t *buffer;
    size_t cap, from, to;
} assay_stream;

/* Bytes [at, at + n) of the source, which lie within it. nbytes: of the buffer, wiped when cleared; 0 for a usual one
 * (256 KiB, less when n is less). ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_stream_init(assay_stream *t, const assay_source *s, uint64_t at, uint64_t n,
                                              size_t nbytes, const char *part, assay_errinfo *err);
void assay_stream_clear(assay_stream *t);
/* *p: the next n bytes, borrowed until the next call; n is at most the size of the buffer (0 is fine). ASSAY_EFORMAT
 * when the part has fewer. */
ASSAY_MUST_USE assay_status assay_stream_take(assay_stream *t, const uint8_t **p, size_t n, assay_errinfo *err);
static inline uint64_t assay_stream_left(const assay_stream *t)
{
    return t->end - t->at + (t->to - t->from);
}

#endif
