/* SPDX-License-Identifier: Apache-2.0 */
/* Policy files, steps of gaps, and the public interface under a policy. */
#include "assay/policy.h"
#include "base/mem.h"
#include "cp/public.h"
#include "harness.h"
#include "model/gap.h"
#include <string.h>

static assay_status parse(assay_policy *p, const char *text)
{
    assay_errinfo err;
    memset(&err, 0, sizeof err);
    assay_status s = assay_policy_parse(p, text, strlen(text), &err);
    if (s != ASSAY_OK) {
        CHECK_EQ_STR(err.subject, "policy");
        CHECK(err.reason != NULL);
        CHECK(p->kind == ASSAY_POLICY_EXACT && p->gap_max == 0 && p->budget == 0);
    }
    return s;
}

#define GAP_HEAD "assay policy 1\naccept gap\n"
static const struct {
    const char *text;
    uint64_t gap_max, budget;
} good[] = {
    {GAP_HEAD "gap_max 0.05\nbudget 1.5\n", 50000, 1500000},
    {GAP_HEAD "gap_max 0\nbudget 0\n", 0, 0},
    {GAP_HEAD "gap_max 999999.999999\nbudget 000001.000001", 999999999999, 1000001},
    {"# a remark\n\nassay policy 1\n#\naccept gap\n\ngap_max 12\n# budget 9\nbudget 3\n\n", 12000000, 3000000},
};
static const struct {
    const char *text;
    assay_status want;
} bad[] = {
    {"", ASSAY_EFORMAT},
    {"\n\n", ASSAY_EFORMAT},
    {"assay policy", ASSAY_EFORMAT},
    {"assay policy 2\naccept exact\n", ASSAY_EUNSUPPORTED},
    {"assay policy 1 \naccept exact\n", ASSAY_EUNSUPPORTED},
    {"assay policy 1\r\naccept exact\r\n", ASSAY_EUNSUPPORTED},
    {"assay policy 1\n", ASSAY_EFORMAT},
    {"assay policy 1\naccept all\n", ASSAY_EUNSUPPORTED},
    {"assay policy 1\naccept exact\ngap_max 1\n", ASSAY_EFORMAT},
    {GAP_HEAD, ASSAY_EFORMAT},
    {GAP_HEAD "gap_max 1\n", ASSAY_EFORMAT},
    {GAP_HEAD "budget 1\ngap_max 1\n", ASSAY_EFORMAT},
    {GAP_HEAD "gap_max 1\nbudget 1\nbudget 2\n", ASSAY_EFORMAT},
    {GAP_HEAD "gap_max1\nbudget 1\n", ASSAY_EFORMAT},
    {GAP_HEAD "gap_max \nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max  1\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max -1\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max +1\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 1.\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max .5\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 1e3\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 0x1\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max inf\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 1.0000001\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 1000000\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 99999999999999999999999999\nbudget 1\n", ASSAY_ERANGE},
    {GAP_HEAD "gap_max 1\nbudget 1 nats\n", ASSAY_ERANGE},
};

TEST(policy_files)
{
    assay_policy p;
    REQUIRE_OK(parse(&p, "assay policy 1\naccept exact\n"));
    CHECK(p.kind == ASSAY_POLICY_EXACT);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        REQUIRE_OK(parse(&p, good[i].text));
        CHECK(p.kind == ASSAY_POLICY_GAP);
        CHECK_EQ_U64(p.gap_max, good[i].gap_max);
        CHECK_EQ_U64(p.budget, good[i].budget);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_STATUS(parse(&p, bad[i].text), bad[i].want);
}

