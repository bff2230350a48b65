/* SPDX-License-Identifier: Apache-2.0 */
/* assay groth16 prove KEY.zkey W.wtns PROOF.json PUBLIC.json [--r1cs CIRCUIT.r1cs] [--memory SIZE] */
#include "assay/groth16.h"
#include "cli/commands.h"
#include "cli/groth16.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>

enum { KEY, WITNESS, PROOF, PUBLIC };

static int read_options(const assay_args *a, assay_groth16_prove_options *o)
{
    if (!assay_cli_threads(a, &o->threads) || !assay_args_size(a, OPT_MEMORY, &o->memory)) return ASSAY_EXIT_USAGE;
    o->r1cs = a->value[OPT_R1CS];
    o->sym = a->value[OPT_SYM];
    if (o->sym && !o->r1cs) return assay_report_usage(a, "--sym", "is of use with --r1cs only");
    return -1;
}

/* Neither output is an input, and both can be made. */
static assay_status check_outputs(const assay_args *a, assay_errinfo *err)
{
    const char *const inputs[] = {a->operand[KEY], a->operand[WITNESS], a->value[OPT_R1CS], a->value[OPT_SYM]};
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (s == ASSAY_OK && inputs[i]) s = assay_cli_distinct(a->operand[PROOF], inputs[i], err);
        if (s == ASSAY_OK && inputs[i]) s = assay_cli_distinct(a->operand[PUBLIC], inputs[i], err);
    }
    return s == ASSAY_OK ? assay_cli_pair_writable(a->operand[PROOF], a->operand[PUBLIC], err) : s;
}

static int say(const assay_args *a, const assay_groth16_key *key, double seconds)
{
    assay_groth16_key_info info;
    assay_groth16_key_describe(key, &info);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("proof", a->operand[PROOF]);
        assay_json_string("public", a->operand[PUBLIC]);
        assay_json_number("public_values", info.n_public);
        assay_json_bool("development_key", info.development);
        assay_json_real("seconds", seconds);
        assay_json_end();
    } else if (!args_has(a, OPT_QUIET)) {
        assay_report_path(a->operand[PROOF]);
        printf(": proved and checked in %.2f s; %u public values\n", seconds, (unsigned)info.n_public);
    }
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

int assay_run_groth16_prove(const assay_args *a)
{
    assay_groth16_prove_options o = {0};
    assay_groth16_key *key = NULL;
    assay_buffer proof = {NULL, 0}, publics = {NULL, 0};
    assay_errinfo err = {0};
    assay_bar bar;
    assay_phase phase = ASSAY_WRITING;
    int code = read_options(a, &o);
    if (code >= 0) return code;
    assay_cli_groth16_start();
    o.progress = assay_bar_begin(&bar, a, "proving");
    assay_status s = check_outputs(a, &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_READING;
        s = assay_cli_key(&key, a, &err);
    }
    if (s == ASSAY_OK) s = assay_groth16_prove_file(key, &proof, &publics, a->operand[WITNESS], &o, &err);
    assay_report_name_file(&err, "witness", a->operand[WITNESS]);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = assay_cli_pair_write(a->operand[PROOF], &proof, a->operand[PUBLIC], &publics, &err);
    }
    assay_bar_end(&bar);
    code = s == ASSAY_OK ? say(a, key, assay_bar_seconds(&bar)) : assay_report_error(a, phase, s, &err);
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_groth16_key_free(key);
    return code;
}
