/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed challenges and the record. */
#include "fixed.h"
#include "base/mem.h"
#include "harness.h"
#include "hash/sha256.h"
#include <string.h>

void fixed_challenge(void *ctx, const char *label, assay_transcript *tr)
{
    fixed_challenges *f = (fixed_challenges *)ctx;
    uint8_t in[24];
    assay_store_u64(in, f->seed);
    assay_store_u64(in + 8, f->n_drawn++);
    assay_store_u64(in + 16, f->vary && strcmp(label, f->vary) == 0 ? f->vary_seed : 0);
    assay_sha256_digest(tr->state, in, sizeof in);
}

void record_init(record *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->fixed.seed = seed;
}

void record_clear(record *r)
{
    assay_mem_free(r->words);
    assay_mem_free(r->item);
    memset(r, 0, sizeof *r);
}

static void *room(void *p, size_t *cap, size_t wanted, size_t each)
{
    if (wanted <= *cap) return p;
    size_t more = 2 * wanted;
    void *q = assay_mem_grow(p, *cap, more, each);
    if (!q) return p;
    *cap = more;
    return q;
}

static uint32_t *add(record *r, const char *label, size_t n)
{
    r->words = (uint32_t *)room(r->words, &r->cap_words, r->n_words + n, sizeof *r->words);
    r->item = (record_item *)room(r->item, &r->cap_items, r->n_items + 1, sizeof *r->item);
    if (!CHECK(r->n_words + n <= r->cap_words && r->n_items < r->cap_items)) return NULL;
    record_item *item = &r->item[r->n_items++];
    (void)strncpy(item->label, label, sizeof item->label - 1);
    item->first = r->n_words;
    item->n = n;
    r->n_words += n;
    return r->words + item->first;
}

static void record_k(void *ctx, const char *label, kel *v, size_t n)
{
    uint32_t *w = add((record *)ctx, label, n * K_WORDS);
    for (size_t i = 0; w && i < n; i++) memcpy(w + i * K_WORDS, v[i].v, sizeof v[i].v);
}

static void record_bytes(void *ctx, const char *label, uint8_t *p, size_t n)
{
    bool words = strcmp(label, "column") == 0;
    uint32_t *w = add((record *)ctx, label, words ? n / 4 : n);
    for (size_t i = 0; w && i < (words ? n / 4 : n); i++) w[i] = words ? assay_load_u32(p + 4 * i) : p[i];
}

assay_tamper record_hooks(record *r)
{
    assay_tamper t = {.k = record_k, .bytes = record_bytes, .ctx = r, .challenge = fixed_challenge};
    return t;
}

assay_tamper record_hooks_free(record *r)
{
    assay_tamper t = {.k = record_k, .bytes = record_bytes, .ctx = r};
    return t;
}

bool record_is(const record_item *item, const char *label)
{
    return strncmp(item->label, label, strlen(label)) == 0;
}
