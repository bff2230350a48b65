/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/subcommands.h"
#include "assay/version.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

static int flushed(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? ASSAY_EXIT_OK : ASSAY_EXIT_OUTPUT;
}

static bool asks_for_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

int assay_cli_overview(const char *program, const char *arg)
{
    if (asks_for_help(arg))
        assay_help_overview(program);
    else if (strcmp(arg, "--version") == 0)
        printf("%s %s\n", program, ASSAY_VERSION_STRING);
    else if (strcmp(arg, "--man") == 0)
        assay_help_man(program);
    else if (strcmp(arg, "--markdown") == 0)
        assay_help_markdown();
    else if (strcmp(arg, "--completion") == 0)
        assay_help_completion();
    else
        return -1;
    return flushed();
}

int assay_cli_no_command(const char *program, const assay_command_group *group, const char *name)
{
    char text[512], full[128];
    (void)snprintf(full, sizeof full, "%s%s%s", program, group ? " " : "", group ? group->name : "");
    if (group && asks_for_help(name)) {
        assay_help_group(group);
        return flushed();
    }
    (void)snprintf(text, sizeof text, "%s%s%.300s (%s --help says more)",
                   name[0] ? "no such command" : "no command given", name[0] ? ": " : "", name, full);
    assay_report_line(full, text);
    return ASSAY_EXIT_USAGE;
}
