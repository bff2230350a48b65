/* SPDX-License-Identifier: Apache-2.0 */
/* F.y beside a fixed F.req: what decodes encodes to the same bytes. */
#include "cp/public.h"
#include "fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t ids[3] = {4, 1, 0};
    static assay_writer req;
    assay_request r;
    assay_writer w;
    if (req.n == 0) {
        FUZZ_REQUIRE(assay_request_new(&r, ids, 2, 2, 0, "c", 1, NULL) == ASSAY_OK);
        assay_writer_init(&req, ASSAY_MAX_PUBLIC_FILE);
        assay_request_encode(&req, &r);
        assay_request_clear(&r);
    }
    if (assay_request_decode(&r, req.p, req.n, data, size, NULL) != ASSAY_OK) return 0;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_next_token_encode(&w, r.ids[2]);
    FUZZ_REQUIRE(!w.bad && w.n == size && memcmp(w.p, data, size) == 0);
    assay_writer_clear(&w);
    assay_request_clear(&r);
    return 0;
}
