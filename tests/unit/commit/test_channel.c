/* SPDX-License-Identifier: Apache-2.0 */
/* The channel, the plain sumcheck, interpolation, the query counts. */
#include "commit/channel.h"
#include "commit/plain_sumcheck.h"
#include "commit/queries.h"
#include "harness.h"
#include <string.h>

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = (uint32_t)(assay_test_random() % M31_P);
    return k;
}

TEST(messages_and_challenges_agree)
{
    assay_writer w;
    assay_channel p, v;
    kel sent[3] = {random_k(), random_k(), random_k()}, got[3], a[2], b[2];
    uint8_t root[32], root2[32];
    uint64_t pos[20], pos2[20];
    memset(root, 7, sizeof root);
    assay_writer_init(&w, 1 << 16);
    assay_channel_init(&p, ASSAY_PROVE, &w, NULL);
    assay_channel_absorb(&p, "statement", "abc", 3);
    assay_channel_k(&p, "m", sent, 3);
    assay_channel_bytes(&p, "root", root, 32);
    assay_channel_challenges(&p, "c", a, 2);
    size_t n = assay_channel_positions(&p, "pos", 12, 20, pos);
    CHECK_EQ_U64(w.n, 3 * K_BYTES + 32);

    assay_reader r = assay_reader_of(w.p, w.n);
    assay_channel_init(&v, ASSAY_VERIFY, NULL, &r);
    assay_channel_absorb(&v, "statement", "abc", 3);
    assay_channel_k(&v, "m", got, 3);
    assay_channel_bytes(&v, "root", root2, 32);
    assay_channel_challenges(&v, "c", b, 2);
    CHECK_EQ_U64(assay_channel_positions(&v, "pos", 12, 20, pos2), n);
    CHECK(channel_ok(&p) && channel_ok(&v));
    CHECK_EQ_MEM(sent, got, sizeof sent);
    CHECK_EQ_MEM(root, root2, 32);
    CHECK_EQ_MEM(a, b, sizeof a);
    CHECK_EQ_MEM(pos, pos2, sizeof pos);
    CHECK(!k_eq(a[0], a[1]));
    CHECK_EQ_U64(n, 20);
    for (size_t i = 0; i < n; i++) CHECK(pos[i] < 4096 && (i == 0 || pos[i] > pos[i - 1]));
    CHECK_EQ_U64(assay_channel_positions(&v, "pos", 3, 20, pos2), 8);
    assay_writer_clear(&w);
}

TEST(every_word_is_canonical)
{
    for (int bad = 0; bad < 12; bad++) {
        uint8_t bytes[2 * K_BYTES] = {0};
        kel v[2];
        assay_channel ch;
        assay_store_u32(bytes + 4 * bad, M31_P);
        assay_reader r = assay_reader_of(bytes, sizeof bytes);
        assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
        assay_channel_k(&ch, "m", v, 2);
        CHECK(!channel_ok(&ch) && ch.reject);
        CHECK(k_is_zero(v[0]) && k_is_zero(v[1]));
        assay_store_u32(bytes + 4 * bad, M31_P - 1);
        r = assay_reader_of(bytes, sizeof bytes);
        assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
        assay_channel_k(&ch, "m", v, 2);
        CHECK(channel_ok(&ch));
        CHECK_EQ_U64(v[bad / 6].v[bad % 6], M31_P - 1);
    }
}

TEST(failures_stick)
{
    uint8_t bytes[60];
    kel v[2];
    uint8_t root[32];
    assay_channel ch;
    memset(bytes, 1, sizeof bytes);
    assay_reader r = assay_reader_of(bytes, sizeof bytes);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_channel_k(&ch, "m", v, 1);
    CHECK(channel_ok(&ch));
    assay_channel_check(&ch, false, "first");
    assay_channel_check(&ch, false, "second");
    assay_channel_k(&ch, "m", v, 1);
    assay_channel_bytes(&ch, "root", root, 32);
    CHECK(k_is_zero(v[0]));
    CHECK_EQ_U64(root[0], 0);
    CHECK_EQ_STR(ch.reject, "first");

    r = assay_reader_of(bytes, sizeof bytes);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_channel_k(&ch, "m", v, 2);
    assay_channel_bytes(&ch, "root", root, 32); /* 12 bytes are left */
    CHECK(ch.reject != NULL);

    assay_writer w;
    assay_writer_init(&w, 30);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    assay_channel_k(&ch, "m", v, 1);
    CHECK(channel_ok(&ch));
    assay_channel_check(&ch, false, "the prover does not check");
    CHECK(channel_ok(&ch));
    assay_channel_k(&ch, "m", v, 1);
    CHECK_STATUS(ch.status, ASSAY_ENOMEM);
    assay_channel_fail(&ch, ASSAY_EIO);
    CHECK_STATUS(ch.status, ASSAY_ENOMEM);
    assay_writer_clear(&w);
}

TEST(the_planner_sees_zeros)
{
    assay_channel ch;
    kel v[2] = {random_k(), random_k()};
    uint64_t pos[9];
    assay_channel_init(&ch, ASSAY_PLAN, NULL, NULL);
    assay_channel_k(&ch, "m", v, 2);
    CHECK(k_is_zero(v[0]) && k_is_zero(v[1]));
    CHECK_EQ_U64(assay_channel_positions(&ch, "pos", 5, 9, pos), 9);
    CHECK_EQ_U64(assay_channel_positions(&ch, "pos", 3, 9, pos), 8);
    CHECK_EQ_U64(pos[7], 7);
    CHECK(k_is_zero(assay_channel_challenge(&ch, "c")));
    CHECK(channel_ok(&ch));
}

