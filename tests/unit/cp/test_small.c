/* SPDX-License-Identifier: Apache-2.0 */
/* Small models of many shapes: every requirement holds on an honest witness, and the proof is accepted.
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cp_fixture.h"
#include "unit/model/small_model.h"
#include <stdio.h>
#include <string.h>

static void diagnose(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    const char *names[64];
    size_t n = cp_false_requirements(cp, w, p, names, 64);
    (void)ctx;
    for (size_t i = 0; i < n && i < 64; i++) printf("  does not hold: %s\n", names[i]);
    CHECK_EQ_U64(n, 0);
}

static void round_trip_of(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint64_t seed,
                          uint64_t leaf_limit, void (*change)(assay_model *m))
{
    assay_model m;
    cp_fixture f;
    assay_errinfo err = {0};
    assay_run_options opt = {0};
    assay_tables tb;
    uint32_t ids[64], n_out, y;
    char text[512];
    const assay_commit_params params = {128, 13, 10, 2};
    REQUIRE(assay_small_model(&m, shape, seed));
    if (change) change(&m);
    REQUIRE_OK(cp_fixture_commit(&f, &m, &params, 3));
    REQUIRE_OK(assay_tables_new(&tb, &f.model.cfg, 64, &err));
    /* Random weights refuse some prompts: the first one that has a result. */
    do {
        REQUIRE(seed < 200);
        assay_small_ids(ids, n_prompt, shape.vocab, seed++);
        if (f.model.cfg.fixed_first) ids[0] = (uint32_t)f.model.cfg.bos;
    } while (assay_model_reply(&f.model, &tb, ids, n_prompt, n_new, &n_out, &y, &opt, &err) != ASSAY_OK);
    assay_request rq;
    assay_writer proof;
    assay_cp_result r;
    assay_cheat look = {0};
    look.claims = diagnose;
    look.leaf_limit = leaf_limit;
    REQUIRE_OK(assay_request_new(&rq, ids, n_prompt, n_out, y, "abc", 3, &err));
    assay_status s = cp_fixture_prove(&f, &rq, &look, &proof);
    if (s != ASSAY_OK) printf("%s\n", assay_errinfo_text(&f.err, text, sizeof text));
    REQUIRE_OK(s);
    CHECK_OK(cp_fixture_verify(&f, &rq, &proof, NULL, leaf_limit, &r));
    printf("%u layers, %u + %u tokens: %zu bytes, %s\n", shape.n_layers, n_prompt, n_out - n_prompt, proof.n, r.reason);
    CHECK(r.verdict == ASSAY_ACCEPT);
    assay_writer_clear(&proof);
    assay_request_clear(&rq);
    assay_tables_clear(&tb);
    cp_fixture_clear(&f);
}

static void round_trip(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, uint64_t seed, uint64_t leaf_limit)
{
    round_trip_of(shape, n_prompt, n_new, seed, leaf_limit, NULL);
}

/* Long exp tables, most of whose rows are 0 and lie in several rows of the stack; wide SiLU tables. */
static void longer_tables(assay_model *m)
{
    assay_model_config *c = &m->cfg;
    c->dist_bits = 18; /* of which 2 are a remainder */
    c->e_bits = 16;
    for (uint32_t l = 0; l < c->n_layers; l++) {
        assay_layer_config *y = &c->layer[l];
        y->gate.b = 14;
        y->fsg = y->gate.f + 2;
        y->act.f = y->fsg + y->up.f - y->act.s;
    }
}

TEST(long_tables)
{
    round_trip_of((assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 4, 7, 0, longer_tables);
}

static void fix_first(assay_model *m)
{
    CHECK(assay_small_fix_first(m, 5));
}

TEST(fixed_first_token)
{
    round_trip_of((assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 4, 7, 0, fix_first);
    round_trip_of((assay_small_shape){1, 8, 1, 1, 8, 8, 5, true}, 2, 0, 9, 0, fix_first);
    round_trip_of((assay_small_shape){3, 12, 3, 1, 6, 20, 11, true}, 3, 5, 11, 2000, fix_first);
}

TEST(two_layers)
{
    round_trip((assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 5, 4, 7, 0);
}

TEST(biases_of_q_k_v)
{
    round_trip((assay_small_shape){2, 16, 4, 2, 4, 24, 37, SMALL_BIAS}, 5, 4, 7, 0);
    round_trip((assay_small_shape){3, 12, 3, 1, 6, 20, 11, SMALL_TIED | SMALL_BIAS}, 3, 5, 11, 0);
}

TEST(norms_of_heads)
{
    round_trip((assay_small_shape){2, 16, 4, 2, 4, 24, 37, SMALL_NORMS}, 5, 4, 7, 0);
    round_trip((assay_small_shape){1, 8, 1, 1, 10, 8, 5, SMALL_NORMS}, 1, 0, 9, 0);
    round_trip((assay_small_shape){3, 12, 6, 2, 6, 20, 11, SMALL_TIED | SMALL_BIAS | SMALL_NORMS}, 3, 5, 11, 2000);
    round_trip_of((assay_small_shape){3, 12, 3, 1, 6, 20, 11, SMALL_BIAS | SMALL_NORMS}, 3, 5, 11, 2000, fix_first);
}

TEST(several_instances)
{
    round_trip((assay_small_shape){2, 16, 4, 2, 4, 24, 37, true}, 5, 4, 7, 2000);
}

TEST(one_token_one_layer_one_head)
{
    round_trip((assay_small_shape){1, 8, 1, 1, 8, 8, 5, false}, 1, 0, 9, 0);
}

TEST(odd_sizes)
{
    round_trip((assay_small_shape){3, 12, 3, 1, 6, 20, 11, true}, 3, 5, 11, 0);
}
