/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: every relation holds on small models of many shapes, in the integer model and in field mode; the checker
 * notices a change of any one cell of any tensor. */
#include "base/mem.h"
#include "harness.h"
#include "unit/model/small_model.h"
#include "unit/model/trace_check.h"
#include <stdio.h>
#include <string.h>

enum { TOKENS_MAX = 80 };

/* A model, its tables, a prompt and the model's own reply. */
typedef struct scene {
    assay_model m;
    assay_tables tb;
    assay_trace t;
    uint32_t ids[TOKENS_MAX], n_prompt, n, y;
    assay_errinfo err;
} scene;

static void scene_clear(scene *s)
{
    assay_trace_clear(&s->t);
    assay_tables_clear(&s->tb);
    assay_model_clear(&s->m);
}

static bool scene_ok(scene *s, assay_status status)
{
    char text[400];
    return CHECK_OK(status) || CHECK_EQ_STR(assay_errinfo_text(&s->err, text, sizeof text), "");
}

static bool scene_open(scene *s, assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->n_prompt = n_prompt;
    if (!assay_small_model(&s->m, shape, seed)) return false;
    assay_small_ids(s->ids, n_prompt, shape.vocab, seed + 1);
    return scene_ok(s, assay_tables_new(&s->tb, &s->m.cfg, TOKENS_MAX, &s->err)) &&
           scene_ok(s, assay_model_reply(&s->m, &s->tb, s->ids, n_prompt, n_new, &s->n, &s->y, NULL, &s->err));
}

static bool scene_trace(scene *s, const assay_run_options *opt)
{
    assay_trace_clear(&s->t);
    return scene_ok(s, assay_model_trace(&s->t, &s->m, &s->tb, s->ids, s->n_prompt, s->n, s->y, opt, &s->err));
}

static void check_scene(scene *s)
{
    assay_trace_check r = assay_trace_check_run(&s->t, &s->m, &s->tb, s->ids, s->y);
    CHECK_EQ_STR(r.first ? r.first : "", "");
    CHECK(r.n_held > 400);
}

static const assay_small_shape usual = {2, 24, 4, 2, 8, 20, 31, true},
                               normed = {2, 24, 4, 2, 8, 20, 31, SMALL_TIED | SMALL_NORMS};

TEST(relations_hold_on_many_shapes)
{
    static const struct {
        assay_small_shape shape;
        uint32_t n_prompt, n_new;
    } cases[] = {
        {{2, 24, 4, 2, 8, 20, 31, true}, 5, 12},
        {{1, 16, 1, 1, 16, 8, 2, true}, 1, 0},
        {{1, 7, 1, 1, 2, 5, 3, false}, 1, 9},
        {{3, 33, 9, 3, 10, 47, 100, false}, 20, 25},
        {{2, 64, 6, 1, 34, 130, 258, true}, 64, 1},
        {{2, 24, 4, 2, 8, 20, 31, SMALL_BIAS}, 5, 12},
        {{2, 24, 4, 2, 8, 20, 31, SMALL_REMAINDER}, 5, 12},
        {{2, 24, 4, 2, 10, 20, 31, SMALL_NORMS}, 5, 12},
        {{3, 9, 6, 2, 6, 20, 31, SMALL_NORMS | SMALL_BIAS}, 3, 9},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scene s;
        if (scene_open(&s, cases[k].shape, cases[k].n_prompt, cases[k].n_new, 7 + k) && scene_trace(&s, NULL))
            check_scene(&s);
        scene_clear(&s);
    }
}

