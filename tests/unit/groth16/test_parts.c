/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: labels threads
 * With little memory the scalars of H are made in parts. However many, in whatever pieces, from a witness packed or
 * not, with any instructions, the proof is the same, bit for bit. */
#include "base/cpu.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/chain.h"
#include "groth16/prover.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { WAYS = 8 };

static const assay_groth16_blinding given = {{1, 2, 3, 4}, {5, 6, 7, 8}};

typedef struct bench {
    assay_groth16_key *key;
    assay_wtns w;
    assay_pool *pool;
    assay_group_backend be;
    assay_groth16_pieces pieces;
} bench;

static bool open_bench(bench *b, const chain *k, const char *zkey, bool resident, unsigned threads)
{
    const assay_groth16_open_options o = {.resident = resident, .threads = 1};
    assay_groth16_plan plan;
    memset(b, 0, sizeof *b);
    if (!CHECK_OK(assay_groth16_key_open(&b->key, zkey, &o, NULL)) || !CHECK_OK(assay_wtns_read(&b->w, k->wtns, NULL)))
        return false;
    if (!CHECK_OK(assay_pool_new(&b->pool, threads, NULL))) return false;
    assay_group_backend_cpu_init(&b->be, b->pool);
    return CHECK_OK(assay_groth16_plan_pieces(&plan, &b->pieces, b->key, &b->be, 0, &b->w, NULL));
}

static void close_bench(bench *b)
{
    assay_groth16_key_free(b->key);
    assay_wtns_clear(&b->w);
    assay_pool_free(b->pool);
}

static bool prove(assay_proof *proof, bench *b)
{
    assay_errinfo err = {0};
    const bool done =
        CHECK_OK(assay_groth16_prove_planned(proof, b->key, &b->w, &b->be, &given, false, &b->pieces, NULL, &err));
    if (!done) printf("    %s: %s\n", err.subject, err.reason);
    CHECK(b->w.w == NULL);
    return done;
}

static void whole(assay_proof *proof, const chain *k)
{
    bench b;
    if (open_bench(&b, k, k->zkey, false, 1)) prove(proof, &b);
    close_bench(&b);
}

/* Pieces of a few points and coefficients, or all at once. */
static void cut(bench *b, unsigned log_parts, unsigned how)
{
    static const size_t points[] = {1u << 20, 1, 3, 17}, coefs[] = {1u << 20, 1, 7, 100};
    const size_t all = b->key->z.domain >> log_parts;
    b->pieces.log_parts = log_parts;
    b->pieces.packed = how % 2;
    b->pieces.points[ASSAY_ZKEY_H] = points[how % 4] < all ? points[how % 4] : all;
    b->pieces.msm[ASSAY_ZKEY_H] = 0;
    b->pieces.coefs = coefs[how % 4];
}

/* The tables of a curve that two proofs point at may be for different processors. */
static bool same(const assay_proof *got, const assay_proof *want)
{
    return CHECK_EQ_MEM(&got->a, &want->a, sizeof got->a) && CHECK_EQ_MEM(&got->b, &want->b, sizeof got->b) &&
           CHECK_EQ_MEM(&got->c, &want->c, sizeof got->c);
}

static void equal(const chain *k, const char *zkey, const assay_proof *want, unsigned log_parts, unsigned how)
{
    assay_proof got;
    bench b;
    if (open_bench(&b, k, zkey, how / 4 % 2 != 0, 1 + 2 * ((how + log_parts) % 2))) {
        if (log_parts <= b.key->z.log_domain) {
            cut(&b, log_parts, how);
            if (prove(&got, &b) && !same(&got, want))
                printf("    %s, %u constraints, 2^%u parts, %u\n", k->curve->title, (unsigned)k->n, log_parts, how);
        }
    }
    close_bench(&b);
}

static void equal_at_all(const chain *k, const char *zkey)
{
    assay_proof want;
    whole(&want, k);
    for (unsigned log_parts = 1; log_parts <= ASSAY_GROTH16_LOG_PARTS; log_parts++)
        for (unsigned how = 0; how < WAYS; how++) equal(k, zkey, &want, log_parts, how);
}

/* Domains of 2, 4, 8, 16, .. rows: fewer than there are windows, or parts, and full or nearly empty. */
TEST(sizes)
{
    static const uint32_t sizes[] = {1, 2, 6, 15, 16, 40};
    chain k;
    for (int curve = 0; curve < ASSAY_CURVE_COUNT; curve++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            REQUIRE(chain_make(&k, assay_curve_get((assay_curve_id)curve), sizes[i], i % 2 == 0));
            equal_at_all(&k, k.zkey);
        }
}

TEST(instructions)
{
    static const unsigned masks[] = {0, ASSAY_CPU_ADX, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512, ~0u};
    chain k;
    for (int curve = 0; curve < ASSAY_CURVE_COUNT; curve++) {
        assay_proof want;
        REQUIRE(chain_make(&k, assay_curve_get((assay_curve_id)curve), 700, true));
        whole(&want, &k);
        for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
            assay_cpu_mask(masks[i]);
            for (unsigned parts = 1; parts <= ASSAY_GROTH16_LOG_PARTS; parts++) equal(&k, k.zkey, &want, parts, parts);
        }
        assay_cpu_mask(~0u);
    }
}

