/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: loaded, evicted, damaged, replaced while they are loaded.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "engine/stamp.h"
#include "harness.h"
#include "keeping.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
}

static keeping_circuit f;

/* An entry of the same circuit under another name, over a copy of its key that may be changed. */
static assay_subject_entry copy_as(const char *name)
{
    assay_subject_entry e = f.circuit;
    assay_buffer key = chain_read(f.files.zkey);
    (void)snprintf(e.name, sizeof e.name, "%s", name);
    (void)snprintf(e.path, sizeof e.path, "%s/%s.zkey", assay_test_tmpdir(), name);
    CHECK_OK(assay_file_write(e.path, key.p, key.n, 0600, NULL));
    assay_buffer_free(&key);
    CHECK_OK(assay_subject_stamp(&e.stamp, e.kind, e.path, NULL));
    return e;
}

/* Writes over the file, which stays the same one: n bytes, of which one is another in the second half. */
static void damage(assay_subject_entry *e)
{
    assay_buffer key = chain_read(e->path);
    key.p[key.n / 2] ^= 1;
    FILE *file = fopen(e->path, "r+e");
    if (CHECK(file != NULL)) {
        CHECK(fwrite(key.p, 1, key.n, file) == key.n);
        CHECK(fclose(file) == 0);
    }
    assay_buffer_free(&key);
    CHECK_OK(assay_subject_stamp(&e->stamp, e->kind, e->path, NULL));
}

static void not_loaded(const assay_subject_entry *e, assay_status want, const char *part)
{
    REQUIRE_OK(assay_keeper_load(f.g.k, e, NULL));
    const assay_keeper_event *said = keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0);
    REQUIRE(said != NULL);
    CHECK_STATUS(said->status, want);
    CHECK_EQ_STR(said->name, e->name);
    if (!CHECK(strstr(said->error, part) != NULL)) printf("    %s\n", said->error);
    CHECK_EQ_U64(said->bytes, 0);
}

TEST(a_damaged_key)
{
    REQUIRE(keeping_begin(&f));
    assay_subject_entry e = copy_as("damaged");
    damage(&e);
    not_loaded(&e, ASSAY_ERANGE, e.path);
    keeping_refused(&f, 1, &e, &f.witness, ASSAY_ERANGE, e.path);
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_EVICTED, 0), 0); /* it was never loaded */
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 1);
    e = copy_as("damaged"); /* repaired */
    REQUIRE(keeping_load(&f.g, &e));
    keeping_end(&f);
}

TEST(a_key_that_is_damaged_while_it_is_loaded)
{
    REQUIRE(keeping_begin(&f));
    assay_subject_entry before = copy_as("later"), after = before;
    REQUIRE(keeping_load(&f.g, &before));
    damage(&after);
    REQUIRE(keeping_run(&f.g, 1, &before, &f.witness, false)); /* what is in memory is whole */
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    keeping_refused(&f, 2, &after, &f.witness, ASSAY_ERANGE, after.path);
    CHECK_STATUS(assay_keeper_load(f.g.k, &after, NULL), ASSAY_EBUSY);
    CHECK_OK(assay_keeper_evict(f.g.k, after.kind, after.name, NULL));
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0));
    not_loaded(&after, ASSAY_ERANGE, after.path);
    keeping_end(&f);
}

TEST(a_key_that_is_replaced_while_it_is_loaded)
{
    static chain other; /* the same circuit, another key */
    REQUIRE(keeping_begin(&f));
    assay_subject_entry before = copy_as("replaced"), after = before;
    REQUIRE(keeping_load(&f.g, &before));
    REQUIRE(chain_make(&other, assay_curve_get(ASSAY_BN254), f.files.n, true));
    CHECK(rename(other.zkey, before.path) == 0);
    (void)snprintf(other.zkey, sizeof other.zkey, "%.*s", CHAIN_PATH - 1, before.path);
    CHECK_OK(assay_subject_stamp(&after.stamp, after.kind, after.path, NULL));
    CHECK(memcmp(&before.stamp, &after.stamp, sizeof after.stamp) != 0);
    REQUIRE(keeping_run(&f.g, 1, &after, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&other, e));
    f.files.r1cs[0] = 0; /* chain_make writes over the files of the last one: make them again */
    CHECK_OK(assay_keeper_evict(f.g.k, after.kind, after.name, NULL));
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0));
    not_loaded(&before, ASSAY_EBUSY, "replaced");
    REQUIRE(keeping_load(&f.g, &after));
    keeping_end(&f);
}

TEST(keys_that_must_not_be_used)
{
    REQUIRE(keeping_begin(&f));
    assay_subject_entry e = copy_as("unmarked");
    chain c = f.files;
    (void)snprintf(c.zkey, sizeof c.zkey, "%.*s", CHAIN_PATH - 1, e.path);
    REQUIRE(chain_key_without_phase_2(&c));
    CHECK_OK(assay_subject_stamp(&e.stamp, e.kind, e.path, NULL));
    not_loaded(&e, ASSAY_EUNSUPPORTED, "gamma = delta");
    keeping_refused(&f, 1, &e, &f.witness, ASSAY_EUNSUPPORTED, "gamma = delta");
    (void)unlink(e.path);
    not_loaded(&e, ASSAY_EIO, e.path);
    e.kind = ASSAY_JOB_SNAP;
    not_loaded(&e, ASSAY_EUNSUPPORTED, "snap");
    keeping_end(&f);
}

TEST(loading_again)
{
    REQUIRE(keeping_begin(&f));
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(keeping_load(&f.g, &f.circuit)); /* is there already */
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 2);
    assay_subject_entry e = copy_as("twice");
    CHECK_OK(assay_keeper_load(f.g.k, &e, NULL));
    CHECK_OK(assay_keeper_load(f.g.k, &e, NULL));
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0) && keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0));
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 3);
    keeping_end(&f);
}

