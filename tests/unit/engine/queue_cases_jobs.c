/* SPDX-License-Identifier: Apache-2.0 */
/* Cases: a job's way through the queue. */
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "unit/engine/queue_cases.h"
#include <stdio.h>
#include <string.h>

typedef struct placed {
    assay_job_spec spec;
    unsigned arrival;
} placed;

/* Whether a stands before b: said in another way than the query says it. */
static bool before(const placed *a, const placed *b)
{
    if (a->spec.priority != b->spec.priority) return a->spec.priority > b->spec.priority;
    if (a->spec.deadline != b->spec.deadline)
        return a->spec.deadline != 0 && (b->spec.deadline == 0 || a->spec.deadline < b->spec.deadline);
    return a->arrival < b->arrival;
}

void queue_case_order(queue_place *p)
{
    enum { N = 60 };
    static placed jobs[N];
    static assay_job_view heads[N + 1];
    size_t n = 0;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    for (unsigned i = 0; i < N; i++) {
        char id[20];
        (void)snprintf(id, sizeof id, "job-%u", i);
        jobs[i].spec = queue_spec(id);
        jobs[i].spec.priority = 1 + (unsigned)(assay_test_random() % 4);
        const uint64_t d = assay_test_random() % 4; /* many alike */
        jobs[i].spec.deadline = d == 0 ? 0 : p->now + 1000000 * d;
        jobs[i].arrival = i;
        CHECK_EQ_U64(queue_submit_one(q, &jobs[i].spec), ASSAY_SUBMIT_NEW);
    }
    for (unsigned i = 0; i < N; i++) /* by insertion */
        for (unsigned j = i; j > 0 && before(&jobs[j], &jobs[j - 1]); j--) {
            const placed x = jobs[j];
            jobs[j] = jobs[j - 1];
            jobs[j - 1] = x;
        }
    CHECK_OK(assay_queue_heads(q, heads, N + 1, &n, NULL));
    CHECK_EQ_U64(n, N);
    for (unsigned i = 0; i < N; i++) {
        CHECK_EQ_STR(heads[i].id, jobs[i].spec.id);
        CHECK_EQ_U64(heads[i].deadline, jobs[i].spec.deadline);
        CHECK_EQ_U64(heads[i].priority, jobs[i].spec.priority);
        CHECK_EQ_U64(heads[i].queue_position, i);
        CHECK_EQ_U64(queue_view(q, jobs[i].spec.id).queue_position, i);
        CHECK_EQ_STR(heads[i].stage, "");
    }
    CHECK_OK(assay_queue_heads(q, heads, 7, &n, NULL));
    CHECK_EQ_U64(n, 7);
    CHECK_EQ_STR(heads[6].id, jobs[6].spec.id);
    CHECK_OK(assay_queue_heads(q, heads, 0, &n, NULL));
    CHECK_EQ_U64(n, 0);
    assay_queue_close(q);
}

