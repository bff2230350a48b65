/* SPDX-License-Identifier: Apache-2.0 */
/* The queue over PostgreSQL when things go wrong: workers and servers that die or stop, connections that are cut.
 * ctest: labels interop
 * ctest: uses unit/engine */
#define _DEFAULT_SOURCE
#include "engine/queue.h"
#include "unit/engine/postgres_server.h"
#include "unit/engine/queue_cases.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT_LEASE = 1500 };

static assay_queue *open_short(queue_place *p)
{
    assay_queue_options o = queue_options(p);
    o.lease = SHORT_LEASE;
    return queue_open_with(p, &o);
}

/* ---- workers */

typedef struct talk {
    int to[2], from[2];
    pid_t child;
} talk;

static void tell(int fd, char c)
{
    if (write(fd, &c, 1) != 1) _exit(9);
}

static char hear(int fd)
{
    char c = 0;
    return read(fd, &c, 1) == 1 ? c : 0;
}

/* A worker: claims, beats until it is told to end, then ends. Says what it found: y or n. */
static void work(queue_place *p, const talk *t)
{
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_queue *q = open_short(p);
    tell(t->from[1], q && queue_claim(q, "a", token) ? 'y' : 'n');
    for (struct pollfd f = {.fd = t->to[0], .events = POLLIN}; poll(&f, 1, 200) == 0;)
        (void)queue_beat(q, "a", token, NULL);
    (void)hear(t->to[0]);
    tell(t->from[1], queue_beat(q, "a", token, NULL) ? 'y' : 'n');
    tell(t->from[1], queue_finish(q, "a", token, ASSAY_JOB_COMPLETED) ? 'y' : 'n');
    assay_queue_close(q);
    _exit(0);
}

static bool start_worker(queue_place *p, talk *t)
{
    if (pipe(t->to) != 0 || pipe(t->from) != 0) return false;
    (void)fflush(stdout);
    t->child = fork();
    if (t->child == 0) work(p, t);
    (void)close(t->to[0]);
    (void)close(t->from[1]);
    return t->child > 0;
}

static void end_worker(talk *t)
{
    int status = 0;
    CHECK(waitpid(t->child, &status, 0) == t->child);
    (void)close(t->to[1]);
    (void)close(t->from[0]);
}

/* How many ms until a sweep gives job a back; 0: not within 10 s. */
static unsigned wait_for_job(assay_queue *q)
{
    for (unsigned ms = 1; ms < 10000; ms += 50) {
        (void)queue_sweep(q);
        if (queue_view(q, "a").state == ASSAY_JOB_QUEUED) return ms;
        (void)usleep(50000);
    }
    return 0;
}

TEST(a_killed_workers_job_is_done_by_another)
{
    queue_place p;
    talk t;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    if (!postgres_begin(&p)) return;
    assay_queue *q = open_short(&p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    REQUIRE(start_worker(&p, &t));
    CHECK_EQ_U64(hear(t.from[0]), 'y');
    (void)usleep(2 * SHORT_LEASE * 1000); /* its heartbeats keep the job */
    CHECK_EQ_U64(queue_sweep(q), 0);
    CHECK(!queue_claim(q, "a", token));
    CHECK(kill(t.child, SIGKILL) == 0);
    end_worker(&t);
    const unsigned ms = wait_for_job(q);
    CHECK(ms > 0);
    CHECK(queue_claim(q, "a", token));
    CHECK_EQ_U64(queue_view(q, "a").attempts, 2);
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_COMPLETED));
    queue_check_tally(&p, q);
    assay_queue_close(q);
}

TEST(a_stopped_worker_writes_nothing_when_it_wakes)
{
    static const assay_blob good = {(const uint8_t *)"good", 4};
    queue_place p;
    talk t;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_view v;
    assay_buffer result;
    bool ours = false, found = false;
    if (!postgres_begin(&p)) return;
    assay_queue *q = open_short(&p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    REQUIRE(start_worker(&p, &t));
    CHECK_EQ_U64(hear(t.from[0]), 'y');
    CHECK(kill(t.child, SIGSTOP) == 0);
    CHECK(wait_for_job(q) > 0);
    CHECK(queue_claim(q, "a", token));
    tell(t.to[1], 'e');
    CHECK(kill(t.child, SIGCONT) == 0);
    CHECK_EQ_U64(hear(t.from[0]), 'n'); /* the lease */
    CHECK_EQ_U64(hear(t.from[0]), 'n'); /* the result */
    end_worker(&t);
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_RUNNING);
    CHECK_OK(assay_queue_finish(q, "a", token, ASSAY_JOB_COMPLETED, &good, NULL, NULL, &ours, NULL));
    CHECK(ours);
    CHECK_OK(assay_queue_get(q, "a", &found, &v, &result, NULL));
    CHECK(found && v.attempts == 2 && result.n == 4);
    assay_buffer_free(&result);
    queue_check_tally(&p, q);
    assay_queue_close(q);
}

