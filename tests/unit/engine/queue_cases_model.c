/* SPDX-License-Identifier: Apache-2.0 */
/* Cases: thousands of random operations on a queue and on a plain model of it, compared; and many threads at once. */
#include "unit/engine/queue_cases.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 30, TOKENS = 3, STEPS = 4000, MAX_WAITING = 20, KEEP_SHORT = 40, LEASE_SHORT = 20 };

typedef struct model_job {
    bool there;
    unsigned digest; /* which of two inputs */
    assay_job_state state;
    unsigned priority, attempts;
    assay_job_kind kind;
    uint64_t deadline, arrival, submitted, started, ended, lease_until;
    bool cancel, token_fits; /* the newest token still stands in the row */
    const char *error;
    uint8_t result;
} model_job;

typedef struct model {
    queue_place *p;
    assay_queue *q;
    model_job jobs[JOBS];
    uint8_t tokens[JOBS][TOKENS][ASSAY_QUEUE_TOKEN]; /* newest first */
    uint64_t arrivals;
} model;

static uint64_t draw(uint64_t n)
{
    return (assay_test_random() >> 20) % n;
}

static const char *name_of(unsigned i)
{
    static char names[JOBS][16];
    (void)snprintf(names[i], sizeof names[i], "job-%u", i);
    return names[i];
}

static void model_end(const model *m, model_job *j, assay_job_state state, const char *error, bool by_holder)
{
    j->state = state;
    j->error = error;
    j->ended = m->p->now;
    j->token_fits = j->token_fits && by_holder;
}

static void model_back(const model *m, model_job *j, bool begun, bool by_holder)
{
    if (j->cancel) {
        model_end(m, j, ASSAY_JOB_CANCELLED, "cancelled", by_holder);
    } else if (begun && j->attempts >= QUEUE_ATTEMPTS) {
        model_end(m, j, ASSAY_JOB_FAILED, j->attempts == 3 ? "begun 3 times and never brought to an end" : "cannot be",
                  by_holder);
    } else {
        j->state = ASSAY_JOB_QUEUED;
        j->attempts -= begun ? 0 : 1;
        j->token_fits = j->token_fits && by_holder;
    }
}

static unsigned model_waiting(const model *m)
{
    unsigned n = 0;
    for (unsigned i = 0; i < JOBS; i++) n += m->jobs[i].there && m->jobs[i].state == ASSAY_JOB_QUEUED;
    return n;
}

static bool model_before(const model_job *a, const model_job *b)
{
    const uint64_t x = a->deadline ? a->deadline : UINT64_MAX, y = b->deadline ? b->deadline : UINT64_MAX;
    if (a->priority != b->priority) return a->priority > b->priority;
    return x != y ? x < y : a->arrival < b->arrival;
}

static unsigned model_position(const model *m, unsigned i)
{
    unsigned n = 0;
    for (unsigned k = 0; k < JOBS; k++)
        n += m->jobs[k].there && m->jobs[k].state == ASSAY_JOB_QUEUED && model_before(&m->jobs[k], &m->jobs[i]);
    return n;
}

/* ---- one step each, on both */

static void step_submit(model *m)
{
    static const assay_blob inputs[2] = {{(const uint8_t *)"one", 3}, {(const uint8_t *)"two", 3}};
    enum { MOST = 4 };
    assay_job_spec specs[MOST];
    const assay_job_spec *pointers[MOST];
    assay_submit_outcome outcomes[MOST], want[MOST];
    const size_t n = 1 + draw(MOST);
    for (size_t k = 0; k < n; k++) {
        const unsigned i = (unsigned)draw(JOBS), digest = draw(8) == 0;
        model_job *j = &m->jobs[i];
        specs[k] = queue_spec(name_of(i));
        specs[k].priority = 1 + (unsigned)draw(4);
        specs[k].deadline = draw(3) ? 0 : m->p->now + 1 + draw(60);
        specs[k].inputs = &inputs[digest];
        specs[k].n_inputs = 1;
        specs[k].kind = (assay_job_kind)(i % ASSAY_JOB_KINDS);
        pointers[k] = &specs[k];
        const bool anew = j->there && j->digest == digest && j->state > ASSAY_JOB_COMPLETED;
        if (j->there && !anew) {
            want[k] = j->digest == digest ? ASSAY_SUBMIT_EXISTED : ASSAY_SUBMIT_CONFLICT;
        } else if (model_waiting(m) >= MAX_WAITING) {
            want[k] = ASSAY_SUBMIT_FULL;
        } else {
            want[k] = ASSAY_SUBMIT_NEW;
            memset(j, 0, sizeof *j);
            j->there = true;
            j->digest = digest;
            j->state = ASSAY_JOB_QUEUED;
            j->priority = specs[k].priority;
            j->kind = specs[k].kind;
            j->deadline = specs[k].deadline;
            j->arrival = m->arrivals++;
            j->submitted = m->p->now;
            j->error = "";
        }
    }
    CHECK_OK(assay_queue_submit(m->q, pointers, n, outcomes, NULL));
    for (size_t k = 0; k < n; k++) CHECK_EQ_U64(outcomes[k], want[k]);
}

