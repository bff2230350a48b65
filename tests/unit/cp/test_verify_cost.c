/* SPDX-License-Identifier: Apache-2.0 */
/* What a verifier spends on hostile public files: a proof that cannot be one, for its length, costs nothing. And no
 * honest proof is taken for one: the least length is never more than a real one.
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/file.h"
#include "base/mem.h"
#include "cp/proof_size.h"
#include "harness.h"
#include "support/cp_fixture.h"
#include "unit/model/small_model.h"
#include <stdio.h>
#include <string.h>

enum { MAX_T = 1 << 15, MAX_FILE = 1 << 20, DIGEST = 32 };

/* One layer of plain units; everything that is not given is as small as it may be. */
static bool hostile(assay_public *p, uint32_t heads, uint32_t dim, uint32_t c, uint32_t jb)
{
    static int32_t unit[3];
    static int64_t eps[3];
    static assay_layer_config layer;
    const assay_site plain = {8, 0, 0}, rotated = {8, 1, 1};
    assay_errinfo err = {0};
    memset(p, 0, sizeof *p);
    assay_model_config *m = &p->cfg;
    *m = (assay_model_config){.family = 1,
                              .n_layers = 1,
                              .d = 2,
                              .n_heads = heads,
                              .n_kv = heads,
                              .head_dim = dim,
                              .ff = 1,
                              .vocab = 2,
                              .max_positions = MAX_T,
                              .eps_q60 = 1,
                              .bos = -1,
                              .n_bits = 15,
                              .score_f = 2,
                              .dist_bits = 16,
                              .cos_bits = 2,
                              .e_bits = 12,
                              .z_bits = 22,
                              .rsqrt_in = 12,
                              .rsqrt_out = 12,
                              .resid_bits = 16,
                              .rope_theta_q16 = (uint64_t)10000 << 16,
                              .ng = {8, 0, 0}};
    m->rs_t = assay_model_rsqrt_unit(m->d);
    for (unsigned j = 0; j < 3; j++) eps[j] = assay_model_eps_term(m->eps_q60, m->d, 0);
    layer = (assay_layer_config){plain, plain, plain, rotated, rotated, plain, plain, plain,
                                 plain, plain, 0,     0,       0,       plain, plain, 0};
    m->unit = unit;
    m->eps_term = eps;
    m->layer = &layer;
    p->params = (assay_commit_params){128, c, 8, jb};
    return CHECK_OK(assay_model_config_check(m, 1, &err)) && CHECK_OK(assay_public_identify(p, &err));
}

/* Most bytes that live while a body of n bytes is refused for its length. */
static uint64_t peak(const assay_public *p, const assay_request *rq, const assay_policy *policy,
                     const assay_gap_bounds *gap, const uint8_t *body, size_t n)
{
    assay_writer w;
    assay_cp_result r;
    assay_errinfo err = {0};
    assay_writer_init(&w, ASSAY_MAX_PROOF_FILE);
    assay_proof_header_encode(&w, gap, n);
    assay_write_bytes(&w, body, n);
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    CHECK_OK(assay_cp_verify(&r, p, rq, policy, w.p, w.n, 100, NULL, 0, &err));
    CHECK(r.verdict == ASSAY_REJECT);
    CHECK_EQ_STR(r.reason, "the proof is too short");
    const uint64_t bytes = assay_mem_peak() - before;
    assay_writer_clear(&w);
    return bytes;
}

static uint64_t peak_of_four_bytes(const assay_public *p, uint32_t n_tokens)
{
    static uint32_t ids[MAX_T + 1];
    static const uint8_t body[4];
    assay_request rq;
    assay_errinfo err = {0};
    const assay_gap_bounds exact = {0};
    if (!CHECK_OK(assay_request_new(&rq, ids, n_tokens, n_tokens, 0, NULL, 0, &err))) return 0;
    const uint64_t bytes = peak(p, &rq, NULL, &exact, body, sizeof body);
    printf("%u tokens: %.1f MB\n", n_tokens, 1e-6 * (double)bytes);
    assay_request_clear(&rq);
    return bytes;
}

TEST(a_short_proof_of_wide_heads_costs_nothing)
{
    assay_public p;
    REQUIRE(hostile(&p, 64, 64, 20, 8));
    CHECK(peak_of_four_bytes(&p, 64) < 4 << 20);
}

TEST(a_short_proof_of_many_rows_costs_nothing)
{
    assay_public p;
    REQUIRE(hostile(&p, 1, 2, 10, 8));
    CHECK(peak_of_four_bytes(&p, 8000) < 16 << 20);
}

