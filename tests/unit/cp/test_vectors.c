/* SPDX-License-Identifier: Apache-2.0 */
/* The stored proofs of tests/vectors/whole_proof, which an independent program made from docs/protocol.md: the same
 * model, request, policy and coins give the same commitment and the same proof, byte for byte. ctest: uses support */
#include "base/file.h"
#include "base/mem.h"
#include "harness.h"
#include "model/weights.h"
#include "support/cp_fixture.h"
#include <stdio.h>
#include <string.h>

enum { SEED_BYTE = 0x4b, HEADER = 16, MAX_FILE = 1 << 20 };

typedef struct file {
    uint8_t *p;
    size_t n;
} file;

static bool read_vector(file *f, const char *name)
{
    char path[4096];
    assay_errinfo err = {0};
    (void)snprintf(path, sizeof path, "%s/tests/vectors/whole_proof/%s", assay_test_source_dir(), name);
    return CHECK_OK(assay_file_read(path, MAX_FILE, &f->p, &f->n, &err));
}

static void file_clear(file *f)
{
    assay_mem_free_secret(f->p, f->n);
}

/* The hex digits after `name ` in secrets.txt. */
static bool secret(uint8_t out[32], const file *f, const char *name)
{
    char text[1024] = {0}, *at;
    memcpy(text, f->p, f->n < sizeof text - 1 ? f->n : sizeof text - 1);
    if (!CHECK((at = strstr(text, name)) != NULL)) return false;
    at += strlen(name) + 1;
    for (int i = 0; i < 32; i++) {
        unsigned v;
        if (!CHECK(sscanf(at + 2 * i, "%2x", &v) == 1)) return false;
        out[i] = (uint8_t)v;
    }
    return true;
}

/* Follows the prover up to the first opening: where in the proof each message stands, so that the first one that
 * differs can be named. */
typedef struct follower {
    const file *want;
    size_t at;
    bool done;
} follower;

static void compare(follower *f, const char *label, const uint8_t *p, size_t n)
{
    if (strcmp(label, "column") == 0) f->done = true;
    if (!f->done && (f->at + n > f->want->n || memcmp(f->want->p + f->at, p, n) != 0)) {
        printf("the first message that differs: %s, byte %zu\n", label, f->at);
        f->done = true;
    }
    f->at += n;
}

static void see_k(void *ctx, const char *label, kel *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[4 * K_WORDS];
        for (int j = 0; j < K_WORDS; j++) assay_store_u32(b + 4 * j, v[i].v[j]);
        compare(ctx, label, b, sizeof b);
    }
}

static void see_bytes(void *ctx, const char *label, uint8_t *p, size_t n)
{
    compare(ctx, label, p, n);
}

/* A stored model: its files, and the name of its ID in secrets.txt. */
typedef struct stored_model {
    const char *config, *ivk, *weights, *id;
} stored_model;
static const stored_model plain = {"config.bin", "ivk.bin", "weights.bin", "id"},
                          normed = {"N.config.bin", "N.ivk.bin", "N.weights.bin", "normed"};

/* The stored model, committed to again. */
static bool commit_again(const stored_model *k, cp_fixture *f, assay_public *stored)
{
    file config = {0}, ivk = {0}, weights = {0}, secrets = {0};
    assay_model m = {0};
    assay_public again = {0};
    assay_errinfo err = {0};
    uint8_t seed[32];
    bool ok = read_vector(&config, k->config) && read_vector(&ivk, k->ivk) && read_vector(&weights, k->weights) &&
              read_vector(&secrets, "secrets.txt");
    ok = ok && CHECK_OK(assay_public_decode(stored, config.p, config.n, ivk.p, ivk.n, &err)) &&
         CHECK_OK(assay_public_decode(&again, config.p, config.n, ivk.p, ivk.n, &err));
    if (ok) {
        m.cfg = again.cfg; /* goes to the model */
        ok = CHECK_OK(assay_model_weights_decode(&m, "weights.bin", weights.p, weights.n, &err)) &&
             CHECK_OK(cp_fixture_commit(f, &m, &stored->params, SEED_BYTE));
    }
    if (ok) {
        memcpy(f->pub.tokenizer_hash, stored->tokenizer_hash, 32);
        ok = CHECK_OK(assay_public_identify(&f->pub, &err)) && secret(seed, &secrets, "seed") &&
             CHECK_EQ_MEM(seed, f->seed, 32);
    }
    file_clear(&config), file_clear(&ivk), file_clear(&weights), file_clear(&secrets);
    return ok;
}

