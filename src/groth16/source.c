/* SPDX-License-Identifier: Apache-2.0 */
/* Sources and streams: bytes at a place, from a file or from memory. */
#define _POSIX_C_SOURCE 200809L
#include "groth16/source.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/subject.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_BUFFER = 256 << 10 };

assay_status assay_source_open(assay_source *s, const char *path, assay_errinfo *err)
{
    *s = (assay_source){.name = path, .fd = -1};
    return assay_file_open(&s->fd, &s->n, path, err);
}

assay_source assay_source_of(const char *name, const void *p, size_t n)
{
    static const uint8_t nothing;
    return (assay_source){.name = name, .n = n, .p = p ? p : &nothing, .fd = -1};
}

void assay_source_close(assay_source *s)
{
    if (s->fd >= 0) (void)close(s->fd);
    *s = (assay_source){.name = s->name, .fd = -1};
}

static assay_status cut(const assay_source *s, const char *part, uint64_t at, uint64_t n, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, subject_of(subject, s->name, part), "the file ends inside (place, bytes)",
                       at, n);
}

assay_status assay_source_read(const assay_source *s, void *out, uint64_t at, size_t n, const char *part,
                               assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    uint8_t *to = out;
    if (at > s->n || n > s->n - at) return cut(s, part, at, n, err);
    if (s->fd < 0) {
        if (!s->p) return ASSAY_FAIL(err, ASSAY_EINVAL, s->name, "is closed");
        if (n > 0) memcpy(out, s->p + at, n);
        return ASSAY_OK;
    }
    for (size_t done = 0; done < n;) { /* at + n is at most the size of a file, so off_t holds it */
        ssize_t got = pread(s->fd, to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, subject_of(subject, s->name, part), "cannot be read", errno);
        if (got == 0) return cut(s, part, at, n, err); /* shorter than when it was opened */
        done += (size_t)got;
    }
    return ASSAY_OK;
}

assay_status assay_stream_init(assay_stream *t, const assay_source *s, uint64_t at, uint64_t n, size_t nbytes,
                               const char *part, assay_errinfo *err)
{
    size_t cap = nbytes ? nbytes : USUAL_BUFFER;
    if (cap > n) cap = (size_t)n;
    *t = (assay_stream){.source = s, .part = part, .at = at, .end = at + n, .cap = cap};
    if (at > s->n || n > s->n - at) return cut(s, part, at, n, err);
    if (cap > 0) t->buffer = assay_mem_alloc_raw(cap, 1);
    if (cap > 0 && !t->buffer) return ASSAY_FAIL(err, ASSAY_ENOMEM, s->name, "out of memory");
    return ASSAY_OK;
}

void assay_stream_clear(assay_stream *t)
{
    assay_mem_free_secret(t->buffer, t->cap);
    *t = (assay_stream){0};
}

assay_status assay_stream_take(assay_stream *t, const uint8_t **p, size_t n, assay_errinfo *err)
{
    static const uint8_t nothing;
    *p = &nothing;
    if (n == 0) return ASSAY_OK;
    if (n > assay_stream_left(t)) return cut(t->source, t->part, t->at, n, err);
    if (n > t->cap) return ASSAY_FAIL2(err, ASSAY_EINTERNAL, t->part, "more than the buffer holds", n, t->cap);
    if (n > t->to - t->from) {
        size_t kept = t->to - t->from;
        memmove(t->buffer, t->buffer + t->from, kept);
        size_t more = t->cap - kept;
        if (more > t->end - t->at) more = (size_t)(t->end - t->at);
        assay_status s = assay_source_read(t->source, t->buffer + kept, t->at, more, t->part, err);
        if (s != ASSAY_OK) return s;
        t->at += more;
        t->from = 0;
        t->to = kept + more;
    }
    *p = t->buffer + t->from;
    t->from += n;
    return ASSAY_OK;
}
