/* SPDX-License-Identifier: Apache-2.0 */
/* Cases: what runs out, counts, texts, refusals. */
#include "unit/engine/queue_cases.h"
#include <stdio.h>
#include <string.h>

static void submit_many(assay_queue *q, const char *prefix, size_t n)
{
    enum { MOST = 500 };
    static assay_job_spec specs[MOST];
    static const assay_job_spec *pointers[MOST];
    static assay_submit_outcome outcomes[MOST];
    for (size_t at = 0; at < n; at += MOST) {
        const size_t now = n - at < MOST ? n - at : MOST;
        for (size_t i = 0; i < now; i++) {
            char id[40];
            (void)snprintf(id, sizeof id, "%s%zu", prefix, at + i);
            specs[i] = queue_spec(id);
            pointers[i] = &specs[i];
        }
        CHECK_OK(assay_queue_submit(q, pointers, now, outcomes, NULL));
        for (size_t i = 0; i < now; i++) CHECK_EQ_U64(outcomes[i], ASSAY_SUBMIT_NEW);
    }
}

void queue_case_deadlines(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    assay_job_spec a = queue_spec("a"), b = queue_spec("b"), c = queue_spec("c"), never = queue_spec("never");
    a.deadline = b.deadline = p->now + 100;
    c.deadline = p->now + 101;
    never.deadline = UINT64_MAX; /* as good as none */
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &c), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_submit_one(q, &never), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "b", token)); /* a running job's deadline is its holder's business */
    queue_pass(p, 99);
    CHECK_EQ_U64(queue_sweep(q), 0);
    queue_pass(p, 1);
    CHECK_EQ_U64(queue_sweep(q), 1);
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_FAILED);
    CHECK_EQ_STR(queue_view(q, "a").error, "its deadline passed while it waited");
    CHECK_EQ_U64(queue_view(q, "b").state, ASSAY_JOB_RUNNING);
    CHECK_EQ_U64(queue_view(q, "c").state, ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(queue_view(q, "never").deadline, 0);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_results_are_kept_for_a_while(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_state before;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 4);
    CHECK(queue_claim(q, "0", token));
    CHECK(queue_finish(q, "0", token, ASSAY_JOB_COMPLETED));
    CHECK_OK(assay_queue_cancel(q, "1", &before, NULL));
    queue_pass(p, 10);
    CHECK(queue_claim(q, "2", token));
    CHECK(queue_finish(q, "2", token, ASSAY_JOB_COMPLETED));
    queue_pass(p, QUEUE_KEEP - 11);
    CHECK_EQ_U64(queue_sweep(q), 0);
    queue_pass(p, 1);
    CHECK_EQ_U64(queue_sweep(q), 2);
    CHECK_EQ_U64(queue_view(q, "0").state, 0);
    CHECK_EQ_U64(queue_view(q, "1").state, 0);
    CHECK_EQ_U64(queue_view(q, "2").state, ASSAY_JOB_COMPLETED);
    CHECK_EQ_U64(queue_view(q, "3").state, ASSAY_JOB_QUEUED); /* waits as long as it takes */
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_a_full_queue(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue_options o = queue_options(p);
    o.max_jobs = 3;
    assay_queue *q = queue_open_with(p, &o);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b"), c = queue_spec("c"), d = queue_spec("d");
    const assay_job_spec *const five[] = {&a, &b, &a, &c, &d};
    assay_submit_outcome outcomes[5];
    CHECK_OK(assay_queue_submit(q, five, 5, outcomes, NULL));
    CHECK_EQ_U64(outcomes[2], ASSAY_SUBMIT_EXISTED);
    CHECK_EQ_U64(outcomes[3], ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(outcomes[4], ASSAY_SUBMIT_FULL);
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_EXISTED); /* is there, full or not */
    CHECK_EQ_U64(queue_view(q, "d").state, 0);
    CHECK(queue_claim(q, "b", token)); /* waits no more */
    CHECK_EQ_U64(queue_submit_one(q, &d), ASSAY_SUBMIT_NEW);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_counting(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    assay_queue_counts c = queue_counts(q);
    for (int k = 0; k < ASSAY_JOB_KINDS; k++) CHECK_EQ_U64(c.waiting[k] + c.running[k], 0);
    for (int k = 0; k < ASSAY_JOB_KINDS; k++)
        for (int i = 0; i <= k; i++) {
            char id[20];
            (void)snprintf(id, sizeof id, "%d-%d", k, i);
            assay_job_spec s = queue_spec(id);
            s.kind = (assay_job_kind)k;
            CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
        }
    CHECK(queue_claim(q, "5-0", token));
    CHECK(queue_claim(q, "4-0", token));
    CHECK(queue_finish(q, "4-0", token, ASSAY_JOB_FAILED));
    CHECK(queue_claim(q, "4-1", token));
    CHECK(queue_finish(q, "4-1", token, ASSAY_JOB_COMPLETED));
    c = queue_counts(q);
    CHECK_EQ_U64(c.waiting[0], 1);
    CHECK_EQ_U64(c.waiting[4], 3);
    CHECK_EQ_U64(c.waiting[5], 5);
    CHECK_EQ_U64(c.running[5], 1);
    CHECK_EQ_U64(c.failed, 1);
    CHECK_EQ_U64(c.completed, 1);
    CHECK_EQ_U64(c.cancelled, 0);
    CHECK_EQ_U64(queue_view(q, "5-1").kind, 5);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_recent(queue_place *p)
{
    static const char *const ids[] = {"2", "0", "3", "1"};
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_view views[5];
    size_t n = 9;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 6);
    CHECK_OK(assay_queue_recent(q, views, 5, &n, NULL));
    CHECK_EQ_U64(n, 0);
    for (int i = 0; i < 4; i++) {
        queue_pass(p, 3);
        CHECK(queue_claim(q, ids[i], token));
        CHECK(queue_finish(q, ids[i], token, i % 2 ? ASSAY_JOB_COMPLETED : ASSAY_JOB_FAILED));
    }
    CHECK_OK(assay_queue_recent(q, views, 5, &n, NULL));
    CHECK_EQ_U64(n, 4);
    for (size_t i = 0; i < 4 && i < n; i++) CHECK_EQ_STR(views[i].id, ids[3 - i]);
    CHECK_EQ_STR(views[1].error, "a reason");
    CHECK_OK(assay_queue_recent(q, views, 2, &n, NULL));
    CHECK_EQ_U64(n, 2);
    assay_queue_close(q);
}

void queue_case_everything_is_there_after_opening_again(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_state before;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 6);
    CHECK(queue_claim(q, "1", token));
    CHECK(queue_claim(q, "2", token));
    CHECK_OK(assay_queue_cancel(q, "2", &before, NULL));
    CHECK(queue_claim(q, "3", token));
    CHECK(queue_finish(q, "3", token, ASSAY_JOB_COMPLETED));
    CHECK(queue_claim(q, "4", token));
    CHECK(queue_finish(q, "4", token, ASSAY_JOB_FAILED));
    assay_queue_close(q);
    q = queue_open(p);
    REQUIRE(q != NULL);
    /* The running ones of a dead daemon wait again; where others share the queue, when the lease is over. */
    if (p->shared) {
        CHECK_EQ_U64(queue_view(q, "1").state, ASSAY_JOB_RUNNING);
        queue_pass(p, QUEUE_LEASE);
        CHECK_EQ_U64(queue_sweep(q), 2);
    }
    CHECK_EQ_U64(queue_view(q, "0").state, ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(queue_view(q, "1").state, ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(queue_view(q, "1").attempts, 1);
    CHECK_EQ_U64(queue_view(q, "2").state, ASSAY_JOB_CANCELLED);
    CHECK_EQ_U64(queue_view(q, "3").state, ASSAY_JOB_COMPLETED);
    CHECK_EQ_U64(queue_view(q, "4").state, ASSAY_JOB_FAILED);
    CHECK_EQ_U64(queue_view(q, "5").queue_position, 2);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_texts(queue_place *p)
{
    static const struct {
        const char *given, *kept;
    } errors[] = {
        {"plain", "plain"},
        {"two\nlines\tand \x7f", "two?lines?and ?"},
        {"gr\xc3\xbc\xc3\x9f Gott \xf0\x9f\x90\xa2", "gr\xc3\xbc\xc3\x9f Gott \xf0\x9f\x90\xa2"},
        {"bad \xff\xc3 \xc0\x80 \xed\xa0\x80 end\xf0\x9f", "bad ?? ?? ??? end??"},
        {"'; DROP TABLE jobs; --", "'; DROP TABLE jobs; --"},
    };
    char longest[700];
    uint8_t token[ASSAY_QUEUE_TOKEN];
    bool ours;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 6);
    for (int i = 0; i < 6; i++) {
        char id[12];
        (void)snprintf(id, sizeof id, "%d", i);
        if (i == 5) {
            memset(longest, 'x', sizeof longest - 1);
            longest[sizeof longest - 1] = '\0';
            memcpy(longest + ASSAY_JOB_ERROR - 3, "\xf0\x9f\x90\xa2", 4);
        }
        CHECK(queue_claim(q, id, token));
        CHECK_OK(assay_queue_finish(q, id, token, ASSAY_JOB_FAILED, NULL, i < 5 ? errors[i].given : longest, NULL,
                                    &ours, NULL));
        const assay_job_view v = queue_view(q, id);
        if (i < 5) CHECK_EQ_STR(v.error, errors[i].kept);
        if (i == 5) CHECK(strlen(v.error) >= ASSAY_JOB_ERROR - 5 && strspn(v.error, "x") == strlen(v.error));
    }
    assay_job_spec s = queue_spec("a subject ['\"$1%s\\");
    (void)snprintf(s.subject, sizeof s.subject, "%s", "f\xc3\xbcr \"alle\" 'Z\xc3\xa4hler'; --");
    CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    CHECK_EQ_STR(queue_view(q, s.id).subject, s.subject);
    memset(s.id, 'i', ASSAY_JOB_ID);
    memset(s.subject, 's', ASSAY_JOB_SUBJECT);
    s.id[ASSAY_JOB_ID] = s.subject[ASSAY_JOB_SUBJECT] = '\0';
    CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    CHECK_EQ_STR(queue_view(q, s.id).id, s.id);
    CHECK_EQ_STR(queue_view(q, s.id).subject, s.subject);
    assay_queue_close(q);
}

/* One that is wrong keeps all of its transaction out. */
void queue_case_bad_jobs(queue_place *p)
{
    static const assay_blob huge = {(const uint8_t *)"x", (size_t)1 << 40};
    assay_job_spec bad[9], good = queue_spec("good");
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    for (int i = 0; i < 9; i++) bad[i] = queue_spec("bad");
    bad[0].id[0] = '\0';
    (void)snprintf(bad[1].id, sizeof bad[1].id, "a\tb");
    (void)snprintf(bad[2].id, sizeof bad[2].id, "\xc3\xbc");
    memset(bad[3].id, 'x', sizeof bad[3].id);
    bad[4].priority = 0;
    bad[5].priority = 5;
    bad[6].kind = ASSAY_JOB_KINDS;
    (void)snprintf(bad[7].subject, sizeof bad[7].subject, "\xff");
    bad[8].inputs = &huge;
    bad[8].n_inputs = 1;
    for (int i = 0; i < 9; i++) {
        const assay_job_spec *const two[] = {&good, &bad[i]};
        assay_submit_outcome outcomes[2] = {ASSAY_SUBMIT_NEW, ASSAY_SUBMIT_NEW};
        CHECK_STATUS(assay_queue_submit(q, two, 2, outcomes, NULL), i == 8 ? ASSAY_ERANGE : ASSAY_EINVAL);
        CHECK(outcomes[0] == ASSAY_SUBMIT_FAILED && outcomes[1] == ASSAY_SUBMIT_FAILED);
    }
    CHECK_EQ_U64(queue_view(q, "good").state, 0);
    CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], 0);
    CHECK_OK(assay_queue_submit(q, NULL, 0, NULL, NULL));
    assay_queue_close(q);
}

void queue_case_bad_options(queue_place *p)
{
    char longest[200];
    assay_queue *q = NULL;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (int i = 0; i < 8; i++) {
        assay_queue_options o = queue_options(p);
        assay_errinfo err = {0};
        if (i == 0) o.where = "";
        if (i == 1) o.owner = longest;
        if (i == 2) o.lease = 0;
        if (i == 3) o.lease = UINT64_MAX;
        if (i == 4) o.attempts = 0;
        if (i == 5) o.max_jobs = 0;
        if (i == 6) o.connections = 1000;
        if (i == 7) o.keep = UINT64_MAX;
        CHECK_STATUS(assay_queue_open(&q, &o, &err), ASSAY_EINVAL);
        CHECK(q == NULL && err.reason != NULL);
    }
}

/* More than one transaction of each. */
void queue_case_large_sweeps(queue_place *p)
{
    enum { N = 3 * QUEUE_BATCH + 5 };
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "r", N);
    for (int i = 0; i < N; i++) {
        char id[20];
        (void)snprintf(id, sizeof id, "r%d", i);
        CHECK(queue_claim(q, id, token));
    }
    queue_pass(p, QUEUE_LEASE);
    CHECK_EQ_U64(queue_sweep(q), N);
    CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], N);
    CHECK(p->number(p, "UPDATE jobs SET deadline = 5 RETURNING arrival") > 0);
    CHECK_EQ_U64(queue_sweep(q), N);
    CHECK_EQ_U64(queue_counts(q).failed, N);
    queue_pass(p, QUEUE_KEEP);
    CHECK_EQ_U64(queue_sweep(q), N);
    CHECK_EQ_U64(p->number(p, "SELECT count(*) FROM jobs"), 0);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

