/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of TOML: keys and values, tables, arrays of tables, and who may extend whom.
 *
 * A table is `declared` once by its own header and never again. Dotted keys make and pass tables that may be extended
 * by dotted keys of the same section only, and have no header afterwards. What a value brought along (an array, an
 * inline table) is `frozen`. The section number counts headers. */
#include "base/mem.h"
#include "base/utf8.h"
#include "daemon/toml_impl.h"
#include <string.h>

typedef struct reader {
    toml_cursor c;
    assay_toml_value *table; /* of the current section */
    uint32_t section;
} reader;

/* A part of a dotted key. */
typedef struct part {
    const char *text;
    size_t n;
} part;
typedef struct dotted {
    part parts[ASSAY_TOML_MAX_DEPTH];
    size_t n;
} dotted;

static void skip_blank(toml_cursor *c)
{
    while (toml_peek(c) == ' ' || toml_peek(c) == '\t') c->at++;
}

/* A remark, if one begins here; up to its newline. */
static assay_status skip_remark(toml_cursor *c)
{
    if (toml_peek(c) != '#') return ASSAY_OK;
    for (; c->at < c->end && *c->at != '\n'; c->at++) {
        const unsigned char b = (unsigned char)*c->at;
        if ((b < 32 && b != '\t') || b == 127) return TOML_FAIL(c, ASSAY_EFORMAT, "a control character in a remark");
    }
    return ASSAY_OK;
}

/* Blanks, newlines and remarks inside an array. */
static assay_status skip_lines(toml_cursor *c)
{
    for (;;) {
        assay_status s = ASSAY_OK;
        skip_blank(c);
        if (toml_peek(c) == '#')
            s = skip_remark(c);
        else if (toml_peek(c) == '\n')
            c->at++, c->line++;
        else
            return ASSAY_OK;
        if (s != ASSAY_OK) return s;
    }
}

/* a.b."c d", with blanks around the dots and after. */
static assay_status read_dotted(toml_cursor *c, dotted *d)
{
    d->n = 0;
    for (;;) {
        if (d->n == ASSAY_TOML_MAX_DEPTH) return TOML_FAIL(c, ASSAY_ERANGE, "a key has too many parts");
        assay_status s = assay_toml_key(c, &d->parts[d->n].text, &d->parts[d->n].n);
        if (s != ASSAY_OK) return s;
        d->n++;
        skip_blank(c);
        if (toml_peek(c) != '.') break;
        c->at++;
        skip_blank(c);
    }
    c->key = d->parts[d->n - 1].text;
    return ASSAY_OK;
}

static bool is_declared(const reader *r, const assay_toml_value *v)
{
    return v->declared || (v->dotted_in && v->dotted_in != r->section);
}

/* The table that one part names, made if need be; an array of tables means its last one. */
static assay_status step(toml_cursor *c, assay_toml_value **at, const part *p)
{
    assay_toml_value *v = assay_toml_member(*at, p->text, p->n);
    if (!v) return assay_toml_add(c, at, *at, TOML_TABLE, p->text, p->n);
    if (v->frozen) return TOML_FAIL(c, ASSAY_EFORMAT, "what a value brought along cannot be extended");
    if (v->of_tables) v = v->last;
    if (v->kind != TOML_TABLE) return TOML_FAIL(c, ASSAY_EFORMAT, "the key is taken by a value");
    *at = v;
    return ASSAY_OK;
}

static assay_status read_value(toml_cursor *c, assay_toml_value *v);

/* Below an array or inline table nothing may be added later. */
static void freeze(assay_toml_value *v)
{
    v->frozen = v->kind == TOML_ARRAY || v->kind == TOML_TABLE;
}

