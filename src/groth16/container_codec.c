/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the container that nobody vouches for. */
#include "base/subject.h"
#include "groth16/container.h"
#include <string.h>

enum { HEAD_BYTES = 12, SECTION_HEAD_BYTES = 12 };

static assay_status refuse(const assay_container *c, const char *part, const char *reason, uint64_t a, uint64_t b,
                           assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, subject_of(subject, c->source.name, part), reason, a, b);
}

/* One entry of the table; *at moves behind the section. */
static assay_status read_section(assay_container *c, uint64_t *at, assay_errinfo *err)
{
    uint8_t head[SECTION_HEAD_BYTES];
    assay_status s = assay_source_read(&c->source, head, *at, sizeof head, "head of a section", err);
    if (s != ASSAY_OK) return s;
    assay_section now = {.id = assay_load_u32(head), .at = *at + sizeof head, .n = assay_load_u64(head + 4)};
    if (now.n > c->source.n - now.at)
        return refuse(c, "sections", "one is longer than the file (number, bytes)", now.id, now.n, err);
    if (assay_container_find(c, now.id)) return refuse(c, "sections", "one comes twice (number)", now.id, now.n, err);
    c->section[c->n_sections++] = now;
    *at = now.at + now.n;
    return ASSAY_OK;
}

static assay_status read_table(assay_container *c, const char *magic, uint32_t max_version, assay_errinfo *err)
{
    uint8_t head[HEAD_BYTES];
    uint64_t at = sizeof head;
    if (c->source.n < sizeof head)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, c->source.name, "is too short for its kind (bytes)", c->source.n);
    assay_status s = assay_source_read(&c->source, head, 0, sizeof head, "head", err);
    if (s != ASSAY_OK) return s;
    if (memcmp(head, magic, 4) != 0) {
        char reason[ASSAY_SUBJECT_BYTES];
        return ASSAY_FAIL(err, ASSAY_EFORMAT, subject_of(reason, c->source.name, magic), "is not a file of this kind");
    }
    c->version = assay_load_u32(head + 4);
    if (c->version == 0 || c->version > max_version)
        return ASSAY_FAIL2(err, ASSAY_EUNSUPPORTED, c->source.name, "has an unknown version (version, newest known)",
                           c->version, max_version);
    uint32_t n = assay_load_u32(head + 8);
    if (n > ASSAY_CONTAINER_SECTIONS)
        return refuse(c, "sections", "too many (sections, limit)", n, ASSAY_CONTAINER_SECTIONS, err);
    for (uint32_t i = 0; i < n && s == ASSAY_OK; i++) s = read_section(c, &at, err);
    if (s == ASSAY_OK && at != c->source.n)
        s = refuse(c, "sections", "bytes after the last one (its end, bytes of the file)", at, c->source.n, err);
    return s;
}

assay_status assay_container_take(assay_container *c, assay_source source, const char *magic, uint32_t max_version,
                                  assay_errinfo *err)
{
    *c = (assay_container){.source = source};
    assay_status s = read_table(c, magic, max_version, err);
    if (s != ASSAY_OK) assay_container_close(c);
    return s;
}

assay_status assay_container_open(assay_container *c, const char *path, const char *magic, uint32_t max_version,
                                  assay_errinfo *err)
{
    assay_source source;
    *c = (assay_container){.source = {.fd = -1}};
    assay_status s = assay_source_open(&source, path, err);
    return s == ASSAY_OK ? assay_container_take(c, source, magic, max_version, err) : s;
}

assay_status assay_container_of(assay_container *c, const char *name, const void *p, size_t n, const char *magic,
                                uint32_t max_version, assay_errinfo *err)
{
    return assay_container_take(c, assay_source_of(name, p, n), magic, max_version, err);
}

void assay_container_close(assay_container *c)
{
    assay_source_close(&c->source);
    c->n_sections = 0;
}

const assay_section *assay_container_find(const assay_container *c, uint32_t id)
{
    for (size_t i = 0; i < c->n_sections; i++)
        if (c->section[i].id == id) return &c->section[i];
    return NULL;
}

assay_status assay_container_need(const assay_section **s, const assay_container *c, uint32_t id, uint64_t n,
                                  const char *part, assay_errinfo *err)
{
    *s = assay_container_find(c, id);
    if (!*s) return refuse(c, part, "is missing", id, 0, err);
    if (n != UINT64_MAX && (*s)->n != n)
        return refuse(c, part, "has a wrong length (bytes, expected)", (*s)->n, n, err);
    return ASSAY_OK;
}

assay_status assay_container_load(uint8_t *out, size_t *n, size_t max, const assay_container *c, uint32_t id,
                                  const char *part, assay_errinfo *err)
{
    const assay_section *found;
    *n = 0;
    assay_status s = assay_container_need(&found, c, id, UINT64_MAX, part, err);
    if (s != ASSAY_OK) return s;
    if (found->n > max) return refuse(c, part, "is too long (bytes, limit)", found->n, max, err);
    s = assay_source_read(&c->source, out, found->at, (size_t)found->n, part, err);
    if (s == ASSAY_OK) *n = (size_t)found->n;
    return s;
}

assay_status assay_container_stream(assay_stream *t, const assay_container *c, const assay_section *s, const char *part,
                                    assay_errinfo *err)
{
    return assay_stream_init(t, &c->source, s->at, s->n, 0, part, err);
}

const uint8_t *assay_read_prime(assay_reader *r, uint32_t *n8)
{
    *n8 = assay_read_u32(r);
    if (*n8 == 0 || *n8 > ASSAY_FQ_MAX_BYTES) {
        r->bad = true;
        return NULL;
    }
    return assay_read_bytes(r, *n8);
}