static void change_cells(scene *s)
{
    for (int t = 0; t < TEN_COUNT; t++) {
        const uint64_t cells = assay_tensor_cells(&s->t.shape, (assay_tensor)t);
        const assay_axis first = assay_tensor_axes((assay_tensor)t)[0];
        CHECK((cells == 0) ==
              ((first == AX_C && s->t.shape.n_gap == 0) || (t == TEN_DREM && s->m.cfg.dist_bits <= 16) ||
               (first == AX_U && !(s->m.cfg.parts & ASSAY_PART_QK_NORM))));
        for (int k = 0; k < 6 && cells; k++) {
            int32_t *x = &s->t.t[t][assay_test_random() % cells], old = *x;
            *x += k % 2 == 0 ? 1 : -1;
            assay_trace_check r = assay_trace_check_run(&s->t, &s->m, &s->tb, s->ids, s->y);
            if (!CHECK(r.n_broken > 0)) CHECK_EQ_STR(assay_tensor_name((assay_tensor)t), "");
            *x = old;
        }
    }
    check_scene(s);
}

TEST(a_change_of_any_cell_is_noticed)
{
    scene s;
    if (scene_open(&s, usual, 3, 6, 11) && scene_trace(&s, NULL)) change_cells(&s);
    scene_clear(&s);
    if (scene_open(&s, normed, 3, 6, 11) && scene_trace(&s, NULL)) change_cells(&s);
    scene_clear(&s);
    if (scene_open(&s, (assay_small_shape){2, 24, 4, 2, 8, 20, 31, SMALL_REMAINDER}, 3, 6, 11) && scene_trace(&s, NULL))
        change_cells(&s);
    scene_clear(&s);
}

TEST(axes_and_cells_agree)
{
    scene s;
    if (scene_open(&s, usual, 3, 6, 11) && scene_trace(&s, NULL)) {
        uint64_t total = (uint64_t)model_sites(&s.m.cfg) * s.n * s.m.cfg.d;
        for (int t = 0; t < TEN_COUNT; t++) {
            CHECK(assay_tensor_name((assay_tensor)t) != NULL && assay_tensor_axes((assay_tensor)t)[0] != AX_NONE);
            total += assay_tensor_cells(&s.t.shape, (assay_tensor)t);
        }
        CHECK_EQ_U64(total * sizeof(int32_t), s.t.own_bytes);
        CHECK_EQ_U64(assay_tensor_cells(&s.t.shape, TEN_EX), 2 * 4 * s.n * (s.n + 1) / 2);
        CHECK_EQ_U64(assay_tensor_cells(&s.t.shape, TEN_REB), s.t.shape.n_rebase * s.n * 24);
        CHECK_EQ_U64(s.t.shape.n_rebase, 1); /* sites 0 .. 4, coarser at 2 */
        CHECK(assay_rebase_index(&s.m.cfg, 2) == 0 && assay_rebase_index(&s.m.cfg, 3) == -1);
        CHECK(assay_rebase_index(&s.m.cfg, 0) == -1 && assay_rebase_index(&s.m.cfg, 99) == -1);
    }
    scene_clear(&s);
}

/* Chooses row 3 of the last layer's `down` so that its accumulator at token 0 is p and a little. */
static int64_t wrap_down(scene *s, int16_t *row)
{
    const uint32_t ff = s->m.cfg.ff;
    const int32_t *act = s->t.t[TEN_ACT] + (size_t)(s->m.cfg.n_layers - 1) * ff;
    int64_t total = 0, acc = 0;
    for (uint32_t a = 0; a < ff; a++) total += act[a] < 0 ? -act[a] : act[a];
    const int64_t each = total > 65538 ? 2147483647 / total + 1 : 0;
    for (uint32_t a = 0; a < ff; a++) {
        row[a] = (int16_t)(act[a] < 0 ? -each : each);
        acc += (int64_t)act[a] * row[a];
    }
    return acc;
}

