/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: cases, and made-up machines on which hundreds of random jobs must come to their ends. */
#include "base/mem.h"
#include "engine/board.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

static const assay_board_limits plain = {.slots = 2, .provers = 1, .most = 8, .pipeline = true, .batch_size = 1};

static assay_board *board_new(const assay_board_limits *limits, uint64_t total)
{
    assay_board *b = assay_mem_alloc(1, sizeof *b);
    if (b) assay_board_init(b, limits, total, 0);
    return b;
}

/* Process 1, synthesis 4, ready 2, prove 3; a key of 10, 2 more while it is loaded. */
static void job_init(assay_board_job *j, const char *subject, unsigned priority, uint64_t arrival, uint32_t partitions)
{
    memset(j, 0, sizeof *j);
    j->priority = priority;
    j->arrival = arrival;
    (void)snprintf(j->entry.name, sizeof j->entry.name, "%s", subject);
    j->plan = (assay_job_plan){
        .key = 10, .load = 2, .process = 1, .synthesis = 4, .ready = 2, .prove = 3, .partitions = partitions};
}

static assay_move next(assay_board *b)
{
    return assay_board_next(b, NULL, 0, 1000);
}

TEST(a_partition_takes_its_key_and_its_memory_and_gives_back_what_it_needs_no_more)
{
    assay_board *b = board_new(&plain, 100);
    assay_board_job j;
    REQUIRE(b);
    job_init(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    assay_board_add(b, &j);
    assay_move m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD && m.key && m.job == &j);
    CHECK_EQ_U64(b->budget.used, 12 + 5);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_key_loaded(b, m.key, 9, 1001);
    CHECK_EQ_U64(b->budget.used, 9 + 5);
    CHECK_EQ_U64(m.key->references, 1);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_RUN && m.task == &j.tasks[0]);
    assay_board_task_ready(b, m.task);
    CHECK_EQ_U64(b->budget.used, 9 + 4);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_GO && m.task == &j.tasks[0]);
    CHECK_EQ_U64(b->budget.used, 9 + 4);
    assay_board_task_ended(b, m.task, 1002);
    CHECK(assay_board_job_over(&j));
    CHECK_EQ_U64(b->budget.used, 9);
    const assay_board_key *k = assay_board_key_find(b, ASSAY_JOB_GROTH16, "X");
    CHECK(k && k->references == 0 && k->last_used == 1002);
    assay_mem_free(b);
}

TEST(a_job_that_is_to_end_starts_nothing_more)
{
    assay_board *b = board_new(&plain, 1000);
    assay_board_job j;
    REQUIRE(b);
    job_init(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 4);
    j.plan.key = 0;
    assay_board_add(b, &j);
    CHECK(next(b).kind == ASSAY_MOVE_RUN && next(b).kind == ASSAY_MOVE_RUN);
    assay_board_task_ready(b, &j.tasks[1]);
    CHECK(assay_board_stop(b, &j)); /* the first synthesises, the second is ready: workers to be killed */
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ready(b, &j.tasks[0]);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    CHECK(!assay_board_job_over(&j));
    assay_board_task_ended(b, &j.tasks[0], 1);
    assay_board_task_ended(b, &j.tasks[1], 1);
    CHECK(assay_board_job_over(&j));
    CHECK_EQ_U64(b->budget.used, 0);
    assay_mem_free(b);
}

TEST(slots_and_provers_bound_the_workers)
{
    assay_board *b = board_new(&plain, 1000);
    assay_board_job j;
    REQUIRE(b);
    job_init(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 5);
    j.plan.key = 0;
    assay_board_add(b, &j);
    assay_move m[4];
    for (int i = 0; i < 2; i++) CHECK((m[i] = next(b)).kind == ASSAY_MOVE_RUN);
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* two slots */
    assay_board_task_ready(b, m[1].task);
    assay_board_task_ready(b, m[0].task);
    m[2] = next(b);
    CHECK(m[2].kind == ASSAY_MOVE_GO && m[2].task == m[0].task); /* the first partition first */
    m[3] = next(b);
    CHECK(m[3].kind == ASSAY_MOVE_RUN); /* its slot is free */
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, m[2].task, 1);
    m[2] = next(b);
    CHECK(m[2].kind == ASSAY_MOVE_GO && m[2].task == m[1].task);
    b->limits.most = 2;
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* two run */
    assay_board_task_ended(b, m[2].task, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_mem_free(b);
}

