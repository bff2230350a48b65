/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and keys of TOML: basic and literal, on one line or several. */
#include "daemon/toml_impl.h"
#include <string.h>

/* Control characters that no string may hold as they are. */
static bool is_control(char ch)
{
    const unsigned char b = (unsigned char)ch;
    return (b < 32 && b != '\t') || b == 127;
}

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F') return ch - 'A' + 10;
    return -1;
}

/* The code point of n digits, as UTF-8. */
static assay_status escaped_code_point(toml_cursor *c, char *out, size_t *n_out, size_t digits)
{
    uint32_t v = 0;
    for (size_t i = 0; i < digits; i++) {
        const int h = hex_value(toml_peek(c));
        if (h < 0) return TOML_FAIL(c, ASSAY_EFORMAT, "\\u takes 4 hexadecimal digits, \\U takes 8");
        v = v << 4 | (uint32_t)h;
        c->at++;
    }
    if (v > 0x10FFFF || (v >= 0xD800 && v < 0xE000))
        return TOML_FAIL(c, ASSAY_EFORMAT, "the escaped number is no Unicode scalar value");
    char *p = out + *n_out;
    if (v < 0x80) {
        p[0] = (char)v;
        *n_out += 1;
    } else if (v < 0x800) {
        p[0] = (char)(0xC0 | v >> 6);
        p[1] = (char)(0x80 | (v & 0x3F));
        *n_out += 2;
    } else if (v < 0x10000) {
        p[0] = (char)(0xE0 | v >> 12);
        p[1] = (char)(0x80 | (v >> 6 & 0x3F));
        p[2] = (char)(0x80 | (v & 0x3F));
        *n_out += 3;
    } else {
        p[0] = (char)(0xF0 | v >> 18);
        p[1] = (char)(0x80 | (v >> 12 & 0x3F));
        p[2] = (char)(0x80 | (v >> 6 & 0x3F));
        p[3] = (char)(0x80 | (v & 0x3F));
        *n_out += 4;
    }
    return ASSAY_OK;
}

/* A backslash at the end of a line: white space goes, up to the next character that is none. */
static assay_status line_ending_backslash(toml_cursor *c)
{
    while (toml_peek(c) == ' ' || toml_peek(c) == '\t') c->at++;
    if (toml_peek(c) != '\n') return TOML_FAIL(c, ASSAY_EFORMAT, "unknown escape in a string");
    while (toml_peek(c) == ' ' || toml_peek(c) == '\t' || toml_peek(c) == '\n') {
        if (*c->at == '\n') c->line++;
        c->at++;
    }
    return ASSAY_OK;
}

/* After a backslash. What is written is never longer than what was read: \uXXXX is at most 3 bytes, \UXXXXXXXX 4. */
static assay_status escape(toml_cursor *c, char *out, size_t *n_out, bool multiline)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    const char ch = toml_peek(c);
    if (multiline && (ch == ' ' || ch == '\t' || ch == '\n')) return line_ending_backslash(c);
    if (ch == 'u' || ch == 'U') {
        c->at++;
        return escaped_code_point(c, out, n_out, ch == 'u' ? 4 : 8);
    }
    const char *known = ch ? strchr(from, ch) : NULL;
    if (!known) return TOML_FAIL(c, ASSAY_EFORMAT, "unknown escape in a string");
    out[(*n_out)++] = to[known - from];
    c->at++;
    return ASSAY_OK;
}

/* The bytes up to the end of the document bound the string's length. Strings are short against the document as a rule;
 * so the quotes that end it are looked for first, and only as much is taken. Escaped quotes make it an upper bound. */
static size_t bound_of(const toml_cursor *c, char quote, bool multiline)
{
    const char *p = c->at;
    for (; p < c->end; p++) {
        if (quote == '"' && *p == '\\' && p + 1 < c->end) {
            p++;
            continue;
        }
        const bool ends = multiline ? c->end - p >= 3 && p[1] == quote && p[2] == quote : true;
        if ((*p == quote && ends) || (*p == '\n' && !multiline)) break;
    }
    return (size_t)(p - c->at) + 3; /* two quotes may stand before the last three, and a zero byte follows */
}

/* After the three quotes that end a string of several lines: two more belong to it. */
static void trailing_quotes(toml_cursor *c, char *out, size_t *n_out, char quote)
{
    for (int i = 0; i < 2 && toml_peek(c) == quote; i++) {
        out[(*n_out)++] = quote;
        c->at++;
    }
}

assay_status assay_toml_string(toml_cursor *c, const char **text, size_t *n, bool multiline)
{
    const char quote = toml_peek(c), three[3] = {quote, quote, quote};
    const bool many = toml_starts(c, three, 3) && multiline;
    c->at += many ? 3 : 1;
    if (many && toml_peek(c) == '\n') {
        c->at++;
        c->line++;
    }
    char *out = assay_toml_take(c->doc, bound_of(c, quote, many));
    if (!out) return TOML_FAIL(c, ASSAY_ENOMEM, "out of memory");
    *text = out;
    *n = 0;
    while (c->at < c->end) {
        const char ch = *c->at;
        if (ch == quote && (!many || toml_starts(c, three, 3))) {
            c->at += many ? 3 : 1;
            if (many) trailing_quotes(c, out, n, quote);
            return ASSAY_OK;
        }
        if (is_control(ch) && !(many && ch == '\n'))
            return TOML_FAIL(c, ASSAY_EFORMAT,
                             ch == '\n' ? "a string does not end on its line" : "a control character in a string");
        c->at++;
        if (ch == '\\' && quote == '"') {
            assay_status s = escape(c, out, n, many);
            if (s != ASSAY_OK) return s;
            continue;
        }
        if (ch == '\n') c->line++;
        out[(*n)++] = ch;
    }
    return TOML_FAIL(c, ASSAY_EFORMAT, "a string does not end");
}

static bool is_bare(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
}

assay_status assay_toml_key(toml_cursor *c, const char **text, size_t *n)
{
    if (toml_peek(c) == '"' || toml_peek(c) == '\'') return assay_toml_string(c, text, n, false);
    const char *begin = c->at;
    while (c->at < c->end && is_bare(*c->at)) c->at++;
    *n = (size_t)(c->at - begin);
    if (*n == 0) return TOML_FAIL(c, ASSAY_EFORMAT, "a key is expected here");
    char *out = assay_toml_take(c->doc, *n + 1);
    if (!out) return TOML_FAIL(c, ASSAY_ENOMEM, "out of memory");
    memcpy(out, begin, *n);
    *text = out;
    return ASSAY_OK;
}
