/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/catalogue_impl.h"

enum { MEBIBYTE = 1 << 20 };

uint64_t assay_plan_sum(assay_job_plan *p)
{
    uint64_t most = p->synthesis > p->prove ? p->synthesis : p->prove;
    if (p->ready > most) most = p->ready;
    p->peak = p->process + most;
    return p->key + p->load + p->peak;
}

assay_status assay_plan_refuse(const assay_subject_entry *entry, uint64_t needed, uint64_t room, assay_errinfo *err)
{
    return ASSAY_FAIL2(err, ASSAY_ENOMEM, entry->name, "needs more memory than there is for it (MiB needed, there)",
                       needed / MEBIBYTE + (needed % MEBIBYTE != 0), room / MEBIBYTE);
}

assay_status assay_job_plan_make(assay_job_plan *out, assay_catalogue *c, assay_job_kind kind,
                                 const assay_subject_entry *entry, const assay_blob *inputs, size_t n_inputs,
                                 unsigned threads, uint64_t room, assay_errinfo *err)
{
    assay_status s;
    *out = (assay_job_plan){0};
    if (threads == 0) threads = 1;
    if (kind != entry->kind) return ASSAY_FAIL(err, ASSAY_EINVAL, entry->name, "is of another kind than the job");
    if (kind == ASSAY_JOB_GROTH16)
        s = assay_plan_groth16(out, c, entry, inputs, n_inputs, threads, room, err);
    else if (kind == ASSAY_JOB_REPLY)
        s = assay_plan_reply(out, entry, inputs, n_inputs, threads, room, err);
    else
        s = ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, assay_job_kind_name(kind), "this kind's circuits are not built");
    if (s != ASSAY_OK) *out = (assay_job_plan){0};
    return s;
}
