/* SPDX-License-Identifier: Apache-2.0 */
/* The model's tables: SHA-256 as made by numpy (tests/reference/test_model_tables.py), every entry against long double
 * mathematics, the fixed-point functions themselves, and refusals. */
#include "base/mem.h"
#include "harness.h"
#include "hash/sha256.h"
#include "model/model.h"
#include "model/tables_fixed.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A configuration of one layer with what the tables depend on; the rest is empty. */
enum { SETTINGS = 13 };
typedef struct setting {
    assay_model_config c;
    assay_layer_config layer;
    uint64_t factor[ASSAY_MAX_ROPE];
    uint32_t tokens;
} setting;

static void setting_fill(setting *s, const int64_t v[SETTINGS])
{
    memset(s, 0, sizeof *s);
    s->c.n_layers = 1, s->c.layer = &s->layer;
    s->c.d = (uint32_t)v[0], s->c.rsqrt_in = (int32_t)v[1], s->c.rsqrt_out = (int32_t)v[2];
    s->c.e_bits = (int32_t)v[3], s->c.score_f = (int32_t)v[4], s->c.cos_bits = (int32_t)v[5];
    s->c.rope_theta_q16 = (uint64_t)v[6], s->c.head_dim = (uint32_t)v[7], s->tokens = (uint32_t)v[8];
    s->layer.gate.b = (int32_t)v[9], s->layer.gate.f = (int32_t)v[10], s->layer.fsg = (int32_t)v[11];
    s->c.dist_bits = (int32_t)v[12];
    const uint64_t top = ((uint64_t)1 << s->c.rsqrt_out) - 1;
    while (((uint64_t)s->c.d << (2 * (s->c.rs_t + 1))) <= top * top << (s->c.rsqrt_in - 1)) s->c.rs_t++;
}

static void hash_words(assay_sha256 *h, const void *words, size_t n, size_t each)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t w = each == 2 ? ((const uint16_t *)words)[i] : ((const uint32_t *)words)[i];
        const uint8_t b[4] = {(uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24)};
        assay_sha256_update(h, b, each);
    }
}

static void tables_hex(char hex[65], const assay_tables *t, const setting *s)
{
    assay_sha256 h;
    uint8_t digest[32];
    const size_t angles = (size_t)s->tokens * s->c.head_dim / 2;
    assay_sha256_init(&h);
    hash_words(&h, t->rsqrt, (size_t)9 << s->c.rsqrt_in, 2);
    for (uint32_t b = 1; b <= t->e_bits; b++) hash_words(&h, t->exp[b], t->exp_rows[b], 4);
    hash_words(&h, t->silu[0], (size_t)1 << s->layer.gate.b, 4);
    hash_words(&h, t->cos, angles, 4);
    hash_words(&h, t->sin, angles, 4);
    assay_sha256_final(&h, digest);
    for (int k = 0; k < 32; k++) snprintf(hex + 2 * k, 3, "%02x", digest[k]);
}

/* The factors of RoPE scaling of a line. */
static bool read_factors(setting *s, FILE *f)
{
    if (fscanf(f, "%" SCNu32, &s->c.n_rope) != 1 || s->c.n_rope > ASSAY_MAX_ROPE) return false;
    for (uint32_t i = 0; i < s->c.n_rope; i++)
        if (fscanf(f, "%" SCNu64, &s->factor[i]) != 1) return false;
    s->c.rope_q32 = s->factor;
    return true;
}

TEST(tables_have_the_hashes_that_numpy_finds)
{
    char path[512], want[65], hex[65];
    snprintf(path, sizeof path, "%s/tests/vectors/model_tables.txt", assay_test_source_dir());
    FILE *f = fopen(path, "r");
    int lines = 0;
    REQUIRE(f != NULL);
    for (;; lines++) {
        int64_t v[SETTINGS];
        int got = 0;
        for (int k = 0; k < SETTINGS; k++) got += fscanf(f, "%" SCNd64, &v[k]) == 1;
        if (got != SETTINGS) break;
        setting s;
        assay_tables t;
        setting_fill(&s, v);
        if (!read_factors(&s, f) || fscanf(f, "%64s", want) != 1) break;
        if (!CHECK_OK(assay_tables_new(&t, &s.c, s.tokens, NULL))) continue;
        tables_hex(hex, &t, &s);
        CHECK_EQ_STR(hex, want);
        assay_tables_clear(&t);
    }
    CHECK_EQ_U64(lines, 10);
    fclose(f);
}

