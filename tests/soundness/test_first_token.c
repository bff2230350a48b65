/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats against a fixed first token (docs/protocol.md §7.5): its keys and values are the committed ones, whatever else
 * stands at position 0 has no effect, and every other position is checked as always.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

#define FIRST(id, ...)                                                                                                 \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {__VA_ARGS__};                                                                       \
        cheat_check(stage_first(), &what);                                                                             \
    }

/* ---- keys and values that are not the committed ones; the run goes on with them */
FIRST(key_off_by_one, .breaks = "first k", .t = TEN_KR, .index = 1, .token = 0, .at = 3, .by = 1, .made = cheat_add)
FIRST(last_key_off_by_one, .breaks = "first k", .t = TEN_KR, .index = 2, .token = 0, .at = 7, .by = -1,
      .made = cheat_add)
FIRST(value_off_by_one, .breaks = "first v", .t = TEN_V1, .index = 1, .token = 0, .at = 3, .by = 1, .made = cheat_add)
FIRST(last_value_off_by_one, .breaks = "first v", .t = TEN_V1, .index = 2, .token = 0, .at = 7, .by = 1,
      .made = cheat_add)

static void other_key(const cheater *c, assay_model *m)
{
    m->first_k[c->what->at]++;
}
static void other_value(const cheater *c, assay_model *m)
{
    m->first_v[c->what->at]--;
}
static void keys_as_values(const cheater *c, assay_model *m)
{
    int16_t *k = m->first_k;
    (void)c;
    m->first_k = m->first_v;
    m->first_v = k;
}
FIRST(one_committed_key, .breaks = "first k", .at = 2 * 8 + 5, .weights = other_key)
FIRST(one_committed_value, .breaks = "first v", .at = 0, .weights = other_value)
FIRST(keys_and_values_swapped, .breaks = "first k | first v", .weights = keys_as_values)

/* ---- the other positions are checked: the first that is, and the last */
FIRST(query_of_the_second_token, .breaks = "q", .t = TEN_Q, .index = 1, .token = 1, .at = 3, .by = 1, .made = cheat_add)
FIRST(key_of_the_second_token, .breaks = "rotate k", .t = TEN_KR, .index = 1, .token = 1, .at = 3, .by = 1,
      .made = cheat_add)
FIRST(value_of_the_second_token, .breaks = "v", .t = TEN_V1, .index = 1, .token = 1, .at = 3, .by = 1,
      .made = cheat_add)
FIRST(embedding_of_the_second_token, .breaks = "embed", .t = TEN_H0, .index = 0, .token = 1, .at = 3, .by = 1,
      .made = cheat_add)
FIRST(output_of_the_last_token, .breaks = "down", .t = TEN_DOWN, .index = 2, .token = 22, .at = 15, .by = 1,
      .made = cheat_add)

/* ---- position 0 itself: no output depends on its own row */
TEST(row_of_the_first_token_is_free)
{
    static const cheat what = {.breaks = "", .t = TEN_Q, .index = 1, .token = 0, .at = 3, .by = 1, .made = cheat_add};
    cheat_accept(stage_first(), &what);
}

/* ---- requests that do not begin with the token */
static void refused(uint32_t first, uint32_t n_prompt)
{
    stage *st = stage_first();
    assay_request rq;
    assay_writer proof;
    assay_cp_result r = {0};
    assay_errinfo err = {0};
    uint32_t ids[3] = {first, 2, 3};
    REQUIRE(st->ready);
    assay_writer_init(&proof, 64);
    REQUIRE_OK(assay_request_new(&rq, ids, n_prompt, 2, 3, NULL, 0, &err));
    assay_proof_header_encode(&proof, &(assay_gap_bounds){0}, 0);
    CHECK_STATUS(assay_cp_verify(&r, &st->fx.pub, &rq, NULL, proof.p, proof.n, 100, NULL, 0, &err), ASSAY_ERANGE);
    CHECK(r.verdict == ASSAY_REJECT);
    CHECK(strstr(err.reason, "first token") != NULL);
    CHECK_STATUS(cp_fixture_prove(&st->fx, &rq, NULL, &proof), ASSAY_ERANGE);
    assay_request_clear(&rq);
    assay_writer_clear(&proof);
}
TEST(another_first_token)
{
    refused(2, 2);
}
TEST(nothing_but_the_first_token)
{
    refused(1, 1);
}
