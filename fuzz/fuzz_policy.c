/* SPDX-License-Identifier: Apache-2.0 */
/* Policy files: what is read has numbers in range, and written down again it is read as the same. */
#include "assay/policy.h"
#include "fuzz.h"
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_policy p, again;
    char text[256];
    memset(&p, 0xff, sizeof p);
    if (assay_policy_parse(&p, data, size, NULL) != ASSAY_OK) {
        FUZZ_REQUIRE(p.kind == ASSAY_POLICY_EXACT && p.gap_max == 0 && p.budget == 0);
        return 0;
    }
    FUZZ_REQUIRE(p.gap_max < 1000000000000 && p.budget < 1000000000000);
    if (p.kind == ASSAY_POLICY_EXACT) {
        FUZZ_REQUIRE(p.gap_max == 0 && p.budget == 0);
        return 0;
    }
    FUZZ_REQUIRE(p.kind == ASSAY_POLICY_GAP);
    (void)snprintf(text, sizeof text, "assay policy 1\naccept gap\ngap_max %llu.%06u\nbudget %llu.%06u\n",
                   (unsigned long long)(p.gap_max / 1000000), (unsigned)(p.gap_max % 1000000),
                   (unsigned long long)(p.budget / 1000000), (unsigned)(p.budget % 1000000));
    FUZZ_REQUIRE(assay_policy_parse(&again, text, strlen(text), NULL) == ASSAY_OK);
    FUZZ_REQUIRE(again.kind == p.kind && again.gap_max == p.gap_max && again.budget == p.budget);
    return 0;
}