void queue_case_same_id(queue_place *p)
{
    static const assay_blob other = {(const uint8_t *)"another", 7};
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    assay_job_spec a = queue_spec("a"), changed = queue_spec("a"), b = queue_spec("b");
    changed.inputs = &other;
    changed.n_inputs = 1;
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_EXISTED);
    CHECK_EQ_U64(queue_submit_one(q, &changed), ASSAY_SUBMIT_CONFLICT);

    /* Within one transaction too; and a conflict does not keep the others out. */
    const assay_job_spec *const four[] = {&b, &changed, &b, &a};
    assay_submit_outcome outcomes[4] = {ASSAY_SUBMIT_FAILED};
    CHECK_OK(assay_queue_submit(q, four, 4, outcomes, NULL));
    CHECK_EQ_U64(outcomes[0], ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(outcomes[1], ASSAY_SUBMIT_CONFLICT);
    CHECK_EQ_U64(outcomes[2], ASSAY_SUBMIT_EXISTED);
    CHECK_EQ_U64(outcomes[3], ASSAY_SUBMIT_EXISTED);
    CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], 2);

    /* After the end as well, as long as it is kept. */
    uint8_t token[ASSAY_QUEUE_TOKEN];
    CHECK(queue_claim(q, "a", token));
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_COMPLETED));
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_EXISTED);
    CHECK_EQ_U64(queue_submit_one(q, &changed), ASSAY_SUBMIT_CONFLICT);
    queue_pass(p, QUEUE_KEEP);
    CHECK_EQ_U64(queue_sweep(q), 1);
    CHECK_EQ_U64(queue_submit_one(q, &changed), ASSAY_SUBMIT_NEW);
    queue_check_tally(p, q);

    /* A job that did not succeed begins anew, with the same body. */
    for (int state = ASSAY_JOB_FAILED; state <= ASSAY_JOB_CANCELLED; state++) {
        CHECK(queue_claim(q, "b", token));
        CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_EXISTED); /* it may succeed */
        CHECK(queue_finish(q, "b", token, (assay_job_state)state));
        assay_job_spec odd = b;
        odd.inputs = &other;
        odd.n_inputs = 1;
        CHECK_EQ_U64(queue_submit_one(q, &odd), ASSAY_SUBMIT_CONFLICT);
        CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], 1);
        CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
        CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], 2);
        CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_EXISTED);
        bool ours = true;
        CHECK_OK(assay_queue_finish(q, "b", token, (assay_job_state)state, NULL, "late", NULL, &ours, NULL));
        CHECK(!ours); /* whoever ended it before knows nothing of the new one */
        queue_check_tally(p, q);
    }
    assay_queue_close(q);
}

void queue_case_claiming(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN], second[ASSAY_QUEUE_TOKEN];
    assay_buffer inputs, packed;
    bool claimed = false;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK(!queue_claim(q, "a", token));
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    queue_pass(p, 5);
    REQUIRE_OK(assay_queue_claim(q, "a", &claimed, token, &inputs, NULL));
    CHECK(claimed);
    CHECK_OK(assay_blobs_pack(&packed, a.inputs, a.n_inputs, NULL));
    CHECK(inputs.n == packed.n && CHECK_EQ_MEM(inputs.p, packed.p, packed.n));
    assay_buffer_free(&packed);
    assay_buffer_free(&inputs);
    CHECK(!queue_claim(q, "a", second)); /* not twice */

    assay_job_view v = queue_view(q, "a");
    CHECK_EQ_U64(v.state, ASSAY_JOB_RUNNING);
    CHECK_EQ_U64(v.attempts, 1);
    CHECK_EQ_U64(v.submitted, QUEUE_START);
    CHECK_EQ_U64(v.started, QUEUE_START + 5);
    CHECK_EQ_U64(v.ended, 0);
    CHECK_EQ_STR(v.subject, "multiplier");
    const uint64_t sequence = v.sequence;
    CHECK(sequence > 1);

    CHECK(queue_finish(q, "a", token, ASSAY_JOB_COMPLETED));
    CHECK(queue_view(q, "a").sequence > sequence);
    CHECK(!queue_claim(q, "a", second));
    static const uint8_t zero[ASSAY_QUEUE_TOKEN];
    CHECK(memcmp(second, zero, sizeof zero) == 0 && memcmp(token, zero, sizeof zero) != 0);
    assay_queue_close(q);
}

