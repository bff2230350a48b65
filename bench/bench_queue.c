/* SPDX-License-Identifier: Apache-2.0 */
/* The durable queue: what a sync costs, jobs accepted a second, work through it, a large input, and what looking costs
 * when many jobs have ended.
 *     bench_queue WHERE [JOBS [ENDED]]       a file that is not there, or postgresql://...; 20000 jobs, 1000000 ended
 */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "engine/queue_impl.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 4096, LARGE = 70000000, MOST = 128 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(assay_status s, const assay_errinfo *err)
{
    char text[400];
    if (s == ASSAY_OK) return;
    (void)fprintf(stderr, "bench_queue: %s\n", assay_errinfo_text(err, text, sizeof text));
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, double *ms, size_t n)
{
    qsort(ms, n, sizeof *ms, ascending);
    (void)printf("%-44s median %9.3f ms   fastest %9.3f   slowest %9.3f   (%zu)\n", what, ms[n / 2], ms[0], ms[n - 1],
                 n);
}

/* A file beside the queue's, 4 KiB appended and synced at a time: the least that a durable commit can cost. */
static void sync_cost(const char *where)
{
    static uint8_t page[SMALL];
    static double ms[300];
    char path[1024];
    (void)snprintf(path, sizeof path, "%s.sync", where);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return;
    for (size_t i = 0; i < 300; i++) {
        const double from = now_ms();
        if (write(fd, page, sizeof page) != (ssize_t)sizeof page || fdatasync(fd) != 0) break;
        ms[i] = now_ms() - from;
    }
    (void)close(fd);
    (void)unlink(path);
    print_times("4 KiB appended and synced", ms, 300);
}

static void submit(assay_queue *q, unsigned first, unsigned n, const uint8_t *bytes, size_t n_bytes)
{
    static assay_job_spec specs[MOST];
    static const assay_job_spec *pointers[MOST];
    static assay_submit_outcome outcomes[MOST];
    assay_errinfo err = {0};
    const assay_blob blob = {bytes, n_bytes};
    for (unsigned i = 0; i < n; i++) {
        memset(&specs[i], 0, sizeof specs[i]);
        (void)snprintf(specs[i].id, sizeof specs[i].id, "job-%u", first + i);
        (void)snprintf(specs[i].subject, sizeof specs[i].subject, "circuit");
        specs[i].priority = 1 + (first + i) % 4;
        specs[i].inputs = &blob;
        specs[i].n_inputs = 1;
        pointers[i] = &specs[i];
    }
    must(assay_queue_submit(q, pointers, n, outcomes, &err), &err);
    for (unsigned i = 0; i < n; i++)
        if (outcomes[i] != ASSAY_SUBMIT_NEW) {
            (void)fprintf(stderr, "bench_queue: WHERE holds jobs already\n");
            exit(1);
        }
}

static unsigned batches(assay_queue *q, unsigned first, unsigned size, unsigned jobs)
{
    uint8_t *bytes = assay_mem_alloc(SMALL, 1);
    double *ms = assay_mem_alloc(jobs / size + 1, sizeof *ms);
    char what[60];
    unsigned n = 0;
    if (!bytes || !ms) exit(1);
    const double from = now_ms();
    for (unsigned i = 0; i + size <= jobs; i += size) {
        const double at = now_ms();
        submit(q, first + i, size, bytes, SMALL);
        ms[n++] = now_ms() - at;
    }
    const double all = now_ms() - from;
    (void)snprintf(what, sizeof what, "submit %u of 4 KiB a transaction", size);
    print_times(what, ms, n);
    (void)printf("%-44s %.0f jobs/s\n", "", 1e3 * (double)(n * size) / all);
    assay_mem_free(ms);
    assay_mem_free(bytes);
    return first + n * size;
}

