/* SPDX-License-Identifier: Apache-2.0 */
/* What programs with subcommands do when there is none. */
#ifndef ASSAY_CLI_SUBCOMMANDS_H
#define ASSAY_CLI_SUBCOMMANDS_H

#include "cli/options.h"

/* --help, --version and the hidden options in a subcommand's place: the exit code; -1 when arg is none of them. */
int assay_cli_overview(const char *program, const char *arg);
/* --help of a group (NULL: none), and what stands wrongly in a command's place: the exit code. */
int assay_cli_no_command(const char *program, const assay_command_group *group, const char *name);

#endif
