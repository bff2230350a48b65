/* SPDX-License-Identifier: Apache-2.0 */
/* The integer model's runs: every tensor equals the numpy reference's (tests/reference/dump_model.py), the fast path
 * equals the plain one on every instruction set and with threads, and greedy decoding with its cache equals whole runs.
 * ctest: timeout 600 */
#include "base/cpu.h"
#include "base/mem.h"
#include "harness.h"
#include "model/forward_kernels.h"
#include "unit/model/arrays.h"
#include "unit/model/small_model.h"
#include <stdlib.h>
#include <string.h>

enum { TOKENS_MAX = 160 };

static const assay_small_shape usual = {3, 32, 4, 2, 16, 40, 60, false};

static bool fine(assay_status s, const assay_errinfo *err)
{
    char text[400];
    return CHECK_OK(s) || CHECK_EQ_STR(assay_errinfo_text(err, text, sizeof text), "");
}

/* ---- against numpy */

static bool have_numpy(void)
{
    return system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0;
}

/* Runs dump_model.py on the model; arguments: those after OUT. */
static bool run_reference(assay_arrays *out, const assay_model *m, const char *arguments)
{
    char model[256], values[256], command[4096];
    snprintf(model, sizeof model, "%s/model.arrays", assay_test_tmpdir());
    snprintf(values, sizeof values, "%s/values.arrays", assay_test_tmpdir());
    if (!CHECK(assay_arrays_save_model(model, m))) return false;
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/reference/dump_model.py' '%s' '%s' %s",
             assay_test_source_dir(), model, values, arguments);
    return CHECK(system(command) == 0) && CHECK(assay_arrays_open(out, values));
}

static void print_ids(char *out, size_t nbytes, const uint32_t *ids, uint32_t n)
{
    size_t at = strlen(out);
    for (uint32_t i = 0; i < n; i++) at += (size_t)snprintf(out + at, nbytes - at, " %u", (unsigned)ids[i]);
}

static void same_tensor(const assay_arrays *a, const char *name, const assay_trace *t, assay_tensor x)
{
    const uint64_t n = assay_tensor_cells(&t->shape, x);
    const assay_tensor low = tensor_low_limb(x);
    int32_t *whole = assay_mem_alloc((size_t)n, sizeof *whole);
    REQUIRE(whole != NULL);
    for (uint64_t at = 0; at < n; at++)
        whole[at] = low == TEN_COUNT ? t->t[x][at] : t->t[x][at] * (1 << ASSAY_LIMB_BITS) + t->t[low][at];
    if (!CHECK_EQ_U64(assay_arrays_differ(a, name, whole, (size_t)n), n)) CHECK_EQ_STR(name, "");
    assay_mem_free(whole);
}

static void same_remainder_of_mix(const assay_arrays *a, const assay_trace *t)
{
    const assay_model_config *c = t->shape.cfg;
    const uint64_t n = t->shape.n_tokens, cells = assay_tensor_cells(&t->shape, TEN_O1);
    uint64_t differing = 0;
    for (uint64_t at = 0; at < cells; at++) {
        const uint64_t h = at / c->head_dim % c->n_heads, row = at / c->head_dim / c->n_heads, l = row / n, i = row % n;
        const int64_t dd = t->t[TEN_ZDD][(l * c->n_heads + h) * n + i];
        const int64_t rem = t->t[TEN_OREM][at] * dd + t->t[TEN_ORHO][at];
        differing += rem != assay_arrays_at(a, "mix.rem", (size_t)at);
    }
    CHECK_EQ_U64(differing, 0);
}

typedef struct named_tensor {
    const char *name;
    assay_tensor x;
} named_tensor;

