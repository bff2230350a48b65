/* SPDX-License-Identifier: Apache-2.0 */
/* Policy files: lines of text; docs/formats.md. */
#include "assay/policy.h"
#include "base/status.h"
#include <stdbool.h>
#include <string.h>

enum { MAX_FILE = 4096, DECIMALS = 6, WHOLE_DIGITS = 6 };

/* One line, without its newline. */
typedef struct line {
    const char *p;
    size_t n;
    int64_t number; /* from 1, for messages */
} line;

/* The next line that is neither empty nor a remark; false at the end. */
static bool next_line(line *l, const char **at, const char *end)
{
    while (*at < end) {
        const char *stop = memchr(*at, '\n', (size_t)(end - *at));
        l->p = *at;
        l->n = (size_t)((stop ? stop : end) - *at);
        l->number++;
        *at = stop ? stop + 1 : end;
        if (l->n && l->p[0] != '#') return true;
    }
    return false;
}

static bool is(const line *l, const char *text)
{
    return l->n == strlen(text) && memcmp(l->p, text, l->n) == 0;
}

/* "0.25" in millionths: at most 6 digits before the point and 6 after it. */
static bool decimal(uint64_t *micro, const char *p, size_t n)
{
    size_t i = 0, whole, after = 0;
    uint64_t v = 0;
    for (; i < n && p[i] >= '0' && p[i] <= '9'; i++) v = i < WHOLE_DIGITS ? 10 * v + (uint64_t)(p[i] - '0') : v;
    whole = i;
    if (i < n && p[i] == '.')
        for (i++; i < n && p[i] >= '0' && p[i] <= '9' && after < DECIMALS; i++, after++)
            v = 10 * v + (uint64_t)(p[i] - '0');
    if (i != n || whole == 0 || whole > WHOLE_DIGITS || (i > whole && after == 0)) return false;
    for (; after < DECIMALS; after++) v *= 10;
    *micro = v;
    return true;
}

/* "key value" on the next line. */
static assay_status number(uint64_t *micro, const char *key, line *l, const char **at, const char *end,
                           assay_errinfo *err)
{
    const size_t n = strlen(key);
    if (!next_line(l, at, end)) return ASSAY_FAIL(err, ASSAY_EFORMAT, "policy", "ends before gap_max and budget");
    if (l->n < n + 1 || memcmp(l->p, key, n) != 0 || l->p[n] != ' ')
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, "policy", "gap_max NATS and budget NATS must follow (line)", l->number);
    if (!decimal(micro, l->p + n + 1, l->n - n - 1))
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "policy",
                           "not a decimal number with up to 6 digits on each side of the point (line)", l->number);
    return ASSAY_OK;
}

static assay_status parse(assay_policy *out, const char *text, size_t n, assay_errinfo *err)
{
    const char *at = text, *end = text + n;
    line l = {NULL, 0, 0};
    assay_status s = ASSAY_OK;
    if (n > MAX_FILE) return ASSAY_FAIL1(err, ASSAY_ERANGE, "policy", "is too long", (int64_t)n);
    if (!next_line(&l, &at, end) || l.n < 13 || memcmp(l.p, "assay policy ", 13) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "policy", "is not such a file: no line `assay policy 1`");
    if (!is(&l, "assay policy 1")) return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "policy", "has an unknown version");
    if (!next_line(&l, &at, end)) return ASSAY_FAIL(err, ASSAY_EFORMAT, "policy", "has no line `accept ...`");
    if (is(&l, "accept gap")) {
        out->kind = ASSAY_POLICY_GAP;
        s = number(&out->gap_max, "gap_max", &l, &at, end, err);
        if (s == ASSAY_OK) s = number(&out->budget, "budget", &l, &at, end, err);
    } else if (!is(&l, "accept exact")) {
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, "policy", "is neither `accept exact` nor `accept gap` (line)",
                           l.number);
    }
    if (s == ASSAY_OK && next_line(&l, &at, end))
        s = ASSAY_FAIL1(err, ASSAY_EFORMAT, "policy", "has lines left over (line)", l.number);
    return s;
}

assay_status assay_policy_parse(assay_policy *out, const void *text, size_t n, assay_errinfo *err)
{
    memset(out, 0, sizeof *out);
    if (!text && n) return ASSAY_FAIL(err, ASSAY_EINVAL, "policy", "a pointer is NULL");
    assay_status s = parse(out, text ? text : "", n, err);
    if (s != ASSAY_OK) memset(out, 0, sizeof *out);
    return s;
}
