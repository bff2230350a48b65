/* SPDX-License-Identifier: Apache-2.0 */
/* The weights file, and worst cases of accumulators. */
#include "base/file.h"
#include "base/mem.h"
#include "model/bounds.h"
#include "model/weights.h"
#include "unit/harness.h"
#include "unit/model/valid_config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With biases, so that both kinds of numbers are there, and norms of heads. */
static void give_parts(assay_model_config *c)
{
    valid_config_norm_heads(c);
    c->parts |= ASSAY_PART_BIAS;
}

static void make_model(assay_model *m)
{
    *m = (assay_model){0};
    valid_config(&m->cfg);
    give_parts(&m->cfg);
    REQUIRE_OK(assay_model_alloc(m, NULL));
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        for (size_t j = 0; j < (size_t)a.rows * a.cols; j++)
            (*a.slot)[j] = (int16_t)((int64_t)(assay_test_random() % 8191) - 4095);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(m, i);
        for (uint32_t j = 0; j < a.n; j++)
            (*a.slot)[j] = (int32_t)((int64_t)(assay_test_random() % ((1u << 30) - 1)) - (1 << 29) + 1);
    }
}

static void weights_path(char out[1024])
{
    snprintf(out, 1024, "%s/weights.bin", assay_test_tmpdir());
}

TEST(weights_are_saved_and_loaded)
{
    char path[1024];
    assay_model m, back = {0};
    make_model(&m);
    weights_path(path);
    CHECK_OK(assay_model_weights_save(&m, path, NULL));
    valid_config(&back.cfg);
    give_parts(&back.cfg);
    REQUIRE_OK(assay_model_weights_load(&back, path, NULL));
    CHECK(back.head == back.embed);
    uint64_t total = 0;
    for (uint32_t i = 0; i < assay_weight_count(&m.cfg); i++) {
        assay_weight_array a = assay_weight_at(&m, i), b = assay_weight_at(&back, i);
        size_t cells = (size_t)a.rows * a.cols;
        CHECK(memcmp(*a.slot, *b.slot, cells * sizeof(int16_t)) == 0);
        total += cells;
    }
    CHECK_EQ_U64(total, assay_weight_total(&m.cfg));
    total = 0;
    for (uint32_t i = 0; i < assay_bias_count(&m.cfg); i++) {
        assay_bias_array a = assay_bias_at(&m, i), b = assay_bias_at(&back, i);
        CHECK(memcmp(*a.slot, *b.slot, a.n * sizeof(int32_t)) == 0);
        total += a.n;
    }
    CHECK(total == assay_bias_total(&m.cfg) && total == 2 * (16 + 8 + 8));
    CHECK_STATUS(assay_model_alloc(&back, NULL), ASSAY_EINVAL);
    assay_model_clear(&m);
    assay_model_clear(&back);
    CHECK(back.own == NULL && back.embed == NULL && back.cfg.unit == NULL);
}

/* Decodes the bytes for the valid configuration. */
static assay_status decode(const uint8_t *p, size_t n)
{
    assay_model m = {0};
    valid_config(&m.cfg);
    give_parts(&m.cfg);
    assay_status s = assay_model_weights_decode(&m, "weights.bin", p, n, NULL);
    CHECK((m.own != NULL) == (s == ASSAY_OK));
    assay_model_clear(&m);
    return s;
}

TEST(foreign_or_damaged_weights_are_refused)
{
    enum { HEADER = 52 };
    char path[1024];
    uint8_t *p = NULL;
    size_t n = 0;
    assay_model m;
    make_model(&m);
    weights_path(path);
    CHECK_OK(assay_model_weights_save(&m, path, NULL));
    REQUIRE_OK(assay_file_read(path, 1 << 20, &p, &n, NULL));
    CHECK_EQ_U64(n, HEADER + 2 * assay_weight_total(&m.cfg) + 4 * assay_bias_total(&m.cfg));
    CHECK_OK(decode(p, n));
    for (size_t cut = 0; cut < n; cut += cut < HEADER ? 1 : 37) CHECK_STATUS(decode(p, cut), ASSAY_EFORMAT);
    for (size_t i = 0; i < HEADER; i++) {
        p[i] ^= 1;
        CHECK_STATUS(decode(p, n), i >= 8 && i < 12 ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT);
        p[i] ^= 1;
    }
    p[HEADER] = 0x00; /* -32768 */
    p[HEADER + 1] = 0x80;
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    p[HEADER] = 0x01;
    CHECK_OK(decode(p, n));
    assay_store_u32(p + n - 4, (uint32_t) - (1 << 29)); /* no bias of 30 bits */
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    assay_store_u32(p + n - 4, 1u << 29);
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    assay_store_u32(p + n - 4, (uint32_t) - ((1 << 29) - 1));
    CHECK_OK(decode(p, n));
    m.cfg.layer[0].fsg = 11;
    assay_model other = {.cfg = m.cfg};
    CHECK_STATUS(assay_model_weights_decode(&other, "weights.bin", p, n, NULL), ASSAY_EFORMAT);
    assay_mem_free_secret(p, n);
    assay_model_clear(&m);
}

TEST(bounds_are_worst_cases)
{
    assay_model m;
    assay_bound b[ASSAY_N_BOUNDS];
    make_model(&m);
    for (uint32_t i = 0; i < assay_weight_count(&m.cfg); i++) {
        assay_weight_array a = assay_weight_at(&m, i);
        memset(*a.slot, 0, (size_t)a.rows * a.cols * sizeof(int16_t));
    }
    for (uint32_t i = 0; i < assay_bias_count(&m.cfg); i++)
        memset(*assay_bias_at(&m, i).slot, 0, assay_bias_at(&m, i).n * sizeof(int32_t));
    m.layer[1].bk[7] = -(1 << 28);
    for (uint32_t j = 0; j < m.cfg.ff; j++) m.layer[1].down[3 * m.cfg.ff + j] = (int16_t)(j % 2 ? -4095 : 4095);
    m.layer[0].q[5] = -1024;
    m.gf[2] = 4095;
    assay_model_bounds(b, &m);
    CHECK_EQ_STR(b[7].name, "down");
    CHECK(fabs(b[7].by_sum - log2(6 * 4095.0 * 32768)) < 1e-9);
    CHECK(fabs(b[0].by_sum - 24) < 1e-9);
    CHECK(fabs(b[1].by_sum - 28) < 1e-9 && fabs(b[1].by_norm - 28) < 1e-9);
    CHECK(b[0].by_norm < b[0].by_sum && fabs(b[0].by_norm - log2(sqrt(8.0) * 1024 * (1.13 * 1024 + 0.5))) < 1e-9);
    CHECK(fabs(b[8].by_sum - log2(4095.0 * 16384)) < 1e-9);
    CHECK(fabs(b[6].by_sum - 30) < 1e-9 && b[6].excluded);
    CHECK(b[7].excluded == (b[7].by_sum < 30.58) && b[0].excluded && b[9].excluded);
    for (uint32_t j = 0; j < m.cfg.d; j++) m.head[4 * m.cfg.d + j] = 4095;
    assay_model_bounds(b, &m);
    CHECK(fabs(b[9].by_sum - log2(8 * 4095.0 * 32768)) < 1e-9 && !b[9].excluded);
    assay_model_clear(&m);
}
