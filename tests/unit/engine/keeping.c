/* SPDX-License-Identifier: Apache-2.0 */
/* Keepers in tests. */
#define _GNU_SOURCE
#include "keeping.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "engine/blob_list_codec.h"
#include "engine/stamp.h"
#include "harness.h"
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 100 };

bool keeping_start(keeping *g)
{
    const assay_keeper_options o = {.program = "/proc/self/exe", .threads = 2};
    assay_errinfo err = {0};
    g->n = 0;
    if (CHECK_OK(assay_keeper_start(&g->k, &o, &err))) return true;
    printf("    %s: %s\n", err.subject, err.reason);
    return false;
}

void keeping_stop(keeping *g)
{
    assay_keeper_stop(g->k);
    g->k = NULL;
    for (size_t i = 0; i < g->n; i++) assay_keeper_event_clear(&g->said[i]);
    g->n = 0;
}

/* One more event, waiting at most until then. */
static bool take(keeping *g, uint64_t until)
{
    assay_keeper_event e;
    for (;;) {
        assay_keeper_next(g->k, &e);
        if (e.kind != ASSAY_KEEPER_NOTHING) break;
        const uint64_t now = assay_clock_ms();
        struct pollfd p = {.fd = assay_keeper_fd(g->k), .events = POLLIN};
        if (now >= until || poll(&p, 1, (int)(until - now)) <= 0) return false;
    }
    if (!CHECK(g->n < KEEPING_EVENTS)) return false;
    g->said[g->n++] = e;
    return true;
}

/* Events that were asked for get their kind's bits turned over. */
static bool is(const assay_keeper_event *e, assay_keeper_event_kind kind, uint64_t task)
{
    return e->kind == kind && (task == 0 || e->task == task);
}

const assay_keeper_event *keeping_wait(keeping *g, assay_keeper_event_kind kind, uint64_t task)
{
    static assay_keeper_event found;
    const uint64_t until = assay_clock_ms() + KEEPING_WAIT;
    for (size_t i = 0;; i++) {
        while (i == g->n)
            if (!take(g, until)) {
                printf("    waited in vain for an event of kind %d, task %llu\n", (int)kind, (unsigned long long)task);
                CHECK(false);
                return NULL;
            }
        if (!is(&g->said[i], kind, task) || g->said[i].pid == -1) continue;
        found = g->said[i];
        g->said[i].pid = -1; /* was asked for */
        return &found;
    }
}

void keeping_listen(keeping *g, int ms)
{
    const uint64_t until = assay_clock_ms() + (uint64_t)ms;
    while (take(g, until)) {}
}

size_t keeping_count(const keeping *g, assay_keeper_event_kind kind, uint64_t task)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) n += is(&g->said[i], kind, task);
    return n;
}

assay_subject_entry keeping_entry(const chain *c, const char *name, bool checked)
{
    assay_subject_entry e = {.kind = ASSAY_JOB_GROTH16};
    (void)snprintf(e.name, sizeof e.name, "%s", name);
    (void)snprintf(e.path, sizeof e.path, "%s", c->zkey);
    if (checked) (void)snprintf(e.r1cs, sizeof e.r1cs, "%s", c->r1cs);
    if (checked) (void)snprintf(e.sym, sizeof e.sym, "%s", c->sym);
    CHECK_OK(assay_subject_stamp(&e.stamp, e.kind, e.path, NULL));
    return e;
}

bool keeping_load(keeping *g, const assay_subject_entry *e)
{
    if (!CHECK_OK(assay_keeper_load(g->k, e, NULL))) return false;
    const assay_keeper_event *said = keeping_wait(g, ASSAY_KEEPER_LOADED, 0);
    if (!said) return false;
    if (said->status != ASSAY_OK) printf("    %s\n", said->error);
    return CHECK_OK(said->status) && CHECK_EQ_STR(said->name, e->name) && CHECK(said->bytes > 0);
}

bool keeping_run(keeping *g, uint64_t task, const assay_subject_entry *e, const assay_buffer *wtns, bool hold)
{
    const assay_blob input = {wtns->p, wtns->n};
    const assay_worker_order o = {
        .task = task, .entry = *e, .inputs = &input, .n_inputs = 1, .threads = 1, .hold = hold};
    assay_errinfo err = {0};
    if (CHECK_OK(assay_keeper_run(g->k, &o, &err))) return true;
    printf("    %s: %s (%lld)\n", err.subject, err.reason, (long long)err.a);
    return false;
}

