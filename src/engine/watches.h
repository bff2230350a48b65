/* SPDX-License-Identifier: Apache-2.0 */
/* Who is to be told of which job. Any thread adds and removes; one thread, the dispatcher, tells. */
#ifndef ASSAY_ENGINE_WATCHES_H
#define ASSAY_ENGINE_WATCHES_H

#include "engine/engine.h"

typedef struct assay_watches assay_watches;

ASSAY_MUST_USE assay_status assay_watches_new(assay_watches **out, assay_errinfo *err);
void assay_watches_free(assay_watches *w); /* and what is still watched; NULL is fine */

/* A new watch asks to be told how its job is. NULL when out of memory. */
assay_watch *assay_watches_add(assay_watches *w, const char *id, assay_watch_fn *fn, void *ctx);
/* As assay_engine_unwatch. NULL is fine. */
void assay_watches_remove(assay_watches *w, assay_watch *watch);

/* ---- the dispatcher's */

/* Calls every watch of the job that has not seen this sequence, or for which it has ended and which was not told so. */
void assay_watches_tell(assay_watches *w, const assay_job_view *job);
/* All watches that wait for an end ask to be told, or those of one job. */
void assay_watches_ask(assay_watches *w, const char *id_or_null);
/* Takes the id of a job of which somebody asks to be told; false: nobody does. */
bool assay_watches_asked(assay_watches *w, char id[ASSAY_JOB_ID + 1]);

#endif
