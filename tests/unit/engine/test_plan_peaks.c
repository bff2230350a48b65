/* SPDX-License-Identifier: Apache-2.0 */
/* Plans against measured peaks: worker processes of assayd with a resident key and with one in its file, with all the
 * room there is and with the least; keeper processes. Each is to have taken what was planned, +0/-15 %.
 * docs/capacity.md has the table that this prints.
 * ctest: labels slow nosan
 * ctest: timeout 900
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "assay/prove.h"
#include "base/buffer.h"
#include "base/memory_text.h"
#include "engine/keeper.h"
#include "harness.h"
#include "keeping.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEBIBYTES(n) ((double)(n) / 1048576)

static keeping g;
static uint64_t tasks;

/* The keeper of the real program, whose pages count too; skips when it is not built. */
static bool start(void)
{
    char program[4096];
    const char *bin = getenv("ASSAY_BIN");
    const assay_keeper_options o = {.program = program, .threads = 2};
    (void)snprintf(program, sizeof program, "%s%s/assayd", bin ? bin : assay_test_source_dir(),
                   bin ? "" : "/build/bin");
    g.n = 0;
    if (access(program, X_OK) == 0) return CHECK_OK(assay_keeper_start(&g.k, &o, NULL));
    printf("%s is not there\n", program);
    assay_test_skip("assayd is not built");
    return false;
}

/* ---- the measure */

/* A row of the table. */
static void row(const char *what, uint64_t planned, uint64_t measured)
{
    printf("| %s | %.1f | %.1f | %.2f |\n", what, MEBIBYTES(planned), MEBIBYTES(measured),
           (double)measured / (double)planned);
}

enum { SLACK = 1 << 19 /* bytes: pages of the program's file, which are there or not as other processes use it */ };

/* Whether it is within the band. */
static void compare(const char *what, uint64_t planned, uint64_t measured)
{
    row(what, planned, measured);
    CHECK(measured <= planned);
    CHECK(measured + SLACK >= planned / 100 * 85);
}

/* A number of /proc/PID/status, in bytes. */
static uint64_t status_of(int pid, const char *name)
{
    char path[64], text[8192] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    if (!CHECK(f != NULL)) return 0;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    (void)fclose(f);
    return assay_memory_field(text, name);
}

/* Runs one task as its plan says; returns its peak, 0 after a failure. */
static uint64_t run(const assay_subject_entry *e, const assay_blob *inputs, size_t n, const assay_job_plan *j,
                    unsigned threads)
{
    const assay_worker_order o = {.task = ++tasks,
                                  .entry = *e,
                                  .inputs = inputs,
                                  .n_inputs = n,
                                  .threads = threads,
                                  .prove_bytes = j->prove_bytes};
    if (!CHECK_OK(assay_keeper_run(g.k, &o, NULL))) return 0;
    const assay_keeper_event *said = keeping_wait(&g, ASSAY_KEEPER_ENDED, o.task);
    if (!said) return 0;
    if (said->status != ASSAY_OK) printf("%s\n", said->error);
    return CHECK_OK(said->status) ? said->peak : 0;
}

/* The most that a process had, and what it has, without pages of files: those of the program are shared by all of them,
 * and what the daemon has besides (libraries, for the most part) is not to count for each key. */
static uint64_t most_of(int pid)
{
    return status_of(pid, "VmHWM:") - status_of(pid, "RssFile:");
}

/* What is told of the key that was loaded last is what the ledger holds from then on: no less than there is. */
static void check_told(uint64_t planned, uint64_t resident)
{
    uint64_t told = 0;
    for (size_t i = 0; i < g.n; i++)
        if (g.said[i].kind == ASSAY_KEEPER_LOADED) told = g.said[i].bytes;
    CHECK(told >= resident && told <= planned);
}

/* The keeper process of the one key that is loaded. */
static int key_process(void)
{
    int pids[2] = {0, 0};
    CHECK_EQ_U64(assay_keeper_pids(g.k, pids, 2), 2);
    return pids[1];
}

static void evict(const assay_subject_entry *e)
{
    CHECK_OK(assay_keeper_evict(g.k, e->kind, e->name, NULL));
    CHECK(keeping_wait(&g, ASSAY_KEEPER_EVICTED, 0) != NULL);
}

/* ---- circuits */

typedef struct circuit_case {
    assay_curve_id curve;
    unsigned log_n, threads;
    bool checked;
} circuit_case;

static void name_case(char out[160], const circuit_case *c, const char *what)
{
    (void)snprintf(out, 160, "%s, 2^%u constraints%s, %u thread%s: %s", c->curve == ASSAY_BN254 ? "BN254" : "BLS12-381",
                   c->log_n, c->checked ? " (checked)" : "", c->threads, c->threads == 1 ? "" : "s", what);
}

