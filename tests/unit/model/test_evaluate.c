/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of integer models against their logits, and the sums over both models. That of the example model, floats
 * included, is compared with the numpy reference by tests/reference/test_eval.py. */
#include "base/mem.h"
#include "base/pool.h"
#include "model/evaluate.h"
#include "unit/harness.h"
#include "unit/model/small_model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 12, LENGTH = 9, VOCAB = 20 };

static const assay_small_shape shape = {2, 16, 2, 1, 8, 24, VOCAB, true};

typedef struct run {
    assay_choice choice[WINDOWS * LENGTH];
    assay_window_result result[WINDOWS];
    assay_peaks peaks;
} run;

static void evaluate(run *r, const assay_model *m, const assay_tables *tb, const assay_windows *w, assay_pool *pool)
{
    memset(r, 0, sizeof *r);
    CHECK_OK(assay_evaluate_integer(r->choice, r->result, &r->peaks, m, tb, w, pool, NULL, NULL));
}

/* Position t of a window, from its logits. */
static void check_choice(const assay_choice *c, const int64_t *logits, int32_t logit_f, bool last, uint32_t next)
{
    double sum = 0, unit = ldexp(1, -logit_f);
    uint32_t top = 0;
    for (uint32_t v = 1; v < VOCAB; v++) top = logits[v] > logits[top] ? v : top;
    for (uint32_t v = 0; v < VOCAB; v++) sum += exp((double)(logits[v] - logits[top]) * unit);
    CHECK_EQ_U64(c->top, top);
    double loss = last ? 0 : log(sum) - (double)(logits[next] - logits[top]) * unit;
    CHECK(fabs(c->loss - loss) <= 1e-9 * (1 + fabs(loss)));
}

/* Windows of random ids have results up to some position, and the logits of that many tokens say the same; one more
 * token has none. Returns how many windows are refused somewhere. */
static size_t compare(const assay_model *m, uint32_t first)
{
    uint32_t ids[WINDOWS * LENGTH];
    int64_t logits[LENGTH * VOCAB];
    assay_tables tb;
    assay_pool *pool = NULL;
    static run a, b;
    size_t whole = 0, refused = 0;
    int64_t top = 0;
    const uint32_t n_prompt = first + 1;
    const assay_windows w = {.ids = ids, .n = WINDOWS, .length = LENGTH, .from = first};
    for (uint32_t i = 0; i < WINDOWS; i++) {
        assay_small_ids(ids + i * LENGTH, LENGTH, VOCAB, i);
        if (first) ids[i * LENGTH] = (uint32_t)m->cfg.bos;
    }
    if (!CHECK_OK(assay_tables_new(&tb, &m->cfg, LENGTH, NULL)) || !CHECK_OK(assay_pool_new(&pool, 3, NULL))) return 0;
    evaluate(&a, m, &tb, &w, NULL);
    evaluate(&b, m, &tb, &w, pool);
    CHECK(memcmp(&a.peaks, &b.peaks, sizeof a.peaks) == 0);
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const uint32_t n = a.result[i].n, *window = ids + i * LENGTH;
        CHECK(n >= first && n <= LENGTH && b.result[i].n == n);
        whole += n == LENGTH;
        refused += n < LENGTH;
        if (n >= n_prompt) CHECK_OK(assay_model_logits(logits, m, &tb, window, n_prompt, n, NULL, NULL));
        for (uint32_t t = first; t < n; t++) {
            const int64_t *row = logits + (t - first) * VOCAB;
            const assay_choice *c = &a.choice[i * LENGTH + t];
            CHECK(memcmp(c, &b.choice[i * LENGTH + t], sizeof *c) == 0);
            check_choice(c, row, m->cfg.logit_f, t + 1 == LENGTH, t + 1 < LENGTH ? window[t + 1] : 0);
            for (uint32_t v = 0; v < VOCAB; v++) top = llabs(row[v]) > top ? llabs(row[v]) : top;
        }
        if (n == LENGTH) continue;
        CHECK(a.result[i].why.status == ASSAY_ENORESULT && strstr(a.result[i].why.subject, "position") != NULL);
        if (n + 1 >= n_prompt)
            CHECK_STATUS(assay_model_logits(logits, m, &tb, window, n_prompt, n + 1, NULL, NULL), ASSAY_ENORESULT);
    }
    CHECK(whole > 0);
    CHECK(a.peaks.top[PEAK_LOGITS] >= top && a.peaks.top[PEAK_Q] > 0 && a.peaks.top[PEAK_DOWN] > 0);
    assay_pool_free(pool);
    assay_tables_clear(&tb);
    return refused;
}

TEST(choices_are_those_of_the_logits)
{
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assay_model m;
        REQUIRE(assay_small_model(&m, shape, seed));
        refused += compare(&m, 0);
        assay_model_clear(&m);
    }
    CHECK(refused > 0); /* both kinds were seen */
}

TEST(a_fixed_first_token_does_not_count)
{
    assay_model m;
    REQUIRE(assay_small_model(&m, shape, 1));
    REQUIRE(assay_small_fix_first(&m, 7));
    CHECK(compare(&m, 1) > 0);
    uint32_t ids[LENGTH] = {0};
    assay_tables tb;
    static run r;
    const assay_windows w = {.ids = ids, .n = 1, .length = LENGTH, .from = 1};
    REQUIRE_OK(assay_tables_new(&tb, &m.cfg, LENGTH, NULL));
    ids[0] = (uint32_t)m.cfg.bos + 1;
    CHECK_STATUS(assay_evaluate_integer(r.choice, r.result, &r.peaks, &m, &tb, &w, NULL, NULL, NULL), ASSAY_ERANGE);
    assay_tables_clear(&tb);
    assay_model_clear(&m);
}

TEST(sums)
{
    /* Two windows of three; the second has a result up to its position 1. */
    const assay_choice a[] = {{1, 0.5f, 3}, {2, 0.01f, 4}, {0, 0.03f, 5}, {4, 0.5f, 6}, {8, 0.5f, 7}, {0, 9.0f, 8}};
    const assay_choice b[] = {{1.5, 0, 3}, {2, 0, 5}, {0, 0, 9}, {5, 0, 6}, {99, 0, 1}, {99, 0, 1}};
    const assay_window_result result[] = {{.n = 3}, {.n = 1}};
    assay_windows w = {.n = 2, .length = 3};
    assay_fidelity f;
    assay_fidelity_sum(&f, a, b, result, &w, 0.02);
    CHECK_EQ_U64(f.positions, 4);
    CHECK_EQ_U64(f.predicted, 3);
    CHECK(f.loss_float == 7 && f.loss_integer == 8.5);
    CHECK_EQ_U64(f.same, 2);
    CHECK_EQ_U64(f.decisive, 3);
    CHECK_EQ_U64(f.decisive_same, 2);
    w.from = 1;
    assay_fidelity_sum(&f, a, b, result, &w, 0.02);
    CHECK(f.positions == 2 && f.predicted == 1 && f.loss_float == 2 && f.same == 0 && f.decisive == 1);
    w.from = 0;
    assay_fidelity_sum(&f, a, NULL, NULL, &w, 0.02);
    CHECK(f.positions == 6 && f.predicted == 4 && f.loss_float == 15 && f.same == 0 && f.decisive == 0);
}