static kel horner(const kel *coef, unsigned deg, kel x)
{
    kel out = coef[deg];
    for (unsigned i = deg; i-- > 0;) out = k_add(k_mul(out, x), coef[i]);
    return out;
}

TEST(interpolation)
{
    for (unsigned deg = 1; deg <= 3; deg++)
        for (int trial = 0; trial < 20; trial++) {
            kel coef[4], v[4], r = random_k();
            for (unsigned i = 0; i <= deg; i++) coef[i] = random_k();
            for (unsigned i = 0; i <= deg; i++) v[i] = horner(coef, deg, k_from_f(i));
            CHECK(k_eq(assay_lagrange_eval(v, deg, r), horner(coef, deg, r)));
            CHECK(k_eq(assay_lagrange_eval(v, deg, k_from_f(deg)), v[deg]));
        }
}

/* A prover of sum_x a(x) b(x) over 2^4 points, by definition. */
typedef struct toy {
    kel a[16], b[16];
    size_t n;
} toy;

static kel at(const kel *v, size_t i, kel x)
{
    return k_add(v[2 * i], k_mul(x, k_sub(v[2 * i + 1], v[2 * i])));
}

static void toy_round(void *ctx, kel *values, kel claim)
{
    toy *t = (toy *)ctx;
    (void)claim;
    for (uint32_t j = 0; j < 2; j++) {
        values[j] = k_zero();
        for (size_t i = 0; i < t->n / 2; i++)
            values[j] = k_add(values[j], k_mul(at(t->a, i, k_from_f(2 * j)), at(t->b, i, k_from_f(2 * j))));
    }
}

static void toy_fold(void *ctx, kel r)
{
    toy *t = (toy *)ctx;
    t->n /= 2;
    for (size_t i = 0; i < t->n; i++) {
        t->a[i] = at(t->a, i, r);
        t->b[i] = at(t->b, i, r);
    }
}

TEST(plain_sumcheck)
{
    toy t, copy;
    kel claim = k_zero(), point[4], point2[4];
    t.n = 16;
    for (size_t i = 0; i < 16; i++) {
        t.a[i] = random_k();
        t.b[i] = random_k();
        claim = k_add(claim, k_mul(t.a[i], t.b[i]));
    }
    copy = t;
    assay_sumcheck_prover sp = {toy_round, toy_fold, &t};
    assay_writer w;
    assay_channel p, v;
    assay_writer_init(&w, 1 << 16);
    assay_channel_init(&p, ASSAY_PROVE, &w, NULL);
    kel last = assay_plain_sumcheck(&p, "toy", claim, 4, &sp, point);
    CHECK(k_eq(last, k_mul(t.a[0], t.b[0])));
    CHECK_EQ_U64(w.n, 4 * 2 * K_BYTES);

    assay_reader r = assay_reader_of(w.p, w.n);
    assay_channel_init(&v, ASSAY_VERIFY, NULL, &r);
    CHECK(k_eq(assay_plain_sumcheck(&v, "toy", claim, 4, NULL, point2), last));
    CHECK_EQ_MEM(point, point2, sizeof point);
    kel a = k_zero(); /* variable 0 is the lowest bit */
    for (size_t i = 0; i < 16; i++) {
        kel eq = k_one();
        for (size_t b = 0; b < 4; b++) eq = k_mul(eq, i >> b & 1 ? point[b] : k_sub(k_one(), point[b]));
        a = k_add(a, k_mul(eq, copy.a[i]));
    }
    CHECK(k_eq(a, t.a[0]));
    r = assay_reader_of(w.p, w.n); /* another claim leads elsewhere */
    assay_channel_init(&v, ASSAY_VERIFY, NULL, &r);
    CHECK(!k_eq(assay_plain_sumcheck(&v, "toy", k_add_f(claim, 1), 4, NULL, point2), last));
    assay_writer_clear(&w);
}

/* (1 + 2^-log_rate)/2 to the power t. */
static double missed(unsigned log_rate, size_t t)
{
    double p = 1;
    while (t-- > 0) p *= (1 + 1.0 / (1 << log_rate)) / 2;
    return p;
}

TEST(query_counts)
{
    CHECK_EQ_U64(assay_query_count(128, 2), 192);
    CHECK_EQ_U64(assay_query_count(128, 3), 158);
    CHECK_EQ_U64(assay_query_count(128, 4), 144);
    CHECK_EQ_U64(assay_query_count(100, 2), 151);
    CHECK_EQ_U64(assay_query_count(100, 3), 126);
    CHECK_EQ_U64(assay_query_count(100, 4), 115);
    /* The main round and three tail levels together keep the setting's bits. */
    double two_to_minus_50 = 1.0 / 1125899906842624.0, two_to_minus_100 = two_to_minus_50 * two_to_minus_50;
    for (unsigned lr = 3; lr <= 4; lr++) {
        CHECK(missed(2, 192) + 3 * missed(lr, assay_query_count(128, lr)) < two_to_minus_100 / (1 << 28));
        CHECK(missed(2, 151) + 3 * missed(lr, assay_query_count(100, lr)) < two_to_minus_100);
    }
    for (unsigned lr = 2; lr <= 4; lr++) CHECK(assay_query_count(128, lr) <= ASSAY_MAX_QUERIES);
    CHECK_EQ_U64(assay_query_count(127, 2), 0);
    CHECK_EQ_U64(assay_query_count(128, 1), 0);
    CHECK_EQ_U64(assay_query_count(128, 5), 0);
}
