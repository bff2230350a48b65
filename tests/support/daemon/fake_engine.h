/* SPDX-License-Identifier: Apache-2.0 */
/* An engine that works nothing: the test says what becomes of jobs. It has all of engine/engine.h; a test program that
 * links it does not link the real one. */
#ifndef ASSAY_TESTS_SUPPORT_DAEMON_FAKE_ENGINE_H
#define ASSAY_TESTS_SUPPORT_DAEMON_FAKE_ENGINE_H

#include "engine/engine.h"

assay_engine *fake_engine_new(void);
void fake_engine_free(assay_engine *e);

/* Submissions wait until released; then, as otherwise, they are answered by the table of jobs. */
void fake_engine_hold(assay_engine *e);
void fake_engine_release(assay_engine *e);
size_t fake_engine_held(assay_engine *e);
/* What the next submission is answered, whatever it is. */
void fake_engine_refuse(assay_engine *e, assay_status status, assay_submit_outcome outcome, const char *error);

/* What was submitted under an id; NULL for nothing. The inputs are copies. */
const assay_job_spec *fake_engine_spec(assay_engine *e, const char *id);
/* 0: none. */
assay_job_state fake_engine_state(assay_engine *e, const char *id);
size_t fake_engine_cancels(assay_engine *e);
size_t fake_engine_watches(assay_engine *e);

/* A change of a job, of which those who watch are told. */
void fake_engine_change(assay_engine *e, const char *id, assay_job_state state, const char *stage, double done,
                        const char *error);
/* It is completed, with this result. */
void fake_engine_complete(assay_engine *e, const char *id, const assay_blob *result, size_t n);

/* What preload and evict are answered. */
void fake_engine_key(assay_engine *e, const assay_key_answer *answer);
/* What the look is: of the engine, to be filled before it is looked at. */
assay_engine_look *fake_engine_look(assay_engine *e);

#endif