static void same_trace(const assay_arrays *a, const assay_trace *t)
{
    static const named_tensor heads[] = {
        {"norm of a head.y", TEN_XN},        {"norm of a head.rem", TEN_XNREM},
        {"norm of a head.m", TEN_XNM},       {"norm of a head.par", TEN_XNPAR},
        {"norm of a head.r", TEN_XNRT},      {"norm of a head.sigma", TEN_XNSIG},
        {"norm of a head.over", TEN_XNOVER}, {"q gain.y", TEN_QG},
        {"q gain.rem", TEN_QGREM},           {"k gain.y", TEN_KG},
        {"k gain.rem", TEN_KGREM},
    };
    static const named_tensor pairs[] = {
        {"norm.y", TEN_N},
        {"norm.rem", TEN_NREM},
        {"norm.m", TEN_NM},
        {"norm.par", TEN_NPAR},
        {"norm.r", TEN_NRT},
        {"norm.sigma", TEN_NSIG},
        {"norm.over", TEN_NOVER},
        {"q.y", TEN_Q},
        {"q.rem", TEN_QREM},
        {"k.y", TEN_K},
        {"k.rem", TEN_KREM},
        {"v.y", TEN_V1},
        {"v.rem", TEN_VREM},
        {"q rotated.y", TEN_QR},
        {"q rotated.rem", TEN_QRREM},
        {"k rotated.y", TEN_KR},
        {"k rotated.rem", TEN_KRREM},
        {"mix.e", TEN_EX},
        {"mix.c", TEN_CMAX},
        {"mix.zp", TEN_ZP},
        {"mix.delta", TEN_ZDEL},
        {"mix.y", TEN_O1},
        {"o.y", TEN_Y},
        {"o.rem", TEN_YREM},
        {"gate.y", TEN_GATE},
        {"gate.rem", TEN_GATEREM},
        {"up.y", TEN_UP},
        {"up.rem", TEN_UPREM},
        {"gate * up.y", TEN_ACT},
        {"gate * up.rem", TEN_ACTREM},
        {"down.y", TEN_DOWN},
        {"down.rem", TEN_DOWNREM},
        {"final gain.y", TEN_NG},
        {"final gain.rem", TEN_NGREM},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) same_tensor(a, pairs[k].name, t, pairs[k].x);
    if (t->shape.cfg->parts & ASSAY_PART_QK_NORM)
        for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) same_tensor(a, heads[k].name, t, heads[k].x);
    if (t->shape.n_rebase > 0) {
        same_tensor(a, "rebase.y", t, TEN_REB);
        same_tensor(a, "rebase.rem", t, TEN_REBREM);
    }
    const size_t n = (size_t)model_sites(t->shape.cfg) * t->shape.n_tokens * t->shape.cfg->d;
    CHECK_EQ_U64(assay_arrays_differ(a, "norm.h", t->h, n), n);
    same_remainder_of_mix(a, t);
}

static void same_logits(const assay_arrays *a, const assay_model *m, const assay_tables *tb, const uint32_t *ids,
                        uint32_t n_prompt, uint32_t n)
{
    const size_t cells = (size_t)(n - n_prompt + 1) * m->cfg.vocab;
    int64_t *logits = assay_mem_alloc(cells, sizeof *logits);
    assay_errinfo err = {0};
    uint64_t differing = 0;
    REQUIRE(logits != NULL);
    if (fine(assay_model_logits(logits, m, tb, ids, n_prompt, n, NULL, &err), &err)) {
        CHECK_EQ_U64(assay_arrays_count(a, "logits.y"), cells);
        for (size_t k = 0; k < cells; k++) differing += logits[k] != assay_arrays_at(a, "logits.y", k);
        CHECK_EQ_U64(differing, 0);
    }
    assay_mem_free(logits);
}

