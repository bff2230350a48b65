/* SPDX-License-Identifier: Apache-2.0 */
/* The table of fr.h of one instruction set, as a template. Before inclusion: the kernels of both fields, FR_TABLE, its
 * name, and FR_NAME. They are undefined at the end. */

#define FR_KERNELS(F)                                                                                                  \
    {                                                                                                                  \
        .name = FR_NAME, .splat_bytes = sizeof(F##_v_splat), .vector_bytes = sizeof(F##_v),                            \
        .splats = F##_kernel_splats, .lines = F##_kernel_lines, .mul = F##_kernel_mul, .mul_sub = F##_kernel_mul_sub,  \
        .powers = F##_kernel_powers, .to_scalars = F##_kernel_to_scalars, .from_scalars = F##_kernel_from_scalars,     \
    }

const assay_fr_table FR_TABLE = {
    .of = {[ASSAY_BN254] = FR_KERNELS(bn254_fr), [ASSAY_BLS381] = FR_KERNELS(bls381_fr)},
};

#undef FR_KERNELS
#undef FR_TABLE
#undef FR_NAME
