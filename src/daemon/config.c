/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a configuration by the table of keys. */
#include "daemon/config.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/quantity.h"
#include <stdio.h>
#include <string.h>

enum { EXAMPLE_BYTES = 1 << 16 };

/* A value on its way into the configuration, with its place for messages. */
typedef struct setting {
    const assay_config_key *k;
    const assay_toml_value *v;
    char place[ASSAY_TOML_PLACE];
    assay_errinfo *err;
} setting;

#define WRONG_TYPE(s, words) ASSAY_FAIL((s)->err, ASSAY_EFORMAT, (s)->place, words)

static bool is_text(const assay_toml_value *v)
{
    return v->kind == TOML_STRING && strlen(v->text) == v->n_text; /* no zero byte inside */
}

static bool is_auto(const setting *s)
{
    return s->k->or_auto && is_text(s->v) && strcmp(s->v->text, "auto") == 0;
}

static assay_status in_range(const setting *s, uint64_t v, const char *words)
{
    if (v >= s->k->least && v <= s->k->most) return ASSAY_OK;
    return ASSAY_FAIL2(s->err, ASSAY_ERANGE, s->place, words, s->k->least, s->k->most);
}

static assay_status set_quantity(const setting *s, uint64_t *out)
{
    const bool size = s->k->kind == CONFIG_SIZE;
    uint64_t v = 0;
    if (is_auto(s)) {
        *out = ASSAY_CONFIG_AUTO;
        return ASSAY_OK;
    }
    if (!is_text(s->v) || !(size ? assay_size_parse(&v, s->v->text) : assay_duration_parse(&v, s->v->text))) {
        if (!size) return WRONG_TYPE(s, "takes a duration in quotes: a whole number and ms, s, m, h or d");
        return s->k->or_auto
                   ? WRONG_TYPE(s, "takes \"auto\", or a size in quotes: a whole number and B, KiB, MiB, GiB or TiB")
                   : WRONG_TYPE(s, "takes a size in quotes: a whole number and B, KiB, MiB, GiB or TiB");
    }
    *out = v;
    return in_range(s, v,
                    size ? "is out of range: at least and at most, in bytes"
                         : "is out of range: at least and at most, in ms");
}

static assay_status set_count(const setting *s, const assay_toml_value *v, uint64_t *out)
{
    if (v->kind != TOML_INTEGER)
        return s->k->or_auto ? WRONG_TYPE(s, "takes a whole number or \"auto\"")
                             : WRONG_TYPE(s, "takes a whole number");
    *out = v->integer < 0 ? 0 : (uint64_t)v->integer;
    if (v->integer < 0) return ASSAY_FAIL(s->err, ASSAY_ERANGE, s->place, "is negative");
    return in_range(s, *out, "is out of range: at least and at most");
}

static assay_status set_word(const setting *s, uint64_t *out)
{
    for (uint64_t i = 0; is_text(s->v) && s->k->words[i]; i++)
        if (strcmp(s->k->words[i], s->v->text) == 0) {
            *out = i;
            return ASSAY_OK;
        }
    return WRONG_TYPE(s, "is none of the words that this key takes (docs/daemon-config.md)");
}

static assay_status set_texts(const setting *s, assay_config_texts *out)
{
    static const char words[] = "takes a list of strings";
    out->n = 0;
    if (is_text(s->v)) {
        out->at[out->n++] = s->v->text;
        return ASSAY_OK;
    }
    if (s->v->kind != TOML_ARRAY) return WRONG_TYPE(s, words);
    for (const assay_toml_value *v = s->v->first; v; v = v->next) {
        if (!is_text(v)) return WRONG_TYPE(s, words);
        if (out->n == ASSAY_CONFIG_LIST)
            return ASSAY_FAIL1(s->err, ASSAY_ERANGE, s->place, "has too many elements; at most", out->n);
        out->at[out->n++] = v->text;
    }
    return ASSAY_OK;
}