/* key = value, into a table; r is NULL in inline tables, where nothing is declared. */
static assay_status key_and_value(toml_cursor *c, reader *r, assay_toml_value *table)
{
    dotted d;
    assay_toml_value *v = NULL;
    assay_status s = read_dotted(c, &d);
    if (s != ASSAY_OK) return s;
    if (toml_peek(c) != '=') return TOML_FAIL(c, ASSAY_EFORMAT, "= is expected after a key");
    c->at++;
    skip_blank(c);
    for (size_t i = 0; i + 1 < d.n; i++) {
        const assay_toml_value *there = assay_toml_member(table, d.parts[i].text, d.parts[i].n);
        if (r && there && is_declared(r, there))
            return TOML_FAIL(c, ASSAY_EFORMAT, "dotted keys cannot extend a table that was declared elsewhere");
        if (!r && there && there->kind == TOML_ARRAY) return TOML_FAIL(c, ASSAY_EFORMAT, "the key is taken by a value");
        s = step(c, &table, &d.parts[i]);
        if (s != ASSAY_OK) return s;
        if (r) table->dotted_in = r->section;
    }
    const part *last = &d.parts[d.n - 1];
    if (assay_toml_member(table, last->text, last->n)) return TOML_FAIL(c, ASSAY_EFORMAT, "the key stands there twice");
    s = assay_toml_add(c, &v, table, TOML_BOOLEAN, last->text, last->n);
    if (s == ASSAY_OK) s = read_value(c, v);
    if (s == ASSAY_OK) freeze(v);
    return s;
}

static assay_status read_array(toml_cursor *c, assay_toml_value *v)
{
    assay_status s;
    v->kind = TOML_ARRAY;
    c->at++;
    for (;;) {
        assay_toml_value *element = NULL;
        s = skip_lines(c);
        if (s != ASSAY_OK) return s;
        if (toml_peek(c) == ']') break;
        s = assay_toml_add(c, &element, v, TOML_BOOLEAN, "", 0);
        if (s == ASSAY_OK) s = read_value(c, element);
        if (s == ASSAY_OK) s = skip_lines(c);
        if (s != ASSAY_OK) return s;
        if (toml_peek(c) == ']') break;
        if (toml_peek(c) != ',') return TOML_FAIL(c, ASSAY_EFORMAT, ", or ] is expected in an array");
        c->at++;
    }
    c->at++;
    return ASSAY_OK;
}

static assay_status read_inline_table(toml_cursor *c, assay_toml_value *v)
{
    const char *key = c->key;
    v->kind = TOML_TABLE;
    c->at++;
    skip_blank(c);
    if (toml_peek(c) == '}') {
        c->at++;
        return ASSAY_OK;
    }
    for (;;) {
        assay_status s = key_and_value(c, NULL, v);
        if (s != ASSAY_OK) return s;
        c->key = key;
        skip_blank(c);
        if (toml_peek(c) == '}') break;
        if (toml_peek(c) != ',') return TOML_FAIL(c, ASSAY_EFORMAT, ", or } is expected in an inline table");
        c->at++;
        skip_blank(c);
    }
    c->at++;
    return ASSAY_OK;
}

static assay_status read_value(toml_cursor *c, assay_toml_value *v)
{
    const char ch = toml_peek(c);
    if (ch == '"' || ch == '\'') {
        v->kind = TOML_STRING;
        return assay_toml_string(c, &v->text, &v->n_text, true);
    }
    if (ch == '[') return read_array(c, v);
    if (ch == '{') return read_inline_table(c, v);
    if (toml_starts(c, "true", 4) || toml_starts(c, "false", 5)) {
        v->kind = TOML_BOOLEAN;
        v->truth = ch == 't';
        c->at += v->truth ? 4 : 5;
        return ASSAY_OK;
    }
    return assay_toml_number(c, v);
}

/* The element that [[key]] adds. */
static assay_status new_element(reader *r, assay_toml_value *at, const part *p)
{
    toml_cursor *c = &r->c;
    assay_status s = ASSAY_OK;
    assay_toml_value *v = assay_toml_member(at, p->text, p->n);
    if (!v) {
        s = assay_toml_add(c, &v, at, TOML_ARRAY, p->text, p->n);
        if (s != ASSAY_OK) return s;
        v->of_tables = v->declared = true;
    } else if (!v->of_tables) {
        return TOML_FAIL(c, ASSAY_EFORMAT, "the key is taken, and not by an array of tables");
    }
    s = assay_toml_add(c, &r->table, v, TOML_TABLE, "", 0);
    if (s == ASSAY_OK) r->table->declared = true;
    return s;
}

