/* SPDX-License-Identifier: Apache-2.0 */
/* --policy, and what is said of a check under one. */
#ifndef ASSAY_CLI_POLICY_H
#define ASSAY_CLI_POLICY_H

#include "assay/verify.h"
#include "cli/options.h"

/* The policy of --policy; exact without the option. Errors name the file. */
ASSAY_MUST_USE assay_status assay_cli_policy(assay_policy *out, const assay_args *a, assay_errinfo *err);

/* YES, WITHIN LIMITS or NO. */
const char *assay_verdict_word(const assay_report *r, const assay_policy *policy);
/* The last line: the word, and what there is to say of it. */
void assay_verdict_print(const assay_report *r, const assay_policy *policy);
/* Fields of a JSON object: verdict, reason if it is NO, and under a gap policy limits and use. */
void assay_verdict_json(const assay_report *r, const assay_policy *policy);
/* Limits and, if accepted, their use. */
void assay_limits_json(const assay_report *r, const assay_policy *policy);
/* "1 of 9 tokens ..., largest gap at most 0.0625 of 0.1 nats, all together at most ... of 1 nats" in out. */
enum { ASSAY_USE_TEXT = 256 };
const char *assay_use_text(char out[ASSAY_USE_TEXT], const assay_use *use, const assay_policy *policy);

#endif
