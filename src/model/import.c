/* SPDX-License-Identifier: Apache-2.0 */
/* From a Hugging Face folder to an integer model: read, calibrate, smooth, plan, quantise. */
#include "base/file.h"
#include "base/mem.h"
#include "model/calibration_text.h"
#include "model/chat.h"
#include "model/import_check.h"
#include "model/plan.h"
#include "model/rotate.h"
#include "model/weights.h"
#include <stdbool.h>

enum { PATH_BYTES = 4096, MAX_TEXT = 64 << 20 };

assay_status assay_model_tokenizer(assay_tokenizer **t, assay_hf_config *c, const char *folder, assay_errinfo *err)
{
    uint8_t *file = NULL;
    size_t n = 0;
    uint32_t first;
    assay_status s = assay_tokenizer_file(&file, &n, folder, err);
    if (s == ASSAY_OK) s = assay_tokenizer_new(t, file, n, err);
    assay_mem_free(file);
    int said = s == ASSAY_OK ? assay_tokenizer_first(*t, &first) : -1;
    if (said >= 0) c->bos = said && first < c->vocab ? (int32_t)first : -1;
    return s;
}

/* The text at `path`; path = NULL: the folder's calibration.txt, or none (*text = NULL). */
static assay_status load_text(uint8_t **text, size_t *n, const char *folder, const char *path, assay_errinfo *err)
{
    char own[PATH_BYTES];
    if (path) return assay_file_read(path, MAX_TEXT, text, n, err);
    assay_status s = assay_checkpoint_companion(own, sizeof own, folder, "calibration.txt", err);
    if (s == ASSAY_OK) s = assay_file_read(own, MAX_TEXT, text, n, err);
    if (s != ASSAY_EIO) return s;
    assay_errinfo_clear(err);
    return ASSAY_OK;
}

enum { MASSIVE = 8, PROBE_TOKENS = 64 };

/* Whether activations at position 0 dwarf those at the others of a window: max |h| at some site MASSIVE times as large.
 * Such a first token (an attention sink) would force a coarse unit on all of the residual. */
static assay_status probe_first(bool *massive, const assay_checkpoint *ck, const uint32_t *ids, size_t n,
                                assay_errinfo *err)
{
    assay_checkpoint rest = *ck;
    assay_maxima first = {0}, others = {0};
    rest.cfg.fixed_first = 1;
    *massive = false;
    assay_status s = assay_maxima_new(&first, &ck->cfg, err);
    if (s == ASSAY_OK) s = assay_maxima_new(&others, &ck->cfg, err);
    if (s == ASSAY_OK) s = assay_float_first(&first, ck, ids[0], NULL, NULL, err);
    if (s == ASSAY_OK) s = assay_float_forward(&others, &rest, ids, n, NULL, err);
    for (uint32_t j = 0; s == ASSAY_OK && j <= 2 * ck->cfg.n_layers; j++)
        *massive = *massive || first.h[j] > (float)MASSIVE * others.h[j];
    assay_maxima_clear(&first);
    assay_maxima_clear(&others);
    return s;
}

/* Windows, and whether the first token is fixed: `named` is tried even if the tokenizer puts none before a text. */
static assay_status fix_first(assay_windows *w, assay_checkpoint *ck, int32_t named, const assay_tokenizer *t,
                              const char *text, size_t n, assay_errinfo *err)
{
    assay_hf_config *c = &ck->cfg;
    const int32_t put = c->bos;
    bool massive = false;
    if (named >= 0) c->bos = named;
    assay_status s = assay_windows_new(w, c, t, text, n, err);
    if (s != ASSAY_OK || c->bos < 0 || w->length < 2) return s;
    s = probe_first(&massive, ck, w->ids, w->length < PROBE_TOKENS ? w->length : PROBE_TOKENS, err);
    c->fixed_first = massive;
    if (s != ASSAY_OK || massive || put == c->bos) return s;
    c->bos = put;
    assay_windows_clear(w);
    return assay_windows_new(w, c, t, text, n, err);
}

/* The token that chats begin with, else the one that the checkpoint names as bos; -1: none. */
static assay_status name_first(int32_t *id, const assay_hf_config *c, const assay_tokenizer *t, assay_errinfo *err)
{
    const assay_chat_family family = assay_tokenizer_chat(t)->family;
    uint32_t *ids = NULL;
    size_t n = 0;
    *id = c->bos;
    if (family == ASSAY_CHAT_NONE || family == ASSAY_CHAT_UNKNOWN) return ASSAY_OK;
    assay_status s = assay_chat_prompt(t, &ids, &n, NULL, 0, "a", 1, err);
    if (s == ASSAY_OK && n > 0 && ids[0] < c->vocab) *id = (int32_t)ids[0];
    assay_mem_free(ids);
    return s;
}

static assay_status load_windows(assay_windows *w, assay_checkpoint *ck, const char *folder, const char *path,
                                 assay_errinfo *err)
{
    const assay_hf_config as_read = ck->cfg;
    int32_t named = -1;
    assay_tokenizer *t = NULL;
    uint8_t *text = NULL;
    size_t n = 0;
    assay_status s = assay_model_tokenizer(&t, &ck->cfg, folder, err);
    if (s == ASSAY_OK) s = name_first(&named, &as_read, t, err);
    if (s == ASSAY_OK) s = load_text(&text, &n, folder, path, err);
    if (s == ASSAY_OK) s = fix_first(w, ck, named, t, (const char *)text, n, err);
    assay_mem_free_secret(text, n);
    assay_tokenizer_free(t);
    return s;
}

