/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that prove replies: each proof is written off once, on disk, by the one process that holds the commitment's
 * lock, before it leaves; whatever becomes of workers.
 * ctest: uses unit/groth16
 * ctest: uses unit/cp
 * ctest: uses unit/model */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "cp/commitment.h"
#include "engine/blob_list_codec.h"
#include "engine/stamp.h"
#include "harness.h"
#include "keeping.h"
#include "unit/cp/small_commitment.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
}

enum { MANY = 8, LIFETIME = 20 };

static keeping g;
static char folder[600];
static assay_subject_entry model;
static assay_commitment *mine; /* in memory, to verify with */
static assay_request *request;
static assay_buffer files[2];

static void stamp(void)
{
    CHECK_OK(assay_subject_stamp(&model.stamp, model.kind, model.path, NULL));
}

/* A fresh folder for each test. */
static bool begin(void)
{
    static unsigned number;
    assay_errinfo err = {0};
    (void)snprintf(folder, sizeof folder, "%s/model%u", assay_test_tmpdir(), number++);
    if (!assay_small_commitment(&mine, LIFETIME) || !assay_small_request(&request, mine)) return false;
    if (!CHECK_OK(assay_commitment_save(mine, folder, 0, &err))) return false;
    if (!CHECK_OK(assay_request_files(request, &files[0], &files[1], NULL))) return false;
    model = (assay_subject_entry){.kind = ASSAY_JOB_REPLY, .name = "m"};
    (void)snprintf(model.path, sizeof model.path, "%s", folder);
    stamp();
    return keeping_start(&g);
}

static void end(void)
{
    keeping_stop(&g);
    for (size_t i = 0; i < 2; i++) assay_buffer_free(&files[i]);
    assay_request_free(request);
    assay_commitment_free(mine);
}

static bool run(uint64_t task, const assay_buffer *y, bool hold)
{
    const assay_blob inputs[] = {{files[0].p, files[0].n}, {y->p, y->n}};
    const assay_worker_order o = {
        .task = task, .entry = model, .inputs = inputs, .n_inputs = 2, .threads = 1, .hold = hold};
    return CHECK_OK(assay_keeper_run(g.k, &o, NULL));
}

static uint64_t spent(void)
{
    char path[700];
    uint8_t *p = NULL;
    size_t n = 0;
    uint64_t v = UINT64_MAX;
    (void)snprintf(path, sizeof path, "%s/isk/counter", folder);
    CHECK_OK(assay_file_read(path, ASSAY_COUNTER_FILE, &p, &n, NULL));
    CHECK_OK(assay_counter_decode(&v, p, n, NULL));
    assay_mem_free_secret(p, n);
    return v;
}

static void set_spent(uint64_t v)
{
    char path[700];
    uint8_t file[ASSAY_COUNTER_FILE];
    (void)snprintf(path, sizeof path, "%s/isk/counter", folder);
    assay_counter_encode(file, v);
    CHECK_OK(assay_file_write(path, file, sizeof file, 0600, NULL));
}

/* Whether the outputs are a proof of the request, and nothing public besides. */
static bool accepted(const assay_keeper_event *e)
{
    assay_blob out[2];
    size_t n = 0;
    assay_verdict verdict;
    if (!e) return false;
    if (e->status != ASSAY_OK) printf("    %s\n", e->error);
    if (!CHECK_OK(e->status) || !CHECK_OK(assay_blobs_unpack(out, 2, &n, e->outputs.p, e->outputs.n, NULL)) ||
        !CHECK_EQ_U64(n, 2) || !CHECK_EQ_U64(out[1].n, 0))
        return false;
    assay_buffer proof = {assay_mem_alloc(out[0].n, 1), out[0].n};
    if (!CHECK(proof.p != NULL)) return false;
    memcpy(proof.p, out[0].p, out[0].n);
    const bool fine = CHECK(assay_small_verdict(&verdict, mine, request, &proof) && verdict == ASSAY_ACCEPT);
    assay_buffer_free(&proof);
    return fine;
}

