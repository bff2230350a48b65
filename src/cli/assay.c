/* SPDX-License-Identifier: Apache-2.0 */
/* assay COMMAND ... */
#include "cli/commands.h"
#include "cli/prover.h"
#include "cli/subcommands.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(const assay_args *a);
} runs[] = {{"reply", assay_run_reply},
            {"request", assay_run_request},
            {"ask", assay_run_ask},
            {"check", assay_run_check},
            {"eval", assay_run_eval},
            {"info", assay_run_info},
            {"groth16 setup", assay_run_groth16_setup},
            {"groth16 prove", assay_run_groth16_prove},
            {"groth16 verify", assay_run_groth16_verify},
            {"groth16 export-vkey", assay_run_groth16_export_vkey},
            {"groth16 export-calldata", assay_run_groth16_export_calldata},
            {"groth16 info", assay_run_groth16_info},
            {"groth16 check-witness", assay_run_groth16_check_witness}};

int main(int argc, char **argv)
{
    assay_args a;
    char name[128];
    const char *first = argc > 1 ? argv[1] : "", *last = first;
    int code = assay_cli_overview("assay", first), words = 1;
    if (code >= 0) return code;
    const assay_command_group *group = assay_command_group_find("assay", first);
    (void)snprintf(name, sizeof name, "%s", first);
    if (group) {
        last = argc > 2 ? argv[2] : "";
        words = 2;
        (void)snprintf(name, sizeof name, "%s %.100s", first, last);
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (strcmp(runs[i].name, name) != 0) continue;
        code = assay_args_parse(&a, assay_command_find("assay", name), argc, argv, 1 + words);
        if (code >= 0) return code;
        if (!group) assay_cli_start();
        return runs[i].run(&a);
    }
    return assay_cli_no_command("assay", group, last);
}