/* Keys and values of a fixed first token, from the checkpoint as it is quantised. */
static assay_status put_first(assay_model *m, const assay_checkpoint *ck, assay_errinfo *err)
{
    const size_t n = (size_t)ck->cfg.n_layers * ck->cfg.n_kv * ck->cfg.head_dim;
    assay_maxima unused = {0};
    float *k = assay_mem_alloc(n, sizeof *k), *v = assay_mem_alloc(n, sizeof *v);
    assay_status s = k && v ? assay_maxima_new(&unused, &ck->cfg, err)
                            : ASSAY_FAIL(err, ASSAY_ENOMEM, "first token", "out of memory");
    if (s == ASSAY_OK) s = assay_float_first(&unused, ck, (uint32_t)ck->cfg.bos, k, v, err);
    if (s == ASSAY_OK) s = assay_quantise_first(m, k, v, err);
    assay_maxima_clear(&unused);
    assay_mem_free_secret(k, n * sizeof *k);
    assay_mem_free_secret(v, n * sizeof *v);
    return s;
}

enum { PEAK_WINDOWS = 8 };

typedef struct peak_job {
    const assay_checkpoint *ck;
    const assay_windows *w;
    float *row, ratio[PEAK_WINDOWS]; /* row[PEAK_WINDOWS][D] */
    assay_status s[PEAK_WINDOWS];
    assay_errinfo err[PEAK_WINDOWS];
} peak_job;

static void find_peak(void *ctx, size_t i)
{
    peak_job *j = ctx;
    j->s[i] = assay_float_peak(j->row + i * j->ck->cfg.d, &j->ratio[i], j->ck, j->w->ids + i * j->w->length,
                               j->w->length, &j->err[i]);
}

/* Massive activations are spread over all channels; the first windows tell whether there are any. */
static assay_status rotate_if_massive(assay_checkpoint *ck, const assay_windows *w, bool *rotated, assay_pool *pool,
                                      assay_errinfo *err)
{
    const size_t n = w->n < PEAK_WINDOWS ? w->n : PEAK_WINDOWS, cells = n * ck->cfg.d;
    peak_job j = {ck, w, assay_mem_alloc(cells, sizeof *j.row), {0}, {ASSAY_OK}, {{0}}};
    assay_status s = j.row ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "import", "out of memory");
    size_t top = 0;
    if (s == ASSAY_OK) assay_pool_run(pool, n, find_peak, &j);
    for (size_t i = 0; i < n; i++) {
        if (j.ratio[i] > j.ratio[top]) top = i;
        if (s == ASSAY_OK && j.s[i] != ASSAY_OK) {
            s = j.s[i];
            if (err && err->status == ASSAY_OK) *err = j.err[i];
        }
        assay_errinfo_clear(&j.err[i]);
    }
    *rotated = s == ASSAY_OK && j.ratio[top] > ASSAY_MASSIVE_RATIO;
    if (*rotated) s = assay_rotate(ck, j.row + top * ck->cfg.d, pool, err);
    assay_mem_free_secret(j.row, cells * sizeof *j.row);
    return s;
}

static assay_status plan_and_quantise(assay_model *m, assay_checkpoint *ck, assay_maxima *seen, assay_pool *pool,
                                      assay_errinfo *err)
{
    const assay_model_config like = {
        .n_layers = ck->cfg.n_layers, .tied = ck->cfg.tied, .fixed_first = ck->cfg.fixed_first, .parts = ck->cfg.parts};
    int32_t *f = assay_mem_alloc(assay_weight_count(&like), sizeof *f);
    assay_status s = f ? assay_smooth(ck, seen, err) : ASSAY_FAIL(err, ASSAY_ENOMEM, "import", "out of memory");
    if (s == ASSAY_OK) s = assay_plan(&m->cfg, f, ck, seen, err);
    if (s == ASSAY_OK) s = assay_quantise(m, ck, f, pool, err);
    if (s == ASSAY_OK && ck->cfg.fixed_first) s = put_first(m, ck, err);
    assay_mem_free(f);
    return s;
}

assay_status assay_model_import(assay_model *m, const char *folder, const char *calibration_path,
                                const assay_run_options *opt, assay_errinfo *err)
{
    assay_run_options plain = {0};
    assay_checkpoint ck = {0};
    assay_windows w = {0};
    assay_maxima seen = {0};
    bool rotated = false;
    if (!opt) opt = &plain;
    *m = (assay_model){0};
    assay_status s = assay_checkpoint_open(&ck, folder, err);
    if (s == ASSAY_OK) s = load_windows(&w, &ck, folder, calibration_path, err);
    if (s == ASSAY_OK && assay_plan_is_fine(&ck.cfg)) s = rotate_if_massive(&ck, &w, &rotated, opt->pool, err);
    if (s == ASSAY_OK) s = assay_calibrate(&seen, &ck, w.ids, w.n, w.length, opt->pool, opt->progress, err);
    if (s == ASSAY_OK && rotated) assay_rescale(&ck, &seen, assay_plan_resid_head(&ck.cfg));
    if (s == ASSAY_OK) s = plan_and_quantise(m, &ck, &seen, opt->pool, err);
    if (s == ASSAY_OK) s = assay_import_check(m, &w, opt->pool, &opt->progress, err);
    assay_maxima_clear(&seen);
    assay_windows_clear(&w);
    assay_checkpoint_clear(&ck);
    if (s != ASSAY_OK) assay_model_clear(m);
    return s;
}