static void step_claim(model *m)
{
    const unsigned i = (unsigned)draw(JOBS);
    model_job *j = &m->jobs[i];
    uint8_t token[ASSAY_QUEUE_TOKEN];
    const bool want = j->there && j->state == ASSAY_JOB_QUEUED;
    CHECK_EQ_U64(queue_claim(m->q, name_of(i), token), want);
    if (!want) return;
    memmove(m->tokens[i][1], m->tokens[i][0], (TOKENS - 1) * ASSAY_QUEUE_TOKEN);
    memcpy(m->tokens[i][0], token, ASSAY_QUEUE_TOKEN);
    j->state = ASSAY_JOB_RUNNING;
    j->attempts++;
    j->started = m->p->now;
    j->lease_until = m->p->now + LEASE_SHORT;
    j->token_fits = true;
}

/* With the newest token mostly, else with an old one. */
static void step_end(model *m, unsigned what)
{
    const unsigned i = (unsigned)draw(JOBS);
    const size_t t = draw(4) ? 0 : draw(TOKENS);
    model_job *j = &m->jobs[i];
    const uint8_t *token = m->tokens[i][t];
    const bool fits = j->there && j->token_fits && t == 0, holds = fits && j->state == ASSAY_JOB_RUNNING;
    bool ours = false;
    if (what == 0) {
        bool cancelled = false;
        CHECK_EQ_U64(queue_beat(m->q, name_of(i), token, &cancelled), holds);
        CHECK_EQ_U64(cancelled, holds && j->cancel);
        if (holds) j->lease_until = m->p->now + LEASE_SHORT;
    } else if (what == 1) {
        const bool begun = draw(2) != 0;
        CHECK_OK(assay_queue_release(m->q, name_of(i), token, begun, &ours, NULL));
        CHECK_EQ_U64(ours, fits);
        if (holds) model_back(m, j, begun, true);
    } else {
        const assay_job_state state = (assay_job_state)(ASSAY_JOB_COMPLETED + draw(3));
        const uint8_t byte = (uint8_t)draw(256);
        const assay_blob result = {&byte, 1};
        CHECK_OK(assay_queue_finish(m->q, name_of(i), token, state, &result, "a reason", NULL, &ours, NULL));
        CHECK_EQ_U64(ours, holds || (fits && j->state == state));
        if (holds) {
            model_end(m, j, state, state == ASSAY_JOB_COMPLETED ? "" : "a reason", true);
            j->result = byte;
        }
    }
}

static void step_cancel(model *m)
{
    const unsigned i = (unsigned)draw(JOBS);
    model_job *j = &m->jobs[i];
    assay_job_state before;
    CHECK_OK(assay_queue_cancel(m->q, name_of(i), &before, NULL));
    CHECK_EQ_U64(before, j->there ? j->state : 0);
    if (j->there && j->state == ASSAY_JOB_QUEUED) model_end(m, j, ASSAY_JOB_CANCELLED, "cancelled", false);
    if (j->there && j->state == ASSAY_JOB_RUNNING) j->cancel = true;
}

static void step_sweep(model *m)
{
    size_t want = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        model_job *j = &m->jobs[i];
        if (j->there && j->state == ASSAY_JOB_RUNNING && j->lease_until <= m->p->now) {
            want++;
            model_back(m, j, true, false);
        }
        if (j->there && j->state == ASSAY_JOB_QUEUED && j->deadline && j->deadline <= m->p->now) {
            want++;
            model_end(m, j, ASSAY_JOB_FAILED, "its deadline passed while it waited", false);
        }
        if (j->there && assay_job_ended(j->state) && j->ended + KEEP_SHORT <= m->p->now) {
            want++;
            j->there = false;
        }
    }
    CHECK_EQ_U64(queue_sweep(m->q), want);
}

