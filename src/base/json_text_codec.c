/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON that nobody vouches for: the grammar of RFC 8259, once to count the values, once to note them. */
#include "base/json_text.h"
#include "base/mem.h"
#include <string.h>

enum { MAX_DEPTH = 32, MAX_MEMBERS = 256, BLANK = ' ' };

typedef struct scan {
    const uint8_t *p;
    size_t n, at;
    assay_json_node *node; /* NULL: values are only counted */
    uint32_t n_nodes, n_lists;
} scan;

/* The next byte; 0, which stands nowhere in JSON, at the end. */
static uint8_t peek(const scan *s)
{
    return s->at < s->n ? s->p[s->at] : 0;
}

static bool take(scan *s, uint8_t c)
{
    if (peek(s) != c || s->at == s->n) return false;
    s->at++;
    return true;
}

static void skip_blanks(scan *s)
{
    while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\n' || peek(s) == '\r') s->at++;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static uint32_t begin_node(scan *s)
{
    return s->n_nodes++;
}

/* n: bytes or elements. */
static void end_node(scan *s, uint32_t i, unsigned kind, size_t at, size_t n)
{
    if (!s->node) return;
    s->node[i].text = (const char *)s->p + at;
    s->node[i].n = (uint32_t)n;
    s->node[i].span = (s->n_nodes - i) & 0xfffffff;
    s->node[i].kind = kind & 0xf;
}

/* Four hexadecimal digits. */
static bool scan_code(scan *s, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, s->at++) {
        const uint8_t c = peek(s);
        if (!is_hex(c)) return false;
        *code = *code << 4 | (is_digit(c) ? c - (uint32_t)'0' : (c | 32u) - 'a' + 10u);
    }
    return true;
}

/* What follows a backslash. Character 0 is refused: it ends a text for whoever reads on. So is half a pair of
 * surrogates, which is no character. */
static bool scan_escape(scan *s)
{
    const uint8_t c = peek(s);
    uint32_t code, second;
    if (c == 0 || !strchr("\"\\/bfnrtu", c)) return false;
    s->at++;
    if (c != 'u') return true;
    if (!scan_code(s, &code) || code == 0 || (code >= 0xdc00 && code <= 0xdfff)) return false;
    if (code < 0xd800 || code > 0xdbff) return true;
    return take(s, '\\') && take(s, 'u') && scan_code(s, &second) && second >= 0xdc00 && second <= 0xdfff;
}

/* A character of two to four bytes of UTF-8: no longer than it must be, no surrogate, none above 10ffff. */
static bool scan_utf8(scan *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t c = peek(s);
    const unsigned n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || s->n - s->at < n) return false;
    uint32_t code = c & (0x7fu >> n);
    for (unsigned i = 1; i < n; i++) {
        const uint8_t more = s->p[s->at + i];
        if (more >> 6 != 2) return false;
        code = code << 6 | (more & 0x3fu);
    }
    s->at += n;
    return code >= least[n] && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

static bool scan_string(scan *s)
{
    const uint32_t i = begin_node(s);
    if (!take(s, '"')) return false;
    const size_t first = s->at;
    while (peek(s) != '"') {
        bool good = peek(s) >= BLANK;
        if (good && peek(s) >= 0x80)
            good = scan_utf8(s);
        else if (good && s->p[s->at++] == '\\')
            good = scan_escape(s);
        if (!good) return false;
    }
    end_node(s, i, ASSAY_JSON_STRING, first, s->at - first);
    s->at++;
    return true;
}

static bool scan_digits(scan *s)
{
    const size_t first = s->at;
    while (is_digit(peek(s))) s->at++;
    return s->at > first;
}

static bool scan_number(scan *s)
{
    const uint32_t i = begin_node(s);
    const size_t first = s->at;
    (void)take(s, '-');
    if (!take(s, '0') && !scan_digits(s)) return false;
    if (take(s, '.') && !scan_digits(s)) return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+')) (void)take(s, '-');
        if (!scan_digits(s)) return false;
    }
    end_node(s, i, ASSAY_JSON_NUMBER, first, s->at - first);
    return true;
}

static bool scan_word(scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t n = strlen(words[k]);
        if (s->n - s->at < n || memcmp(s->p + s->at, words[k], n) != 0) continue;
        end_node(s, begin_node(s), ASSAY_JSON_OTHER, s->at, n);
        s->at += n;
        return true;
    }
    return false;
}

static bool scan_value(scan *s, unsigned depth);

