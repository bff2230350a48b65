/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of tau: header and every section of points. */
#include "fuzz.h"
#include "groth16/ptau.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { AT_ONCE = 16 };
    static const unsigned sections[] = {2, 3, 4, 5, 6, 12, 13, 14, 15};
    assay_affine points[AT_ONCE];
    assay_ptau t;
    if (assay_ptau_of(&t, "f", data, size, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(t.power >= 1 && (UINT64_C(64) << t.power) <= size);
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        uint64_t all = assay_ptau_n_points(&t, sections[s]);
        const assay_group *g = assay_ptau_group(&t, sections[s]);
        for (uint64_t i = 0; i < all; i += AT_ONCE) {
            size_t n = all - i < AT_ONCE ? (size_t)(all - i) : AT_ONCE;
            if (assay_ptau_points(points, &t, sections[s], i, n, ASSAY_POINT_CURVE, NULL, NULL) != ASSAY_OK) break;
            for (size_t k = 0; k < n; k++) FUZZ_REQUIRE(g->on_curve((uint8_t *)points + k * g->affine_bytes));
        }
    }
    assay_ptau_close(&t);
    return 0;
}