/* Claim, heartbeat, finish: what a worker asks of the queue for a job. */
static void work(assay_queue *q, unsigned first, unsigned n, bool print)
{
    static double claim[1000], beat[1000], finish[1000];
    static uint8_t proof[192];
    const assay_blob result = {proof, sizeof proof};
    assay_errinfo err = {0};
    for (unsigned i = 0; i < n; i++) {
        assay_queue_lease l = {.lost = false};
        assay_buffer inputs;
        bool claimed = false, ours = false;
        (void)snprintf(l.id, sizeof l.id, "job-%u", first + i);
        const double a = now_ms();
        must(assay_queue_claim(q, l.id, &claimed, l.token, &inputs, &err), &err);
        const double b = now_ms();
        must(assay_queue_heartbeat(q, &l, 1, &err), &err);
        const double c = now_ms();
        must(assay_queue_finish(q, l.id, l.token, ASSAY_JOB_COMPLETED, &result, NULL, NULL, &ours, &err), &err);
        const double d = now_ms();
        assay_buffer_free(&inputs);
        if (!claimed || l.lost || !ours) exit(1);
        claim[i] = b - a;
        beat[i] = c - b;
        finish[i] = d - c;
    }
    if (!print) return;
    print_times("claim", claim, n);
    print_times("heartbeat", beat, n);
    print_times("finish", finish, n);
}

static void large_input(assay_queue *q, unsigned first)
{
    static double ms[5];
    uint8_t *bytes = assay_mem_alloc(LARGE, 1);
    if (!bytes) exit(1);
    for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    for (unsigned i = 0; i < 5; i++) {
        const double from = now_ms();
        submit(q, first + i, 1, bytes, LARGE);
        ms[i] = now_ms() - from;
    }
    assay_mem_free(bytes);
    print_times("submit 70 MB", ms, 5);
    (void)printf("70 MB:\n");
    work(q, first, 5, true);
}

static void looking(assay_queue *q, const char *when)
{
    static double count[100], heads[100], get[100], recent[100];
    static assay_job_view views[256];
    assay_errinfo err = {0};
    assay_queue_counts counts;
    size_t n = 0;
    bool found;
    (void)printf("%s:\n", when);
    for (size_t i = 0; i < 100; i++) {
        const double a = now_ms();
        must(assay_queue_count(q, &counts, &err), &err);
        const double b = now_ms();
        must(assay_queue_heads(q, views, 256, &n, &err), &err);
        const double c = now_ms();
        must(assay_queue_get(q, views[n - 1].id, &found, &views[0], NULL, &err), &err);
        const double d = now_ms();
        must(assay_queue_recent(q, views, 256, &n, &err), &err);
        const double e = now_ms();
        count[i] = b - a;
        heads[i] = c - b;
        get[i] = d - c;
        recent[i] = e - d;
    }
    print_times("count", count, 100);
    print_times("heads (256)", heads, 100);
    print_times("get, with its position", get, 100);
    print_times("recent (256)", recent, 100);
}

static void make_ended(assay_queue *q, unsigned long n)
{
    char text[600];
    assay_errinfo err = {0};
    assay_db *db = q->connections[0];
    (void)snprintf(text, sizeof text,
                   "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %lu) "
                   "INSERT INTO jobs (id, digest, kind, subject, priority, deadline, state, submitted, ended) "
                   "SELECT 'old-' || i, '12345678901234567890123456789012', 0, 'circuit', 2, 9223372036854775807, 3, "
                   "1700000000000, assay_now() FROM c",
                   n);
    must(db->driver->text(db, text, NULL, &err), &err);
    (void)snprintf(text, sizeof text, "UPDATE tally SET completed = completed + %lu WHERE kind = 0", n);
    must(db->driver->text(db, text, NULL, &err), &err);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        (void)fprintf(stderr, "usage: bench_queue WHERE [JOBS [ENDED]]\n");
        return 2;
    }
    const unsigned jobs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20000;
    const unsigned long ended = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000000;
    const assay_queue_options o = {.where = argv[1],
                                   .owner = "bench_queue",
                                   .lease = 600000,
                                   .keep = 86400000,
                                   .attempts = 3,
                                   .max_jobs = 10000000};
    assay_queue *q = NULL;
    assay_errinfo err = {0};
    must(assay_queue_open(&q, &o, &err), &err);
    if (!assay_queue_shared(q)) sync_cost(argv[1]);
    unsigned at = batches(q, 0, 1, jobs < 2000 ? jobs : 2000);
    at = batches(q, at, 16, jobs < 10000 ? jobs : 10000);
    at = batches(q, at, 128, jobs);
    (void)printf("4 KiB:\n");
    work(q, 0, 500, true);
    large_input(q, at);
    char when[80];
    (void)snprintf(when, sizeof when, "%u jobs wait", at - 500);
    looking(q, when);
    make_ended(q, ended);
    (void)snprintf(when, sizeof when, "%u jobs wait, %lu have ended", at - 500, ended);
    looking(q, when);
    assay_queue_close(q);
    return 0;
}
