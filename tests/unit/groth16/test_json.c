/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of snarkjs: what it wrote is written back byte for byte; every alias, sign, missing or foreign thing is refused
 * with words that name it; call data for Solidity. */
#include "assay/groth16.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "field/limbs.h"
#include "groth16/decimal.h"
#include "groth16/json.h"
#include "groth16/mutation.h"
#include "groth16/small_files.h"
#include "groth16/vectors.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20 };

static const assay_curve *curve; /* of what is parsed */

static assay_status parse_vk(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_vk vk;
    assay_status s = assay_vk_parse_json(&vk, "vk", p, n, err);
    CHECK((s == ASSAY_OK) == (vk.ic != NULL));
    assay_vk_clear(&vk);
    return s;
}

static assay_status parse_proof(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_proof proof;
    assay_status s = assay_proof_parse_json(&proof, curve, "proof", p, n, err);
    CHECK((s == ASSAY_OK) == (proof.curve != NULL));
    return s;
}

static assay_status parse_publics(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_publics x;
    assay_status s = assay_publics_parse_json(&x, curve, "public", p, n, err);
    assay_publics_clear(&x);
    return s;
}

typedef struct change {
    const char *name, *from, *to; /* the first occurrence of `from` becomes `to` */
    assay_status want;
    const char *words;
} change;

static void check_changes(parse_fn *parse, const assay_writer *good, const change *c, size_t n)
{
    check_refused(parse, good->p, good->n, "unchanged", ASSAY_OK, NULL);
    for (size_t i = 0; i < n; i++) {
        char *text = calloc(good->n + 4096, 1), *out = calloc(good->n + 8192, 1);
        if (!text || !out) abort();
        memcpy(text, good->p, good->n);
        char *at = strstr(text, c[i].from);
        if (CHECK(at != NULL)) {
            int length =
                snprintf(out, good->n + 8192, "%.*s%s%s", (int)(at - text), text, c[i].to, at + strlen(c[i].from));
            check_refused(parse, (uint8_t *)out, (size_t)length, c[i].name, c[i].want, c[i].words);
        } else {
            printf("  %s\n", c[i].name);
        }
        free(text);
        free(out);
    }
}

/* ---- decimal numbers */

TEST(decimal)
{
    static const char *const same[] = {"0",
                                       "1",
                                       "9",
                                       "10",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "10000000000000000000",
                                       "340282366920938463463374607431768211456",
                                       "21888242871839275222246405745257275088548364400416034343698204186575808495616"};
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
    char text[ASSAY_DECIMAL_BYTES];
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        CHECK(assay_decimal_fault(same[i], strlen(same[i])) == NULL);
        CHECK(assay_decimal_read(limbs, same[i], strlen(same[i]), c->fr_modulus, 4));
        CHECK_EQ_STR(assay_decimal_write(text, limbs, 4), same[i]);
    }
    static const char *const large[] = {
        "21888242871839275222246405745257275088548364400416034343698204186575808495617", /* r */
        "21888242871839275222246405745257275088548364400416034343698204186575808495618",
        "115792089237316195423570985008687907853269984665640564039457584007913129639936", /* 2^256 */
        "115792089237316195423570985008687907853269984665640564039457584007913129639937",
        ("9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
         "9999999"
         "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
         "99999")};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        CHECK(!assay_decimal_read(limbs, large[i], strlen(large[i]), c->fr_modulus, 4));
    static const char *const bad[] = {"", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "a", "-0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK(assay_decimal_fault(bad[i], strlen(bad[i])) != NULL);
    for (int i = 0; i < 1000; i++) { /* through text and back, of all lengths */
        uint64_t x[6], y[6], most[6] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
        for (int k = 0; k < 6; k++) x[k] = assay_test_random() & (i % 7 > k ? ~0ull : 0);
        (void)assay_decimal_write(text, x, 6);
        CHECK(assay_decimal_fault(text, strlen(text)) == NULL);
        CHECK(assay_decimal_read(y, text, strlen(text), most, 6));
        CHECK_EQ_MEM(x, y, sizeof x);
    }
}

