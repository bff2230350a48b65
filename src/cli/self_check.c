/* SPDX-License-Identifier: Apache-2.0 */
/* A prover checks itself. */
#include "cli/self_check.h"
#include "cli/files.h"
#include "cp/public.h"
#include <string.h>

assay_status assay_cli_self_check(assay_report *out, const char *folder, const uint8_t id[32], const assay_request *r,
                                  const assay_policy *policy, const assay_buffer *proof, assay_errinfo *err)
{
    assay_buffer config = {NULL, 0}, ivk = {NULL, 0};
    assay_verifier *v = NULL;
    memset(out, 0, sizeof *out);
    assay_status s = assay_cli_read(&config, folder, "config/config.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_cli_read(&ivk, folder, "ivk/ivk.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_verifier_new(&v, config.p, config.n, ivk.p, ivk.n, err);
    if (s == ASSAY_OK)
        s = assay_verifier_check_within(v, out, r, proof->p, proof->n, id, assay_verifier_security(v), policy, err);
    assay_verifier_free(v);
    assay_buffer_free(&config);
    assay_buffer_free(&ivk);
    return s;
}
