/* SPDX-License-Identifier: Apache-2.0 */
/* Commitment folders and their counter, from inside; tests/e2e has the same through the programs.
 * ctest: uses unit/model */
#define _POSIX_C_SOURCE 200809L
#include "base/dir.h"
#include "base/mem.h"
#include "harness.h"
#include "unit/cp/small_commitment.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 1024 };

static void path_of(char out[PATH], const char *name)
{
    (void)snprintf(out, PATH, "%s/%s", assay_test_tmpdir(), name);
}

static bool same(const assay_buffer *a, const assay_buffer *b)
{
    return CHECK_EQ_U64(a->n, b->n) && CHECK_EQ_MEM(a->p, b->p, a->n);
}

/* In memory, through a folder and back: the same bytes, and a proof that verifies at each stage. */
TEST(round_trip)
{
    char dir[PATH];
    assay_commitment *c = NULL, *back = NULL, *loaded = NULL;
    assay_commitment_parts a, b;
    assay_request *r = NULL;
    assay_buffer proof;
    assay_verdict verdict;
    assay_open_options o = {.threads = 1, .reserve = 1};
    path_of(dir, "round");
    REQUIRE(assay_small_commitment(&c, 4));
    REQUIRE(assay_small_request(&r, c));
    REQUIRE_OK(assay_commitment_save(c, dir, 0, NULL));
    REQUIRE_OK(assay_commitment_open(&back, dir, &o, NULL));
    REQUIRE_OK(assay_commitment_export(c, &a, NULL));
    REQUIRE_OK(assay_commitment_export(back, &b, NULL));
    CHECK(same(&a.config, &b.config));
    CHECK(same(&a.ivk, &b.ivk));
    CHECK(same(&a.tokenizer, &b.tokenizer));
    CHECK(same(&a.key, &b.key));
    CHECK(same(&a.weights, &b.weights));
    CHECK(same(&a.tree, &b.tree));
    CHECK_EQ_MEM(assay_commitment_id(c), assay_commitment_id(back), 32);

    REQUIRE_OK(assay_commitment_prove(back, &proof, r, NULL, NULL));
    CHECK(assay_small_verdict(&verdict, c, r, &proof) && verdict == ASSAY_ACCEPT);
    assay_buffer_free(&proof);

    b.spent = 2;
    REQUIRE_OK(assay_commitment_load(&loaded, &b, 1, NULL));
    REQUIRE_OK(assay_commitment_prove(loaded, &proof, r, NULL, NULL));
    CHECK(assay_small_verdict(&verdict, c, r, &proof) && verdict == ASSAY_ACCEPT);
    uint64_t spent = 0;
    assay_commitment_count(loaded, &spent, NULL);
    CHECK_EQ_U64(spent, 3);

    /* A proof of another request is none of this one. */
    uint32_t ids[16], n = assay_request_n_tokens(r);
    assay_request *other = NULL;
    memcpy(ids, assay_request_ids(r), n * sizeof *ids);
    REQUIRE_OK(assay_request_make(&other, ids, assay_request_n_prompt(r), n, assay_request_next(r), "ponce", 5, NULL));
    CHECK(assay_small_verdict(&verdict, c, other, &proof) && verdict == ASSAY_REJECT);
    assay_request_free(other);
    assay_buffer_free(&proof);
    assay_commitment_parts_free(&a);
    assay_commitment_parts_free(&b);
    assay_commitment_free(loaded);
    assay_commitment_free(back);
    assay_commitment_free(c);
    assay_request_free(r);
}

TEST(lifetime)
{
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_buffer proof;
    assay_errinfo err = {0};
    uint64_t spent = 7, allowed = 7;
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE(assay_small_request(&r, c));
    assay_commitment_count(c, &spent, &allowed);
    CHECK_EQ_U64(spent, 0);
    CHECK_EQ_U64(allowed, 1); /* 151 positions in 2^8 - 1 */
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, NULL, &err));
    assay_buffer_free(&proof);
    CHECK_STATUS(assay_commitment_prove(c, &proof, r, NULL, &err), ASSAY_EEXHAUSTED);
    CHECK(proof.p == NULL && proof.n == 0);
    CHECK_EQ_U64(err.a, 1);
    CHECK_EQ_U64(err.b, 1);
    assay_commitment_free(c);
    assay_request_free(r);
}

