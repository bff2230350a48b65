/* SPDX-License-Identifier: Apache-2.0 */
/* The model configuration: canonical bytes, one refusal for each inequality of the width table, and the weights file.
 */
#include "base/file.h"
#include "base/mem.h"
#include "model/bounds.h"
#include "model/weights.h"
#include "unit/harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A valid configuration of two layers. */
static void make(assay_model_config *c)
{
    *c = (assay_model_config){.family = 1,
                              .n_layers = 2,
                              .d = 8,
                              .n_heads = 4,
                              .n_kv = 2,
                              .head_dim = 4,
                              .ff = 6,
                              .vocab = 11,
                              .max_positions = 64,
                              .tied = 1,
                              .rope_theta_q16 = 10000ull << 16,
                              .eps_q60 = 11529215046069ull,
                              .bos = 9,
                              .n_stop = 2,
                              .stop = {3, 10},
                              .n_bits = 15,
                              .score_f = 9,
                              .dist_bits = 16,
                              .cos_bits = 12,
                              .e_bits = 12,
                              .z_bits = 19,
                              .o_guard = 1,
                              .rsqrt_in = 12,
                              .rsqrt_out = 12,
                              .resid_bits = 16,
                              .f_embed = 11,
                              .f_head = 11,
                              .f_gf = 11,
                              .fn_final = 9,
                              .ng = {16, 11, 9},
                              .logit_f = 20};
    c->rs_t = assay_model_rsqrt_unit(c->d);
    c->unit = assay_mem_alloc(5, sizeof *c->unit);
    c->eps_term = assay_mem_alloc(5, sizeof *c->eps_term);
    c->layer = assay_mem_alloc(2, sizeof *c->layer);
    for (int j = 0; j < 5; j++) {
        c->unit[j] = 13 - j;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
    }
    for (int l = 0; l < 2; l++)
        c->layer[l] = (assay_layer_config){.q = {13, 15, 10},
                                           .k = {12, 16, 7},
                                           .v = {10, 16, 7},
                                           .qr = {9, 16, 6},
                                           .kr = {8, 16, 3},
                                           .o = {15, 9, 8},
                                           .gate = {12, 16, 8},
                                           .up = {16, 14, 10},
                                           .act = {16, 12, 10},
                                           .down = {15, 11, 8},
                                           .fn1 = 10,
                                           .fn2 = 10,
                                           .fsg = 12};
}

TEST(the_valid_configuration_is_accepted)
{
    assay_model_config c;
    make(&c);
    CHECK_OK(assay_model_config_check(&c, 64, NULL));
    CHECK_OK(assay_model_config_check(&c, 1, NULL));
    assay_model_config_clear(&c);
    CHECK(c.unit == NULL && c.layer == NULL);
    CHECK_STATUS(assay_model_config_check(&c, 1, NULL), ASSAY_EINVAL);
}

/* The check fails, and its message holds `says`. */
static void refused(const assay_model_config *c, uint32_t n_tokens, const char *says, int line)
{
    char message[512];
    assay_errinfo err = {0};
    bool right = assay_model_config_check(c, n_tokens, &err) == ASSAY_ERANGE;
    assay_errinfo_text(&err, message, sizeof message);
    if (!CHECK(right && strstr(message, says) != NULL))
        printf("    line %d: message %s, wanted %s\n", line, message, says);
}

/* One change to the valid configuration, and what the refusal says. */
#define BAD(change, says)                                                                                              \
    do {                                                                                                               \
        assay_model_config c;                                                                                          \
        make(&c);                                                                                                      \
        change;                                                                                                        \
        refused(&c, 64, says, __LINE__);                                                                               \
        assay_model_config_clear(&c);                                                                                  \
    } while (0)

/* The same, where the number alone would already be out of its range without the others: still inside the limits. */
#define GOOD(change)                                                                                                   \
    do {                                                                                                               \
        assay_model_config c;                                                                                          \
        make(&c);                                                                                                      \
        change;                                                                                                        \
        CHECK_OK(assay_model_config_check(&c, 64, NULL));                                                              \
        assay_model_config_clear(&c);                                                                                  \
    } while (0)