static assay_status set_counts(const setting *s, assay_config_numbers *out)
{
    out->n = 0;
    if (s->v->kind != TOML_ARRAY) return WRONG_TYPE(s, "takes a list of whole numbers");
    for (const assay_toml_value *v = s->v->first; v; v = v->next) {
        if (out->n == ASSAY_CONFIG_LIST)
            return ASSAY_FAIL1(s->err, ASSAY_ERANGE, s->place, "has too many elements; at most", out->n);
        assay_status st = set_count(s, v, &out->at[out->n]);
        if (st != ASSAY_OK) return st;
        out->n++;
    }
    return ASSAY_OK;
}

static assay_status apply(assay_config *c, const setting *s)
{
    void *field = (char *)c + s->k->offset;
    switch (s->k->kind) {
    case CONFIG_TEXT:
        if (!is_text(s->v)) return WRONG_TYPE(s, "takes a string");
        *(const char **)field = s->v->text;
        return ASSAY_OK;
    case CONFIG_TEXTS:
        return set_texts(s, field);
    case CONFIG_BOOLEAN:
        if (s->v->kind != TOML_BOOLEAN) return WRONG_TYPE(s, "takes true or false");
        *(bool *)field = s->v->truth;
        return ASSAY_OK;
    case CONFIG_COUNT:
        if (is_auto(s)) {
            *(uint64_t *)field = ASSAY_CONFIG_AUTO;
            return ASSAY_OK;
        }
        return set_count(s, s->v, field);
    case CONFIG_COUNTS:
        return set_counts(s, field);
    case CONFIG_SIZE:
    case CONFIG_DURATION:
        return set_quantity(s, field);
    case CONFIG_WORD:
        return set_word(s, field);
    }
    return ASSAY_FAIL(s->err, ASSAY_EINTERNAL, s->place, "a key without a kind");
}

static const assay_config_key *find(const char *section, const char *key)
{
    for (size_t i = 0; i < assay_config_n_keys; i++)
        if (strcmp(assay_config_keys[i].section, section) == 0 && (!key || strcmp(assay_config_keys[i].key, key) == 0))
            return &assay_config_keys[i];
    return NULL;
}

/* "section.key", for messages: the names may be anybody's. */
static const char *full_name(char out[ASSAY_TOML_PLACE], const char *section, const char *key)
{
    (void)snprintf(out, ASSAY_TOML_PLACE, "%.40s.%.40s", section, key);
    return out;
}

/* One section of a document. flag: what stands before each message instead of file and line; NULL: those. */
static assay_status apply_section(assay_config *c, const assay_toml_value *section, const char *file, const char *flag,
                                  assay_errinfo *err)
{
    setting s = {.err = err};
    char name[ASSAY_TOML_PLACE];
    (void)assay_toml_place(s.place, file, section->line, section->key);
    if (!find(section->key, NULL) || strlen(section->key) != section->n_key)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, s.place, "no such section or key");
    if (section->kind != TOML_TABLE) return ASSAY_FAIL(err, ASSAY_EFORMAT, s.place, "is a section: a table of keys");
    for (s.v = section->first; s.v; s.v = s.v->next) {
        (void)full_name(name, section->key, s.v->key);
        if (flag)
            (void)snprintf(s.place, sizeof s.place, "%s", flag);
        else
            (void)assay_toml_place(s.place, file, s.v->line, name);
        s.k = strlen(s.v->key) == s.v->n_key ? find(section->key, s.v->key) : NULL;
        if (!s.k) return ASSAY_FAIL(err, ASSAY_EFORMAT, s.place, "no such key");
        assay_status st = apply(c, &s);
        if (st != ASSAY_OK) return st;
    }
    return ASSAY_OK;
}

static assay_status parse(assay_config *c, const char *file, const void *text, size_t n, const char *flag,
                          assay_errinfo *err)
{
    assay_toml *t = NULL;
    if (c->n_sources == ASSAY_CONFIG_SOURCES) return ASSAY_FAIL(err, ASSAY_ERANGE, file, "too many files and flags");
    assay_status s = assay_toml_parse(&t, file, text, n, err);
    if (s != ASSAY_OK) return s;
    c->sources[c->n_sources++] = t;
    for (const assay_toml_value *v = assay_toml_root(t)->first; v && s == ASSAY_OK; v = v->next)
        s = apply_section(c, v, file, flag, err);
    return s;
}

