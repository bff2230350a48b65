/* SPDX-License-Identifier: Apache-2.0 */
/* Points, proofs, keys and parameters of bellman: round trips, the known encodings of the generators, refusals. */
#include "assay/groth16.h"
#include "base/mem.h"
#include "groth16/bellman.h"
#include "groth16/mutation.h"
#include "groth16/small_files.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { N_POINTS = SMALL_PARAMS_POINTS };

static const assay_curve *bls(void)
{
    return assay_curve_get(ASSAY_BLS381);
}

static void from_hex(uint8_t *out, size_t n, const char *hex)
{
    for (size_t i = 0; i < n; i++) {
        unsigned v = 0;
        for (int k = 0; k < 2; k++) {
            char c = hex[2 * i + (size_t)k];
            v = 16 * v + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        out[i] = (uint8_t)v;
    }
}

/* The generators, from zkcrypto's bls12_381. */
TEST(generators)
{
    static const char *const hex[] = {
        "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
        "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
        "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"};
    for (int i = 0; i < ASSAY_GROUP_COUNT; i++) {
        const assay_group *g = &bls()->group[i];
        uint8_t bytes[ASSAY_AFFINE_MAX_BYTES], again[ASSAY_AFFINE_MAX_BYTES];
        assay_affine point, expected;
        from_hex(bytes, g->coord_bytes, hex[i]);
        g->generator(&expected);
        CHECK(assay_zcash_decode(&point, bytes, g->coord_bytes, g, ASSAY_POINT_FINITE) == NULL);
        CHECK_EQ_MEM(&point, &expected, g->affine_bytes);
        assay_zcash_encode(again, g->coord_bytes, &point, g);
        CHECK_EQ_MEM(again, bytes, g->coord_bytes);
    }
}

TEST(points)
{
    for (int i = 0; i < ASSAY_GROUP_COUNT; i++) {
        const assay_group *g = &bls()->group[i];
        for (uint64_t k = 0; k < 20; k++) {
            assay_affine point, again;
            small_multiple(&point, bls(), (assay_group_id)i, k);
            for (size_t n = g->coord_bytes; n <= g->affine_bytes; n += g->coord_bytes) {
                uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
                const char *why;
                assay_zcash_encode(bytes, n, &point, g);
                CHECK(assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_GROUP) == NULL);
                CHECK_EQ_MEM(&point, &again, g->affine_bytes);
                why = assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_FINITE);
                CHECK((why == NULL) == (k != 0));
                bytes[0] ^= 0x80; /* the other form, at the wrong length */
                CHECK(assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_GROUP) != NULL);
                bytes[0] ^= 0x80;
                bytes[0] ^= 0x40; /* infinity, with bits set, or (0, 0) without the flag */
                why = assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_GROUP);
                CHECK(why != NULL);
                CHECK(g->affine_is_infinity(&again));
                bytes[0] ^= 0x40;
                bytes[0] ^= 0x20; /* the other root: the negative; only in the compressed form */
                why = assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_GROUP);
                CHECK((why == NULL) == (k != 0 && n == g->coord_bytes));
                if (!why) {
                    g->affine_neg(&again, &again);
                    CHECK_EQ_MEM(&point, &again, g->affine_bytes);
                }
                bytes[0] ^= 0x20;
                if (k == 0) continue;
                bytes[0] |= 0x1f; /* x is not below q */
                memset(bytes + 1, 0xff, n - 1);
                CHECK(assay_zcash_decode(&again, bytes, n, g, ASSAY_POINT_COORDS) != NULL);
            }
        }
    }
}

/* Points of the curve outside of the group. */
TEST(outside_of_the_group)
{
    const assay_group *g = &bls()->group[ASSAY_G1];
    uint8_t bytes[48] = {0x80};
    assay_affine point;
    unsigned outside = 0;
    for (unsigned x = 0; x < 60; x++) {
        bytes[47] = (uint8_t)x;
        if (assay_zcash_decode(&point, bytes, 48, g, ASSAY_POINT_CURVE)) continue;
        const char *why = assay_zcash_decode(&point, bytes, 48, g, ASSAY_POINT_GROUP);
        if (CHECK(why && strstr(why, "not in the group"))) outside++;
    }
    CHECK(outside > 10); /* the cofactor is about 2^126: none of so few is inside */
}

