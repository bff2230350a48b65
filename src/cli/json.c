/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on stdout. */
#include "cli/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool first = true; /* nothing stands yet in the present object or array */

static void name(const char *key)
{
    printf("%s\"%s\": ", first ? "" : ", ", key);
    first = false;
}

void assay_json_begin(void)
{
    printf("%s{", first ? "" : ", ");
    first = true;
}

void assay_json_close(void)
{
    printf("}");
    first = false;
}

void assay_json_end(void)
{
    printf("}\n");
    first = true;
}

void assay_json_array_begin(const char *key)
{
    name(key);
    printf("[");
    first = true;
}

void assay_json_array_end(void)
{
    printf("]");
    first = false;
}

/* Length of the UTF-8 character at p, of n bytes, or 0. */
static size_t utf8(const uint8_t *p, size_t n)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = p[0] < 0x80             ? 1
                 : (p[0] & 0xe0) == 0xc0 ? 2
                 : (p[0] & 0xf0) == 0xe0 ? 3
                 : (p[0] & 0xf8) == 0xf0 ? 4
                                         : 0;
    if (len == 0 || len > n) return 0;
    uint32_t v = len == 1 ? p[0] : p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        v = v << 6 | (p[i] & 0x3f);
    }
    return v < least[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0 : len;
}

void assay_json_text(const char *key, const void *text, size_t n)
{
    const uint8_t *p = text;
    name(key);
    putchar('"');
    for (size_t i = 0; i < n;) {
        size_t len = utf8(p + i, n - i);
        if (len == 0)
            printf("\\ufffd");
        else if (p[i] == '"' || p[i] == '\\')
            printf("\\%c", p[i]);
        else if (p[i] < 32 || p[i] == 127)
            printf("\\u%04x", p[i]);
        else
            printf("%.*s", (int)len, (const char *)p + i);
        i += len ? len : 1;
    }
    putchar('"');
}

void assay_json_string(const char *key, const char *s)
{
    assay_json_text(key, s, strlen(s));
}

void assay_json_number(const char *key, uint64_t v)
{
    name(key);
    printf("%llu", (unsigned long long)v);
}

static void number(const char *key, double v, bool precise)
{
    name(key);
    if (!isfinite(v))
        printf("null");
    else if (precise)
        printf("%.12g", v);
    else
        printf("%.2f", v);
}

void assay_json_real(const char *key, double v)
{
    number(key, v, false);
}

void assay_json_precise(const char *key, double v)
{
    number(key, v, true);
}

void assay_json_bool(const char *key, bool v)
{
    name(key);
    printf("%s", v ? "true" : "false");
}

void assay_json_ids(const char *key, const uint32_t *ids, size_t n)
{
    name(key);
    putchar('[');
    for (size_t i = 0; i < n; i++) printf("%s%u", i ? ", " : "", (unsigned)ids[i]);
    putchar(']');
}
