/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses daemon
 * /status as JSON, whatever the texts are; the words for partitions; the advice. */
#include "base/mem.h"
#include "daemon/look.h"
#include "daemon/status.h"
#include "harness.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t now = 1764558000123u;

/* What was written, read by another reader; NULL when it is no JSON. */
static json_t *parsed(assay_writer *w)
{
    json_error_t e;
    json_t *j = w->bad ? NULL : json_loadb((const char *)w->p, w->n, JSON_REJECT_DUPLICATES, &e);
    if (!j) printf("%s at %d: %.80s\n", e.text, e.position, (const char *)w->p);
    assay_writer_clear(w);
    return j;
}

static json_t *status_of(const assay_engine_look *l)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_STATUS_MAX);
    assay_status_write(&w, l);
    return parsed(&w);
}

TEST(values)
{
    assay_writer w;
    assay_writer_init(&w, 4096);
    assay_json_out out = {&w, false}, *j = &out;
    assay_json_out_open(j, NULL, '{');
    assay_json_out_text(j, "text", "a\"\\\n\t\x01\x7f\xc3\xa9\xff\xe2\x82\xed\xa0\x80</script>");
    assay_json_out_text(j, "none", NULL);
    assay_json_out_number(j, "most", UINT64_MAX / 2);
    assay_json_out_number_or_null(j, "no", 7, 7);
    assay_json_out_real(j, "real", 1.5);
    assay_json_out_real(j, "nan", NAN);
    assay_json_out_real(j, "infinite", INFINITY);
    assay_json_out_bool(j, "yes", true);
    assay_json_out_open(j, "list", '[');
    assay_json_out_number(j, NULL, 1);
    assay_json_out_open(j, NULL, '{');
    assay_json_out_close(j, '}');
    assay_json_out_close(j, ']');
    assay_json_out_null(j, "last");
    assay_json_out_close(j, '}');
    json_t *v = parsed(&w);
    REQUIRE(v);
    CHECK_EQ_STR(
        json_string_value(json_object_get(v, "text")),
        "a\"\\\n\t\x01\x7f\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd</script>");
    CHECK(json_is_null(json_object_get(v, "none")) && json_is_null(json_object_get(v, "no")));
    CHECK(json_is_null(json_object_get(v, "nan")) && json_is_null(json_object_get(v, "infinite")));
    CHECK(json_integer_value(json_object_get(v, "most")) == INT64_MAX);
    CHECK(json_real_value(json_object_get(v, "real")) == 1.5 && json_is_true(json_object_get(v, "yes")));
    CHECK(json_array_size(json_object_get(v, "list")) == 2 && json_is_null(json_object_get(v, "last")));
    json_decref(v);
}

/* Every text full of what JSON must escape: it still fits, and comes back. */
TEST(hostile_and_full)
{
    assay_engine_look *l = assay_mem_alloc(1, sizeof *l);
    REQUIRE(l);
    l->n_jobs = ASSAY_LOOK_JOBS;
    l->n_workers = ASSAY_LOOK_WORKERS;
    l->n_keys = ASSAY_LOOK_KEYS;
    l->n_spans = ASSAY_LOOK_SPANS;
    l->started = 5; /* after now: a clock that was set back */
    for (size_t i = 0; i < l->n_jobs; i++) {
        assay_job_view *j = &l->jobs[i];
        memset(j->id, '\x01', ASSAY_JOB_ID);
        memset(j->subject, '\xff', ASSAY_JOB_SUBJECT);
        memset(j->error, '"', ASSAY_JOB_ERROR - 1);
        j->state = ASSAY_JOB_RUNNING;
        j->partitions = UINT32_MAX;
        j->done = NAN;
    }
    for (size_t i = 0; i < l->n_workers; i++) {
        memset(l->workers[i].job, '\\', ASSAY_JOB_ID);
        l->workers[i].stage = "prove";
        l->workers[i].prover = true;
        l->workers[i].pid = -1;
    }
    for (size_t i = 0; i < l->n_keys; i++) memset(l->keys[i].name, '\x1f', ASSAY_JOB_SUBJECT);
    for (size_t i = 0; i < l->n_spans; i++) {
        memset(l->spans[i].job, '\x01', ASSAY_JOB_ID);
        l->spans[i].stage = "synthesis";
        l->spans[i].partition = i % 3 ? (uint32_t)i : UINT32_MAX;
        l->spans[i].begin = UINT64_MAX / 2;
    }
    json_t *v = status_of(l);
    REQUIRE(v);
    CHECK(json_array_size(json_object_get(v, "jobs")) == ASSAY_LOOK_JOBS);
    CHECK(json_array_size(json_object_get(v, "spans")) == ASSAY_LOOK_SPANS);
    CHECK(json_array_size(json_object_get(v, "gpu_workers")) == ASSAY_LOOK_WORKERS);
    const json_t *first = json_array_get(json_object_get(v, "pipelines"), 0);
    CHECK(json_array_size(json_object_get(first, "partitions")) == ASSAY_JOB_PARTITIONS);
    CHECK_EQ_U64(strlen(json_string_value(json_object_get(first, "job_id"))), ASSAY_JOB_ID);
    CHECK(json_number_value(json_object_get(v, "uptime_secs")) == 0);
    json_decref(v);
    assay_mem_free(l);
}