static assay_queue *model_open(queue_place *p)
{
    assay_queue_options o = queue_options(p);
    o.lease = LEASE_SHORT;
    o.keep = KEEP_SHORT;
    o.max_jobs = MAX_WAITING;
    return queue_open_with(p, &o);
}

static void step_open_again(model *m)
{
    assay_queue_close(m->q);
    m->q = model_open(m->p);
    for (unsigned i = 0; i < JOBS && !m->p->shared; i++)
        if (m->jobs[i].there && m->jobs[i].state == ASSAY_JOB_RUNNING) model_back(m, &m->jobs[i], true, false);
}

/* ---- comparing */

static void compare_job(const model *m, unsigned i)
{
    const model_job *j = &m->jobs[i];
    assay_job_view v;
    assay_buffer result;
    bool found = false;
    CHECK_OK(assay_queue_get(m->q, name_of(i), &found, &v, &result, NULL));
    if (!CHECK(found == j->there) || !found) return;
    CHECK_EQ_U64(v.state, j->state);
    CHECK_EQ_U64(v.kind, j->kind);
    CHECK_EQ_U64(v.priority, j->priority);
    CHECK_EQ_U64(v.attempts, j->attempts);
    CHECK_EQ_U64(v.deadline, j->deadline);
    CHECK_EQ_U64(v.submitted, j->submitted);
    CHECK_EQ_U64(v.started, j->started);
    CHECK_EQ_U64(v.ended, j->ended);
    CHECK_EQ_STR(v.error, j->error);
    if (j->state == ASSAY_JOB_QUEUED) CHECK_EQ_U64(v.queue_position, model_position(m, i));
    CHECK_EQ_U64(result.n, j->state == ASSAY_JOB_COMPLETED);
    if (result.n == 1) CHECK_EQ_U64(result.p[0], j->result);
    assay_buffer_free(&result);
}

static void compare_all(const model *m)
{
    assay_job_view heads[JOBS];
    size_t n = 0;
    for (unsigned i = 0; i < JOBS; i++) compare_job(m, i);
    CHECK_OK(assay_queue_heads(m->q, heads, JOBS, &n, NULL));
    CHECK_EQ_U64(n, model_waiting(m));
    for (size_t k = 0; k < n; k++)
        for (unsigned i = 0; i < JOBS; i++)
            if (strcmp(heads[k].id, name_of(i)) == 0) CHECK_EQ_U64(model_position(m, i), k);
    queue_check_tally(m->p, m->q);
}

void queue_case_model(queue_place *p)
{
    static model m;
    memset(&m, 0, sizeof m);
    m.p = p;
    m.q = model_open(p);
    unsigned seen[6] = {0};
    for (unsigned step = 0; step < STEPS && m.q; step++) {
        const uint64_t what = draw(100);
        if (what < 20)
            step_submit(&m);
        else if (what < 45)
            step_claim(&m);
        else if (what < 70)
            step_end(&m, (unsigned)draw(3));
        else if (what < 76)
            step_cancel(&m);
        else if (what < 85)
            step_sweep(&m);
        else if (what < 93)
            queue_pass(p, 1 + draw(8));
        else if (what < 94)
            step_open_again(&m);
        else
            compare_job(&m, (unsigned)draw(JOBS));
        if (step % 100 == 0) compare_all(&m);
        for (unsigned i = 0; i < JOBS; i++) seen[m.jobs[i].there ? m.jobs[i].state : 0]++;
    }
    REQUIRE(m.q != NULL);
    compare_all(&m);
    for (int i = 0; i < 6; i++) CHECK(seen[i] > STEPS / 20); /* every state was common */
    assay_queue_close(m.q);
}

/* ---- threads: two submit, three work, one sweeps, one looks. Each job is worked once. */

enum { SUBMITTERS = 2, WORKERS = 3, EACH = 60 };

typedef struct crowd {
    assay_queue *q;
    _Atomic unsigned submitted, ended, bad;
    _Atomic unsigned times[SUBMITTERS * EACH];
} crowd;

typedef struct member {
    crowd *c;
    unsigned number;
} member;

