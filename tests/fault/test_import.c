/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations from a Hugging Face folder to a weights file and back.
 * ctest: labels slow */
#include "base/file.h"
#include "base/mem.h"
#include "fault/fault.h"
#include "model/evaluate.h"
#include "model/weights.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 1024 };

/* A text of one window, so that a run is short. */
static assay_status import_tiny(void *ctx, assay_errinfo *err)
{
    char folder[PATH];
    assay_model m;
    (void)snprintf(folder, sizeof folder, "%s/examples/tiny", assay_test_source_dir());
    assay_status s = assay_model_import(&m, folder, ctx, NULL, err);
    assay_model_clear(&m);
    return s;
}

TEST(import)
{
    char path[PATH], text[400];
    memset(text, 'x', sizeof text);
    (void)snprintf(path, sizeof path, "%s/text", assay_test_tmpdir());
    REQUIRE_OK(assay_file_write(path, text, sizeof text, 0600, NULL));
    CHECK(assay_fault_every(import_tiny, path, 1) > 100);
}

/* The float model on two windows of eight bytes. */
static assay_status evaluate_tiny(void *ctx, assay_errinfo *err)
{
    static const char text[] = "1 2 3 4 5 6 7 8\n9 10 11 12 13 14 15 16";
    const assay_window_rule rule = {.length = 8, .max = 2, .vocab = 258};
    assay_checkpoint *ck = ctx;
    assay_windows w = {0};
    assay_choice choice[16];
    assay_status s = assay_windows_of_ids(&w, &rule, "text", text, sizeof text - 1, err);
    if (s == ASSAY_OK) s = assay_evaluate_float(choice, ck, &w, NULL, NULL, err);
    assay_windows_clear(&w);
    return s;
}

TEST(evaluation)
{
    char folder[PATH];
    assay_checkpoint ck;
    (void)snprintf(folder, sizeof folder, "%s/examples/tiny", assay_test_source_dir());
    REQUIRE_OK(assay_checkpoint_open(&ck, folder, NULL));
    CHECK(assay_fault_every(evaluate_tiny, &ck, 1) >= 10);
    assay_checkpoint_clear(&ck);
}

typedef struct round_trip {
    assay_model m;
    char path[PATH];
} round_trip;

static assay_status save_and_load(void *ctx, assay_errinfo *err)
{
    round_trip *t = ctx;
    assay_model back = {0};
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    assay_model_config_encode(&w, &t->m.cfg);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory") : ASSAY_OK;
    assay_reader r = assay_reader_of(w.p, w.n);
    if (s == ASSAY_OK) s = assay_model_config_decode(&back.cfg, &r, err);
    if (s == ASSAY_OK) s = assay_model_weights_save(&t->m, t->path, err);
    if (s == ASSAY_OK) s = assay_model_weights_load(&back, t->path, err);
    assay_writer_clear(&w);
    assay_model_clear(&back);
    return s;
}

TEST(configuration_and_weights)
{
    char folder[PATH];
    round_trip t;
    (void)snprintf(folder, sizeof folder, "%s/examples/tiny", assay_test_source_dir());
    (void)snprintf(t.path, sizeof t.path, "%s/weights.bin", assay_test_tmpdir());
    REQUIRE_OK(assay_model_import(&t.m, folder, NULL, NULL, NULL));
    CHECK(assay_fault_every(save_and_load, &t, 1) >= 8);
    assay_model_clear(&t.m);
}