/* Every part in turn from another commitment of the same model: refused, and so is every part cut short. */
TEST(mixed_parts)
{
    assay_commitment *c[2] = {NULL, NULL}, *loaded = NULL;
    assay_commitment_parts p[2];
    for (int i = 0; i < 2; i++) {
        REQUIRE(assay_small_commitment(&c[i], 1));
        REQUIRE_OK(assay_commitment_export(c[i], &p[i], NULL));
    }
    const assay_commitment_parts good = p[0];
    assay_buffer *mine[] = {&p[0].config, &p[0].tokenizer, &p[0].ivk, &p[0].key, &p[0].weights, &p[0].tree};
    const assay_buffer *theirs[] = {&p[1].config, &p[1].tokenizer, &p[1].ivk, &p[1].key, &p[1].weights, &p[1].tree};
    for (size_t i = 0; i < 6; i++) {
        const assay_buffer kept = *mine[i];
        bool differs = kept.n != theirs[i]->n || memcmp(kept.p, theirs[i]->p, kept.n) != 0;
        CHECK(differs == (i == 2 || i == 3 || i == 5)); /* ivk, key and tree depend on the secrets */
        *mine[i] = *theirs[i];
        assay_status s = assay_commitment_load(&loaded, &p[0], 1, NULL);
        CHECK(differs ? s == ASSAY_EFORMAT && !loaded : s == ASSAY_OK);
        assay_commitment_free(loaded);
        *mine[i] = kept;
        mine[i]->n--;
        assay_errinfo err = {0};
        s = assay_commitment_load(&loaded, &p[0], 1, &err);
        CHECK((s == ASSAY_EFORMAT || s == ASSAY_ERANGE) && !loaded && err.reason);
        *mine[i] = kept;
    }
    CHECK_OK(assay_commitment_load(&loaded, &good, 1, NULL));
    assay_commitment_free(loaded);
    for (int i = 0; i < 2; i++) {
        assay_commitment_parts_free(&p[i]);
        assay_commitment_free(c[i]);
    }
}

/* Every bit of the key's, the counter's and the public files: refused, or (the seed) another tree. */
TEST(one_bit)
{
    assay_commitment *c = NULL, *loaded = NULL;
    assay_commitment_parts p;
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE_OK(assay_commitment_export(c, &p, NULL));
    assay_buffer *parts[] = {&p.key, &p.ivk, &p.config, &p.tokenizer};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (size_t at = 0; at < parts[i]->n; at++) {
            if (i == 0 && at >= 76 && at < 108) continue; /* the seed: noticed when a column is opened */
            if (i == 0 && at >= 108) continue;            /* the lifetime: below */
            parts[i]->p[at] ^= (uint8_t)(1u << (at % 8));
            CHECK(assay_commitment_load(&loaded, &p, 1, NULL) != ASSAY_OK && !loaded);
            parts[i]->p[at] ^= (uint8_t)(1u << (at % 8));
        }
    }
    p.key.p[108] ^= 2; /* 1 proof becomes 3 */
    CHECK_STATUS(assay_commitment_load(&loaded, &p, 1, NULL), ASSAY_ERANGE);
    assay_commitment_parts_free(&p);
    assay_commitment_free(c);
}

/* Another key's seed: the rows are not those of the tree, and no proof leaves. */
TEST(another_seed)
{
    assay_commitment *c = NULL, *loaded = NULL;
    assay_commitment_parts p;
    assay_request *r = NULL;
    assay_buffer proof;
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE(assay_small_request(&r, c));
    REQUIRE_OK(assay_commitment_export(c, &p, NULL));
    p.key.p[76] ^= 1;
    REQUIRE_OK(assay_commitment_load(&loaded, &p, 1, NULL));
    CHECK_STATUS(assay_commitment_prove(loaded, &proof, r, NULL, NULL), ASSAY_EINVAL);
    CHECK(proof.p == NULL);
    assay_commitment_parts_free(&p);
    assay_commitment_free(loaded);
    assay_commitment_free(c);
    assay_request_free(r);
}