TEST(field_mode_follows_an_accumulator_that_wraps)
{
    const assay_small_shape wide = {2, 24, 4, 2, 8, 4000, 31, true};
    const assay_run_options plain = {.force = true}, field = {.field = true}, field_ref = {.field = true, .ref = true};
    scene s, other;
    char text[300];
    if (scene_open(&s, wide, 1, 0, 3) && scene_trace(&s, NULL)) {
        CHECK(wrap_down(&s, s.m.layer[1].down + (size_t)3 * wide.ff) > 2147483647);
        assay_trace_clear(&s.t);
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 1, 1, 0, &plain, &s.err), ASSAY_ENORESULT);
        CHECK_EQ_STR(assay_errinfo_text(&s.err, text, sizeof text),
                     "layer 1, down, position 0: accumulator outside 30 bits");
        assay_errinfo_clear(&s.err);
        if (scene_ok(&s, assay_model_reply(&s.m, &s.tb, s.ids, 1, 0, &s.n, &s.y, &field, &s.err)) &&
            scene_trace(&s, &field)) {
            check_scene(&s);
            other = s;
            memset(&other.t, 0, sizeof other.t);
            if (scene_trace(&other, &field_ref)) CHECK_EQ_MEM(other.t.own, s.t.own, s.t.own_bytes);
            assay_trace_clear(&other.t);
        }
    }
    scene_clear(&s);
}

TEST(a_token_that_is_not_greedy_is_refused_or_forced)
{
    scene s;
    if (scene_open(&s, usual, 3, 6, 5) && scene_trace(&s, NULL)) {
        assay_trace forced;
        const assay_run_options force = {.force = true};
        char text[300];
        const uint32_t old = s.ids[5];
        s.ids[5] = (old + 1) % usual.vocab;
        assay_trace_clear(&s.t);
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, s.n_prompt, s.n, s.y, NULL, &s.err), ASSAY_ENORESULT);
        CHECK_EQ_STR(assay_errinfo_text(&s.err, text, sizeof text), "reply token 3: is not the model's choice");
        CHECK(s.t.own == NULL);
        CHECK_OK(assay_model_trace(&forced, &s.m, &s.tb, s.ids, s.n_prompt, s.n, s.y, &force, NULL));
        bool outside = false;
        for (uint32_t v = 0; v < usual.vocab; v++) {
            const int64_t hi = forced.t[TEN_LHI][2 * usual.vocab + v], lo = forced.t[TEN_LLO][2 * usual.vocab + v];
            outside = outside || hi >= 1 << 14;
            CHECK(hi >= 0 && hi * 65536 + lo < 2147483647 && lo >= 0 && lo < 65536);
        }
        CHECK(outside);
        assay_trace_clear(&forced);
        s.ids[5] = old;
        assay_errinfo err = {0};
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, s.n_prompt, s.n, (s.y + 1) % usual.vocab, NULL, &err),
                     ASSAY_ENORESULT);
        CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text),
                     "the token after the reply: is not the model's choice");
    }
    scene_clear(&s);
}

/* Token number `below` under the largest of n logits. */
static uint32_t ranked(const int64_t *logit, uint32_t n, uint32_t below)
{
    for (uint32_t v = 0; v < n; v++) {
        uint32_t above = 0;
        for (uint32_t u = 0; u < n; u++) above += logit[u] > logit[v] || (logit[u] == logit[v] && u < v);
        if (above == below) return v;
    }
    return 0;
}

enum { GAP_TOKENS = 7 };

/* A reply of the first few choices' neighbours, and its gaps in steps, from the logits alone. */
static uint64_t near_reply(scene *s, uint32_t gaps[GAP_TOKENS])
{
    int64_t logit[64];
    uint64_t all = 0;
    s->n = s->n_prompt;
    for (uint32_t p = 0; p < GAP_TOKENS; p++) {
        CHECK_OK(assay_model_logits(logit, &s->m, &s->tb, s->ids, s->n, s->n, NULL, &s->err));
        const uint32_t n = s->m.cfg.vocab, best = ranked(logit, n, 0), token = ranked(logit, n, p % 3);
        const int64_t d = logit[best] - logit[token], unit = (int64_t)1 << gap_shift(&s->m.cfg);
        gaps[p] = (uint32_t)(d / unit + (d % unit != 0));
        all += gaps[p];
        s->ids[s->n] = s->y = token;
        s->n += p + 1 < GAP_TOKENS;
    }
    return all;
}

