/* SPDX-License-Identifier: Apache-2.0 */
/* The importer against the numpy reference: every integer of the example model, and of random models of each family;
 * float logits of these. */
#define _POSIX_C_SOURCE 200809L
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/float_bits.h"
#include "model/maxima.h"
#include "model/weights.h"
#include "unit/harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, TEXT = 1 << 16 };

static void source_path(char out[PATH], const char *name)
{
    snprintf(out, PATH, "%s/%s", assay_test_source_dir(), name);
}
static void tmp_path(char out[PATH], const char *name)
{
    snprintf(out, PATH, "%s/%s", assay_test_tmpdir(), name);
}

static size_t put_site(char *out, size_t at, const char *lead, assay_site t)
{
    return at + (size_t)snprintf(out + at, TEXT - at, "%s%d %d %d", lead, t.b, t.s, t.f);
}

/* The plan as the reference's plan_text writes it. */
static void plan_text(char out[TEXT], const assay_model_config *c)
{
    static const char *const name[] = {"q", "k", "v", "qr", "kr", "o", "gate", "up", "a", "down"};
    size_t at = (size_t)snprintf(out, TEXT, "shape %u %u %u %u %u %u %u %u\nwidths %d %d %d %d %d %d %d %d %d %d %d\n",
                                 c->n_layers, c->d, c->n_heads, c->n_kv, c->head_dim, c->ff, c->vocab, c->tied,
                                 c->n_bits, c->score_f, c->dist_bits, c->cos_bits, c->e_bits, c->z_bits, c->o_guard,
                                 c->rsqrt_in, c->rsqrt_out, c->rs_t, c->resid_bits);
    at += (size_t)snprintf(out + at, TEXT - at, "ends %d %d %d %d", c->f_embed, c->f_head, c->f_gf, c->fn_final);
    at = put_site(out, at, " ", c->ng);
    at += (size_t)snprintf(out + at, TEXT - at, " %d\n", c->logit_f);
    for (uint32_t j = 0; j < model_sites(c); j++)
        at += (size_t)snprintf(out + at, TEXT - at, "residual %u %d %lld\n", j, c->unit[j], (long long)c->eps_term[j]);
    for (uint32_t l = 0; l < c->n_layers; l++) {
        const assay_layer_config *y = &c->layer[l];
        const assay_site site[] = {y->q, y->k, y->v, y->qr, y->kr, y->o, y->gate, y->up, y->act, y->down};
        at += (size_t)snprintf(out + at, TEXT - at, "layer %u %d %d %d\n", l, y->fn1, y->fn2, y->fsg);
        for (size_t i = 0; i < 10; i++) {
            at += (size_t)snprintf(out + at, TEXT - at, "site %u %s", l, name[i]);
            at = put_site(out, at, " ", site[i]);
            at += (size_t)snprintf(out + at, TEXT - at, "\n");
        }
        if (!(c->parts & ASSAY_PART_QK_NORM)) continue;
        at += (size_t)snprintf(out + at, TEXT - at, "heads %u", l);
        at = put_site(out, at, " ", y->qg);
        at = put_site(out, at, " ", y->kg);
        at += (size_t)snprintf(out + at, TEXT - at, " %d\n", y->fnh);
    }
}

static bool have_numpy(void)
{
    return system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

static void compare_weights(assay_model *m, const uint8_t *p, size_t n)
{
    size_t at = 0, differ = 0;
    CHECK_EQ_U64(n, 2 * assay_weight_total(&m->cfg) + 4 * assay_bias_total(&m->cfg));
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        for (size_t j = 0; j < (size_t)a.rows * a.cols && at + 2 <= n; j++, at += 2)
            differ += (uint16_t)(*a.slot)[j] != (uint16_t)(p[at] | p[at + 1] << 8);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(m, i);
        for (size_t j = 0; j < a.n && at + 4 <= n; j++, at += 4)
            differ += (uint32_t)(*a.slot)[j] != assay_load_u32(p + at);
    }
    CHECK_EQ_U64(differ, 0);
}

/* The importer's integers for a folder against those of the reference. */
static void compare_with_reference(const char *folder)
{
    char command[3 * PATH], path[PATH];
    char *text = malloc(TEXT);
    uint8_t *want = NULL, *bin = NULL;
    size_t n_want = 0, n_bin = 0;
    assay_model m = {0};
    REQUIRE(text != NULL);
    CHECK_OK(assay_model_import(&m, folder, NULL, NULL, NULL));
    snprintf(command, sizeof command,
             "/usr/bin/python3 %s/tests/reference/model_reference.py %s --calibrate %s/calibration.txt --dump %s/plan "
             "--length %u >/dev/null",
             assay_test_source_dir(), folder, folder, assay_test_tmpdir(),
             m.cfg.max_positions < 256 ? (unsigned)m.cfg.max_positions : 256u);
    CHECK(system(command) == 0);
    tmp_path(path, "plan.txt");
    CHECK_OK(assay_file_read(path, TEXT, &want, &n_want, NULL));
    tmp_path(path, "plan.bin");
    CHECK_OK(assay_file_read(path, 1 << 26, &bin, &n_bin, NULL));
    if (m.own && want && bin) {
        char *ours = text;
        plan_text(ours, &m.cfg);
        CHECK_EQ_U64(strlen(ours), n_want);
        CHECK(n_want == strlen(ours) && memcmp(ours, want, n_want) == 0);
        compare_weights(&m, bin, n_bin);
    }
    assay_mem_free_secret(want, n_want);
    assay_mem_free_secret(bin, n_bin);
    assay_model_clear(&m);
    free(text);
}