/* Plain trace and logits of one request against numpy. Claimed tokens need not be greedy. */
static void compare_request(const assay_model *m, const uint32_t *ids, uint32_t n_prompt, uint32_t n)
{
    const assay_run_options opt = {.ref = true, .force = true};
    assay_errinfo err = {0};
    assay_tables tb;
    assay_trace t = {0};
    assay_arrays a;
    char arguments[2048] = "";
    snprintf(arguments, sizeof arguments, "%u", (unsigned)n_prompt);
    print_ids(arguments, sizeof arguments, ids, n);
    if (!run_reference(&a, m, arguments)) return;
    REQUIRE_OK(assay_tables_new(&tb, &m->cfg, n, NULL));
    CHECK_EQ_U64(assay_arrays_count(&a, "refused"), 0);
    if (fine(assay_model_trace(&t, m, &tb, ids, n_prompt, n, 0, &opt, &err), &err)) {
        same_trace(&a, &t);
        same_logits(&a, m, &tb, ids, n_prompt, n);
    }
    assay_trace_clear(&t);
    assay_tables_clear(&tb);
    assay_arrays_close(&a);
}

TEST(every_tensor_equals_numpy_on_small_models)
{
    static const assay_small_shape shapes[] = {
        {3, 32, 4, 2, 16, 40, 60, false},        {1, 16, 1, 1, 16, 8, 2, true},
        {2, 33, 9, 3, 10, 47, 100, true},        {2, 33, 9, 3, 10, 47, 100, SMALL_BIAS},
        {2, 33, 9, 3, 10, 47, 100, SMALL_NORMS}, {3, 24, 2, 2, 34, 20, 31, SMALL_NORMS | SMALL_BIAS | SMALL_TIED}};
    static const uint32_t prompts[] = {20, 1, 64, 20, 20, 9}, tokens[] = {70, 1, 64, 70, 70, 33};
    if (!have_numpy()) {
        assay_test_skip("needs /usr/bin/python3 with numpy");
        return;
    }
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        assay_model m;
        uint32_t ids[TOKENS_MAX];
        if (assay_small_model(&m, shapes[k], 40 + k)) {
            assay_small_ids(ids, tokens[k], shapes[k].vocab, k);
            compare_request(&m, ids, prompts[k], tokens[k]);
        }
        assay_model_clear(&m);
    }
}

/* ---- refusals */

/* Both paths refuse with `reason`, at the layer and position where numpy does. */
static void compare_refusal(const assay_model *m, const uint32_t *ids, uint32_t n, const char *reason)
{
    char arguments[2048] = "1", want[64];
    assay_tables tb;
    assay_arrays a;
    print_ids(arguments, sizeof arguments, ids, n);
    if (!run_reference(&a, m, arguments)) return;
    CHECK_EQ_U64(assay_arrays_count(&a, "refused"), 2);
    snprintf(want, sizeof want, "layer %d position %d", (int)assay_arrays_at(&a, "refused", 0),
             (int)assay_arrays_at(&a, "refused", 1));
    assay_arrays_close(&a);
    REQUIRE_OK(assay_tables_new(&tb, &m->cfg, n, NULL));
    for (int ref = 0; ref < 2; ref++) {
        const assay_run_options opt = {.ref = ref == 1, .force = true};
        assay_errinfo err = {0};
        assay_trace t;
        char got[64];
        unsigned layer = 0, position = 0;
        CHECK_STATUS(assay_model_trace(&t, m, &tb, ids, 1, n, 0, &opt, &err), ASSAY_ENORESULT);
        CHECK_EQ_STR(err.reason, reason);
        CHECK(sscanf(err.subject, "layer %u, %*[^,], position %u", &layer, &position) == 2);
        snprintf(got, sizeof got, "layer %u position %u", layer, position);
        CHECK_EQ_STR(got, want);
        CHECK(t.own == NULL);
    }
    assay_tables_clear(&tb);
}

/* Makes all rows of a matrix equal to its first, times `by`. */
static void align_rows(int16_t *w, uint32_t rows, uint32_t cols, int by)
{
    for (uint32_t k = rows * cols; k-- > 0;) w[k] = (int16_t)(w[k % cols] * by);
}

