/* SPDX-License-Identifier: Apache-2.0 */
/* Proving keys: header, coefficients, every section of points, contributions. */
#include "base/mem.h"
#include "fuzz.h"
#include "groth16/zkey.h"

static void read_points(const assay_zkey *z)
{
    enum { AT_ONCE = 16 };
    assay_affine points[AT_ONCE];
    for (unsigned section = ASSAY_ZKEY_IC; section <= ASSAY_ZKEY_H; section++) {
        uint64_t all = assay_zkey_n_points(z, section);
        const assay_group *g = assay_zkey_group(z, section);
        for (uint64_t i = 0; i < all; i += AT_ONCE) {
            size_t n = all - i < AT_ONCE ? (size_t)(all - i) : AT_ONCE;
            if (assay_zkey_points(points, z, section, i, n, ASSAY_POINT_CURVE, NULL, NULL) != ASSAY_OK) break;
            for (size_t k = 0; k < n; k++) FUZZ_REQUIRE(g->on_curve((uint8_t *)points + k * g->affine_bytes));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_zkey z;
    assay_zkey_matrices m;
    assay_zkey_history h;
    assay_vk vk;
    if (assay_zkey_of(&z, "f", data, size, true, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(z.n_public < z.n_vars && z.domain >= 2 && (uint64_t)z.domain * 64 <= size);
    read_points(&z);
    if (assay_zkey_matrices_load(&m, &z, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(m.start[1][m.domain] == m.n_coefs);
        for (uint32_t i = 0; i < m.n_coefs; i++) FUZZ_REQUIRE(m.signal[i] < z.n_vars && m.value[i] < m.values.n);
        assay_zkey_matrices_clear(&m);
    }
    if (assay_zkey_history_read(&h, &z, NULL) == ASSAY_OK) assay_zkey_history_clear(&h);
    if (assay_zkey_vk(&vk, &z, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(assay_vk_check(&vk, "f", NULL) == ASSAY_OK);
        assay_vk_clear(&vk);
    }
    assay_zkey_close(&z);
    return 0;
}
