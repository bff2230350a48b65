/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration text to windows of tokens. */
#include "model/calibration_text.h"
#include "base/mem.h"
#include <string.h>

void assay_windows_clear(assay_windows *w)
{
    assay_mem_free(w->ids);
    *w = (assay_windows){0};
}

/* The window that is being filled is number w->n; `fill` tokens of it are there. */
typedef struct filler {
    assay_windows *w;
    const assay_hf_config *c;
    const assay_tokenizer *t;
    size_t fill;
    assay_errinfo *err;
} filler;

/* Tokens after the end of a window are dropped: the next one starts with a document. */
static assay_status put(filler *f, uint32_t id)
{
    if (id >= f->c->vocab)
        return ASSAY_FAIL2(f->err, ASSAY_ERANGE, "calibration",
                           "the tokenizer gives a token that the model does not have", id, f->c->vocab);
    if (f->fill < f->w->length) f->w->ids[f->w->n * f->w->length + f->fill++] = id;
    return ASSAY_OK;
}

static assay_status put_document(filler *f, const char *text, size_t n)
{
    uint32_t *ids = NULL;
    size_t count = 0;
    if (n == 0 || f->w->n == ASSAY_CALIBRATION_WINDOWS) return ASSAY_OK;
    assay_status s = assay_tokenizer_encode(f->t, text, n, 0, &ids, &count, f->err);
    if (s == ASSAY_OK && f->c->bos >= 0) s = put(f, (uint32_t)f->c->bos);
    for (size_t i = 0; s == ASSAY_OK && i < count; i++) s = put(f, ids[i]);
    if (s == ASSAY_OK && f->c->eos >= 0) s = put(f, (uint32_t)f->c->eos);
    assay_mem_free(ids);
    if (s == ASSAY_OK && f->fill == f->w->length) {
        f->w->n++;
        f->fill = 0;
    }
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

assay_status assay_windows_new(assay_windows *w, const assay_hf_config *c, const assay_tokenizer *t, const char *text,
                               size_t n, assay_errinfo *err)
{
    *w = (assay_windows){0};
    w->length = c->max_positions < ASSAY_CALIBRATION_LENGTH ? c->max_positions : ASSAY_CALIBRATION_LENGTH;
    w->ids = assay_mem_alloc(ASSAY_CALIBRATION_WINDOWS * w->length, sizeof *w->ids);
    if (!w->ids) return ASSAY_FAIL(err, ASSAY_ENOMEM, "calibration", "out of memory");
    filler f = {w, c, t, 0, err};
    assay_status s = text ? put_text(&f, text, n) : ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && !text && assay_calibration_documents[i]; i++)
        s = put_document(&f, assay_calibration_documents[i], strlen(assay_calibration_documents[i]));
    if (s == ASSAY_OK && w->n == 0)
        s = ASSAY_FAIL2(err, ASSAY_EINVAL, "calibration", "the text does not fill one window (tokens, window)", f.fill,
                        w->length);
    if (s != ASSAY_OK) assay_windows_clear(w);
    return s;
}
