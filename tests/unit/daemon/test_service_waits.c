/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a job: Prove, Watch, their clients that go away, the end of the service.
 * ctest: labels threads
 * ctest: uses support/daemon */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "harness.h"
#include "support/daemon/service_fixture.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A call of Prove that is under way; the id and the client are borrowed. */
static assay_client_stream *prove(assay_client *c, int kind, char *id, uint64_t timeout_ms)
{
    assay_client_stream *st = NULL;
    Cuzk__V1__ProveRequest p;
    cuzk__v1__prove_request__init(&p);
    submit_request q = fixture_request(kind, id);
    p.submit = &q;
    assay_writer w = fixture_pack(&p.base);
    CHECK_OK(assay_client_open(c, &st, CUZK("Prove"), timeout_ms, NULL));
    CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
    assay_writer_clear(&w);
    return st;
}

/* What it ends with; the status of the result, or minus the code of the call. */
static int proven(assay_client_stream *st, char *text, size_t n_text)
{
    assay_buffer reply;
    bool more;
    const char *words;
    int status = -99;
    CHECK_OK(assay_client_receive(st, &reply, &more, NULL));
    if (more) {
        assay_message m;
        CHECK_OK(assay_message_read(&m, &cuzk__v1__prove_response__descriptor, reply.p, reply.n, NULL));
        const await_reply *a = ((const Cuzk__V1__ProveResponse *)(void *)m.m)->result;
        status = (int)a->status;
        if (status == 1)
            (void)snprintf(text, n_text, "%.*s", (int)a->proof.len, (const char *)a->proof.data);
        else
            (void)snprintf(text, n_text, "%s", a->error_message);
        assay_message_free(&m);
        assay_buffer_free(&reply);
    } else {
        status = -(int)assay_client_result(st, &words);
        (void)snprintf(text, n_text, "%s", words);
    }
    assay_client_close(st);
    return status;
}

