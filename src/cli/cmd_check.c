/* SPDX-License-Identifier: Apache-2.0 */
/* assay check: a client decides whether to accept a reply. */
#include "cli/acceptance.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/policy.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cp/public.h"
#include <stdio.h>
#include <string.h>

enum { MAX_N = 1 << 17 };

typedef struct check {
    const assay_args *a;
    assay_verifier *v;
    assay_text *t;
    assay_request *r;
    assay_buffer proof;
    assay_ids prompt;
    assay_policy policy;
    uint8_t id[32];
    assay_point points[ASSAY_N_POINTS];
    assay_verdict verdict;
    assay_report report;
} check;

/* The client's own files, its prompt, and what it was given. */
static assay_status load(check *k, assay_errinfo *err)
{
    const assay_args *a = k->a;
    assay_buffer config = {NULL, 0}, ivk = {NULL, 0};
    assay_status s = assay_cli_id(k->id, a->value[OPT_ID], err);
    if (s == ASSAY_OK) s = assay_cli_policy(&k->policy, a, err);
    if (s == ASSAY_OK) s = assay_cli_text(&k->t, a->value[OPT_CONFIG], NULL, err);
    if (s == ASSAY_OK) s = assay_cli_prompt(&k->prompt, k->t, a, NULL, err);
    if (s == ASSAY_OK) s = assay_cli_read(&config, a->value[OPT_CONFIG], "config.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_cli_read(&ivk, a->value[OPT_IVK], "ivk.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_verifier_new(&k->v, config.p, config.n, ivk.p, ivk.n, err);
    if (s == ASSAY_OK) s = assay_cli_read(&k->proof, a->value[OPT_PROOF], NULL, ASSAY_MAX_PROOF_FILE, err);
    if (s == ASSAY_OK) s = assay_cli_request_read(&k->r, a->value[OPT_REQ], a->value[OPT_Y], err);
    assay_buffer_free(&config);
    assay_buffer_free(&ivk);
    return s;
}

static const char *first_reason(const check *k)
{
    for (size_t i = 0; i < ASSAY_N_POINTS; i++)
        if (!k->points[i].held) return k->points[i].reason;
    return "";
}

static void print_json(const check *k)
{
    bool accept = k->verdict == ASSAY_ACCEPT;
    assay_json_begin();
    assay_json_string("verdict", accept ? "ACCEPT" : "REFUSE");
    if (!accept) assay_json_string("reason", first_reason(k));
    if (k->policy.kind != ASSAY_POLICY_EXACT) assay_limits_json(&k->report, &k->policy);
    assay_json_array_begin("points");
    for (size_t i = 0; i < ASSAY_N_POINTS; i++) {
        assay_json_begin();
        assay_json_string("point", k->points[i].what);
        assay_json_bool("held", k->points[i].held);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_end();
}

static int print(const check *k)
{
    bool accept = k->verdict == ASSAY_ACCEPT;
    if (args_has(k->a, OPT_JSON)) {
        print_json(k);
    } else {
        for (size_t i = 0; i < ASSAY_N_POINTS; i++)
            printf("%-4s %s\n", k->points[i].held ? "yes" : "no", k->points[i].what);
        if (accept && k->policy.kind != ASSAY_POLICY_EXACT) assay_verdict_print(&k->report, &k->policy);
        if (accept)
            printf("ACCEPT\n");
        else
            printf("REFUSE: %s\n", first_reason(k));
    }
    return assay_report_finish(k->a, accept ? ASSAY_EXIT_OK : ASSAY_EXIT_NO);
}

/* Files that are readable, but not such files, refuse the reply; what is missing is the caller's mistake. */
static int refuse(const check *k, const assay_errinfo *err)
{
    char text[400];
    (void)assay_errinfo_text(err, text, sizeof text);
    if (args_has(k->a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("verdict", "REFUSE");
        assay_json_string("reason", text);
        assay_json_end();
    } else {
        printf("REFUSE: %s\n", text);
    }
    return assay_report_finish(k->a, ASSAY_EXIT_NO);
}

int assay_run_check(const assay_args *a)
{
    check k;
    assay_errinfo err;
    uint64_t n = 0, security = 128;
    int code;
    memset(&k, 0, sizeof k);
    memset(&err, 0, sizeof err);
    k.a = a;
    if (!assay_args_number(a, OPT_N, 0, MAX_N, &n) || !assay_args_number(a, OPT_MIN_SECURITY, 100, 128, &security))
        return ASSAY_EXIT_USAGE;
    if (security != 128 && security != 100) return assay_report_usage(a, "--security", "is not 128 or 100");
    assay_status s = load(&k, &err);
    if (s == ASSAY_OK) {
        assay_expectation e = {k.id, (unsigned)security, &k.prompt,          (uint32_t)n, NULL,
                               0,    &k.policy,          a->value[OPT_SHOWN]};
        e.context = assay_cli_context(a, &e.n_context);
        s = assay_acceptance_apply(k.points, &k.verdict, &k.report, k.v, k.t, k.r, &k.proof, &e, &err);
        code = s == ASSAY_OK ? print(&k) : assay_report_error(a, ASSAY_READING, s, &err);
    } else if (k.prompt.p && (s == ASSAY_EFORMAT || s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED)) {
        code = refuse(&k, &err);
    } else {
        code = assay_report_error(a, ASSAY_READING, s, &err);
    }
    assay_verifier_free(k.v);
    assay_text_free(k.t);
    assay_request_free(k.r);
    assay_buffer_free(&k.proof);
    assay_ids_free(&k.prompt);
    return code;
}
