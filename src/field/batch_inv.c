/* SPDX-License-Identifier: Apache-2.0 */
/* Batch inversion: running products forward in `out`, one inversion, then backward. Zeros are stepped over. */
#include "field/batch_inv.h"

void assay_m31_batch_inv(uint32_t *out, const uint32_t *in, size_t n)
{
    uint32_t run = 1;
    for (size_t i = 0; i < n; i++) {
        out[i] = run;
        if (in[i]) run = m31_mul(run, in[i]);
    }
    run = m31_inv(run);
    for (size_t i = n; i-- > 0;) {
        out[i] = in[i] ? m31_mul(out[i], run) : 0;
        if (in[i]) run = m31_mul(run, in[i]);
    }
}

void assay_k_batch_inv(kel *out, const kel *in, size_t n)
{
    kel run = k_one();
    for (size_t i = 0; i < n; i++) {
        out[i] = run;
        if (!k_is_zero(in[i])) run = k_mul(run, in[i]);
    }
    run = k_inv(run);
    for (size_t i = n; i-- > 0;) {
        bool zero = k_is_zero(in[i]);
        out[i] = zero ? k_zero() : k_mul(out[i], run);
        if (!zero) run = k_mul(run, in[i]);
    }
}
