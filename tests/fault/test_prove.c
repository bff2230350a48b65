/* SPDX-License-Identifier: Apache-2.0 */
/* The allocations of a proof made to fail, by the chains of calls that ask for them: hundreds of unfinished proofs.
 * ctest: uses unit/cp
 * ctest: uses unit/model
 * ctest: timeout 900
 * ctest: labels slow */
#include "fault/api_fixture.h"
#include <inttypes.h>
#include <stdio.h>

TEST(prove)
{
    assay_api_fixture f;
    if (assay_api_setup(&f)) {
        uint64_t chains = assay_fault_chains(assay_api_prove, &f);
        CHECK(chains >= 100);
        printf("  %" PRIu64 " chains of calls\n", chains);
    }
    assay_api_teardown(&f);
}