TEST(without_a_pipeline_one_partition_runs)
{
    assay_board_limits l = plain;
    l.pipeline = false;
    assay_board *b = board_new(&l, 1000);
    assay_board_job j;
    REQUIRE(b);
    job_init(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 2);
    j.plan.key = 0;
    assay_board_add(b, &j);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_proving(b, m.task);
    CHECK_EQ_U64(b->budget.used, 4);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, m.task, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_mem_free(b);
}

TEST(a_critical_job_overtakes_at_both_stages)
{
    assay_board_limits l = plain;
    l.slots = 3;
    assay_board *b = board_new(&l, 1000);
    assay_board_job low, critical;
    REQUIRE(b);
    job_init(&low, "X", ASSAY_PRIORITY_LOW, 1, 9);
    job_init(&critical, "X", ASSAY_PRIORITY_CRITICAL, 50, 2);
    low.plan.key = critical.plan.key = 0;
    assay_board_add(b, &low);
    for (int i = 0; i < 3; i++) CHECK(next(b).kind == ASSAY_MOVE_RUN);
    for (int i = 0; i < 3; i++) assay_board_task_ready(b, &low.tasks[i]);
    CHECK(next(b).task == &low.tasks[0]); /* proves */
    assay_board_add(b, &critical);
    assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.task == &critical.tasks[0]);
    assay_board_task_ready(b, m.task);
    assay_board_task_ended(b, &low.tasks[0], 1);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_GO && m.task == &critical.tasks[0]);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.task == &critical.tasks[1]);
    assay_mem_free(b);
}

TEST(the_best_waits_for_memory_and_nobody_overtakes_it)
{
    assay_board_limits l = plain;
    l.slots = 4;
    assay_board *b = board_new(&l, 20);
    assay_board_job one, large, small;
    REQUIRE(b);
    job_init(&one, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    job_init(&large, "Y", ASSAY_PRIORITY_NORMAL, 2, 1);
    job_init(&small, "Z", ASSAY_PRIORITY_NORMAL, 3, 1);
    one.plan.key = small.plan.key = 0;
    assay_board_add(b, &one);
    assay_board_add(b, &large);
    assay_board_add(b, &small);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_RUN && m.job == &one);
    CHECK(next(b).kind == ASSAY_MOVE_NONE); /* 5 of 20 taken, 17 wanted; 5 would do for small */
    assay_board_task_ended(b, m.task, 1);
    const assay_move n = next(b);
    CHECK(n.kind == ASSAY_MOVE_LOAD && n.job == &large);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_mem_free(b);
}

TEST(the_least_recently_used_key_leaves_when_that_helps)
{
    assay_board *b = board_new(&plain, 36);
    assay_board_job j[3];
    REQUIRE(b);
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('A' + i), 0};
        job_init(&j[i], name, ASSAY_PRIORITY_NORMAL, (uint64_t)i, 1);
        assay_board_add(b, &j[i]);
        assay_move m = next(b);
        if (i == 2) { /* 20 are held, 17 wanted of 16 */
            REQUIRE(m.kind == ASSAY_MOVE_EVICT);
            CHECK_EQ_STR(m.key->entry.name, "A");
            CHECK(next(b).kind == ASSAY_MOVE_NONE); /* until it is gone */
            assay_board_key_gone(b, m.key);
            m = next(b);
        }
        REQUIRE(m.kind == ASSAY_MOVE_LOAD);
        assay_board_key_loaded(b, m.key, 10, 10 + (uint64_t)i);
        m = next(b);
        assay_board_task_ready(b, m.task);
        (void)next(b);
        assay_board_task_ended(b, m.task, 20 + (uint64_t)i);
        assay_board_remove(b, &j[i]);
    }
    CHECK(!assay_board_key_find(b, ASSAY_JOB_GROTH16, "A"));
    CHECK(assay_board_key_find(b, ASSAY_JOB_GROTH16, "B") != NULL);
    assay_mem_free(b);
}

