/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of byte strings: what is read lies within the bytes, and is written again alike. */
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "fuzz.h"
#include <string.h>

enum { MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_blob blobs[MAX];
    assay_errinfo err = {0};
    assay_buffer again;
    size_t n = MAX + 1;
    const assay_status s = assay_blobs_unpack(blobs, MAX, &n, data, size, &err);
    if (s != ASSAY_OK) {
        FUZZ_REQUIRE((s == ASSAY_EFORMAT || s == ASSAY_ERANGE) && n == 0 && err.reason);
        return 0;
    }
    FUZZ_REQUIRE(n <= MAX);
    for (size_t i = 0; i < n; i++) FUZZ_REQUIRE(blobs[i].p >= data && blobs[i].n <= (size_t)(data + size - blobs[i].p));
    if (assay_blobs_pack(&again, blobs, n, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(again.n == size && memcmp(again.p, data, size) == 0);
    assay_buffer_free(&again);
    return 0;
}
