/* SPDX-License-Identifier: Apache-2.0 */
/* The rank lemma of docs/hiding.md on the prover's own code: for fixed challenges everything that an opening reveals is
 * an affine function of its coins (random slots, M, R), so hiding at a small shape is decided exactly by linear
 * algebra. The view is uniform on the solutions of the verifier's own equations, whatever the data; each ingredient
 * left out exposes data. */
#include "base/mem.h"
#include "harness.h"
#include "opening.h"
#include "span.h"
#include <stdio.h>
#include <string.h>

typedef struct findings {
    size_t size, equations, rank; /* of the view in words; that the verifier checks; of coins -> view */
    size_t exposed;               /* dimensions in which data with one public claim differ and coins do not cover */
} findings;

static uint32_t random_f(void)
{
    return (uint32_t)(assay_test_random() % M31_P);
}

/* The view of (data, coins) less the one in base; view has base's length. */
static void difference(opening *o, uint32_t *out, const uint32_t *data, const uint32_t *coins, const record *base)
{
    record view;
    opening_view(o, &view, data, coins);
    if (CHECK_EQ_U64(view.n_words, base->n_words))
        for (size_t i = 0; i < base->n_words; i++) out[i] = m31_sub(view.words[i], base->words[i]);
    record_clear(&view);
}

/* Changes cell i by 1 and six cells of the first row of the witness so that the claim stays what it is. */
static bool change_silently(const opening *o, uint32_t *data, size_t i)
{
    size_t first = (o->n - ((size_t)1 << o->shape.slots)) << o->shape.jb;
    uint32_t a[K_WORDS * K_WORDS], b[K_WORDS];
    if (i >= first && i < first + K_WORDS) return false;
    kel change = k_neg(opening_claim_of_cell(o, i));
    for (size_t k = 0; k < K_WORDS; k++) {
        kel here = opening_claim_of_cell(o, first + k);
        for (size_t w = 0; w < K_WORDS; w++) a[w * K_WORDS + k] = here.v[w];
        b[k] = change.v[k];
    }
    if (!CHECK(linear_solve(a, b, K_WORDS))) return false;
    data[i] = m31_add(data[i], 1);
    for (size_t k = 0; k < K_WORDS; k++) data[first + k] = m31_add(data[first + k], b[k]);
    return true;
}

/* The view is affine in the coins: random ones give what their unit vectors add up to. */
static void check_affine(opening *o, const uint32_t *data, const record *base, const uint32_t *matrix)
{
    size_t n = base->n_words;
    uint32_t *coins = (uint32_t *)assay_mem_alloc(o->n_coins, sizeof *coins),
             *sum = (uint32_t *)assay_mem_alloc(2 * n, sizeof *sum);
    for (size_t i = 0; i < o->n_coins; i++) {
        coins[i] = random_f();
        for (size_t k = 0; k < n; k++) sum[k] = m31_add(sum[k], m31_mul(coins[i], matrix[i * n + k]));
    }
    difference(o, sum + n, data, coins, base);
    CHECK_EQ_MEM(sum, sum + n, n * sizeof *sum);
    assay_mem_free(coins);
    assay_mem_free(sum);
}

static findings probe(opening_shape shape, opening_weakness weak, uint64_t seed)
{
    opening o;
    record base;
    span image;
    opening_new(&o, shape, weak, seed);
    uint32_t *data = (uint32_t *)assay_mem_alloc(2 * o.n_data, sizeof *data), *other = data + o.n_data,
             *coins = (uint32_t *)assay_mem_alloc(o.n_coins, sizeof *coins);
    for (size_t i = 0; i < o.n_data; i++) data[i] = random_f();
    opening_view(&o, &base, data, coins);
    kel value = o.value;
    size_t n = base.n_words;
    findings f = {n, opening_equations(&o), 0, 0};
    uint32_t *matrix = (uint32_t *)assay_mem_alloc(o.n_coins + 1, n * sizeof *matrix), *row = matrix + o.n_coins * n;
    for (size_t i = 0; i < o.n_coins; i++) {
        coins[i] = 1;
        difference(&o, matrix + i * n, data, coins, &base);
        coins[i] = 0;
        CHECK(k_eq(o.value, value));
    }
    check_affine(&o, data, &base, matrix);
    span_init(&image, n, n);
    for (size_t i = 0; i < o.n_coins; i++) (void)span_add(&image, matrix + i * n);
    f.rank = image.rank;
    for (size_t i = 0; i < o.n_data; i++) {
        memcpy(other, data, o.n_data * sizeof *data);
        if (!change_silently(&o, other, i)) continue;
        difference(&o, row, other, coins, &base);
        CHECK(k_eq(o.value, value));
        f.exposed += span_add(&image, row);
    }
    span_clear(&image);
    record_clear(&base);
    assay_mem_free(matrix);
    assay_mem_free(data);
    assay_mem_free(coins);
    opening_free(&o);
    return f;
}

static const opening_shape small = {5, 2, 2, 1, 2, 3}, larger = {6, 3, 3, 2, 5, 7};
static const opening_weakness none;

static void say(const char *name, findings f)
{
    printf("%s: view of %zu words, %zu equations, rank %zu; %zu dimensions of data exposed\n", name, f.size,
           f.equations, f.rank, f.exposed);
}

TEST(the_view_is_uniform_on_the_verifiers_equations)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        findings f = probe(seed < 4 ? small : larger, none, seed);
        say("full protocol", f);
        CHECK_EQ_U64(f.rank, f.size - f.equations);
        CHECK_EQ_U64(f.exposed, 0);
    }
}

/* One position fewer than slots is free, as many as slots are not always, one more never is. */
TEST(more_positions_than_slots_expose_data)
{
    for (size_t extra = 1; extra <= 2; extra++) {
        opening_shape shape = small;
        shape.t = ((size_t)1 << shape.slots) + extra;
        findings f = probe(shape, none, 5);
        say("too many positions", f);
        CHECK(f.rank < f.size - f.equations);
        CHECK_EQ_U64(f.exposed, extra * 4); /* an equation of each position too many for each of the four rows over F */
    }
}

static findings weakened(const char *name, opening_weakness weak)
{
    findings f = probe(small, weak, 6);
    say(name, f);
    CHECK(f.exposed > 0);
    return f;
}

TEST(without_row_r_data_are_exposed)
{
    (void)weakened("no row R", (opening_weakness){.no_r = true});
}
TEST(row_r_in_its_slots_only_exposes_data)
{
    (void)weakened("R in its slots only", (opening_weakness){.r_in_slots_only = true});
}
TEST(mask_univariates_of_degree_one_expose_data)
{
    (void)weakened("mask of degree 1", (opening_weakness){.mask_of_degree_one = true});
}
TEST(without_a_mask_data_are_exposed)
{
    (void)weakened("M = 0", (opening_weakness){.no_mask = true});
}
TEST(one_mask_under_two_challenges_exposes_data)
{
    (void)weakened("M used twice", (opening_weakness){.mask_used_twice = true});
}
