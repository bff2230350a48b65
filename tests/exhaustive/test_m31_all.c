/* SPDX-License-Identifier: Apache-2.0 */
/* Every element of F: unary operations against 64-bit remainders, and vector products by six constants against plain C.
 * ctest: labels slow
 * ctest: timeout 900 */
#include "backend/backend.h"
#include "base/mem.h"
#include "field/m31.h"
#include "harness.h"
#include <string.h>

TEST(unary_operations)
{
    uint64_t bad = 0;
    for (uint32_t a = 0; a < M31_P; a++) {
        int64_t v = m31_to_i64(a);
        bad += m31_add(a, m31_neg(a)) != 0;
        bad += m31_double(a) != 2 * (uint64_t)a % M31_P;
        bad += m31_sqr(a) != (uint64_t)a * a % M31_P;
        bad += m31_mul(a, M31_P - 1) != m31_neg(a);
        bad += v < -(int64_t)(M31_P / 2) || v > (int64_t)(M31_P / 2) || m31_from_i64(v) != a;
    }
    CHECK_EQ_U64(bad, 0);
}

/* a x for all a, six coordinates of x at a time, by the machine's fastest kernels: through single products (kf_axpy)
 * and through centred sums (k_affine). */
TEST(vector_products)
{
    enum { N = 4096 };
    static const kel x = {{1, M31_P - 1, M31_P / 2, M31_P / 2 + 1, 0x12345678, 0x55555555}};
    assay_backend be;
    assay_kvec y, z;
    uint32_t *a = assay_mem_alloc(N, sizeof *a);
    uint64_t bad = 0;
    assay_backend_cpu_init(&be, NULL);
    REQUIRE(a && assay_kvec_new(&y, N) && assay_kvec_new(&z, N));
    const uint32_t *const rows[1] = {a};
    for (uint32_t from = 0; from < M31_P; from += N) {
        for (uint32_t i = 0; i < N; i++) a[i] = from + i < M31_P ? from + i : 0;
        for (int j = 0; j < K_WORDS; j++) memset(y.c[j], 0, N * sizeof(uint32_t));
        be.kf_axpy(&be, &y, x, a, N);
        be.k_affine(&be, &z, k_zero(), &x, rows, 1, N);
        for (int j = 0; j < K_WORDS; j++)
            for (size_t i = 0; i < N; i++) {
                uint32_t want = m31_mul(x.v[j], a[i]);
                bad += y.c[j][i] != want;
                bad += z.c[j][i] != want;
            }
    }
    CHECK_EQ_U64(bad, 0);
    assay_kvec_free(&y);
    assay_kvec_free(&z);
    assay_mem_free(a);
}