TEST(shapes_outside_their_ranges_are_refused)
{
    BAD(c.family = 2, "unknown model family");
    BAD(c.n_layers = 0, "number of layers");
    BAD(c.n_layers = 257, "number of layers");
    BAD(c.d = 0, "width");
    BAD(c.d = 1 << 15, "sums of d squares must stay below 2^30");
    BAD(c.n_heads = 0, "query heads");
    BAD(c.n_kv = 0, "key/value heads");
    BAD(c.n_kv = 8, "key/value heads");
    BAD(c.n_kv = 3, "no multiple");
    BAD(c.head_dim = 0, "head dimension");
    BAD(c.head_dim = 5, "head dimension is odd");
    BAD(c.head_dim = 2048, "head dimension");
    BAD((c.n_heads = 1024, c.n_kv = 1, c.head_dim = 66), "width of all query heads together");
    BAD(c.ff = 0, "hidden width");
    BAD(c.ff = UINT32_MAX, "hidden width");
    BAD(c.vocab = 1, "vocabulary");
    BAD(c.vocab = UINT32_MAX, "vocabulary");
    BAD(c.tied = 2, "tied");
    BAD(c.parts = 1u << 31, "parts of the model");
    BAD(c.parts = 2, "parts of the model");
    GOOD(c.parts = ASSAY_PART_BIAS);
    BAD(c.rope_theta_q16 = 65535, "rope theta");
    BAD(c.rope_theta_q16 = UINT64_MAX, "rope theta");
    BAD(c.eps_q60 = 0, "rms_norm_eps");
    BAD(c.eps_q60 = UINT64_MAX, "rms_norm_eps");
    BAD(c.fixed_first = 2, "fixed first token");
    BAD((c.fixed_first = 1, c.bos = -1), "the first token is fixed, but none is put before a prompt");
    GOOD((c.fixed_first = 1, c.bos = 1));
    BAD(c.bos = 11, "put before a prompt");
    BAD(c.bos = -2, "put before a prompt");
    BAD(c.n_stop = 17, "stop tokens");
    BAD(c.stop[1] = 11, "stop token outside");
    BAD(c.stop[1] = 3, "not increasing");
    GOOD(c.bos = -1);
    GOOD(c.n_stop = 0);
}

static uint64_t factors[3] = {(uint64_t)1 << 32, (uint64_t)1 << 48, (uint64_t)1 << 32};

/* Gives c a copy of two or three factors. */
static bool scale(assay_model_config *c, uint32_t n, uint64_t second)
{
    c->rope_q32 = assay_mem_alloc(3, sizeof *c->rope_q32);
    if (!CHECK(c->rope_q32 != NULL)) return false;
    memcpy(c->rope_q32, factors, sizeof factors);
    c->rope_q32[1] = second;
    c->n_rope = n;
    return true;
}

TEST(factors_of_rope_scaling_outside_their_range_are_refused)
{
    GOOD(scale(&c, 2, factors[1]));
    GOOD(scale(&c, 2, factors[0]));
    BAD(scale(&c, 2, 0), "RoPE scaling: factor outside 1 to 2^16");
    BAD(scale(&c, 2, factors[0] - 1), "RoPE scaling: factor outside");
    BAD(scale(&c, 2, factors[1] + 1), "RoPE scaling: factor outside");
    BAD(scale(&c, 2, UINT64_MAX), "RoPE scaling: factor outside");
    BAD(scale(&c, 1, factors[0]), "RoPE scaling: factors, one a rotated pair");
    BAD(scale(&c, 3, factors[0]), "RoPE scaling: factors, one a rotated pair");
    BAD(c.n_rope = 2, "RoPE scaling: factors are missing");
}

