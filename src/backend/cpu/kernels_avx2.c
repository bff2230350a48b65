/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for AVX2. */
#include "field/m31_vec_avx2.h"

#define KERNELS assay_cpu_kernels_avx2
#include "backend/cpu/kernels.tmpl.h"
