/* SPDX-License-Identifier: Apache-2.0 */
/* Printing what a check found. */
#ifndef ASSAY_CLI_TABLE_H
#define ASSAY_CLI_TABLE_H

#include "assay/verify.h"

/* The error budget, one round a line, worst and sum last. Nothing if it is not known. */
void assay_table_print(const assay_report *r);
/* The same as fields of a JSON object. */
void assay_table_json(const assay_report *r);

#endif
