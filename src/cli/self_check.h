/* SPDX-License-Identifier: Apache-2.0 */
/* Verifying a proof with a commitment's own public files, as a client would. */
#ifndef ASSAY_CLI_SELF_CHECK_H
#define ASSAY_CLI_SELF_CHECK_H

#include "assay/commit.h"
#include "assay/request.h"
#include "assay/verify.h"

/* Fills *out; the setting asked for is the commitment's. */
ASSAY_MUST_USE assay_status assay_cli_self_check(assay_report *out, const char *folder, const uint8_t id[32],
                                                 const assay_request *r, const assay_policy *policy,
                                                 const assay_buffer *proof, assay_errinfo *err);

#endif
