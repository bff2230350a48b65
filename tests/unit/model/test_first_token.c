/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed first token's keys and values at import, and prompts that do not begin with it. */
#include "harness.h"
#include "model/plan.h"
#include "unit/model/small_model.h"
#include <math.h>

enum { VALUES = 2 * 2 * 4 }; /* L G E */

static bool fixed_model(assay_model *m)
{
    return assay_small_model(m, (assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 3) && assay_small_fix_first(m, 4);
}

TEST(values_outside_their_range_are_refused)
{
    const float bad[] = {1e9f, -1e9f, NAN, INFINITY};
    assay_model m;
    REQUIRE(fixed_model(&m));
    for (size_t i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        float k[VALUES] = {0}, v[VALUES] = {0};
        assay_errinfo err = {0};
        k[3] = 1;
        CHECK_OK(assay_quantise_first(&m, k, v, &err));
        CHECK_EQ_U64((uint64_t)m.first_k[3], (uint64_t)1 << m.cfg.layer[0].kr.f);
        (i % 2 ? k : v)[VALUES - 1] = bad[i / 2];
        CHECK_STATUS(assay_quantise_first(&m, k, v, &err), ASSAY_ERANGE);
    }
    assay_model_clear(&m);
}

TEST(prompts_begin_with_the_token)
{
    const uint32_t good[] = {1, 5}, other[] = {5, 1};
    assay_model m;
    REQUIRE(fixed_model(&m));
    CHECK_OK(assay_model_prompt_check(&m.cfg, good, 2, NULL));
    CHECK_STATUS(assay_model_prompt_check(&m.cfg, good, 1, NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_model_prompt_check(&m.cfg, good, 0, NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_model_prompt_check(&m.cfg, other, 2, NULL), ASSAY_ERANGE);
    m.cfg.fixed_first = 0;
    CHECK_OK(assay_model_prompt_check(&m.cfg, other, 1, NULL));
    assay_model_clear(&m);
}
