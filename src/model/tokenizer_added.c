/* SPDX-License-Identifier: Apache-2.0 */
/* Finding added tokens in text: at each place the longest one, from a sorted list that is narrowed byte by byte. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include "model/unicode.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t *pattern_of(const assay_tokenizer *t, uint32_t at, size_t *n)
{
    *n = t->added[at].pattern_len;
    return t->patterns + t->added[at].pattern;
}

/* Order of patterns by bytes, then by place in the file. */
static int compare(const assay_tokenizer *t, uint32_t a, uint32_t b)
{
    size_t n_a, n_b;
    const uint8_t *p_a = pattern_of(t, a, &n_a), *p_b = pattern_of(t, b, &n_b);
    int c = memcmp(p_a, p_b, n_a < n_b ? n_a : n_b);
    if (c == 0) c = n_a < n_b ? -1 : n_a > n_b;
    return c ? c : a < b ? -1 : a > b;
}

/* Heap sort: no context pointer in qsort, and no quadratic case. */
static void sift(const assay_tokenizer *t, uint32_t *v, size_t i, size_t n)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(t, v[child], v[child + 1]) < 0) child++;
        if (compare(t, v[i], v[child]) >= 0) return;
        uint32_t swap = v[i];
        v[i] = v[child];
        v[child] = swap;
    }
}

assay_status assay_added_list_new(const assay_tokenizer *t, assay_added_list *list, bool normalized, assay_errinfo *err)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_added; i++) n += t->added[i].normalized == normalized;
    if (n == 0) return ASSAY_OK;
    list->at = assay_mem_alloc(n, sizeof *list->at);
    if (!list->at) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tokenizer", "out of memory");
    for (uint32_t i = 0; i < t->n_added; i++) {
        if (t->added[i].normalized != normalized || t->added[i].pattern_len == 0) continue;
        list->at[list->n++] = i;
        list->first[t->patterns[t->added[i].pattern]] = true;
    }
    for (size_t i = list->n / 2; i-- > 0;) sift(t, list->at, i, list->n);
    for (size_t left = list->n; left-- > 1;) {
        uint32_t swap = list->at[0];
        list->at[0] = list->at[left];
        list->at[left] = swap;
        sift(t, list->at, 0, left);
    }
    return ASSAY_OK;
}

/* First index in [low, high) of the list whose pattern has at `depth` a byte of at least `least`; patterns that end
 * there come first. */
static size_t narrow(const assay_tokenizer *t, const assay_added_list *list, size_t low, size_t high, size_t depth,
                     unsigned least)
{
    while (low < high) {
        size_t n, middle = low + (high - low) / 2;
        const uint8_t *p = pattern_of(t, list->at[middle], &n);
        if (n <= depth || p[depth] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The longest pattern that text begins with: its index among the added tokens, or ASSAY_NO_TOKEN. */
static uint32_t longest(const assay_tokenizer *t, const assay_added_list *list, const uint8_t *text, size_t n)
{
    uint32_t best = ASSAY_NO_TOKEN;
    size_t low = 0, high = list->n;
    for (size_t depth = 0; depth < n && low < high; depth++) {
        size_t len;
        low = narrow(t, list, low, high, depth, text[depth]);
        high = narrow(t, list, low, high, depth, text[depth] + 1u);
        if (low < high && (pattern_of(t, list->at[low], &len), len == depth + 1)) best = list->at[low];
    }
    return best;
}

static bool word_before(const uint8_t *text, size_t at)
{
    if (at == 0) return false;
    size_t len, start = assay_utf8_before(text, at);
    return (assay_char_class(assay_utf8_read(text + start, at - start, &len)) & ASSAY_CHAR_WORD) != 0;
}

static bool class_after(const uint8_t *text, size_t n, size_t at, unsigned class, size_t *len)
{
    return at < n && (assay_char_class(assay_utf8_read(text + at, n - at, len)) & class) != 0;
}

/* m with the spaces that the token takes with it, none of them before `from`. */
static void take_spaces(const assay_added *a, assay_added_match *m, const uint8_t *text, size_t n, size_t from)
{
    size_t len;
    while (a->lstrip && m->start > from) {
        size_t start = assay_utf8_before(text, m->start);
        if (!class_after(text, m->start, start, ASSAY_CHAR_SPACE, &len)) break;
        m->start = start;
    }
    while (a->rstrip && class_after(text, n, m->stop, ASSAY_CHAR_SPACE, &len)) m->stop += len;
}

bool assay_added_next(const assay_tokenizer *t, const assay_added_list *list, assay_added_match *m, const uint8_t *text,
                      size_t n, size_t from, bool special)
{
    if (list->n == 0) return false;
    for (size_t at = from, len; at < n; at++) {
        if (!list->first[text[at]]) continue;
        uint32_t found = longest(t, list, text + at, n - at);
        if (found == ASSAY_NO_TOKEN) continue;
        const assay_added *a = &t->added[found];
        *m = (assay_added_match){at, at + a->pattern_len, a->id};
        bool whole_word = !word_before(text, m->start) && !class_after(text, n, m->stop, ASSAY_CHAR_WORD, &len);
        if ((t->token[a->id].kind == TOKEN_SPECIAL && !special) || (a->single_word && !whole_word)) {
            at = m->stop - 1; /* left as text, and not searched again */
            continue;
        }
        take_spaces(a, m, text, n, from);
        return true;
    }
    return false;
}
