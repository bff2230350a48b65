/* SPDX-License-Identifier: Apache-2.0 */
/* Normal form C. Source: the Unicode Standard, section 3.11 (canonical ordering, composition) and 3.12 (Hangul). */
#include "model/unicode.h"
#include <stdlib.h>

enum {
    L_BASE = 0x1100, /* Hangul: leading consonants, vowels, trailing consonants, syllables */
    V_BASE = 0x1161,
    T_BASE = 0x11a7,
    S_BASE = 0xac00,
    L_COUNT = 19,
    V_COUNT = 21,
    T_COUNT = 28,
    S_COUNT = L_COUNT * V_COUNT * T_COUNT
};

static unsigned combining(uint32_t c)
{
    if (c < 0x300 || c >= ASSAY_BROKEN_BYTE) return 0;
    return assay_range_value(assay_unicode_combining, assay_unicode_combining_count, c);
}

/* A character among the decomposed ones: combining class, place and number in one integer, so that sorting a run of
 * marks by it is the canonical order. */
static uint64_t item_of(uint32_t c, size_t place)
{
    return (uint64_t)combining(c) << 56 | (uint64_t)place << 24 | c;
}
static uint32_t item_character(uint64_t item)
{
    return (uint32_t)item & 0xffffff;
}
static unsigned item_combining(uint64_t item)
{
    return (unsigned)(item >> 56);
}

static size_t put(uint64_t *w, size_t n, uint32_t c)
{
    w[n] = item_of(c, n);
    return n + 1;
}

/* Appends the full canonical decomposition of c to w[n ..]; returns the new n. */
static size_t decompose(uint64_t *w, size_t n, uint32_t c)
{
    if (c - S_BASE < S_COUNT) {
        uint32_t s = c - S_BASE;
        n = put(w, n, L_BASE + s / (V_COUNT * T_COUNT));
        n = put(w, n, V_BASE + s / T_COUNT % V_COUNT);
        if (s % T_COUNT) n = put(w, n, T_BASE + s % T_COUNT);
        return n;
    }
    size_t low = 0, high = assay_unicode_decompositions_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const assay_decomposition *d = &assay_unicode_decompositions[middle];
        if (d->c == c) {
            n = decompose(w, n, d->to[0]); /* at most four deep */
            if (d->to[1]) n = put(w, n, d->to[1]);
            return n;
        }
        if (d->c < c)
            low = middle + 1;
        else
            high = middle;
    }
    n = put(w, n, c);
    return n;
}

/* The character that a then b compose to, or 0. */
static uint32_t compose(uint32_t a, uint32_t b)
{
    if (a - L_BASE < L_COUNT && b - V_BASE < V_COUNT) return S_BASE + ((a - L_BASE) * V_COUNT + (b - V_BASE)) * T_COUNT;
    if (a - S_BASE < S_COUNT && (a - S_BASE) % T_COUNT == 0 && b - T_BASE - 1 < T_COUNT - 1) return a + (b - T_BASE);
    size_t low = 0, high = assay_unicode_compositions_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const assay_decomposition *d = &assay_unicode_decompositions[assay_unicode_compositions[middle]];
        if (d->to[0] == a && d->to[1] == b) return d->c;
        if (d->to[0] < a || (d->to[0] == a && d->to[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static int by_item(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Puts each run of marks in the canonical order. */
static void reorder(uint64_t *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t end = i;
        while (end < n && item_combining(w[end]) != 0) end++;
        if (end - i > 1) qsort(w + i, end - i, sizeof *w, by_item);
        if (end > i) i = end - 1;
    }
}

/* Composes each mark or letter with the last starter where nothing between them blocks it; returns how many are left.
 */
static size_t compose_all(uint64_t *w, size_t n)
{
    size_t kept = 0, starter = SIZE_MAX;
    unsigned last = 0; /* combining class of w[kept - 1] */
    for (size_t i = 0; i < n; i++) {
        unsigned class = item_combining(w[i]);
        if (starter != SIZE_MAX && (last == 0 || last < class)) {
            uint32_t c = compose(item_character(w[starter]), item_character(w[i]));
            if (c) {
                w[starter] = item_of(c, 0);
                continue;
            }
        }
        if (class == 0) starter = kept;
        last = class;
        w[kept++] = w[i];
    }
    return kept;
}

size_t assay_nfc(uint8_t *out, uint64_t *work, const uint8_t *text, size_t n)
{
    size_t count = 0, written = 0, len;
    for (size_t at = 0; at < n; at += len) {
        uint32_t c = assay_utf8_read(text + at, n - at, &len);
        count = c == ASSAY_BROKEN_BYTE ? put(work, count, ASSAY_BROKEN_BYTE + text[at]) : decompose(work, count, c);
    }
    reorder(work, count);
    count = compose_all(work, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t c = item_character(work[i]);
        if (c >= ASSAY_BROKEN_BYTE)
            out[written++] = (uint8_t)(c - ASSAY_BROKEN_BYTE);
        else
            written += assay_utf8_write(out + written, c);
    }
    return written;
}

bool assay_nfc_is_stable(const uint8_t *text, size_t n)
{
    size_t len;
    for (size_t at = 0; at < n; at += len) {
        uint32_t c = assay_utf8_read(text + at, n - at, &len);
        if (c >= 0x300 && (assay_char_class(c) & ASSAY_CHAR_UNSTABLE)) return false;
    }
    return true;
}