/* ---- keys */

TEST(vk_round_trip)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        assay_vk vk, again;
        assay_writer w;
        curve = assay_curve_get((assay_curve_id)i);
        small_vk(&vk, curve);
        assay_writer_init(&w, MAX_BYTES);
        assay_vk_json(&w, &vk);
        REQUIRE(!w.bad);
        REQUIRE_OK(assay_vk_parse_json(&again, "vk", w.p, w.n, NULL));
        CHECK(again.curve == curve);
        CHECK_EQ_U64(again.n_public, SMALL_PUBLIC);
        CHECK_EQ_MEM(&again.alpha1, &vk.alpha1, sizeof vk.alpha1 / 2);
        CHECK_EQ_MEM(&again.gamma2, &vk.gamma2, curve->group[ASSAY_G2].affine_bytes);
        CHECK_EQ_MEM(again.ic, vk.ic, 2 * curve->group[ASSAY_G1].affine_bytes);
        CHECK(!assay_vk_is_development(&again));
        again.gamma2 = again.delta2;
        CHECK(assay_vk_is_development(&again));
        assay_vk_clear(&again);
        assay_vk_clear(&vk);
        for (size_t n = 0; n < w.n; n += 7) check_refused(parse_vk, w.p, n, "cut", ASSAY_EFORMAT, NULL);
        assay_writer_clear(&w);
    }
}

TEST(vk_hostile)
{
    static const change c[] = {
        {"protocol", "groth16", "plonk", ASSAY_EUNSUPPORTED, "protocol: is not \"groth16\""},
        {"no protocol", "protocol", "prtcl", ASSAY_EFORMAT, "protocol: is missing"},
        {"curve", "bn128", "bn127", ASSAY_EUNSUPPORTED, "curve: is no curve"},
        {"no curve", "curve", "curb", ASSAY_EFORMAT, "curve: is missing"},
        {"other curve", "bn128", "bls12381", ASSAY_ERANGE, "alpha: is not on the curve"},
        {"nPublic 99", "\"nPublic\": 1", "\"nPublic\": 99", ASSAY_EFORMAT, "nPublic: is not the length of IC"},
        {"nPublic 0", "\"nPublic\": 1", "\"nPublic\": 0", ASSAY_EFORMAT, "nPublic: is not the length of IC"},
        {"nPublic -1", "\"nPublic\": 1", "\"nPublic\": -1", ASSAY_EFORMAT, "nPublic: is not the length of IC"},
        {"nPublic text", "\"nPublic\": 1", "\"nPublic\": \"1\"", ASSAY_EFORMAT,
         "nPublic: is missing or no whole number"},
        {"nPublic real", "\"nPublic\": 1", "\"nPublic\": 1.0", ASSAY_EFORMAT, "nPublic: is missing or no whole number"},
        {"no IC", "\"IC\"", "\"ic\"", ASSAY_EFORMAT, "IC: is not an array"},
        {"twice", "\"protocol\": \"groth16\"", "\"protocol\": \"groth16\", \"protocol\": \"groth16\"", ASSAY_EFORMAT,
         "has a member twice"},
        {"no alpha", "vk_alpha_1", "vk_alpha_2", ASSAY_EFORMAT, "vk_alpha_1: is missing"},
        {"unknown member", "\"protocol\"", "\"note\": [1, {}], \"protocol\"", ASSAY_OK, NULL},
        {"alphabeta is not looked at", "vk_alphabeta_12", "vk_alphabeta", ASSAY_OK, NULL},
        {"infinity of snarkjs", "\"vk_alpha_1\": [", "\"vk_alpha_1\": [\"0\", \"1\", \"0\"], \"rest\": [",
         ASSAY_EFORMAT, "vk_alpha_1, z: is not \"1\""},
        {"y", "\"1\"\n ]", "\"2\"\n ]", ASSAY_EFORMAT, "vk_alpha_1, z: is not \"1\""},
        {"z of G2", "\"1\",\n   \"0\"", "\"1\",\n   \"1\"", ASSAY_EFORMAT, "vk_beta_2, z"},
        {"rest", "{", "[]{", ASSAY_EFORMAT, "is not JSON"},
    };
    assay_vk vk;
    assay_writer w;
    curve = assay_curve_get(ASSAY_BN254);
    small_vk(&vk, curve);
    assay_writer_init(&w, MAX_BYTES);
    assay_vk_json(&w, &vk);
    check_changes(parse_vk, &w, c, sizeof c / sizeof c[0]);
    w.n = 0;
    memset(assay_vk_ic(&vk, 1), 0, curve->group[ASSAY_G1].affine_bytes);
    assay_vk_json(&w, &vk); /* (0, 0, 1): no point of the curve, and the affine form of infinity */
    check_refused(parse_vk, w.p, w.n, "IC at infinity", ASSAY_ERANGE, "IC: is the point at infinity (1)");
    assay_vk_clear(&vk);
    assay_writer_clear(&w);
}

