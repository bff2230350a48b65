/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: timeout 600
 * Filecoin's own data: the official key of WinningPoSt for 2 KiB sectors accepts a recorded proof and rejects it when
 * changed; every recorded PoRep proof decodes to points of the groups. */
#include "base/bytes.h"
#include "base/mem.h"
#include "groth16/bellman.h"
#include "groth16/vectors.h"
#include "harness.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHALLENGES = 66, LEAVES = 2048 / 32, SCALAR = 32, PUBLICS = 2 * CHALLENGES };

/* The bytes after `"key": "` as hexadecimal digits; the number of bytes, 0 if there are none. */
static size_t hex_member(uint8_t *out, size_t most, const char *text, const char *key)
{
    char quoted[64];
    size_t n = 0;
    unsigned v;
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = strstr(text, quoted);
    at = at ? strchr(at + strlen(quoted), '"') : NULL;
    for (; at && n < most && sscanf(at + 1 + 2 * n, "%2x", &v) == 1; n++) out[n] = (uint8_t)v;
    return n;
}

/* e(a, b) = e(alpha, beta) e(L, gamma) e(c, delta), L = IC[0] + sum x_i IC[i + 1]. */
static bool verifies(const assay_vk *vk, const assay_proof *p, const uint64_t x[PUBLICS][ASSAY_FR_LIMBS])
{
    const assay_group *g1 = &vk->curve->group[ASSAY_G1], *g2 = &vk->curve->group[ASSAY_G2];
    uint64_t left[4 * 96 / 8], right[4 * 192 / 8];
    const assay_affine *rights[] = {&p->b, &vk->beta2, &vk->gamma2, &vk->delta2};
    assay_affine sum, lefts[4] = {p->a, vk->alpha1};
    assay_point l, t;
    g1->from_affine(&l, assay_vk_ic(vk, 0));
    for (uint32_t i = 0; i < PUBLICS; i++) {
        g1->mul(&t, assay_vk_ic(vk, i + 1), x[i]);
        g1->add(&l, &l, &t);
    }
    g1->to_affine(&sum, &l);
    lefts[2] = sum;
    lefts[3] = p->c;
    for (int i = 0; i < 4; i++) {
        if (i > 0) g1->affine_neg(&lefts[i], &lefts[i]);
        memcpy((uint8_t *)left + 96 * i, &lefts[i], g1->affine_bytes);
        memcpy((uint8_t *)right + 192 * i, rights[i], g2->affine_bytes);
    }
    return vk->curve->pairing_product_is_one(left, right, 4);
}

/* The public values: for each challenge the sector's comm_r and the leaf that is asked for, the first eight bytes of
 * SHA-256(randomness | sector | challenge) modulo the number of leaves. */
static void public_values(uint64_t x[PUBLICS][ASSAY_FR_LIMBS], const uint8_t comm_r[SCALAR],
                          const uint8_t randomness[SCALAR], uint64_t sector)
{
    for (uint64_t i = 0; i < CHALLENGES; i++) {
        uint8_t message[SCALAR + 16], digest[32];
        memcpy(message, randomness, SCALAR);
        assay_store_u64(message + SCALAR, sector);
        assay_store_u64(message + SCALAR + 8, i);
        assay_sha256_digest(digest, message, sizeof message);
        memset(x[2 * i + 1], 0, sizeof x[0]);
        x[2 * i + 1][0] = assay_load_u64(digest) % LEAVES;
        for (int k = 0; k < ASSAY_FR_LIMBS; k++) x[2 * i][k] = assay_load_u64(comm_r + 8 * k);
    }
}

TEST(winning_post)
{
    size_t n_key = 0, n_text = 0;
    uint8_t *key = vector_load(&n_key, "filecoin/winning_2kib.vk"), *text = NULL, bytes[ASSAY_BELLMAN_PROOF_BYTES];
    if (key) text = vector_load(&n_text, "filecoin/winningpost_2kib_vector.json");
    if (!text) {
        assay_mem_free(key);
        return;
    }
    uint8_t cid[64], randomness[SCALAR];
    uint64_t x[PUBLICS][ASSAY_FR_LIMBS];
    assay_vk vk;
    assay_proof p;
    char *copy = calloc(n_text + 1, 1);
    if (!copy) abort();
    memcpy(copy, text, n_text);
    CHECK_EQ_U64(hex_member(bytes, sizeof bytes, copy, "proof_bytes_hex"), sizeof bytes);
    CHECK_EQ_U64(hex_member(randomness, SCALAR, copy, "randomness_hex"), SCALAR);
    size_t n_cid = hex_member(cid, sizeof cid, copy, "sealed_cid_bytes_hex");
    if (CHECK(n_cid > SCALAR) && CHECK_OK(assay_bellman_vk_parse(&vk, "vk", key, n_key, NULL))) {
        CHECK_EQ_U64(vk.n_public, PUBLICS);
        CHECK(!assay_vk_is_development(&vk));
        CHECK_OK(assay_bellman_proof_decode(&p, "proof", bytes, sizeof bytes, NULL));
        public_values(x, cid + n_cid - SCALAR, randomness, 7);
        CHECK(verifies(&vk, &p, (const uint64_t(*)[ASSAY_FR_LIMBS])x));
        x[1][0] ^= 1;
        CHECK(!verifies(&vk, &p, (const uint64_t(*)[ASSAY_FR_LIMBS])x));
        x[1][0] ^= 1;
        p.c = p.a;
        CHECK(!verifies(&vk, &p, (const uint64_t(*)[ASSAY_FR_LIMBS])x));
        assay_vk_clear(&vk);
    }
    free(copy);
    assay_mem_free(key);
    assay_mem_free(text);
}

