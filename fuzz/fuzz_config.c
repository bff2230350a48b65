/* SPDX-License-Identifier: Apache-2.0 */
/* config.bin: what decodes encodes to the same bytes, and the shape of a proof can be computed for it, or is refused.
 */
#include "cp/protocol.h"
#include "fuzz.h"
#include <string.h>

/* A verifier's work before it reads a proof: a request of one token, the largest commitment. */
static void shape_of(assay_public *p)
{
    const uint32_t ids[2] = {0, 0};
    assay_request rq;
    assay_frame f;
    p->params = (assay_commit_params){128, 28, 10, 12};
    FUZZ_REQUIRE(assay_request_new(&rq, ids, 1, 1, 0, NULL, 0, NULL) == ASSAY_OK);
    if (assay_frame_init(&f, p, &rq, NULL, 0, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(2 + f.shape.n_rows <= (uint64_t)1 << f.shape.row_bits);
        assay_frame_clear(&f);
    }
    assay_request_clear(&rq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_public p;
    assay_writer w;
    if (assay_config_decode(&p, data, size, NULL) != ASSAY_OK) return 0;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_config_encode(&w, &p);
    FUZZ_REQUIRE(!w.bad && w.n == size && memcmp(w.p, data, size) == 0);
    assay_writer_clear(&w);
    shape_of(&p);
    assay_public_clear(&p);
    return 0;
}
