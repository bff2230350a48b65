/* SPDX-License-Identifier: Apache-2.0 */
/* What proofs would take, before any is made. */
#ifndef ASSAY_CLI_PLAN_H
#define ASSAY_CLI_PLAN_H

#include "assay/request.h"
#include "cli/options.h"
#include "cp/memory.h"

/* One plan a request, from the public files of a commitment's folder. policy: its kind; threads: 0 for one per
 * processor. Errors are those of the files and of assay_cp_plan_make. */
ASSAY_MUST_USE assay_status assay_cli_plan(assay_cp_plan *out, const char *folder, const assay_request *const *requests,
                                           size_t n, uint32_t policy, unsigned threads, assay_errinfo *err);

/* Memory of n proofs made in one call. */
uint64_t assay_cli_plan_together(const assay_cp_plan *plans, size_t n);
/* How many of them, at least one, stay within `limit` together. */
size_t assay_cli_plan_fit(const assay_cp_plan *plans, size_t n, uint64_t limit);

/* Prints the plans; names are those of the requests' files. */
void assay_cli_plan_print(const assay_args *a, const assay_cp_plan *plans, const char *const *names,
                          const assay_request *const *requests, size_t n);

#endif