TEST(widths_outside_the_table_are_refused)
{
    BAD(c.n_bits = 14, "bits of a normalised row");
    BAD(c.n_bits = 16, "bits of a normalised row");
    BAD(c.resid_bits = 17, "bits of the residual");
    BAD(c.rsqrt_in = 11, "mantissa");
    BAD(c.rsqrt_out = 13, "reciprocal square root");
    BAD(c.rs_t += 1, "unit of the reciprocal square root");
    BAD(c.rs_t -= 1, "unit of the reciprocal square root");
    BAD(c.score_f = 17, "score unit");
    BAD(c.score_f = 0, "score unit");
    BAD(c.dist_bits = 15, "bits of a distance");
    BAD(c.dist_bits = 30, "bits of a distance");
    GOOD(c.dist_bits = 24);
    BAD(c.dist_bits = 25, "score unit"); /* of an exp table: 2^0 */
    BAD(c.cos_bits = 13, "bits of cos and sin");
    GOOD(c.e_bits = 16);
    BAD(c.e_bits = 17, "bits of an exp entry");
    BAD(c.e_bits = 3, "bits of an exp entry");
    GOOD(c.z_bits = 22);
    BAD(c.z_bits = 23, "sum of exp entries");
    BAD(c.z_bits = INT32_MIN, "sum of exp entries");
    BAD(c.o_guard = 5, "guard bits");
    BAD(c.o_guard = -1, "guard bits");
    BAD(c.max_positions = 0, "positions");
    BAD(c.max_positions = (1 << 15) + 1, "bits of an exp entry in the last row");
    GOOD(c.max_positions = 1 << 15);
}

TEST(a_request_longer_than_the_model_allows_is_refused)
{
    assay_model_config c;
    make(&c);
    refused(&c, 65, "request: tokens", __LINE__);
    refused(&c, 0, "request: tokens", __LINE__);
    assay_model_config_clear(&c);
}

TEST(sites_outside_the_window_are_refused)
{
    BAD(c.layer[1].q.b = 1, "layer 1, q: bits of the value");
    BAD(c.layer[1].q.b = 17, "layer 1, q: bits of the value");
    BAD(c.layer[0].k.s = 17, "layer 0, k: shift");
    BAD(c.layer[0].k.s = -1, "layer 0, k: shift");
    BAD(c.layer[0].v.f = INT32_MAX, "layer 0, v: binary point");
    BAD(c.layer[0].v.f = INT32_MIN, "layer 0, v: binary point");
    BAD((c.layer[0].q.b = 15, c.layer[0].q.s = 16), "layer 0, q: value and shift exceed the window");
    BAD((c.layer[0].o.b = 16, c.layer[0].o.s = 15), "layer 0, o: value and shift exceed the window");
    BAD((c.layer[0].qr.b = 15), "layer 0, rotated q: value and shift");
    BAD((c.layer[0].kr.b = 16), "layer 0, rotated k: value and shift");
    BAD(c.layer[0].gate.s = 19, "layer 0, gate: shift");
    BAD(c.layer[1].up.s = 15, "layer 1, up: value and shift");
    BAD(c.layer[1].act.b = 18, "layer 1, gate * up: bits");
    BAD(c.layer[1].down.s = 16, "layer 1, down: value and shift");
    BAD((c.ng.s = 15, c.ng.f = 5), "final norm: value and shift");
    BAD(c.layer[0].fn1 = -1, "first normalised row");
    BAD(c.layer[0].fn1 = c.rs_t + 1, "first normalised row");
    BAD(c.layer[0].fn2 = c.rs_t + 1, "second normalised row");
    BAD(c.fn_final = c.rs_t + 1, "final norm: unit");
    GOOD((c.layer[0].q.b = 14, c.layer[0].q.s = 16));
}

