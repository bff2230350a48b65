/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the cases. */
#include "unit/engine/queue_cases.h"
#include <stdio.h>
#include <string.h>

assay_queue_options queue_options(const queue_place *p)
{
    const assay_queue_options o = {.where = p->where,
                                   .owner = "this test",
                                   .lease = QUEUE_LEASE,
                                   .keep = QUEUE_KEEP,
                                   .attempts = QUEUE_ATTEMPTS,
                                   .max_jobs = 100000,
                                   .connections = 3};
    return o;
}

assay_queue *queue_open_with(queue_place *p, const assay_queue_options *o)
{
    assay_queue *q = NULL;
    assay_errinfo err = {0};
    char text[400];
    if (!CHECK_OK(assay_queue_open_at(&q, o, &p->clock, &err))) {
        printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
        return NULL;
    }
    if (p->opened) CHECK(p->opened(p));
    return q;
}

assay_queue *queue_open(queue_place *p)
{
    const assay_queue_options o = queue_options(p);
    return queue_open_with(p, &o);
}

void queue_pass(queue_place *p, uint64_t ms)
{
    p->set_time(p, p->now + ms);
}

assay_job_spec queue_spec(const char *id)
{
    static const assay_blob inputs[] = {{(const uint8_t *)"a witness", 9}, {(const uint8_t *)"", 0}};
    assay_job_spec s = {.kind = ASSAY_JOB_GROTH16,
                        .subject = "multiplier",
                        .priority = ASSAY_PRIORITY_NORMAL,
                        .inputs = inputs,
                        .n_inputs = 2};
    (void)snprintf(s.id, sizeof s.id, "%s", id);
    return s;
}

assay_submit_outcome queue_submit_one(assay_queue *q, const assay_job_spec *spec)
{
    assay_submit_outcome outcome = ASSAY_SUBMIT_FAILED;
    assay_errinfo err = {0};
    char text[400];
    if (!CHECK_OK(assay_queue_submit(q, &spec, 1, &outcome, &err)))
        printf("  %s\n", assay_errinfo_text(&err, text, sizeof text));
    return outcome;
}

bool queue_claim(assay_queue *q, const char *id, uint8_t token[ASSAY_QUEUE_TOKEN])
{
    bool claimed = false;
    assay_buffer inputs = {NULL, 0};
    CHECK_OK(assay_queue_claim(q, id, &claimed, token, &inputs, NULL));
    CHECK(claimed == (inputs.p != NULL));
    assay_buffer_free(&inputs);
    return claimed;
}

bool queue_finish(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN], assay_job_state state)
{
    static const assay_blob proof = {(const uint8_t *)"a proof", 7};
    bool ours = false;
    CHECK_OK(assay_queue_finish(q, id, token, state, state == ASSAY_JOB_COMPLETED ? &proof : NULL,
                                state == ASSAY_JOB_COMPLETED ? NULL : "a reason", NULL, &ours, NULL));
    return ours;
}

bool queue_beat(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN], bool *cancelled)
{
    assay_queue_lease l = {.lost = true};
    (void)snprintf(l.id, sizeof l.id, "%s", id);
    memcpy(l.token, token, ASSAY_QUEUE_TOKEN);
    CHECK_OK(assay_queue_heartbeat(q, &l, 1, NULL));
    if (cancelled) *cancelled = l.cancel_requested;
    return !l.lost;
}

size_t queue_sweep(assay_queue *q)
{
    size_t changed = 0;
    CHECK_OK(assay_queue_sweep(q, &changed, NULL));
    return changed;
}

assay_job_view queue_view(assay_queue *q, const char *id)
{
    assay_job_view v;
    bool found = false;
    CHECK_OK(assay_queue_get(q, id, &found, &v, NULL, NULL));
    CHECK(found == (v.state != 0));
    return v;
}

assay_queue_counts queue_counts(assay_queue *q)
{
    assay_queue_counts c;
    CHECK_OK(assay_queue_count(q, &c, NULL));
    return c;
}

void queue_check_tally(queue_place *p, assay_queue *q)
{
    const assay_queue_counts c = queue_counts(q);
    char text[100];
    for (int k = 0; k < ASSAY_JOB_KINDS; k++) {
        (void)snprintf(text, sizeof text, "SELECT count(*) FROM jobs WHERE state = 1 AND kind = %d", k);
        CHECK_EQ_U64(p->number(p, text), c.waiting[k]);
        (void)snprintf(text, sizeof text, "SELECT count(*) FROM jobs WHERE state = 2 AND kind = %d", k);
        CHECK_EQ_U64(p->number(p, text), c.running[k]);
    }
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM jobs WHERE state = 3"), c.completed);
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM jobs WHERE state = 4"), c.failed);
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM jobs WHERE state = 5"), c.cancelled);
    /* Inputs are there as long as the job may need them, and no longer. */
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM inputs"),
                 p->number(p, "SELECT count(*) FROM jobs WHERE state < 3"));
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM inputs JOIN jobs ON job = arrival WHERE state >= 3"), 0);
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM results"), c.completed);
}