void queue_case_inputs_of_all_sizes(queue_place *p)
{
    static const size_t sizes[] = {0, 1, 255, 256, 4096, 65536, 5000000};
    enum { N = sizeof sizes / sizeof *sizes };
    uint8_t *bytes = assay_mem_alloc(sizes[N - 1], 1);
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL && bytes != NULL);
    for (size_t i = 0; i < sizes[N - 1]; i++) bytes[i] = (uint8_t)(assay_test_random() >> 24);
    for (size_t i = 0; i < N; i++) {
        char id[20];
        uint8_t token[ASSAY_QUEUE_TOKEN];
        assay_buffer inputs;
        assay_blob got[4];
        size_t n = 0;
        bool claimed = false, found = false, ours = false;
        const assay_blob blobs[3] = {{bytes, sizes[i]}, {bytes + 1, sizes[i] / 2}, {bytes, 0}};
        (void)snprintf(id, sizeof id, "job-%zu", i);
        assay_job_spec s = queue_spec(id);
        s.inputs = blobs;
        s.n_inputs = i % 4;
        CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
        REQUIRE_OK(assay_queue_claim(q, id, &claimed, token, &inputs, NULL));
        REQUIRE(claimed);
        CHECK_OK(assay_blobs_unpack(got, 4, &n, inputs.p, inputs.n, NULL));
        CHECK_EQ_U64(n, i % 4);
        for (size_t k = 0; k < n; k++) CHECK(got[k].n == blobs[k].n && CHECK_EQ_MEM(got[k].p, blobs[k].p, blobs[k].n));
        assay_buffer_free(&inputs);

        assay_job_view v;
        assay_buffer result;
        CHECK_OK(assay_queue_finish(q, id, token, ASSAY_JOB_COMPLETED, &blobs[0], NULL, NULL, &ours, NULL));
        CHECK(ours);
        REQUIRE_OK(assay_queue_get(q, id, &found, &v, &result, NULL));
        CHECK(found && result.n == sizes[i] && result.p && CHECK_EQ_MEM(result.p, bytes, result.n));
        assay_buffer_free(&result);
    }
    queue_check_tally(p, q);
    assay_queue_close(q);
    assay_mem_free(bytes);
}

void queue_case_a_job_completes(queue_place *p)
{
    static const assay_job_times times = {11, 22, 33, 44, 55, 66, UINT64_C(1) << 40};
    static const assay_blob proof = {(const uint8_t *)"\0proof\xff", 7};
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_view v;
    assay_buffer result;
    bool ours = false, found = false;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "a", token));
    queue_pass(p, 7);
    /* Ends that are none. */
    CHECK_STATUS(assay_queue_finish(q, "a", token, ASSAY_JOB_QUEUED, NULL, "", NULL, &ours, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_queue_finish(q, "a", token, ASSAY_JOB_COMPLETED, NULL, "", NULL, &ours, NULL), ASSAY_EINVAL);

    CHECK_OK(assay_queue_finish(q, "a", token, ASSAY_JOB_COMPLETED, &proof, "not kept", &times, &ours, NULL));
    CHECK(ours);
    CHECK_OK(assay_queue_get(q, "a", &found, &v, &result, NULL));
    REQUIRE(found);
    CHECK_EQ_U64(v.state, ASSAY_JOB_COMPLETED);
    CHECK_EQ_U64(v.ended, QUEUE_START + 7);
    CHECK_EQ_STR(v.error, "");
    CHECK(memcmp(&v.times, &times, sizeof times) == 0);
    CHECK(result.n == 7 && CHECK_EQ_MEM(result.p, proof.p, 7));
    assay_buffer_free(&result);
    CHECK_OK(assay_queue_get(q, "b", &found, &v, &result, NULL));
    CHECK(!found && result.p == NULL && v.state == 0);

    /* Who did not hear that it was done may ask again; nothing is written twice. */
    ours = false;
    const uint64_t sequence = queue_view(q, "a").sequence;
    CHECK_OK(assay_queue_finish(q, "a", token, ASSAY_JOB_COMPLETED, &proof, NULL, NULL, &ours, NULL));
    CHECK(ours);
    CHECK_EQ_U64(queue_view(q, "a").sequence, sequence);
    CHECK(!queue_finish(q, "a", token, ASSAY_JOB_FAILED)); /* but not otherwise */
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_COMPLETED);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_a_job_fails(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "a", token));
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_FAILED));
    CHECK(queue_claim(q, "b", token));
    CHECK(queue_finish(q, "b", token, ASSAY_JOB_CANCELLED));
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_FAILED);
    CHECK_EQ_STR(queue_view(q, "a").error, "a reason");
    CHECK_EQ_U64(queue_view(q, "b").state, ASSAY_JOB_CANCELLED);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

