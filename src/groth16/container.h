/* SPDX-License-Identifier: Apache-2.0 */
/* The container that .r1cs, .wtns, .zkey and .ptau share (iden3's binfile): magic, version, sections of an id and a
 * length in any order. docs/groth16.md, "Formats". */
#ifndef ASSAY_GROTH16_CONTAINER_H
#define ASSAY_GROTH16_CONTAINER_H

#include "base/bytes.h"
#include "base/file.h"
#include "curve/curve.h"
#include "groth16/source.h"

enum { ASSAY_CONTAINER_SECTIONS = 64 }; /* at most, in a file; the formats have up to 15 */

typedef struct assay_section {
    uint32_t id;
    uint64_t at, n; /* place in the file, bytes */
} assay_section;

typedef struct assay_container {
    assay_source source;
    uint32_t version;
    size_t n_sections;
    assay_section section[ASSAY_CONTAINER_SECTIONS];
} assay_container;

/* Reads the table of sections: they fill the file exactly, and no id comes twice. Ids that a format does not know stand
 * in the table and hurt nobody. magic: four characters. ASSAY_EFORMAT, ASSAY_EUNSUPPORTED (version 0 or above
 * max_version), ASSAY_EIO. Cost: one small read a section. Empty on failure. */
ASSAY_MUST_USE assay_status assay_container_open(assay_container *c, const char *path, const char *magic,
                                                 uint32_t max_version, assay_errinfo *err);
/* The same from n bytes of memory, borrowed. name stands in messages. */
ASSAY_MUST_USE assay_status assay_container_of(assay_container *c, const char *name, const void *p, size_t n,
                                               const char *magic, uint32_t max_version, assay_errinfo *err);
/* From a source that is open: the container closes it, on failure too. */
ASSAY_MUST_USE assay_status assay_container_take(assay_container *c, assay_source source, const char *magic,
                                                 uint32_t max_version, assay_errinfo *err);
void assay_container_close(assay_container *c);

/* NULL when there is none. */
const assay_section *assay_container_find(const assay_container *c, uint32_t id);
/* Section id, of exactly n bytes (UINT64_MAX: any). part names it in messages: "section 5 (A)". ASSAY_EFORMAT. */
ASSAY_MUST_USE assay_status assay_container_need(const assay_section **s, const assay_container *c, uint32_t id,
                                                 uint64_t n, const char *part, assay_errinfo *err);
/* The whole of a small section into out: at most max bytes, *n of them. */
ASSAY_MUST_USE assay_status assay_container_load(uint8_t *out, size_t *n, size_t max, const assay_container *c,
                                                 uint32_t id, const char *part, assay_errinfo *err);
/* A stream over a whole section. */
ASSAY_MUST_USE assay_status assay_container_stream(assay_stream *t, const assay_container *c, const assay_section *s,
                                                   const char *part, assay_errinfo *err);

/* ---- writing: every section's length is said before its bytes, so the file is written in one pass. */
typedef struct assay_container_writer {
    assay_outfile *file;  /* borrowed; or */
    assay_writer *memory; /* borrowed */
    uint8_t *buffer;
    size_t n;      /* bytes in the buffer */
    uint64_t left; /* of the section that is open */
    uint32_t sections_left;
} assay_container_writer;

/* Begins a file of exactly n_sections sections. One of file, memory is NULL. ASSAY_ENOMEM, ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_container_write(assay_container_writer *w, assay_outfile *file, assay_writer *memory,
                                                  const char *magic, uint32_t version, uint32_t n_sections,
                                                  assay_errinfo *err);
/* Begins a section of n bytes; the one before must be full. ASSAY_EINVAL otherwise. */
ASSAY_MUST_USE assay_status assay_container_section(assay_container_writer *w, uint32_t id, uint64_t n,
                                                    assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_container_put(assay_container_writer *w, const void *p, size_t n, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_container_put_u32(assay_container_writer *w, uint32_t v, assay_errinfo *err);
/* Writes what is buffered; ASSAY_EINVAL when sections or bytes are missing. The file is committed by its owner. */
ASSAY_MUST_USE assay_status assay_container_finish(assay_container_writer *w, assay_errinfo *err);
/* Wipes and frees the buffer; NULL-safe after a failure of assay_container_write. */
void assay_container_writer_clear(assay_container_writer *w);

/* ---- a prime as headers have it: u32 n8, then n8 little-endian bytes. */
enum { ASSAY_PRIME_MAX = 4 + ASSAY_FQ_MAX_BYTES };
/* Reads one; NULL, and r->bad, when it is cut or longer than any we know. *n8: its bytes. */
const uint8_t *assay_read_prime(assay_reader *r, uint32_t *n8);
/* Writes n8 and the modulus: limbs, lowest first. Returns bytes written. */
size_t assay_store_prime(uint8_t out[ASSAY_PRIME_MAX], const uint64_t *modulus, size_t n_limbs);

#endif
