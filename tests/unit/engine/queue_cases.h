/* SPDX-License-Identifier: Apache-2.0 */
/* What a queue must do, whatever database is under it: run over SQLite by test_queue.c, over PostgreSQL by
 * tests/interop/test_queue_postgres.c. */
#ifndef ASSAY_TESTS_QUEUE_CASES_H
#define ASSAY_TESTS_QUEUE_CASES_H

#include "engine/queue_impl.h"
#include "harness.h"

/* Where the queues of a case are. */
typedef struct queue_place queue_place;
struct queue_place {
    bool shared;
    char where[400];
    uint64_t now;                   /* ms of both clocks, as set last */
    bool (*fresh)(queue_place *p);  /* an empty database; sets where */
    bool (*opened)(queue_place *p); /* after a queue was opened; may be NULL */
    void (*set_time)(queue_place *p, uint64_t now);
    /* The first number that a statement gives, past the queue; -1 if it fails. */
    int64_t (*number)(queue_place *p, const char *statement);
    assay_db_clock clock; /* for SQLite */
};

enum { QUEUE_LEASE = 10000, QUEUE_KEEP = 100000, QUEUE_ATTEMPTS = 3 };
#define QUEUE_START UINT64_C(1700000000000)

typedef void queue_case(queue_place *p);
#define QUEUE_CASES(X)                                                                                                 \
    X(order)                                                                                                           \
    X(same_id)                                                                                                         \
    X(claiming)                                                                                                        \
    X(inputs_of_all_sizes)                                                                                             \
    X(a_job_completes)                                                                                                 \
    X(a_job_fails)                                                                                                     \
    X(fencing)                                                                                                         \
    X(attempts)                                                                                                        \
    X(releasing)                                                                                                       \
    X(cancelling)                                                                                                      \
    X(deadlines)                                                                                                       \
    X(results_are_kept_for_a_while)                                                                                    \
    X(a_full_queue)                                                                                                    \
    X(counting)                                                                                                        \
    X(recent)                                                                                                          \
    X(everything_is_there_after_opening_again)                                                                         \
    X(texts)                                                                                                           \
    X(bad_jobs)                                                                                                        \
    X(bad_options)                                                                                                     \
    X(large_sweeps)                                                                                                    \
    X(missing_inputs)                                                                                                  \
    X(odd_rows)                                                                                                        \
    X(model)                                                                                                           \
    X(threads)

#define QUEUE_DECLARE(name) queue_case queue_case_##name;
QUEUE_CASES(QUEUE_DECLARE)
#undef QUEUE_DECLARE

/* ---- for cases */

assay_queue_options queue_options(const queue_place *p);
assay_queue *queue_open_with(queue_place *p, const assay_queue_options *o); /* NULL, and a failed check */
assay_queue *queue_open(queue_place *p);
void queue_pass(queue_place *p, uint64_t ms); /* time passes */
assay_job_spec queue_spec(const char *id);    /* a usual job; inputs are static */
assay_submit_outcome queue_submit_one(assay_queue *q, const assay_job_spec *spec);
bool queue_claim(assay_queue *q, const char *id, uint8_t token[ASSAY_QUEUE_TOKEN]);
bool queue_finish(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN], assay_job_state state);
bool queue_beat(assay_queue *q, const char *id, const uint8_t token[ASSAY_QUEUE_TOKEN], bool *cancelled); /* ours? */
size_t queue_sweep(assay_queue *q);
assay_job_view queue_view(assay_queue *q, const char *id); /* state 0: no such job */
assay_queue_counts queue_counts(assay_queue *q);
/* Whether the counts kept are those of the rows. */
void queue_check_tally(queue_place *p, assay_queue *q);

#endif
