/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that keep nothing but keys and values: greedy decoding, and logits for fidelity figures. */
#include "base/mem.h"
#include "base/progress.h"
#include "model/forward.h"
#include <stdio.h>
#include <string.h>

static uint32_t block_of(uint32_t from, uint32_t to)
{
    return to - from < FORWARD_BLOCK ? to - from : FORWARD_BLOCK;
}

static bool is_stop(const assay_model_config *c, uint32_t id)
{
    for (uint32_t k = 0; k < c->n_stop; k++) {
        if (c->stop[k] == id) return true;
    }
    return false;
}

/* Runs tokens from .. to - 1 and picks the token after them. logits: scratch [V]. progress: of all f->cap tokens. */
static assay_status next_token(assay_forward *f, uint32_t *y, int32_t *logits, const uint32_t *ids, uint32_t from,
                               uint32_t to, const assay_progress *progress, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    assay_subprogress part;
    for (uint32_t at = from; s == ASSAY_OK && at < to; at += block_of(at, to)) {
        f->progress =
            assay_progress_part(&part, progress, (double)at / f->cap, (double)(at + block_of(at, to)) / f->cap);
        s = assay_forward_block(f, ids, at, block_of(at, to), err);
    }
    if (s == ASSAY_OK) s = assay_forward_logits(f, logits, 1, err);
    if (s != ASSAY_OK || assay_greedy_pick(y, logits, f->c->vocab, f->field)) return s;
    char subject[96];
    snprintf(subject, sizeof subject, "layer %u, logits, position %u", f->c->n_layers, to - 1);
    return ASSAY_FAIL(err, ASSAY_ENORESULT, subject, "difference outside 30 bits");
}

assay_status assay_model_reply(const assay_model *m, const assay_tables *tb, uint32_t *ids, uint32_t n_prompt,
                               uint32_t n_new, uint32_t *n_out, uint32_t *y, const assay_run_options *opt,
                               assay_errinfo *err)
{
    assay_forward f;
    const uint32_t limit = n_prompt + n_new;
    uint32_t n = n_prompt, next = 0;
    if (n_prompt < 1 || limit < n_prompt) return ASSAY_FAIL2(err, ASSAY_EINVAL, "reply", "no prompt", n_prompt, n_new);
    assay_status s = assay_model_prompt_check(&m->cfg, ids, n_prompt, err);
    if (s != ASSAY_OK) return s;
    int32_t *logits = assay_mem_alloc(m->cfg.vocab, sizeof *logits);
    if (!logits) return ASSAY_FAIL(err, ASSAY_ENOMEM, "reply", "out of memory");
    s = assay_forward_open(&f, m, tb, limit, NULL, opt, err);
    if (s != ASSAY_OK) goto out;
    const assay_progress progress = f.progress;
    s = next_token(&f, &next, logits, ids, 0, n, &progress, err);
    for (bool stop = false; s == ASSAY_OK && !stop && n < limit;) {
        stop = is_stop(&m->cfg, next);
        ids[n++] = next;
        s = next_token(&f, &next, logits, ids, n - 1, n, &progress, err);
    }
    assay_forward_close(&f);
    if (s == ASSAY_OK) {
        ids[n] = next;
        *n_out = n;
        *y = next;
    }
out:
    assay_mem_free_secret(logits, m->cfg.vocab * sizeof *logits);
    return s;
}

assay_status assay_model_logits(int64_t *out, const assay_model *m, const assay_tables *tb, const uint32_t *ids,
                                uint32_t n_prompt, uint32_t n_tokens, const assay_run_options *opt, assay_errinfo *err)
{
    assay_forward f;
    const uint32_t vocab = m->cfg.vocab;
    size_t cells;
    if (n_prompt < 1 || n_tokens < n_prompt)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, "logits", "no prompt", n_prompt, n_tokens);
    assay_status s = assay_model_prompt_check(&m->cfg, ids, n_prompt, err);
    if (s != ASSAY_OK) return s;
    if (!assay_mul_size(FORWARD_BLOCK, vocab, &cells)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "logits", "out of memory");
    int32_t *logits = assay_mem_alloc(cells, sizeof *logits);
    if (!logits) return ASSAY_FAIL(err, ASSAY_ENOMEM, "logits", "out of memory");
    s = assay_forward_open(&f, m, tb, n_tokens, NULL, opt, err);
    if (s != ASSAY_OK) goto out;
    for (uint32_t at = 0; s == ASSAY_OK && at < n_tokens; at += block_of(at, n_tokens)) {
        const uint32_t end = at + block_of(at, n_tokens), first = n_prompt - 1 > at ? n_prompt - 1 : at;
        s = assay_forward_block(&f, ids, at, end - at, err);
        if (s != ASSAY_OK || first >= end) continue;
        s = assay_forward_logits(&f, logits, end - first, err);
        int64_t *to = out + (size_t)(first - (n_prompt - 1)) * vocab;
        for (size_t k = 0; s == ASSAY_OK && k < (size_t)(end - first) * vocab; k++) to[k] = logits[k];
    }
    assay_forward_close(&f);
out:
    assay_mem_free_secret(logits, cells * sizeof *logits);
    return s;
}
