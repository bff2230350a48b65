/* SPDX-License-Identifier: Apache-2.0 */
/* The acceptance rule. */
#include "cli/acceptance.h"
#include "base/status.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct rule {
    assay_point *points;
    size_t n;
} rule;

/* The next point; the reason is used only when it did not hold. */
static void point(rule *k, const char *what, bool held, const char *reason)
{
    assay_point *p = &k->points[k->n++];
    memset(p, 0, sizeof *p);
    p->what = what;
    p->held = held;
    if (!held) (void)snprintf(p->reason, sizeof p->reason, "%s", reason);
}

static bool prompt_is(const assay_request *r, const assay_ids *prompt)
{
    return assay_request_n_prompt(r) == prompt->n &&
           memcmp(assay_request_ids(r), prompt->p, prompt->n * sizeof *prompt->p) == 0;
}

/* A reply ends with its first stop token (which may be its last token, or the token after it), or at the length. */
static void stop_rule(rule *k, const assay_text *t, const assay_request *r, uint32_t n_max)
{
    uint32_t n_prompt = assay_request_n_prompt(r), n = assay_request_n_tokens(r), n_reply = n - n_prompt;
    const uint32_t *ids = assay_request_ids(r);
    bool early = false;
    for (uint32_t i = n_prompt; i + 1 < n; i++) early = early || assay_text_is_stop(t, ids[i]);
    bool stopped = (n_reply > 0 && assay_text_is_stop(t, ids[n - 1])) || assay_text_is_stop(t, assay_request_next(r));
    point(k, "the reply ends where a reply ends", !early && (stopped || n_reply == n_max),
          early ? "the reply goes on after a stop token"
                : "the reply is cut short: no stop token, and fewer tokens than asked for");
}

static assay_status shown_text(rule *k, const assay_text *t, const assay_request *r, const char *shown,
                               assay_errinfo *err)
{
    uint32_t n_prompt = assay_request_n_prompt(r), n = assay_request_n_tokens(r);
    assay_buffer text = {NULL, 0};
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    assay_status s = assay_text_decode(t, &text, assay_request_ids(r) + n_prompt, n - n_prompt, &why);
    if (s == ASSAY_ENOMEM) {
        if (err) *err = why;
        return s;
    }
    bool held = s == ASSAY_OK && (!shown || (strlen(shown) == text.n && memcmp(shown, text.p, text.n) == 0));
    point(k, "the text shown is the reply's", held,
          s == ASSAY_OK ? "the text shown is not that of the reply's ids"
                        : "the reply has an id outside the vocabulary");
    assay_buffer_free(&text);
    return ASSAY_OK;
}

assay_status assay_acceptance_apply(assay_point *points, assay_verdict *verdict, assay_report *report,
                                    const assay_verifier *v, const assay_text *t, const assay_request *r,
                                    const assay_buffer *proof, const assay_expectation *e, assay_errinfo *err)
{
    rule k = {points, 0};
    size_t n_context = 0;
    char text[320] = "";
    assay_errinfo why;
    memset(&why, 0, sizeof why);
    memset(report, 0, sizeof *report);
    *verdict = ASSAY_REJECT;
    uint32_t n = assay_request_n_tokens(r), n_reply = n - assay_request_n_prompt(r);
    const uint8_t *context = assay_request_context(r, &n_context);
    point(&k, "the ID is the one expected", memcmp(assay_verifier_id(v), e->id, 32) == 0,
          "the configuration and key are those of another ID");
    assay_status s = assay_verifier_config_check(v, n, &why);
    if (s == ASSAY_ENOMEM) return s;
    if (s != ASSAY_OK) (void)assay_errinfo_text(&why, text, sizeof text);
    point(&k, "the configuration is inside its widths", s == ASSAY_OK, text);
    point(&k, "the prompt is the client's", prompt_is(r, e->prompt), "the request holds another prompt");
    point(&k, "the context is the client's",
          n_context == e->n_context && (n_context == 0 || memcmp(context, e->context, n_context) == 0),
          "the request holds another context");
    point(&k, "the reply is no longer than asked for", n_reply <= e->n_max, "the reply is longer than asked for");
    stop_rule(&k, t, r, e->n_max);
    s = shown_text(&k, t, r, e->shown, err);
    if (s != ASSAY_OK) return s;
    s = assay_verifier_check_within(v, report, r, proof->p, proof->n, e->id, e->security, e->policy, err);
    if (s != ASSAY_OK) return s;
    point(&k, "the proof verifies", report->verdict == ASSAY_ACCEPT, report->reason);
    bool all = k.n == ASSAY_N_POINTS;
    for (size_t i = 0; i < k.n; i++) all = all && points[i].held;
    if (all) *verdict = ASSAY_ACCEPT;
    return ASSAY_OK;
}
