/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for AVX-512. */
#include "field/m31_vec_avx512.h"

#define KERNELS assay_cpu_kernels_avx512
#include "backend/cpu/kernels.tmpl.h"
