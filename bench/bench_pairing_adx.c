/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of checking a Groth16 proof: how many products of base-field elements, sums of two products and additions
 * its parts take, and how long that many take at this processor's rate, with nothing else. The parts of bench_verify
 * with one public value: four Miller loops, the final exponentiation, four points of G2 and (BLS12-381) five of G1
 * checked, one multiple. Compiled for ADX, which it needs. bench_pairing_adx */
#include "base/cpu.h"
#include "field/bls381_fq.h"
#include "field/bn254_fq.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct counts {
    unsigned long products, pairs, sums;
} counts;
static counts now;

/* The field's functions, counted: the templates below take these names. */
#define COUNTED(F)                                                                                                     \
    static inline void counted_##F##_product(F *r, const F *a, const F *b)                                             \
    {                                                                                                                  \
        now.products++;                                                                                                \
        F##_product(r, a, b);                                                                                          \
    }                                                                                                                  \
    static inline void counted_##F##_mul_sum(F *r, const F a[2], const F b[2])                                         \
    {                                                                                                                  \
        now.pairs++;                                                                                                   \
        F##_mul_sum(r, a, b);                                                                                          \
    }                                                                                                                  \
    static inline void counted_##F##_sum(F *r, const F *a, const F *b)                                                 \
    {                                                                                                                  \
        now.sums++;                                                                                                    \
        F##_sum(r, a, b);                                                                                              \
    }                                                                                                                  \
    static inline void counted_##F##_difference(F *r, const F *a, const F *b)                                          \
    {                                                                                                                  \
        now.sums++;                                                                                                    \
        F##_difference(r, a, b);                                                                                       \
    }                                                                                                                  \
    static inline F counted_##F##_mul(F a, F b)                                                                        \
    {                                                                                                                  \
        now.products++;                                                                                                \
        return F##_mul(a, b);                                                                                          \
    }                                                                                                                  \
    static inline F counted_##F##_sqr(F a)                                                                             \
    {                                                                                                                  \
        now.products++;                                                                                                \
        return F##_sqr(a);                                                                                             \
    }                                                                                                                  \
    static inline F counted_##F##_add(F a, F b)                                                                        \
    {                                                                                                                  \
        now.sums++;                                                                                                    \
        return F##_add(a, b);                                                                                          \
    }                                                                                                                  \
    static inline F counted_##F##_sub(F a, F b)                                                                        \
    {                                                                                                                  \
        now.sums++;                                                                                                    \
        return F##_sub(a, b);                                                                                          \
    }

enum { CHAINS = 4, ROUNDS = 400000, TRIES = 9 };

/* Nanoseconds of processor time of each, four at a time, the least of some runs. */
typedef struct rates {
    double product, pair, sum;
} rates;

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void least(double *best, double start)
{
    const double ns = (seconds() - start) * 1e9 / ((double)ROUNDS * CHAINS);
    if (*best == 0 || ns < *best) *best = ns;
}