static void expect_gap_refusal(scene *s, const assay_policy *policy, const char *begins, const char *ends)
{
    const assay_run_options opt = {.policy = policy};
    assay_errinfo err = {0};
    char text[400];
    assay_trace_clear(&s->t);
    CHECK_STATUS(assay_model_trace(&s->t, &s->m, &s->tb, s->ids, s->n_prompt, s->n, s->y, &opt, &err), ASSAY_ENORESULT);
    (void)assay_errinfo_text(&err, text, sizeof text);
    const size_t n = strlen(text), n_end = strlen(ends);
    CHECK(strncmp(text, begins, strlen(begins)) == 0 && n > n_end && strcmp(text + n - n_end, ends) == 0);
    CHECK(s->t.own == NULL);
}

TEST(gaps_are_those_of_the_logits)
{
    scene s;
    uint32_t gaps[GAP_TOKENS], largest = 0, count = 0, first = 0;
    if (!scene_open(&s, usual, 3, 6, 5)) return;
    const uint64_t all = near_reply(&s, gaps), steps = (uint64_t)1 << gap_step_f(&s.m.cfg);
    for (uint32_t p = 0; p < GAP_TOKENS; p++) {
        largest = gaps[p] > largest ? gaps[p] : largest;
        count += gaps[p] > 0;
    }
    while (gaps[first] < largest) first++;
    CHECK(count >= 4 && largest > 1);
    /* Limits that are just wide enough, in steps; millionths of a nat round up. */
    const uint64_t most = (largest * 1000000ull + steps - 1) / steps, sum = (all * 1000000ull + steps - 1) / steps;
    const assay_policy fits = {ASSAY_POLICY_GAP, most, sum}, wide = {ASSAY_POLICY_GAP, 60000000, 500000000},
                       low = {ASSAY_POLICY_GAP, most - 1, sum}, poor = {ASSAY_POLICY_GAP, most, sum - 1};
    const assay_run_options opt[2] = {{.policy = &fits}, {.policy = &wide}};
    for (int i = 0; i < 2 && scene_trace(&s, &opt[i]); i++) {
        const uint32_t grain = (uint32_t)(steps / 16);
        const assay_gap_bounds *b = &s.t.gap;
        uint64_t total = 0;
        CHECK_EQ_U64(b->policy, ASSAY_POLICY_GAP);
        CHECK_EQ_U64(b->most, i ? (largest + grain - 1) / grain * grain : largest);
        CHECK_EQ_U64(b->sum, i ? (all + grain - 1) / grain * grain : all);
        CHECK_EQ_U64(b->count, count);
        CHECK_EQ_U64(s.t.shape.n_gap, GAP_TOKENS);
        for (uint32_t p = 0; p < GAP_TOKENS; p++) {
            const uint32_t token = p + 1 < GAP_TOKENS ? s.ids[s.n_prompt + p] : s.y;
            const size_t at = (size_t)p * usual.vocab + token;
            const int64_t d = ((int64_t)s.t.t[TEN_LHI][at] << 16) + s.t.t[TEN_LLO][at],
                          back = ((int64_t)s.t.t[TEN_GAP][p] << gap_shift(&s.m.cfg)) - s.t.t[TEN_GREM][p];
            CHECK_EQ_U64((uint32_t)s.t.t[TEN_GAP][p], gaps[p]);
            CHECK(d == back && s.t.t[TEN_GREM][p] >= 0 && s.t.t[TEN_GREM][p] < 1 << gap_shift(&s.m.cfg));
            CHECK(s.t.t[TEN_GZ][p] == (gaps[p] > 0) && s.t.t[TEN_GSP][p] >= 0 && s.t.t[TEN_GSP][p] < 256);
            total += (uint32_t)s.t.t[TEN_GAP][p] + (uint32_t)s.t.t[TEN_GSP][p];
        }
        CHECK_EQ_U64(total, b->sum);
        change_cells(&s);
    }
    char place[32];
    (void)snprintf(place, sizeof place, "reply token %u: ", first + 1);
    expect_gap_refusal(&s, &low, place, ": is not within the policy");
    expect_gap_refusal(&s, &poor, "all tokens together: ", ": is not within the policy");
    s.m.cfg.logit_f = GAP_LOGIT_F_MAX + 1;
    CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, s.n_prompt, s.n, s.y, &opt[1], NULL), ASSAY_EUNSUPPORTED);
    scene_clear(&s);
}