/* A plan for a room, and what came of it. *room becomes one byte less than the plan takes. */
static bool try_room(const circuit_case *c, assay_catalogue *cat, const assay_subject_entry *e, const assay_blob *input,
                     uint64_t *room, const char *what, bool resident)
{
    char name[160];
    assay_job_plan j;
    if (!CHECK_OK(assay_job_plan_make(&j, cat, e->kind, e, input, 1, c->threads, *room, NULL))) return false;
    if (!CHECK((j.key != 0) == resident)) return false;
    name_case(name, c, what);
    const uint64_t peak = run(e, input, 1, &j, c->threads);
    if (!peak) return false;
    compare(name, j.peak, peak);
    *room = j.key + j.load + j.peak - 1;
    return true;
}

static void resident(const circuit_case *c, assay_catalogue *cat, const assay_subject_entry *e, const assay_blob *input,
                     uint64_t *room)
{
    char name[160];
    assay_job_plan j;
    REQUIRE_OK(assay_job_plan_make(&j, cat, e->kind, e, input, 1, c->threads, UINT64_MAX, NULL));
    REQUIRE(keeping_load(&g, e));
    name_case(name, c, "the key, loading");
    compare(name, j.key + j.load, most_of(key_process()));
    name_case(name, c, "the key");
    compare(name, j.key, status_of(key_process(), "RssAnon:"));
    check_told(j.key, status_of(key_process(), "RssAnon:"));
    *room = UINT64_MAX;
    REQUIRE(try_room(c, cat, e, input, room, "resident", true));
    *room -= (j.peak - j.process) / (c->log_n > 14 ? 4 : 8);
    REQUIRE(try_room(c, cat, e, input, room, "resident, narrowed", true));
    evict(e);
    *room = j.key; /* not enough for both */
}

static void in_file(const circuit_case *c, assay_catalogue *cat, const assay_subject_entry *e, const assay_blob *input,
                    uint64_t *room)
{
    assay_job_plan j;
    assay_errinfo err = {0};
    CHECK_STATUS(assay_job_plan_make(&j, cat, e->kind, e, input, 1, c->threads, 1, &err), ASSAY_ENOMEM);
    const uint64_t least = (uint64_t)err.a << 20;
    if (*room < least) return; /* so small a key fits whenever a proof does */
    REQUIRE(try_room(c, cat, e, input, room, "in its file", false));
    *room = least + (*room - least) / 2;
    REQUIRE(try_room(c, cat, e, input, room, "in its file, narrowed", false));
    *room = least;
    REQUIRE(try_room(c, cat, e, input, room, "in its file, least", false));
}

static void circuit(const circuit_case *c, const chain *k)
{
    const assay_subject_entry e = keeping_entry(k, "chain", c->checked);
    assay_buffer wtns = chain_read(k->wtns);
    const assay_blob input = {wtns.p, wtns.n};
    assay_catalogue *cat = NULL;
    uint64_t room;
    REQUIRE_OK(assay_catalogue_new(&cat, "", "", NULL));
    if (!start()) return;
    resident(c, cat, &e, &input, &room);
    in_file(c, cat, &e, &input, &room);
    keeping_stop(&g);
    assay_catalogue_free(cat);
    assay_buffer_free(&wtns);
}

/* A witness of bits is not worth as much memory as it is planned: sums touch less of theirs. That it is none of the
 * circuit is found out at the end. */
static void bits(const circuit_case *c, const chain *k)
{
    const assay_subject_entry e = keeping_entry(k, "chain", false);
    assay_buffer wtns = chain_read(k->wtns);
    const size_t n = (size_t)1 << c->log_n, first = wtns.n - (n - 6) * 32;
    const assay_blob input = {wtns.p, wtns.n};
    assay_catalogue *cat = NULL;
    assay_job_plan j;
    char name[160];
    for (size_t i = 1; i < n - 6; i++) {
        memset(wtns.p + first + 32 * i, 0, 32);
        wtns.p[first + 32 * i] = (uint8_t)(assay_test_random() & 1);
    }
    REQUIRE_OK(assay_catalogue_new(&cat, "", "", NULL));
    if (!start()) return;
    REQUIRE_OK(assay_job_plan_make(&j, cat, e.kind, &e, &input, 1, c->threads, UINT64_MAX, NULL));
    const assay_worker_order o = {.task = ++tasks, .entry = e, .inputs = &input, .n_inputs = 1, .threads = c->threads};
    REQUIRE_OK(assay_keeper_run(g.k, &o, NULL));
    const assay_keeper_event *said = keeping_wait(&g, ASSAY_KEEPER_ENDED, o.task);
    REQUIRE(said != NULL);
    CHECK_STATUS(said->status, ASSAY_EUNSATISFIED);
    REQUIRE_OK(assay_job_plan_make(&j, cat, e.kind, &e, &input, 1, c->threads, j.key, NULL));
    REQUIRE(j.key == 0);
    name_case(name, c, "in its file, a witness of bits");
    row(name, j.peak, said->peak);
    CHECK(said->peak <= j.peak && said->peak >= j.peak / 2);
    keeping_stop(&g);
    assay_catalogue_free(cat);
    assay_buffer_free(&wtns);
}