bool keeping_verifies(const chain *c, const assay_keeper_event *e)
{
    assay_groth16_key *key = NULL;
    assay_blob out[2];
    size_t n = 0;
    bool fine = false;
    if (e->status != ASSAY_OK) printf("    %s\n", e->error);
    if (!CHECK_OK(e->status) || !CHECK_OK(assay_blobs_unpack(out, 2, &n, e->outputs.p, e->outputs.n, NULL)) ||
        !CHECK_EQ_U64(n, 2) || !CHECK_OK(assay_groth16_key_open(&key, c->zkey, NULL, NULL)))
        return false;
    assay_buffer proof, publics; /* copies: buffers are not const */
    if (CHECK_OK(assay_buffer_copy(&proof, out[0].p, out[0].n, "proof", NULL))) {
        if (CHECK_OK(assay_buffer_copy(&publics, out[1].p, out[1].n, "publics", NULL))) {
            fine = CHECK(chain_verifies(key, &publics, &proof));
            assay_buffer_free(&publics);
        }
        assay_buffer_free(&proof);
    }
    assay_groth16_key_free(key);
    return fine;
}

/* ---- one small circuit */

bool keeping_begin(keeping_circuit *f)
{
    if (!f->files.r1cs[0] && !chain_make(&f->files, assay_curve_get(ASSAY_BN254), SMALL, true)) return false;
    f->circuit = keeping_entry(&f->files, "small", true);
    f->witness = chain_read(f->files.wtns);
    return keeping_start(&f->g);
}

void keeping_end(keeping_circuit *f)
{
    keeping_stop(&f->g);
    assay_buffer_free(&f->witness);
}

int keeping_waiting(keeping_circuit *f, uint64_t task)
{
    if (!keeping_run(&f->g, task, &f->circuit, &f->witness, true)) return 0;
    const assay_keeper_event *e = keeping_wait(&f->g, ASSAY_KEEPER_STARTED, task);
    const int pid = e ? e->pid : 0;
    return keeping_wait(&f->g, ASSAY_KEEPER_READY, task) ? pid : 0;
}

void keeping_ended(keeping_circuit *f, uint64_t task, assay_status want, int signal, const char *part)
{
    const assay_keeper_event *e = keeping_wait(&f->g, ASSAY_KEEPER_ENDED, task);
    if (!CHECK(e != NULL)) return;
    CHECK_STATUS(e->status, want);
    CHECK_EQ_U64(e->signal, signal);
    if (!CHECK(strstr(e->error, part) != NULL)) printf("    %s\n", e->error);
    CHECK(e->outputs.p == NULL && e->outputs.n == 0);
}

void keeping_refused(keeping_circuit *f, uint64_t task, const assay_subject_entry *e, const assay_buffer *input,
                     assay_status want, const char *part)
{
    if (keeping_run(&f->g, task, e, input, false)) keeping_ended(f, task, want, 0, part);
}

/* ---- processes */

/* The parent of a process, and its state; 0 when there is no such process. */
static int parent_of(int pid, char *state)
{
    char path[64], text[512];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    const size_t n = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[n] = 0;
    const char *end = strrchr(text, ')'); /* of the name, which may have anything in it */
    if (!end || end[1] != ' ') return 0;
    *state = end[2];
    return (int)strtol(end + 3, NULL, 10);
}

size_t keeping_children(int pid, int *out, size_t max)
{
    DIR *d = opendir("/proc");
    size_t n = 0;
    char state;
    if (!CHECK(d != NULL)) return 0;
    for (const struct dirent *e; (e = readdir(d));) {
        const int one = (int)strtol(e->d_name, NULL, 10);
        if (one <= 0 || parent_of(one, &state) != pid) continue;
        if (n < max) out[n] = one;
        n++;
    }
    (void)closedir(d);
    return n;
}

bool keeping_alive(int pid)
{
    char state;
    return parent_of(pid, &state) != 0;
}

bool keeping_gone(int pid)
{
    const uint64_t until = assay_clock_ms() + KEEPING_WAIT;
    while (keeping_alive(pid) && assay_clock_ms() < until) (void)usleep(2000);
    return !keeping_alive(pid);
}

size_t keeping_descriptors(int pid)
{
    char path[64];
    size_t n = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *d = opendir(path);
    if (!CHECK(d != NULL)) return 0;
    for (const struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}