/* ---- PoRep: one record a line, `"proof":[n, n, ...]` the bytes of one proof a partition, or of an aggregate */

enum {
    MAX_PROOF = 1 << 16,
    GT = 288,
    GIPA_ROUND = 10 * GT + 2 * 48,
    AGGREGATE_FIXED = 5 * GT + 48 + 4 + 192 + 4 * 96 + 4 * 48
};

static size_t proof_bytes(uint8_t *out, const char *line)
{
    const char *at = strstr(line, "\"proof\":[");
    size_t n = 0;
    if (!at) return 0;
    at += strlen("\"proof\":[");
    while (*at != ']' && n < MAX_PROOF) {
        char *end;
        out[n++] = (uint8_t)strtoul(at, &end, 10);
        if (end == at) return 0;
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

static bool take_points(const uint8_t **at, assay_group_id group, unsigned n)
{
    const assay_group *g = &assay_curve_get(ASSAY_BLS381)->group[group];
    bool good = true;
    for (unsigned i = 0; i < n; i++, *at += g->coord_bytes) {
        assay_affine point;
        good = good && !assay_zcash_decode(&point, *at, g->coord_bytes, g, ASSAY_POINT_GROUP);
    }
    return good;
}

/* An aggregate of 2^rounds proofs (bellperson, SnarkPack): the group elements in it; those of GT are stepped over. */
static bool aggregate_decodes(const uint8_t *p, unsigned rounds)
{
    const uint8_t *at = p + 5 * GT;
    bool good = take_points(&at, ASSAY_G1, 1); /* agg_c */
    good = good && assay_load_u32(at) == 1u << rounds;
    at += 4 + rounds * (10 * GT);                          /* commitments and z_ab of all rounds */
    good = good && take_points(&at, ASSAY_G1, 2 * rounds); /* z_c */
    good = good && take_points(&at, ASSAY_G1, 1) && take_points(&at, ASSAY_G2, 1) && take_points(&at, ASSAY_G1, 1);
    good = good && take_points(&at, ASSAY_G2, 2) && take_points(&at, ASSAY_G1, 2); /* the final keys */
    return good && take_points(&at, ASSAY_G2, 2) && take_points(&at, ASSAY_G1, 2); /* their openings */
}

/* Whether every proof of a record decodes; *n_proofs of them. */
static bool record_decodes(const uint8_t *p, size_t n, unsigned *n_proofs)
{
    *n_proofs = 0;
    for (unsigned rounds = 1; rounds < 12; rounds++)
        if (n == AGGREGATE_FIXED + rounds * (size_t)GIPA_ROUND) {
            *n_proofs = 1;
            return aggregate_decodes(p, rounds);
        }
    if (n == 0 || n % ASSAY_BELLMAN_PROOF_BYTES != 0) return false;
    for (size_t at = 0; at < n; at += ASSAY_BELLMAN_PROOF_BYTES, ++*n_proofs) {
        uint8_t again[ASSAY_BELLMAN_PROOF_BYTES];
        assay_proof proof;
        if (assay_bellman_proof_decode(&proof, "proof", p + at, sizeof again, NULL) != ASSAY_OK) return false;
        assay_bellman_proof_encode(again, &proof);
        if (memcmp(again, p + at, sizeof again) != 0) return false;
    }
    return true;
}

TEST(porep_records)
{
    static const char *const files[] = {"filecoin/seal_regression_records-v16.json",
                                        "filecoin/seal_regression_records-v18.json"};
    static uint8_t bytes[MAX_PROOF];
    unsigned records = 0, proofs = 0, aggregates = 0;
    for (int i = 0; i < 2; i++) {
        size_t n = 0;
        uint8_t *text = vector_load(&n, files[i]);
        if (!text) return;
        char *copy = calloc(n + 1, 1);
        if (!copy) abort();
        memcpy(copy, text, n);
        for (char *line = copy; line && *line;) {
            char *end = strchr(line, '\n');
            unsigned here;
            if (end) *end = 0;
            size_t n_bytes = proof_bytes(bytes, line);
            if (!CHECK(record_decodes(bytes, n_bytes, &here))) printf("  %s, record %u\n", files[i], records);
            records++;
            if (n_bytes % ASSAY_BELLMAN_PROOF_BYTES == 0)
                proofs += here;
            else
                aggregates++;
            line = end ? end + 1 : NULL;
        }
        free(copy);
        assay_mem_free(text);
    }
    CHECK_EQ_U64(records, 561);
    CHECK_EQ_U64(proofs, 600); /* 530 of one partition, seven of ten */
    CHECK_EQ_U64(aggregates, 24);
}