#define RATES(F)                                                                                                       \
    static rates rates_##F(void)                                                                                       \
    {                                                                                                                  \
        rates best = {0, 0, 0};                                                                                        \
        F x[CHAINS][2], y[2] = {F##_from_u64(7), F##_from_u64(11)};                                                    \
        for (int i = 0; i < 2 * CHAINS; i++) x[i / 2][i % 2] = F##_from_u64((uint64_t)i + 3);                          \
        for (int t = 0; t < TRIES; t++) {                                                                              \
            double start = seconds();                                                                                  \
            for (int i = 0; i < ROUNDS; i++)                                                                           \
                for (int j = 0; j < CHAINS; j++) F##_product(&x[j][0], &x[j][0], &y[0]);                               \
            least(&best.product, start);                                                                               \
            start = seconds();                                                                                         \
            for (int i = 0; i < ROUNDS; i++)                                                                           \
                for (int j = 0; j < CHAINS; j++) F##_mul_sum(&x[j][0], x[j], y);                                       \
            least(&best.pair, start);                                                                                  \
            start = seconds();                                                                                         \
            for (int i = 0; i < ROUNDS; i++)                                                                           \
                for (int j = 0; j < CHAINS; j++) F##_sum(&x[j][0], &x[j][0], &y[0]);                                   \
            least(&best.sum, start);                                                                                   \
        }                                                                                                              \
        y[0] = F##_zero();                                                                                             \
        for (int j = 0; j < CHAINS; j++) F##_sum(&y[0], &y[0], &x[j][0]);                                              \
        if (F##_is_zero(y[0])) printf("\n"); /* what was computed is used */                                           \
        return best;                                                                                                   \
    }

COUNTED(bn254_fq)
COUNTED(bls381_fq)
RATES(bn254_fq)
RATES(bls381_fq)

#define bn254_fq_product     counted_bn254_fq_product
#define bn254_fq_mul_sum     counted_bn254_fq_mul_sum
#define bn254_fq_sum         counted_bn254_fq_sum
#define bn254_fq_difference  counted_bn254_fq_difference
#define bn254_fq_mul         counted_bn254_fq_mul
#define bn254_fq_sqr         counted_bn254_fq_sqr
#define bn254_fq_add         counted_bn254_fq_add
#define bn254_fq_sub         counted_bn254_fq_sub
#define bls381_fq_product    counted_bls381_fq_product
#define bls381_fq_mul_sum    counted_bls381_fq_mul_sum
#define bls381_fq_sum        counted_bls381_fq_sum
#define bls381_fq_difference counted_bls381_fq_difference
#define bls381_fq_mul        counted_bls381_fq_mul
#define bls381_fq_sqr        counted_bls381_fq_sqr
#define bls381_fq_add        counted_bls381_fq_add
#define bls381_fq_sub        counted_bls381_fq_sub
#include "curve/bls381_member.h"
#include "curve/bls381_pairing.h"
#include "curve/bn254_member.h"
#include "curve/bn254_pairing.h"

/* What was counted since the last call, `times` times, into the total. */
static void tell(const char *what, unsigned times, counts *total)
{
    printf("  %-26s %u x %6lu products, %6lu sums of two, %6lu additions\n", what, times, now.products, now.pairs,
           now.sums);
    total->products += times * now.products;
    total->pairs += times * now.pairs;
    total->sums += times * now.sums;
    now = (counts){0, 0, 0};
}

#define FLOOR(C, title, g1_points)                                                                                     \
    static void floor_##C(void)                                                                                        \
    {                                                                                                                  \
        static const uint64_t k[4] = {0x123456789abcdef1, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978, 0x1a2b3c4d5e6f7081}; \
        const rates r = rates_##C##_fq();                                                                              \
        counts total = {0, 0, 0};                                                                                      \
        C##_g1_affine p[4];                                                                                            \
        C##_g2_affine q[4];                                                                                            \
        C##_fq12 f = C##_fq12_one();                                                                                   \
        C##_g1 s;                                                                                                      \
        bool good = true;                                                                                              \
        for (int i = 0; i < 4; i++) {                                                                                  \
            p[i] = C##_g1_generator();                                                                                 \
            q[i] = C##_g2_generator();                                                                                 \
        }                                                                                                              \
        now = (counts){0, 0, 0};                                                                                       \
        printf("%s\n", title);                                                                                         \
        C##_miller(&f, p, q, 4);                                                                                       \
        tell("four Miller loops", 1, &total);                                                                          \
        C##_easy_power(&f);                                                                                            \
        C##_hard_power(&f);                                                                                            \
        tell("final exponentiation", 1, &total);                                                                       \
        good = C##_g2_member(q) && good;                                                                               \
        tell("point of G2 checked", 4, &total);                                                                        \
        good = C##_g1_member(p) && good;                                                                               \
        tell("point of G1 checked", g1_points, &total);                                                                \
        C##_g1_sum_of(&s, p, k, 4, 1);                                                                                 \
        tell("multiple of a point", 1, &total);                                                                        \
        const double products = (double)total.products * r.product + (double)total.pairs * r.pair;                     \
        printf("  in all %lu products at %.1f ns, %lu sums of two at %.1f ns: %.0f microseconds\n", total.products,    \
               r.product, total.pairs, r.pair, products / 1e3);                                                        \
        printf("  and %lu additions at %.1f ns: %.0f microseconds\n", total.sums, r.sum,                               \
               (products + (double)total.sums * r.sum) / 1e3);                                                         \
        if (!good || C##_g1_is_infinity(&s)) printf("  wrong\n");                                                      \
    }

FLOOR(bn254, "BN254", 5)
FLOOR(bls381, "BLS12-381", 5)

int main(void)
{
    if (!(assay_cpu_features() & ASSAY_CPU_ADX)) {
        fprintf(stderr, "bench_pairing_adx: this machine has no ADX\n");
        return 1;
    }
    floor_bn254();
    floor_bls381();
    return 0;
}
