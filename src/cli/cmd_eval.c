/* SPDX-License-Identifier: Apache-2.0 */
/* assay eval: what rounding costs a model. */
#include "assay/prove.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/status.h"
#include "cli/commands.h"
#include "cli/evaluation.h"
#include "cli/files.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cp/commitment.h"
#include "model/chat.h"
#include <string.h>

enum { WINDOW = 256, LIMIT = 20480, MAX_LIMIT = 1 << 30, MAX_TEXT = 256 << 20 };
static const double default_margin = 0.02;

typedef enum start { START_BOS, START_CHAT, START_NONE, START_AUTO, N_STARTS = START_AUTO } start;
typedef enum only { ONLY_FLOAT, ONLY_INTEGER, ONLY_NONE } only;

typedef struct eval {
    const assay_args *a;
    size_t start, only;
    uint64_t window, limit; /* window = 0: not given */
    unsigned threads;
    bool run_float, run_integer;
    assay_pool *pool;
    assay_commitment *c;
    assay_model own;          /* imported */
    const assay_model *model; /* the integers: own, or the commitment's */
    assay_hf_config cfg;      /* what cutting the text needs */
    assay_tokenizer *t;
    assay_buffer text;
    assay_evaluation e;
} eval;

static int read_options(eval *k, const assay_args *a)
{
    static const char *const starts[N_STARTS] = {"bos", "chat", "none"};
    static const char *const models[ONLY_NONE] = {"float", "integer"};
    uint64_t threads = 0;
    *k = (eval){.a = a, .start = START_AUTO, .only = ONLY_NONE, .limit = LIMIT};
    k->e.margin = default_margin;
    if (!assay_args_number(a, OPT_WINDOW, 2, 1 << 17, &k->window) ||
        !assay_args_number(a, OPT_LIMIT, 2, MAX_LIMIT, &k->limit) ||
        !assay_args_number(a, OPT_THREADS, 1, 1024, &threads) ||
        !assay_args_real(a, OPT_MARGIN, 0, 1e6, &k->e.margin) ||
        !assay_args_word(a, OPT_START, starts, N_STARTS, &k->start) ||
        !assay_args_word(a, OPT_ONLY, models, ONLY_NONE, &k->only))
        return ASSAY_EXIT_USAGE;
    k->threads = (unsigned)threads;
    bool model = args_has(a, OPT_MODEL), committed = args_has(a, OPT_COMMITMENT);
    if (!model && !committed) return assay_report_usage(a, "model", "give --model, --commitment, or both");
    if (k->only == ONLY_FLOAT && !model) return assay_report_usage(a, "--only float", "needs --model");
    k->run_float = model && k->only != ONLY_INTEGER;
    k->run_integer = k->only != ONLY_FLOAT;
    if (args_has(a, OPT_CALIBRATE) && (committed || !k->run_integer))
        return assay_report_usage(a, "--calibrate", "goes with a model that is imported");
    if (args_has(a, OPT_IDS) && (args_has(a, OPT_STREAM) || args_has(a, OPT_START)))
        return assay_report_usage(a, "--ids", "are taken as they are, without --stream and --start");
    return -1;
}

/* ---- the integers, and what cuts the text */

static assay_status open_commitment(eval *k, assay_errinfo *err)
{
    const assay_open_options o = {.threads = 1, .reply_only = 1};
    assay_status s = assay_commitment_open(&k->c, k->a->value[OPT_COMMITMENT], &o, err);
    if (s != ASSAY_OK) return s;
    const assay_model_config *m = &k->c->model.cfg;
    k->model = &k->c->model;
    k->cfg = (assay_hf_config){.d = m->d,
                               .vocab = m->vocab,
                               .max_positions = m->max_positions,
                               .bos = m->bos,
                               .eos = m->n_stop ? (int32_t)m->stop[0] : -1};
    return assay_tokenizer_new(&k->t, k->c->tokenizer.p, k->c->tokenizer.n, err);
}

static assay_status import(eval *k, const assay_progress *progress, assay_errinfo *err)
{
    const assay_run_options opt = {.pool = k->pool, .progress = *progress};
    k->model = &k->own;
    return assay_model_import(&k->own, k->a->value[OPT_MODEL], k->a->value[OPT_CALIBRATE], &opt, err);
}

/* The checkpoint is read for its configuration too; its weights stay only when they are run. */
static assay_status open_checkpoint(eval *k, assay_checkpoint *ck, assay_errinfo *err)
{
    const char *path = k->a->value[OPT_MODEL];
    assay_status s = assay_checkpoint_open(ck, path, err);
    if (s != ASSAY_OK) return s;
    if (k->c && (k->cfg.vocab != ck->cfg.vocab || k->cfg.d != ck->cfg.d))
        return ASSAY_FAIL2(err, ASSAY_EINVAL, path, "is of another shape than the commitment's (width)", ck->cfg.d,
                           k->cfg.d);
    if (k->c) return ASSAY_OK;
    k->cfg = ck->cfg;
    return assay_model_tokenizer(&k->t, &k->cfg, path, err);
}

/* ---- text */

/* The first token of a chat, where it is a special one; -1: none. */
static int32_t chat_start(const assay_tokenizer *t)
{
    uint32_t *ids = NULL;
    size_t n = 0, n_text = 1;
    char *text = NULL;
    int32_t first = -1;
    if (assay_chat_prompt(t, &ids, &n, NULL, 0, "x", 1, NULL) == ASSAY_OK && n > 0 &&
        assay_tokenizer_decode(t, ids, 1, &text, &n_text, NULL) == ASSAY_OK && n_text == 0)
        first = (int32_t)ids[0];
    assay_mem_free(text);
    assay_mem_free(ids);
    return first;
}