TEST(refusals_are_numpys)
{
    enum { N = 24 };
    uint32_t ids[N];
    if (!have_numpy()) {
        assay_test_skip("needs /usr/bin/python3 with numpy");
        return;
    }
    for (int which = 0; which < 5; which++) {
        assay_model m;
        assay_small_ids(ids, N, usual.vocab, 77);
        if (assay_small_model(&m, usual, 21)) {
            const uint32_t d = usual.d, he = usual.n_heads * usual.head_dim, ge = usual.n_kv * usual.head_dim;
            int16_t *row = m.embed + (size_t)ids[6] * d;
            switch (which) {
            case 0: /* scores that all add up */
                align_rows(m.layer[1].q, he, d, 8);
                align_rows(m.layer[1].k, ge, d, 8);
                compare_refusal(&m, ids, N, "distance beyond the exp table");
                break;
            case 1: /* one token with large, one with no embedding */
                row[3] = 32767;
                compare_refusal(&m, ids, N, "residual outside 16 bits");
                break;
            case 2:
                memset(row, 0, d * sizeof *row);
                compare_refusal(&m, ids, N, "sum of squares out of range");
                break;
            case 3:
                align_rows(m.layer[2].down, d, usual.ff, 500);
                compare_refusal(&m, ids, N, "outside 12 bits");
                break;
            default:
                m.layer[1].up[5] = 32767;
                compare_refusal(&m, ids, N, "outside 12 bits");
            }
        }
        assay_model_clear(&m);
    }
}

/* ---- the example model */

/* The bytes of a prompt after the token that starts one. */
static uint32_t tokens_of(uint32_t *ids, const char *prompt)
{
    uint32_t n = 0;
    ids[n++] = 256;
    for (const char *p = prompt; *p; p++) ids[n++] = (uint8_t)*p;
    return n;
}

static bool open_tiny(assay_model *m, assay_tables *tb)
{
    char folder[512];
    assay_errinfo err = {0};
    snprintf(folder, sizeof folder, "%s/examples/tiny", assay_test_source_dir());
    return fine(assay_model_import(m, folder, NULL, NULL, &err), &err) &&
           fine(assay_tables_new(tb, &m->cfg, TOKENS_MAX, &err), &err);
}

static const char question[] = "Q: What is 27 + 45?\nA:";

TEST(the_example_model_answers)
{
    assay_model m = {0};
    assay_tables tb = {0};
    uint32_t ids[TOKENS_MAX], n = 0, y = 0;
    char text[8] = "";
    if (open_tiny(&m, &tb)) {
        const uint32_t n_prompt = tokens_of(ids, question);
        CHECK_OK(assay_model_reply(&m, &tb, ids, n_prompt, 4, &n, &y, NULL, NULL));
        CHECK_EQ_U64(n, n_prompt + 4);
        for (uint32_t k = n_prompt; k < n; k++) text[k - n_prompt] = (char)ids[k];
        CHECK_EQ_STR(text, " 72.");
        CHECK_EQ_U64(y, '\n');
    }
    assay_tables_clear(&tb);
    assay_model_clear(&m);
}

TEST(the_example_model_equals_numpy)
{
    static const char *const prompts[] = {question, "", "x", "The capital of France is",
                                          "On Monday, 3 + 4 = 7 and then"};
    assay_model m = {0};
    assay_tables tb = {0};
    if (!have_numpy()) {
        assay_test_skip("needs /usr/bin/python3 with numpy");
        return;
    }
    if (open_tiny(&m, &tb)) {
        for (size_t k = 0; k < sizeof prompts / sizeof *prompts; k++) {
            uint32_t ids[TOKENS_MAX], n = 0, y = 0;
            const uint32_t n_prompt = tokens_of(ids, prompts[k]);
            char arguments[512] = "--reply 12";
            assay_arrays a;
            REQUIRE_OK(assay_model_reply(&m, &tb, ids, n_prompt, k == 1 ? 0 : 12, &n, &y, NULL, NULL));
            compare_request(&m, ids, n_prompt, n);
            if (k != 0) continue;
            print_ids(arguments, sizeof arguments, ids, n_prompt);
            if (!run_reference(&a, &m, arguments)) continue;
            for (uint32_t i = 0; i < n; i++) CHECK_EQ_U64(assay_arrays_at(&a, "ids", i), ids[i]);
            assay_arrays_close(&a);
        }
    }
    assay_tables_clear(&tb);
    assay_model_clear(&m);
}

