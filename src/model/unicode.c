/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 and character classes. */
#include "model/unicode.h"

uint32_t assay_utf8_read(const uint8_t *s, size_t n, size_t *len)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    *len = 1;
    if (s[0] < 0x80) return s[0];
    size_t more = s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : s[0] < 0xf8 ? 3 : 0;
    if (more == 0 || more >= n) return ASSAY_BROKEN_BYTE;
    uint32_t c = s[0] & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) return ASSAY_BROKEN_BYTE;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < least[more] || c >= ASSAY_BROKEN_BYTE || (c >= 0xd800 && c < 0xe000)) return ASSAY_BROKEN_BYTE;
    *len = more + 1;
    return c;
}

size_t assay_utf8_write(uint8_t out[4], uint32_t c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3f));
    out[0] = (uint8_t)((0xf00u >> n & 0xffu) | c);
    return n;
}

size_t assay_utf8_before(const uint8_t *s, size_t n)
{
    for (size_t len = 1, read; len <= 4 && len <= n; len++) {
        uint32_t c = assay_utf8_read(s + n - len, len, &read);
        if (c != ASSAY_BROKEN_BYTE && read == len) return n - len;
    }
    return n - 1;
}

/* The value of the range that c lies in. */
unsigned assay_range_value(const uint32_t *ranges, size_t n, uint32_t c)
{
    size_t low = 0, high = n; /* ranges[low] begins at or before c, ranges[high] after it */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle] >> 8 <= c)
            low = middle;
        else
            high = middle;
    }
    return ranges[low] & 0xff;
}

unsigned assay_char_class(uint32_t c)
{
    if (c < 0x80) {
        if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') return ASSAY_CHAR_LETTER | ASSAY_CHAR_WORD;
        if (c >= '0' && c <= '9') return ASSAY_CHAR_NUMBER | ASSAY_CHAR_WORD;
        if (c == ' ' || (c >= 9 && c <= 13)) return ASSAY_CHAR_SPACE;
        return c == '_' ? ASSAY_CHAR_WORD : 0;
    }
    return c >= ASSAY_BROKEN_BYTE ? 0 : assay_range_value(assay_unicode_classes, assay_unicode_classes_count, c);
}
