/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a TOML document, in blocks of memory that are freed together. */
#include "base/mem.h"
#include "daemon/toml_impl.h"
#include <stdio.h>
#include <string.h>

enum { BLOCK = 8192, ALIGN = 16 };

void *assay_toml_take(assay_toml *t, size_t nbytes)
{
    const size_t head = (sizeof(toml_block) + ALIGN - 1) / ALIGN * ALIGN;
    if (nbytes > ASSAY_TOML_MAX_BYTES + 1) return NULL; /* nothing of a document is longer than it */
    nbytes = (nbytes + ALIGN - 1) / ALIGN * ALIGN;
    toml_block *b = t->blocks;
    if (!b || b->nbytes - b->used < nbytes) {
        const size_t room = head + nbytes < BLOCK ? BLOCK : head + nbytes;
        b = assay_mem_alloc(room, 1);
        if (!b) return NULL;
        *b = (toml_block){t->blocks, head, room};
        t->blocks = b;
    }
    void *p = (char *)b + b->used;
    b->used += nbytes;
    return p;
}

void assay_toml_free(assay_toml *t)
{
    if (!t) return;
    while (t->blocks) {
        toml_block *b = t->blocks;
        t->blocks = b->next;
        assay_mem_free(b);
    }
    assay_mem_free(t);
}

assay_status assay_toml_add(toml_cursor *c, assay_toml_value **out, assay_toml_value *parent, assay_toml_kind kind,
                            const char *key, size_t n_key)
{
    *out = NULL;
    if (c->doc->n_values == ASSAY_TOML_MAX_VALUES) return TOML_FAIL(c, ASSAY_ERANGE, "too many values in one file");
    if (parent->depth == ASSAY_TOML_MAX_DEPTH) return TOML_FAIL(c, ASSAY_ERANGE, "values are nested too deeply");
    assay_toml_value *v = assay_toml_take(c->doc, sizeof *v);
    if (!v) return TOML_FAIL(c, ASSAY_ENOMEM, "out of memory");
    c->doc->n_values++;
    v->kind = kind;
    v->line = c->line;
    v->key = key;
    v->n_key = n_key;
    v->text = "";
    v->depth = parent->depth + 1;
    if (parent->last)
        parent->last->next = v;
    else
        parent->first = v;
    parent->last = v;
    parent->n_members++;
    *out = v;
    return ASSAY_OK;
}

assay_toml_value *assay_toml_member(const assay_toml_value *table, const char *key, size_t n_key)
{
    for (assay_toml_value *v = table->first; v; v = v->next)
        if (v->n_key == n_key && memcmp(v->key, key, n_key) == 0) return v;
    return NULL;
}

const assay_toml_value *assay_toml_root(const assay_toml *t)
{
    return t->root;
}

const assay_toml_value *assay_toml_find(const assay_toml_value *v, const char *key)
{
    return v && v->kind == TOML_TABLE ? assay_toml_member(v, key, strlen(key)) : NULL;
}

const char *assay_toml_place(char out[ASSAY_TOML_PLACE], const char *file, uint32_t line, const char *key)
{
    enum { FILE_BYTES = 160 };
    const size_t n = strlen(file);
    const char *cut = n > FILE_BYTES ? "..." : "", *shown = n > FILE_BYTES ? file + (n - FILE_BYTES) : file;
    char number[16] = "";
    if (line) (void)snprintf(number, sizeof number, ":%u", (unsigned)line);
    (void)snprintf(out, ASSAY_TOML_PLACE, "%s%s%s%s%.60s", cut, shown, number, key ? ": " : "", key ? key : "");
    return out;
}

assay_status assay_toml_fail(toml_cursor *c, assay_status s, const char *reason, int line)
{
    char place[ASSAY_TOML_PLACE];
    return assay_fail_at(c->err, s, assay_toml_place(place, c->file, c->line, c->key), reason, 0, 0, 0, __FILE__, line);
}