/* ---- fast against plain */

static void compare_paths(const assay_model *m, const assay_tables *tb, const uint32_t *ids, uint32_t n_prompt,
                          uint32_t n, assay_pool *pool)
{
    assay_run_options plain = {.ref = true, .force = true}, fast = {.force = true, .pool = pool};
    assay_errinfo err = {0};
    assay_trace a = {0}, b = {0};
    if (fine(assay_model_trace(&a, m, tb, ids, n_prompt, n, 1, &plain, &err), &err) &&
        fine(assay_model_trace(&b, m, tb, ids, n_prompt, n, 1, &fast, &err), &err)) {
        REQUIRE(a.own_bytes == b.own_bytes);
        CHECK_EQ_MEM(a.own, b.own, a.own_bytes);
    }
    assay_trace_clear(&a);
    assay_trace_clear(&b);
}

TEST(fast_equals_plain_on_every_instruction_set)
{
    static const assay_small_shape shapes[] = {
        {3, 32, 4, 2, 16, 40, 60, false}, {1, 16, 1, 1, 16, 8, 2, true},      {2, 33, 9, 3, 10, 47, 100, true},
        {1, 7, 1, 1, 2, 5, 3, false},     {2, 128, 4, 2, 32, 352, 258, true}, {2, 33, 9, 3, 10, 47, 100, SMALL_NORMS},
    };
    static const unsigned masks[] = {0, ASSAY_CPU_AVX2, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512};
    assay_pool *pool = NULL;
    REQUIRE_OK(assay_pool_new(&pool, 3, NULL));
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        assay_model m;
        assay_tables tb;
        uint32_t ids[TOKENS_MAX];
        if (assay_small_model(&m, shapes[k], 70 + k) && CHECK_OK(assay_tables_new(&tb, &m.cfg, TOKENS_MAX, NULL))) {
            assay_small_ids(ids, TOKENS_MAX, shapes[k].vocab, k);
            for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
                assay_cpu_mask(masks[i]);
                compare_paths(&m, &tb, ids, 3, 37, i == 1 ? pool : NULL);
                compare_paths(&m, &tb, ids, 1, 1, pool);
            }
            assay_tables_clear(&tb);
        }
        assay_model_clear(&m);
    }
    assay_cpu_mask(~0u);
    assay_pool_free(pool);
}

TEST(fast_equals_plain_where_sums_pass_32_bits)
{
    /* Weights of 16 bits: |x| |w| passes 2^31, and rows of `down` that cancel keep the result in range. */
    assay_model m;
    assay_tables tb;
    uint32_t ids[TOKENS_MAX];
    if (assay_small_model(&m, usual, 9) && CHECK_OK(assay_tables_new(&tb, &m.cfg, TOKENS_MAX, NULL))) {
        assay_small_ids(ids, TOKENS_MAX, usual.vocab, 3);
        for (uint32_t k = 0; k < usual.ff * usual.d; k++) {
            const uint32_t row = k / usual.ff, column = k % usual.ff;
            m.layer[1].down[k] = (int16_t)(row % 2 == 0 ? 32767 : -32768);
            m.layer[1].up[(size_t)column * usual.d + row] = (int16_t)(column % 2 == 0 ? 63 : -63);
            m.layer[1].gate[(size_t)column * usual.d + row] = 1;
        }
        compare_paths(&m, &tb, ids, 3, 20, NULL);
        const assay_run_options field = {.field = true, .force = true},
                                field_ref = {.field = true, .force = true, .ref = true};
        assay_trace a, b;
        CHECK_OK(assay_model_trace(&a, &m, &tb, ids, 3, 20, 0, &field, NULL));
        CHECK_OK(assay_model_trace(&b, &m, &tb, ids, 3, 20, 0, &field_ref, NULL));
        REQUIRE(a.own && b.own);
        CHECK_EQ_MEM(a.own, b.own, a.own_bytes);
        assay_trace_clear(&a);
        assay_trace_clear(&b);
        assay_tables_clear(&tb);
    }
    assay_model_clear(&m);
}