void queue_case_missing_inputs(queue_place *p)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 1);
    CHECK(p->number(p, "DELETE FROM inputs RETURNING job") > 0);
    CHECK(!queue_claim(q, "0", token));
    CHECK_EQ_U64(queue_view(q, "0").state, ASSAY_JOB_FAILED);
    CHECK_EQ_STR(queue_view(q, "0").error, "its inputs are missing from the queue's database");
    queue_check_tally(p, q);
    assay_queue_close(q);
}

/* Rows that this program did not write are errors, not crashes. */
void queue_case_odd_rows(queue_place *p)
{
    assay_job_view v[2];
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_buffer b;
    assay_errinfo err = {0};
    assay_queue_counts counts;
    assay_job_state before;
    size_t n = 0;
    bool yes = true;
    assay_queue *q = queue_open(p);
    REQUIRE(q != NULL);
    submit_many(q, "", 1);
    CHECK(p->number(p, "UPDATE jobs SET kind = 99 RETURNING arrival") > 0);
    CHECK_STATUS(assay_queue_get(q, "0", &yes, v, NULL, &err), ASSAY_EFORMAT);
    CHECK(!yes && err.reason != NULL);
    CHECK_STATUS(assay_queue_heads(q, v, 2, &n, NULL), ASSAY_EFORMAT);
    yes = true;
    CHECK_STATUS(assay_queue_claim(q, "0", &yes, token, &b, NULL), ASSAY_EFORMAT);
    CHECK(!yes && b.p == NULL);
    CHECK_STATUS(assay_queue_cancel(q, "0", &before, NULL), ASSAY_EFORMAT);
    CHECK(p->number(p, "UPDATE jobs SET kind = 0, state = 17 RETURNING arrival") > 0);
    CHECK_STATUS(assay_queue_get(q, "0", &yes, v, NULL, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_queue_cancel(q, "0", &before, NULL), ASSAY_EFORMAT);
    CHECK(p->number(p, "UPDATE jobs SET state = 1, priority = -5, attempts = -1, submitted = -7 RETURNING arrival") >
          0);
    CHECK_OK(assay_queue_get(q, "0", &yes, v, NULL, NULL));
    CHECK(yes && v->priority == 0 && v->attempts == 0 && v->submitted == 0);
    CHECK(p->number(p, "UPDATE tally SET kind = -1 RETURNING kind") == -1);
    CHECK_STATUS(assay_queue_count(q, &counts, NULL), ASSAY_EFORMAT);
    assay_queue_close(q);
}