/* The message of a run whose weights were spoilt: array a of layer l times `by`. */
static void expect_refusal(int16_t *w, size_t n, int factor, scene *s, const char *want)
{
    assay_errinfo err = {0};
    char text[300];
    int16_t old[4096];
    if (!CHECK(n <= sizeof old / sizeof *old)) return;
    memcpy(old, w, n * sizeof *w);
    for (size_t k = 0; k < n; k++) w[k] = (int16_t)(w[k] * factor);
    for (int ref = 0; ref < 2; ref++) {
        const assay_run_options opt = {.ref = ref == 1, .force = true};
        assay_errinfo_clear(&err);
        CHECK_STATUS(assay_model_trace(&s->t, &s->m, &s->tb, s->ids, s->n_prompt, s->n, s->y, &opt, &err),
                     ASSAY_ENORESULT);
        CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text), want);
        assay_trace_clear(&s->t);
    }
    memcpy(w, old, n * sizeof *w);
}

TEST(refusals_name_layer_tensor_and_position)
{
    scene s;
    if (scene_open(&s, usual, 3, 6, 5) && scene_trace(&s, NULL)) {
        const assay_model_config *c = &s.m.cfg;
        assay_layer_weights *w = &s.m.layer[1];
        const uint32_t he = c->n_heads * c->head_dim, ge = c->n_kv * c->head_dim;
        assay_trace_clear(&s.t);
        expect_refusal(w->q, (size_t)he * c->d, 60, &s, "layer 1, q, position 0: outside 10 bits");
        expect_refusal(w->up, (size_t)c->ff * c->d, 60, &s, "layer 1, up, position 0: outside 12 bits");
        expect_refusal(w->v, (size_t)ge * c->d, 60, &s, "layer 1, v, position 0: outside 10 bits");
    }
    scene_clear(&s);
}

TEST(bad_requests)
{
    scene s;
    if (scene_open(&s, usual, 3, 6, 5)) {
        uint32_t n = 0, y = 0;
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 0, s.n, s.y, NULL, NULL), ASSAY_EINVAL);
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 4, 3, s.y, NULL, NULL), ASSAY_EINVAL);
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 3, s.n, 31, NULL, NULL), ASSAY_ERANGE);
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 3, TOKENS_MAX + 1, 1, NULL, NULL), ASSAY_EINVAL);
        CHECK_STATUS(assay_model_reply(&s.m, &s.tb, s.ids, 3, TOKENS_MAX, &n, &y, NULL, NULL), ASSAY_EINVAL);
        CHECK_STATUS(assay_model_reply(&s.m, &s.tb, s.ids, 0, 3, &n, &y, NULL, NULL), ASSAY_EINVAL);
        s.ids[1] = 31;
        CHECK_STATUS(assay_model_trace(&s.t, &s.m, &s.tb, s.ids, 3, s.n, s.y, NULL, NULL), ASSAY_ERANGE);
        CHECK_STATUS(assay_model_reply(&s.m, &s.tb, s.ids, 3, 1, &n, &y, NULL, NULL), ASSAY_ERANGE);
    }
    scene_clear(&s);
}