/* A box of 2^31 look-ups: refused from the extents, before index sets of 6 MB each are cut. */
TEST(a_box_that_is_too_large_costs_nothing)
{
    assay_public p;
    assay_cp_shape s;
    assay_errinfo err = {0};
    REQUIRE(hostile(&p, 511, 2, 10, 8));
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    CHECK_STATUS(assay_cp_shape_init(&s, &p.cfg, &p.params, 8191, 8191, NULL, 0, &err), ASSAY_ERANGE);
    CHECK_EQ_STR(err.reason, "too many look-ups in one box");
    const uint64_t bytes = assay_mem_peak() - before;
    printf("%.2f MB\n", 1e-6 * (double)bytes);
    CHECK(bytes < 8 << 20);
}

/* All of the verifier's work up to the openings, on zeros of a proof's least length: its memory follows the number of
 * boxes, about 18 a token here (pieces of the causal square in five index sets), not tokens times width. */
static uint64_t peak_of_zeros(const assay_public *p, uint32_t n_tokens)
{
    static uint32_t ids[MAX_T + 1];
    assay_request rq;
    assay_frame f;
    assay_cp_result r;
    assay_writer w;
    assay_errinfo err = {0};
    const assay_gap_bounds exact = {0};
    if (!CHECK_OK(assay_request_new(&rq, ids, n_tokens, n_tokens, 0, NULL, 0, &err))) return 0;
    if (!CHECK_OK(assay_frame_plan(&f, p, &rq, NULL, 0, &err))) return 0;
    const size_t n = (size_t)assay_cp_proof_least(&f) + 64 * (size_t)DIGEST;
    assay_frame_clear(&f);
    uint8_t *zeros = assay_mem_alloc(n, 1);
    assay_writer_init(&w, ASSAY_MAX_PROOF_FILE);
    assay_proof_header_encode(&w, &exact, n);
    assay_write_bytes(&w, zeros, n);
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    CHECK_OK(assay_cp_verify(&r, p, &rq, NULL, w.p, w.n, 100, NULL, 0, &err));
    const uint64_t bytes = assay_mem_peak() - before;
    CHECK(r.verdict == ASSAY_REJECT);
    CHECK(strcmp(r.reason, "the proof is too short") != 0);
    printf("%u tokens: %.1f MB, %s\n", n_tokens, 1e-6 * (double)bytes, r.reason);
    assay_writer_clear(&w);
    assay_mem_free(zeros);
    assay_request_clear(&rq);
    return bytes;
}

TEST(a_long_request_costs_little)
{
    assay_public p;
    REQUIRE(hostile(&p, 1, 2, 20, 8));
    CHECK(peak_of_zeros(&p, 2047) < 16 << 20);
    CHECK(peak_of_zeros(&p, 16383) < 96 << 20);
    REQUIRE(hostile(&p, 32, 128, 20, 8)); /* wide heads: a matrix of weights over tokens and width would be 192 MB */
    CHECK(peak_of_zeros(&p, 2047) < 32 << 20);
}

/* Numbers of grids never reach those of the committed matrices. */
TEST(too_many_grids_are_refused)
{
    assay_public p;
    assay_cp_shape s;
    assay_errinfo err = {0};
    REQUIRE(hostile(&p, 1, 2, 10, 8));
    REQUIRE_OK(assay_cp_shape_init(&s, &p.cfg, &p.params, 3, 3, NULL, 0, &err));
    const uint32_t n = s.n_grids;
    s.n_grids = ASSAY_MAX_GRIDS;
    CHECK_STATUS(assay_cp_shape_close(&s, 1, &err), ASSAY_ERANGE);
    CHECK_EQ_STR(err.reason, "too many look-up tables");
    s.n_grids = n;
    CHECK_OK(assay_cp_shape_close(&s, 1, &err));
    assay_cp_shape_clear(&s);
}

/* Only siblings come on top of the least length; one byte less than it is refused at once. */
static void check_least(const assay_public *pub, const assay_request *rq, const assay_policy *policy,
                        const assay_writer *proof)
{
    assay_frame f;
    assay_gap_bounds gap;
    assay_cp_result r;
    assay_errinfo err = {0};
    const uint8_t *body;
    size_t n;
    REQUIRE_OK(assay_proof_header_decode(proof->p, proof->n, &gap, &body, &n, &err));
    REQUIRE_OK(assay_frame_plan(&f, pub, rq, &gap, 0, &err));
    const uint64_t least = assay_cp_proof_least(&f);
    assay_frame_clear(&f);
    REQUIRE(least <= n);
    CHECK_EQ_U64((n - least) % DIGEST, 0);

    assay_mem_peak_reset();
    uint64_t whole = assay_mem_peak();
    CHECK_OK(assay_cp_verify(&r, pub, rq, policy, proof->p, proof->n, 100, NULL, 0, &err));
    CHECK(r.verdict == ASSAY_ACCEPT);
    whole = assay_mem_peak() - whole;
    const uint64_t cut = peak(pub, rq, policy, &gap, body, (size_t)least - 1);
    printf("%zu bytes, at least %llu; %.2f MB, cut short %.2f MB\n", n, (unsigned long long)least, 1e-6 * (double)whole,
           1e-6 * (double)cut);
    CHECK(2 * cut < whole);
}

