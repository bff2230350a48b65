/* SPDX-License-Identifier: Apache-2.0 */
/* Words are serialised through a small buffer, so that byte order is the format's and not the machine's. */
#include "hash/words.h"
#include "base/bytes.h"

enum { CHUNK = 64 };

void assay_sha256_update_words(assay_sha256 *s, const uint32_t *words, size_t n)
{
    uint8_t buf[4 * CHUNK];
    while (n) {
        size_t m = n < CHUNK ? n : CHUNK;
        for (size_t i = 0; i < m; i++) assay_store_u32(buf + 4 * i, words[i]);
        assay_sha256_update(s, buf, 4 * m);
        words += m;
        n -= m;
    }
}
