/* SPDX-License-Identifier: Apache-2.0 */
/* Framing, timeouts and percent-encoding of gRPC. */
#include "daemon/grpc_codec.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 5, FIRST = 1 << 14, TRUSTED = 1 << 22 };

const char *assay_rpc_code_name(assay_rpc_code code)
{
    static const char *const names[] = {
        "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED"};
    return (unsigned)code < sizeof names / sizeof *names ? names[code] : "UNKNOWN";
}

/* ---- timeouts */

bool assay_grpc_timeout_parse(uint64_t *ms, const char *p, size_t n)
{
    uint64_t v = 0;
    if (n < 2 || n > 9) return false;
    for (size_t i = 0; i + 1 < n; i++) {
        if (p[i] < '0' || p[i] > '9') return false;
        v = 10 * v + (uint64_t)(p[i] - '0');
    }
    switch (p[n - 1]) { /* 8 digits of hours are below 2^49 ms */
    case 'H':
        *ms = v * 3600000;
        return true;
    case 'M':
        *ms = v * 60000;
        return true;
    case 'S':
        *ms = v * 1000;
        return true;
    case 'm':
        *ms = v;
        return true;
    case 'u':
        *ms = (v + 999) / 1000;
        return true;
    case 'n':
        *ms = (v + 999999) / 1000000;
        return true;
    default:
        return false;
    }
}

const char *assay_grpc_timeout_text(char out[ASSAY_GRPC_TIMEOUT_BYTES], uint64_t ms)
{
    static const struct {
        uint64_t ms;
        char name;
    } units[] = {{1, 'm'}, {1000, 'S'}, {60000, 'M'}, {3600000, 'H'}};
    const uint64_t most = 99999999;
    size_t i = 0;
    while (i < 3 && ms / units[i].ms >= most) i++;
    uint64_t v = ms / units[i].ms + (ms % units[i].ms != 0);
    (void)snprintf(out, ASSAY_GRPC_TIMEOUT_BYTES, "%" PRIu64 "%c", v > most ? most : v, units[i].name);
    return out;
}

/* ---- percent-encoding */

void assay_percent_encode(char *out, size_t nbytes, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t at = 0;
    for (; *text; text++) {
        const unsigned char b = (unsigned char)*text;
        const bool plain = b >= 0x20 && b <= 0x7E && b != '%';
        if (at + (plain ? 1 : 3) >= nbytes) break;
        if (plain) {
            out[at++] = (char)b;
        } else {
            out[at++] = '%';
            out[at++] = digits[b >> 4];
            out[at++] = digits[b & 15];
        }
    }
    out[at] = '\0';
}

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F') return ch - 'A' + 10;
    return -1;
}

void assay_percent_decode(char *out, size_t nbytes, const char *p, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at + 1 < nbytes; i++) {
        char ch = p[i];
        if (ch == '%' && n - i > 2 && hex_value(p[i + 1]) >= 0 && hex_value(p[i + 2]) >= 0) {
            ch = (char)(hex_value(p[i + 1]) << 4 | hex_value(p[i + 2]));
            i += 2;
        }
        out[at++] = (unsigned char)ch < 32 || ch == 127 ? '?' : ch;
    }
    out[at] = '\0';
}

/* ---- framing */

/* Room for more of the message. What a client announces is believed once it has sent 4 MiB of it. */
static bool grow(assay_deframer *d)
{
    size_t cap = d->cap ? 2 * d->cap : FIRST;
    if (cap > TRUSTED || cap > d->need) cap = d->need;
    if (cap == 0) cap = 1; /* an empty message has a block too */
    if (!assay_rpc_memory_take(d->memory, cap - d->cap)) return false;
    uint8_t *p = assay_mem_alloc_raw(cap, 1); /* not zeroed: what is announced is not touched before it comes */
    if (!p) {
        assay_rpc_memory_give(d->memory, cap - d->cap);
        return false;
    }
    if (d->n) memcpy(p, d->p, d->n);
    assay_mem_free_secret(d->p, d->n);
    d->p = p;
    d->cap = cap;
    return true;
}

/* The five bytes before a message. */
static assay_rpc_code read_head(assay_deframer *d, const char **why)
{
    const uint8_t *h = d->head;
    if (h[0] > 1) {
        *why = "a message's first byte is neither 0 nor 1";
        return ASSAY_RPC_INTERNAL;
    }
    if (h[0] == 1) {
        *why = "compressed messages are not supported";
        return ASSAY_RPC_UNIMPLEMENTED;
    }
    d->need = (size_t)h[1] << 24 | (size_t)h[2] << 16 | (size_t)h[3] << 8 | h[4];
    if (d->need <= d->most) return ASSAY_RPC_OK;
    *why = "the message is larger than this server takes";
    return ASSAY_RPC_RESOURCE_EXHAUSTED;
}

assay_rpc_code assay_deframer_feed(assay_deframer *d, const uint8_t *p, size_t n, assay_deframer_fn *fn, void *ctx,
                                   const char **why)
{
    for (;;) {
        if (d->n_head < HEAD) {
            if (n == 0) return ASSAY_RPC_OK;
            d->head[d->n_head++] = *p++;
            n--;
            if (d->n_head < HEAD) continue;
            const assay_rpc_code code = read_head(d, why);
            if (code != ASSAY_RPC_OK) return code;
        }
        if (d->n == d->cap && (d->n < d->need || !d->p) && !grow(d)) {
            *why = "no memory for the message";
            return ASSAY_RPC_RESOURCE_EXHAUSTED;
        }
        const size_t room = (d->cap < d->need ? d->cap : d->need) - d->n, part = n < room ? n : room;
        if (part) memcpy(d->p + d->n, p, part);
        d->n += part;
        p += part;
        n -= part;
        if (d->n < d->need) {
            if (n == 0) return ASSAY_RPC_OK;
            continue;
        }
        uint8_t *whole = d->p;
        const size_t n_whole = d->n, counted = d->cap;
        d->p = NULL;
        d->n = d->cap = d->need = d->n_head = 0;
        if (!fn(ctx, whole, n_whole, counted)) return ASSAY_RPC_OK;
    }
}

bool assay_deframer_is_between(const assay_deframer *d)
{
    return d->n_head == 0;
}

void assay_deframer_clear(assay_deframer *d)
{
    assay_mem_free_secret(d->p, d->n);
    if (d->cap) assay_rpc_memory_give(d->memory, d->cap);
    d->p = NULL;
    d->n = d->cap = d->need = d->n_head = 0;
}