TEST(tiny_equals_the_numpy_reference)
{
    char folder[PATH];
    source_path(folder, "examples/tiny");
    if (have_numpy())
        compare_with_reference(folder);
    else
        assay_test_skip("/usr/bin/python3 has no numpy");
}

/* A random model of another family, made anew. */
static bool make_family(char folder[PATH], const char *kind)
{
    char command[3 * PATH];
    tmp_path(folder, kind);
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/support/make_checkpoint.py %s %s",
             assay_test_source_dir(), kind, folder);
    return CHECK(system(command) == 0);
}

TEST(every_family_equals_the_numpy_reference)
{
    static const char *const kinds[] = {"llama", "linear", "llama3", "mistral", "qwen2", "qwen3"};
    if (!have_numpy()) {
        assay_test_skip("/usr/bin/python3 has no numpy");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char folder[PATH];
        if (make_family(folder, kinds[i])) compare_with_reference(folder);
    }
}

TEST(families_have_the_parts_of_their_names)
{
    static const struct {
        const char *kind;
        uint32_t parts, positions, n_rope;
    } want[] = {{"qwen2", ASSAY_PART_BIAS, 256, 0}, {"mistral", 0, 128, 0}, {"llama3", 0, 256, 8}};
    if (!have_numpy()) {
        assay_test_skip("/usr/bin/python3 has no numpy");
        return;
    }
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char folder[PATH];
        assay_checkpoint ck;
        if (!make_family(folder, want[i].kind) || !CHECK_OK(assay_checkpoint_open(&ck, folder, NULL))) continue;
        CHECK_EQ_U64(ck.cfg.parts, want[i].parts);
        CHECK_EQ_U64(ck.cfg.max_positions, want[i].positions);
        CHECK_EQ_U64(ck.cfg.n_rope, want[i].n_rope);
        CHECK((ck.layer[1].bq != NULL) == (want[i].parts == ASSAY_PART_BIAS));
        assay_checkpoint_clear(&ck);
    }
}

/* Logits in float32 against float64 ones of a plain program. */
static void compare_logits(const char *folder)
{
    enum { N = 100 };
    char command[3 * PATH], path[PATH];
    uint32_t ids[N];
    assay_checkpoint ck = {0};
    assay_maxima seen = {0};
    uint8_t *want = NULL;
    size_t n_want = 0;
    double worst = 0, top = 0;
    tmp_path(path, "logits.bin");
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/reference/float_logits.py %s %d %s",
             assay_test_source_dir(), folder, N, path);
    REQUIRE(system(command) == 0);
    REQUIRE_OK(assay_checkpoint_open(&ck, folder, NULL));
    REQUIRE_OK(assay_file_read(path, 1 << 24, &want, &n_want, NULL));
    const size_t d = ck.cfg.d, vocab = ck.cfg.vocab;
    float *rows = calloc(N * d, sizeof *rows);
    for (uint32_t i = 0; i < N; i++) ids[i] = i * 7 % ck.cfg.vocab;
    REQUIRE(rows != NULL && n_want == 4 * N * vocab);
    CHECK_OK(assay_maxima_new(&seen, &ck.cfg, NULL));
    CHECK_OK(assay_float_forward(&seen, &ck, ids, N, rows, NULL));
    for (size_t i = 0; i < N * vocab; i++) {
        double sum = 0, right = (double)float_of_bits(assay_load_u32(want + 4 * i));
        for (size_t k = 0; k < d; k++) sum += (double)rows[i / vocab * d + k] * (double)ck.head[i % vocab * d + k];
        worst = fmax(worst, fabs(sum - right));
        top = fmax(top, fabs(right));
    }
    if (!CHECK(top > 1 && worst < 1e-4 * top)) printf("    %s: off by %g of %g\n", folder, worst, top);
    free(rows);
    assay_mem_free_secret(want, n_want);
    assay_maxima_clear(&seen);
    assay_checkpoint_clear(&ck);
}

TEST(float_logits_of_every_family_are_those_of_its_definition)
{
    static const char *const kinds[] = {"llama", "linear", "llama3", "mistral", "qwen2", "qwen3"};
    if (!have_numpy()) {
        assay_test_skip("/usr/bin/python3 has no numpy");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char folder[PATH];
        if (make_family(folder, kinds[i])) compare_logits(folder);
    }
}
