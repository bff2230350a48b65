/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of TOML. Dates and times are told apart, to be refused by name. */
#include "daemon/toml_impl.h"
#include <stdlib.h>

enum { MAX_DIGITS = 400 }; /* of a float, underscores left out */

static bool is_digit(char ch, unsigned base)
{
    if (base == 16 && ((ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F'))) return true;
    return ch >= '0' && ch < (char)('0' + (base < 10 ? base : 10));
}

static unsigned digit_value(char ch)
{
    return (unsigned)(ch <= '9' ? ch - '0' : (ch | 0x20) - 'a' + 10);
}

/* The end of a run of digits with single underscores between them; p itself if it does not begin with a digit. */
static const char *digits_end(const char *p, const char *end, unsigned base)
{
    if (p == end || !is_digit(*p, base)) return p;
    for (p++; p < end; p++) {
        if (is_digit(*p, base)) continue;
        if (*p != '_' || p + 1 == end || !is_digit(p[1], base)) break;
    }
    return p;
}

/* |value| of the digits; false when it is above `max`. */
static bool magnitude(uint64_t *out, const char *p, const char *end, unsigned base, uint64_t max)
{
    uint64_t v = 0;
    for (; p < end; p++) {
        if (*p == '_') continue;
        const unsigned d = digit_value(*p);
        if (v > (max - d) / base) return false;
        v = v * base + d;
    }
    *out = v;
    return true;
}

/* 0x, 0o, 0b: no sign, at least one digit. */
static assay_status prefixed(toml_cursor *c, assay_toml_value *v, unsigned base)
{
    const char *p = c->at + 2, *stop = digits_end(p, c->end, base);
    uint64_t m = 0;
    if (stop == p) return TOML_FAIL(c, ASSAY_EFORMAT, "a number has no digits after its prefix");
    if (!magnitude(&m, p, stop, base, INT64_MAX)) return TOML_FAIL(c, ASSAY_ERANGE, "an integer has more than 64 bits");
    v->kind = TOML_INTEGER;
    v->integer = (int64_t)m;
    c->at = stop;
    return ASSAY_OK;
}

static assay_status special(toml_cursor *c, assay_toml_value *v, const char *word)
{
    char *stop;
    v->kind = TOML_FLOAT;
    v->real = strtod(word, &stop);
    if (*c->at == '+' || *c->at == '-') {
        if (*c->at == '-') v->real = -v->real;
        c->at++;
    }
    c->at += 3;
    return ASSAY_OK;
}

/* From `c->at` to stop: digits, underscores, one point, one exponent, checked before. */
static assay_status real(toml_cursor *c, assay_toml_value *v, const char *stop)
{
    char digits[MAX_DIGITS + 1], *end;
    size_t n = 0;
    for (const char *p = c->at; p < stop; p++) {
        if (*p == '_') continue;
        if (n == MAX_DIGITS) return TOML_FAIL(c, ASSAY_ERANGE, "a number has too many digits");
        digits[n++] = *p;
    }
    digits[n] = '\0';
    v->kind = TOML_FLOAT;
    v->real = strtod(digits, &end);
    c->at = stop;
    return ASSAY_OK;
}

static bool is_date(const toml_cursor *c)
{
    const char *p = c->at;
    const ptrdiff_t n = c->end - p;
    bool time = n >= 3, date = n >= 5;
    for (int i = 0; i < 2 && time; i++) time = is_digit(p[i], 10);
    for (int i = 0; i < 4 && date; i++) date = is_digit(p[i], 10);
    return (time && p[2] == ':') || (date && p[4] == '-');
}

/* The end of a fraction or an exponent; NULL when there is none that is whole. */
static const char *fraction_end(const char *p, const char *end)
{
    if (p == end || *p != '.') return NULL;
    const char *stop = digits_end(p + 1, end, 10);
    return stop == p + 1 ? NULL : stop;
}
static const char *exponent_end(const char *p, const char *end)
{
    if (p == end || (*p != 'e' && *p != 'E')) return NULL;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    const char *stop = digits_end(p, end, 10);
    return stop == p ? NULL : stop;
}

assay_status assay_toml_number(toml_cursor *c, assay_toml_value *v)
{
    const char *p = c->at;
    const bool sign = toml_peek(c) == '+' || toml_peek(c) == '-', minus = toml_peek(c) == '-';
    if (is_date(c)) return TOML_FAIL(c, ASSAY_EUNSUPPORTED, "dates and times are not supported");
    if (toml_starts(c, "0x", 2)) return prefixed(c, v, 16);
    if (toml_starts(c, "0o", 2)) return prefixed(c, v, 8);
    if (toml_starts(c, "0b", 2)) return prefixed(c, v, 2);
    if (sign) p++;
    toml_cursor word = *c;
    word.at = p;
    if (toml_starts(&word, "inf", 3)) return special(c, v, "inf");
    if (toml_starts(&word, "nan", 3)) return special(c, v, "nan");
    const char *stop = digits_end(p, c->end, 10);
    if (stop == p) return TOML_FAIL(c, ASSAY_EFORMAT, "a value is expected here");
    if (*p == '0' && stop > p + 1) return TOML_FAIL(c, ASSAY_EFORMAT, "a number begins with a zero");
    const char *after = fraction_end(stop, c->end);
    const char *power = exponent_end(after ? after : stop, c->end);
    if (after || power) return real(c, v, power ? power : after);
    uint64_t m = 0;
    if (!magnitude(&m, p, stop, 10, (uint64_t)INT64_MAX + (minus ? 1 : 0)))
        return TOML_FAIL(c, ASSAY_ERANGE, "an integer has more than 64 bits");
    v->kind = TOML_INTEGER;
    v->integer = minus ? (int64_t)(0 - m) : (int64_t)m;
    c->at = stop;
    return ASSAY_OK;
}
