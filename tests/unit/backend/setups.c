/* SPDX-License-Identifier: Apache-2.0 */
/* Implementations under test, and data for them. */
#include "setups.h"
#include "base/cpu.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

const size_t setup_sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1000, 4097, 20011};
const size_t setup_n_sizes = sizeof setup_sizes / sizeof setup_sizes[0];

static void run_threads(const assay_backend *ref, unsigned mask, setup_fn *fn)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        assay_pool *pool = NULL;
        assay_backend be;
        REQUIRE_OK(assay_pool_new(&pool, threads, NULL));
        assay_cpu_mask(mask);
        assay_backend_cpu_init(&be, pool);
        fn(ref, &be);
        assay_cpu_mask(~0u);
        assay_pool_free(pool);
    }
}

void for_each_setup(setup_fn *fn)
{
    const unsigned vectors[] = {0, ASSAY_CPU_AVX2, ASSAY_CPU_AVX2 | ASSAY_CPU_AVX512};
    unsigned have = assay_cpu_features();
    assay_backend ref;
    assay_cpu_mask(0);
    assay_backend_cpu_init(&ref, NULL);
    assay_cpu_mask(~0u);
    CHECK_EQ_STR(ref.name, "ref");
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        if ((have & vectors[i]) != vectors[i]) continue;
        run_threads(&ref, vectors[i], fn);
        if (have & ASSAY_CPU_SHANI) run_threads(&ref, vectors[i] | ASSAY_CPU_SHANI, fn);
    }
}

void fill_f(uint32_t *out, size_t n)
{
    static const uint32_t corners[] = {0, 1, 2, M31_P - 1, M31_P - 2, M31_P / 2, M31_P / 2 + 1, 1u << 30, 0x55555555u};
    for (size_t i = 0; i < n; i++) {
        uint64_t r = assay_test_random();
        out[i] = r & 1 ? corners[r / 2 % (sizeof corners / sizeof corners[0])] : (uint32_t)(r >> 20) % M31_P;
    }
}

kel random_k(void)
{
    kel k;
    fill_f(k.v, K_WORDS);
    return k;
}

assay_kvec new_kvec(size_t n)
{
    assay_kvec v;
    if (!CHECK(assay_kvec_new(&v, n ? n : 1))) return v;
    for (size_t j = 0; j < K_WORDS; j++) fill_f(v.c[j], v.n);
    return v;
}

uint32_t *new_words(size_t n)
{
    uint32_t *p = assay_mem_alloc(n ? n : 1, sizeof *p);
    if (CHECK(p != NULL)) fill_f(p, n);
    return p;
}

assay_kvec copy_kvec(const assay_kvec *v)
{
    assay_kvec c;
    if (!CHECK(assay_kvec_new(&c, v->n))) return c;
    for (size_t j = 0; j < K_WORDS; j++) memcpy(c.c[j], v->c[j], v->n * sizeof(uint32_t));
    return c;
}

static void check_same(const assay_backend *be, const char *op, size_t n, bool same)
{
    if (!CHECK(same)) fprintf(stderr, "    %s, %u threads: %s of %zu\n", be->name, assay_pool_threads(be->pool), op, n);
}

void check_kvec(const assay_backend *be, const char *op, const assay_kvec *got, const assay_kvec *want)
{
    bool same = got->n == want->n;
    for (size_t j = 0; same && j < K_WORDS; j++) same = memcmp(got->c[j], want->c[j], 4 * got->n) == 0;
    check_same(be, op, got->n, same);
}

void check_words(const assay_backend *be, const char *op, const uint32_t *got, const uint32_t *want, size_t n)
{
    check_same(be, op, n, memcmp(got, want, 4 * n) == 0);
}

void check_kels(const assay_backend *be, const char *op, size_t n, const kel *got, const kel *want, size_t count)
{
    check_same(be, op, n, memcmp(got, want, count * sizeof *got) == 0);
}

void check_bytes(const assay_backend *be, const char *op, const uint8_t *got, const uint8_t *want, size_t n)
{
    check_same(be, op, n, memcmp(got, want, n) == 0);
}