TEST(a_file_that_changed_is_loaded_anew_when_nobody_uses_the_old_key)
{
    assay_board *b = board_new(&plain, 1000);
    assay_board_job old, new;
    REQUIRE(b);
    job_init(&old, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    job_init(&new, "X", ASSAY_PRIORITY_NORMAL, 2, 1);
    new.entry.stamp.inode = 7;
    assay_board_add(b, &old);
    assay_move m = next(b);
    assay_board_key_loaded(b, m.key, 10, 1);
    CHECK(next(b).kind == ASSAY_MOVE_RUN);
    assay_board_add(b, &new);
    CHECK(next(b).kind == ASSAY_MOVE_NONE);
    assay_board_task_ended(b, &old.tasks[0], 2);
    m = next(b);
    REQUIRE(m.kind == ASSAY_MOVE_EVICT);
    assay_board_key_gone(b, m.key);
    m = next(b);
    CHECK(m.kind == ASSAY_MOVE_LOAD && m.key->entry.stamp.inode == 7);
    assay_mem_free(b);
}

TEST(preloads_leave_keys_that_were_used_lately)
{
    assay_board *b = board_new(&plain, 25);
    assay_board_job j;
    bool wait;
    assay_board_key *found;
    assay_subject_entry e = {.name = "P"};
    REQUIRE(b);
    assay_move m = assay_board_preload(b, &e, 10, 2, 100, 1000, &found, &wait);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1000, &found, &wait).kind == ASSAY_MOVE_NONE && found == m.key);
    assay_board_key_loaded(b, m.key, 20, 1000);
    (void)snprintf(e.name, sizeof e.name, "Q");
    m = assay_board_preload(b, &e, 10, 2, 100, 1050, &found, &wait);
    CHECK(m.kind == ASSAY_MOVE_NONE && !found && !wait);
    m = assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait);
    CHECK(m.kind == ASSAY_MOVE_EVICT);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_NONE && wait);
    (void)snprintf(e.name, sizeof e.name, "P"); /* the one that leaves is not there any more */
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_NONE && wait && !found);
    (void)snprintf(e.name, sizeof e.name, "Q");
    assay_board_key_gone(b, m.key);
    CHECK(assay_board_preload(b, &e, 10, 2, 100, 1100, &found, &wait).kind == ASSAY_MOVE_LOAD);
    job_init(&j, "Q", ASSAY_PRIORITY_NORMAL, 1, 1); /* a job takes a key that is being preloaded */
    assay_board_add(b, &j);
    CHECK(next(b).kind == ASSAY_MOVE_NONE && j.tasks[0].phase == ASSAY_TASK_LOADING);
    assay_mem_free(b);
}

TEST(what_never_fits_runs_alone)
{
    assay_board *b = board_new(&plain, 16);
    assay_board_job j;
    REQUIRE(b);
    job_init(&j, "X", ASSAY_PRIORITY_NORMAL, 1, 1);
    assay_board_add(b, &j);
    const assay_move m = next(b);
    CHECK(m.kind == ASSAY_MOVE_LOAD && m.forced);
    assay_mem_free(b);
}

