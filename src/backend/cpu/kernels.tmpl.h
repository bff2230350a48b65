/* SPDX-License-Identifier: Apache-2.0 */
/* The vector kernels of one instruction set: kernels_avx2.c and kernels_avx512.c include a field/m31_vec_*.h, define
 * KERNELS as the name of the table, and include this file. */
#include "backend/cpu/kernels.h"
#include "field/k_vec.h"

#include "backend/cpu/kernels_fft.tmpl.h"
#include "backend/cpu/kernels_k.tmpl.h"
#include "backend/cpu/kernels_sum.tmpl.h"

const assay_cpu_kernels KERNELS = {
    .fft_pass = fft_pass,
    .fft_node = fft_node,
    .fft_two = fft_two,
    .fft_transpose_pass = fft_transpose_pass,
    .fft_transpose_node = fft_transpose_node,
    .k_axpy = k_axpy,
    .kf_axpy = kf_axpy,
    .kf_axpy_many = kf_axpy_many,
    .k_scale = scale,
    .k_add = add,
    .k_sum = sum,
    .k_dot = dot,
    .kf_dot = kf_dot,
    .k_fold = k_fold,
    .f_fold = f_fold,
    .k_halve = k_halve,
    .k_eq_step = k_eq_step,
    .round_dot2 = round_dot2,
    .round_dot2_kf = round_dot2_kf,
    .round_dot3w = round_dot3w,
    .round_frac = round_frac,
    .frac_up = frac_up,
    .frac_up_f = frac_up_f,
    .k_split = k_split,
    .k_affine = k_affine,
};