static bool scan_list(scan *s, unsigned depth, bool object)
{
    const uint8_t close = object ? '}' : ']';
    const uint32_t i = begin_node(s);
    const size_t first = s->at++;
    size_t n = 0;
    s->n_lists++;
    if (depth == MAX_DEPTH) return false;
    skip_blanks(s);
    bool more = !take(s, close);
    while (more) {
        skip_blanks(s);
        if (object) {
            if (!scan_string(s)) return false;
            skip_blanks(s);
            if (!take(s, ':')) return false;
        }
        if (!scan_value(s, depth + 1)) return false;
        n++;
        skip_blanks(s);
        more = take(s, ',');
        if (!more && !take(s, close)) return false;
    }
    end_node(s, i, object ? ASSAY_JSON_OBJECT : ASSAY_JSON_ARRAY, first, n);
    return true;
}

/* At most MAX_DEPTH calls deep. */
static bool scan_value(scan *s, unsigned depth)
{
    skip_blanks(s);
    switch (peek(s)) {
    case '{':
        return scan_list(s, depth, true);
    case '[':
        return scan_list(s, depth, false);
    case '"':
        return scan_string(s);
    default:
        return peek(s) == '-' || is_digit(peek(s)) ? scan_number(s) : scan_word(s);
    }
}

static bool scan_text(scan *s)
{
    if (!scan_value(s, 0)) return false;
    skip_blanks(s);
    return s->at == s->n;
}

static assay_status refuse_at(const char *name, const char *reason, const uint8_t *p, size_t at, assay_errinfo *err)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column = p[i] == '\n' ? 1 : column + 1;
        line += p[i] == '\n';
    }
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, reason, line, column);
}

static bool same_text(const assay_json_node *a, const char *text, size_t n)
{
    return a->n == n && memcmp(a->text, text, n) == 0;
}

/* MAX_MEMBERS keeps the comparison of all names with all cheap. */
static assay_status check_names(const assay_json_node *root, const char *name, const uint8_t *p, assay_errinfo *err)
{
    if (root->kind != ASSAY_JSON_OBJECT) return ASSAY_OK;
    if (root->n > MAX_MEMBERS)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "has too many members (members, limit)", root->n, MAX_MEMBERS);
    const assay_json_node *v = root + 1;
    for (uint32_t i = 0; i < root->n; i++, v = assay_json_next(v + 1)) {
        const size_t at = (size_t)(v->text - (const char *)p);
        if (memchr(v->text, '\\', v->n))
            return refuse_at(name, "has a member with an escape in its name (line, column)", p, at, err);
        const assay_json_node *before = root + 1;
        for (uint32_t k = 0; k < i; k++, before = assay_json_next(before + 1))
            if (same_text(before, v->text, v->n))
                return refuse_at(name, "has a member twice (line, column)", p, at, err);
    }
    return ASSAY_OK;
}

static assay_status count(scan *s, const char *name, const void *p, size_t n, size_t max, assay_errinfo *err)
{
    *s = (scan){.p = p, .n = p ? n : 0};
    if (n > max) return ASSAY_FAIL2(err, ASSAY_ERANGE, name, "file too large (bytes, limit)", n, max);
    return scan_text(s) ? ASSAY_OK
                        : refuse_at(name, "is not JSON (line, column)", s->p, s->at < s->n ? s->at : s->n, err);
}

assay_status assay_json_count(assay_json_counts *counts, const char *name, const void *p, size_t n, size_t max,
                              assay_errinfo *err)
{
    scan s;
    const assay_status status = count(&s, name, p, n, max, err);
    *counts = (assay_json_counts){s.n_nodes, s.n_lists};
    return status;
}

assay_status assay_json_read(assay_json_node **root, const char *name, const void *p, size_t n, size_t max,
                             assay_errinfo *err)
{
    scan s;
    *root = NULL;
    assay_status status = count(&s, name, p, n, max, err);
    if (status != ASSAY_OK) return status;
    assay_json_node *node = assay_mem_alloc(s.n_nodes, sizeof *node);
    if (!node) return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    s = (scan){.p = p, .n = n, .node = node};
    (void)scan_text(&s); /* as before */
    status = check_names(node, name, p, err);
    if (status == ASSAY_OK)
        *root = node;
    else
        assay_mem_free(node);
    return status;
}

bool assay_json_equals(const assay_json_node *v, const char *text)
{
    return assay_json_is(v, ASSAY_JSON_STRING) && same_text(v, text, strlen(text));
}

const assay_json_node *assay_json_at(const assay_json_node *array, uint32_t i)
{
    if (!assay_json_is(array, ASSAY_JSON_ARRAY) || i >= array->n) return NULL;
    const assay_json_node *v = array + 1;
    for (uint32_t k = 0; k < i; k++) v = assay_json_next(v);
    return v;
}

const assay_json_node *assay_json_member(const assay_json_node *object, const char *name)
{
    if (!assay_json_is(object, ASSAY_JSON_OBJECT)) return NULL;
    const assay_json_node *v = object + 1;
    for (uint32_t k = 0; k < object->n; k++, v = assay_json_next(v + 1))
        if (same_text(v, name, strlen(name))) return v + 1;
    return NULL;
}
