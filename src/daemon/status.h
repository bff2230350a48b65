/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's state for people: what /status says, and what an operator might do about it. */
#ifndef ASSAY_DAEMON_STATUS_H
#define ASSAY_DAEMON_STATUS_H

#include "daemon/json_out.h"
#include "engine/engine.h"

enum {
    ASSAY_STATUS_MAX = 16 << 20, /* bytes that it takes at most: the room for w */
    ASSAY_ADVICE_BYTES = 400
};

/* One JSON object: the members that cuzk's /status has, under their names, and ours (docs/daemon-status.md). A local
 * time zone is nowhere in it: times are Unix milliseconds, or seconds that have passed. */
void assay_status_write(assay_writer *w, const assay_engine_look *look);
/* The part with cuzk's names (status_pipelines.c): members of the object that is open. */
void assay_status_write_pipelines(assay_json_out *j, const assay_engine_look *look);

/* One or two sentences about what bounds the throughput now, with the setting that would change it; returns out. */
const char *assay_advice(char out[ASSAY_ADVICE_BYTES], const assay_engine_look *look);

#endif
