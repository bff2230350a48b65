/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the daemon and its processes. */
#include "engine/worker_message.h"
#include "harness.h"
#include <math.h>
#include <string.h>

static const assay_subject_entry entry = {.kind = ASSAY_JOB_REPLY,
                                          .name = "name",
                                          .path = "/a/folder",
                                          .r1cs = "",
                                          .sym = "s",
                                          .stamp = {1, 2, 3, 4, UINT64_MAX}};

static assay_worker_message full(assay_message_kind kind)
{
    return (assay_worker_message){.kind = kind,
                                  .stage = ASSAY_STAGE_VERIFY,
                                  .status = ASSAY_EUNSATISFIED,
                                  .hold = true,
                                  .threads = 7,
                                  .pid = 12345,
                                  .signal = 64,
                                  .done = 0.25,
                                  .task = UINT64_MAX,
                                  .bytes = 1,
                                  .ms = {2, 3, 4, 5},
                                  .n_inputs = ASSAY_MESSAGE_INPUTS,
                                  .input = {9, 8, 7, 6, 5, 4, 3, UINT64_MAX},
                                  .text = "what happened"};
}

static void encode(assay_writer *w, const assay_worker_message *m)
{
    assay_writer_init(w, ASSAY_MESSAGE_BYTES);
    assay_message_encode(w, m, assay_message_has_entry(m->kind) ? &entry : NULL);
    CHECK(!w->bad);
}

static bool same(const assay_worker_message *a, const assay_worker_message *b)
{
    return a->kind == b->kind && a->stage == b->stage && a->status == b->status && a->hold == b->hold &&
           a->wait == b->wait && a->threads == b->threads && a->pid == b->pid && a->signal == b->signal &&
           fabs(a->done - b->done) < 1e-6 && a->task == b->task && a->bytes == b->bytes &&
           memcmp(a->ms, b->ms, sizeof a->ms) == 0 && a->n_inputs == b->n_inputs &&
           memcmp(a->input, b->input, sizeof a->input) == 0 && strcmp(a->text, b->text) == 0;
}

TEST(round_trips)
{
    for (unsigned kind = ASSAY_MESSAGE_LOAD; kind <= ASSAY_MESSAGE_GRANT; kind++) {
        assay_writer w;
        assay_worker_message m = full((assay_message_kind)kind), out;
        assay_subject_entry got;
        encode(&w, &m);
        REQUIRE_OK(assay_message_decode(&out, &got, w.p, w.n, NULL));
        CHECK(same(&m, &out));
        if (assay_message_has_entry(m.kind)) {
            CHECK(got.kind == entry.kind && strcmp(got.name, entry.name) == 0 && strcmp(got.path, entry.path) == 0 &&
                  got.r1cs[0] == 0 && strcmp(got.sym, entry.sym) == 0 &&
                  memcmp(&got.stamp, &entry.stamp, sizeof got.stamp) == 0);
            CHECK_STATUS(assay_message_decode(&out, NULL, w.p, w.n, NULL), ASSAY_EFORMAT);
        } else {
            CHECK_OK(assay_message_decode(&out, NULL, w.p, w.n, NULL));
        }
        for (size_t n = 0; n < w.n; n++) CHECK(assay_message_decode(&out, &got, w.p, n, NULL) == ASSAY_EFORMAT);
        assay_write_u8(&w, 0);
        CHECK_STATUS(assay_message_decode(&out, &got, w.p, w.n, NULL), ASSAY_EFORMAT);
        assay_writer_clear(&w);
    }
}

TEST(the_largest_message_fits_a_packet)
{
    assay_writer w;
    assay_worker_message m = full(ASSAY_MESSAGE_ORDER), out;
    static assay_subject_entry most, got;
    memset(m.text, 'x', sizeof m.text - 1);
    memset(most.name, 'n', sizeof most.name - 1);
    memset(most.path, 'p', sizeof most.path - 1);
    memset(most.r1cs, 'r', sizeof most.r1cs - 1);
    memset(most.sym, 's', sizeof most.sym - 1);
    assay_writer_init(&w, ASSAY_MESSAGE_BYTES);
    assay_message_encode(&w, &m, &most);
    CHECK(!w.bad);
    CHECK_OK(assay_message_decode(&out, &got, w.p, w.n, NULL));
    CHECK(strcmp(got.sym, most.sym) == 0 && strcmp(out.text, m.text) == 0);
    assay_writer_clear(&w);
}

/* A field at a place gets a value that it cannot have. */
static void refused(size_t at, uint8_t value, assay_status want)
{
    assay_writer w;
    const assay_worker_message m = full(ASSAY_MESSAGE_DONE);
    assay_worker_message out;
    encode(&w, &m);
    w.p[at] = value;
    CHECK_STATUS(assay_message_decode(&out, NULL, w.p, w.n, NULL), want);
    assay_writer_clear(&w);
}

TEST(fields_out_of_range)
{
    refused(0, 0, ASSAY_ERANGE);                         /* kind */
    refused(0, ASSAY_MESSAGE_GRANT + 1, ASSAY_ERANGE);   /* kind */
    refused(0, ASSAY_MESSAGE_ORDER, ASSAY_EFORMAT);      /* one with an entry, which is not there */
    refused(1, ASSAY_STAGES, ASSAY_ERANGE);              /* stage */
    refused(2, ASSAY_EUNSATISFIED + 1, ASSAY_ERANGE);    /* status */
    refused(3, 4, ASSAY_EFORMAT);                        /* flags */
    refused(12, 65, ASSAY_ERANGE);                       /* signal */
    refused(19, 1, ASSAY_ERANGE);                        /* done, above 1 */
    refused(68, ASSAY_MESSAGE_INPUTS + 1, ASSAY_ERANGE); /* inputs */
}

TEST(texts)
{
    assay_writer w;
    assay_worker_message m = full(ASSAY_MESSAGE_DONE), out;
    m.text[2] = '\n'; /* one line, whatever a worker says */
    encode(&w, &m);
    REQUIRE_OK(assay_message_decode(&out, NULL, w.p, w.n, NULL));
    CHECK_EQ_STR(out.text, "wh?t happened");
    w.p[w.n - 1] = 0; /* a zero inside */
    CHECK_STATUS(assay_message_decode(&out, NULL, w.p, w.n, NULL), ASSAY_EFORMAT);
    assay_writer_clear(&w);
    static const double shares[][2] = {{-1, 0}, {0, 0}, {1, 1}, {7, 1}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        m.done = shares[i][0];
        encode(&w, &m);
        CHECK_OK(assay_message_decode(&out, NULL, w.p, w.n, NULL));
        CHECK(fabs(out.done - shares[i][1]) < 1e-9);
        assay_writer_clear(&w);
    }
    m.done = NAN;
    encode(&w, &m);
    CHECK_OK(assay_message_decode(&out, NULL, w.p, w.n, NULL));
    CHECK(out.done == 0);
    assay_writer_clear(&w);
    CHECK_EQ_STR(assay_worker_stage_name(ASSAY_STAGE_PROVE), "prove");
    CHECK_EQ_STR(assay_worker_stage_name(ASSAY_STAGES), "");
}
