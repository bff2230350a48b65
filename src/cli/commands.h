/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `assay`: each returns the program's exit code. */
#ifndef ASSAY_CLI_COMMANDS_H
#define ASSAY_CLI_COMMANDS_H

#include "cli/options.h"

int assay_run_reply(const assay_args *a);
int assay_run_request(const assay_args *a);
int assay_run_ask(const assay_args *a);
int assay_run_check(const assay_args *a);
int assay_run_eval(const assay_args *a);
int assay_run_info(const assay_args *a);

/* The group groth16. */
int assay_run_groth16_setup(const assay_args *a);
int assay_run_groth16_prove(const assay_args *a);
int assay_run_groth16_verify(const assay_args *a);
int assay_run_groth16_export_vkey(const assay_args *a);
int assay_run_groth16_export_calldata(const assay_args *a);
int assay_run_groth16_info(const assay_args *a);
int assay_run_groth16_check_witness(const assay_args *a);

#endif
