/* SPDX-License-Identifier: Apache-2.0 */
/* assay groth16 setup CIRCUIT.r1cs [PTAU] -o KEY.zkey */
#include "assay/groth16.h"
#include "cli/commands.h"
#include "cli/groth16.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

static int say(const assay_args *a, const char *out, bool development, double seconds)
{
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("key", out);
        assay_json_bool("development_key", development);
        assay_json_real("seconds", seconds);
        assay_json_end();
    } else if (!args_has(a, OPT_QUIET)) {
        assay_report_path(out);
        printf(": %s in %.1f s\n",
               development ? "an INSECURE DEVELOPMENT KEY, made" : "made; to be contributed to before use", seconds);
    }
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

/* Whether the error is about the key that is written: the subject of those of its file is the name alone. */
static bool is_about(const assay_errinfo *err, const char *out)
{
    return strncmp(err->subject, out, sizeof err->subject - 1) == 0;
}

int assay_run_groth16_setup(const assay_args *a)
{
    const char *circuit = a->operand[0], *ptau = a->operand[1], *out = a->value[OPT_KEY_OUT];
    assay_groth16_circuit_options o = {0};
    assay_errinfo err = {0};
    assay_bar bar;
    assay_phase phase = ASSAY_WRITING;
    if (!assay_cli_threads(a, &o.threads)) return ASSAY_EXIT_USAGE;
    assay_cli_groth16_start();
    assay_status s = assay_cli_distinct(circuit, out, &err);
    if (s == ASSAY_OK && ptau) s = assay_cli_distinct(ptau, out, &err);
    if (s == ASSAY_OK) s = assay_cli_writable(out, &err);
    if (s == ASSAY_OK && !ptau) {
        char text[] =
            "INSECURE DEVELOPMENT KEY: whoever knows its trapdoor can prove anything; for real use give powers "
            "of tau, and contribute to the key";
        assay_report_line("assay groth16 setup", text);
    }
    o.progress = assay_bar_begin(&bar, a, "set-up");
    if (s == ASSAY_OK) {
        phase = ASSAY_READING;
        s = assay_groth16_setup(circuit, ptau, out, &o, &err);
        if (is_about(&err, out)) phase = ASSAY_WRITING;
    }
    assay_bar_end(&bar);
    if (s != ASSAY_OK) return assay_report_error(a, phase, s, &err);
    return say(a, out, !ptau, assay_bar_seconds(&bar));
}