TEST(lock)
{
    char dir[PATH];
    assay_commitment *c = NULL, *first = NULL, *second = NULL;
    assay_open_options o = {.threads = 1};
    path_of(dir, "locked");
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE_OK(assay_commitment_save(c, dir, 0, NULL));
    assay_commitment_free(c);
    REQUIRE_OK(assay_commitment_open(&first, dir, &o, NULL));
    CHECK_STATUS(assay_commitment_open(&second, dir, &o, NULL), ASSAY_EBUSY);
    o.reply_only = 1;
    CHECK_OK(assay_commitment_open(&second, dir, &o, NULL));
    assay_buffer proof;
    assay_request *r = NULL;
    REQUIRE(assay_small_request(&r, second));
    CHECK_STATUS(assay_commitment_prove(second, &proof, r, NULL, NULL), ASSAY_EINVAL);
    assay_request_free(r);
    assay_commitment_free(second);
    assay_commitment_free(first);
    o.reply_only = 0;
    CHECK_OK(assay_commitment_open(&first, dir, &o, NULL));
    assay_commitment_free(first);
}

TEST(replace)
{
    char dir[PATH], file[PATH];
    assay_commitment *c = NULL, *back = NULL;
    uint8_t id[32];
    path_of(dir, "replaced");
    REQUIRE(assay_small_commitment(&c, 1));
    memcpy(id, assay_commitment_id(c), 32);
    REQUIRE_OK(assay_commitment_save(c, dir, 1, NULL));
    CHECK_STATUS(assay_commitment_save(c, dir, 0, NULL), ASSAY_EIO);
    assay_commitment_free(c);
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE_OK(assay_commitment_save(c, dir, 1, NULL));
    REQUIRE_OK(assay_commitment_open(&back, dir, NULL, NULL));
    CHECK(memcmp(id, assay_commitment_id(back), 32) != 0);
    CHECK_EQ_MEM(assay_commitment_id(c), assay_commitment_id(back), 32);
    CHECK_STATUS(assay_commitment_save(c, dir, 1, NULL), ASSAY_EBUSY); /* while it is open */
    assay_commitment_free(back);
    path_of(file, "replaced.old");
    CHECK(!assay_path_exists(file));
    path_of(file, "replaced.new");
    CHECK(!assay_path_exists(file));
    assay_commitment_free(c);
}

static void put(const char *folder, const char *name)
{
    char path[2 * PATH];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    REQUIRE_OK(assay_file_write(path, "x", 1, 0600, NULL));
}

