/* SPDX-License-Identifier: Apache-2.0 */
/* cp_commit --model MODEL_DIR --out DIR */
#include "assay/commit.h"
#include "assay/prove.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cp/id_codec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RANGES = 16 };

static int read_options(const assay_args *a, assay_commit_options *o)
{
    uint64_t security = 128, threads = 0;
    memset(o, 0, sizeof *o);
    if (!assay_args_number(a, OPT_SECURITY, 100, 128, &security) ||
        !assay_args_number(a, OPT_LIFETIME, 1, (uint64_t)1 << 20, &o->lifetime) ||
        !assay_args_number(a, OPT_THREADS, 1, 1024, &threads))
        return ASSAY_EXIT_USAGE;
    if (security != 128 && security != 100) return assay_report_usage(a, "--security", "is not 128 or 100");
    o->security = (unsigned)security;
    o->threads = (unsigned)threads;
    o->calibration = a->value[OPT_CALIBRATE];
    return -1;
}

/* For the owner: which accumulators no input can drive out of the field. */
static void print_ranges(const assay_commitment *c)
{
    assay_range r[MAX_RANGES];
    size_t n = assay_commitment_ranges(c, r, MAX_RANGES);
    printf("largest accumulators, log2 (for the owner; docs/model.md, \"Range\"):\n");
    printf("  %-12s %8s %8s %8s\n", "", "by sum", "by norm", "limit");
    for (size_t i = 0; i < n && i < MAX_RANGES; i++)
        printf("  %-12s %8.2f %8.2f %8.2f  %s\n", r[i].name, r[i].by_sum, r[i].by_norm, r[i].limit,
               r[i].excluded ? "wraps for no input" : "wrapping is not excluded");
}

static int report(const assay_args *a, const assay_commitment *c, double seconds)
{
    char id[ASSAY_ID_TEXT + 1];
    uint64_t proofs = 0;
    assay_commitment_count(c, NULL, &proofs);
    assay_id_encode(id, assay_commitment_id(c));
    id[ASSAY_ID_TEXT - 1] = 0;
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("id", id);
        assay_json_string("folder", a->value[OPT_OUT]);
        assay_json_number("proofs", proofs);
        assay_json_real("seconds", seconds);
        assay_json_end();
        return assay_report_finish(a, ASSAY_EXIT_OK);
    }
    if (!args_has(a, OPT_QUIET)) {
        print_ranges(c);
        printf("%s: committed in %.1f s, for %llu proofs; isk/ and model/ are secret\n", a->value[OPT_OUT], seconds,
               (unsigned long long)proofs);
    }
    printf("commitment ID: %s\n", id);
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

int main(int argc, char **argv)
{
    assay_args a;
    assay_errinfo err;
    assay_bar bar;
    assay_commit_options o;
    assay_commitment *c = NULL;
    memset(&err, 0, sizeof err);
    int code = assay_args_parse(&a, assay_command_find("cp_commit", NULL), argc, argv, 1);
    if (code < 0) code = read_options(&a, &o);
    if (code >= 0) return code;
    assay_cli_start();
    o.progress = assay_bar_begin(&bar, &a, "committing");
    assay_phase phase = ASSAY_WRITING;
    assay_status s = assay_commitment_may_save(a.value[OPT_OUT], args_has(&a, OPT_FORCE), &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_READING;
        s = assay_commitment_make(&c, a.value[OPT_MODEL], &o, &err);
    }
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = assay_commitment_save(c, a.value[OPT_OUT], args_has(&a, OPT_FORCE), &err);
    }
    assay_bar_end(&bar);
    code = s == ASSAY_OK ? report(&a, c, assay_bar_seconds(&bar)) : assay_report_error(&a, phase, s, &err);
    assay_commitment_free(c);
    return code;
}