TEST(circuits)
{
    static const struct {
        assay_curve_id curve;
        unsigned log_n, most_threads;
    } sizes[] = {
        {ASSAY_BN254, 14, 2}, {ASSAY_BN254, 15, 8}, {ASSAY_BN254, 16, 2}, {ASSAY_BN254, 17, 2}, {ASSAY_BLS381, 15, 2}};
    printf("| what | planned MiB | measured | measured/planned |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        chain k;
        REQUIRE(chain_make(&k, assay_curve_get(sizes[i].curve), (1u << sizes[i].log_n) - 8, true));
        for (unsigned threads = 1; threads <= sizes[i].most_threads; threads += threads == 1 ? 1 : 6) {
            const circuit_case c = {sizes[i].curve, sizes[i].log_n, threads, threads == 2};
            circuit(&c, &k);
            if (c.log_n == 17 && threads == 1) bits(&c, &k);
        }
    }
}

/* ---- replies */

static void reply(assay_catalogue *cat, const assay_subject_entry *e, uint32_t n_new, const assay_buffer files[2],
                  unsigned threads)
{
    const assay_blob inputs[2] = {{files[0].p, files[0].n}, {files[1].p, files[1].n}};
    char name[160];
    assay_job_plan j;
    REQUIRE_OK(assay_job_plan_make(&j, cat, e->kind, e, inputs, 2, threads, UINT64_MAX, NULL));
    REQUIRE(keeping_load(&g, e));
    (void)snprintf(name, sizeof name, "tiny, %u new tokens, %u threads: the commitment, opening", (unsigned)n_new,
                   threads);
    compare(name, j.key + j.load, most_of(key_process()));
    (void)snprintf(name, sizeof name, "tiny, %u new tokens, %u threads: open already", (unsigned)n_new, threads);
    compare(name, j.peak, run(e, inputs, 2, &j, threads));
    evict(e);
    REQUIRE_OK(assay_job_plan_make(&j, cat, e->kind, e, inputs, 2, threads, j.key + j.load + j.peak - 1, NULL));
    REQUIRE(j.key == 0);
    (void)snprintf(name, sizeof name, "tiny, %u new tokens, %u threads: opened by the worker", (unsigned)n_new,
                   threads);
    compare(name, j.peak, run(e, inputs, 2, &j, threads));
}

TEST(replies)
{
    static const uint32_t lengths[] = {3, 40, 120};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    static const uint32_t prompt[] = {256, 'Q', ':', ' ', '2', '7', '+', '4', '5', '?'};
    char folder[512];
    assay_commitment *c = NULL;
    assay_catalogue *cat = NULL;
    assay_subject_entry e;
    assay_buffer files[LENGTHS][2] = {{{NULL, 0}}};
    (void)snprintf(folder, sizeof folder, "%s/examples/tiny", assay_test_source_dir());
    REQUIRE_OK(assay_commitment_make(&c, folder, NULL, NULL));
    (void)snprintf(folder, sizeof folder, "%s/tiny", assay_test_tmpdir());
    REQUIRE_OK(assay_commitment_save(c, folder, 0, NULL));
    for (size_t i = 0; i < LENGTHS; i++) {
        assay_request *r = NULL;
        REQUIRE_OK(assay_commitment_reply(c, &r, prompt, sizeof prompt / sizeof *prompt, lengths[i], NULL, 0, NULL));
        REQUIRE_OK(assay_request_files(r, &files[i][0], &files[i][1], NULL));
        assay_request_free(r);
    }
    assay_commitment_free(c);
    REQUIRE_OK(assay_catalogue_new(&cat, "", assay_test_tmpdir(), NULL));
    REQUIRE_OK(assay_catalogue_find(cat, ASSAY_JOB_REPLY, "tiny", &e, NULL));
    if (!start()) return;
    for (size_t i = 0; i < LENGTHS; i++)
        for (unsigned threads = 1; threads <= (i ? 2 : 8); threads *= 2) reply(cat, &e, lengths[i], files[i], threads);
    keeping_stop(&g);
    for (size_t i = 0; i < LENGTHS; i++)
        for (size_t k = 0; k < 2; k++) assay_buffer_free(&files[i][k]);
    assay_catalogue_free(cat);
}