TEST(attention_that_is_not_unique_is_refused)
{
    BAD(c.layer[0].qr.f = 7, "rotated q: binary points do not add up");
    BAD(c.layer[1].kr.s = 15, "layer 1, rotated k: binary points do not add up");
    BAD((c.layer[0].kr.f = 4, c.layer[0].kr.s = 15), "scores: units of rotated q and k do not add up");
    GOOD((c.layer[0].qr = (assay_site){15, 15, 7}, c.layer[0].k.f = 5, c.layer[0].kr = (assay_site){15, 15, 2}));
    GOOD((c.z_bits = 22, c.layer[0].v.b = 14));
    BAD((c.z_bits = 21, c.o_guard = 3, c.layer[0].v.b = 14), "v: the quotient of the mix is not unique");
    BAD((c.z_bits = 22, c.o_guard = 2), "v: the quotient of the mix is not unique");
    BAD((c.layer[0].v.b = 15, c.layer[0].v.s = 15), "v: bits of a value in two limbs");
    BAD((c.layer[0].v.b = 7), "v: bits of a value in two limbs");
    BAD((c.z_bits = 13, c.layer[0].v.b = 14, c.layer[0].v.s = 10, c.o_guard = 3),
        "a mixed value has more than 16 bits");
}

TEST(silu_and_products_that_do_not_fit_are_refused)
{
    GOOD((c.layer[0].gate = (assay_site){14, 16, 8}, c.layer[0].fsg = 10, c.layer[0].act.s = 10));
    GOOD((c.layer[0].gate = (assay_site){16, 14, 8}, c.layer[0].fsg = 8, c.layer[0].act.s = 8));
    BAD((c.layer[0].gate.b = 13), "SiLU: an entry could have more than 16 bits");
    BAD((c.layer[0].gate.b = 17), "gate: bits of the value");
    BAD((c.layer[0].fsg = 13, c.layer[0].act.s = 13), "SiLU: an entry could have more than 16 bits");
    BAD((c.layer[0].fsg = 400), "SiLU: binary point");
    BAD((c.layer[0].act.f = 11), "gate * up: binary points do not add up");
    BAD((c.layer[1].up.f = 9), "layer 1, gate * up: binary points do not add up");
}

TEST(residuals_that_could_wrap_are_refused)
{
    BAD(c.unit[0] = 16, "residual at norm 0: unit");
    BAD(c.unit[4] = -33, "residual at norm 4: unit");
    BAD(c.unit[3] = c.unit[2] + 1, "residual at norm 3: unit gets finer again");
    BAD((c.unit[4] = -5), "residual at norm 4: rebase by more than the window");
    BAD(c.eps_term[2] += 1, "residual at norm 2: eps term");
    BAD(c.eps_q60 += c.eps_q60, "residual at norm 0: eps term");
    BAD((c.layer[0].o.f = 13), "layer 0, o: finer than the residual");
    BAD((c.layer[1].down.f = 10), "layer 1, down: finer than the residual");
    BAD((c.layer[0].o.f = -3), "layer 0, o: a residual sum could pass 2^28");
    BAD((c.layer[0].down.f = -4), "layer 0, down: a residual sum could pass 2^28");
    BAD(c.f_embed = 14, "embedding: finer than the residual");
    BAD(c.f_embed = -1, "embedding: a residual sum could pass 2^28");
    GOOD((c.layer[0].o.f = -2));
}

TEST(ends_that_do_not_fit_are_refused)
{
    BAD(c.ng.f = 10, "final gain: binary points do not add up");
    BAD(c.f_gf = 12, "final gain: binary points do not add up");
    BAD(c.f_gf = 4000, "final norm: binary point of the gain");
    BAD(c.ng.b = 17, "final norm: bits of the value");
    BAD(c.f_head = 12, "logits: tied");
    BAD(c.f_head = INT32_MIN, "logits: binary point of the head");
    BAD(c.logit_f = 41, "logits: binary point of a logit");
    BAD(c.logit_f = -1, "logits: binary point of a logit");
    BAD(c.logit_f = 19, "logits: binary points do not add up");
    GOOD((c.tied = 0, c.f_head = 12, c.logit_f = 21));
}