/* ---- proofs */

/* Sizes of snarkjs's numbers differ, so changes are made of the text of a coordinate. */
static void coordinate_plus_q(char out[ASSAY_DECIMAL_BYTES], const assay_curve *c, const assay_affine *a)
{
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    uint64_t x[ASSAY_FQ_MAX_LIMBS], carry = 0;
    c->group[ASSAY_G1].to_be(bytes, a);
    limbs_from_bytes(x, bytes, (int)c->fq_limbs, true);
    for (unsigned i = 0; i < c->fq_limbs; i++) x[i] = limb_add(x[i], c->fq_modulus[i], &carry);
    CHECK_EQ_U64(carry, 0);
    (void)assay_decimal_write(out, x, c->fq_limbs);
}

TEST(proof_hostile)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        assay_proof p, again;
        assay_writer w;
        char x[ASSAY_DECIMAL_BYTES], plus_q[ASSAY_DECIMAL_BYTES], zeros[ASSAY_DECIMAL_BYTES + 2], other[64];
        uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
        uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
        curve = assay_curve_get((assay_curve_id)i);
        small_proof(&p, curve);
        curve->group[ASSAY_G1].to_be(bytes, &p.a);
        limbs_from_bytes(limbs, bytes, (int)curve->fq_limbs, true);
        (void)assay_decimal_write(x, limbs, curve->fq_limbs);
        coordinate_plus_q(plus_q, curve, &p.a);
        (void)snprintf(zeros, sizeof zeros, "0%s", x);
        (void)snprintf(other, sizeof other, "\"%s\"", assay_curve_get((assay_curve_id)(1 - i))->name);
        char named[64];
        (void)snprintf(named, sizeof named, "\"%s\"", curve->name);
        const change c[] = {
            {"x + q", x, plus_q, ASSAY_ERANGE, "pi_a, x: is not below the modulus"},
            {"leading zero", x, zeros, ASSAY_EFORMAT, "pi_a, x: has leading zeros"},
            {"negative", x, "-1", ASSAY_EFORMAT, "pi_a, x: has a sign"},
            {"abc", x, "abc", ASSAY_EFORMAT, "pi_a, x: is not a decimal number"},
            {"hex", x, "0x12", ASSAY_EFORMAT, "pi_a, x: is not a decimal number"},
            {"off the curve", x, "5", ASSAY_ERANGE, "pi_a: is not on the curve"},
            {"z = 7", "\"1\"\n ]", "\"7\"\n ]", ASSAY_EFORMAT, "pi_a, z: is not \"1\""},
            {"z = 0", "\"1\"\n ]", "\"0\"\n ]", ASSAY_EFORMAT, "pi_a, z: is not \"1\""},
            {"z a number", "\"1\"\n ]", "1\n ]", ASSAY_EFORMAT, "pi_a, z: is not \"1\""},
            {"no z", ",\n  \"1\"\n ]", "\n ]", ASSAY_EFORMAT, "pi_a: is not an array of three"},
            {"z of G2", "\"1\",\n   \"0\"", "\"1\",\n   \"1\"", ASSAY_EFORMAT, "pi_b, z"},
            {"protocol", "groth16", "plonk", ASSAY_EUNSUPPORTED, "protocol: is not \"groth16\""},
            {"no pi_c", "pi_c", "pi_d", ASSAY_EFORMAT, "pi_c: is missing"},
            {"pi_b is of G1", "\"pi_b\": [", "\"pi_b\": [[\"1\"],", ASSAY_EFORMAT, "pi_b: is not an array of three"},
            {"other curve", named, other, ASSAY_EUNSUPPORTED, "curve: is another one"},
            {"no curve", "\"curve\"", "\"curved\"", ASSAY_OK, NULL},
            {"pi_a twice", "{", "{\"pi_a\": 1,", ASSAY_EFORMAT, "has a member twice"},
        };
        assay_writer_init(&w, MAX_BYTES);
        assay_proof_json(&w, &p);
        check_changes(parse_proof, &w, c, sizeof c / sizeof c[0]);
        REQUIRE_OK(assay_proof_parse_json(&again, NULL, "proof", w.p, w.n, NULL));
        CHECK_EQ_MEM(&again.b, &p.b, curve->group[ASSAY_G2].affine_bytes);
        CHECK_EQ_MEM(&again.c, &p.c, curve->group[ASSAY_G1].affine_bytes);
        for (size_t n = 0; n < w.n; n += 3) check_refused(parse_proof, w.p, n, "cut", ASSAY_EFORMAT, NULL);
        w.n = 0;
        memset(&p.c, 0, sizeof p.c);
        assay_proof_json(&w, &p);
        check_refused(parse_proof, w.p, w.n, "pi_c at infinity", ASSAY_ERANGE, "pi_c: is the point at infinity");
        assay_writer_clear(&w);
    }
    curve = NULL;
    static const char nothing[] = "{\"protocol\": \"groth16\"}";
    check_refused(parse_proof, (const uint8_t *)nothing, sizeof nothing - 1, "no curve", ASSAY_EFORMAT,
                  "curve: is missing");
}

