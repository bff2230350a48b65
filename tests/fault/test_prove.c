/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a proof made to fail in turn: some thousands of unfinished proofs.
 * ctest: uses unit/cp
 * ctest: uses unit/model
 * ctest: timeout 900
 * ctest: labels slow */
#include "fault/api_fixture.h"

TEST(prove)
{
    assay_api_every(assay_api_prove, 1, 1000);
}