TEST(evicting)
{
    int pids[3];
    REQUIRE(keeping_begin(&f));
    CHECK_OK(assay_keeper_evict(f.g.k, ASSAY_JOB_GROTH16, "unknown", NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0);
    CHECK(e && e->status == ASSAY_OK && e->bytes == 0);
    REQUIRE(keeping_load(&f.g, &f.circuit));
    REQUIRE(assay_keeper_pids(f.g.k, pids, 3) == 2);
    CHECK_OK(assay_keeper_evict(f.g.k, f.circuit.kind, f.circuit.name, NULL));
    e = keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0);
    CHECK(e && e->status == ASSAY_OK && e->bytes > 0);
    CHECK(!keeping_alive(pids[1])); /* its memory is back when we are told so */
    REQUIRE(keeping_load(&f.g, &f.circuit));
    const int worker = keeping_waiting(&f, 1);
    CHECK_OK(assay_keeper_evict(f.g.k, f.circuit.kind, f.circuit.name, NULL)); /* in use */
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_EVICTED, 0), 2);
    CHECK_STATUS(assay_keeper_load(f.g.k, &f.circuit, NULL), ASSAY_EBUSY);
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false)); /* not with that one */
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK(keeping_alive(worker));
    CHECK_OK(assay_keeper_go(f.g.k, 1, 1, NULL));
    e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    e = keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0);
    CHECK(e && e->status == ASSAY_OK);
    CHECK_EQ_U64(assay_keeper_pids(f.g.k, NULL, 0), 1);
    keeping_end(&f);
}

/* A process that was just started and is held before it has loaded anything. */
static int held_loader(void)
{
    int pids[2] = {0, 0};
    if (!CHECK_OK(assay_keeper_load(f.g.k, &f.circuit, NULL)) || !CHECK(assay_keeper_pids(f.g.k, pids, 2) == 2))
        return 0;
    CHECK(kill(pids[1], SIGSTOP) == 0);
    return pids[1];
}

TEST(loading_that_does_not_end)
{
    REQUIRE(keeping_begin(&f));
    int pid = held_loader();
    REQUIRE(pid > 0);
    REQUIRE(keeping_run(&f.g, 1, &f.circuit, &f.witness, false)); /* delays nothing */
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 1);
    CHECK(e && keeping_verifies(&f.files, e));
    CHECK_OK(assay_keeper_evict(f.g.k, f.circuit.kind, f.circuit.name, NULL));
    e = keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0);
    CHECK(e && e->status == ASSAY_ECANCELED);
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0));
    CHECK(!keeping_alive(pid));
    pid = held_loader();
    REQUIRE(pid > 0);
    CHECK(kill(pid, SIGKILL) == 0);
    e = keeping_wait(&f.g, ASSAY_KEEPER_LOADED, 0);
    CHECK(e && e->status == ASSAY_ENOMEM && strstr(e->error, "killed by the system"));
    keeping_listen(&f.g, 50);
    CHECK_EQ_U64(keeping_count(&f.g, ASSAY_KEEPER_EVICTED, 0), 1);
    REQUIRE(keeping_load(&f.g, &f.circuit));
    keeping_end(&f);
}

TEST(what_befalls_one_key_befalls_no_other)
{
    int pids[3];
    REQUIRE(keeping_begin(&f));
    const assay_subject_entry other = copy_as("other");
    REQUIRE(keeping_load(&f.g, &f.circuit) && keeping_load(&f.g, &other));
    REQUIRE(assay_keeper_pids(f.g.k, pids, 3) == 3);
    REQUIRE(keeping_waiting(&f, 1) > 0);
    REQUIRE(keeping_run(&f.g, 2, &other, &f.witness, true) && keeping_wait(&f.g, ASSAY_KEEPER_READY, 2));
    CHECK(kill(pids[1], SIGKILL) == 0);
    keeping_ended(&f, 1, ASSAY_ENOMEM, SIGKILL, "keeper");
    CHECK_OK(assay_keeper_go(f.g.k, 2, 1, NULL));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    keeping_end(&f);
}

/* Stopped processes end nevertheless, within 11 s: a worker with its keeper, a key that is to leave. */
TEST(a_keeper_that_does_not_do_what_it_is_told)
{
    int pids[2];
    REQUIRE(keeping_begin(&f));
    const int worker = keeping_waiting(&f, 1);
    assay_subject_entry key = f.circuit;
    (void)strcpy(key.name, "leaves");
    REQUIRE(worker > 0 && keeping_load(&f.g, &key) && assay_keeper_pids(f.g.k, pids, 2) == 2);
    REQUIRE(kill(worker, SIGSTOP) == 0 && kill(pids[0], SIGSTOP) == 0 && kill(pids[1], SIGSTOP) == 0);
    CHECK_OK(assay_keeper_kill(f.g.k, 1, NULL));
    CHECK_OK(assay_keeper_evict(f.g.k, key.kind, key.name, NULL));
    keeping_ended(&f, 1, ASSAY_ECANCELED, SIGKILL, "stopped");
    CHECK(keeping_wait(&f.g, ASSAY_KEEPER_EVICTED, 0) != NULL);
    CHECK(keeping_gone(worker) && keeping_gone(pids[0]) && keeping_gone(pids[1]));
    REQUIRE(keeping_run(&f.g, 2, &f.circuit, &f.witness, false));
    const assay_keeper_event *e = keeping_wait(&f.g, ASSAY_KEEPER_ENDED, 2);
    CHECK(e && keeping_verifies(&f.files, e));
    keeping_end(&f);
}