TEST(eps_terms_are_rounded_and_at_least_one)
{
    const uint64_t one = (uint64_t)1 << 48; /* 2^-12 */
    CHECK_EQ_U64(assay_model_eps_term(one, 1 << 14, 0), 4);
    CHECK_EQ_U64(assay_model_eps_term(one, 1 << 14, 15), (uint64_t)4 << 30);
    CHECK_EQ_U64(assay_model_eps_term(one, 6144, 0), 2); /* 1.5 */
    CHECK_EQ_U64(assay_model_eps_term(one, 6143, 0), 1);
    CHECK_EQ_U64(assay_model_eps_term(1, 1, 15), 1);
    CHECK_EQ_U64(assay_model_eps_term(one, (1 << 15) - 1, -1), 2);
    CHECK_EQ_U64(assay_model_eps_term(one, (1 << 15) - 1, -2), 1);
    CHECK_EQ_U64(assay_model_eps_term(one, (1 << 15) - 1, -32), 1);
}

TEST(the_reciprocal_square_root_has_the_finest_unit_that_fits)
{
    for (uint32_t d = 1; d < 1 << 15; d = d * 3 / 2 + 1) {
        int32_t t = assay_model_rsqrt_unit(d);
        double entry = ldexp(sqrt(d / 2048.0), t);
        CHECK(entry <= 4095 && 2 * entry > 4095);
    }
    CHECK_EQ_U64(assay_model_rsqrt_unit(128), 13);
}

/* ---- canonical bytes */

static void encode(assay_writer *w, const assay_model_config *c)
{
    assay_writer_init(w, 1 << 20);
    assay_model_config_encode(w, c);
    CHECK(!w->bad);
}

TEST(decoding_gives_back_what_was_encoded)
{
    assay_model_config c, back;
    assay_writer a, b;
    make(&c);
    c.bos = -1;
    c.layer[1].fsg = -7;
    c.eps_term[4] = -5000000000;
    scale(&c, 2, 5);
    c.parts = ASSAY_PART_BIAS;
    encode(&a, &c);
    assay_reader r = assay_reader_of(a.p, a.n);
    REQUIRE_OK(assay_model_config_decode(&back, &r, NULL));
    CHECK_EQ_U64(assay_reader_left(&r), 0);
    CHECK(back.bos == -1 && back.layer[1].fsg == -7 && back.eps_term[4] == -5000000000);
    CHECK(back.layer[0].down.s == 11 && back.logit_f == 20 && back.stop[1] == 10 &&
          back.rope_theta_q16 == 10000ull << 16);
    CHECK(back.parts == ASSAY_PART_BIAS && back.n_rope == 2 && back.rope_q32[0] == factors[0] && back.rope_q32[1] == 5);
    encode(&b, &back);
    CHECK_EQ_U64(a.n, b.n);
    CHECK(a.n == b.n && memcmp(a.p, b.p, a.n) == 0);
    assay_writer_clear(&a);
    assay_writer_clear(&b);
    assay_model_config_clear(&c);
    assay_model_config_clear(&back);
}

TEST(every_byte_of_a_configuration_counts)
{
    assay_model_config c, back;
    assay_writer a, b;
    make(&c);
    scale(&c, 2, factors[1]);
    encode(&a, &c);
    for (size_t i = 0; i < a.n; i++) {
        a.p[i] ^= 1;
        assay_reader r = assay_reader_of(a.p, a.n);
        if (assay_model_config_decode(&back, &r, NULL) == ASSAY_OK) {
            encode(&b, &back);
            size_t used = a.n - assay_reader_left(&r);
            CHECK(b.n == used && memcmp(a.p, b.p, used) == 0);
            assay_writer_clear(&b);
        }
        assay_model_config_clear(&back);
        a.p[i] ^= 1;
    }
    assay_writer_clear(&a);
    assay_model_config_clear(&c);
}

