/* SPDX-License-Identifier: Apache-2.0 */
/* Keepers in tests: circuits to prove, and events to wait for. */
#ifndef ASSAY_TESTS_ENGINE_KEEPING_H
#define ASSAY_TESTS_ENGINE_KEEPING_H

#include "engine/keeper.h"
#include "groth16/chain.h"

enum { KEEPING_WAIT = 60000 /* ms, for anything: generous */, KEEPING_EVENTS = 4096 };

/* A keeper, whose program is this test's own, and what it said. */
typedef struct keeping {
    assay_keeper *k;
    assay_keeper_event said[KEEPING_EVENTS];
    size_t n;
} keeping;

/* False, and the test failed, if it does not start. */
bool keeping_start(keeping *g);
void keeping_stop(keeping *g);

/* The first event of a kind for a task (0: any) that was not asked for before, waiting for it; NULL, and the test
 * failed, when it does not come. Valid until the next call of anything. */
const assay_keeper_event *keeping_wait(keeping *g, assay_keeper_event_kind kind, uint64_t task);
/* Takes what there is for so long. */
void keeping_listen(keeping *g, int ms);
/* How many events of a kind came for a task, asked for or not. */
size_t keeping_count(const keeping *g, assay_keeper_event_kind kind, uint64_t task);

/* An entry for the files of a chain, stamped; with its .r1cs if `checked`. */
assay_subject_entry keeping_entry(const chain *c, const char *name, bool checked);
/* Loads it and waits; false, and the test failed, when it does not work. */
bool keeping_load(keeping *g, const assay_subject_entry *e);
/* Orders a proof with these bytes. */
bool keeping_run(keeping *g, uint64_t task, const assay_subject_entry *e, const assay_buffer *wtns, bool hold);

/* Whether the outputs are a proof that verifies. */
bool keeping_verifies(const chain *c, const assay_keeper_event *e);

/* ---- one small circuit and a keeper, for most tests */

typedef struct keeping_circuit {
    keeping g;
    chain files;                 /* made once */
    assay_subject_entry circuit; /* with its .r1cs */
    assay_buffer witness;
} keeping_circuit;
bool keeping_begin(keeping_circuit *f);
void keeping_end(keeping_circuit *f);

/* The process of a worker that waits for its prover; 0, and the test failed, if there is none. */
int keeping_waiting(keeping_circuit *f, uint64_t task);
/* The task ended so: `part` is in the error's text. */
void keeping_ended(keeping_circuit *f, uint64_t task, assay_status want, int signal, const char *part);
/* Such an order fails so. */
void keeping_refused(keeping_circuit *f, uint64_t task, const assay_subject_entry *e, const assay_buffer *input,
                     assay_status want, const char *part);

/* ---- */

/* Processes whose parent is pid; the number. */
size_t keeping_children(int pid, int *out, size_t max);
/* Whether the process is there, zombies counted. */
bool keeping_alive(int pid);
bool keeping_gone(int pid); /* waits for it to go */
size_t keeping_descriptors(int pid);

#endif