/* ---- stored proofs */

typedef struct file {
    uint8_t *p;
    size_t n;
} file;

static bool read_file(file *f, const char *folder, const char *name)
{
    char path[4096];
    assay_errinfo err = {0};
    (void)snprintf(path, sizeof path, "%s/%s/%s", assay_test_source_dir(), folder, name);
    return CHECK_OK(assay_file_read(path, MAX_FILE, &f->p, &f->n, &err));
}

/* config, ivk, request, next token, proof; policy: NULL for the exact one. */
static void check_stored(const char *folder, const char *const name[5], const char *policy_name)
{
    file f[5] = {{NULL, 0}}, text = {NULL, 0};
    assay_public pub = {0};
    assay_request rq = {0};
    assay_policy policy;
    assay_errinfo err = {0};
    for (unsigned i = 0; i < 5; i++) REQUIRE(read_file(&f[i], folder, name[i]));
    REQUIRE_OK(assay_public_decode(&pub, f[0].p, f[0].n, f[1].p, f[1].n, &err));
    REQUIRE_OK(assay_request_decode(&rq, f[2].p, f[2].n, f[3].p, f[3].n, &err));
    if (policy_name) {
        REQUIRE(read_file(&text, folder, policy_name));
        REQUIRE_OK(assay_policy_parse(&policy, text.p, text.n, &err));
    }
    const assay_writer proof = {f[4].p, f[4].n, f[4].n, f[4].n, false};
    check_least(&pub, &rq, policy_name ? &policy : NULL, &proof);
    for (unsigned i = 0; i < 5; i++) assay_mem_free(f[i].p);
    assay_mem_free(text.p);
    assay_request_clear(&rq);
    assay_public_clear(&pub);
}

TEST(stored_proofs_are_long_enough)
{
    static const char *const example[] = {"config/config.bin", "ivk/ivk.bin", "F.req", "F.y", "F.proof"};
    static const char *const exact[] = {"config.bin", "ivk.bin", "F.req", "F.y", "F.proof"};
    static const char *const gap[] = {"config.bin", "ivk.bin", "G.req", "G.y", "G.proof"};
    check_stored("examples/accepted-proof", example, NULL);
    check_stored("tests/vectors/whole_proof", exact, NULL);
    check_stored("tests/vectors/whole_proof", gap, "policy");
}

/* ---- shapes */

static void check_shape(assay_small_shape shape, assay_commit_params params, uint32_t n_prompt, uint32_t n_new,
                        const assay_policy *policy)
{
    assay_model m;
    cp_fixture f;
    assay_errinfo err = {0};
    assay_run_options opt = {0};
    assay_tables tb;
    assay_request rq;
    assay_writer proof;
    uint32_t ids[64], n_out, y;
    uint64_t seed = 7;
    REQUIRE(assay_small_model(&m, shape, seed));
    REQUIRE_OK(cp_fixture_commit(&f, &m, &params, 3));
    REQUIRE_OK(assay_tables_new(&tb, &f.model.cfg, 64, &err));
    do { /* random weights refuse some prompts */
        REQUIRE(seed < 200);
        assay_small_ids(ids, n_prompt, shape.vocab, seed++);
    } while (assay_model_reply(&f.model, &tb, ids, n_prompt, n_new, &n_out, &y, &opt, &err) != ASSAY_OK);
    REQUIRE_OK(assay_request_new(&rq, ids, n_prompt, n_out, y, "abc", 3, &err));
    f.policy = policy;
    REQUIRE_OK(cp_fixture_prove(&f, &rq, NULL, &proof));
    check_least(&f.pub, &rq, policy, &proof);
    assay_writer_clear(&proof);
    assay_request_clear(&rq);
    assay_tables_clear(&tb);
    cp_fixture_clear(&f);
}

TEST(proofs_of_many_shapes_are_long_enough)
{
    const assay_small_shape two = {2, 16, 4, 2, 4, 24, 37, false}, one = {1, 8, 1, 1, 8, 8, 5, SMALL_TIED},
                            odd = {3, 12, 3, 1, 6, 20, 11, SMALL_TIED | SMALL_BIAS};
    const assay_policy near = {ASSAY_POLICY_GAP, 100000, 400000};
    check_shape(two, (assay_commit_params){128, 13, 10, 2}, 5, 4, NULL);
    check_shape(two, (assay_commit_params){100, 12, 8, 2}, 5, 4, NULL);  /* no level of the tail */
    check_shape(two, (assay_commit_params){128, 17, 10, 1}, 5, 4, NULL); /* two */
    check_shape(one, (assay_commit_params){128, 14, 9, 0}, 1, 0, NULL);
    check_shape(odd, (assay_commit_params){100, 13, 9, 3}, 3, 9, &near);
}
