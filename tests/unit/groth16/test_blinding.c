/* SPDX-License-Identifier: Apache-2.0 */
/* What only a proof with known blinding shows: a key whose B1 leaves the group is refused also when the blinding hides
 * it, and no witness value and no blinding stays on the stack. */
#define _POSIX_C_SOURCE 200809L /* pthread_attr_setstack */
#include "base/file.h"
#include "base/mem.h"
#include "field/limbs.h"
#include "groth16/chain.h"
#include "groth16/prover.h"
#include "groth16/small_files.h"
#include "harness.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifdef ASSAY_SANITIZED
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* ---- B1 */

/* What the sum over section 6 multiplies a wire's point by, modulo 3: k, or k - r when that is the shorter one. The
 * order of BLS12-381 is 1 modulo 3, and so is 2^64. */
static unsigned multiplier_mod_3(const assay_curve *c, const uint64_t k[ASSAY_FR_LIMBS])
{
    uint64_t rest[ASSAY_FR_LIMBS];
    unsigned sum = 0;
    limbs_sub(rest, c->fr_modulus, k, ASSAY_FR_LIMBS);
    for (int i = 0; i < ASSAY_FR_LIMBS; i++) sum += (unsigned)(k[i] % 3);
    return (limbs_less(rest, k, ASSAY_FR_LIMBS) ? sum + 2 : sum) % 3;
}

/* The point of B1 at the wire that no B has (the last of the chain) becomes (0, 2), of order 3. */
static bool spoil_b1(const chain *k)
{
    const assay_group *g1 = &k->curve->group[ASSAY_G1];
    uint8_t be[ASSAY_AFFINE_MAX_BYTES] = {0};
    assay_affine low;
    size_t n;
    be[g1->affine_bytes - 1] = 2;
    assay_buffer key = chain_read(k->zkey);
    uint8_t *at = key.p + small_section(key.p, key.n, ASSAY_ZKEY_B1, &n) + (size_t)(k->n + 1) * g1->affine_bytes;
    bool good = CHECK(g1->from_be(&low, be) && g1->on_curve(&low) && !g1->in_group(&low));
    for (size_t i = 0; i < g1->affine_bytes; i++) good = CHECK(at[i] == 0) && good;
    g1->to_lem(at, &low);
    good = CHECK_OK(assay_file_write(k->zkey, key.p, key.n, 0644, NULL)) && good;
    assay_buffer_free(&key);
    return good;
}

static assay_status prove_with(const chain *k, uint64_t r, assay_errinfo *err)
{
    const assay_groth16_blinding given = {{r}, {5, 6, 7, 8}};
    const assay_groth16_open_options o = {.threads = 1};
    assay_groth16_key *key = NULL;
    assay_group_backend be;
    assay_proof proof;
    assay_wtns w;
    assay_group_backend_cpu_init(&be, NULL);
    CHECK_OK(assay_wtns_read(&w, k->wtns, NULL));
    assay_status s = assay_groth16_key_open(&key, k->zkey, &o, err);
    if (CHECK_OK(s)) s = assay_groth16_prove_with(&proof, key, &w, &be, &given, false, 0, NULL, err);
    assay_groth16_key_free(key);
    return s;
}

/* b1 leaves the group by 1 or 2 times a point of order 3, and pi_c by r times that. With r = 3 the proof is a good one,
 * and only the look at b1 finds the key out: left to the proof, whether it verifies would tell the witness modulo 3. */
TEST(b1_outside_of_the_group)
{
    unsigned harmful = 0, harmless = 0;
    for (uint32_t n = 2; n < 14; n++) {
        assay_errinfo err = {0};
        assay_wtns w;
        chain k;
        REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BLS381), n, false));
        REQUIRE_OK(assay_wtns_read(&w, k.wtns, NULL));
        const unsigned times = multiplier_mod_3(k.curve, w.w[n + 1]);
        assay_wtns_clear(&w);
        CHECK_OK(prove_with(&k, 3, NULL));
        REQUIRE(spoil_b1(&k));
        if (times == 0) { /* the sum is the right one */
            CHECK_OK(prove_with(&k, 3, NULL));
            harmless++;
            continue;
        }
        harmful++;
        CHECK_STATUS(prove_with(&k, 3, &err), ASSAY_EUNSATISFIED);
        CHECK_EQ_STR(err.reason, "section 6 (B1): its points leave the group");
        CHECK_STATUS(prove_with(&k, 4, &err), ASSAY_EUNSATISFIED);
    }
    CHECK(harmful > 0 && harmless > 0);
}