/* Two daemons, three threads each: every job is worked once. */
typedef struct crowd {
    assay_queue *queues[2];
    _Atomic unsigned bad, times[200];
    _Atomic bool stop;
    bool slow; /* so that there is time to cut connections */
} crowd;

typedef struct member {
    crowd *c;
    unsigned number;
} member;

enum { JOBS = 200 };

static void *worker(void *arg)
{
    const member *m = arg;
    crowd *c = m->c;
    assay_queue *q = c->queues[m->number % 2];
    while (!atomic_load(&c->stop)) {
        assay_job_view heads[4];
        size_t n = 0;
        if (assay_queue_heads(q, heads, 4, &n, NULL) != ASSAY_OK) atomic_fetch_add(&c->bad, 1);
        for (size_t i = 0; i < n; i++) {
            uint8_t token[ASSAY_QUEUE_TOKEN];
            assay_buffer inputs;
            bool claimed = false, ours = false;
            const assay_blob proof = {(const uint8_t *)"p", 1};
            if (assay_queue_claim(q, heads[i].id, &claimed, token, &inputs, NULL) != ASSAY_OK)
                atomic_fetch_add(&c->bad, 1);
            if (!claimed) continue;
            assay_buffer_free(&inputs);
            if (c->slow) (void)usleep(20000);
            if (assay_queue_finish(q, heads[i].id, token, ASSAY_JOB_COMPLETED, &proof, NULL, NULL, &ours, NULL) !=
                ASSAY_OK)
                atomic_fetch_add(&c->bad, 1);
            if (!ours) continue;
            unsigned number = 0;
            for (const char *d = heads[i].id; *d; d++) number = 10 * number + (unsigned)(*d - '0');
            atomic_fetch_add(&c->times[number % JOBS], 1);
        }
    }
    return NULL;
}

static void submit_all(assay_queue *q)
{
    for (unsigned i = 0; i < JOBS; i++) {
        char id[20];
        (void)snprintf(id, sizeof id, "%u", i);
        const assay_job_spec s = queue_spec(id);
        CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    }
}

/* cut: the server's side of every connection is closed again and again. A call may then fail, if even its second
 * connection is cut; the job's lease runs out and another does it. */
static void run_crowd(queue_place *p, bool cut)
{
    enum { THREADS = 6 };
    static crowd c;
    pthread_t threads[THREADS];
    member members[THREADS];
    unsigned cuts = 0, done = 0;
    memset(&c, 0, sizeof c);
    c.slow = cut;
    c.queues[0] = open_short(p);
    c.queues[1] = open_short(p);
    REQUIRE(c.queues[0] != NULL && c.queues[1] != NULL);
    submit_all(c.queues[0]);
    for (unsigned i = 0; i < THREADS; i++) {
        members[i].c = &c;
        members[i].number = i;
        REQUIRE(pthread_create(&threads[i], NULL, worker, &members[i]) == 0);
    }
    for (unsigned i = 0; done < JOBS && i < 2000; i++) {
        size_t changed;
        assay_queue_counts n;
        (void)usleep(30000);
        if (cut && cuts < 30 &&
            postgres_sql("assay", "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                  "WHERE usename = 'assay'") > 0)
            cuts++;
        if (assay_queue_sweep(c.queues[0], &changed, NULL) != ASSAY_OK) atomic_fetch_add(&c.bad, 1);
        if (assay_queue_count(c.queues[1], &n, NULL) == ASSAY_OK) done = (unsigned)n.completed;
    }
    atomic_store(&c.stop, true);
    for (unsigned i = 0; i < THREADS; i++) (void)pthread_join(threads[i], NULL);
    CHECK(cuts >= (cut ? 3 : 0));
    CHECK(c.bad <= cuts);
    unsigned heard = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        CHECK(c.times[i] <= 1);
        heard += c.times[i];
    }
    CHECK(heard + c.bad >= JOBS); /* whoever did not hear got an error */
    CHECK_EQ_U64(queue_counts(c.queues[1]).completed, JOBS);
    queue_check_tally(p, c.queues[0]);
    assay_queue_close(c.queues[0]);
    assay_queue_close(c.queues[1]);
}

TEST(two_daemons)
{
    queue_place p;
    if (postgres_begin(&p)) run_crowd(&p, false);
}

TEST(connections_cut_at_any_moment)
{
    queue_place p;
    if (postgres_begin(&p)) run_crowd(&p, true);
}

/* ---- the server */

TEST(a_killed_server)
{
    queue_place p;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_submit_outcome outcome;
    assay_errinfo err = {0};
    assay_job_view v;
    char text[400];
    bool found;
    if (!postgres_begin(&p)) return;
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b");
    const assay_job_spec *one = &b;
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "a", token));
    postgres_kill();
    CHECK_STATUS(assay_queue_submit(q, &one, 1, &outcome, &err), ASSAY_EIO);
    CHECK(strstr(assay_errinfo_text(&err, text, sizeof text), "s3cret") == NULL && strlen(text) > 20);
    CHECK_EQ_U64(outcome, ASSAY_SUBMIT_FAILED);
    CHECK_STATUS(assay_queue_get(q, "a", &found, &v, NULL, NULL), ASSAY_EIO);
    assay_queue_quiet(q);
    REQUIRE(postgres_start());
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_COMPLETED)); /* all goes on, and a's holder still has it */
    CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(queue_view(q, "a").state, ASSAY_JOB_COMPLETED);
    queue_check_tally(&p, q);
    assay_queue_close(q);
}

