/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of eight-lane arithmetic, compiled for AVX-512 IFMA. */
#include "field/bls381_fq_ifma.h"
#include "field/bls381_fr_ifma.h"
#include "field/bn254_fq_ifma.h"
#include "field/bn254_fr_ifma.h"
#include "field/lanes_checks.h"
#include "harness.h"
#include <string.h>

#define PRIME bn254_fq
#include "field/lanes_checks.tmpl.h"
#define PRIME bn254_fr
#include "field/lanes_checks.tmpl.h"
#define PRIME bls381_fq
#include "field/lanes_checks.tmpl.h"
#define PRIME bls381_fr
#include "field/lanes_checks.tmpl.h"

void lanes_checks_ifma(void)
{
    lanes_bn254_fq();
    lanes_bn254_fr();
    lanes_bls381_fq();
    lanes_bls381_fr();
}
