/* SPDX-License-Identifier: Apache-2.0 */
/* The table of soundness. */
#include "cli/table.h"
#include "cli/report.h"
#include <math.h>
#include <stdio.h>

static void line(const char *name, double bits)
{
    if (isfinite(bits))
        printf("  %-24s %7.2f\n", name, bits);
    else
        printf("  %-24s %7s\n", name, "all");
}

void assay_table_print(const assay_report *r)
{
    if (r->n_rounds == 0) return;
    printf("soundness of this proof, bits a round (docs/soundness.md):\n");
    for (size_t i = 0; i < r->n_rounds; i++) line(r->rounds[i].name, r->rounds[i].bits);
    line("worst round", r->worst);
    line("all rounds together", r->sum);
}

void assay_table_json(const assay_report *r)
{
    if (r->n_rounds == 0) return;
    assay_json_array_begin("rounds");
    for (size_t i = 0; i < r->n_rounds; i++) {
        assay_json_begin();
        assay_json_string("name", r->rounds[i].name);
        assay_json_real("bits", r->rounds[i].bits);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_real("worst_bits", r->worst);
    assay_json_real("sum_bits", r->sum);
}