/* F: exact; G: under the stored policy; N: of the model with norms of heads. */
typedef struct stored_case {
    const stored_model *model;
    const char *req, *y, *proof;
    size_t header;
} stored_case;
static const stored_case exact = {&plain, "F.req", "F.y", "F.proof", HEADER},
                         gap = {&plain, "G.req", "G.y", "G.proof", 2 * HEADER},
                         heads = {&normed, "N.req", "N.y", "N.proof", HEADER};

static bool read_request(const stored_case *k, cp_fixture *f, assay_policy *policy, assay_request *rq)
{
    file req = {0}, y = {0}, text = {0};
    assay_errinfo err = {0};
    bool ok = read_vector(&req, k->req) && read_vector(&y, k->y) && read_vector(&text, "policy") &&
              CHECK_OK(assay_request_decode(rq, req.p, req.n, y.p, y.n, &err)) &&
              CHECK_OK(assay_policy_parse(policy, text.p, text.n, &err));
    if (k == &gap) f->policy = policy;
    file_clear(&req), file_clear(&y), file_clear(&text);
    return ok;
}

static void check_proof(cp_fixture *f, const assay_request *rq, const file *want, size_t header,
                        const uint8_t coins[32])
{
    assay_writer proof;
    follower see = {want, header, false};
    const assay_tamper watch = {.k = see_k, .bytes = see_bytes, .ctx = &see};
    assay_cheat cheat = {0};
    cheat.coins = coins;
    cheat.messages = &watch;
    assay_status s = cp_fixture_prove(f, rq, &cheat, &proof);
    if (CHECK_OK(s) && CHECK_EQ_U64(proof.n, want->n)) CHECK_EQ_MEM(proof.p, want->p, proof.n);
    assay_writer_clear(&proof);
}

static void commit_stored(const stored_model *k)
{
    cp_fixture f = {0};
    assay_public stored = {0};
    file secrets = {0};
    uint8_t id[32];
    if (commit_again(k, &f, &stored)) {
        CHECK_EQ_MEM(f.pub.root, stored.root, 32);
        CHECK_EQ_MEM(f.pub.id, stored.id, 32);
        if (read_vector(&secrets, "secrets.txt") && secret(id, &secrets, k->id)) CHECK_EQ_MEM(id, stored.id, 32);
    }
    file_clear(&secrets);
    assay_public_clear(&stored);
    cp_fixture_clear(&f);
}

TEST(stored_commitments)
{
    commit_stored(&plain);
    commit_stored(&normed);
}

static void accept_stored(const stored_case *k)
{
    assay_policy policy;
    cp_fixture f = {0};
    assay_public stored = {0};
    assay_request rq = {0};
    file proof = {0};
    assay_cp_result r;
    if (commit_again(k->model, &f, &stored) && read_request(k, &f, &policy, &rq) && read_vector(&proof, k->proof)) {
        assay_writer w = {proof.p, proof.n, proof.n, proof.n, false};
        CHECK_OK(cp_fixture_verify(&f, &rq, &w, NULL, 0, &r));
        CHECK(r.verdict == ASSAY_ACCEPT);
        CHECK_EQ_STR(r.reason, "");
        proof.p[proof.n - 1] ^= 1;
        CHECK_OK(cp_fixture_verify(&f, &rq, &w, NULL, 0, &r));
        CHECK(r.verdict == ASSAY_REJECT);
    }
    file_clear(&proof);
    assay_request_clear(&rq);
    assay_public_clear(&stored);
    cp_fixture_clear(&f);
}

TEST(stored_proofs_accepted)
{
    accept_stored(&exact);
    accept_stored(&gap);
    accept_stored(&heads);
}

static void make_stored(const stored_case *k)
{
    assay_policy policy;
    cp_fixture f = {0};
    assay_public stored = {0};
    assay_request rq = {0};
    file proof = {0}, secrets = {0};
    uint8_t coins[32];
    if (commit_again(k->model, &f, &stored) && read_request(k, &f, &policy, &rq) && read_vector(&proof, k->proof) &&
        read_vector(&secrets, "secrets.txt") && secret(coins, &secrets, "coins"))
        check_proof(&f, &rq, &proof, k->header, coins);
    file_clear(&proof), file_clear(&secrets);
    assay_request_clear(&rq);
    assay_public_clear(&stored);
    cp_fixture_clear(&f);
}

TEST(same_coins_same_proof)
{
    make_stored(&exact);
    make_stored(&gap);
    make_stored(&heads);
}
