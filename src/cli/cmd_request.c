/* SPDX-License-Identifier: Apache-2.0 */
/* assay request: F.req and F.y from what a client sent and received. */
#include "assay/request.h"
#include "base/mem.h"
#include "base/status.h"
#include "cli/commands.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cp/public.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "1,2,3" (or nothing) as ids. */
static assay_status parse_list(assay_ids *out, const char *list, assay_errinfo *err)
{
    size_t n = list[0] != 0;
    for (const char *p = list; *p; p++) n += *p == ',';
    out->n = 0;
    out->p = assay_mem_alloc(n + 1, sizeof *out->p);
    if (!out->p) return ASSAY_FAIL(err, ASSAY_ENOMEM, "--reply-tokens", "out of memory");
    for (const char *p = list; n && out->n < n;) {
        char *end = NULL;
        errno = 0;
        unsigned long v = strtoul(p, &end, 10);
        if (*p < '0' || *p > '9' || errno || v > UINT32_MAX || (*end != ',' && *end != 0))
            return ASSAY_FAIL1(err, ASSAY_EINVAL, "--reply-tokens", "is not a list of token ids (entry)", out->n + 1);
        out->p[out->n++] = (uint32_t)v;
        p = end + 1;
    }
    return ASSAY_OK;
}

static assay_status read_reply(assay_ids *out, const assay_text *t, const assay_args *a, assay_errinfo *err)
{
    const char *text = a->value[OPT_REPLY], *list = a->value[OPT_REPLY_TOKENS];
    if (!text == !list) return ASSAY_FAIL(err, ASSAY_EINVAL, "reply", "give one of --reply and --reply-tokens");
    return text ? assay_text_encode(t, out, text, strlen(text), err) : parse_list(out, list, err);
}

static assay_status check_ids(const assay_text *t, const assay_ids *ids, uint32_t next, assay_errinfo *err)
{
    uint32_t vocab = assay_text_vocabulary(t);
    if (ids->n > assay_text_max_tokens(t))
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "reply", "with the prompt has more tokens than the model's context",
                           ids->n, assay_text_max_tokens(t));
    for (size_t i = 0; i < ids->n; i++)
        if (ids->p[i] >= vocab)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, "--reply-tokens", "token id is outside the vocabulary", ids->p[i],
                               vocab);
    if (next >= vocab) return ASSAY_FAIL2(err, ASSAY_ERANGE, "--y", "token id is outside the vocabulary", next, vocab);
    return ASSAY_OK;
}

/* prompt and reply become one request. */
static assay_status join(assay_request **out, const assay_text *t, const assay_ids *prompt, const assay_ids *reply,
                         uint32_t next, const assay_args *a, assay_errinfo *err)
{
    size_t n_context;
    const char *context = assay_cli_context(a, &n_context);
    assay_ids all = {assay_mem_alloc(prompt->n + reply->n + 1, sizeof *all.p), prompt->n + reply->n};
    if (!all.p) return ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory");
    memcpy(all.p, prompt->p, prompt->n * sizeof *all.p);
    if (reply->n) memcpy(all.p + prompt->n, reply->p, reply->n * sizeof *all.p);
    assay_status s = check_ids(t, &all, next, err);
    if (s == ASSAY_OK)
        s = assay_request_make(out, all.p, (uint32_t)prompt->n, (uint32_t)all.n, next, context, n_context, err);
    assay_ids_free(&all);
    return s;
}

static void print(const assay_args *a, const assay_request *r)
{
    if (!args_has(a, OPT_JSON)) return;
    assay_json_begin();
    assay_json_number("n_prompt", assay_request_n_prompt(r));
    assay_json_ids("tokens", assay_request_ids(r), assay_request_n_tokens(r));
    assay_json_number("next", assay_request_next(r));
    assay_json_end();
}

int assay_run_request(const assay_args *a)
{
    assay_errinfo err;
    assay_text *t = NULL;
    assay_request *r = NULL;
    assay_ids prompt = {NULL, 0}, reply = {NULL, 0};
    assay_phase phase = ASSAY_READING;
    uint64_t next = 0;
    memset(&err, 0, sizeof err);
    if (!assay_args_number(a, OPT_Y_TOKEN, 0, UINT32_MAX, &next)) return ASSAY_EXIT_USAGE;
    assay_status s = assay_cli_text(&t, a->value[OPT_CONFIG], NULL, &err);
    if (s == ASSAY_OK) s = assay_cli_prompt(&prompt, t, a, NULL, &err);
    if (s == ASSAY_OK) s = read_reply(&reply, t, a, &err);
    if (s == ASSAY_OK) s = join(&r, t, &prompt, &reply, (uint32_t)next, a, &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = assay_cli_request_write(r, a->value[OPT_REQ], a->value[OPT_Y_OUT], &err);
    }
    if (s == ASSAY_OK) print(a, r);
    int code = s == ASSAY_OK ? assay_report_finish(a, ASSAY_EXIT_OK) : assay_report_error(a, phase, s, &err);
    assay_ids_free(&prompt);
    assay_ids_free(&reply);
    assay_request_free(r);
    assay_text_free(t);
    return code;
}