TEST(truncated_or_foreign_configurations_are_refused)
{
    assay_model_config c, back;
    assay_writer a;
    make(&c);
    scale(&c, 2, factors[1]);
    encode(&a, &c);
    for (size_t n = 0; n < a.n; n++) {
        assay_reader r = assay_reader_of(a.p, n);
        CHECK(assay_model_config_decode(&back, &r, NULL) != ASSAY_OK);
        CHECK(back.unit == NULL && back.layer == NULL);
    }
    a.p[0] = 2;
    assay_reader r = assay_reader_of(a.p, a.n);
    CHECK_STATUS(assay_model_config_decode(&back, &r, NULL), ASSAY_EUNSUPPORTED);
    a.p[0] = 1;
    assay_store_u32(a.p + 8, 257); /* layers */
    r = assay_reader_of(a.p, a.n);
    CHECK_STATUS(assay_model_config_decode(&back, &r, NULL), ASSAY_ERANGE);
    assay_store_u32(a.p + 8, 2);
    assay_store_u32(a.p + 68, 17); /* stop tokens */
    r = assay_reader_of(a.p, a.n);
    CHECK_STATUS(assay_model_config_decode(&back, &r, NULL), ASSAY_ERANGE);
    assay_store_u32(a.p + 68, 2);
    assay_store_u32(a.p + a.n - 24, ASSAY_MAX_ROPE + 1); /* factors */
    r = assay_reader_of(a.p, a.n);
    CHECK_STATUS(assay_model_config_decode(&back, &r, NULL), ASSAY_ERANGE);
    assay_writer_clear(&a);
    assay_model_config_clear(&c);
}

/* ---- weights */

/* With biases, so that both kinds of numbers are there. */
static void make_model(assay_model *m)
{
    *m = (assay_model){0};
    make(&m->cfg);
    m->cfg.parts = ASSAY_PART_BIAS;
    REQUIRE_OK(assay_model_alloc(m, NULL));
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        for (size_t j = 0; j < (size_t)a.rows * a.cols; j++)
            (*a.slot)[j] = (int16_t)((int64_t)(assay_test_random() % 8191) - 4095);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(m, i);
        for (uint32_t j = 0; j < a.n; j++)
            (*a.slot)[j] = (int32_t)((int64_t)(assay_test_random() % ((1u << 30) - 1)) - (1 << 29) + 1);
    }
}

static void weights_path(char out[1024])
{
    snprintf(out, 1024, "%s/weights.bin", assay_test_tmpdir());
}

TEST(weights_are_saved_and_loaded)
{
    char path[1024];
    assay_model m, back = {0};
    make_model(&m);
    weights_path(path);
    CHECK_OK(assay_model_weights_save(&m, path, NULL));
    make(&back.cfg);
    back.cfg.parts = ASSAY_PART_BIAS;
    REQUIRE_OK(assay_model_weights_load(&back, path, NULL));
    CHECK(back.head == back.embed);
    uint64_t total = 0;
    for (uint32_t i = 0; i < assay_weight_count(&m.cfg); i++) {
        assay_weight_array a = assay_weight_at(&m, i), b = assay_weight_at(&back, i);
        size_t cells = (size_t)a.rows * a.cols;
        CHECK(memcmp(*a.slot, *b.slot, cells * sizeof(int16_t)) == 0);
        total += cells;
    }
    CHECK_EQ_U64(total, assay_weight_total(&m.cfg));
    total = 0;
    for (uint32_t i = 0; i < assay_bias_count(&m.cfg); i++) {
        assay_bias_array a = assay_bias_at(&m, i), b = assay_bias_at(&back, i);
        CHECK(memcmp(*a.slot, *b.slot, a.n * sizeof(int32_t)) == 0);
        total += a.n;
    }
    CHECK(total == assay_bias_total(&m.cfg) && total == 2 * (16 + 8 + 8));
    CHECK_STATUS(assay_model_alloc(&back, NULL), ASSAY_EINVAL);
    assay_model_clear(&m);
    assay_model_clear(&back);
    CHECK(back.own == NULL && back.embed == NULL && back.cfg.unit == NULL);
}

/* Decodes the bytes for the valid configuration. */
static assay_status decode(const uint8_t *p, size_t n)
{
    assay_model m = {0};
    make(&m.cfg);
    m.cfg.parts = ASSAY_PART_BIAS;
    assay_status s = assay_model_weights_decode(&m, "weights.bin", p, n, NULL);
    CHECK((m.own != NULL) == (s == ASSAY_OK));
    assay_model_clear(&m);
    return s;
}