TEST(heads_are_claimed_in_order_and_few_wait_unbegun)
{
    assay_board *b = board_new(&plain, 20);
    static assay_board_job j[12];
    assay_job_view heads[2] = {{.kind = ASSAY_JOB_GROTH16, .subject = "H", .priority = ASSAY_PRIORITY_NORMAL}};
    REQUIRE(b);
    job_init(&j[0], "X", ASSAY_PRIORITY_LOW, 1, 1);
    assay_board_add(b, &j[0]);
    assay_move m = assay_board_next(b, NULL, 0, 0);
    REQUIRE(m.kind == ASSAY_MOVE_LOAD); /* 17 of 20: nothing else fits */
    size_t held = 1;
    for (uint64_t d = 1000; d > 990; d--) { /* each is better than the one before */
        heads[0].deadline = d;
        m = assay_board_next(b, heads, 1, 0);
        if (m.kind == ASSAY_MOVE_GIVE_BACK) {
            CHECK_EQ_U64(m.job->deadline, d + ASSAY_BOARD_UNBEGUN); /* the worst that waits */
            assay_board_remove(b, m.job);
            m = assay_board_next(b, heads, 1, 0);
        }
        REQUIRE(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
        job_init(&j[held], "H", ASSAY_PRIORITY_NORMAL, 5, 1);
        j[held].deadline = d;
        assay_board_add(b, &j[held++]);
        CHECK(b->n_jobs <= 1 + ASSAY_BOARD_UNBEGUN);
    }
    heads[0].deadline = 991; /* no better than the best that waits, which came with the same time */
    heads[0].submitted = 5;
    CHECK(assay_board_next(b, heads, 1, 0).kind == ASSAY_MOVE_NONE);
    assay_mem_free(b);
}

TEST(batches_keep_jobs_of_a_circuit_together)
{
    assay_board_limits l = plain;
    l.batch_size = 3;
    l.batch_wait = 50;
    assay_board *b = board_new(&l, 1000);
    static assay_board_job j[4];
    assay_job_view h[5] = {{.subject = "Y"}, {.subject = "X"}, {.subject = "Y"}, {.subject = "Y"}, {.subject = "Y"}};
    REQUIRE(b);
    for (size_t i = 0; i < 5; i++) {
        h[i].priority = ASSAY_PRIORITY_NORMAL;
        h[i].submitted = 100 + i;
    }
    assay_move m = assay_board_next(b, h, 2, 110); /* one Y, one X: both wait for company */
    CHECK(m.kind == ASSAY_MOVE_NONE);
    CHECK_EQ_U64(assay_board_wake(b, h, 2, 110), 150);
    h[1].priority = ASSAY_PRIORITY_CRITICAL; /* does not wait */
    CHECK(assay_board_next(b, h, 2, 110).head == 1);
    h[1].priority = ASSAY_PRIORITY_NORMAL;
    m = assay_board_next(b, h, 5, 110); /* enough Y */
    REQUIRE(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
    job_init(&j[0], "Y", ASSAY_PRIORITY_NORMAL, 100, 1);
    j[0].plan.key = 0; /* streamed: no key tells that it goes on */
    assay_board_add(b, &j[0]);
    CHECK(assay_board_next(b, h + 1, 2, 110).kind == ASSAY_MOVE_RUN);
    m = assay_board_next(b, h + 1, 2, 110); /* X came first, but Y's batch has two to go */
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 1);
    b->limits.slots = 9;
    m = assay_board_next(b, h + 3, 2, 160);
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 0);
    const assay_job_view left[2] = {h[4], h[1]};
    m = assay_board_next(b, left, 2, 160); /* three went: order of arrival again */
    CHECK(m.kind == ASSAY_MOVE_CLAIM && m.head == 1);
    assay_mem_free(b);
}

/* ---- made-up machines */

enum { N = 300, SUBJECTS = 9, ROUNDS = 100000 };

typedef struct machine {
    assay_board *b;
    uint64_t now, total;
    assay_board_job jobs[N];
    assay_job_view heads[N];
    size_t n_heads, n_done, of_head[N]; /* the job of each head */
    unsigned starts[N][8], goes[N][8], ends[N][8];
    unsigned kills, lost;
} machine;

static size_t index_of(const machine *m, const assay_board_job *j)
{
    return (size_t)(j - m->jobs);
}

/* x goes before y by the rules, told independently of the board's code. */
static bool before(const assay_board_job *x, const assay_board_job *y)
{
    if (x->priority != y->priority) return x->priority > y->priority;
    const uint64_t dx = x->deadline ? x->deadline : UINT64_MAX, dy = y->deadline ? y->deadline : UINT64_MAX;
    return dx != dy ? dx < dy : x->arrival < y->arrival;
}