/* What could not be undone is refused before anything is written, and asked for before the work of committing. */
TEST(replace_refusals)
{
    char dir[PATH], link[PATH], other[PATH];
    assay_commitment *c = NULL, *back = NULL;
    path_of(dir, "kept");
    path_of(link, "kept.link");
    REQUIRE(assay_small_commitment(&c, 1));
    CHECK_OK(assay_commitment_may_save(dir, 0, NULL));
    CHECK(!assay_path_exists(dir));
    REQUIRE_OK(assay_commitment_save(c, dir, 0, NULL));
    CHECK_STATUS(assay_commitment_may_save(dir, 0, NULL), ASSAY_EIO);
    CHECK_OK(assay_commitment_may_save(dir, 1, NULL));

    const struct {
        const char *name, *reason;
    } cases[] = {{"kept.old", "is in the way: left by an earlier run"},
                 {"kept.new", "is in the way: left by an earlier run"},
                 {"kept/notes.txt", "is not part of a commitment; the folder is not replaced"},
                 {"kept/isk/key.bin.backup", "is not part of a commitment; the folder is not replaced"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(assay_test_tmpdir(), cases[i].name);
        path_of(other, cases[i].name);
        for (int save = 0; save < 2; save++) {
            assay_errinfo err = {0};
            CHECK_STATUS(save ? assay_commitment_save(c, dir, 1, &err) : assay_commitment_may_save(dir, 1, &err),
                         ASSAY_EIO);
            CHECK_EQ_STR(err.reason, cases[i].reason);
            CHECK_EQ_STR(err.subject, other);
        }
        REQUIRE(unlink(other) == 0);
        path_of(other, "kept.new");
        CHECK(!assay_path_exists(other));
    }
    REQUIRE(symlink(dir, link) == 0);
    CHECK_STATUS(assay_commitment_save(c, link, 1, NULL), ASSAY_EIO);
    CHECK_STATUS(assay_commitment_may_save(link, 1, NULL), ASSAY_EIO);

    /* What a killed prover left is no reason to refuse. */
    put(dir, "isk/counter.tmpabcdef");
    REQUIRE_OK(assay_commitment_open(&back, dir, NULL, NULL));
    CHECK_STATUS(assay_commitment_may_save(dir, 1, NULL), ASSAY_EBUSY);
    assay_commitment_free(back);
    put(dir, "isk/counter.tmpabcdef");
    CHECK_OK(assay_commitment_save(c, dir, 1, NULL));

    path_of(other, "no/such/parent");
    CHECK_STATUS(assay_commitment_may_save(other, 0, NULL), ASSAY_EIO);
    path_of(other, "empty");
    REQUIRE_OK(assay_dir_make(other, 0755, false, NULL));
    CHECK_OK(assay_commitment_may_save(other, 0, NULL));
    CHECK(assay_path_is_dir(other));
    assay_commitment_free(c);
}

/* ---- the counter alone */

static void new_counter(char isk[PATH], const char *name)
{
    char file[PATH + 16];
    uint8_t bytes[ASSAY_COUNTER_FILE];
    path_of(isk, name);
    REQUIRE_OK(assay_dir_make(isk, 0700, false, NULL));
    (void)snprintf(file, sizeof file, "%s/counter", isk);
    assay_counter_encode(bytes, 0);
    REQUIRE_OK(assay_file_write(file, bytes, sizeof bytes, 0600, NULL));
}

TEST(blocks)
{
    char isk[PATH];
    assay_counter c;
    new_counter(isk, "blocks");
    REQUIRE_OK(assay_counter_open(&c, isk, 20, 8, false, NULL));
    for (unsigned i = 1; i <= 9; i++) {
        REQUIRE_OK(assay_counter_take(&c, NULL));
        CHECK_EQ_U64(c.spent, i <= 8 ? 8 : 16);
    }
    assay_counter_close(&c);
    /* What was left of the block is lost. */
    REQUIRE_OK(assay_counter_open(&c, isk, 20, 8, false, NULL));
    CHECK_EQ_U64(c.used, 16);
    for (unsigned i = 0; i < 4; i++) CHECK_OK(assay_counter_take(&c, NULL));
    CHECK_EQ_U64(c.spent, 20); /* the last block is cut to the lifetime */
    CHECK_STATUS(assay_counter_take(&c, NULL), ASSAY_EEXHAUSTED);
    assay_counter_close(&c);
    REQUIRE_OK(assay_counter_open(&c, isk, 20, 8, false, NULL));
    CHECK_STATUS(assay_counter_left(&c, 1, NULL), ASSAY_EEXHAUSTED);
    assay_counter_close(&c);
}

TEST(skip)
{
    char isk[PATH];
    assay_counter c;
    new_counter(isk, "skip");
    REQUIRE_OK(assay_counter_open(&c, isk, 20, 1, false, NULL));
    REQUIRE_OK(assay_counter_skip(&c, 5, NULL));
    REQUIRE_OK(assay_counter_take(&c, NULL));
    CHECK_EQ_U64(c.spent, 6);
    REQUIRE_OK(assay_counter_skip(&c, UINT64_MAX, NULL));
    CHECK_EQ_U64(c.spent, 20);
    CHECK_STATUS(assay_counter_take(&c, NULL), ASSAY_EEXHAUSTED);
    assay_counter_close(&c);
}

/* Somebody deletes the lock of a prover, and another starts: the first one counts nothing any more, on disk or in
 * memory, and the second one goes on from what is on disk. */
TEST(removed_lock)
{
    char isk[PATH], file[PATH + 16];
    assay_counter first, second;
    assay_errinfo err = {0};
    new_counter(isk, "removed");
    REQUIRE_OK(assay_counter_open(&first, isk, 20, 1, false, NULL));
    REQUIRE_OK(assay_counter_take(&first, NULL));
    (void)snprintf(file, sizeof file, "%s/lock", isk);
    REQUIRE(unlink(file) == 0);
    CHECK_STATUS(assay_counter_take(&first, &err), ASSAY_EBUSY);
    CHECK_EQ_STR(err.reason, "the lock was removed while it was held");
    CHECK_EQ_U64(first.used, 1);
    REQUIRE_OK(assay_counter_open(&second, isk, 20, 1, false, NULL));
    CHECK_EQ_U64(second.spent, 1);
    REQUIRE_OK(assay_counter_take(&second, NULL));
    CHECK_STATUS(assay_counter_skip(&first, 5, NULL), ASSAY_EBUSY);
    assay_counter_close(&first);
    assay_counter_close(&second);
    REQUIRE_OK(assay_counter_open(&first, isk, 20, 1, false, NULL));
    CHECK_EQ_U64(first.spent, 2);
    assay_counter_close(&first);
}

/* What a prover left that was killed while it wrote the counter is removed by the next one, and nothing else is. */
TEST(leftovers)
{
    char isk[PATH], stale[PATH + 32], other[PATH + 32];
    assay_counter c;
    new_counter(isk, "leftovers");
    (void)snprintf(stale, sizeof stale, "%s/counter.tmpa1b2c3", isk);
    (void)snprintf(other, sizeof other, "%s/counter.saved", isk);
    REQUIRE_OK(assay_file_write(stale, "half", 4, 0600, NULL));
    REQUIRE_OK(assay_file_write(other, "mine", 4, 0600, NULL));
    REQUIRE_OK(assay_counter_open(&c, isk, 20, 1, false, NULL));
    CHECK(!assay_path_exists(stale) && assay_path_exists(other));
    /* Who does not get the lock removes nothing. */
    assay_counter second;
    REQUIRE_OK(assay_file_write(stale, "half", 4, 0600, NULL));
    CHECK_STATUS(assay_counter_open(&second, isk, 20, 1, false, NULL), ASSAY_EBUSY);
    CHECK(assay_path_exists(stale));
    assay_counter_close(&c);
}

/* A child takes proofs and says so through a pipe, byte by byte, until it is killed: what is on disk afterwards is at
 * least what it said, and at most a block more than it may have taken. */
TEST(killed)
{
    enum { ROUNDS = 20, BLOCK = 3 };
    char isk[PATH], byte;
    assay_counter c;
    uint64_t before = 0;
    new_counter(isk, "killed");
    for (int round = 0; round < ROUNDS; round++) {
        int fd[2];
        REQUIRE(pipe(fd) == 0);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            if (assay_counter_open(&c, isk, UINT32_MAX, BLOCK, false, NULL) != ASSAY_OK) _exit(1);
            while (assay_counter_take(&c, NULL) == ASSAY_OK && write(fd[1], "x", 1) == 1) {}
            _exit(1);
        }
        (void)close(fd[1]);
        const struct timespec wait = {0, (long)(assay_test_random() % 20000000)};
        (void)nanosleep(&wait, NULL);
        REQUIRE(kill(child, SIGKILL) == 0);
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        uint64_t said = 0;
        while (read(fd[0], &byte, 1) == 1) said++;
        (void)close(fd[0]);
        REQUIRE_OK(assay_counter_open(&c, isk, UINT32_MAX, BLOCK, false, NULL)); /* the lock went with the child */
        CHECK(c.spent >= before + said);
        CHECK(c.spent <= before + said + 2 * BLOCK);
        before = c.spent;
        assay_counter_close(&c);
    }
    CHECK(before > 0);
}