/* Between two calls: neither of them fails. */
TEST(a_restarted_server)
{
    queue_place p;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_state before;
    size_t changed;
    bool ours = false;
    if (!postgres_begin(&p)) return;
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a"), b = queue_spec("b");
    for (int step = 0; step < 8; step++) {
        postgres_stop();
        REQUIRE(postgres_start());
        if (step == 0) CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
        if (step == 1) CHECK(queue_claim(q, "a", token));
        if (step == 2) CHECK(queue_beat(q, "a", token, NULL));
        if (step == 3) CHECK_OK(assay_queue_sweep(q, &changed, NULL));
        if (step == 4) CHECK_OK(assay_queue_release(q, "a", token, false, &ours, NULL));
        if (step == 5) CHECK_OK(assay_queue_cancel(q, "a", &before, NULL));
        if (step == 6) CHECK_EQ_U64(queue_counts(q).cancelled, 1);
        if (step == 7) CHECK_EQ_U64(queue_submit_one(q, &b), ASSAY_SUBMIT_NEW);
    }
    CHECK(ours && before == ASSAY_JOB_QUEUED);
    queue_check_tally(&p, q);
    assay_queue_close(q);
}

static bool readable(const assay_queue *q, int ms)
{
    struct pollfd f = {.fd = assay_queue_event_fd(q), .events = POLLIN};
    return poll(&f, 1, ms) == 1;
}

TEST(news)
{
    queue_place p;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    assay_job_state before;
    if (!postgres_begin(&p)) return;
    assay_queue *q = queue_open(&p), *other = queue_open(&p);
    REQUIRE(q != NULL && other != NULL);
    CHECK(assay_queue_shared(q));
    CHECK(!readable(other, 200));
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK(readable(other, 5000));
    assay_queue_quiet(other);
    CHECK(!readable(other, 200));
    CHECK(queue_claim(q, "a", token));
    CHECK(readable(other, 5000));
    assay_queue_quiet(other);
    CHECK(queue_beat(q, "a", token, NULL)); /* is none */
    CHECK(!readable(other, 200));
    CHECK_OK(assay_queue_cancel(q, "a", &before, NULL));
    CHECK(readable(other, 5000));
    assay_queue_quiet(other);

    /* Whoever was cut off is told that something may have happened, on the same descriptor. */
    const int fd = assay_queue_event_fd(other);
    postgres_stop();
    CHECK(readable(other, 5000));
    for (int i = 0; i < 5 && readable(other, 200); i++) assay_queue_quiet(other); /* its last words, then the end */
    CHECK(!readable(other, 200));
    REQUIRE(postgres_start());
    (void)queue_sweep(other);
    CHECK(readable(other, 5000) && assay_queue_event_fd(other) == fd);
    assay_queue_quiet(other);
    CHECK(!readable(other, 200));
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_CANCELLED));
    CHECK(readable(other, 5000));
    assay_queue_close(q);
    assay_queue_close(other);
}