static void check_order(const machine *m, const assay_board_job *chosen, assay_task_phase phase)
{
    for (size_t i = 0; i < m->b->n_jobs; i++) {
        const assay_board_job *j = m->b->jobs[i];
        for (uint32_t k = 0; k < j->n_tasks; k++)
            if (j->tasks[k].phase == phase && !j->stopping) CHECK(!before(j, chosen));
    }
    if (phase == ASSAY_TASK_WAITING)
        for (size_t i = 0; i < m->n_heads; i++) CHECK(!before(&m->jobs[m->of_head[i]], chosen));
}

static void random_job(machine *m, size_t i)
{
    assay_board_job *j = &m->jobs[i];
    char name[2] = {(char)('A' + assay_test_random() % SUBJECTS), 0};
    job_init(j, name, 1 + (unsigned)(assay_test_random() % 4), 1000 + i, 1 + (uint32_t)(assay_test_random() % 8));
    if (assay_test_random() % 3 == 0) j->deadline = 1 + assay_test_random() % 5000;
    assay_job_plan *p = &j->plan;
    p->process = 1 + assay_test_random() % 10;
    p->synthesis = assay_test_random() % 40;
    p->ready = assay_test_random() % 40;
    p->prove = assay_test_random() % 40;
    p->key = (uint64_t)(name[0] - 'A') * 5; /* none for A */
    p->load = p->key / 4;
    if (assay_test_random() % 20 == 0) j->entry.stamp.inode = 1; /* another file of that name */
}

static void insert_head(machine *m, size_t i)
{
    size_t at = 0;
    while (at < m->n_heads && !before(&m->jobs[i], &m->jobs[m->of_head[at]])) at++;
    memmove(&m->heads[at + 1], &m->heads[at], (m->n_heads - at) * sizeof m->heads[0]);
    memmove(&m->of_head[at + 1], &m->of_head[at], (m->n_heads - at) * sizeof m->of_head[0]);
    m->n_heads++;
    m->of_head[at] = i;
    const assay_board_job *j = &m->jobs[i];
    assay_job_view *h = &m->heads[at];
    *h = (assay_job_view){.priority = j->priority, .deadline = j->deadline, .submitted = j->arrival};
    memcpy(h->subject, j->entry.name, sizeof h->subject);
}

static void take_head(machine *m, size_t at)
{
    const size_t i = m->of_head[at];
    assay_board_add(m->b, &m->jobs[i]);
    m->n_heads--;
    memmove(&m->heads[at], &m->heads[at + 1], (m->n_heads - at) * sizeof m->heads[0]);
    memmove(&m->of_head[at], &m->of_head[at + 1], (m->n_heads - at) * sizeof m->of_head[0]);
}

static bool some_key_came(const machine *m)
{
    for (size_t i = 0; i < m->b->n_jobs; i++)
        for (uint32_t k = 0; k < m->b->jobs[i]->n_tasks; k++) {
            const assay_board_task *t = &m->b->jobs[i]->tasks[k];
            if (t->phase == ASSAY_TASK_LOADING && t->key->state == ASSAY_KEY_RESIDENT) return true;
        }
    return false;
}