TEST(prove)
{
    char id[] = "ps-snap-1000-7-12", bad[] = "bad", text[ASSAY_CLIENT_TEXT];
    const assay_blob result[] = {{(const uint8_t *)"proof", 5}, {NULL, 0}};
    fixture f;
    REQUIRE(fixture_begin(&f));
    assay_client_stream *st = prove(f.client, 2, id, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    const struct timespec zero = {0, 0};
    struct timespec now = zero;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t deadline = fake_engine_spec(f.engine, id)->deadline, want = ((uint64_t)now.tv_sec + 60) * 1000;
    CHECK(deadline > want - 5000 && deadline < want + 5000);
    fake_engine_change(f.engine, id, ASSAY_JOB_RUNNING, "prove", 0.5, "");
    fake_engine_complete(f.engine, id, result, 2);
    CHECK_EQ_U64(proven(st, text, sizeof text), 1);
    CHECK_EQ_STR(text, "proof");
    CHECK_EQ_U64(fake_engine_cancels(f.engine), 0);

    st = prove(f.client, 2, bad, UINT64_MAX);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    CHECK_EQ_U64(fake_engine_spec(f.engine, bad)->deadline, 0);
    fake_engine_change(f.engine, bad, ASSAY_JOB_FAILED, "", 0, "partition 3 does not verify");
    CHECK_EQ_U64(proven(st, text, sizeof text), 2);
    CHECK_EQ_STR(text, "partition 3 does not verify");

    /* A kind that cannot be proven here fails as a proof does. */
    fake_engine_refuse(f.engine, ASSAY_EUNSUPPORTED, ASSAY_SUBMIT_FAILED, "the circuit is not built");
    char third[] = "third";
    CHECK_EQ_U64(proven(prove(f.client, 1, third, 5000), text, sizeof text), 2);
    CHECK_EQ_STR(text, "the circuit is not built");
    fixture_end(&f);
}

TEST(prove_with_nobody_left)
{
    char id[] = "a", late[] = "b", held[] = "c", text[ASSAY_CLIENT_TEXT];
    fixture f;
    REQUIRE(fixture_begin(&f));
    assay_client_stream *st = prove(f.client, 1, id, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    assay_client_close(st); /* resets the stream */
    WAIT_FOR(fake_engine_state(f.engine, id) == ASSAY_JOB_CANCELLED);
    CHECK_EQ_U64(fake_engine_cancels(f.engine), 1);

    /* The deadline is the server's to keep. */
    CHECK(proven(prove(f.client, 1, late, 150), text, sizeof text) == -ASSAY_RPC_DEADLINE_EXCEEDED);
    WAIT_FOR(fake_engine_state(f.engine, late) == ASSAY_JOB_CANCELLED);

    /* Gone before the job is durable. */
    fake_engine_hold(f.engine);
    st = prove(f.client, 1, held, 60000);
    WAIT_FOR(fake_engine_held(f.engine) == 1);
    assay_client_close(st);
    fixture_pause(50);
    fake_engine_release(f.engine);
    WAIT_FOR(fake_engine_state(f.engine, held) == ASSAY_JOB_CANCELLED);
    fixture_end(&f);
}

TEST(prove_wanted_by_others)
{
    char id[] = "a", alone[] = "b", after[] = "c";
    fixture f;
    REQUIRE(fixture_begin(&f));
    assay_client *second = fixture_client(&f);
    assay_client_stream *one = prove(f.client, 1, id, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    assay_client_stream *two = prove(second, 1, id, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 2);
    assay_client_close(one);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    fixture_pause(50);
    CHECK_EQ_U64(fake_engine_state(f.engine, id), ASSAY_JOB_QUEUED);
    assay_client_close(two);
    WAIT_FOR(fake_engine_state(f.engine, id) == ASSAY_JOB_CANCELLED);

    /* Submitted before, or after: it runs without its client. */
    submit_request q = fixture_request(1, alone);
    CHECK(fixture_submit(&f, &q) != NULL);
    assay_client_close(prove(second, 1, alone, 60000));
    one = prove(second, 1, after, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    q = fixture_request(1, after);
    CHECK(fixture_submit(&f, &q) != NULL);
    assay_client_close(one);
    WAIT_FOR(fake_engine_watches(f.engine) == 0);
    fixture_pause(50);
    CHECK_EQ_U64(fake_engine_state(f.engine, alone), ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(fake_engine_state(f.engine, after), ASSAY_JOB_QUEUED);
    CHECK_EQ_U64(fake_engine_cancels(f.engine), 1);
    assay_client_free(second);
    fixture_end(&f);
}

/* A request's memory is free as soon as its job is durable: more may be pending than a connection may hold. */
TEST(large_requests)
{
    enum { N = 8, BYTES = 20 << 20 };
    static char ids[N][8];
    fixture f;
    assay_client_stream *calls[N];
    uint8_t *body = assay_mem_alloc(BYTES, 1);
    REQUIRE(body && fixture_begin(&f));
    for (int i = 0; i < N; i++) {
        Cuzk__V1__ProveRequest p;
        cuzk__v1__prove_request__init(&p);
        (void)snprintf(ids[i], sizeof ids[i], "j%d", i);
        submit_request q = fixture_request(1, ids[i]);
        q.vanilla_proof = fixture_data(body, BYTES);
        p.submit = &q;
        assay_writer w = fixture_pack(&p.base);
        CHECK_OK(assay_client_open(f.client, &calls[i], CUZK("Prove"), 60000, NULL));
        CHECK_OK(assay_client_send(calls[i], w.p, w.n, true, NULL));
        assay_writer_clear(&w);
        /* The client only moves bytes inside of calls. */
        for (const uint64_t end = assay_clock_ms() + 60000;
             assay_clock_ms() < end && fake_engine_watches(f.engine) != (size_t)i + 1;) {
            char none[] = "none";
            (void)fixture_await(&f, none, 0);
        }
        CHECK_EQ_U64(fake_engine_watches(f.engine), i + 1);
        WAIT_FOR(assay_server_look(f.server).memory < 1 << 20);
    }
    CHECK_EQ_U64(fake_engine_spec(f.engine, ids[N - 1])->inputs[1].n, BYTES);
    for (int i = 0; i < N; i++) assay_client_close(calls[i]);
    assay_mem_free(body);
    fixture_end(&f);
}

/* ---- Watch */

typedef struct event {
    int state, stage_ok, n_proof, n_public;
    uint64_t sequence;
    char stage[16], proof[64];
} event;

static bool next_event(assay_client_stream *st, event *e)
{
    assay_buffer b;
    bool more;
    assay_message m;
    memset(e, 0, sizeof *e);
    if (!CHECK_OK(assay_client_receive(st, &b, &more, NULL)) || !more) return false;
    if (!CHECK_OK(assay_message_read(&m, &assay__v1__job_event__descriptor, b.p, b.n, NULL))) return false;
    const Assay__V1__JobEvent *v = (const Assay__V1__JobEvent *)(void *)m.m;
    e->state = (int)v->state;
    e->sequence = v->sequence;
    (void)snprintf(e->stage, sizeof e->stage, "%s", v->stage);
    if (v->result) {
        e->n_proof = (int)v->result->n_proof;
        e->n_public = (int)v->result->n_public_values;
        CHECK_EQ_U64(v->result->verify_ms, 9);
        for (size_t i = 0; i < v->result->n_proof; i++) {
            const size_t at = strlen(e->proof);
            (void)snprintf(e->proof + at, sizeof e->proof - at, "%.*s/%.*s ", (int)v->result->proof[i].len,
                           (const char *)v->result->proof[i].data, (int)v->result->public_values[i].len,
                           (const char *)v->result->public_values[i].data);
        }
    }
    assay_message_free(&m);
    assay_buffer_free(&b);
    return true;
}

static assay_client_stream *watch(assay_client *c, char *id, bool without_result)
{
    assay_client_stream *st = NULL;
    Assay__V1__WatchRequest q;
    assay__v1__watch_request__init(&q);
    q.job_id = id;
    q.without_result = without_result;
    assay_writer w = fixture_pack(&q.base);
    CHECK_OK(assay_client_open(c, &st, OWN("Watch"), 20000, NULL));
    CHECK_OK(assay_client_send(st, w.p, w.n, true, NULL));
    assay_writer_clear(&w);
    return st;
}

TEST(watch)
{
    char id[] = "g", circuit[] = "mul", none[] = "none";
    const char *words;
    const assay_blob result[] = {
        {(const uint8_t *)"P0", 2}, {(const uint8_t *)"x", 1}, {(const uint8_t *)"P1", 2}, {(const uint8_t *)"yy", 2}};
    fixture f;
    event e;
    REQUIRE(fixture_begin(&f));
    assay_client_stream *st = watch(f.client, none, false);
    CHECK(!next_event(st, &e) && assay_client_result(st, &words) == ASSAY_RPC_NOT_FOUND);
    assay_client_close(st);
    CHECK(fixture_submit_groth16(&f, id, circuit, 2, 0) != NULL);
    assay_client *second = fixture_client(&f);
    assay_client_stream *bare = watch(second, id, true);
    st = watch(f.client, id, false);
    CHECK(next_event(st, &e) && e.state == ASSAY_JOB_QUEUED);
    CHECK(next_event(bare, &e) && e.state == ASSAY_JOB_QUEUED);
    const uint64_t first = e.sequence;
    fake_engine_change(f.engine, id, ASSAY_JOB_RUNNING, "synthesis", 0.25, "");
    CHECK(next_event(st, &e) && e.state == ASSAY_JOB_RUNNING && e.sequence > first);
    CHECK_EQ_STR(e.stage, "synthesis");
    fake_engine_complete(f.engine, id, result, 4);
    while (next_event(st, &e) && e.state == ASSAY_JOB_RUNNING) continue;
    CHECK(e.state == ASSAY_JOB_COMPLETED && e.n_proof == 2 && e.n_public == 2);
    CHECK_EQ_STR(e.proof, "P0/x P1/yy ");
    CHECK(!next_event(st, &e) && assay_client_result(st, &words) == ASSAY_RPC_OK);
    assay_client_close(st);
    while (next_event(bare, &e) && e.state == ASSAY_JOB_RUNNING) continue;
    CHECK(e.state == ASSAY_JOB_COMPLETED && e.n_proof == 0);
    assay_client_close(bare);
    assay_client_free(second);
    CHECK_EQ_U64(fake_engine_cancels(f.engine), 0); /* watching is not wanting */
    fixture_end(&f);
}

/* A watcher that takes nothing costs little, and gets the last event when it reads again. */
TEST(slow_watcher)
{
    enum { CHANGES = 40000 };
    static char words[ASSAY_JOB_ERROR - 10]; /* so that they fill what HTTP/2 and the sockets let pass */
    char id[] = "g", circuit[] = "mul";
    fixture f;
    event e;
    int n = 0;
    uint64_t most = 0;
    memset(words, 'w', sizeof words - 1);
    REQUIRE(fixture_begin(&f));
    assay_client *second = fixture_client(&f);
    CHECK(fixture_submit_groth16(&f, id, circuit, 1, 0) != NULL);
    assay_client_stream *st = watch(second, id, false);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    for (int i = 0; i < CHANGES; i++) {
        fake_engine_change(f.engine, id, ASSAY_JOB_RUNNING, "prove", i / 40000.0, words);
        if (i % 100 == 0) fixture_pause(1);
        const uint64_t now = assay_server_look(f.server).memory;
        if (now > most) most = now;
    }
    CHECK(most < 64 << 10);
    const assay_blob result[] = {{(const uint8_t *)"P", 1}, {NULL, 0}};
    fake_engine_complete(f.engine, id, result, 2);
    while (next_event(st, &e) && e.state != ASSAY_JOB_COMPLETED) n++;
    CHECK_EQ_U64(e.state, ASSAY_JOB_COMPLETED);
    CHECK(n < CHANGES);
    assay_client_close(st);
    assay_client_free(second);
    fixture_end(&f);
}

/* ---- the end */

TEST(stop)
{
    char id[] = "p", two[] = "w", text[ASSAY_CLIENT_TEXT];
    fixture f;
    REQUIRE(fixture_begin(&f));
    assay_client *second = fixture_client(&f);
    assay_client_stream *p = prove(f.client, 1, id, 60000);
    WAIT_FOR(fake_engine_watches(f.engine) == 1);
    assay_client_stream *w = watch(second, id, false);
    WAIT_FOR(fake_engine_watches(f.engine) == 2);
    assay_service_stop(f.service);
    CHECK_EQ_U64(fake_engine_watches(f.engine), 0);
    CHECK(proven(p, text, sizeof text) == -ASSAY_RPC_UNAVAILABLE && strstr(text, "stays in the queue"));
    assay_client_close(w);
    CHECK(proven(prove(f.client, 1, two, 60000), text, sizeof text) == -ASSAY_RPC_UNAVAILABLE);
    CHECK(!fixture_await(&f, id, 0) && fixture_refused(&f, ASSAY_RPC_UNAVAILABLE, "stopping"));
    CHECK_EQ_U64(fake_engine_cancels(f.engine), 0);
    CHECK_EQ_U64(fake_engine_state(f.engine, id), ASSAY_JOB_QUEUED);
    assay_client_free(second);
    fixture_end(&f);
}