/* A point of BLS12-381's curve that is not in the group: the least x that gives one. */
TEST(outside_of_the_group)
{
    const assay_curve *c = curve = assay_curve_get(ASSAY_BLS381);
    const assay_group *g = &c->group[ASSAY_G1];
    uint8_t x[ASSAY_FQ_MAX_BYTES] = {0};
    assay_proof p;
    assay_writer w;
    small_proof(&p, c);
    for (x[47] = 1; !g->from_x(&p.a, x, false) || g->in_group(&p.a);) x[47]++;
    CHECK(g->on_curve(&p.a));
    assay_writer_init(&w, MAX_BYTES);
    assay_proof_json(&w, &p);
    check_refused(parse_proof, w.p, w.n, "outside", ASSAY_ERANGE, "pi_a: is not in the group");
    assay_writer_clear(&w);
}

/* The points of IC, as many as the key's maker likes, are checked only for as many public values. */
TEST(number_before_points)
{
    const assay_curve *c = curve = assay_curve_get(ASSAY_BLS381);
    const assay_group *g = &c->group[ASSAY_G1];
    static const char one[] = "[\"7\"]", two[] = "[\"7\", \"8\"]";
    uint8_t x[ASSAY_FQ_MAX_BYTES] = {0};
    assay_groth16_report report;
    assay_affine outside;
    assay_errinfo err;
    assay_proof p;
    assay_vk vk;
    assay_writer key, proof;
    small_vk(&vk, c);
    small_proof(&p, c);
    for (x[47] = 1; !g->from_x(&outside, x, false) || g->in_group(&outside);) x[47]++;
    memcpy(assay_vk_ic(&vk, 1), &outside, g->affine_bytes);
    assay_writer_init(&key, MAX_BYTES);
    assay_writer_init(&proof, MAX_BYTES);
    assay_vk_json(&key, &vk);
    assay_proof_json(&proof, &p);
    CHECK_STATUS(assay_groth16_verify(&report, key.p, key.n, one, sizeof one - 1, proof.p, proof.n, 1, &err),
                 ASSAY_ERANGE);
    CHECK(report.verdict == ASSAY_REJECT && strcmp(report.reason, "not checked") == 0);
    CHECK_OK(assay_groth16_verify(&report, key.p, key.n, two, sizeof two - 1, proof.p, proof.n, 1, &err));
    CHECK(report.verdict == ASSAY_REJECT && strstr(report.reason, "not as many public values"));
    assay_vk_clear(&vk);
    assay_writer_clear(&key);
    assay_writer_clear(&proof);
}