/* Operands at the ends of their ranges: weights and activations of 16 bits, exp entries of 17. */
TEST(inner_loops_are_exact_mod_2_32)
{
    enum { ROWS = 7, LONGEST = 75, STRIDE = LONGEST + 2 };
    static const unsigned masks[] = {0, ASSAY_CPU_AVX2, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512};
    static const int16_t ends[] = {-32768, 32767, -32767, 0, 1, -1};
    int16_t x[STRIDE], w[ROWS * STRIDE];
    int32_t a[LONGEST], got[STRIDE];
    for (int kind = 0; kind < 8; kind++) { /* below 6: all operands equal */
        for (int k = 0; k < STRIDE; k++) x[k] = ends[kind < 6 ? (uint64_t)kind : assay_test_random() % 6];
        for (int k = 0; k < ROWS * STRIDE; k++) w[k] = ends[kind < 6 ? (uint64_t)kind : assay_test_random() % 6];
        for (int k = 0; k < LONGEST; k++) a[k] = kind < 6 ? 1 << 16 : (int32_t)(assay_test_random() % 65537);
        for (size_t n = 1; n <= LONGEST; n++) {
            for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
                assay_cpu_mask(masks[i]);
                const assay_forward_kernels *k = assay_forward_kernels_pick();
                size_t wrong = 0;
                k->dots(got, x, w, STRIDE, n, ROWS);
                for (size_t r = 0; r < ROWS; r++) {
                    int64_t sum = 0;
                    for (size_t j = 0; j < n; j++) sum += (int64_t)x[j] * w[r * STRIDE + j];
                    wrong += (uint32_t)got[r] != (uint32_t)(uint64_t)sum;
                }
                k->mix(got, a, w, n, ROWS);
                for (size_t e = 0; e < n; e++) {
                    int64_t sum = 0;
                    for (size_t j = 0; j < ROWS; j++) sum += (int64_t)a[j] * w[j * n + e];
                    wrong += (uint32_t)got[e] != (uint32_t)(uint64_t)sum;
                }
                CHECK_EQ_U64(wrong, 0);
            }
        }
    }
    assay_cpu_mask(~0u);
}

/* ---- replies */

static int cancel_at_once(void *ctx, const char *stage, double done)
{
    *(const char **)ctx = stage;
    return done >= 0.5;
}

TEST(reply_equals_whole_runs)
{
    assay_model m;
    assay_tables tb;
    if (assay_small_model(&m, usual, 12) && CHECK_OK(assay_tables_new(&tb, &m.cfg, TOKENS_MAX, NULL))) {
        static const uint32_t prompts[] = {1, 5, 64, 100};
        m.cfg.n_stop = 0;
        for (size_t k = 0; k < sizeof prompts / sizeof *prompts; k++) {
            uint32_t ids[TOKENS_MAX], again[TOKENS_MAX], n = 0, n2 = 0, y = 0, y2 = 0;
            const assay_run_options ref = {.ref = true};
            assay_errinfo err = {0};
            assay_trace t = {0};
            assay_small_ids(ids, prompts[k], usual.vocab, k);
            memcpy(again, ids, sizeof ids);
            if (!fine(assay_model_reply(&m, &tb, ids, prompts[k], 20, &n, &y, NULL, &err), &err)) continue;
            CHECK_OK(assay_model_reply(&m, &tb, again, prompts[k], 20, &n2, &y2, &ref, NULL));
            CHECK_EQ_U64(n, prompts[k] + 20);
            CHECK(n == n2 && y == y2 && ids[n] == y);
            CHECK_EQ_MEM(ids, again, n * sizeof *ids);
            fine(assay_model_trace(&t, &m, &tb, ids, prompts[k], n, y, NULL, &err), &err);
            assay_trace_clear(&t);
        }
        assay_tables_clear(&tb);
    }
    assay_model_clear(&m);
}