TEST(foreign_or_damaged_weights_are_refused)
{
    enum { HEADER = 52 };
    char path[1024];
    uint8_t *p = NULL;
    size_t n = 0;
    assay_model m;
    make_model(&m);
    weights_path(path);
    CHECK_OK(assay_model_weights_save(&m, path, NULL));
    REQUIRE_OK(assay_file_read(path, 1 << 20, &p, &n, NULL));
    CHECK_EQ_U64(n, HEADER + 2 * assay_weight_total(&m.cfg) + 4 * assay_bias_total(&m.cfg));
    CHECK_OK(decode(p, n));
    for (size_t cut = 0; cut < n; cut += cut < HEADER ? 1 : 37) CHECK_STATUS(decode(p, cut), ASSAY_EFORMAT);
    for (size_t i = 0; i < HEADER; i++) {
        p[i] ^= 1;
        CHECK_STATUS(decode(p, n), i >= 8 && i < 12 ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT);
        p[i] ^= 1;
    }
    p[HEADER] = 0x00; /* -32768 */
    p[HEADER + 1] = 0x80;
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    p[HEADER] = 0x01;
    CHECK_OK(decode(p, n));
    assay_store_u32(p + n - 4, (uint32_t) - (1 << 29)); /* no bias of 30 bits */
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    assay_store_u32(p + n - 4, 1u << 29);
    CHECK_STATUS(decode(p, n), ASSAY_ERANGE);
    assay_store_u32(p + n - 4, (uint32_t) - ((1 << 29) - 1));
    CHECK_OK(decode(p, n));
    m.cfg.layer[0].fsg = 11;
    assay_model other = {.cfg = m.cfg};
    CHECK_STATUS(assay_model_weights_decode(&other, "weights.bin", p, n, NULL), ASSAY_EFORMAT);
    assay_mem_free_secret(p, n);
    assay_model_clear(&m);
}

TEST(bounds_are_worst_cases)
{
    assay_model m;
    assay_bound b[ASSAY_N_BOUNDS];
    make_model(&m);
    for (uint32_t i = 0; i < assay_weight_count(&m.cfg); i++) {
        assay_weight_array a = assay_weight_at(&m, i);
        memset(*a.slot, 0, (size_t)a.rows * a.cols * sizeof(int16_t));
    }
    for (uint32_t i = 0; i < assay_bias_count(&m.cfg); i++)
        memset(*assay_bias_at(&m, i).slot, 0, assay_bias_at(&m, i).n * sizeof(int32_t));
    m.layer[1].bk[7] = -(1 << 28);
    for (uint32_t j = 0; j < m.cfg.ff; j++) m.layer[1].down[3 * m.cfg.ff + j] = (int16_t)(j % 2 ? -4095 : 4095);
    m.layer[0].q[5] = -1024;
    m.gf[2] = 4095;
    assay_model_bounds(b, &m);
    CHECK_EQ_STR(b[7].name, "down");
    CHECK(fabs(b[7].by_sum - log2(6 * 4095.0 * 32768)) < 1e-9);
    CHECK(fabs(b[0].by_sum - 24) < 1e-9);
    CHECK(fabs(b[1].by_sum - 28) < 1e-9 && fabs(b[1].by_norm - 28) < 1e-9);
    CHECK(b[0].by_norm < b[0].by_sum && fabs(b[0].by_norm - log2(sqrt(8.0) * 1024 * (1.13 * 1024 + 0.5))) < 1e-9);
    CHECK(fabs(b[8].by_sum - log2(4095.0 * 16384)) < 1e-9);
    CHECK(fabs(b[6].by_sum - 30) < 1e-9 && b[6].excluded);
    CHECK(b[7].excluded == (b[7].by_sum < 30.58) && b[0].excluded && b[9].excluded);
    for (uint32_t j = 0; j < m.cfg.d; j++) m.head[4 * m.cfg.d + j] = 4095;
    assay_model_bounds(b, &m);
    CHECK(fabs(b[9].by_sum - log2(8 * 4095.0 * 32768)) < 1e-9 && !b[9].excluded);
    assay_model_clear(&m);
}
