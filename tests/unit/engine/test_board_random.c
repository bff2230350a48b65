/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up machines, on which hundreds of random jobs must come to their ends: in order, within the budget, each once.
 */
#include "base/mem.h"
#include "board_fixture.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

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
    fixture_job(j, name, 1 + (unsigned)(assay_test_random() % 4), 1000 + i, 1 + (uint32_t)(assay_test_random() % 8));
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
    m->b = fixture_board(limits, total);
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
        if (troubles && assay_test_random() % 50 == 0) lose_a_key(m);
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
