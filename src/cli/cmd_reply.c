/* SPDX-License-Identifier: Apache-2.0 */
/* assay reply: the committed model answers. */
#include "assay/prove.h"
#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

enum { DEFAULT_N = 16, MAX_N = 1 << 17 };

static void print(const assay_args *a, const assay_request *r, const assay_buffer *text)
{
    uint32_t n_prompt = assay_request_n_prompt(r), n = assay_request_n_tokens(r);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_text("text", text->p, text->n);
        assay_json_ids("prompt", assay_request_ids(r), n_prompt);
        assay_json_ids("reply", assay_request_ids(r) + n_prompt, n - n_prompt);
        assay_json_number("next", assay_request_next(r));
        assay_json_end();
    } else {
        assay_report_text(text->p, text->n);
        putchar('\n');
    }
}

int assay_run_reply(const assay_args *a)
{
    const char *dir = a->value[OPT_COMMITMENT];
    assay_open_options o;
    assay_bar bar;
    assay_errinfo err;
    assay_text *t = NULL;
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_ids prompt = {NULL, 0};
    assay_buffer text = {NULL, 0};
    assay_phase phase = ASSAY_READING;
    uint64_t n = DEFAULT_N;
    size_t n_context;
    const char *context = assay_cli_context(a, &n_context);
    memset(&err, 0, sizeof err);
    int code = assay_cli_open_options(a, &o);
    if (code >= 0) return code;
    if (!assay_args_number(a, OPT_N, 0, MAX_N, &n)) return ASSAY_EXIT_USAGE;
    o.reply_only = 1;
    assay_status s = assay_commitment_open(&c, dir, &o, &err);
    if (s == ASSAY_OK) s = assay_cli_text(&t, dir, "config", &err);
    if (s == ASSAY_OK) s = assay_cli_prompt(&prompt, t, a, NULL, &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = assay_cli_pair_writable(a->value[OPT_REQ], a->value[OPT_Y], &err);
    }
    const assay_progress progress = assay_bar_begin(&bar, a, "replying");
    if (s == ASSAY_OK) {
        assay_commitment_watch(c, &progress);
        assay_bar_count(&bar, (uint32_t)prompt.n, (uint32_t)n);
        s = assay_commitment_reply(c, &r, prompt.p, (uint32_t)prompt.n, (uint32_t)n, context, n_context, &err);
    }
    assay_bar_end(&bar);
    if (s == ASSAY_OK) s = assay_cli_reply_text(&text, t, r, &err);
    if (s == ASSAY_OK) s = assay_cli_request_write(r, a->value[OPT_REQ], a->value[OPT_Y], &err);
    if (s == ASSAY_OK) {
        print(a, r, &text);
        code = assay_report_finish(a, ASSAY_EXIT_OK);
    } else {
        code = assay_report_error(a, phase, s, &err);
    }
    assay_buffer_free(&text);
    assay_ids_free(&prompt);
    assay_request_free(r);
    assay_text_free(t);
    assay_commitment_free(c);
    return code;
}