/* ---- the stack */

enum { STACK_BYTES = 8 << 20, CONSTRAINTS = 40 };

typedef struct job {
    const assay_groth16_key *key;
    const assay_groth16_blinding *given;
    const char *wtns;
    bool parts; /* as within little memory, the witness packed */
    assay_status s;
} job;

static void *prove_on_this_stack(void *arg)
{
    job *j = arg;
    assay_groth16_plan plan;
    assay_groth16_pieces pieces;
    assay_group_backend be;
    assay_proof proof;
    assay_wtns w;
    assay_group_backend_cpu_init(&be, NULL);
    j->s = assay_wtns_read(&w, j->wtns, NULL);
    if (j->s == ASSAY_OK && !j->parts)
        j->s = assay_groth16_prove_with(&proof, j->key, &w, &be, j->given, false, 0, NULL, NULL);
    if (j->s != ASSAY_OK || !j->parts) return NULL;
    j->s = assay_groth16_plan_pieces(&plan, &pieces, j->key, &be, 0, NULL, NULL);
    if (j->s != ASSAY_OK) return NULL;
    pieces.log_parts = 1;
    pieces.packed = true;
    j->s = assay_groth16_prove_planned(&proof, j->key, &w, &be, j->given, false, &pieces, NULL, NULL);
    return NULL;
}

static void *leave_a_word(void *arg)
{
    volatile uint64_t kept[64];
    for (int i = 0; i < 64; i++) kept[i] = *(const uint64_t *)arg;
    return kept[63] ? arg : NULL;
}

/* Runs f on a stack that is looked at afterwards: how many of its words are among the n given ones. */
static size_t words_left(void *(*f)(void *), void *arg, const uint64_t *words, size_t n)
{
    uint64_t *stack = assay_mem_alloc(STACK_BYTES, 1);
    pthread_attr_t attributes;
    pthread_t thread;
    size_t found = 0;
    bool ran = CHECK(stack != NULL) && CHECK(pthread_attr_init(&attributes) == 0) &&
               CHECK(pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0) &&
               CHECK(pthread_create(&thread, &attributes, f, arg) == 0) && CHECK(pthread_join(thread, NULL) == 0);
    for (size_t i = 0; ran && i < STACK_BYTES / sizeof *stack; i++)
        for (size_t k = 0; k < n; k++) found += stack[i] == words[k];
    assay_mem_free(stack);
    return found;
}

/* Every limb of the witness's full-width values, of r, s and r s, plain and in Montgomery form. */
static size_t secret_words(uint64_t *words, const chain *k, const assay_groth16_blinding *given)
{
    const assay_curve *c = k->curve;
    size_t n = 0;
    assay_wtns w;
    if (!CHECK_OK(assay_wtns_read(&w, k->wtns, NULL))) return 0;
    for (uint32_t i = 0; i < k->n + 4; i++) {
        uint64_t plain[ASSAY_FR_LIMBS];
        const uint64_t *v = i < k->n + 1 ? w.w[i + 1] : i == k->n + 1 ? given->r : given->s;
        assay_fr x = c->fr_from_limbs(v);
        if (i == k->n + 3) x = c->fr_mul(c->fr_from_limbs(given->r), c->fr_from_limbs(given->s));
        c->fr_to_limbs(plain, x);
        memcpy(words + n, plain, sizeof plain);
        memcpy(words + n + ASSAY_FR_LIMBS, &x, sizeof x);
        n += (size_t)2 * ASSAY_FR_LIMBS;
    }
    assay_wtns_clear(&w);
    return n;
}

/* One proof, good or (on BLS12-381, b1 outside of the group) refused before anything is computed that would write over
 * what its making left. */
static void check_stack(assay_curve_id id, bool refused, bool parts)
{
    static uint64_t words[2 * ASSAY_FR_LIMBS * (CONSTRAINTS + 4)];
    const assay_groth16_open_options o = {.threads = 1};
    assay_groth16_blinding given;
    assay_groth16_key *key = NULL;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(id), CONSTRAINTS, false));
    for (int i = 0; i < ASSAY_FR_LIMBS; i++) {
        given.r[i] = assay_test_random() >> (i == ASSAY_FR_LIMBS - 1 ? 4 : 0);
        given.s[i] = assay_test_random() >> (i == ASSAY_FR_LIMBS - 1 ? 4 : 0);
    }
    const size_t n = secret_words(words, &k, &given);
    CHECK_EQ_U64(n, sizeof words / sizeof *words);
    CHECK(words_left(leave_a_word, &words[n / 2], words, n) > 0); /* looking finds what is there */
    if (refused) REQUIRE(spoil_b1(&k));
    REQUIRE_OK(assay_groth16_key_open(&key, k.zkey, &o, NULL));
    job j = {.key = key, .given = &given, .wtns = k.wtns, .parts = parts, .s = ASSAY_EINTERNAL};
    CHECK_EQ_U64(words_left(prove_on_this_stack, &j, words, n), 0);
    CHECK_STATUS(j.s, refused ? ASSAY_EUNSATISFIED : ASSAY_OK);
    assay_groth16_key_free(key);
}