TEST(every_allocation_may_fail)
{
    assay_model m;
    assay_tables tb;
    uint32_t ids[TOKENS_MAX], n = 0, y = 0;
    if (assay_small_model(&m, usual, 12) && CHECK_OK(assay_tables_new(&tb, &m.cfg, TOKENS_MAX, NULL))) {
        assay_small_ids(ids, TOKENS_MAX, usual.vocab, 1);
        const assay_run_options force = {.force = true};
        uint64_t failed = 0;
        for (uint64_t k = 1;; k++) {
            assay_trace t;
            assay_mem_fail_after(k);
            assay_status s = assay_model_trace(&t, &m, &tb, ids, 3, 9, 0, &force, NULL);
            if (s == ASSAY_OK) assay_mem_fail_after(0);
            if (s == ASSAY_OK) s = assay_model_reply(&m, &tb, ids, 3, 2, &n, &y, NULL, NULL);
            assay_mem_fail_after(0);
            if (t.own) assay_trace_clear(&t);
            if (s == ASSAY_OK) break;
            CHECK_STATUS(s, ASSAY_ENOMEM);
            failed++;
        }
        CHECK(failed >= 7);
        for (uint64_t k = 1; k <= 8; k++) {
            assay_mem_fail_after(k);
            assay_status s = assay_model_reply(&m, &tb, ids, 3, 2, &n, &y, NULL, NULL);
            CHECK_STATUS(s, ASSAY_ENOMEM);
        }
        assay_mem_fail_after(0);
        assay_tables_clear(&tb);
    }
    assay_model_clear(&m);
}

TEST(reply_ends_after_a_stop_token)
{
    assay_model m;
    assay_tables tb;
    if (assay_small_model(&m, usual, 12) && CHECK_OK(assay_tables_new(&tb, &m.cfg, TOKENS_MAX, NULL))) {
        uint32_t ids[TOKENS_MAX], cut[TOKENS_MAX], n = 0, n_cut = 0, y = 0, y_cut = 0;
        m.cfg.n_stop = 0;
        assay_small_ids(ids, 5, usual.vocab, 1);
        memcpy(cut, ids, sizeof ids);
        REQUIRE_OK(assay_model_reply(&m, &tb, ids, 5, 20, &n, &y, NULL, NULL));
        uint32_t first = 9;
        for (uint32_t k = 5; k < 10; k++) first = ids[k] == ids[9] && k < first ? k : first;
        m.cfg.n_stop = 1;
        m.cfg.stop[0] = ids[9];
        REQUIRE_OK(assay_model_reply(&m, &tb, cut, 5, 20, &n_cut, &y_cut, NULL, NULL));
        CHECK_EQ_U64(n_cut, first + 1);
        CHECK_EQ_U64(cut[n_cut - 1], ids[9]);
        CHECK_EQ_U64(y_cut, ids[n_cut]);
        REQUIRE_OK(assay_model_reply(&m, &tb, cut, 5, 0, &n_cut, &y_cut, NULL, NULL));
        CHECK(n_cut == 5 && y_cut == ids[5]);
        const char *stage = "";
        const assay_run_options opt = {.progress = {cancel_at_once, &stage}};
        CHECK_STATUS(assay_model_reply(&m, &tb, cut, 5, 0, &n_cut, &y_cut, &opt, NULL), ASSAY_ECANCELED);
        CHECK_EQ_STR(stage, "model");
        assay_tables_clear(&tb);
    }
    assay_model_clear(&m);
}
