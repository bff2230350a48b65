/* SPDX-License-Identifier: Apache-2.0 */
/* assay-bench COMMAND ... */
#include "cli/bench_commands.h"
#include "cli/prover.h"
#include "cli/subcommands.h"
#include <string.h>

static const struct {
    const char *name;
    int (*run)(const assay_args *a);
} runs[] = {{"single", assay_bench_single}, {"batch", assay_bench_batch},     {"sweep", assay_bench_sweep},
            {"status", assay_bench_status}, {"metrics", assay_bench_metrics}, {"preload", assay_bench_preload},
            {"evict", assay_bench_evict},   {"cancel", assay_bench_cancel}};

int main(int argc, char **argv)
{
    assay_args a;
    const char *name = argc > 1 ? argv[1] : "";
    int code = assay_cli_overview("assay-bench", name);
    if (code >= 0) return code;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (strcmp(runs[i].name, name) != 0) continue;
        code = assay_args_parse(&a, assay_command_find("assay-bench", name), argc, argv, 2);
        if (code >= 0) return code;
        assay_cli_start();
        return runs[i].run(&a);
    }
    return assay_cli_no_command("assay-bench", NULL, name);
}
