/* SPDX-License-Identifier: Apache-2.0 */
/* getrandom(2) and the expander. */
#include "hash/random.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "hash/sha256.h"
#include <errno.h>
#include <string.h>
#include <sys/random.h>

assay_status assay_random_bytes(uint8_t *out, size_t n, assay_errinfo *err)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = getrandom(out + at, n - at, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            memset(out, 0, n);
            return ASSAY_FAIL_OS(err, ASSAY_EIO, "getrandom", "the system gave no randomness", errno);
        }
        at += (size_t)got;
    }
    return ASSAY_OK;
}

void assay_drbg_block(uint8_t out[32], const uint8_t key[32], uint64_t label, uint64_t i)
{
    uint8_t m[48];
    memcpy(m, key, 32);
    assay_store_u64(m + 32, label);
    assay_store_u64(m + 40, i);
    assay_sha256_digest(out, m, sizeof m);
    assay_mem_wipe(m, sizeof m);
}
