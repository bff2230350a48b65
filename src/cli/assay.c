/* SPDX-License-Identifier: Apache-2.0 */
/* assay COMMAND ... */
#include "assay/version.h"
#include "cli/commands.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(const assay_args *a);
} runs[] = {{"reply", assay_run_reply}, {"request", assay_run_request}, {"ask", assay_run_ask},
            {"check", assay_run_check}, {"eval", assay_run_eval},       {"info", assay_run_info}};

/* Without a subcommand: --help, --version and the hidden options. */
static int overview(const char *arg)
{
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
        assay_help_overview("assay");
    else if (strcmp(arg, "--version") == 0)
        printf("assay %s\n", ASSAY_VERSION_STRING);
    else if (strcmp(arg, "--man") == 0)
        assay_help_man("assay");
    else if (strcmp(arg, "--markdown") == 0)
        assay_help_markdown();
    else if (strcmp(arg, "--completion") == 0)
        assay_help_completion();
    else
        return -1;
    return fflush(stdout) == 0 && !ferror(stdout) ? ASSAY_EXIT_OK : ASSAY_EXIT_OUTPUT;
}

int main(int argc, char **argv)
{
    assay_args a;
    char text[512];
    const char *name = argc > 1 ? argv[1] : "";
    int code = overview(name);
    if (code >= 0) return code;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (strcmp(runs[i].name, name) != 0) continue;
        code = assay_args_parse(&a, assay_command_find("assay", name), argc, argv, 2);
        if (code >= 0) return code;
        assay_cli_start();
        return runs[i].run(&a);
    }
    (void)snprintf(text, sizeof text, "%s%s%s (assay --help says more)",
                   name[0] ? "no such command" : "no command given", name[0] ? ": " : "", name);
    assay_report_line("assay", text);
    return ASSAY_EXIT_USAGE;
}
