/* SPDX-License-Identifier: Apache-2.0 */
/* A counter whose proofs another process counts, and a commitment that changes its threads.
 * ctest: uses unit/model */
#include "base/file.h"
#include "base/mem.h"
#include "harness.h"
#include "unit/cp/small_commitment.h"
#include <stdio.h>
#include <string.h>

static assay_status answer;
static unsigned asked;

static assay_status ask(void *ctx, assay_errinfo *err)
{
    asked++;
    CHECK(ctx == &asked);
    return answer == ASSAY_OK ? ASSAY_OK : ASSAY_FAIL(err, answer, "elsewhere", "no");
}

TEST(a_counter_that_asks)
{
    assay_counter c;
    assay_counter_init(&c, 3, 5);
    c.spent = 5; /* two are written off and not used: the holder's, not ours */
    assay_counter_delegate(&c, ask, &asked);
    asked = 0;
    answer = ASSAY_OK;
    CHECK_OK(assay_counter_take(&c, NULL));
    CHECK_OK(assay_counter_take(&c, NULL));
    CHECK_EQ_U64(asked, 2);
    CHECK_EQ_U64(c.used, 3);
    answer = ASSAY_EEXHAUSTED;
    CHECK_STATUS(assay_counter_take(&c, NULL), ASSAY_EEXHAUSTED);
    CHECK_EQ_U64(asked, 3);
    CHECK_STATUS(assay_counter_skip(&c, 1, NULL), ASSAY_EINVAL);
    CHECK(c.used == 3 && c.spent == 5);
}

static uint8_t read_counter(const char *folder)
{
    char path[600];
    uint8_t *p = NULL, last = 0;
    size_t n = 0;
    uint64_t v = 0;
    (void)snprintf(path, sizeof path, "%s/isk/counter", folder);
    CHECK_OK(assay_file_read(path, ASSAY_COUNTER_FILE, &p, &n, NULL));
    CHECK_OK(assay_counter_decode(&v, p, n, NULL));
    last = (uint8_t)v;
    assay_mem_free_secret(p, n);
    return last;
}

/* It neither writes the file nor keeps the lock, and no proof leaves it without an answer. */
TEST(a_commitment_that_asks)
{
    char folder[500];
    const assay_open_options one = {.reserve = 1, .threads = 2};
    assay_commitment *c, *other = NULL;
    assay_request *r;
    assay_buffer proof;
    assay_verdict verdict;
    REQUIRE(assay_small_commitment(&c, 20) && assay_small_request(&r, c));
    (void)snprintf(folder, sizeof folder, "%s/c", assay_test_tmpdir());
    REQUIRE_OK(assay_commitment_save(c, folder, 0, NULL));
    assay_commitment_free(c);
    REQUIRE_OK(assay_commitment_open(&c, folder, &one, NULL));
    REQUIRE_OK(assay_commitment_set_threads(c, 1, NULL));
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, NULL, NULL));
    assay_buffer_free(&proof);
    CHECK_EQ_U64(read_counter(folder), 1);
    assay_counter_delegate(&c->counter, ask, &asked);
    answer = ASSAY_EEXHAUSTED;
    CHECK_STATUS(assay_commitment_prove(c, &proof, r, NULL, NULL), ASSAY_EEXHAUSTED);
    CHECK(proof.p == NULL);
    answer = ASSAY_OK;
    REQUIRE_OK(assay_commitment_set_threads(c, 3, NULL));
    CHECK_EQ_U64(assay_pool_threads(c->pool), 3);
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, NULL, NULL));
    CHECK(assay_small_verdict(&verdict, c, r, &proof) && verdict == ASSAY_ACCEPT);
    CHECK_EQ_U64(read_counter(folder), 1);
    CHECK_OK(assay_commitment_open(&other, folder, NULL, NULL)); /* in the same process: nobody else had the lock */
    assay_commitment_free(other);
    assay_buffer_free(&proof);
    assay_request_free(r);
    assay_commitment_free(c);
}
