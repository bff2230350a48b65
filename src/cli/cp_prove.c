/* SPDX-License-Identifier: Apache-2.0 */
/* cp_prove --commitment DIR --req F.req --y F.y --out F.proof */
#include "assay/prove.h"
#include "base/status.h"
#include "cli/files.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cli/self_check.h"
#include <stdio.h>
#include <string.h>

/* Everything after the commitment is open; *phase says what an ASSAY_EIO is about. */
static assay_status prove(const assay_args *a, assay_commitment *c, const assay_request *r, assay_bar *bar,
                          assay_buffer *proof, assay_errinfo *err)
{
    const assay_progress progress = assay_bar_begin(bar, a, "proving");
    assay_status s = assay_commitment_prove(c, proof, r, &progress, err);
    if (s == ASSAY_OK && args_has(a, OPT_SELF_CHECK)) {
        assay_report report;
        s = assay_cli_self_check(&report, a->value[OPT_COMMITMENT], assay_commitment_id(c), r, proof, err);
        if (s == ASSAY_OK && report.verdict != ASSAY_ACCEPT)
            s = ASSAY_FAIL(err, ASSAY_EINTERNAL, "proof", "does not verify; nothing was written");
    }
    if (s == ASSAY_OK) s = assay_cli_write(a->value[OPT_PROOF_OUT], proof, err);
    assay_bar_end(bar);
    return s;
}

static int report(const assay_args *a, const assay_commitment *c, const assay_buffer *proof, double seconds)
{
    uint64_t spent = 0, allowed = 0;
    assay_commitment_count(c, &spent, &allowed);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("proof", a->value[OPT_PROOF_OUT]);
        assay_json_number("bytes", proof->n);
        assay_json_real("seconds", seconds);
        assay_json_number("proofs_made", spent);
        assay_json_number("proofs_allowed", allowed);
        assay_json_end();
    } else if (!args_has(a, OPT_QUIET)) {
        printf("%s: %zu bytes in %.2f s; proof %llu of %llu\n", a->value[OPT_PROOF_OUT], proof->n, seconds,
               (unsigned long long)spent, (unsigned long long)allowed);
    }
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

int main(int argc, char **argv)
{
    assay_args a;
    assay_errinfo err;
    assay_bar bar;
    assay_open_options o;
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_buffer proof = {NULL, 0};
    assay_phase phase = ASSAY_READING;
    memset(&err, 0, sizeof err);
    int code = assay_args_parse(&a, assay_command_find("cp_prove", NULL), argc, argv, 1);
    if (code < 0) code = assay_cli_open_options(&a, &o);
    if (code >= 0) return code;
    assay_cli_start();
    assay_status s = assay_cli_request_read(&r, a.value[OPT_REQ], a.value[OPT_Y], &err);
    if (s == ASSAY_OK) s = assay_commitment_open(&c, a.value[OPT_COMMITMENT], &o, &err);
    const char *out = a.value[OPT_PROOF_OUT];
    if (s == ASSAY_OK) s = assay_cli_distinct(out, a.value[OPT_REQ], &err);
    if (s == ASSAY_OK) s = assay_cli_distinct(out, a.value[OPT_Y], &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = assay_cli_writable(out, &err);
    }
    if (s == ASSAY_OK) {
        s = prove(&a, c, r, &bar, &proof, &err);
        assay_report_name_file(&err, "request", a.value[OPT_REQ]);
        assay_report_name_file(&err, "next token", a.value[OPT_Y]);
        assay_report_name_file(&err, "commitment", a.value[OPT_COMMITMENT]);
        assay_report_name_file(&err, "", a.value[OPT_COMMITMENT]);
    }
    code = s == ASSAY_OK ? report(&a, c, &proof, assay_bar_seconds(&bar)) : assay_report_error(&a, phase, s, &err);
    assay_buffer_free(&proof);
    assay_request_free(r);
    assay_commitment_free(c);
    return code;
}
