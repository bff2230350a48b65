/* SPDX-License-Identifier: Apache-2.0 */
/* Who is next, and whether there is room. */
#include "engine/board.h"
#include "base/status.h"
#include <string.h>

void assay_board_init(assay_board *b, const assay_board_limits *limits, uint64_t total, uint64_t daemon)
{
    memset(b, 0, sizeof *b);
    b->limits = *limits;
    b->budget.total = total;
    assay_budget_force(&b->budget, &b->daemon, daemon);
}

/* ---- order */

/* What decides: less is better, from the first number on. */
typedef struct rank {
    uint64_t at[4];
} rank;

static rank rank_of(unsigned priority, bool batched, uint64_t deadline, uint64_t arrival)
{
    return (rank){{UINT64_MAX - priority, batched ? 0 : 1, deadline ? deadline : UINT64_MAX, arrival}};
}

static int compare(const rank *x, const rank *y)
{
    for (size_t i = 0; i < sizeof x->at / sizeof x->at[0]; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

static rank job_rank(const assay_board *b, const assay_board_job *j)
{
    const bool batched = b->limits.batch_size > 1 && j->batch == b->batch.number;
    return rank_of(j->priority, batched, j->deadline, j->arrival);
}

static bool job_before(const assay_board *b, const assay_board_job *x, const assay_board_job *y)
{
    const rank rx = job_rank(b, x), ry = job_rank(b, y);
    const int c = compare(&rx, &ry);
    return c < 0 || (c == 0 && x->number < y->number);
}

static bool of_batch(const assay_board *b, assay_job_kind kind, const char *subject, unsigned priority)
{
    return b->batch.number && b->batch.left && b->batch.kind == kind && b->batch.priority == priority &&
           strcmp(b->batch.subject, subject) == 0;
}

static rank head_rank(const assay_board *b, const assay_job_view *h)
{
    const bool batched = b->limits.batch_size > 1 && of_batch(b, h->kind, h->subject, h->priority);
    return rank_of(h->priority, batched, h->deadline, h->submitted);
}

/* ---- company */

/* Until when a head waits for company; 0: it does not. */
static uint64_t waits_until(const assay_board *b, const assay_job_view *heads, size_t n, size_t i)
{
    const assay_job_view *h = &heads[i];
    if (b->limits.batch_size <= 1 || h->priority >= ASSAY_PRIORITY_CRITICAL) return 0;
    if (of_batch(b, h->kind, h->subject, h->priority)) return 0;
    for (size_t k = 0; k < ASSAY_BOARD_KEYS; k++) {
        const assay_board_key *key = &b->keys[k];
        if (key->entry.kind == h->kind && (key->state == ASSAY_KEY_RESIDENT || key->state == ASSAY_KEY_LOADING) &&
            strcmp(key->entry.name, h->subject) == 0)
            return 0;
    }
    uint64_t company = 0, first = h->submitted;
    for (size_t k = 0; k < n; k++) {
        if (heads[k].kind != h->kind || heads[k].priority != h->priority || strcmp(heads[k].subject, h->subject) != 0)
            continue;
        if (heads[k].submitted < first) first = heads[k].submitted;
        company++;
    }
    if (company >= b->limits.batch_size) return 0;
    return first > UINT64_MAX - b->limits.batch_wait ? UINT64_MAX : first + b->limits.batch_wait;
}

/* Nobody waits for longer than that twice: not when the clock was set back by a day either. */
static bool waits(const assay_board *b, uint64_t until, uint64_t now)
{
    return until > now && until - now <= 2 * b->limits.batch_wait;
}

uint64_t assay_board_wake(const assay_board *b, const assay_job_view *heads, size_t n_heads, uint64_t now)
{
    uint64_t wake = UINT64_MAX;
    for (size_t i = 0; i < n_heads; i++) {
        const uint64_t until = waits_until(b, heads, n_heads, i);
        if (waits(b, until, now) && until < wake) wake = until;
    }
    return wake;
}

static size_t best_head(const assay_board *b, const assay_job_view *heads, size_t n, uint64_t now)
{
    size_t best = n;
    rank best_rank = {{0}};
    for (size_t i = 0; i < n; i++) {
        const rank r = head_rank(b, &heads[i]);
        if (best < n && compare(&r, &best_rank) >= 0) continue;
        if (waits(b, waits_until(b, heads, n, i), now)) continue;
        best = i;
        best_rank = r;
    }
    return best;
}

/* ---- what is there */

assay_board_counts assay_board_count(const assay_board *b)
{
    assay_board_counts c = {0, 0, 0};
    for (size_t i = 0; i < b->n_jobs; i++)
        for (uint32_t k = 0; k < b->jobs[i]->n_tasks; k++) {
            const assay_task_phase p = b->jobs[i]->tasks[k].phase;
            c.active += p != ASSAY_TASK_WAITING && p != ASSAY_TASK_ENDED;
            c.slots += p == ASSAY_TASK_LOADING || p == ASSAY_TASK_SYNTHESIS || p == ASSAY_TASK_READY;
            c.provers += p == ASSAY_TASK_PROVING;
        }
    return c;
}

/* The best job's first partition in a phase (of those whose key is there, if that is asked for). */
static assay_board_task *best_task(const assay_board *b, assay_task_phase phase, bool with_key)
{
    assay_board_task *best = NULL;
    for (size_t i = 0; i < b->n_jobs; i++) {
        assay_board_job *j = b->jobs[i];
        if (j->stopping || (best && !job_before(b, j, best->job))) continue;
        for (uint32_t k = 0; k < j->n_tasks; k++) {
            assay_board_task *t = &j->tasks[k];
            if (t->phase != phase || (with_key && t->key->state != ASSAY_KEY_RESIDENT)) continue;
            best = t;
            break;
        }
    }
    return best;
}

static uint64_t max3(uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t m = x > y ? x : y;
    return m > z ? m : z;
}

/* ---- moves */

static bool slot_is_free(const assay_board *b)
{
    const assay_board_counts c = assay_board_count(b);
    if (!b->limits.pipeline) return c.active == 0;
    return c.slots < b->limits.slots && c.active < b->limits.most;
}

/* Reserves and starts the partition: with its key if that is there, to wait for it if it is not yet. */
static assay_move start(assay_board *b, assay_board_task *t, assay_board_key *key, uint64_t key_bytes, bool forced,
                        uint64_t now)
{
    const assay_job_plan *p = &t->job->plan;
    const uint64_t bytes = p->process + max3(p->synthesis, p->ready, p->prove);
    const bool load = key && key->state == ASSAY_KEY_ABSENT;
    if (load) {
        *key = (assay_board_key){.entry = t->job->entry, .state = ASSAY_KEY_LOADING};
        assay_budget_force(&b->budget, &key->held, key_bytes);
    }
    assay_budget_force(&b->budget, &t->held, bytes); /* room was made, or nothing runs */
    if (!t->job->begun) assay_budget_force(&b->budget, &t->job->inputs, t->job->input_bytes);
    t->job->begun = true;
    t->key = key;
    if (key) {
        key->references++;
        key->last_used = now;
    }
    const bool waits = key && key->state != ASSAY_KEY_RESIDENT;
    t->phase = waits ? ASSAY_TASK_LOADING : ASSAY_TASK_SYNTHESIS;
    if (waits && !load) return (assay_move){.kind = ASSAY_MOVE_NONE, .task = t};
    return (assay_move){
        .kind = load ? ASSAY_MOVE_LOAD : ASSAY_MOVE_RUN, .job = t->job, .task = t, .key = key, .forced = forced};
}

/* The best waiting partition's start, or what makes room for it. A move NONE with a task: go on asking. */
static assay_move try_start(assay_board *b, assay_board_task *t, uint64_t now)
{
    const assay_job_plan *p = &t->job->plan;
    assay_move m = {0};
    assay_board_key *key = NULL, *evict = NULL;
    uint64_t key_bytes = 0;
    if (p->key) {
        key = assay_board_key_find(b, t->job->entry.kind, t->job->entry.name);
        if (key && key->state == ASSAY_KEY_LEAVING) return m;
        if (key && !assay_stamp_equal(&key->entry.stamp, &t->job->entry.stamp)) {
            if (key->state != ASSAY_KEY_RESIDENT || key->references) return m; /* another file's: it must go first */
            key->state = ASSAY_KEY_LEAVING;
            return (assay_move){.kind = ASSAY_MOVE_EVICT, .key = key};
        }
        for (size_t i = 0; i < ASSAY_BOARD_KEYS && !key; i++)
            if (b->keys[i].state == ASSAY_KEY_ABSENT) key = &b->keys[i];
        if (!key || key->state == ASSAY_KEY_ABSENT) key_bytes = p->key + p->load;
    }
    const uint64_t inputs = t->job->begun ? 0 : t->job->input_bytes;
    const uint64_t need = key_bytes + inputs + p->process + max3(p->synthesis, p->ready, p->prove);
    /* A full table of keys is a want of room too: with need beyond all that is free, the oldest leaves. */
    const assay_room room = assay_board_room(b, p->key && !key ? UINT64_MAX : need, key, 0, now, &evict);
    if (room == ASSAY_ROOM_MADE) return start(b, t, key, key_bytes, false, now);
    if (room == ASSAY_ROOM_LATER) return m;
    if (evict) {
        evict->state = ASSAY_KEY_LEAVING;
        return (assay_move){.kind = ASSAY_MOVE_EVICT, .key = evict};
    }
    return p->key && !key ? m : start(b, t, key, key_bytes, true, now);
}

/* The job that goes back to the queue, so that what came before it finds a place; NULL: none can. */
static assay_board_job *worst_unbegun(const assay_board *b, size_t *n_unbegun)
{
    assay_board_job *worst = NULL;
    *n_unbegun = 0;
    for (size_t i = 0; i < b->n_jobs; i++) {
        assay_board_job *j = b->jobs[i];
        if (j->begun || j->stopping) continue;
        (*n_unbegun)++;
        if (!worst || job_before(b, worst, j)) worst = j;
    }
    return worst;
}

static void count_batch(assay_board *b, const assay_job_view *h)
{
    if (of_batch(b, h->kind, h->subject, h->priority)) {
        b->batch.left--;
        return;
    }
    b->batch.kind = h->kind;
    memcpy(b->batch.subject, h->subject, sizeof b->batch.subject);
    b->batch.priority = h->priority;
    b->batch.left = b->limits.batch_size - 1;
    b->batch.number++;
}

static assay_move take_head(assay_board *b, const assay_job_view *heads, size_t head)
{
    size_t unbegun;
    assay_board_job *worst = worst_unbegun(b, &unbegun);
    if (worst && (unbegun >= ASSAY_BOARD_UNBEGUN || b->n_jobs == ASSAY_BOARD_JOBS))
        return (assay_move){.kind = ASSAY_MOVE_GIVE_BACK, .job = worst};
    if (b->n_jobs == ASSAY_BOARD_JOBS) return (assay_move){0};
    count_batch(b, &heads[head]);
    return (assay_move){.kind = ASSAY_MOVE_CLAIM, .head = head};
}

assay_move assay_board_next(assay_board *b, const assay_job_view *heads, size_t n_heads, uint64_t now)
{
    assay_board_task *t = best_task(b, ASSAY_TASK_READY, false);
    if (t && assay_board_count(b).provers < b->limits.provers) {
        assay_board_task_proving(b, t);
        return (assay_move){.kind = ASSAY_MOVE_GO, .job = t->job, .task = t};
    }
    t = best_task(b, ASSAY_TASK_LOADING, true);
    if (t) {
        t->phase = ASSAY_TASK_SYNTHESIS;
        return (assay_move){.kind = ASSAY_MOVE_RUN, .job = t->job, .task = t, .key = t->key};
    }
    while (slot_is_free(b)) {
        t = best_task(b, ASSAY_TASK_WAITING, false);
        const size_t head = best_head(b, heads, n_heads, now);
        if (head < n_heads) {
            const rank rh = head_rank(b, &heads[head]), rt = t ? job_rank(b, t->job) : rh;
            if (!t || compare(&rh, &rt) < 0) {
                const assay_move m = take_head(b, heads, head);
                if (m.kind != ASSAY_MOVE_NONE || !t) return m;
            }
        }
        if (!t) break;
        const assay_move m = try_start(b, t, now);
        if (m.kind != ASSAY_MOVE_NONE || !m.task) return m;
    }
    return (assay_move){0};
}

/* ---- what came of them */

void assay_board_add(assay_board *b, assay_board_job *job)
{
    job->n_tasks = job->plan.partitions;
    for (uint32_t i = 0; i < job->n_tasks; i++) job->tasks[i] = (assay_board_task){.job = job, .partition = i};
    job->begun = job->stopping = false;
    job->inputs = (assay_reservation){0};
    job->batch = b->batch.number;
    job->number = ++b->numbers;
    b->jobs[b->n_jobs++] = job;
}

void assay_board_inputs_gone(assay_board *b, assay_board_job *job)
{
    (void)assay_budget_set(&b->budget, &job->inputs, 0);
}

void assay_board_remove(assay_board *b, assay_board_job *job)
{
    assay_board_inputs_gone(b, job);
    for (size_t i = 0; i < b->n_jobs; i++) {
        if (b->jobs[i] != job) continue;
        memmove(&b->jobs[i], &b->jobs[i + 1], (b->n_jobs - i - 1) * sizeof b->jobs[0]);
        b->n_jobs--;
        return;
    }
}

bool assay_board_job_over(const assay_board_job *job)
{
    for (uint32_t i = 0; i < job->n_tasks; i++)
        if (job->tasks[i].phase != ASSAY_TASK_ENDED) return false;
    return true;
}

bool assay_board_stop(assay_board *b, assay_board_job *job)
{
    bool runs = false;
    job->stopping = true;
    for (uint32_t i = 0; i < job->n_tasks; i++) {
        assay_board_task *t = &job->tasks[i];
        if (t->phase == ASSAY_TASK_WAITING || t->phase == ASSAY_TASK_LOADING)
            assay_board_task_ended(b, t, t->key ? t->key->last_used : 0);
        runs = runs || t->phase != ASSAY_TASK_ENDED;
    }
    return runs;
}

void assay_board_task_ready(assay_board *b, assay_board_task *t)
{
    const assay_job_plan *p = &t->job->plan;
    if (t->phase != ASSAY_TASK_SYNTHESIS) return;
    t->phase = ASSAY_TASK_READY;
    (void)assay_budget_set(&b->budget, &t->held, p->process + (p->ready > p->prove ? p->ready : p->prove));
}

void assay_board_task_proving(assay_board *b, assay_board_task *t)
{
    if (t->phase != ASSAY_TASK_SYNTHESIS && t->phase != ASSAY_TASK_READY) return;
    t->phase = ASSAY_TASK_PROVING;
    (void)assay_budget_set(&b->budget, &t->held, t->job->plan.process + t->job->plan.prove);
}

void assay_board_task_ended(assay_board *b, assay_board_task *t, uint64_t now)
{
    if (t->phase == ASSAY_TASK_ENDED) return;
    t->phase = ASSAY_TASK_ENDED;
    (void)assay_budget_set(&b->budget, &t->held, 0);
    if (!t->key) return;
    t->key->references--;
    if (now > t->key->last_used) t->key->last_used = now;
    t->key = NULL;
}

void assay_board_task_back(assay_board *b, assay_board_task *t)
{
    assay_board_task_ended(b, t, 0);
    *t = (assay_board_task){.job = t->job, .partition = t->partition};
}