TEST(proofs_at_once_use_as_much_of_the_lifetime)
{
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &model));
    CHECK_EQ_U64(spent(), 0);
    for (uint64_t i = 1; i <= MANY; i++) REQUIRE(run(i, &files[1], false));
    for (uint64_t i = 1; i <= MANY; i++) {
        CHECK(accepted(keeping_wait(&g, ASSAY_KEEPER_ENDED, i)));
        CHECK(spent() >= i); /* before it left */
    }
    CHECK_EQ_U64(spent(), MANY);
    for (size_t i = 0; i < g.n; i++) /* coins are drawn anew in each process */
        for (size_t j = 0; j < i; j++)
            if (g.said[i].kind == ASSAY_KEEPER_ENDED && g.said[j].kind == ASSAY_KEEPER_ENDED)
                CHECK(g.said[i].outputs.n != g.said[j].outputs.n ||
                      memcmp(g.said[i].outputs.p, g.said[j].outputs.p, g.said[i].outputs.n) != 0);
    end();
}

TEST(killed_workers_give_nothing_back_and_take_nothing)
{
    size_t proofs = 0;
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &model));
    for (uint64_t i = 1; i <= MANY; i++) {
        REQUIRE(run(i, &files[1], true));
        const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_STARTED, i);
        const int pid = e ? e->pid : 0;
        REQUIRE(pid > 0 && keeping_wait(&g, ASSAY_KEEPER_READY, i));
        const uint64_t before = spent();
        CHECK_EQ_U64(before, spent());
        if (i % 2) { /* while it waits: nothing was made yet */
            CHECK(kill(pid, SIGKILL) == 0);
            e = keeping_wait(&g, ASSAY_KEEPER_ENDED, i);
            CHECK(e && e->status == ASSAY_ENOMEM);
            CHECK_EQ_U64(spent(), before);
            continue;
        }
        CHECK_OK(assay_keeper_go(g.k, i, 1, NULL)); /* and at some moment of its work */
        (void)usleep((unsigned)(assay_test_random() % 30000));
        (void)kill(pid, SIGKILL);
        e = keeping_wait(&g, ASSAY_KEEPER_ENDED, i);
        REQUIRE(e != NULL);
        proofs += e->status == ASSAY_OK;
        CHECK(spent() <= before + 1 && spent() >= before + (e->status == ASSAY_OK));
    }
    const uint64_t before = spent();
    CHECK(before >= proofs);
    REQUIRE(run(100, &files[1], false));
    CHECK(accepted(keeping_wait(&g, ASSAY_KEEPER_ENDED, 100)));
    CHECK_EQ_U64(spent(), before + 1);
    end();
}

TEST(the_lifetime_ends)
{
    size_t made = 0, refused = 0;
    REQUIRE(begin());
    const uint64_t all = mine->counter.allowed;
    set_spent(all - 2);
    stamp();
    REQUIRE(keeping_load(&g, &model));
    for (uint64_t i = 1; i <= 4; i++) REQUIRE(run(i, &files[1], true));
    for (uint64_t i = 1; i <= 4; i++) REQUIRE(keeping_wait(&g, ASSAY_KEEPER_READY, i)); /* all of them were forked */
    for (uint64_t i = 1; i <= 4; i++) CHECK_OK(assay_keeper_go(g.k, i, 1, NULL));
    for (uint64_t i = 1; i <= 4; i++) {
        const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, i);
        REQUIRE(e != NULL);
        made += e->status == ASSAY_OK;
        refused += e->status == ASSAY_EEXHAUSTED && strstr(e->error, "lifetime") != NULL;
    }
    CHECK_EQ_U64(made, 2);
    CHECK_EQ_U64(refused, 2);
    CHECK_EQ_U64(spent(), all);
    end();
}

