/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of fr.h with AVX-512 IFMA. */
#include "backend/cpu/fr.h"
#include "field/bls381_fr_ifma.h"
#include "field/bn254_fr_ifma.h"
#include <string.h>

#define FIELD bn254_fr
#include "backend/cpu/fr_arrays.tmpl.h"
#include "backend/cpu/ntt_lines.tmpl.h"

#define FIELD bls381_fr
#include "backend/cpu/fr_arrays.tmpl.h"
#include "backend/cpu/ntt_lines.tmpl.h"

#define FR_TABLE assay_fr_ifma
#define FR_NAME  "ifma"
#include "backend/cpu/fr_table.tmpl.h"
