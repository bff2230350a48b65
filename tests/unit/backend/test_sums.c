/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, dot products and sumcheck rounds: every implementation equals plain C, and plain C the polynomials meant. */
#include "base/mem.h"
#include "setups.h"

static void compare_sums(const assay_backend *ref, const assay_backend *be)
{
    for (size_t i = 0; i < setup_n_sizes; i++) {
        size_t n = setup_sizes[i];
        assay_kvec a0 = new_kvec(n + 1), b0 = new_kvec(n + 1);
        assay_kvec a = assay_kvec_at(&a0, 1, n), b = assay_kvec_at(&b0, 1, n);
        uint32_t *f = new_words(n + 1);
        const kel got[3] = {be->k_sum(be, &a, n), be->k_dot(be, &a, &b, n), be->kf_dot(be, &a, f + 1, n)};
        const kel want[3] = {ref->k_sum(ref, &a, n), ref->k_dot(ref, &a, &b, n), ref->kf_dot(ref, &a, f + 1, n)};
        check_kels(be, "k_sum", n, got, want, 1);
        check_kels(be, "k_dot", n, got + 1, want + 1, 1);
        check_kels(be, "kf_dot", n, got + 2, want + 2, 1);
        assay_kvec_free(&a0);
        assay_kvec_free(&b0);
        assay_mem_free(f);
    }
}

TEST(sums_agree)
{
    for_each_setup(compare_sums);
}

typedef struct round_data {
    assay_kvec w, v[4];
    uint32_t *f;
    kel lambda;
} round_data;

static round_data make(size_t n)
{
    round_data d = {new_kvec(n),
                    {new_kvec(2 * n), new_kvec(2 * n), new_kvec(2 * n), new_kvec(2 * n)},
                    new_words(2 * n),
                    random_k()};
    return d;
}

static void drop(round_data *d)
{
    assay_kvec_free(&d->w);
    for (int i = 0; i < 4; i++) assay_kvec_free(&d->v[i]);
    assay_mem_free(d->f);
}

/* The four rounds, two elements each, and the last with lambda = 0. */
static void rounds(const assay_backend *be, kel out[10], const round_data *d, size_t n)
{
    be->round_dot2(be, out, &d->v[0], &d->v[1], n);
    be->round_dot2_kf(be, out + 2, &d->v[0], d->f, n);
    be->round_dot3w(be, out + 4, &d->w, &d->v[0], &d->v[1], n);
    be->round_frac(be, out + 6, &d->w, d->lambda, &d->v[0], &d->v[1], &d->v[2], &d->v[3], n);
    be->round_frac(be, out + 8, &d->w, k_zero(), &d->v[0], &d->v[1], &d->v[2], &d->v[3], n);
}

static void compare_rounds(const assay_backend *ref, const assay_backend *be)
{
    static const char *const names[] = {"round_dot2", "round_dot2_kf", "round_dot3w", "round_frac",
                                        "round_frac, lambda 0"};
    for (size_t i = 0; i < setup_n_sizes; i++) {
        size_t n = setup_sizes[i];
        round_data d = make(n);
        kel got[10], want[10];
        rounds(be, got, &d, n);
        rounds(ref, want, &d, n);
        for (size_t j = 0; j < 5; j++) check_kels(be, names[j], n, got + 2 * j, want + 2 * j, 2);
        drop(&d);
    }
}

TEST(rounds_agree)
{
    for_each_setup(compare_rounds);
}

/* a(x) of pair i. */
static kel at(const assay_kvec *a, size_t i, kel x)
{
    kel a0 = kvec_get(a, 2 * i), a1 = kvec_get(a, 2 * i + 1);
    return k_add(a0, k_mul(x, k_sub(a1, a0)));
}

/* The four polynomials of the rounds at x, by their formulas. */
static void polynomials(kel out[4], const round_data *d, size_t n, kel x)
{
    for (int j = 0; j < 4; j++) out[j] = k_zero();
    for (size_t i = 0; i < n; i++) {
        kel v[4], w = kvec_get(&d->w, i), f0 = k_from_f(d->f[2 * i]), f1 = k_from_f(d->f[2 * i + 1]);
        for (int j = 0; j < 4; j++) v[j] = at(&d->v[j], i, x);
        kel f = k_add(f0, k_mul(x, k_sub(f1, f0)));
        kel frac = k_add(k_add(k_mul(v[0], v[3]), k_mul(v[1], v[2])), k_mul(d->lambda, k_mul(v[2], v[3])));
        out[0] = k_add(out[0], k_mul(v[0], v[1]));
        out[1] = k_add(out[1], k_mul(v[0], f));
        out[2] = k_add(out[2], k_mul(w, k_mul(v[0], v[1])));
        out[3] = k_add(out[3], k_mul(w, frac));
    }
}

/* All four have degree 2: value at 0, and leading coefficient (g(2) - 2 g(1) + g(0)) / 2. */
TEST(rounds_are_the_polynomials)
{
    enum { N = 37 };
    assay_backend be;
    round_data d = make(N);
    kel got[10], g0[4], g1[4], g2[4];
    assay_backend_cpu_init(&be, NULL);
    rounds(&be, got, &d, N);
    polynomials(g0, &d, N, k_zero());
    polynomials(g1, &d, N, k_one());
    polynomials(g2, &d, N, k_from_f(2));
    for (int j = 0; j < 4; j++) {
        kel top = k_mul_f(k_add(k_sub(g2[j], k_double(g1[j])), g0[j]), m31_inv(2));
        CHECK(k_eq(got[2 * j], g0[j]));
        CHECK(k_eq(got[2 * j + 1], top));
    }
    drop(&d);
}