/* ---- public values */

TEST(publics)
{
    static const struct {
        const char *text;
        assay_status want;
        const char *words;
    } cases[] = {
        {"[]", ASSAY_OK, NULL},
        {"[\"0\", \"7\"]", ASSAY_OK, NULL},
        {"[\"21888242871839275222246405745257275088548364400416034343698204186575808495616\"]", ASSAY_OK, NULL},
        {"[\"1\", \"21888242871839275222246405745257275088548364400416034343698204186575808495617\"]", ASSAY_ERANGE,
         "public value [1]: is not below the modulus"},
        {"[\"21888242871839275222246405745257275088548364400416034343698204186575808495618\"]", ASSAY_ERANGE,
         "public value [0]: is not below the modulus"},
        {"[\"-1\"]", ASSAY_EFORMAT, "public value [0]: has a sign"},
        {"[\"007\"]", ASSAY_EFORMAT, "public value [0]: has leading zeros"},
        {"[7]", ASSAY_EFORMAT, "public value [0]: is not a string"},
        {"[\"\"]", ASSAY_EFORMAT, "public value [0]: is empty"},
        {"[\"1\\u0000\"]", ASSAY_EFORMAT, "is not JSON"},
        {"[\"0x7\"]", ASSAY_EFORMAT, "public value [0]: is not a decimal number"},
        {"{}", ASSAY_EFORMAT, "is not a JSON array"},
        {"\"1\"", ASSAY_EFORMAT, NULL},
        {"[\"1\"] []", ASSAY_EFORMAT, "is not JSON"},
        {"[\"1\"", ASSAY_EFORMAT, "is not JSON"},
        {"", ASSAY_EFORMAT, "is not JSON"},
    };
    curve = assay_curve_get(ASSAY_BN254);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused(parse_publics, (const uint8_t *)cases[i].text, strlen(cases[i].text), cases[i].text,
                      cases[i].want, cases[i].words);
    assay_publics p = {0};
    assay_writer w;
    assay_writer_init(&w, MAX_BYTES);
    assay_publics_json(&w, &p);
    CHECK_EQ_U64(w.n, 2);
    CHECK_EQ_MEM(w.p, "[]", 2);
    assay_writer_clear(&w);
}

/* A text that is too long is refused before it is looked at; one that is as long as may be is read. */
TEST(lengths)
{
    uint8_t *text = assay_mem_alloc_raw(ASSAY_JSON_MAX_BYTES + 1, 1);
    REQUIRE(text != NULL);
    memset(text, ' ', ASSAY_JSON_MAX_BYTES + 1);
    memcpy(text, "[]", 2);
    curve = assay_curve_get(ASSAY_BN254);
    check_refused(parse_publics, text, ASSAY_JSON_MAX_BYTES, "as long as may be", ASSAY_OK, NULL);
    check_refused(parse_publics, text, ASSAY_JSON_MAX_BYTES + 1, "too long", ASSAY_ERANGE, "file too large");
    check_refused(parse_proof, text, ASSAY_JSON_PROOF_MAX_BYTES + 1, "too long", ASSAY_ERANGE, "file too large");
    assay_mem_free(text);
}