/* The word for a job's only partition after these spans. */
static const char *word(assay_job_state state, const char *stages, bool open, bool failed)
{
    static char out[32];
    assay_engine_look *l = assay_mem_alloc(1, sizeof *l);
    if (!l) return "";
    l->now = now;
    l->n_jobs = 1;
    l->jobs[0].state = state;
    l->jobs[0].partitions = 1;
    l->jobs[0].ended = now - 1000;
    for (const char *p = stages; *p; p++) {
        assay_look_span *s = &l->spans[l->n_spans++];
        s->stage = *p == 'l' ? "load" : *p == 's' ? "synthesis" : *p == 'r' ? "ready" : *p == 'p' ? "prove" : "verify";
        s->begin = now - 5000;
        s->end = p[1] || !open ? now - 2000 : 0;
        s->failed = failed && !p[1];
    }
    json_t *v = status_of(l);
    const json_t *first =
        json_array_get(json_object_get(json_array_get(json_object_get(v, "pipelines"), 0), "partitions"), 0);
    const char *text = json_string_value(json_object_get(first, "state"));
    (void)snprintf(out, sizeof out, "%s", text ? text : "none");
    json_decref(v);
    assay_mem_free(l);
    return out;
}

TEST(partitions)
{
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "", true, false), "pending");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "l", true, false), "synthesizing");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "ls", true, false), "synthesizing");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "ls", false, false), "synth_done");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsr", true, false), "synth_done");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsrp", true, false), "gpu");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsrpv", true, false), "gpu");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsrpv", false, false), "done");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsrp", false, false), "done");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "ls", false, true), "failed");
    CHECK_EQ_STR(word(ASSAY_JOB_RUNNING, "lsrp", false, true), "failed");
    CHECK_EQ_STR(word(ASSAY_JOB_FAILED, "ls", false, false), "failed");
    CHECK_EQ_STR(word(ASSAY_JOB_FAILED, "lsrp", false, false), "done");
    CHECK_EQ_STR(word(ASSAY_JOB_COMPLETED, "", false, false), "done");
    CHECK_EQ_STR(word(ASSAY_JOB_QUEUED, "", false, false), "none");
}

static bool advises(const assay_engine_look *l, const char *what)
{
    char out[ASSAY_ADVICE_BYTES];
    if (strstr(assay_advice(out, l), what)) return true;
    printf("%s\n", out);
    return false;
}

TEST(advice)
{
    const uint64_t gib = (uint64_t)1 << 30;
    assay_engine_look *l = test_look_new(now);
    REQUIRE(l);
    CHECK(advises(l, "1 worker(s) were killed for want of memory: others take memory that the budget of 187.0 GiB"));
    l->killed_for_memory = 0;
    CHECK(advises(l, "Proving is the bound: 1 partition(s) wait for one of 2 prover(s)"));
    l->gpu_workers = 3;
    CHECK(advises(l, "all 8 work, and the 36.5 GiB that are free are enough for 2 more"));
    l->partition_workers = 9;
    l->budget.used = 180 * gib;
    CHECK(advises(l,
                  "Memory is the bound: a partition takes 14.0 GiB and 7.0 GiB are free, so 8 of 9 partition workers "
                  "work. 7.0 GiB more would let another begin."));
    l->budget.used = 20 * gib;
    CHECK(advises(l, "37 job(s) wait and 8 of 9 partition workers work"));
    memset(&l->queue, 0, sizeof l->queue);
    CHECK(advises(l, "No job waits"));
    l->draining = true;
    CHECK(advises(l, "Draining"));
    test_look_free(l);
}
