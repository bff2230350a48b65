/* SPDX-License-Identifier: Apache-2.0 */
/* The model configuration: canonical bytes, and one refusal for each inequality of the width table. */
#include "base/mem.h"
#include "unit/harness.h"
#include "unit/model/valid_config.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(the_valid_configuration_is_accepted)
{
    assay_model_config c;
    valid_config(&c);
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
        valid_config(&c);                                                                                              \
        change;                                                                                                        \
        refused(&c, 64, says, __LINE__);                                                                               \
        assay_model_config_clear(&c);                                                                                  \
    } while (0)

/* The same, where the number alone would already be out of its range without the others: still inside the limits. */
#define GOOD(change)                                                                                                   \
    do {                                                                                                               \
        assay_model_config c;                                                                                          \
        valid_config(&c);                                                                                              \
        change;                                                                                                        \
        CHECK_OK(assay_model_config_check(&c, 64, NULL));                                                              \
        assay_model_config_clear(&c);                                                                                  \
    } while (0)

/* The same with norms of heads. */
#define BAD_HEADS(change, says) BAD((valid_config_norm_heads(&c), change), says)

TEST(norms_of_heads_outside_their_ranges_are_refused)
{
    GOOD(valid_config_norm_heads(&c));
    GOOD((valid_config_norm_heads(&c), c.parts |= ASSAY_PART_BIAS));
    GOOD((valid_config_norm_heads(&c), c.layer[1].q.f = 15, c.layer[1].k.f = -32));
    GOOD((valid_config_norm_heads(&c), c.layer[1].fnh = 0));
    BAD_HEADS(c.layer[1].q.f = 16, "layer 1, norms of heads: unit of q");
    BAD_HEADS(c.layer[1].k.f = -33, "layer 1, norms of heads: unit of k");
    BAD_HEADS(c.layer[0].q.b = 17, "layer 0, q: bits of the value");
    BAD_HEADS(c.layer[1].fnh = -1, "layer 1, norms of heads: unit of a normalised head");
    BAD_HEADS(c.layer[1].fnh = c.rs_t + 1, "layer 1, norms of heads: unit of a normalised head");
    BAD_HEADS(c.layer[1].qg.b = 1, "layer 1, q times gain: bits of the value");
    BAD_HEADS(c.layer[1].kg.s = 17, "layer 1, k times gain: shift");
    BAD_HEADS((c.layer[0].kg.b = 16, c.layer[0].kg.s = 15), "layer 0, k times gain: value and shift exceed");
    BAD_HEADS(c.layer[0].qg.f = 9, "layer 0, rotated q: binary points do not add up");
    BAD_HEADS(c.layer[0].kg.f = 65, "layer 0, k times gain: binary point");
    BAD_HEADS(c.layer[0].kg.f = 6, "layer 0, rotated k: binary points do not add up");
    BAD((c.layer[0].q.f = 12), "layer 0, rotated q: binary points do not add up");
}

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
    BAD(c.parts = 4, "parts of the model");
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
    valid_config(&c);
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
    valid_config(&c);
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

static void every_byte_counts(const assay_model_config *c)
{
    assay_model_config back;
    assay_writer a, b;
    encode(&a, c);
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
}

TEST(every_byte_of_a_configuration_counts)
{
    assay_model_config c;
    valid_config(&c);
    scale(&c, 2, factors[1]);
    every_byte_counts(&c);
    valid_config_norm_heads(&c);
    every_byte_counts(&c);
    assay_model_config_clear(&c);
}

TEST(numbers_of_head_norms_are_there_with_the_part_only)
{
    assay_model_config c, back;
    assay_writer plain, normed;
    valid_config(&c);
    encode(&plain, &c);
    valid_config_norm_heads(&c);
    c.layer[1].fnh = 7;
    encode(&normed, &c);
    CHECK_EQ_U64(normed.n, plain.n + 2 * 7 * 4);
    for (size_t n = 0; n < normed.n; n++) {
        assay_reader r = assay_reader_of(normed.p, n);
        CHECK(assay_model_config_decode(&back, &r, NULL) != ASSAY_OK && back.layer == NULL);
    }
    assay_reader r = assay_reader_of(normed.p, normed.n);
    if (CHECK_OK(assay_model_config_decode(&back, &r, NULL)))
        CHECK(back.layer[0].qg.s == 14 && back.layer[1].kg.f == 7 && back.layer[0].fnh == 9 && back.layer[1].fnh == 7);
    assay_writer_clear(&plain);
    assay_writer_clear(&normed);
    assay_model_config_clear(&c);
    assay_model_config_clear(&back);
}

TEST(truncated_or_foreign_configurations_are_refused)
{
    assay_model_config c, back;
    assay_writer a;
    valid_config(&c);
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
