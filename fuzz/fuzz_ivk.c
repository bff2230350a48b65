/* SPDX-License-Identifier: Apache-2.0 */
/* ivk.bin beside a fixed config.bin: what decodes encodes to the same bytes, and its parameters are ones for which the
 * shape of a proof can be computed. */
#include "cp/protocol.h"
#include "small_statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static small_statement s;
    assay_public p;
    assay_writer w;
    assay_frame f;
    uint32_t ids[3] = {0, 1, 2};
    assay_request rq;
    if (s.config.n == 0) small_public(&s);
    if (assay_public_decode(&p, s.config.p, s.config.n, data, size, NULL) != ASSAY_OK) return 0;
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_ivk_encode(&w, &p);
    FUZZ_REQUIRE(!w.bad && w.n == size && memcmp(w.p, data, size) == 0);
    assay_writer_clear(&w);
    FUZZ_REQUIRE(assay_request_new(&rq, ids, 1, 2, 2, NULL, 0, NULL) == ASSAY_OK);
    if (assay_frame_init(&f, &p, &rq, NULL, 0, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(2 + f.shape.n_rows <= (uint64_t)1 << f.shape.row_bits);
        assay_frame_clear(&f);
    }
    assay_request_clear(&rq);
    assay_public_clear(&p);
    return 0;
}