static void *submitter(void *arg)
{
    const member *a = arg;
    for (unsigned i = 0; i < EACH; i++) {
        char id[20];
        assay_submit_outcome outcome;
        (void)snprintf(id, sizeof id, "%u", a->number * EACH + i);
        const assay_job_spec s = queue_spec(id);
        const assay_job_spec *one = &s;
        if (assay_queue_submit(a->c->q, &one, 1, &outcome, NULL) != ASSAY_OK || outcome != ASSAY_SUBMIT_NEW)
            atomic_fetch_add(&a->c->bad, 1);
        atomic_fetch_add(&a->c->submitted, 1);
    }
    return NULL;
}

static void work_one(crowd *c, const assay_job_view *v)
{
    static const assay_blob proof = {(const uint8_t *)"p", 1};
    assay_queue_lease l = {.lost = false};
    assay_buffer inputs;
    bool claimed = false, ours = false;
    if (assay_queue_claim(c->q, v->id, &claimed, l.token, &inputs, NULL) != ASSAY_OK) atomic_fetch_add(&c->bad, 1);
    if (!claimed) return;
    assay_buffer_free(&inputs);
    memcpy(l.id, v->id, sizeof l.id);
    if (assay_queue_heartbeat(c->q, &l, 1, NULL) != ASSAY_OK || l.lost) atomic_fetch_add(&c->bad, 1);
    if (assay_queue_finish(c->q, v->id, l.token, ASSAY_JOB_COMPLETED, &proof, NULL, NULL, &ours, NULL) != ASSAY_OK ||
        !ours)
        atomic_fetch_add(&c->bad, 1);
    unsigned number = 0;
    for (const char *d = v->id; *d; d++) number = 10 * number + (unsigned)(*d - '0');
    if (number >= SUBMITTERS * EACH)
        atomic_fetch_add(&c->bad, 1);
    else
        atomic_fetch_add(&c->times[number], 1);
    atomic_fetch_add(&c->ended, 1);
}

static void *worker(void *arg)
{
    const member *a = arg;
    crowd *c = a->c;
    assay_job_view heads[4];
    while (atomic_load(&c->ended) < SUBMITTERS * EACH && atomic_load(&c->bad) == 0) {
        size_t n = 0;
        if (assay_queue_heads(c->q, heads, 4, &n, NULL) != ASSAY_OK) atomic_fetch_add(&c->bad, 1);
        for (size_t i = 0; i < n; i++) work_one(c, &heads[i]);
    }
    return NULL;
}

static void *looker(void *arg)
{
    const member *a = arg;
    crowd *c = a->c;
    while (atomic_load(&c->ended) < SUBMITTERS * EACH && atomic_load(&c->bad) == 0) {
        assay_queue_counts n;
        assay_job_view v[8];
        size_t changed = 0;
        bool good = assay_queue_count(c->q, &n, NULL) == ASSAY_OK &&
                    n.waiting[0] + n.running[0] + n.completed <= SUBMITTERS * EACH &&
                    assay_queue_recent(c->q, v, 8, &changed, NULL) == ASSAY_OK;
        if (good && a->number == 0) good = assay_queue_sweep(c->q, &changed, NULL) == ASSAY_OK && changed == 0;
        assay_queue_quiet(c->q);
        if (!good) atomic_fetch_add(&c->bad, 1);
    }
    return NULL;
}

void queue_case_threads(queue_place *p)
{
    enum { ALL = SUBMITTERS + WORKERS + 2 };
    static crowd c;
    pthread_t threads[ALL];
    member members[ALL];
    memset(&c, 0, sizeof c);
    c.q = queue_open(p);
    REQUIRE(c.q != NULL);
    for (unsigned i = 0; i < ALL; i++) {
        void *(*run)(void *) = i < SUBMITTERS ? submitter : i < SUBMITTERS + WORKERS ? worker : looker;
        members[i].c = &c;
        members[i].number = i < SUBMITTERS ? i : i - SUBMITTERS - WORKERS;
        REQUIRE(pthread_create(&threads[i], NULL, run, &members[i]) == 0);
    }
    for (unsigned i = 0; i < ALL; i++) (void)pthread_join(threads[i], NULL);
    CHECK_EQ_U64(c.bad, 0);
    for (unsigned i = 0; i < SUBMITTERS * EACH; i++) CHECK_EQ_U64(c.times[i], 1);
    CHECK_EQ_U64(queue_counts(c.q).completed, SUBMITTERS * EACH);
    queue_check_tally(p, c.q);
    assay_queue_close(c.q);
}
