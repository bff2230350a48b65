/* SPDX-License-Identifier: Apache-2.0 */
/* Policies for people. */
#include "cli/policy.h"
#include "cli/files.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

enum { MILLION = 1000000 };

assay_status assay_cli_policy(assay_policy *out, const assay_args *a, assay_errinfo *err)
{
    assay_buffer text = {NULL, 0};
    memset(out, 0, sizeof *out);
    if (!args_has(a, OPT_POLICY)) return ASSAY_OK;
    assay_status s = assay_cli_read(&text, a->value[OPT_POLICY], NULL, ASSAY_CLI_MAX_REQUEST, err);
    if (s == ASSAY_OK) s = assay_policy_parse(out, text.p, text.n, err);
    assay_report_name_file(err, "policy", a->value[OPT_POLICY]);
    assay_buffer_free(&text);
    return s;
}

enum { NATS = 32 };
/* Millionths of a nat, without zeros at the end. */
static const char *nats(char out[NATS], uint64_t micro)
{
    int n = snprintf(out, NATS, "%llu.%06u", (unsigned long long)(micro / MILLION), (unsigned)(micro % MILLION));
    while (n > 1 && out[n - 1] == '0') out[--n] = 0;
    if (out[n - 1] == '.') out[n - 1] = 0;
    return out;
}

const char *assay_use_text(char out[ASSAY_USE_TEXT], const assay_use *use, const assay_policy *policy)
{
    char a[NATS], b[NATS], c[NATS], d[NATS];
    (void)snprintf(out, ASSAY_USE_TEXT,
                   "%s%u of %u tokens below the largest logit; largest gap at most %s of %s nats, all together at most "
                   "%s of %s nats",
                   use->tokens ? "at most " : "", (unsigned)use->tokens, (unsigned)use->checked, nats(a, use->largest),
                   nats(b, policy->gap_max), nats(c, use->sum), nats(d, policy->budget));
    return out;
}

const char *assay_verdict_word(const assay_report *r, const assay_policy *policy)
{
    if (r->verdict != ASSAY_ACCEPT) return "NO";
    return policy->kind == ASSAY_POLICY_EXACT ? "YES" : "WITHIN LIMITS";
}

void assay_verdict_print(const assay_report *r, const assay_policy *policy)
{
    char text[ASSAY_USE_TEXT];
    const char *word = assay_verdict_word(r, policy);
    if (r->verdict != ASSAY_ACCEPT)
        printf("%s: %s\n", word, r->reason);
    else if (policy->kind == ASSAY_POLICY_EXACT)
        printf("%s\n", word);
    else
        printf("%s: %s\n", word, assay_use_text(text, &r->use, policy));
}

void assay_verdict_json(const assay_report *r, const assay_policy *policy)
{
    assay_json_string("verdict", assay_verdict_word(r, policy));
    if (r->verdict != ASSAY_ACCEPT) assay_json_string("reason", r->reason);
    if (policy->kind != ASSAY_POLICY_EXACT) assay_limits_json(r, policy);
}

void assay_limits_json(const assay_report *r, const assay_policy *policy)
{
    assay_json_real("gap_max", (double)policy->gap_max / MILLION);
    assay_json_real("budget", (double)policy->budget / MILLION);
    if (r->verdict != ASSAY_ACCEPT) return;
    assay_json_real("largest_gap", (double)r->use.largest / MILLION);
    assay_json_real("sum_of_gaps", (double)r->use.sum / MILLION);
    assay_json_number("tokens_with_a_gap", r->use.tokens);
    assay_json_number("tokens_checked", r->use.checked);
}