/* A worker that was taken for dead cannot write over its successor's work. */
void queue_case_fencing(queue_place *p)
{
    static const assay_blob late = {(const uint8_t *)"late", 4}, good = {(const uint8_t *)"good", 4};
    uint8_t old[ASSAY_QUEUE_TOKEN], new[ASSAY_QUEUE_TOKEN], none[ASSAY_QUEUE_TOKEN] = {1};
    assay_job_view v;
    assay_buffer result;
    bool ours = true, found = false;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "a", old));
    queue_pass(p, QUEUE_LEASE - 1);
    CHECK_EQ_U64(queue_sweep(q), 0);
    CHECK(queue_beat(q, "a", old, NULL)); /* the lease begins anew */
    queue_pass(p, QUEUE_LEASE - 1);
    CHECK_EQ_U64(queue_sweep(q), 0);
    CHECK(!queue_beat(q, "a", none, NULL)); /* not with another token */
    queue_pass(p, 1);
    CHECK_EQ_U64(queue_sweep(q), 1);
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_QUEUED);

    CHECK(!queue_beat(q, "a", old, NULL)); /* nobody has it, but the lease is lost */
    CHECK(!queue_finish(q, "a", old, ASSAY_JOB_COMPLETED));
    CHECK(!queue_finish(q, "a", old, ASSAY_JOB_FAILED));
    CHECK_OK(assay_queue_release(q, "a", old, true, &ours, NULL));
    CHECK(!ours);

    CHECK(queue_claim(q, "a", new));
    CHECK_EQ_U64(queue_view(q, "a").attempts, 2);
    const uint64_t sequence = queue_view(q, "a").sequence;
    CHECK(!queue_beat(q, "a", old, NULL));
    CHECK_OK(assay_queue_release(q, "a", old, true, &ours, NULL));
    CHECK(!ours);
    ours = true;
    CHECK_OK(assay_queue_finish(q, "a", old, ASSAY_JOB_COMPLETED, &late, NULL, NULL, &ours, NULL));
    CHECK(!ours);
    CHECK(!queue_finish(q, "a", none, ASSAY_JOB_COMPLETED));
    CHECK_EQ_U64(queue_view(q, "a").sequence, sequence);

    CHECK_OK(assay_queue_finish(q, "a", new, ASSAY_JOB_COMPLETED, &good, NULL, NULL, &ours, NULL));
    CHECK(ours);
    CHECK(!queue_finish(q, "a", old, ASSAY_JOB_COMPLETED));
    CHECK(!queue_beat(q, "a", new, NULL)); /* it has ended */
    CHECK_OK(assay_queue_get(q, "a", &found, &v, &result, NULL));
    CHECK(found && result.n == 4 && CHECK_EQ_MEM(result.p, "good", 4));
    assay_buffer_free(&result);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_attempts(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    for (unsigned i = 1; i <= QUEUE_ATTEMPTS; i++) {
        CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_QUEUED);
        CHECK(queue_claim(q, "a", token));
        CHECK_EQ_U64(queue_view(q, "a").attempts, i);
        queue_pass(p, QUEUE_LEASE);
        CHECK_EQ_U64(queue_sweep(q), 1);
    }
    const assay_job_view v = queue_view(q, "a");
    CHECK_EQ_U64(v.state, ASSAY_JOB_FAILED);
    CHECK_EQ_STR(v.error, "begun 3 times and never brought to an end");
    CHECK_EQ_U64(v.ended, p->now);
    CHECK(!queue_finish(q, "a", token, ASSAY_JOB_FAILED)); /* not its doing, though the end is the same */
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_releasing(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    bool ours = false;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
    for (unsigned i = 0; i < 2 * QUEUE_ATTEMPTS; i++) { /* an attempt that does not count, as often as one likes */
        CHECK(queue_claim(q, "a", token));
        CHECK_OK(assay_queue_release(q, "a", token, false, &ours, NULL));
        CHECK(ours);
        CHECK_EQ_U64(queue_view(q, "a").attempts, 0);
        CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_QUEUED);
        CHECK_EQ_U64(queue_view(q, "a").queue_position, 0); /* its place is kept */
    }
    ours = false;
    CHECK_OK(assay_queue_release(q, "a", token, false, &ours, NULL)); /* asked again */
    CHECK(ours);
    CHECK(!queue_beat(q, "a", token, NULL));
    CHECK(!queue_finish(q, "a", token, ASSAY_JOB_COMPLETED));
    CHECK_EQ_U64(queue_view(q, "a").attempts, 0);

    for (unsigned i = 1; i <= QUEUE_ATTEMPTS; i++) {
        CHECK(queue_claim(q, "a", token));
        CHECK_OK(assay_queue_release(q, "a", token, true, &ours, NULL));
        CHECK_EQ_U64(queue_view(q, "a").attempts, i);
    }
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_FAILED);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_cancelling(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_state before = ASSAY_JOB_FAILED;
    bool cancelled = true, ours = false;
    static const char *const ids[] = {"waits", "runs", "back", "dies", "wins"};
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    CHECK_OK(assay_queue_cancel(q, "nobody", &before, NULL));
    CHECK_EQ_U64(before, 0);
    for (size_t i = 0; i < 5; i++) {
        const assay_job_spec s = queue_spec(ids[i]);
        CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    }
    CHECK_OK(assay_queue_cancel(q, "waits", &before, NULL));
    CHECK_EQ_U64(before, ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(queue_view(q, "waits").state, ASSAY_JOB_CANCELLED);
    CHECK_EQ_STR(queue_view(q, "waits").error, "cancelled");
    CHECK(!queue_claim(q, "waits", token));
    CHECK_OK(assay_queue_cancel(q, "waits", &before, NULL));
    CHECK_EQ_U64(before, ASSAY_JOB_CANCELLED);

    CHECK(queue_claim(q, "runs", token));
    CHECK(queue_beat(q, "runs", token, &cancelled));
    CHECK(!cancelled);
    CHECK_OK(assay_queue_cancel(q, "runs", &before, NULL));
    CHECK_EQ_U64(before, ASSAY_JOB_RUNNING);
    CHECK(queue_beat(q, "runs", token, &cancelled));
    CHECK(cancelled);
    CHECK(queue_finish(q, "runs", token, ASSAY_JOB_CANCELLED));
    CHECK_EQ_U64(queue_view(q, "runs").state, ASSAY_JOB_CANCELLED);

    /* One that is to be cancelled does not wait again, whatever becomes of its worker. */
    CHECK(queue_claim(q, "back", token));
    CHECK_OK(assay_queue_cancel(q, "back", &before, NULL));
    CHECK_OK(assay_queue_release(q, "back", token, false, &ours, NULL));
    CHECK(ours);
    CHECK_EQ_U64(queue_view(q, "back").state, ASSAY_JOB_CANCELLED);
    CHECK(queue_claim(q, "dies", token));
    CHECK_OK(assay_queue_cancel(q, "dies", &before, NULL));
    queue_pass(p, QUEUE_LEASE);
    CHECK_EQ_U64(queue_sweep(q), 1);
    CHECK_EQ_U64(queue_view(q, "dies").state, ASSAY_JOB_CANCELLED);

    /* Or it was done before it heard. */
    CHECK(queue_claim(q, "wins", token));
    CHECK_OK(assay_queue_cancel(q, "wins", &before, NULL));
    CHECK(queue_finish(q, "wins", token, ASSAY_JOB_COMPLETED));
    CHECK_OK(assay_queue_cancel(q, "wins", &before, NULL));
    CHECK_EQ_U64(before, ASSAY_JOB_COMPLETED);
    CHECK_EQ_U64(queue_view(q, "wins").state, ASSAY_JOB_COMPLETED);
    queue_check_tally(p, q);
    assay_queue_close(q);
}
