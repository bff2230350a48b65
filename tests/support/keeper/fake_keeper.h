/* SPDX-License-Identifier: Apache-2.0 */
/* A keeper without processes, and a catalogue without files, in place of the engine's own: tests say what workers do.
 *
 * A subject's name is a letter and its key's size in MiB ("A10"; "A0": streamed; "none": there is none). An input is
 * text: LABEL MS_SYNTHESIS MS_PROVE END, where END is "ok", "bad" (a witness that breaks the circuit), "crash", "oom",
 * "busy", "unborn" (there is no process for it), or one of the last four with a number: so often, then well. */
#ifndef ASSAY_TESTS_FAKE_KEEPER_H
#define ASSAY_TESTS_FAKE_KEEPER_H

#include "engine/keeper.h"

enum { FAKE_RUNS = 4096 };

typedef struct fake_run {
    char label[32];
    uint64_t task;
    unsigned threads;
} fake_run;

typedef struct fake_seen {
    size_t n_runs, n_goes, n_kills, n_loads, n_evicts, n_starts;
    size_t at_once, most_at_once, most_proving; /* workers */
    uint64_t most_bytes;                        /* of keys and workers together, by their plans' largest stages */
    fake_run runs[FAKE_RUNS], goes[FAKE_RUNS];
} fake_seen;

/* Everything as at the beginning; ms to load a key. */
void fake_keeper_reset(unsigned load_ms);
/* A copy of what was seen; freed with assay_mem_free. */
fake_seen *fake_keeper_seen(void);
size_t fake_runs_of(const fake_seen *s, const char *label);
/* The place of a label's first run, or go; n if there is none. */
size_t fake_place_of(const fake_run *r, size_t n, const char *label);
void fake_keeper_die(void);               /* the plain process died, and all workers without a loaded key */
void fake_key_die(const char *name);      /* a key's process died by itself */
void fake_stamp_change(const char *name); /* its file is another now */
void fake_load_fails(const char *name, assay_status with); /* the next load of it fails */

#endif
