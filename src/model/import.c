/* SPDX-License-Identifier: Apache-2.0 */
/* From a Hugging Face folder to an integer model: read, calibrate, smooth, plan, quantise. */
#include "base/file.h"
#include "base/mem.h"
#include "model/calibration_text.h"
#include "model/plan.h"
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

static assay_status load_windows(assay_windows *w, assay_hf_config *c, const char *folder, const char *path,
                                 assay_errinfo *err)
{
    assay_tokenizer *t = NULL;
    uint8_t *text = NULL;
    size_t n = 0;
    assay_status s = assay_model_tokenizer(&t, c, folder, err);
    if (s == ASSAY_OK) s = load_text(&text, &n, folder, path, err);
    if (s == ASSAY_OK) s = assay_windows_new(w, c, t, (const char *)text, n, err);
    assay_mem_free_secret(text, n);
    assay_tokenizer_free(t);
    return s;
}

static assay_status plan_and_quantise(assay_model *m, assay_checkpoint *ck, assay_maxima *seen, assay_pool *pool,
                                      assay_errinfo *err)
{
    const assay_model_config like = {.n_layers = ck->cfg.n_layers, .tied = ck->cfg.tied};
    int32_t *f = assay_mem_alloc(assay_weight_count(&like), sizeof *f);
    assay_status s = f ? assay_smooth(ck, seen, err) : ASSAY_FAIL(err, ASSAY_ENOMEM, "import", "out of memory");
    if (s == ASSAY_OK) s = assay_plan(&m->cfg, f, ck, seen, err);
    if (s == ASSAY_OK) s = assay_quantise(m, ck, f, pool, err);
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
    if (!opt) opt = &plain;
    *m = (assay_model){0};
    assay_status s = assay_checkpoint_open(&ck, folder, err);
    if (s == ASSAY_OK) s = load_windows(&w, &ck.cfg, folder, calibration_path, err);
    if (s == ASSAY_OK) s = assay_calibrate(&seen, &ck, w.ids, w.n, w.length, opt->pool, opt->progress, err);
    if (s == ASSAY_OK) s = plan_and_quantise(m, &ck, &seen, opt->pool, err);
    assay_maxima_clear(&seen);
    assay_windows_clear(&w);
    assay_checkpoint_clear(&ck);
    if (s != ASSAY_OK) assay_model_clear(m);
    return s;
}
