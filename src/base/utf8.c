/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, strictly (RFC 3629). */
#include "base/utf8.h"
#include <string.h>

bool assay_utf8_valid(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        const unsigned b = p[i];
        size_t more = b < 0x80                ? 0
                      : b >= 0xC2 && b < 0xE0 ? 1
                      : b >= 0xE0 && b < 0xF0 ? 2
                      : b >= 0xF0 && b < 0xF5 ? 3
                                              : 4;
        if (more > 3 || more >= n - i) return false;
        for (size_t k = 1; k <= more; k++)
            if ((p[i + k] & 0xC0) != 0x80) return false;
        if ((b == 0xE0 && p[i + 1] < 0xA0) || (b == 0xED && p[i + 1] > 0x9F) || (b == 0xF0 && p[i + 1] < 0x90) ||
            (b == 0xF4 && p[i + 1] > 0x8F))
            return false;
        i += more + 1;
    }
    return true;
}

size_t assay_utf8_character(const char *text)
{
    const unsigned char b = (unsigned char)*text;
    const size_t n = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
    return memchr(text, 0, n) == NULL && assay_utf8_valid(text, n) ? n : 0;
}