/* The table that [key] opens. */
static assay_status open_table(reader *r, assay_toml_value *at, const part *p)
{
    const assay_toml_value *there = assay_toml_member(at, p->text, p->n);
    if (there && (is_declared(r, there) || there->of_tables))
        return TOML_FAIL(&r->c, ASSAY_EFORMAT, "the table is declared twice");
    assay_status s = step(&r->c, &at, p);
    if (s != ASSAY_OK) return s;
    at->declared = true;
    r->table = at;
    return ASSAY_OK;
}

/* [key] or [[key]] */
static assay_status header(reader *r)
{
    toml_cursor *c = &r->c;
    dotted d;
    const bool element = toml_starts(c, "[[", 2);
    assay_toml_value *at = c->doc->root;
    c->at += element ? 2 : 1;
    r->section++;
    skip_blank(c);
    assay_status s = read_dotted(c, &d);
    if (s != ASSAY_OK) return s;
    if (!toml_starts(c, "]]", element ? 2 : 1))
        return TOML_FAIL(c, ASSAY_EFORMAT, "] is expected after a table's name");
    c->at += element ? 2 : 1;
    for (size_t i = 0; i + 1 < d.n && s == ASSAY_OK; i++) s = step(c, &at, &d.parts[i]);
    if (s != ASSAY_OK) return s;
    return element ? new_element(r, at, &d.parts[d.n - 1]) : open_table(r, at, &d.parts[d.n - 1]);
}

static assay_status read_lines(reader *r)
{
    toml_cursor *c = &r->c;
    while (c->at < c->end) {
        assay_status s = ASSAY_OK;
        c->key = NULL;
        skip_blank(c);
        if (toml_peek(c) == '[')
            s = header(r);
        else if (c->at < c->end && *c->at != '#' && *c->at != '\n')
            s = key_and_value(c, r, r->table);
        if (s == ASSAY_OK) skip_blank(c);
        if (s == ASSAY_OK) s = skip_remark(c);
        if (s != ASSAY_OK) return s;
        if (c->at == c->end) break;
        if (*c->at != '\n') return TOML_FAIL(c, ASSAY_EFORMAT, "the line should end here");
        c->at++;
        c->line++;
    }
    return ASSAY_OK;
}

/* A copy without carriage returns before line feeds. */
static char *unix_lines(assay_toml *t, size_t *n_out, const char *text, size_t n)
{
    char *copy = assay_toml_take(t, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n && copy; i++)
        if (!(text[i] == '\r' && i + 1 < n && text[i + 1] == '\n')) copy[m++] = text[i];
    *n_out = m;
    return copy;
}

assay_status assay_toml_parse(assay_toml **out, const char *file, const void *text, size_t n, assay_errinfo *err)
{
    reader r = {.c = {.file = file, .line = 1, .err = err}};
    assay_status s = ASSAY_OK;
    *out = NULL;
    if (!text && n) return ASSAY_FAIL(err, ASSAY_EINVAL, file, "a pointer is NULL");
    if (n > ASSAY_TOML_MAX_BYTES) return ASSAY_FAIL1(err, ASSAY_ERANGE, file, "is too long for a configuration", n);
    assay_toml *t = assay_mem_alloc(1, sizeof *t);
    const char *copy = t ? unix_lines(t, &n, text ? text : "", n) : NULL;
    if (copy) t->root = assay_toml_take(t, sizeof *t->root);
    if (!copy || !t->root) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, file, "out of memory");
        goto out;
    }
    t->root->kind = TOML_TABLE;
    t->root->key = t->root->text = "";
    r.c.doc = t;
    r.c.at = copy;
    r.c.end = copy + n;
    r.table = t->root;
    r.section = 1;
    s = assay_utf8_valid(copy, n) ? read_lines(&r) : ASSAY_FAIL(err, ASSAY_EFORMAT, file, "is not UTF-8");
    if (s == ASSAY_OK) *out = t;
out:
    if (s != ASSAY_OK) assay_toml_free(t);
    return s;
}