/* All moves that can be made now. */
static void make_moves(machine *m, bool ordered)
{
    for (int guard = 0;; guard++) {
        const bool had_key = some_key_came(m); /* then RUN is of a partition that was chosen earlier */
        const assay_move mv = assay_board_next(m->b, m->heads, m->n_heads, m->now);
        const assay_board_counts c = assay_board_count(m->b);
        REQUIRE(guard < 10000);
        for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++)
            CHECK(m->b->keys[i].state != ASSAY_KEY_LEAVING || m->b->keys[i].references == 0);
        CHECK(m->b->budget.used <= m->total);
        CHECK(c.slots <= m->b->limits.slots && c.provers <= m->b->limits.provers && c.active <= m->b->limits.most);
        if (mv.kind == ASSAY_MOVE_NONE) return;
        if (mv.kind == ASSAY_MOVE_CLAIM) {
            const assay_board_job *j = &m->jobs[m->of_head[mv.head]];
            if (ordered) check_order(m, j, ASSAY_TASK_WAITING);
            take_head(m, mv.head);
        } else if (mv.kind == ASSAY_MOVE_GIVE_BACK) {
            CHECK(!mv.job->begun);
            assay_board_remove(m->b, mv.job);
            insert_head(m, index_of(m, mv.job));
        } else if (mv.kind == ASSAY_MOVE_RUN || mv.kind == ASSAY_MOVE_LOAD) {
            CHECK(!mv.forced);
            if (ordered && !had_key) check_order(m, mv.job, ASSAY_TASK_WAITING);
            if (mv.kind == ASSAY_MOVE_RUN) m->starts[index_of(m, mv.job)][mv.task->partition]++;
        } else if (mv.kind == ASSAY_MOVE_GO) {
            if (ordered) check_order(m, mv.job, ASSAY_TASK_READY);
            m->goes[index_of(m, mv.job)][mv.task->partition]++;
        }
    }
}

static void over(machine *m, assay_board_job *j)
{
    if (!assay_board_job_over(j)) return;
    assay_board_remove(m->b, j);
    m->n_done++;
}

/* One thing that happens: a key is loaded or gone, a partition comes further. False: nothing is under way. */
static bool happen(machine *m)
{
    enum { MOST = ASSAY_BOARD_KEYS + ASSAY_BOARD_JOBS * 8 };
    assay_board_key *keys[ASSAY_BOARD_KEYS];
    assay_board_task *tasks[MOST];
    size_t n_keys = 0, n_tasks = 0;
    for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) {
        assay_board_key *k = &m->b->keys[i];
        if (k->state == ASSAY_KEY_LOADING || k->state == ASSAY_KEY_LEAVING) keys[n_keys++] = k;
    }
    for (size_t i = 0; i < m->b->n_jobs; i++)
        for (uint32_t k = 0; k < m->b->jobs[i]->n_tasks; k++) {
            assay_board_task *t = &m->b->jobs[i]->tasks[k];
            if (t->phase == ASSAY_TASK_SYNTHESIS || t->phase == ASSAY_TASK_PROVING) tasks[n_tasks++] = t;
        }
    if (n_keys + n_tasks == 0) return false;
    const size_t which = assay_test_random() % (n_keys + n_tasks);
    m->now += assay_test_random() % 20;
    if (which < n_keys) {
        assay_board_key *k = keys[which];
        if (k->state == ASSAY_KEY_LOADING)
            assay_board_key_loaded(m->b, k, k->held.bytes * 4 / 5, m->now);
        else
            assay_board_key_gone(m->b, k);
        return true;
    }
    assay_board_task *t = tasks[which - n_keys];
    if (t->phase == ASSAY_TASK_SYNTHESIS) {
        assay_board_task_ready(m->b, t);
        return true;
    }
    m->ends[index_of(m, t->job)][t->partition]++;
    assay_board_job *j = t->job;
    assay_board_task_ended(m->b, t, m->now);
    over(m, j);
    return true;
}

/* Somebody cancels: what runs is killed, one after the other. */
static void cancel_one(machine *m)
{
    if (m->b->n_jobs == 0) return;
    assay_board_job *j = m->b->jobs[assay_test_random() % m->b->n_jobs];
    if (assay_board_stop(m->b, j))
        for (uint32_t k = 0; k < j->n_tasks; k++) assay_board_task_ended(m->b, &j->tasks[k], m->now);
    m->kills++;
    CHECK(assay_board_job_over(j));
    over(m, j);
}