static assay_status first_token(const eval *k, int32_t *first, assay_errinfo *err)
{
    *first = k->start == START_NONE ? -1 : k->cfg.bos;
    if (k->start == START_CHAT || (k->start == START_AUTO && *first < 0)) *first = chat_start(k->t);
    if (*first >= 0 || k->start == START_NONE || k->start == START_AUTO) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "--start",
                      k->start == START_BOS ? "the model puts no token before a text"
                                            : "the model's chats begin with no special token");
}

static assay_status cut_text(eval *k, assay_errinfo *err)
{
    const char *path = k->a->value[OPT_TEXT];
    const char *text = (const char *)k->text.p;
    const size_t n = k->text.n;
    const uint64_t most = k->cfg.max_positions, window = k->window ? k->window : most < WINDOW ? most : WINDOW;
    if (window > most)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "--window", "is longer than the model's context", window, most);
    if (k->limit < window)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "--tokens", "are fewer than a window", k->limit, window);
    /* A token comes from a byte, or begins or ends a document, of which there is one in two bytes at most. */
    const uint64_t possible = (3 * (uint64_t)n + 2) / window + 1, wanted = k->limit / window;
    assay_window_rule rule = {.length = (size_t)window,
                              .max = (size_t)(possible < wanted ? possible : wanted),
                              .vocab = k->cfg.vocab,
                              .last = k->cfg.eos,
                              .stream = args_has(k->a, OPT_STREAM)};
    if (args_has(k->a, OPT_IDS)) return assay_windows_of_ids(&k->e.w, &rule, path, text, n, err);
    assay_status s = first_token(k, &rule.first, err);
    return s == ASSAY_OK ? assay_windows_cut(&k->e.w, &rule, k->t, path, text, n, err) : s;
}

/* ---- runs */

static assay_choice *choices(const eval *k)
{
    return assay_mem_alloc(k->e.w.n * k->e.w.length, sizeof(assay_choice));
}

static assay_status run_float(eval *k, const assay_checkpoint *ck, const assay_progress *progress, assay_errinfo *err)
{
    assay_bar clock;
    (void)assay_bar_begin(&clock, k->a, "");
    k->e.a = choices(k);
    if (!k->e.a) return ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
    assay_status s = assay_evaluate_float(k->e.a, ck, &k->e.w, k->pool, progress, err);
    k->e.seconds_float = assay_bar_seconds(&clock);
    return s;
}

static assay_status run_integer(eval *k, const assay_progress *progress, assay_errinfo *err)
{
    assay_tables tables = {0};
    assay_bar clock;
    (void)assay_bar_begin(&clock, k->a, "");
    k->e.b = choices(k);
    k->e.result = assay_mem_alloc(k->e.w.n, sizeof *k->e.result);
    if (!k->e.b || !k->e.result) return ASSAY_FAIL(err, ASSAY_ENOMEM, "evaluation", "out of memory");
    assay_status s = assay_tables_new(&tables, &k->model->cfg, (uint32_t)k->e.w.length, err);
    if (s == ASSAY_OK)
        s = assay_evaluate_integer(k->e.b, k->e.result, &k->e.peaks, k->model, &tables, &k->e.w, k->pool, progress,
                                   err);
    assay_tables_clear(&tables);
    k->e.seconds_integer = assay_bar_seconds(&clock);
    return s;
}

/* Import comes first, so that a model without integers is refused before the long runs; the float weights are freed
 * before the integers run. */
static assay_status run(eval *k, const assay_progress *progress, assay_errinfo *err)
{
    assay_subprogress part;
    assay_checkpoint ck = {0};
    assay_progress p = assay_progress_part(&part, progress, 0, 0.2);
    assay_status s = assay_cli_read(&k->text, k->a->value[OPT_TEXT], NULL, MAX_TEXT, err);
    if (s == ASSAY_OK) s = assay_pool_new(&k->pool, k->threads, err);
    if (s == ASSAY_OK && args_has(k->a, OPT_COMMITMENT)) s = open_commitment(k, err);
    if (s == ASSAY_OK && !k->c && k->run_integer) s = import(k, &p, err);
    if (s == ASSAY_OK && args_has(k->a, OPT_MODEL)) s = open_checkpoint(k, &ck, err);
    if (s == ASSAY_OK && k->model) k->cfg.bos = k->model->cfg.bos; /* where the first token is fixed, import chose it */
    if (s == ASSAY_OK) s = cut_text(k, err);
    if (s == ASSAY_OK) k->e.w.from = k->model && k->model->cfg.fixed_first;
    p = assay_progress_part(&part, progress, 0.2, 0.6);
    if (s == ASSAY_OK && k->run_float) s = run_float(k, &ck, &p, err);
    assay_checkpoint_clear(&ck);
    p = assay_progress_part(&part, progress, 0.6, 1);
    if (s == ASSAY_OK && k->run_integer) s = run_integer(k, &p, err);
    return s;
}

int assay_run_eval(const assay_args *a)
{
    eval k;
    assay_bar bar;
    assay_errinfo err = {0};
    int code = read_options(&k, a);
    if (code >= 0) return code;
    const assay_progress progress = assay_bar_begin(&bar, a, "evaluating");
    assay_status s = run(&k, &progress, &err);
    assay_bar_end(&bar);
    if (s == ASSAY_OK) assay_evaluation_print(&k.e, a);
    code = s == ASSAY_OK ? assay_report_finish(a, ASSAY_EXIT_OK) : assay_report_error(a, ASSAY_READING, s, &err);
    assay_evaluation_clear(&k.e);
    assay_buffer_free(&k.text);
    assay_tokenizer_free(k.t);
    assay_model_clear(&k.own);
    assay_commitment_free(k.c);
    assay_pool_free(k.pool);
    return code;
}
