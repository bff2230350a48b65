/* SPDX-License-Identifier: Apache-2.0 */
/* Readers and writers: round trips, little-endian order, short reads, the writer's maximum. */
#include "base/bytes.h"
#include "base/mem.h"
#include "harness.h"
#include <string.h>

TEST(known_bytes)
{
    static const uint8_t want[] = {0x12, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 8,    7,    6,    5,   4,  3,
                                   2,    1,    0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 'a', 'b'};
    assay_writer w;
    assay_writer_init(&w, sizeof want);
    assay_write_u8(&w, 0x12);
    assay_write_u16(&w, 0x1234);
    assay_write_u32(&w, 0x12345678);
    assay_write_u64(&w, UINT64_C(0x0102030405060708));
    assay_write_i64(&w, -2);
    assay_write_bytes(&w, "ab", 2);
    assay_write_bytes(&w, NULL, 0);
    CHECK(!w.bad);
    REQUIRE(w.n == sizeof want);
    CHECK_EQ_MEM(w.p, want, sizeof want);

    assay_reader r = assay_reader_of(w.p, w.n);
    CHECK_EQ_U64(assay_read_u8(&r), 0x12);
    CHECK_EQ_U64(assay_read_u16(&r), 0x1234);
    CHECK_EQ_U64(assay_read_u32(&r), 0x12345678);
    CHECK_EQ_U64(assay_read_u64(&r), UINT64_C(0x0102030405060708));
    CHECK(assay_read_i64(&r) == -2);
    CHECK_EQ_U64(assay_reader_left(&r), 2);
    CHECK_EQ_MEM(assay_read_bytes(&r, 2), "ab", 2);
    CHECK(!r.bad && assay_reader_left(&r) == 0);
    CHECK(assay_read_bytes(&r, 0) != NULL && !r.bad);
    CHECK_EQ_U64(assay_read_u8(&r), 0);
    CHECK(r.bad);
    assay_write_u8(&w, 1); /* the maximum is reached */
    CHECK(w.bad && w.n == sizeof want);
    assay_writer_clear(&w);
    CHECK(w.p == NULL && w.n == 0);
}

TEST(short_reads_stick)
{
    static const uint8_t bytes[] = {1, 2, 3};
    assay_reader r = assay_reader_of(bytes, sizeof bytes);
    CHECK_EQ_U64(assay_read_u32(&r), 0);
    CHECK(r.bad);
    CHECK_EQ_U64(assay_read_u8(&r), 0); /* although a byte is left */
    CHECK_EQ_U64(assay_reader_left(&r), 0);
    r = assay_reader_of(bytes, sizeof bytes);
    CHECK(assay_read_bytes(&r, SIZE_MAX) == NULL && r.bad);
    r = assay_reader_of(NULL, 0);
    CHECK(assay_read_bytes(&r, 0) != NULL && !r.bad);
}

TEST(growth_and_failed_allocation)
{
    assay_writer w;
    assay_writer_init(&w, 100000);
    for (uint32_t i = 0; i < 25000; i++) assay_write_u32(&w, i * 2654435761u);
    CHECK(!w.bad);
    REQUIRE(w.n == 100000);
    for (uint32_t i = 0; i < 25000; i += 999) CHECK_EQ_U64(assay_load_u32(w.p + 4 * i), i * 2654435761u);
    assay_writer_clear(&w);

    assay_writer_init(&w, 1000);
    assay_write_u32(&w, 7);
    (void)assay_mem_fail_after(1);
    for (int i = 0; i < 20; i++) assay_write_u32(&w, 8);
    (void)assay_mem_fail_after(0);
    CHECK(w.bad);
    CHECK_EQ_U64(w.n, 64); /* what was there is kept */
    assay_write_u32(&w, 9);
    CHECK_EQ_U64(w.n, 64);
    assay_writer_clear(&w);
}
