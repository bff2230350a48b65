/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/job.h"

const char *assay_job_kind_name(assay_job_kind kind)
{
    static const char *const names[ASSAY_JOB_KINDS] = {"groth16",     "reply",       "porep-c2",
                                                       "snap-update", "window-post", "winning-post"};
    return (unsigned)kind < ASSAY_JOB_KINDS ? names[kind] : "unknown";
}

const char *assay_job_state_name(assay_job_state state)
{
    static const char *const names[] = {"unknown", "queued", "running", "completed", "failed", "cancelled"};
    return (unsigned)state < sizeof names / sizeof *names ? names[state] : names[0];
}
