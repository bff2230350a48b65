/* SPDX-License-Identifier: Apache-2.0 */
/* Another basis of the residual stream leaves the function as it was, and evens out the row that it is made for. */
#include "base/mem.h"
#include "model/matmul_f32.h"
#include "model/rotate.h"
#include "unit/harness.h"
#include <math.h>
#include <stdio.h>

enum { TOKENS = 24 };

/* Logits [TOKENS][V]. */
static float *logits(const assay_checkpoint *ck, const uint32_t *ids)
{
    const size_t d = ck->cfg.d, vocab = ck->cfg.vocab;
    float *rows = assay_mem_alloc(TOKENS * d, sizeof *rows), *y = assay_mem_alloc(TOKENS * vocab, sizeof *y);
    float *scratch = assay_mem_alloc(d, ASSAY_MATMUL_LANES * sizeof *scratch);
    assay_maxima m = {0};
    CHECK_OK(assay_maxima_new(&m, &ck->cfg, NULL));
    CHECK_OK(assay_float_forward(&m, ck, ids, TOKENS, rows, NULL));
    assay_matmul_f32(y, rows, ck->head, TOKENS, d, vocab, scratch);
    assay_maxima_clear(&m);
    assay_mem_free(rows);
    assay_mem_free(scratch);
    return y;
}

static float farthest(const float *a, const float *b, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(a[i] - b[i]));
    return most;
}

TEST(the_function_stays_and_the_row_is_even)
{
    assay_checkpoint ck = {0};
    uint32_t ids[TOKENS];
    float ratio = 0;
    char tiny[1024];
    snprintf(tiny, sizeof tiny, "%s/examples/tiny", assay_test_source_dir());
    REQUIRE_OK(assay_checkpoint_open(&ck, tiny, NULL));
    for (uint32_t t = 0; t < TOKENS; t++) ids[t] = 32 + 3 * t;
    const size_t n = (size_t)TOKENS * ck.cfg.vocab, d = ck.cfg.d;
    float *row = assay_mem_alloc(d, sizeof *row), *before = logits(&ck, ids);
    CHECK_OK(assay_float_peak(row, &ratio, &ck, ids, TOKENS, NULL));
    CHECK(ratio > 1);
    CHECK_OK(assay_rotate(&ck, row, NULL, NULL));
    CHECK(!ck.cfg.tied && ck.head != ck.embed);
    float *after = logits(&ck, ids);
    CHECK(farthest(before, after, n) < 1e-3f);
    CHECK(farthest(before, after, n) > 0);
    /* The row that stood out is now the diagonal: no channel of it stands out. */
    assay_mem_free(after);
    CHECK_OK(assay_float_peak(row, &ratio, &ck, ids, TOKENS, NULL));
    CHECK(ratio < 3);
    assay_maxima m = {0};
    CHECK_OK(assay_maxima_new(&m, &ck.cfg, NULL));
    CHECK_OK(assay_float_forward(&m, &ck, ids, TOKENS, NULL, NULL));
    float top = m.h[0];
    assay_rescale(&ck, &m, 0.5);
    CHECK(m.h[0] >= top && m.h[0] < 2 * top);
    after = logits(&ck, ids);
    CHECK(farthest(before, after, n) < 1e-3f);
    assay_maxima_clear(&m);
    assay_mem_free(row);
    assay_mem_free(before);
    assay_mem_free(after);
    assay_checkpoint_clear(&ck);
}