/* The texts with the most values for their length: memory stays a small multiple of it. */
TEST(memory)
{
    enum { BYTES = 1 << 20 };
    static const struct {
        const char *open, *again, *close;
        assay_status want;
        unsigned times; /* 12: values of 32 bytes beside the nodes */
    } cases[] = {{"[1", ",1", "]", ASSAY_EFORMAT, 8},
                 {"[{}", ",{}", "]", ASSAY_EFORMAT, 8},
                 {"{\"a\":[0", ",0", "]}", ASSAY_EFORMAT, 8},
                 {"[\"0\"", ",\"0\"", "]", ASSAY_OK, 12}};
    curve = assay_curve_get(ASSAY_BN254);
    char *text = assay_mem_alloc_raw(BYTES + 8, 1);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = strlen(cases[i].open), more = strlen(cases[i].again);
        memcpy(text, cases[i].open, n);
        for (; n + more < BYTES; n += more) memcpy(text + n, cases[i].again, more);
        memcpy(text + n, cases[i].close, strlen(cases[i].close));
        n += strlen(cases[i].close);
        assay_mem_peak_reset();
        const uint64_t before = assay_mem_peak();
        check_refused(parse_publics, (const uint8_t *)text, n, cases[i].open, cases[i].want, NULL);
        check_refused(parse_vk, (const uint8_t *)text, n, cases[i].open, ASSAY_EFORMAT, NULL);
        const uint64_t taken = assay_mem_peak() - before;
        if (!CHECK(taken > 0 && taken <= cases[i].times * (uint64_t)n + 4096))
            printf("  %s: %llu\n", cases[i].open, (unsigned long long)taken);
    }
    assay_mem_free(text);
}

