/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that clients bring. */
#include "daemon/bearer.h"
#include "base/mem.h"
#include "hash/sha256.h"

bool assay_token_is(const void *p, size_t n, const uint8_t hash[32])
{
    uint8_t got[32];
    unsigned differs = 0;
    assay_sha256_digest(got, p, n);
    for (size_t i = 0; i < sizeof got; i++) differs |= (unsigned)(got[i] ^ hash[i]);
    assay_mem_wipe(got, sizeof got);
    return differs == 0;
}

bool assay_bearer_is(const char *value, size_t n, const uint8_t hash[32])
{
    static const char word[] = "bearer ";
    const size_t k = sizeof word - 1;
    if (n < k || value[k - 1] != ' ') return false;
    for (size_t i = 0; i < k - 1; i++)
        if ((value[i] | 0x20) != word[i]) return false;
    return assay_token_is(value + k, n - k, hash);
}
