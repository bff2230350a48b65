/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker process costs: from the order of a proof to its start, to its being ready for a prover, to its end;
 * with the key loaded, and without. bench_keeper --zkey FILE --wtns FILE [--r1cs FILE] [--threads N] [--runs N] Each
 * run is measured alone. `started` is when the daemon hears that the process is there: it has been forked, and works.
 * bench/make_circuit.c makes circuits, assay groth16 setup keys. */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "engine/keeper.h"
#include "engine/stamp.h"
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 100 };

typedef struct options {
    const char *zkey, *wtns, *r1cs;
    unsigned threads, runs;
} options;

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Waits for the next event; the caller clears it. */
static void next(assay_keeper *k, assay_keeper_event *e)
{
    for (;;) {
        struct pollfd p = {.fd = assay_keeper_fd(k), .events = POLLIN};
        assay_keeper_next(k, e);
        if (e->kind != ASSAY_KEEPER_NOTHING) return;
        (void)poll(&p, 1, -1);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, double *ms, unsigned n)
{
    qsort(ms, n, sizeof *ms, by_size);
    printf("  %-8s %9.2f ms (%.2f to %.2f)\n", what, ms[n / 2], ms[0], ms[n - 1]);
}

/* All runs with the key as it is; false after a proof that failed. */
static bool measure(assay_keeper *k, const options *o, const assay_subject_entry *entry, const assay_blob *wtns,
                    uint64_t *task)
{
    static double ordered[MOST_RUNS], started[MOST_RUNS], ready[MOST_RUNS], ended[MOST_RUNS];
    uint64_t peak = 0;
    assay_errinfo err = {0};
    for (unsigned i = 0; i < o->runs; i++) {
        const assay_worker_order order = {
            .task = ++*task, .entry = *entry, .inputs = wtns, .n_inputs = 1, .threads = o->threads, .hold = true};
        const double begin = now_ms();
        assay_keeper_event e = {0};
        bool fine = assay_keeper_run(k, &order, &err) == ASSAY_OK;
        ordered[i] = now_ms() - begin;
        while (fine && e.kind != ASSAY_KEEPER_ENDED) {
            next(k, &e);
            if (e.kind == ASSAY_KEEPER_STARTED) started[i] = now_ms() - begin;
            if (e.kind == ASSAY_KEEPER_READY) {
                ready[i] = now_ms() - begin;
                fine = assay_keeper_go(k, order.task, o->threads, &err) == ASSAY_OK;
            }
        }
        ended[i] = now_ms() - begin;
        if (e.peak > peak) peak = e.peak;
        if (!fine || e.status != ASSAY_OK) {
            printf("  failed: %s %s\n", err.reason ? err.reason : "", e.error);
            return false;
        }
        assay_keeper_event_clear(&e);
    }
    print("ordered", ordered, o->runs);
    print("started", started, o->runs);
    print("ready", ready, o->runs);
    print("ended", ended, o->runs);
    printf("  peak     %9.1f MiB of its own\n", (double)peak / (1 << 20));
    return true;
}

static bool load(assay_keeper *k, const assay_subject_entry *entry)
{
    assay_keeper_event e;
    if (assay_keeper_load(k, entry, NULL) != ASSAY_OK) return false;
    do next(k, &e);
    while (e.kind != ASSAY_KEEPER_LOADED);
    printf("loaded: %.1f MiB in %" PRIu64 " ms %s\n", (double)e.bytes / (1 << 20), e.load_ms, e.error);
    return e.status == ASSAY_OK;
}

static bool parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *v = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--zkey") == 0)
            o->zkey = v;
        else if (strcmp(argv[i], "--wtns") == 0)
            o->wtns = v;
        else if (strcmp(argv[i], "--r1cs") == 0)
            o->r1cs = v;
        else if (strcmp(argv[i], "--threads") == 0)
            o->threads = (unsigned)strtoul(v, NULL, 10);
        else if (strcmp(argv[i], "--runs") == 0)
            o->runs = (unsigned)strtoul(v, NULL, 10);
        else
            return false;
    }
    return o->zkey && o->wtns && o->runs >= 1 && o->runs <= MOST_RUNS;
}

int main(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
    options o = {.threads = 1, .runs = 10};
    if (!parse(&o, argc, argv)) {
        (void)fprintf(stderr, "bench_keeper --zkey FILE --wtns FILE [--r1cs FILE] [--threads N] [--runs N]\n");
        return 2;
    }
    const assay_keeper_options how = {.program = "/proc/self/exe"};
    assay_subject_entry entry = {.kind = ASSAY_JOB_GROTH16, .name = "circuit"};
    assay_keeper *k = NULL;
    assay_blob wtns = {NULL, 0};
    uint8_t *bytes = NULL;
    uint64_t task = 0;
    bool fine = false;
    (void)snprintf(entry.path, sizeof entry.path, "%s", o.zkey);
    if (o.r1cs) (void)snprintf(entry.r1cs, sizeof entry.r1cs, "%s", o.r1cs);
    if (assay_subject_stamp(&entry.stamp, entry.kind, entry.path, NULL) == ASSAY_OK &&
        assay_file_read(o.wtns, SIZE_MAX / 2, &bytes, &wtns.n, NULL) == ASSAY_OK) {
        const double begin = now_ms();
        wtns.p = bytes;
        fine = assay_keeper_start(&k, &how, NULL) == ASSAY_OK;
        printf("the keeper began: %.2f ms\nwithout the key:\n", now_ms() - begin);
        fine = fine && measure(k, &o, &entry, &wtns, &task) && load(k, &entry);
        if (fine) printf("with the key:\n");
        fine = fine && measure(k, &o, &entry, &wtns, &task);
    }
    assay_keeper_stop(k);
    assay_mem_free_secret(bytes, wtns.n);
    return fine ? 0 : 1;
}