/* The grammar of RFC 8259. */
TEST(grammar)
{
    static const char *const good[] = {"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]",
                                       "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]",
                                       "[0, -0, 10, -1.50, 1e9, 1E+9, 0.1e-2]",
                                       " [ true,false , null ]\r\n",
                                       "{\"a\":{\"b\":[]},\"b\":{\"b\":1,\"b\":2}}",
                                       "{}",
                                       "7",
                                       "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"};
    static const char *const bad[] = {"",
                                      " ",
                                      "[",
                                      "]",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{\"a\"}",
                                      "{a:1}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "[01]",
                                      "[1.]",
                                      "[.5]",
                                      "[+1]",
                                      "[-]",
                                      "[1e]",
                                      "[1e+]",
                                      "[tru]",
                                      "[nulll]",
                                      "[NaN]",
                                      "[\"]",
                                      "[\"\\x\"]",
                                      "[\"\\u12g4\"]",
                                      "['a']",
                                      "[\"\n\"]",
                                      "[\"\xff\"]",
                                      "[\"\xc0\x80\"]",
                                      "[\"\xed\xa0\x80\"]",
                                      "[\"\xf4\x90\x80\x80\"]",
                                      "[\"\xe2\x82\"]",
                                      "[1]]",
                                      "[] []",
                                      "/**/[]",
                                      "\xef\xbb\xbf[]",
                                      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"};
    assay_json_node *root;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!CHECK_OK(assay_json_read(&root, "t", good[i], strlen(good[i]), 1 << 10, NULL))) printf("  %s\n", good[i]);
        assay_mem_free(root);
        for (size_t n = 0; n + 2 < strlen(good[i]) && good[i][0] != ' '; n++)
            CHECK(assay_json_read(&root, "t", good[i], n, 1 << 10, NULL) == ASSAY_EFORMAT && !root);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (!CHECK_STATUS(assay_json_read(&root, "t", bad[i], strlen(bad[i]), 1 << 10, NULL), ASSAY_EFORMAT))
            printf("  %s\n", bad[i]);
        CHECK(!root);
    }
    CHECK_STATUS(assay_json_read(&root, "t", "{\"\\u0061\": 1}", 13, 1 << 10, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_json_read(&root, "t", "[]", 2, 1, NULL), ASSAY_ERANGE);
    static const char text[] = "{\"x\":[1,[2],\"3\"],\"y\":true}";
    REQUIRE_OK(assay_json_read(&root, "t", text, sizeof text - 1, 1 << 10, NULL));
    const assay_json_node *x = assay_json_member(root, "x");
    CHECK(assay_json_is(x, ASSAY_JSON_ARRAY) && x->n == 3 && assay_json_equals(assay_json_at(x, 2), "3"));
    CHECK(!assay_json_at(x, 3) && !assay_json_member(root, "z") && !assay_json_member(x, "x"));
    CHECK(assay_json_is(assay_json_member(root, "y"), ASSAY_JSON_OTHER));
    assay_mem_free(root);
}

TEST(calldata)
{
    static const char expected[] = "[\"0x0000000000000000000000000000000000000000000000000000000000000001\", "
                                   "\"0x0000000000000000000000000000000000000000000000000000000000000002\"],"
                                   "[[\"0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2\", "
                                   "\"0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed\"],"
                                   "[\"0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b\", "
                                   "\"0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa\"]],"
                                   "[\"0x0000000000000000000000000000000000000000000000000000000000000001\", "
                                   "\"0x0000000000000000000000000000000000000000000000000000000000000002\"],"
                                   "[\"0x00000000000000000000000000000000000000000000000000000000000000e7\","
                                   "\"0x0000000000000000000000000000000000000000000000000000000000000007\"]";
    assay_scalar values[] = {{231}, {7}};
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_publics publics = {c, 2, values};
    assay_proof p = {.curve = c};
    assay_writer w;
    assay_writer_init(&w, MAX_BYTES);
    c->group[ASSAY_G1].generator(&p.a);
    c->group[ASSAY_G2].generator(&p.b);
    p.c = p.a;
    REQUIRE_OK(assay_calldata(&w, &p, &publics, NULL));
    CHECK_EQ_U64(w.n, sizeof expected - 1);
    CHECK_EQ_MEM(w.p, expected, w.n < sizeof expected ? w.n : sizeof expected - 1);
    p.curve = assay_curve_get(ASSAY_BLS381);
    CHECK_STATUS(assay_calldata(&w, &p, &publics, NULL), ASSAY_EUNSUPPORTED);
    assay_writer_clear(&w);
}

/* ---- what snarkjs wrote is read, and written back byte for byte */

static void check_same(const assay_writer *w, const uint8_t *p, size_t n, const char *name)
{
    if (!CHECK(w->n == n && memcmp(w->p, p, n) == 0)) printf("  %s\n", name);
}

static void check_case(const char *name, assay_curve_id id)
{
    char file[VECTOR_PATH];
    size_t n = 0;
    assay_writer w;
    assay_vk vk;
    assay_proof proof;
    assay_publics publics;
    assay_writer_init(&w, MAX_BYTES);
    (void)snprintf(file, sizeof file, "groth16/%s/%s.vkey.json", name, name);
    uint8_t *p = vector_load(&n, file);
    if (p && CHECK_OK(assay_vk_parse_json(&vk, file, p, n, NULL))) {
        CHECK(vk.curve->id == id);
        assay_vk_json(&w, &vk);
        check_same(&w, p, n, file);
        assay_vk_clear(&vk);
    }
    assay_mem_free(p);
    (void)snprintf(file, sizeof file, "groth16/%s/%s.proof.json", name, name);
    p = vector_load(&n, file);
    if (p && CHECK_OK(assay_proof_parse_json(&proof, assay_curve_get(id), file, p, n, NULL))) {
        w.n = 0;
        assay_proof_json(&w, &proof);
        check_same(&w, p, n, file);
    }
    assay_mem_free(p);
    (void)snprintf(file, sizeof file, "groth16/%s/%s.public.json", name, name);
    p = vector_load(&n, file);
    if (p && CHECK_OK(assay_publics_parse_json(&publics, assay_curve_get(id), file, p, n, NULL))) {
        w.n = 0;
        assay_publics_json(&w, &publics);
        check_same(&w, p, n, file);
        assay_publics_clear(&publics);
    }
    assay_mem_free(p);
    assay_writer_clear(&w);
}

TEST(texts_of_snarkjs)
{
    check_case("mul", ASSAY_BN254);
    check_case("merkle20", ASSAY_BN254);
    check_case("bls_mul", ASSAY_BLS381);
    check_case("bls_mulchain4000", ASSAY_BLS381);
}
