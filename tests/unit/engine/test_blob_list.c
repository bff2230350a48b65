/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of byte strings, and the digest of a job. */
#include "base/mem.h"
#include "engine/blob_list_codec.h"
#include "harness.h"
#include <string.h>

static const assay_blob three[] = {{(const uint8_t *)"abc", 3}, {NULL, 0}, {(const uint8_t *)"\0\1", 2}};

TEST(round_trip)
{
    assay_buffer b;
    assay_blob got[4];
    size_t n = 9;
    REQUIRE_OK(assay_blobs_pack(&b, three, 3, NULL));
    CHECK_EQ_U64(b.n, 8 + 3 * 8 + 5);
    REQUIRE_OK(assay_blobs_unpack(got, 4, &n, b.p, b.n, NULL));
    CHECK_EQ_U64(n, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ_U64(got[i].n, three[i].n);
        CHECK(got[i].p >= b.p && got[i].p + got[i].n <= b.p + b.n);
        if (three[i].n) CHECK_EQ_MEM(got[i].p, three[i].p, three[i].n);
    }
    assay_buffer_free(&b);
    REQUIRE_OK(assay_blobs_pack(&b, NULL, 0, NULL));
    CHECK_EQ_U64(b.n, 8);
    CHECK_OK(assay_blobs_unpack(NULL, 0, &n, b.p, b.n, NULL));
    CHECK_EQ_U64(n, 0);
    assay_buffer_free(&b);
}

/* Every shorter text, one byte more, and every length one larger is refused; so is more than the caller has room for.
 */
TEST(refusals)
{
    assay_buffer b;
    assay_blob got[3];
    uint8_t other[64] = {0};
    size_t n;
    assay_errinfo err = {0};
    REQUIRE_OK(assay_blobs_pack(&b, three, 3, NULL));
    for (size_t i = 0; i < b.n; i++) {
        memset(&err, 0, sizeof err);
        n = 7;
        CHECK_STATUS(assay_blobs_unpack(got, 3, &n, b.p, i, &err), ASSAY_EFORMAT);
        CHECK(n == 0 && err.reason != NULL);
    }
    memcpy(other, b.p, b.n);
    CHECK_STATUS(assay_blobs_unpack(got, 3, &n, other, b.n + 1, NULL), ASSAY_EFORMAT);
    for (size_t i = 0; i < 3; i++) {
        other[8 + 8 * i]++;
        CHECK_STATUS(assay_blobs_unpack(got, 3, &n, other, b.n, NULL), ASSAY_EFORMAT);
        other[8 + 8 * i]--;
        other[8 + 8 * i + 7] = 0xff;
        CHECK_STATUS(assay_blobs_unpack(got, 3, &n, other, b.n, NULL), ASSAY_EFORMAT);
        other[8 + 8 * i + 7] = 0;
    }
    CHECK_STATUS(assay_blobs_unpack(got, 2, &n, b.p, b.n, NULL), ASSAY_ERANGE);
    other[3]++;
    CHECK_STATUS(assay_blobs_unpack(got, 3, &n, other, b.n, NULL), ASSAY_EFORMAT);
    memset(other, 0xff, sizeof other);
    memcpy(other, b.p, 4);
    CHECK_STATUS(assay_blobs_unpack(got, SIZE_MAX, &n, other, sizeof other, NULL), ASSAY_EFORMAT);
    assay_buffer_free(&b);
}

TEST(no_memory)
{
    assay_buffer b = {(uint8_t *)&b, 1};
    (void)assay_mem_fail_after(1);
    CHECK_STATUS(assay_blobs_pack(&b, three, 3, NULL), ASSAY_ENOMEM);
    (void)assay_mem_fail_after(0);
    CHECK(b.p == NULL && b.n == 0);
}

static bool differs(const assay_job_spec *a, const assay_job_spec *b)
{
    uint8_t x[32], y[32];
    assay_job_digest(x, a);
    assay_job_digest(y, b);
    return memcmp(x, y, 32) != 0;
}

TEST(digest)
{
    /* Made by hashlib from the description: domain with its zero, le64 kind, then each text after its le64 length. */
    static const uint8_t want[32] = {0xfe, 0xd8, 0x44, 0x75, 0xe5, 0xda, 0x03, 0x27, 0x78, 0xaa, 0x21,
                                     0xc7, 0xf9, 0x73, 0xcc, 0x3e, 0xd3, 0x02, 0x55, 0xfb, 0xeb, 0xb2,
                                     0x53, 0xae, 0xf2, 0xfb, 0x89, 0x0a, 0x3e, 0xea, 0x48, 0x58};
    const assay_job_spec a = {.id = "x", .kind = ASSAY_JOB_REPLY, .subject = "tiny", .inputs = three, .n_inputs = 3};
    uint8_t got[32];
    assay_job_digest(got, &a);
    CHECK_EQ_MEM(got, want, 32);

    assay_job_spec b = a; /* id, priority and deadline do not count */
    strcpy(b.id, "y");
    b.priority = 3;
    b.deadline = 5;
    CHECK(!differs(&a, &b));
    b.kind = ASSAY_JOB_GROTH16;
    CHECK(differs(&a, &b));
    b = a;
    strcpy(b.subject, "tinz");
    CHECK(differs(&a, &b));
    b = a;
    b.n_inputs = 2;
    CHECK(differs(&a, &b));
    const assay_blob moved[] = {{(const uint8_t *)"ab", 2}, {(const uint8_t *)"c", 1}, {(const uint8_t *)"\0\1", 2}};
    b = a;
    b.inputs = moved;
    CHECK(differs(&a, &b));
}