assay_status assay_config_parse(assay_config *c, const char *file, const void *text, size_t n, assay_errinfo *err)
{
    return parse(c, file, text, n, NULL, err);
}

assay_status assay_config_read(assay_config *c, const char *path, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    assay_status s = assay_file_read(path, ASSAY_TOML_MAX_BYTES, &p, &n, err);
    if (s == ASSAY_OK) s = assay_config_parse(c, path, p, n, err);
    assay_mem_free_secret(p, n);
    return s;
}

/* n characters as a TOML string. */
static void write_quoted(assay_writer *w, const char *p, size_t n)
{
    assay_write_u8(w, '"');
    for (size_t i = 0; i < n; i++) {
        char escaped[8];
        const unsigned char b = (unsigned char)p[i];
        const bool plain = b >= 32 && b != 127 && b != '"' && b != '\\';
        (void)snprintf(escaped, sizeof escaped, plain ? "%c" : "\\u%04x", b);
        assay_write_bytes(w, escaped, strlen(escaped));
    }
    assay_write_u8(w, '"');
}

/* Whether n characters can be a number or a truth, and nothing that goes on after it. */
static bool is_word(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= '0' && p[i] <= '9') || p[i] == '-')) return false;
    return n > 0;
}

/* The value of a flag as TOML: lists in brackets, words in quotes, numbers and truths as they are. */
static void write_value(assay_writer *w, const assay_config_key *k, const char *value)
{
    const bool list = k->kind == CONFIG_TEXTS || k->kind == CONFIG_COUNTS;
    const bool bare = k->kind == CONFIG_BOOLEAN || k->kind == CONFIG_COUNTS ||
                      (k->kind == CONFIG_COUNT && !(k->or_auto && strcmp(value, "auto") == 0));
    if (list) assay_write_u8(w, '[');
    if (!list && *value == '\0') write_quoted(w, value, 0);
    while (*value) {
        const size_t n = list ? strcspn(value, ",") : strlen(value);
        if (bare && is_word(value, n))
            assay_write_bytes(w, value, n);
        else
            write_quoted(w, value, n);
        value += n;
        if (*value) {
            assay_write_u8(w, ',');
            value++;
        }
    }
    if (list) assay_write_u8(w, ']');
}

assay_status assay_config_set(assay_config *c, const char *key, const char *value, const char *flag, assay_errinfo *err)
{
    assay_writer w;
    assay_errinfo inner = {0};
    char name[ASSAY_TOML_PLACE], section[ASSAY_TOML_PLACE];
    const char *dot = strchr(key, '.');
    (void)snprintf(section, sizeof section, "%.*s", dot ? (int)(dot - key) : 0, key);
    const assay_config_key *k = dot ? find(section, dot + 1) : NULL;
    if (!k) return ASSAY_FAIL(err, ASSAY_EINVAL, flag, "stands for no key");
    assay_writer_init(&w, EXAMPLE_BYTES);
    (void)full_name(name, k->section, k->key);
    assay_write_bytes(&w, name, strlen(name));
    assay_write_bytes(&w, "=", 1);
    write_value(&w, k, value);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, flag, "out of memory, or too long")
                           : parse(c, flag, w.p, w.n, flag, &inner);
    if (s == ASSAY_EFORMAT && inner.reason && strcmp(inner.subject, flag) != 0) /* not even TOML: "1 2" for a number */
        s = ASSAY_FAIL(err, s, flag, "cannot be read as a value of this key");
    else if (s != ASSAY_OK && err && !err->reason)
        *err = inner;
    assay_writer_clear(&w);
    return s;
}

assay_status assay_config_defaults(assay_config *c, assay_errinfo *err)
{
    assay_writer w;
    memset(c, 0, sizeof *c);
    assay_writer_init(&w, EXAMPLE_BYTES);
    assay_config_example(&w);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "defaults", "out of memory")
                           : assay_config_parse(c, "defaults", w.p, w.n, err);
    assay_writer_clear(&w);
    return s;
}

void assay_config_clear(assay_config *c)
{
    for (size_t i = 0; i < c->n_sources; i++) assay_toml_free(c->sources[i]);
    memset(c, 0, sizeof *c);
}