TEST(without_a_loaded_commitment)
{
    REQUIRE(begin());
    REQUIRE(run(1, &files[1], false) && run(2, &files[1], false)); /* one waits for the other's lock */
    CHECK(accepted(keeping_wait(&g, ASSAY_KEEPER_ENDED, 1)));
    CHECK(accepted(keeping_wait(&g, ASSAY_KEEPER_ENDED, 2)));
    CHECK_EQ_U64(spent(), 2);
    REQUIRE(keeping_load(&g, &model));
    model.stamp.inode++; /* as if another one had been put there: it is not to be used, and cannot be opened */
    REQUIRE(run(3, &files[1], false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 3);
    CHECK(e && e->status == ASSAY_EBUSY && strstr(e->error, "locked"));
    CHECK_EQ_U64(spent(), 2);
    end();
}

TEST(the_lock_is_held_and_given_back)
{
    assay_commitment *other = NULL;
    REQUIRE(begin());
    REQUIRE_OK(assay_commitment_open(&other, folder, NULL, NULL));
    REQUIRE_OK(assay_keeper_load(g.k, &model, NULL));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_LOADED, 0);
    CHECK(e && e->status == ASSAY_EBUSY && strstr(e->error, "locked by another process"));
    assay_commitment_free(other);
    REQUIRE(keeping_load(&g, &model));
    CHECK_STATUS(assay_commitment_open(&other, folder, NULL, NULL), ASSAY_EBUSY);
    REQUIRE(run(1, &files[1], true));
    REQUIRE(keeping_wait(&g, ASSAY_KEEPER_READY, 1));
    CHECK_STATUS(assay_commitment_open(&other, folder, NULL, NULL), ASSAY_EBUSY); /* the worker did not release it */
    CHECK_OK(assay_keeper_go(g.k, 1, 1, NULL));
    CHECK(accepted(keeping_wait(&g, ASSAY_KEEPER_ENDED, 1)));
    CHECK_STATUS(assay_commitment_open(&other, folder, NULL, NULL), ASSAY_EBUSY);
    CHECK_OK(assay_keeper_evict(g.k, model.kind, model.name, NULL));
    e = keeping_wait(&g, ASSAY_KEEPER_EVICTED, 0);
    CHECK(e && e->status == ASSAY_OK);
    CHECK_OK(assay_commitment_open(&other, folder, NULL, NULL));
    assay_commitment_free(other);
    end();
}

TEST(bad_requests_cost_no_proof)
{
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &model));
    assay_buffer cut = {files[1].p, files[1].n / 2}, wrong;
    assay_request *lie = NULL;
    const uint32_t n = assay_request_n_tokens(request);
    REQUIRE(run(1, &cut, false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && e->status == ASSAY_EFORMAT);
    REQUIRE_OK(assay_request_make(&lie, assay_request_ids(request), assay_request_n_prompt(request), n,
                                  assay_request_next(request) ^ 1, "nonce", 5, NULL));
    assay_buffer_free(&files[0]);
    REQUIRE_OK(assay_request_files(lie, &files[0], &wrong, NULL));
    REQUIRE(run(2, &wrong, false));
    e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && e->status == ASSAY_ENORESULT);
    CHECK_EQ_U64(spent(), 0);
    assay_buffer_free(&wrong);
    assay_request_free(lie);
    end();
}

/* A proof that clients would not accept does not leave. */
TEST(the_proof_is_verified_with_the_files_that_clients_have)
{
    char path[700];
    uint8_t *p = NULL;
    size_t n = 0;
    REQUIRE(begin());
    REQUIRE(keeping_load(&g, &model));
    (void)snprintf(path, sizeof path, "%s/ivk/ivk.bin", folder);
    REQUIRE_OK(assay_file_read(path, 1 << 20, &p, &n, NULL));
    p[n - 1] ^= 1;
    CHECK_OK(assay_file_write(path, p, n, 0600, NULL));
    assay_mem_free_secret(p, n);
    REQUIRE(run(1, &files[1], false));
    const assay_keeper_event *e = keeping_wait(&g, ASSAY_KEEPER_ENDED, 1);
    REQUIRE(e != NULL);
    CHECK(e->status != ASSAY_OK && e->outputs.p == NULL);
    printf("    %s\n", e->error);
    end();
}
