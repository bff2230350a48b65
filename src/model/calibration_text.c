/* SPDX-License-Identifier: Apache-2.0 */
/* Text to windows of tokens. */
#include "model/calibration_text.h"
#include "base/mem.h"
#include "model/chat.h"
#include <string.h>

void assay_windows_clear(assay_windows *w)
{
    assay_mem_free(w->ids);
    *w = (assay_windows){0};
}

/* The window that is being filled is number w->n; `fill` tokens of it are there. */
typedef struct filler {
    assay_windows *w;
    const assay_window_rule *rule;
    const assay_tokenizer *t;
    const char *what;
    size_t fill;
    bool chats; /* each second window, from the first on, is a chat: its first document is the user's message */
    assay_errinfo *err;
} filler;

static assay_status filler_init(filler *f, assay_windows *w, const assay_window_rule *rule, const assay_tokenizer *t,
                                const char *what, assay_errinfo *err)
{
    *f = (filler){w, rule, t, what, 0, false, err};
    *w = (assay_windows){.length = rule->length};
    size_t cells = 0;
    w->ids = assay_mul_size(rule->max, rule->length, &cells) ? assay_mem_alloc(cells, sizeof *w->ids) : NULL;
    return w->ids ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
}

/* The text has been put; s: how that went. */
static assay_status filler_finish(filler *f, assay_status s)
{
    if (s == ASSAY_OK && f->w->n == 0)
        s = ASSAY_FAIL2(f->err, ASSAY_EINVAL, f->what, "the text does not fill one window (tokens, window)", f->fill,
                        f->w->length);
    if (s != ASSAY_OK) assay_windows_clear(f->w);
    return s;
}

static bool full(const filler *f)
{
    return f->w->n == f->rule->max;
}

static void next_window(filler *f)
{
    f->w->n++;
    f->fill = 0;
}

/* Tokens after the end of a window are dropped: the next one starts with a document. */
static assay_status put(filler *f, uint32_t id)
{
    if (id >= f->rule->vocab)
        return ASSAY_FAIL2(f->err, ASSAY_ERANGE, f->what, "there is a token that the model does not have", id,
                           f->rule->vocab);
    if (f->w->ids && f->fill < f->w->length) f->w->ids[f->w->n * f->w->length + f->fill++] = id;
    return ASSAY_OK;
}

static assay_status put_document(filler *f, const char *text, size_t n)
{
    uint32_t *ids = NULL;
    size_t count = 0;
    if (n == 0 || full(f)) return ASSAY_OK;
    bool chat = f->chats && f->w->n % 2 == 0, asks = chat && f->fill == 0;
    assay_status s = asks ? assay_chat_prompt(f->t, &ids, &count, NULL, 0, text, n, f->err)
                          : assay_tokenizer_encode(f->t, text, n, 0, &ids, &count, f->err);
    if (s == ASSAY_OK && !chat && f->rule->first >= 0) s = put(f, (uint32_t)f->rule->first);
    for (size_t i = 0; s == ASSAY_OK && i < count; i++) s = put(f, ids[i]);
    if (s == ASSAY_OK && !asks && f->rule->last >= 0) s = put(f, (uint32_t)f->rule->last);
    assay_mem_free(ids);
    if (s == ASSAY_OK && f->fill == f->w->length) next_window(f);
    return s;
}

/* All of the text, no token dropped but those of the last window when it is not full. */
static assay_status put_stream(filler *f, const char *text, size_t n)
{
    uint32_t *ids = NULL;
    size_t count = 0;
    assay_status s = assay_tokenizer_encode(f->t, text, n, 0, &ids, &count, f->err);
    for (size_t i = 0; s == ASSAY_OK && i < count && !full(f); i++) {
        if (f->fill == 0 && f->rule->first >= 0) s = put(f, (uint32_t)f->rule->first);
        if (s == ASSAY_OK) s = put(f, ids[i]);
        if (f->fill == f->w->length) next_window(f);
    }
    assay_mem_free(ids);
    return s;
}

static assay_status put_text(filler *f, const char *text, size_t n)
{
    assay_status s = ASSAY_OK;
    size_t start = 0;
    for (size_t at = 0; s == ASSAY_OK && at + 1 < n; at++) {
        if (text[at] != '\n' || text[at + 1] != '\n') continue;
        s = put_document(f, text + start, at - start);
        start = ++at + 1;
    }
    return s == ASSAY_OK ? put_document(f, text + start, n - start) : s;
}

assay_status assay_windows_cut(assay_windows *w, const assay_window_rule *rule, const assay_tokenizer *t,
                               const char *what, const char *text, size_t n, assay_errinfo *err)
{
    filler f;
    assay_status s = filler_init(&f, w, rule, t, what, err);
    if (s == ASSAY_OK) s = rule->stream ? put_stream(&f, text, n) : put_text(&f, text, n);
    return filler_finish(&f, s);
}

/* The ids of one line. */
static assay_status put_line(filler *f, const char *text, size_t n, size_t line)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < n;) {
        uint64_t id = 0;
        size_t start = i;
        for (; i < n && text[i] >= '0' && text[i] <= '9' && id <= UINT32_MAX; i++)
            id = 10 * id + (uint64_t)(text[i] - '0');
        bool space = i < n && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r');
        if (id > UINT32_MAX || (i < n && !space) || (start == i && !space))
            return ASSAY_FAIL1(f->err, ASSAY_EFORMAT, f->what, "is not a list of token ids (line)", line);
        if (i > start) s = put(f, (uint32_t)id);
        i += space;
    }
    return s;
}

assay_status assay_windows_of_ids(assay_windows *w, const assay_window_rule *rule, const char *what, const char *text,
                                  size_t n, assay_errinfo *err)
{
    filler f;
    assay_status s = filler_init(&f, w, rule, NULL, what, err);
    size_t line = 1;
    for (size_t at = 0; s == ASSAY_OK && at < n && !full(&f); line++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        s = put_line(&f, text + at, length, line);
        if (s == ASSAY_OK && f.fill == w->length) next_window(&f);
        at += length + 1;
    }
    return filler_finish(&f, s);
}

assay_status assay_windows_new(assay_windows *w, const assay_hf_config *c, const assay_tokenizer *t, const char *text,
                               size_t n, assay_errinfo *err)
{
    const assay_window_rule rule = {.length = c->max_positions < ASSAY_CALIBRATION_LENGTH ? c->max_positions
                                                                                          : ASSAY_CALIBRATION_LENGTH,
                                    .max = ASSAY_CALIBRATION_WINDOWS,
                                    .vocab = c->vocab,
                                    .first = c->bos,
                                    .last = c->eos};
    filler f;
    assay_status s = filler_init(&f, w, &rule, t, "calibration", err);
    assay_chat_family family = assay_tokenizer_chat(t)->family;
    f.chats = family != ASSAY_CHAT_NONE && family != ASSAY_CHAT_UNKNOWN;
    if (s == ASSAY_OK && text) s = put_text(&f, text, n);
    for (size_t i = 0; s == ASSAY_OK && !text && assay_calibration_documents[i]; i++)
        s = put_document(&f, assay_calibration_documents[i], strlen(assay_calibration_documents[i]));
    return filler_finish(&f, s);
}