TEST(policy_files_of_any_bytes)
{
    static const char text[] = GAP_HEAD "gap_max 0.05\nbudget 1.5";
    char copy[sizeof text];
    assay_policy p;
    for (size_t n = 0; n < sizeof text - 4; n++) CHECK(assay_policy_parse(&p, text, n, NULL) != ASSAY_OK);
    for (size_t i = 0; i < 26; i++) /* up to accept gap: no byte may differ; also NUL */
        for (unsigned b = 0; b < 256; b++) {
            memcpy(copy, text, sizeof text);
            copy[i] = (char)b;
            if (b != (unsigned char)text[i]) CHECK(assay_policy_parse(&p, copy, sizeof text - 1, NULL) != ASSAY_OK);
        }
    char *long_one = assay_mem_alloc(5000, 1);
    REQUIRE(long_one != NULL);
    memset(long_one, '\n', 5000);
    memcpy(long_one, text, sizeof text - 1);
    REQUIRE_OK(assay_policy_parse(&p, long_one, 4096, NULL));
    CHECK_STATUS(assay_policy_parse(&p, long_one, 4097, NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_policy_parse(&p, NULL, 3, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_policy_parse(&p, NULL, 0, NULL), ASSAY_EFORMAT);
    assay_mem_free(long_one);
}

TEST(steps)
{
    for (int32_t f = GAP_LOGIT_F_MIN; f <= GAP_LOGIT_F_MAX; f++) {
        const assay_model_config c = {.logit_f = f};
        REQUIRE_OK(assay_gap_config_check(&c, NULL));
        CHECK(gap_bits(&c) >= 14 && gap_bits(&c) <= 16 && gap_shift(&c) >= 0 && gap_shift(&c) <= 16);
        CHECK(gap_bits(&c) + gap_shift(&c) <= 30);
        CHECK((1 << gap_bits(&c)) >> gap_step_f(&c) >= 16); /* nats */
        /* Limits are rounded down, uses up: the limit's own steps are within it, one more is not. */
        const assay_policy p = {ASSAY_POLICY_GAP, 51234, 1234567};
        uint32_t most, sum;
        assay_gap_limits(&most, &sum, &p, &c);
        CHECK(assay_gap_micronats(most, &c) <= p.gap_max && assay_gap_micronats(most + 1, &c) > p.gap_max);
        CHECK(assay_gap_micronats(sum, &c) <= p.budget && assay_gap_micronats(sum + 1, &c) > p.budget);
        /* The largest policy is no more than can be stated. */
        const assay_policy all = {ASSAY_POLICY_GAP, 999999999999, 999999999999};
        assay_gap_limits(&most, &sum, &all, &c);
        CHECK_EQ_U64(most, (1u << gap_bits(&c)) - 1);
        CHECK(sum < 2147483647);
    }
    const assay_model_config low = {.logit_f = GAP_LOGIT_F_MIN - 1}, high = {.logit_f = GAP_LOGIT_F_MAX + 1};
    CHECK_STATUS(assay_gap_config_check(&low, NULL), ASSAY_EUNSUPPORTED);
    CHECK_STATUS(assay_gap_config_check(&high, NULL), ASSAY_EUNSUPPORTED);
}

/* Every inequality of the row "gap sum" of the width table. */
TEST(bounds_that_can_be_stated)
{
    const assay_model_config c = {.logit_f = 21};
    const assay_gap_bounds none = {0}, fine = {ASSAY_POLICY_GAP, 65535, 2147483646, 512};
    CHECK_OK(assay_gap_bounds_check(&none, &c, 512, NULL));
    CHECK_OK(assay_gap_bounds_check(&fine, &c, 512, NULL));
    assay_gap_bounds b = none;
    b.sum = 1;
    CHECK_STATUS(assay_gap_bounds_check(&b, &c, 512, NULL), ASSAY_ERANGE);
    b = fine, b.policy = 2;
    CHECK_STATUS(assay_gap_bounds_check(&b, &c, 512, NULL), ASSAY_EUNSUPPORTED);
    b = fine, b.most = 65536;
    CHECK_STATUS(assay_gap_bounds_check(&b, &c, 512, NULL), ASSAY_ERANGE);
    b = fine, b.sum = 2147483647;
    CHECK_STATUS(assay_gap_bounds_check(&b, &c, 512, NULL), ASSAY_ERANGE);
    b = fine, b.count = 513;
    CHECK_STATUS(assay_gap_bounds_check(&b, &c, 512, NULL), ASSAY_ERANGE);
    CHECK_OK(assay_gap_bounds_check(&fine, &c, 32640, NULL)); /* 32640 * 65790 < p */
    CHECK_STATUS(assay_gap_bounds_check(&fine, &c, 32768, NULL), ASSAY_ERANGE);
    const assay_model_config odd = {.logit_f = 27};
    CHECK_STATUS(assay_gap_bounds_check(&fine, &odd, 512, NULL), ASSAY_EUNSUPPORTED);
}

TEST(headers_of_proofs)
{
    const assay_gap_bounds exact = {0}, gap = {ASSAY_POLICY_GAP, 7, 9, 2};
    const assay_gap_bounds *const all[] = {&exact, &gap};
    for (size_t i = 0; i < 2; i++) {
        assay_writer w;
        assay_gap_bounds got;
        const uint8_t *body = NULL;
        size_t n = 0;
        assay_writer_init(&w, 100);
        assay_proof_header_encode(&w, all[i], 3);
        CHECK_EQ_U64(w.n, i ? 32 : 16);
        assay_write_bytes(&w, "abc", 3);
        REQUIRE_OK(assay_proof_header_decode(w.p, w.n, &got, &body, &n, NULL));
        CHECK_EQ_MEM(&got, all[i], sizeof got);
        CHECK(n == 3 && memcmp(body, "abc", 3) == 0);
        for (size_t k = 0; k < w.n; k++) CHECK(assay_proof_header_decode(w.p, k, &got, &body, &n, NULL) != ASSAY_OK);
        w.p[8] = 3;
        CHECK_STATUS(assay_proof_header_decode(w.p, w.n, &got, &body, &n, NULL), ASSAY_EUNSUPPORTED);
        w.p[8] = 2, w.p[12] = 0; /* the exact policy in the other form */
        CHECK(assay_proof_header_decode(w.p, w.n, &got, &body, &n, NULL) != ASSAY_OK);
        assay_writer_clear(&w);
    }
}