/* floor(x + 1/2) within the error of long double arithmetic. */
static bool rounds_to(long double x, int64_t entry)
{
    return fabsl(x - (long double)entry) <= 0.5L + 1e-9L;
}

static const int64_t usual[SETTINGS] = {576, 12, 12, 14, 9, 12, (int64_t)500000 << 16, 64, 70000, 12, 7, 11, 16};
/* The largest that a configuration may ask for. */
static const int64_t largest[SETTINGS] = {576, 12, 12, 16, 15, 12, (int64_t)500000 << 16, 64, 64, 16, 11, 11, 22};

TEST(every_entry_is_a_rounded_value)
{
    setting s;
    assay_tables t;
    uint64_t wrong = 0;
    setting_fill(&s, usual);
    REQUIRE_OK(assay_tables_new(&t, &s.c, s.tokens, NULL));
    for (uint32_t par = 0; par < 2; par++) {
        for (uint32_t m = 0; m < 2048; m++) {
            const long double x = ldexpl(sqrtl(576 / ((m + 2048.5L) * (par + 1))), s.c.rs_t);
            wrong += !rounds_to(x, t.rsqrt[par * 2048 + m]);
            const uint32_t r = t.rsqrt[par * 2048 + m], cut = t.rsqrt[(8 * 2 + par) * 2048 + m];
            wrong += cut != (r + 128) / 256;
        }
    }
    for (uint32_t b = 1; b <= 14; b++) {
        for (uint32_t i = 0; i < 65536; i++)
            wrong += !rounds_to(ldexpl(expl(-(long double)i / 512), (int)b), assay_exp_at(&t, (int32_t)b, i));
    }
    for (int32_t i = -2048; i < 2048; i++) {
        const long double g = i / 128.0L;
        wrong += !rounds_to(ldexpl(g / (1 + expl(-g)), 11), t.silu[0][i + 2048]);
    }
    for (uint32_t p = 0; p < s.tokens; p += p < 600 ? 1 : 97) {
        for (uint32_t k = 0; k < 32; k++) {
            const long double a = p * powl(500000.0L, -2.0L * k / 64);
            wrong += !rounds_to(4096 * cosl(a), t.cos[p * 32 + k]);
            wrong += !rounds_to(4096 * sinl(a), t.sin[p * 32 + k]);
        }
    }
    CHECK_EQ_U64(wrong, 0);
    CHECK(t.exp[14][0] == 1 << 14 && t.cos[0] == 4096 && t.sin[0] == 0 && t.silu[0][2048] == 0);
    assay_tables_clear(&t);
}

TEST(scaled_frequencies_are_divided_exactly)
{
    const long double top = ldexpl(1, 128);
    for (int k = 0; k < 2000; k++) {
        const assay_fx turn = (assay_fx)assay_test_random() << 64 | assay_test_random();
        const uint64_t f = ((uint64_t)1 << 32) + (assay_test_random() >> (16 + k % 32));
        const assay_fx got = assay_fx_turn_div(turn, f);
        const long double want = (long double)turn * (ldexpl(1, 32) / (long double)f);
        CHECK(fabsl((long double)got - want) <= ldexpl(top, -61));
        CHECK(got <= turn);
    }
    CHECK(assay_fx_turn_div(~(assay_fx)0, (uint64_t)1 << 32) == ~(assay_fx)0);
    CHECK(assay_fx_turn_div((assay_fx)12345 << 90, (uint64_t)3 << 32) == ((assay_fx)12345 << 90) / 3);
    CHECK(assay_fx_turn_div(~(assay_fx)0, (uint64_t)1 << 48) == ~(assay_fx)0 >> 16);
}

