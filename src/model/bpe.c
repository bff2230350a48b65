/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-pair merging of one word: a linked list of symbols and a heap of candidate pairs. A pair that changed after it
 * entered the heap is recognised when it comes out, by its merge no longer being the one that the list gives. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"

#define NONE UINT32_MAX

typedef assay_bpe_candidate candidate;

typedef struct word {
    const assay_tokenizer *t;
    uint32_t *id, *next, *prev; /* id = NONE: merged into its left neighbour */
    candidate *heap;
    size_t n_heap;
} word;

static bool before(const candidate *a, const candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void heap_push(word *w, candidate c)
{
    size_t i = w->n_heap++;
    while (i > 0 && before(&c, &w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = c;
}

static candidate heap_pop(word *w)
{
    candidate top = w->heap[0], last = w->heap[--w->n_heap];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < w->n_heap; i = child) {
        if (child + 1 < w->n_heap && before(&w->heap[child + 1], &w->heap[child])) child++;
        if (!before(&w->heap[child], &last)) break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = last;
    return top;
}

/* The merge of the symbol at `at` with the next one, or NULL. */
static const assay_merge *pair_at(const word *w, uint32_t at)
{
    uint32_t right = at == NONE ? NONE : w->next[at];
    return right == NONE ? NULL : merge_find(w->t, w->id[at], w->id[right]);
}

static void offer(word *w, uint32_t at)
{
    const assay_merge *m = pair_at(w, at);
    if (m) heap_push(w, (candidate){m->rank, at, m->out});
}

static void merge_all(word *w)
{
    while (w->n_heap > 0) {
        candidate c = heap_pop(w);
        const assay_merge *m = w->id[c.at] == NONE ? NULL : pair_at(w, c.at);
        if (!m || m->out != c.out || m->rank != c.rank) continue;
        uint32_t right = w->next[c.at];
        w->id[c.at] = m->out;
        w->id[right] = NONE;
        w->next[c.at] = w->next[right];
        if (w->next[right] != NONE) w->prev[w->next[right]] = c.at;
        offer(w, w->prev[c.at]);
        offer(w, c.at);
    }
}

void assay_bpe_work_clear(assay_bpe_work *w)
{
    assay_mem_free_secret(w->next, w->cap * sizeof *w->next);
    assay_mem_free_secret(w->prev, w->cap * sizeof *w->prev);
    assay_mem_free_secret(w->heap, 3 * w->cap * sizeof *w->heap);
    *w = (assay_bpe_work){NULL, NULL, NULL, 0};
}

/* Room for words of n symbols: each pair enters the heap once, and each merge makes two more. */
static assay_status make_room(assay_bpe_work *w, size_t n, assay_errinfo *err)
{
    if (n <= w->cap) return ASSAY_OK;
    size_t cap = w->cap ? w->cap : 64;
    while (cap < n) cap *= 2;
    assay_bpe_work_clear(w);
    w->next = assay_mem_alloc(cap, sizeof *w->next);
    w->prev = assay_mem_alloc(cap, sizeof *w->prev);
    w->heap = assay_mem_alloc(3 * cap, sizeof *w->heap);
    bool failed = !w->next || !w->prev || !w->heap;
    if (failed) {
        assay_mem_free(w->next);
        assay_mem_free(w->prev);
        assay_mem_free(w->heap);
        *w = (assay_bpe_work){NULL, NULL, NULL, 0};
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
    }
    w->cap = cap;
    return ASSAY_OK;
}

assay_status assay_bpe_merge(const assay_tokenizer *t, assay_bpe_work *work, uint32_t *ids, size_t *n,
                             assay_errinfo *err)
{
    size_t count = *n, kept = 0;
    if (!t->merge || count < 2) return ASSAY_OK;
    assay_status s = make_room(work, count, err);
    if (s != ASSAY_OK) return s;
    word w = {t, ids, work->next, work->prev, work->heap, 0};
    for (uint32_t i = 0; i < count; i++) {
        w.next[i] = i + 1 < count ? i + 1 : NONE;
        w.prev[i] = i > 0 ? i - 1 : NONE;
    }
    for (uint32_t i = 0; i < count; i++) offer(&w, i);
    merge_all(&w);
    for (size_t i = 0; i < count; i++)
        if (ids[i] != NONE) ids[kept++] = ids[i];
    *n = kept;
    return ASSAY_OK;
}
