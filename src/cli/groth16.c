/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, threads and verdicts of the group groth16. */
#include "cli/groth16.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/report.h"
#include <stdio.h>

void assay_cli_groth16_start(void)
{
    assay_mem_return();
    assay_file_cleanup_on_signals();
}

bool assay_cli_threads(const assay_args *a, unsigned *threads)
{
    uint64_t n = 0;
    if (!assay_args_number(a, OPT_THREADS, 1, 1024, &n)) return false;
    *threads = (unsigned)n;
    return true;
}

assay_status assay_cli_key(assay_groth16_key **out, const assay_args *a, assay_errinfo *err)
{
    const assay_groth16_open_options o = {.allow_development = args_has(a, OPT_DEVELOPMENT)};
    assay_groth16_key_info info;
    char text[512];
    assay_status s = assay_groth16_key_open(out, a->operand[0], &o, err);
    if (s != ASSAY_OK) return s;
    assay_groth16_key_describe(*out, &info);
    if (info.development) {
        (void)snprintf(text, sizeof text, "%.300s: INSECURE DEVELOPMENT KEY: %s", a->operand[0],
                       info.marked ? "whoever made it can forge proofs" : "anybody can forge proofs (gamma = delta)");
        assay_report_line("assay groth16", text);
    }
    return s;
}

int assay_cli_groth16_verdict(const assay_args *a, const assay_groth16_report *r)
{
    const bool accept = r->verdict == ASSAY_ACCEPT;
    if (r->development) {
        char text[] = "INSECURE DEVELOPMENT KEY: proofs under it can be forged";
        assay_report_line("assay groth16", text);
    }
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("verdict", accept ? "OK" : "INVALID");
        if (!accept) assay_json_string("reason", r->reason);
        if (r->development) assay_json_bool("development_key", true);
        assay_json_end();
    } else if (accept) {
        printf("OK\n");
    } else {
        printf("INVALID: %s\n", r->reason);
    }
    return assay_report_finish(a, accept ? ASSAY_EXIT_OK : ASSAY_EXIT_NO);
}