TEST(factors_of_another_number_of_pairs_are_refused)
{
    setting s;
    assay_tables t;
    int64_t v[SETTINGS];
    memcpy(v, usual, sizeof v);
    v[8] = 4;
    setting_fill(&s, v);
    s.c.rope_q32 = s.factor, s.c.n_rope = 31;
    CHECK_STATUS(assay_tables_new(&t, &s.c, s.tokens, NULL), ASSAY_ERANGE);
}

TEST(the_largest_tables)
{
    setting s;
    assay_tables t;
    uint64_t wrong = 0;
    setting_fill(&s, largest);
    s.c.z_bits = 19;
    s.tokens = 20;
    REQUIRE_OK(assay_tables_new(&t, &s.c, s.tokens, NULL));
    CHECK(t.exp[13] == NULL && t.exp_rows[13] == 0); /* row 19 has 14 bits */
    for (uint32_t b = 14; b <= 16; b++) {
        for (uint32_t i = 0; i < 1 << 16; i++) /* distances of 22 bits at 2^-15, of which 6 are a remainder */
            wrong += !rounds_to(ldexpl(expl(-(long double)i / 512), (int)b), assay_exp_at(&t, (int32_t)b, i));
        const uint32_t last = t.exp_rows[b] - 1;
        CHECK(t.exp[b][0] == (uint32_t)1 << b && t.exp[b][last] == 1);
        CHECK(last == (uint32_t)floorl((b + 1) * logl(2) * 512));
    }
    for (int32_t i = -32768; i < 32768; i++) {
        const long double g = i / 2048.0L;
        wrong += !rounds_to(ldexpl(g / (1 + expl(-g)), 11), t.silu[0][i + 32768]);
    }
    CHECK_EQ_U64(wrong, 0);
    assay_tables_clear(&t);
    s.c.dist_bits = 10; /* a table that ends before its entries are 0 */
    REQUIRE_OK(assay_tables_new(&t, &s.c, s.tokens, NULL));
    CHECK(t.exp_rows[16] == 1 << 10 && t.exp[16][1023] > 1);
    assay_tables_clear(&t);
}

TEST(fixed_point_functions)
{
    const long double one = ldexpl(1, FX_BITS), ulp = ldexpl(1, -60);
    CHECK(fabsl((long double)assay_fx_ln2() / one - logl(2)) < ulp);
    for (int k = 0; k < 2000; k++) {
        const assay_fx a = (assay_fx)(assay_test_random() >> 1) << 60,
                       b = (assay_fx)(assay_test_random() >> 4) << 60 | FX_ONE;
        const long double x = (long double)a / one, y = (long double)b / one;
        CHECK(fabsl((long double)assay_fx_mul(a, b) / one - x * y) <= 8 * ulp);
        CHECK(fabsl((long double)assay_fx_div(a / 64, b) / one / (x / 64 / y) - 1) <= 8 * ulp);
        CHECK(fabsl((long double)assay_fx_exp_neg(a) / one - expl(-x)) <= 8 * ulp);
        const uint64_t theta = (assay_test_random() >> (k % 40)) | 1 << 16;
        CHECK(fabsl((long double)assay_fx_ln_q16(theta) / one - logl((long double)theta / 65536)) <= 64 * ulp);
        const assay_fx turn = (assay_fx)assay_test_random() << 64 | assay_test_random();
        const long double angle = 2 * acosl(-1) * ldexpl((long double)turn, -128);
        int64_t c, s;
        assay_fx_cos_sin(&c, &s, turn);
        CHECK(fabsl(ldexpl((long double)c, -62) - cosl(angle)) < ldexpl(1, -56));
        CHECK(fabsl(ldexpl((long double)s, -62) - sinl(angle)) < ldexpl(1, -56));
    }
    int64_t c, s;
    assay_fx_cos_sin(&c, &s, (assay_fx)1 << 126);
    CHECK(c == 0 && s == (int64_t)1 << 62);
    assay_fx_cos_sin(&c, &s, (assay_fx)3 << 126);
    CHECK(c == 0 && s == -((int64_t)1 << 62));
    /* t turns of a small angle, modulo one turn: a million radians */
    const assay_fx radian = assay_fx_turn(FX_ONE);
    assay_fx_cos_sin(&c, &s, radian * 1000000);
    CHECK(fabsl(ldexpl((long double)c, -62) - cosl(1e6L)) < ldexpl(1, -44));
    CHECK(assay_fx_exp_neg_ratio(0, 9) == FX_ONE && assay_fx_exp_neg_ratio(100 << 9, 9) == 0);
    CHECK(assay_fx_exp_neg_ratio(3, -2) == assay_fx_exp_neg((assay_fx)12 << FX_BITS));
    CHECK(assay_fx_exp_neg_ratio(5000, -40) == 0);
}

