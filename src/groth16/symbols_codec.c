/* SPDX-License-Identifier: Apache-2.0 */
/* Reading .sym files, line by line. */
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/symbols.h"
#include <stdbool.h>
#include <string.h>

enum { LINE_BYTES = 4096, CHUNK = 64 << 10 };

/* A decimal number up to the comma at *p, which is skipped; -1 is 2^32 - 1, no wire. False when there is none. */
static bool read_number(uint64_t *out, const uint8_t **p, const uint8_t *end)
{
    bool minus = *p < end && **p == '-';
    uint64_t v = 0;
    const uint8_t *first = *p += minus;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
        if (v > (UINT64_MAX - 9) / 10) return false;
        v = 10 * v + (uint64_t)(**p - '0');
    }
    if (*p == first || *p == end || **p != ',') return false;
    ++*p;
    *out = minus ? UINT64_MAX : v;
    return true;
}

static assay_status read_line(assay_symbol *symbol, size_t n, const uint8_t *p, size_t n_line,
                              const assay_source *source, uint64_t line, assay_errinfo *err)
{
    uint64_t label, wire, component;
    const uint8_t *end = p + n_line;
    if (n_line > 0 && end[-1] == '\r') end--;
    if (p == end) return ASSAY_OK;
    if (!read_number(&label, &p, end) || !read_number(&wire, &p, end) || !read_number(&component, &p, end))
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, source->name, "is not `label,wire,component,name` in line", line);
    for (size_t i = 0; i < n; i++) {
        if (symbol[i].wire != wire || symbol[i].name[0]) continue;
        size_t length = (size_t)(end - p) < ASSAY_SYMBOL_BYTES - 1 ? (size_t)(end - p) : ASSAY_SYMBOL_BYTES - 1;
        for (size_t k = 0; k < length; k++) symbol[i].name[k] = (char)(p[k] > ' ' && p[k] <= '~' ? p[k] : '?');
        symbol[i].name[length] = 0;
    }
    return ASSAY_OK;
}

/* The lines that end in buffer[0 .. *n); what follows the last one is moved to the front and *n set to its length. */
static assay_status read_lines(assay_symbol *symbol, size_t n_symbols, uint8_t *buffer, size_t *n,
                               const assay_source *source, uint64_t *line, assay_errinfo *err)
{
    size_t from = 0;
    for (;;) {
        const uint8_t *end = memchr(buffer + from, '\n', *n - from);
        if (!end) break;
        size_t length = (size_t)(end - (buffer + from));
        assay_status s = read_line(symbol, n_symbols, buffer + from, length, source, ++*line, err);
        if (s != ASSAY_OK) return s;
        from += length + 1;
    }
    *n -= from;
    memmove(buffer, buffer + from, *n);
    if (*n > LINE_BYTES) return ASSAY_FAIL1(err, ASSAY_EFORMAT, source->name, "is too long in line", *line + 1);
    return ASSAY_OK;
}

assay_status assay_symbols_find_in(assay_symbol *symbol, size_t n, const assay_source *source, assay_errinfo *err)
{
    uint64_t line = 0;
    size_t held = 0;
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < n; i++) symbol[i].name[0] = 0;
    uint8_t *buffer = assay_mem_alloc_raw(LINE_BYTES + CHUNK, 1);
    if (!buffer) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    for (uint64_t at = 0; at < source->n && s == ASSAY_OK;) {
        size_t now = source->n - at < CHUNK ? (size_t)(source->n - at) : CHUNK;
        s = assay_source_read(source, buffer + held, at, now, "lines", err);
        if (s != ASSAY_OK) break;
        at += now;
        held += now;
        s = read_lines(symbol, n, buffer, &held, source, &line, err);
    }
    if (s == ASSAY_OK) s = read_line(symbol, n, buffer, held, source, line + 1, err);
    assay_mem_free(buffer);
    return s;
}

assay_status assay_symbols_find(assay_symbol *symbol, size_t n, const char *path, assay_errinfo *err)
{
    assay_source source;
    assay_status s = assay_source_open(&source, path, err);
    if (s == ASSAY_OK) s = assay_symbols_find_in(symbol, n, &source, err);
    assay_source_close(&source);
    return s;
}