TEST(nothing_on_the_stack)
{
    if (SANITIZED) {
        assay_test_skip("sanitizers make frames so large that what wipes the stack does not reach their ends");
        return;
    }
    for (int parts = 0; parts < 2; parts++) {
        check_stack(ASSAY_BN254, false, parts);
        check_stack(ASSAY_BLS381, false, parts);
        check_stack(ASSAY_BLS381, true, parts);
    }
}

static void *read_on_this_stack(void *arg)
{
    job *j = arg;
    assay_wtns w;
    j->s = assay_wtns_read(&w, j->wtns, NULL);
    assay_wtns_clear(&w);
    return NULL;
}

typedef struct setup_job {
    const assay_groth16_trapdoor *t;
    const assay_r1cs *c;
    unsigned left; /* tellings of progress before it is cancelled */
    assay_status s;
} setup_job;

static int until(void *ctx, const char *stage, double done)
{
    unsigned *left = ctx;
    (void)stage;
    (void)done;
    return *left == 0 || --*left == 0;
}

static void *set_up_on_this_stack(void *arg)
{
    setup_job *j = arg;
    const assay_progress progress = {until, &j->left};
    assay_group_backend be;
    assay_container_writer w;
    assay_writer bytes;
    assay_group_backend_cpu_init(&be, NULL);
    assay_writer_init(&bytes, 1 << 20);
    j->s = assay_container_write(&w, NULL, &bytes, "zkey", 1, 11, NULL);
    if (j->s == ASSAY_OK) j->s = assay_groth16_setup_with(&w, j->c, "circuit", j->t, &be, &progress, NULL);
    assay_container_writer_clear(&w);
    assay_writer_clear(&bytes);
    return NULL;
}

/* Readers of witnesses leave none behind, makers of development keys no trapdoor. */
TEST(nothing_on_the_stack_of_others)
{
    static uint64_t words[2 * ASSAY_FR_LIMBS * (CONSTRAINTS + 4)];
    const assay_groth16_blinding given = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    if (SANITIZED) {
        assay_test_skip("sanitizers make frames so large that what wipes the stack does not reach their ends");
        return;
    }
    for (int id = 0; id < ASSAY_CURVE_COUNT; id++) {
        const assay_curve *c = assay_curve_get((assay_curve_id)id);
        assay_groth16_trapdoor t;
        assay_r1cs r;
        chain k;
        REQUIRE(chain_make(&k, c, CONSTRAINTS, false));
        job j = {.wtns = k.wtns, .s = ASSAY_EINTERNAL};
        CHECK(secret_words(words, &k, &given) > 0);
        CHECK_EQ_U64(words_left(read_on_this_stack, &j, words, (size_t)2 * ASSAY_FR_LIMBS * (CONSTRAINTS + 1)), 0);
        CHECK_OK(j.s);
        REQUIRE_OK(assay_groth16_trapdoor_draw(&t, c, 7, NULL));
        REQUIRE_OK(assay_r1cs_read(&r, k.r1cs, NULL, NULL));
        const assay_fr *secret = &t.tau;
        for (size_t i = 0; i < 5; i++) {
            c->fr_to_limbs(words + 2 * ASSAY_FR_LIMBS * i, secret[i]);
            memcpy(words + 2 * ASSAY_FR_LIMBS * i + ASSAY_FR_LIMBS, &secret[i], sizeof *secret);
        }
        /* whole, and cancelled before much is written over what was on the stack */
        for (unsigned left = 1; left < 1000; left += 998) {
            setup_job made = {.t = &t, .c = &r, .left = left, .s = ASSAY_EINTERNAL};
            CHECK_EQ_U64(words_left(set_up_on_this_stack, &made, words, (size_t)2 * ASSAY_FR_LIMBS * 5), 0);
            CHECK_STATUS(made.s, left == 1 ? ASSAY_ECANCELED : ASSAY_OK);
        }
        assay_r1cs_clear(&r);
    }
}