TEST(a_doubtful_rounding_is_refused)
{
    int64_t y = -1;
    const assay_fx half = (assay_fx)1 << 99, close = (assay_fx)1 << 70; /* 100 fractional bits; 2^-30 of a unit */
    CHECK(!assay_fx_round(&y, 7 * 2 * half + half, 100));
    CHECK(!assay_fx_round(&y, 7 * 2 * half + half - close / 2, 100));
    CHECK(!assay_fx_round(&y, 7 * 2 * half + half + close / 2, 100));
    CHECK(assay_fx_round(&y, 7 * 2 * half + half - 2 * close, 100) && y == 7);
    CHECK(assay_fx_round(&y, 7 * 2 * half + half + 2 * close, 100) && y == 8);
    CHECK(assay_fx_round(&y, 7 * 2 * half, 100) && y == 7);
}

static void refuse(int which, int64_t value, assay_status want)
{
    setting s;
    assay_tables t;
    int64_t v[SETTINGS];
    memcpy(v, usual, sizeof v);
    v[8] = 4;
    v[which] = value;
    setting_fill(&s, v);
    CHECK_STATUS(assay_tables_new(&t, &s.c, s.tokens, NULL), want);
    CHECK(t.rsqrt == NULL && t.exp == NULL && t.silu == NULL && t.cos == NULL && t.sin == NULL);
}

TEST(parameters_out_of_range_are_refused)
{
    refuse(3, 17, ASSAY_ERANGE);
    refuse(12, 30, ASSAY_ERANGE);
    refuse(12, 26, ASSAY_ERANGE); /* steps of less than 2^0 nat */
    refuse(5, 16, ASSAY_ERANGE);
    refuse(6, 65535, ASSAY_ERANGE);
    refuse(7, 31, ASSAY_ERANGE);
    refuse(8, 0, ASSAY_EINVAL);
    refuse(9, 17, ASSAY_ERANGE);
    refuse(10, 61, ASSAY_ERANGE);
    refuse(11, 12, ASSAY_ERANGE); /* an entry outside 16 bits */
}

TEST(bits_of_a_row)
{
    const assay_model_config c = {.e_bits = 12, .z_bits = 19};
    CHECK(assay_row_bits(&c, 0) == 12 && assay_row_bits(&c, 127) == 12 && assay_row_bits(&c, 128) == 11);
    CHECK(assay_row_bits(&c, 255) == 11 && assay_row_bits(&c, 256) == 10 && assay_row_bits(&c, 511) == 10);
}

TEST(every_allocation_may_fail)
{
    setting s;
    assay_tables t;
    int64_t v[SETTINGS];
    memcpy(v, usual, sizeof v);
    v[8] = 4;
    setting_fill(&s, v);
    assay_mem_fail_after(0);
    REQUIRE_OK(assay_tables_new(&t, &s.c, s.tokens, NULL));
    const uint64_t n = assay_mem_fail_after(0);
    assay_tables_clear(&t);
    CHECK(n >= 8);
    for (uint64_t k = 1; k <= n; k++) {
        assay_mem_fail_after(k);
        CHECK_STATUS(assay_tables_new(&t, &s.c, s.tokens, NULL), ASSAY_ENOMEM);
        CHECK(t.rsqrt == NULL && t.exp == NULL && t.cos == NULL);
    }
    assay_mem_fail_after(0);
}