/* A key's process dies: its workers have ended, and their jobs go back to the queue. */
static void lose_a_key(machine *m)
{
    assay_board_key *k = &m->b->keys[assay_test_random() % SUBJECTS];
    if (k->state != ASSAY_KEY_RESIDENT) return;
    m->lost++;
    for (size_t i = 0; i < m->b->n_jobs;) {
        assay_board_job *j = m->b->jobs[i];
        bool cut = false;
        for (uint32_t n = 0; n < j->n_tasks; n++)
            cut = cut || (j->tasks[n].key == k && j->tasks[n].phase != ASSAY_TASK_LOADING);
        if (!cut) {
            i++;
            continue;
        }
        if (assay_board_stop(m->b, j))
            for (uint32_t n = 0; n < j->n_tasks; n++) assay_board_task_ended(m->b, &j->tasks[n], m->now);
        assay_board_remove(m->b, j);
        insert_head(m, index_of(m, j));
    }
    assay_board_key_gone(m->b, k);
}

static void run_machine(const assay_board_limits *limits, uint64_t total, bool troubles)
{
    machine *m = assay_mem_alloc(1, sizeof *m);
    REQUIRE(m);
    m->b = board_new(limits, total);
    m->total = total;
    m->now = 1000;
    size_t n = 0;
    for (size_t round = 0; n < N || m->n_done < N; round++) {
        if (!CHECK(round < ROUNDS)) break;
        if (n < N && assay_test_random() % 3 == 0) {
            random_job(m, n);
            insert_head(m, n++);
        }
        make_moves(m, limits->batch_size == 1);
        const bool some = happen(m);
        if (troubles && assay_test_random() % 40 == 0) cancel_one(m);
        if (troubles && assay_test_random() % 200 == 0) lose_a_key(m);
        /* Nothing under way and jobs there: they wait for company at most. */
        if (!some && n == N && m->n_done < N) {
            const uint64_t wake = assay_board_wake(m->b, m->heads, m->n_heads, m->now);
            if (m->b->n_jobs == 0 && wake != UINT64_MAX) m->now = wake;
            make_moves(m, limits->batch_size == 1);
            bool moving = m->n_done == N;
            for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++)
                moving = moving || m->b->keys[i].state == ASSAY_KEY_LOADING || m->b->keys[i].state == ASSAY_KEY_LEAVING;
            if (!CHECK(moving || assay_board_count(m->b).active > 0)) break;
        }
    }
    CHECK_EQ_U64(m->n_done, N);
    CHECK_EQ_U64(m->b->n_jobs + m->n_heads, 0);
    for (size_t i = 0; i < N && !troubles; i++)
        for (uint32_t k = 0; k < m->jobs[i].plan.partitions; k++)
            CHECK(m->starts[i][k] == 1 && m->goes[i][k] == 1 && m->ends[i][k] == 1);
    CHECK(!troubles || (m->kills && m->lost));
    uint64_t held = 0;
    for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) {
        held += m->b->keys[i].held.bytes;
        CHECK_EQ_U64(m->b->keys[i].references, 0);
    }
    CHECK_EQ_U64(m->b->budget.used, held);
    assay_mem_free(m->b);
    assay_mem_free(m);
}

TEST(random_jobs_end_in_order_and_within_the_budget)
{
    for (int i = 0; i < 12; i++) {
        const assay_board_limits l = {.slots = 1 + assay_test_random() % 6,
                                      .provers = 1 + assay_test_random() % 3,
                                      .most = 1 + assay_test_random() % 9,
                                      .pipeline = true,
                                      .batch_size = 1};
        run_machine(&l, 100 + assay_test_random() % 150, false); /* 100: key 40 + 10, worker 50 */
    }
}

TEST(random_jobs_end_despite_cancellation_and_lost_keys)
{
    for (int i = 0; i < 12; i++) {
        const assay_board_limits l = {.slots = 1 + assay_test_random() % 6,
                                      .provers = 1 + assay_test_random() % 3,
                                      .most = 12,
                                      .pipeline = true,
                                      .batch_size = 1 + assay_test_random() % 4,
                                      .batch_wait = 40};
        run_machine(&l, 100 + assay_test_random() % 150, true);
    }
}
