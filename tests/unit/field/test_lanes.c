/* SPDX-License-Identifier: Apache-2.0 */
/* Eight-lane field arithmetic, in plain C and with AVX-512 IFMA, against the scalar functions. */
#include "base/cpu.h"
#include "base/isa.h"
#include "field/bls381_fq_lanes.h"
#include "field/bls381_fr_lanes.h"
#include "field/bn254_fq_lanes.h"
#include "field/bn254_fr_lanes.h"
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

TEST(plain)
{
    lanes_bn254_fq();
    lanes_bn254_fr();
    lanes_bls381_fq();
    lanes_bls381_fr();
}

TEST(ifma)
{
    void (*checks)(void) = ASSAY_X86_FN(lanes_checks_ifma);
    if (checks && assay_cpu_features() & ASSAY_CPU_IFMA)
        checks();
    else
        assay_test_skip("this machine has no AVX-512 IFMA");
}