/* A daemon that is stopped within a transaction: the server takes its locks away (here sooner than usually). */
TEST(a_daemon_stopped_in_a_transaction)
{
    queue_place p;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    if (!postgres_begin(&p)) return;
    assay_queue *q = queue_open(&p), *stuck = queue_open(&p);
    REQUIRE(q != NULL && stuck != NULL);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    assay_db *db = stuck->connections[0];
    int64_t usual = 0;
    CHECK_OK(db->driver->text(db,
                              "SELECT extract(epoch FROM "
                              "current_setting('idle_in_transaction_session_timeout')::interval)::bigint",
                              &usual, NULL));
    CHECK_EQ_U64(usual, 10);
    CHECK_OK(db->driver->text(db, "SET idle_in_transaction_session_timeout = '1s'", NULL, NULL));
    CHECK_OK(db->driver->begin(db, NULL));
    CHECK_OK(db->driver->text(db, "SELECT arrival FROM jobs WHERE id = 'a' FOR UPDATE", NULL, NULL));
    CHECK(queue_claim(q, "a", token)); /* after a second */
    CHECK(queue_finish(q, "a", token, ASSAY_JOB_COMPLETED));
    db->driver->rollback(db);
    CHECK_EQ_U64(queue_view(stuck, "a").state, ASSAY_JOB_COMPLETED);
    assay_queue_close(q);
    assay_queue_close(stuck);
}

/* What a server may refuse, played by a trigger: each is said in words, nothing of the batch is in, and afterwards all
 * goes on. */
TEST(refusals_of_the_server)
{
    static const struct {
        const char *state;
        assay_status status;
        const char *words;
    } cases[] = {{"53100", ASSAY_EIO, "could not extend: the server's disk is full"},
                 {"XX001", ASSAY_EFORMAT, "could not extend: this database is damaged"},
                 {"25006", ASSAY_EIO, "this server only answers, it takes nothing"},
                 {"42501", ASSAY_EIO, "the daemon's user may not do that"},
                 {"42P01", ASSAY_EFORMAT, "tables are not a queue's"},
                 {"22000", ASSAY_EIO, "the server refuses"},
                 {"40P01", ASSAY_OK, ""}, /* a deadlock: done again */
                 {"40001", ASSAY_OK, ""},
                 {"55P03", ASSAY_OK, ""}}; /* a lock that was waited for too long */
    queue_place p;
    if (!postgres_begin(&p)) return;
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[900], first[20], second[20];
        (void)snprintf(
            text, sizeof text,
            "DROP SEQUENCE IF EXISTS seen; CREATE SEQUENCE seen;"
            "GRANT ALL ON seen TO assay; CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql "
            "AS $f$ BEGIN IF nextval('assay.seen') = 2 THEN RAISE EXCEPTION USING ERRCODE = '%s', "
            "MESSAGE = 'could not extend'; END IF; RETURN NEW; END $f$;"
            "CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON inputs FOR EACH ROW EXECUTE FUNCTION refuse()",
            cases[i].state);
        REQUIRE(postgres_sql("assay", text) == 0);
        (void)snprintf(first, sizeof first, "first-%zu", i);
        (void)snprintf(second, sizeof second, "second-%zu", i);
        const assay_job_spec a = queue_spec(first), b = queue_spec(second);
        const assay_job_spec *const two[] = {&a, &b};
        assay_submit_outcome outcomes[2];
        assay_errinfo err = {0};
        CHECK_STATUS(assay_queue_submit(q, two, 2, outcomes, &err), cases[i].status);
        assay_errinfo_text(&err, text, sizeof text);
        if (cases[i].status != ASSAY_OK && !CHECK(strstr(text, cases[i].words) != NULL)) printf("  %s\n", text);
        const bool in = cases[i].status == ASSAY_OK;
        CHECK_EQ_U64(queue_view(q, first).state, in ? ASSAY_JOB_QUEUED : 0);
        CHECK_EQ_U64(queue_view(q, second).state, in ? ASSAY_JOB_QUEUED : 0);
        CHECK_EQ_U64(queue_submit_one(q, &a), in ? ASSAY_SUBMIT_EXISTED : ASSAY_SUBMIT_NEW);
        queue_check_tally(&p, q);
    }
    /* Should the server ever say the password, it is not passed on. */
    CHECK(postgres_sql("assay", "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN "
                                "RAISE EXCEPTION 'knows " POSTGRES_PASSWORD " and tells'; END $f$") == 0);
    const assay_job_spec a = queue_spec("last"), *one = &a;
    assay_submit_outcome outcome;
    assay_errinfo err = {0};
    CHECK_STATUS(assay_queue_submit(q, &one, 1, &outcome, &err), ASSAY_EIO);
    CHECK(strstr(err.subject, "knows **************** and tells") != NULL && strstr(err.subject, "s3cret") == NULL);
    assay_queue_close(q);
}
