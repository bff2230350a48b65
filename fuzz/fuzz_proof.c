/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of a small model, through the verifier's public interface. The input's first byte says what the rest is:
 *   0  a whole proof file
 *   1  edits of an accepted proof, eight bytes each: le24 place, operation, le32 operand
 *   2  the body of a proof, to which a right header is put
 * Only the accepted proof itself may be accepted. */
#include "assay/verify.h"
#include "small_statement.h"
#include <stdlib.h>

enum { EDIT = 8, MAX_EDITS = 16, HEADER = 16 };
enum { OP_XOR, OP_SET, OP_CUT, OP_COPY, OP_INSERT, OP_ADD, OP_COUNT };

static small_statement fixed;
static assay_verifier *verifier;

static void start(void)
{
    small_statement_make(&fixed);
    FUZZ_REQUIRE(assay_verifier_new(&verifier, fixed.config.p, fixed.config.n, fixed.ivk.p, fixed.ivk.n, NULL) ==
                 ASSAY_OK);
}

/* Puts a proof's length where its header says it. */
static void mend_header(uint8_t *p, size_t n)
{
    if (n >= HEADER) assay_store_u32(p + 12, (uint32_t)(n - HEADER));
}

/* One edit of the n bytes of a proof, which has room for four more. Returns the new length. */
static size_t edit(uint8_t *p, size_t n, const uint8_t *e)
{
    size_t at = HEADER + (assay_load_u32(e) & 0xffffff) % (n - HEADER - 4);
    uint32_t operand = assay_load_u32(e + 4);
    switch (e[3] % OP_COUNT) {
    case OP_XOR:
        p[at] ^= (uint8_t)operand;
        return n;
    case OP_SET: /* a word: field elements that are not reduced, and the like */
        assay_store_u32(p + at, operand);
        return n;
    case OP_CUT:
        return at;
    case OP_COPY: /* a piece of the proof in another place */
        memmove(p + at, p + HEADER + operand % (n - HEADER - 32), n - at < 32 ? n - at : 32);
        return n;
    case OP_INSERT:
        memmove(p + at + 4, p + at, n - at);
        assay_store_u32(p + at, operand);
        return n + 4;
    default: /* OP_ADD: the same value, another representative */
        assay_store_u32(p + at, assay_load_u32(p + at) + 0x7fffffffu);
        return n;
    }
}

static void check(const uint8_t *p, size_t n)
{
    assay_report report;
    bool same = n == fixed.proof.n && memcmp(p, fixed.proof.p, n) == 0;
    FUZZ_REQUIRE(assay_verifier_check(verifier, &report, &fixed.rq, p, n, NULL, 128, NULL) == ASSAY_OK);
    FUZZ_REQUIRE((report.verdict == ASSAY_ACCEPT) == same);
    FUZZ_REQUIRE((report.reason[0] == 0) == same);
    if (n <= 8 || p[8] != 2) return; /* with bounds: what they are is not trusted */
    const assay_policy wide = {ASSAY_POLICY_GAP, 999999999999, 999999999999};
    FUZZ_REQUIRE(assay_verifier_check_within(verifier, &report, &fixed.rq, p, n, NULL, 128, &wide, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(report.verdict == ASSAY_REJECT && report.reason[0]);
}

static void check_edited(const uint8_t *edits, size_t size)
{
    size_t n = fixed.proof.n;
    uint8_t *p = (uint8_t *)malloc(n + 4 * MAX_EDITS);
    FUZZ_REQUIRE(p);
    memcpy(p, fixed.proof.p, n);
    for (size_t i = 0; i < MAX_EDITS && (i + 1) * EDIT <= size && n > HEADER + 64; i++)
        n = edit(p, n, edits + i * EDIT);
    mend_header(p, n);
    uint8_t *exact = (uint8_t *)realloc(p, n); /* so that a sanitizer sees reads past the end */
    FUZZ_REQUIRE(exact);
    check(exact, n);
    free(exact);
}

static void check_body(const uint8_t *body, size_t size)
{
    uint8_t *p = (uint8_t *)malloc(size + HEADER);
    FUZZ_REQUIRE(p);
    memcpy(p, fixed.proof.p, HEADER);
    memcpy(p + HEADER, body, size);
    mend_header(p, size + HEADER);
    check(p, size + HEADER);
    free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!verifier) start();
    if (size == 0) return 0;
    if (data[0] == 0) check(data + 1, size - 1);
    if (data[0] == 1) check_edited(data + 1, size - 1);
    if (data[0] == 2) check_body(data + 1, size - 1);
    return 0;
}