/* ---- section 4 in an order of its own */

static bool shuffle_coefs(const chain *k, const char *to)
{
    enum { COUNT = 4, EACH = ASSAY_ZKEY_COEF_BYTES };
    assay_buffer file = chain_read(k->zkey);
    assay_container c;
    uint8_t t[EACH];
    if (!CHECK_OK(assay_container_of(&c, "key", file.p, file.n, "zkey", 1, NULL))) return false;
    const assay_section *s = assay_container_find(&c, ASSAY_ZKEY_COEFS);
    uint8_t *p = (uint8_t *)file.p + s->at + COUNT;
    for (size_t i = (size_t)(s->n - COUNT) / EACH; i > 1; i--) {
        uint8_t *a = p + (i - 1) * EACH, *b = p + (size_t)(assay_test_random() >> 33) % i * EACH;
        memcpy(t, a, EACH);
        memmove(a, b, EACH);
        memcpy(b, t, EACH);
    }
    assay_container_close(&c);
    const bool done = CHECK_OK(assay_file_write(to, file.p, file.n, 0600, NULL));
    assay_buffer_free(&file);
    return done;
}

TEST(order_of_coefficients)
{
    char path[CHAIN_PATH + 16];
    chain k;
    for (int curve = 0; curve < ASSAY_CURVE_COUNT; curve++) {
        REQUIRE(chain_make(&k, assay_curve_get((assay_curve_id)curve), 90, true));
        (void)snprintf(path, sizeof path, "%s.shuffled", k.zkey);
        REQUIRE(shuffle_coefs(&k, path));
        equal_at_all(&k, path);
    }
}

/* ---- packing */

static void fill_wires(assay_wtns *w, unsigned wide_of_16)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const uint64_t r = assay_test_random() >> 20;
        memset(w->w[i], 0, sizeof w->w[i]);
        w->w[i][r % 16 < wide_of_16 ? r / 16 % 4 : 0] = r % 16 < wide_of_16 ? 255 + (r >> 8)
                                                        : r % 16 < 8        ? r / 16 % 2
                                                                            : r / 16 % 255;
    }
}

TEST(packing)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 1000};
    static assay_scalar values[1000];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned wide = 0; wide <= 16; wide += 4) {
            assay_wtns w = {.n = sizes[i], .w = values};
            assay_wires packed, plain = {.plain = values};
            assay_fr a, b;
            fill_wires(&w, wide);
            REQUIRE_OK(assay_wires_pack(&packed, &w, NULL));
            CHECK_EQ_U64(packed.n_bytes, assay_wires_packed_bytes(&w));
            if (wide == 0) CHECK(packed.n_bytes <= w.n + 4 * (w.n / ASSAY_WIRES_BLOCK + 1));
            for (uint32_t k = 0; k < w.n; k++) {
                const bool first = assay_wires_get(&a, &plain, k), second = assay_wires_get(&b, &packed, k);
                CHECK(first == second);
                CHECK_EQ_MEM(&a, &b, sizeof a);
            }
            assay_wires_clear(&packed);
            CHECK(!packed.memory && !packed.small);
        }
}

/* ---- progress and cancellation */

typedef struct watch {
    unsigned calls, cancel_at;
    double last;
} watch;

static int count_call(void *ctx, const char *stage, double done)
{
    watch *w = ctx;
    CHECK(stage && stage[0] && done >= w->last - 1e-9 && done <= 1.0000001);
    w->last = done;
    return ++w->calls == w->cancel_at;
}

TEST(cancel)
{
    static const assay_proof none;
    assay_status s = ASSAY_ECANCELED;
    unsigned at = 1;
    char path[CHAIN_PATH + 16];
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 40, true));
    (void)snprintf(path, sizeof path, "%s.shuffled", k.zkey);
    REQUIRE(shuffle_coefs(&k, path)); /* the windows' parts of section 4 overlap */
    for (; s == ASSAY_ECANCELED; at++) {
        watch w = {.cancel_at = at};
        const assay_progress progress = {count_call, &w};
        assay_proof proof;
        bench b;
        REQUIRE(open_bench(&b, &k, path, false, 1));
        cut(&b, 2, 3);
        s = assay_groth16_prove_planned(&proof, b.key, &b.w, &b.be, &given, false, &b.pieces, &progress, NULL);
        CHECK(b.w.w == NULL);
        if (s != ASSAY_OK) {
            CHECK_EQ_MEM(&proof, &none, sizeof proof);
            CHECK_STATUS(s, ASSAY_ECANCELED);
        } else {
            CHECK(w.calls == at - 1 && w.last > 0.9);
        }
        close_bench(&b);
    }
    CHECK(at > 40);
}
