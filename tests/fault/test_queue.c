/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations of the queue: each call says so and changes nothing.
 * ctest: uses unit/engine */
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "engine/queue.h"
#include "fault/fault.h"
#include "unit/engine/queue_file.h"
#include <stdio.h>
#include <string.h>

static queue_place place;

/* The whole of a job's way, in a new file each time. */
static assay_status whole_way(void *ctx, assay_errinfo *err)
{
    static const assay_blob proof = {(const uint8_t *)"proof", 5};
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b");
    const assay_job_spec *const two[] = {&a, &b};
    assay_submit_outcome outcomes[2];
    assay_job_view v;
    assay_buffer inputs = {NULL, 0}, result = {NULL, 0};
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = NULL;
    bool yes = false;
    (void)ctx;
    CHECK(place.fresh(&place));
    const assay_queue_options o = queue_options(&place);
    assay_status s = assay_queue_open(&q, &o, err);
    CHECK((s == ASSAY_OK) == (q != NULL));
    if (s == ASSAY_OK) s = assay_queue_submit(q, two, 2, outcomes, err);
    if (s == ASSAY_OK) s = assay_queue_claim(q, "a", &yes, token, &inputs, err);
    CHECK(s == ASSAY_OK || inputs.p == NULL);
    if (s == ASSAY_OK) s = assay_queue_finish(q, "a", token, ASSAY_JOB_COMPLETED, &proof, NULL, NULL, &yes, err);
    if (s == ASSAY_OK) s = assay_queue_get(q, "a", &yes, &v, &result, err);
    CHECK(s == ASSAY_OK || result.p == NULL);
    assay_buffer_free(&inputs);
    assay_buffer_free(&result);
    assay_queue_close(q);
    return s;
}

TEST(a_jobs_way)
{
    queue_file_place(&place);
    CHECK(assay_fault_every(whole_way, NULL, 1) >= 8);
}

/* A claim for which there is no memory is none: the job waits, and the attempt does not count. */
TEST(a_claim_without_memory)
{
    assay_buffer inputs;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    bool claimed = true;
    queue_file_place(&place);
    assay_queue *q = queue_open(&place);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    (void)assay_mem_fail_after(1);
    CHECK_STATUS(assay_queue_claim(q, "a", &claimed, token, &inputs, NULL), ASSAY_ENOMEM);
    (void)assay_mem_fail_after(0);
    CHECK(!claimed && inputs.p == NULL);
    const assay_job_view v = queue_view(q, "a");
    CHECK(v.state == ASSAY_JOB_QUEUED && v.attempts == 0);
    queue_check_tally(&place, q);
    assay_queue_close(q);
}