TEST(proof)
{
    assay_proof p, again;
    uint8_t bytes[ASSAY_BELLMAN_PROOF_BYTES], second[ASSAY_BELLMAN_PROOF_BYTES];
    assay_errinfo err = {0};
    small_proof(&p, bls());
    assay_bellman_proof_encode(bytes, &p);
    REQUIRE_OK(assay_bellman_proof_decode(&again, "proof", bytes, sizeof bytes, NULL));
    CHECK_EQ_MEM(&again.b, &p.b, 192);
    CHECK_EQ_MEM(&again.c, &p.c, 96);
    CHECK_STATUS(assay_bellman_proof_decode(&again, "proof", bytes, 191, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_bellman_proof_decode(&again, "proof", bytes, 0, NULL), ASSAY_EFORMAT);
    for (size_t bit = 0; bit < 8 * sizeof bytes;
         bit += bit % 8 == 7 ? 33 : 1) { /* none of them another encoding of the same proof */
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (assay_bellman_proof_decode(&again, "proof", bytes, sizeof bytes, NULL) == ASSAY_OK) {
            assay_bellman_proof_encode(second, &again);
            CHECK_EQ_MEM(second, bytes, sizeof bytes);
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    memset(bytes + 48, 0, 96);
    bytes[48] = 0xc0;
    CHECK_STATUS(assay_bellman_proof_decode(&again, "proof", bytes, sizeof bytes, &err), ASSAY_ERANGE);
    CHECK_EQ_STR(err.subject, "proof: b");
    CHECK(again.curve == NULL);
}

/* ---- keys and parameters */

static assay_status parse_vk(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_vk vk;
    assay_status s = assay_bellman_vk_parse(&vk, "vk", p, n, err);
    CHECK((s == ASSAY_OK) == (vk.ic != NULL));
    assay_vk_clear(&vk);
    return s;
}

static assay_status parse_params(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_bellman_params b;
    assay_affine points[N_POINTS];
    assay_status s = assay_bellman_params_of(&b, "params", p, n, err);
    for (unsigned part = 0; part < ASSAY_PARAMS_PARTS && s == ASSAY_OK; part++)
        s = assay_bellman_params_points(points, &b, part, 0, b.n[part], ASSAY_POINT_FINITE, err);
    assay_bellman_params_close(&b);
    return s;
}

TEST(vk)
{
    static const uint8_t zero[192] = {0x40}, ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const mutation m[] = {
        {"alpha at infinity", 0, 0, zero, 96, ASSAY_ERANGE, "alpha_g1: is the point at infinity"},
        {"gamma at infinity", 0, 384, zero, 192, ASSAY_ERANGE, "gamma_g2: is the point at infinity"},
        {"delta at infinity", 0, 672, zero, 192, ASSAY_ERANGE, "delta_g2: is the point at infinity"},
        {"delta_g1 off the curve", 0, 576 + 95, ones, 1, ASSAY_ERANGE, "delta_g1: is not on the curve"},
        {"compressed", 0, 192, BYTES("\x9f"), ASSAY_ERANGE, "beta_g2: has the wrong flag"},
        {"IC at infinity", 0, 868 + 96, zero, 96, ASSAY_ERANGE, "IC: is the point at infinity (1)"},
        {"IC 0", 0, 864, BYTES("\0\0\0\0"), ASSAY_EFORMAT, "IC: has no points"},
        {"IC 3", 0, 864, BYTES("\0\0\0\3"), ASSAY_EFORMAT, "more than the file"},
        {"IC huge", 0, 864, ones, 4, ASSAY_EFORMAT, "more than the file"},
        {"IC 1", 0, 864, BYTES("\0\0\0\1"), ASSAY_EFORMAT, "bytes after the last point"},
    };
    assay_writer w;
    assay_vk vk, expected;
    small_bellman_vk(&w);
    REQUIRE_OK(assay_bellman_vk_parse(&vk, "vk", w.p, w.n, NULL));
    small_vk(&expected, bls());
    CHECK_EQ_U64(vk.n_public, SMALL_PUBLIC);
    CHECK_EQ_MEM(&vk.gamma2, &expected.gamma2, 192);
    CHECK_EQ_MEM(vk.ic, expected.ic, 192);
    assay_vk_clear(&vk);
    assay_vk_clear(&expected);
    check_mutations(parse_vk, &w, m, sizeof m / sizeof m[0]);
    check_truncations(parse_vk, &w, 17);
    assay_writer_clear(&w);
}

/* Keys that anybody can forge under, as in assay_vk_check. */
TEST(forgeable)
{
    static const struct {
        size_t to, from; /* places of points of G2 */
        const char *says;
    } c[] = {{672, 192, "beta = delta"}, {384, 192, "beta = gamma"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        assay_errinfo err = {0};
        assay_writer w;
        small_bellman_vk(&w);
        memcpy(w.p + c[i].to, w.p + c[i].from, 192);
        CHECK_STATUS(parse_vk(w.p, w.n, &err), ASSAY_ERANGE);
        CHECK(strstr(err.reason, c[i].says));
        assay_writer_clear(&w);
    }
}

/* A key for another number of values is not looked at: of these every point is wrong. One for as many is refused. */
TEST(other_number)
{
    static const size_t head = 868, point = 96, values = 40;
    uint8_t proof[ASSAY_BELLMAN_PROOF_BYTES] = {0}, inputs[41 * ASSAY_FR_BYTES] = {0};
    uint8_t *vk = assay_mem_alloc(head + (values + 1) * point, 1);
    REQUIRE(vk != NULL);
    CHECK_EQ_U64(assay_bellman_vk_values(head + (values + 1) * point), values);
    CHECK_EQ_U64(assay_bellman_vk_values(head + point), 0);
    CHECK(assay_bellman_vk_values(head) == UINT64_MAX && assay_bellman_vk_values(head + point + 1) == UINT64_MAX);
    for (size_t n = 0; n <= values + 1; n++) {
        assay_groth16_report report;
        assay_status s = assay_groth16_verify_bellman(&report, vk, head + (values + 1) * point, inputs,
                                                      n * ASSAY_FR_BYTES, proof, sizeof proof, 0, NULL);
        CHECK_STATUS(s, n == values ? ASSAY_ERANGE : ASSAY_OK);
        CHECK(report.verdict == ASSAY_REJECT);
        if (n != values) CHECK_EQ_STR(report.reason, "there are not as many public values as the key has");
    }
    assay_mem_free(vk);
}

TEST(params)
{
    assay_writer w;
    assay_bellman_params b;
    assay_affine points[N_POINTS], expected;
    small_bellman_params(&w);
    REQUIRE_OK(assay_bellman_params_of(&b, "params", w.p, w.n, NULL));
    CHECK_EQ_U64(b.n[ASSAY_PARAMS_L], 0);
    CHECK_EQ_U64(b.n[ASSAY_PARAMS_B_G2], N_POINTS);
    CHECK_OK(assay_bellman_params_points(points, &b, ASSAY_PARAMS_B_G2, 1, 2, ASSAY_POINT_GROUP, NULL));
    small_multiple(&expected, bls(), ASSAY_G2, 402);
    CHECK_EQ_MEM(points, &expected, 192);
    CHECK_STATUS(assay_bellman_params_points(points, &b, ASSAY_PARAMS_L, 0, 1, ASSAY_POINT_GROUP, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_bellman_params_points(points, &b, 5, 0, 0, ASSAY_POINT_GROUP, NULL), ASSAY_EINVAL);
    assay_bellman_params_close(&b);
    check_truncations(parse_params, &w, 37);
    static const mutation m[] = {
        {"h huge", 0, 1060, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "h: has more points than the file holds"},
        {"h 4", 0, 1060, BYTES("\0\0\0\4"), ASSAY_EFORMAT, NULL},
        {"h off the curve", 0, 1064 + 190, BYTES("\7"), ASSAY_ERANGE, "h: is not on the curve (1)"},
    };
    check_mutations(parse_params, &w, m, sizeof m / sizeof m[0]);
    assay_writer_clear(&w);
}
