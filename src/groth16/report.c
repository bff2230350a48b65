/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts. */
#include "groth16/report.h"
#include "base/status.h"
#include "groth16/verify.h"
#include <stdio.h>
#include <string.h>

assay_status assay_groth16_report_begin(assay_groth16_report *out, const void *a, const void *b, const void *c,
                                        assay_errinfo *err)
{
    memset(out, 0, sizeof *out);
    (void)snprintf(out->reason, sizeof out->reason, "not checked");
    return a && b && c ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_EINVAL, "verifier", "a pointer is NULL");
}

assay_status assay_groth16_report_bytes(assay_groth16_report *out, assay_status s, const assay_errinfo *why,
                                        assay_errinfo *err)
{
    if (s == ASSAY_EFORMAT || s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED) {
        (void)assay_errinfo_text(why, out->reason, sizeof out->reason);
        return ASSAY_OK;
    }
    if (err && s != ASSAY_OK) *err = *why;
    return s;
}

void assay_groth16_report_verdict(assay_groth16_report *out, const char *why)
{
    (void)snprintf(out->reason, sizeof out->reason, "%s", why ? why : "");
    out->verdict = why ? ASSAY_REJECT : ASSAY_ACCEPT;
}

void assay_groth16_report_judge(assay_groth16_report *out, const assay_vk *vk, const assay_publics *publics,
                                const assay_proof *proof, int allow_development)
{
    const bool development = assay_vk_is_development(vk);
    const char *why = development && !allow_development
                          ? "gamma = delta in the key: anybody can forge proofs under it"
                          : assay_groth16_fault(vk, publics->curve, publics->v, publics->n, proof);
    out->development = development || vk->marked;
    assay_groth16_report_verdict(out, why);
}
