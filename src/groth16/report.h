/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an assay_groth16_report. */
#ifndef ASSAY_GROTH16_REPORT_H
#define ASSAY_GROTH16_REPORT_H

#include "assay/groth16.h"
#include "groth16/vk.h"

/* REJECT, "not checked". ASSAY_EINVAL when one of three pointers is NULL. */
ASSAY_MUST_USE assay_status assay_groth16_report_begin(assay_groth16_report *out, const void *a, const void *b,
                                                       const void *c, assay_errinfo *err);
/* Errors about bytes that are judged become the reason, and ASSAY_OK; others stay errors. */
ASSAY_MUST_USE assay_status assay_groth16_report_bytes(assay_groth16_report *out, assay_status s,
                                                       const assay_errinfo *why, assay_errinfo *err);
/* REJECT for this reason, or (NULL) ACCEPT. */
void assay_groth16_report_verdict(assay_groth16_report *out, const char *why);
/* The verdict on decoded values. */
void assay_groth16_report_judge(assay_groth16_report *out, const assay_vk *vk, const assay_publics *publics,
                                const assay_proof *proof, int allow_development);

#endif
