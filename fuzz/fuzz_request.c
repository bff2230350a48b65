/* SPDX-License-Identifier: Apache-2.0 */
/* F.req beside a fixed F.y: what decodes encodes to the same bytes and can be checked against a model. */
#include "small_statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static small_statement s;
    assay_request r;
    assay_writer w;
    if (s.config.n == 0) {
        small_public(&s);
        assay_writer_init(&s.next, ASSAY_MAX_PUBLIC_FILE);
        assay_next_token_encode(&s.next, 3);
    }
    if (assay_request_decode(&r, data, size, s.next.p, s.next.n, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(r.n_prompt >= 1 && r.n_prompt <= r.n_tokens && r.ids[r.n_tokens] == 3);
    assay_writer_init(&w, ASSAY_MAX_PUBLIC_FILE);
    assay_request_encode(&w, &r);
    FUZZ_REQUIRE(!w.bad && w.n == size && memcmp(w.p, data, size) == 0);
    if (assay_request_check(&r, &s.pub.cfg, NULL) == ASSAY_OK)
        for (uint32_t i = 0; i <= r.n_tokens; i++) FUZZ_REQUIRE(r.ids[i] < s.pub.cfg.vocab);
    assay_writer_clear(&w);
    assay_request_clear(&r);
    return 0;
}
