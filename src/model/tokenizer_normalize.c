/* SPDX-License-Identifier: Apache-2.0 */
/* Normalising text: normal form C, or U+2581 for spaces. */
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include "model/unicode.h"
#include <string.h>

enum { BLOCK_BYTES = sizeof ASSAY_BLOCK - 1 };

size_t assay_blocks_for_spaces(uint8_t *out, const uint8_t *text, size_t n, bool put_first)
{
    size_t at = 0;
    if (put_first) {
        memcpy(out, ASSAY_BLOCK, BLOCK_BYTES);
        at = BLOCK_BYTES;
    }
    for (size_t i = 0; i < n; i++) {
        if (text[i] == ' ') {
            memcpy(out + at, ASSAY_BLOCK, BLOCK_BYTES);
            at += BLOCK_BYTES;
        } else {
            out[at++] = text[i];
        }
    }
    return at;
}

static assay_status no_memory(assay_errinfo *err)
{
    return ASSAY_FAIL(err, ASSAY_ENOMEM, "text", "out of memory");
}

static assay_status normal_form(uint8_t **own, size_t *n_own, size_t *n_out, const uint8_t *text, size_t n,
                                assay_errinfo *err)
{
    *n_own = ASSAY_NFC_GROWTH * n;
    *own = assay_mem_alloc_raw(*n_own, 1);
    uint64_t *work = assay_mem_alloc_raw(ASSAY_NFC_WORK * n, sizeof *work);
    if (*own && work) *n_out = assay_nfc(*own, work, text, n);
    bool failed = !*own || !work;
    assay_mem_free_secret(work, work ? ASSAY_NFC_WORK * n * sizeof *work : 0);
    return failed ? no_memory(err) : ASSAY_OK;
}

assay_status assay_tokenizer_normalize(const assay_tokenizer *t, const uint8_t **out, size_t *n_out, uint8_t **own,
                                       size_t *n_own, const uint8_t *text, size_t n, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    *out = text;
    *n_out = n;
    *own = NULL;
    *n_own = 0;
    if (n == 0) return ASSAY_OK;
    if (t->rules & RULE_NFC) {
        if (assay_nfc_is_stable(text, n)) return ASSAY_OK;
        s = normal_form(own, n_own, n_out, text, n, err);
    } else if (t->rules & (RULE_PREPEND | RULE_REPLACE)) {
        *n_own = BLOCK_BYTES * n + BLOCK_BYTES;
        *own = assay_mem_alloc_raw(*n_own, 1);
        if (!*own) s = no_memory(err);
        if (*own) *n_out = assay_blocks_for_spaces(*own, text, n, (t->rules & RULE_PREPEND) != 0);
    }
    if (*own) *out = *own;
    if (s != ASSAY_OK) {
        assay_mem_free(*own);
        *own = NULL;
        *n_own = 0;
    }
    return s;
}
