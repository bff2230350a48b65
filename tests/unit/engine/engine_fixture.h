/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the engine that wait for their answers. */
#ifndef ASSAY_TESTS_ENGINE_FIXTURE_H
#define ASSAY_TESTS_ENGINE_FIXTURE_H

#include "engine/engine.h"

/* A queue of its own in the test's folder, called `name`; budget of 64 MiB, 4 of them the daemon's; two partition
 * workers, one prover, a lease of 3 s, 3 attempts. */
assay_engine_options fixture_options(const char *name);
assay_engine *fixture_open(const assay_engine_options *o); /* NULL after a failed check */

/* One job with n partitions; texts are its inputs. */
assay_submit_answer fixture_submit(assay_engine *e, const char *id, const char *subject, unsigned priority,
                                   uint64_t deadline, const char *const *texts, size_t n);
assay_submit_answer fixture_submit_blobs(assay_engine *e, const char *id, const char *subject, unsigned priority,
                                         uint64_t deadline, const assay_blob *inputs, size_t n);
assay_submit_answer fixture_submit_one(assay_engine *e, const char *id, const char *subject, const char *text);
/* Waits (30 s at most) for the end. state 0: it did not come. */
assay_job_view fixture_wait(assay_engine *e, const char *id);
/* Waits until a job is in a stage, or further (a busy machine may see it pass), and has not ended. */
bool fixture_wait_stage(assay_engine *e, const char *id, const char *stage);
void fixture_nap(unsigned ms);
assay_key_answer fixture_key(assay_engine *e, const char *name, bool preload);

#endif
