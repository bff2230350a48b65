/* SPDX-License-Identifier: Apache-2.0 */
/* assay groth16 verify, check-witness, export-vkey, export-calldata. */
#include "assay/groth16.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/groth16.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include <stdio.h>

enum { MAX_TEXT = 64 << 20, FILES = 3 };

/* Reads the operands' files, n of them. */
static assay_status read_files(assay_buffer *files, size_t n, const assay_args *a, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < n; i++) s = assay_cli_read(&files[i], a->operand[i], NULL, MAX_TEXT, err);
    return s;
}

static void free_files(assay_buffer *files, size_t n)
{
    for (size_t i = 0; i < n; i++) assay_buffer_free(&files[i]);
}

int assay_run_groth16_verify(const assay_args *a)
{
    static const char *const names[FILES] = {"verification key", "public values", "proof"};
    const int allow = args_has(a, OPT_DEVELOPMENT);
    assay_status (*const judge)(assay_groth16_report *, const void *, size_t, const void *, size_t, const void *,
                                size_t, int, assay_errinfo *) =
        args_has(a, OPT_BELLPERSON) ? assay_groth16_verify_bellman : assay_groth16_verify;
    assay_buffer f[FILES] = {{NULL, 0}};
    assay_groth16_report report;
    assay_errinfo err = {0};
    assay_status s = read_files(f, FILES, a, &err);
    if (s == ASSAY_OK) s = judge(&report, f[0].p, f[0].n, f[1].p, f[1].n, f[2].p, f[2].n, allow, &err);
    for (size_t i = 0; i < FILES; i++) {
        assay_report_name_file(&err, names[i], a->operand[i]);
        if (s == ASSAY_OK) assay_reason_name_file(report.reason, sizeof report.reason, names[i], a->operand[i]);
    }
    free_files(f, FILES);
    return s == ASSAY_OK ? assay_cli_groth16_verdict(a, &report) : assay_report_error(a, ASSAY_READING, s, &err);
}

int assay_run_groth16_check_witness(const assay_args *a)
{
    assay_groth16_circuit_options o = {0};
    assay_groth16_report report;
    assay_errinfo err = {0};
    assay_bar bar;
    if (!assay_cli_threads(a, &o.threads)) return ASSAY_EXIT_USAGE;
    o.progress = assay_bar_begin(&bar, a, "checking");
    assay_status s = assay_groth16_check_witness(&report, a->operand[0], a->operand[1], a->value[OPT_SYM], &o, &err);
    assay_bar_end(&bar);
    assay_report_name_file(&err, "witness", a->operand[1]);
    return s == ASSAY_OK ? assay_cli_groth16_verdict(a, &report) : assay_report_error(a, ASSAY_READING, s, &err);
}

/* To a file, or to standard output with a line end. */
static int deliver(const assay_args *a, const assay_buffer *b, const char *path)
{
    assay_errinfo err = {0};
    if (!path) {
        (void)fwrite(b->p, 1, b->n, stdout);
        printf("\n");
        return assay_report_finish(a, ASSAY_EXIT_OK);
    }
    assay_cli_groth16_start();
    assay_status s = assay_cli_distinct(a->operand[0], path, &err);
    if (s == ASSAY_OK) s = assay_cli_write(path, b, &err);
    return s == ASSAY_OK ? assay_report_finish(a, ASSAY_EXIT_OK) : assay_report_error(a, ASSAY_WRITING, s, &err);
}

int assay_run_groth16_export_vkey(const assay_args *a)
{
    assay_groth16_key *key = NULL;
    assay_buffer out = {NULL, 0};
    assay_errinfo err = {0};
    assay_status s = assay_cli_key(&key, a, &err);
    if (s == ASSAY_OK) s = assay_groth16_export_vkey(key, &out, &err);
    const int code = s == ASSAY_OK ? deliver(a, &out, a->operand[1]) : assay_report_error(a, ASSAY_READING, s, &err);
    assay_buffer_free(&out);
    assay_groth16_key_free(key);
    return code;
}

int assay_run_groth16_export_calldata(const assay_args *a)
{
    enum { PUBLIC, PROOF, BOTH };
    assay_buffer f[BOTH] = {{NULL, 0}}, out = {NULL, 0};
    assay_errinfo err = {0};
    assay_status s = read_files(f, BOTH, a, &err);
    if (s == ASSAY_OK) s = assay_groth16_export_calldata(&out, f[PUBLIC].p, f[PUBLIC].n, f[PROOF].p, f[PROOF].n, &err);
    assay_report_name_file(&err, "public values", a->operand[PUBLIC]);
    assay_report_name_file(&err, "proof", a->operand[PROOF]);
    const int code = s == ASSAY_OK ? deliver(a, &out, NULL) : assay_report_error(a, ASSAY_READING, s, &err);
    free_files(f, BOTH);
    assay_buffer_free(&out);
    return code;
}
