/* SPDX-License-Identifier: Apache-2.0 */
/* Sources, streams, the container of iden3, and the table of distinct values. */
#define _XOPEN_SOURCE 700
#include "base/mem.h"
#include "groth16/container.h"
#include "groth16/values.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1024, MAX_BYTES = 1 << 22 };

static void write_container(assay_writer *w, uint32_t version, const uint32_t *id, const uint64_t *nbytes, uint32_t n)
{
    assay_writer_init(w, MAX_BYTES);
    assay_write_bytes(w, "test", 4);
    assay_write_u32(w, version);
    assay_write_u32(w, n);
    for (uint32_t i = 0; i < n; i++) {
        assay_write_u32(w, id[i]);
        assay_write_u64(w, nbytes[i]);
        for (uint64_t k = 0; k < nbytes[i] && k < 4096; k++) assay_write_u8(w, (uint8_t)(id[i] + k));
    }
}

static void expect(const assay_writer *w, assay_status want, const char *words)
{
    assay_container c;
    assay_errinfo err = {0};
    char text[512];
    CHECK_STATUS(assay_container_of(&c, "file", w->p, w->n, "test", 2, &err), want);
    if (words && !strstr(assay_errinfo_text(&err, text, sizeof text), words)) {
        printf("  \"%s\" does not say \"%s\"\n", text, words);
        (void)assay_test_check(false, "the right words", __FILE__, __LINE__);
    }
    assay_container_close(&c);
}

TEST(sections)
{
    static const uint32_t ids[] = {7, 1, 0xFFFFFFFF, 2}, twice[] = {1, 2, 1};
    static const uint64_t lengths[] = {3, 0, 10, 5}, too_long[] = {3, 0, 10, UINT64_MAX};
    assay_writer w;
    assay_container c;
    write_container(&w, 2, ids, lengths, 4);
    CHECK_OK(assay_container_of(&c, "file", w.p, w.n, "test", 2, NULL));
    CHECK_EQ_U64(c.n_sections, 4);
    const assay_section *s = assay_container_find(&c, 2);
    REQUIRE(s != NULL);
    CHECK_EQ_U64(s->n, 5);
    CHECK_EQ_U64(w.p[s->at], 2);
    CHECK(assay_container_find(&c, 3) == NULL);
    CHECK_STATUS(assay_container_need(&s, &c, 3, UINT64_MAX, "section 3", NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_container_need(&s, &c, 2, 6, "section 2", NULL), ASSAY_EFORMAT);
    CHECK_OK(assay_container_need(&s, &c, 2, 5, "section 2", NULL));
    for (size_t cut = 0; cut < w.n; cut++) {
        assay_writer shorter = w;
        shorter.n = cut;
        expect(&shorter, ASSAY_EFORMAT, NULL);
    }
    assay_write_u8(&w, 0);
    expect(&w, ASSAY_EFORMAT, "bytes after the last one");
    assay_writer_clear(&w);

    write_container(&w, 2, twice, lengths, 3);
    expect(&w, ASSAY_EFORMAT, "comes twice");
    assay_writer_clear(&w);
    write_container(&w, 2, ids, too_long, 4);
    expect(&w, ASSAY_EFORMAT, "longer than the file");
    assay_writer_clear(&w);
    write_container(&w, 3, ids, lengths, 4);
    expect(&w, ASSAY_EUNSUPPORTED, "unknown version");
    assay_writer_clear(&w);
    write_container(&w, 0, ids, lengths, 4);
    expect(&w, ASSAY_EUNSUPPORTED, "unknown version");
    w.p[0] = 'T';
    expect(&w, ASSAY_EFORMAT, "not a file of this kind");
    assay_store_u32(w.p + 8, UINT32_MAX);
    memcpy(w.p, "test\1\0\0\0", 8);
    expect(&w, ASSAY_EFORMAT, "too many");
    assay_writer_clear(&w);
}

/* A stream gives the same bytes in pieces of any length, over the ends of its buffer. */
TEST(stream)
{
    enum { N = 5000 };
    uint8_t bytes[N];
    for (size_t i = 0; i < N; i++) bytes[i] = (uint8_t)(i * 31 + (i >> 8));
    assay_source s = assay_source_of("memory", bytes, N);
    for (size_t piece = 1; piece <= 64; piece += 7) {
        assay_stream t;
        const uint8_t *p;
        size_t at = 3;
        REQUIRE_OK(assay_stream_init(&t, &s, 3, N - 3, 64, "part", NULL));
        while (assay_stream_left(&t) >= piece) {
            REQUIRE_OK(assay_stream_take(&t, &p, piece, NULL));
            CHECK_EQ_MEM(p, bytes + at, piece);
            at += piece;
        }
        CHECK_EQ_U64(at + assay_stream_left(&t), N);
        CHECK_STATUS(assay_stream_take(&t, &p, piece, NULL), ASSAY_EFORMAT);
        assay_stream_clear(&t);
    }
    assay_stream t;
    CHECK_STATUS(assay_stream_init(&t, &s, 1, N, 64, "part", NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_stream_init(&t, &s, N + 1, UINT64_MAX, 64, "part", NULL), ASSAY_EFORMAT);
}

/* A file that is cut after it was opened gives an error that says so, and no signal. */
TEST(truncated_while_open)
{
    static const uint32_t id[] = {1};
    static const uint64_t nbytes[] = {4000};
    char path[PATH];
    uint8_t bytes[4000];
    assay_writer w;
    assay_container c;
    const assay_section *s;
    assay_errinfo err = {0};
    (void)snprintf(path, sizeof path, "%s/cut", assay_test_tmpdir());
    write_container(&w, 1, id, nbytes, 1);
    REQUIRE_OK(assay_file_write(path, w.p, w.n, 0600, NULL));
    assay_writer_clear(&w);
    REQUIRE_OK(assay_container_open(&c, path, "test", 2, NULL));
    CHECK_OK(assay_container_need(&s, &c, 1, 4000, "section 1", NULL));
    CHECK_OK(assay_source_read(&c.source, bytes, s->at, 4000, "section 1", NULL));
    CHECK(truncate(path, 100) == 0);
    CHECK_STATUS(assay_source_read(&c.source, bytes, s->at, 4000, "section 1", &err), ASSAY_EFORMAT);
    CHECK(strstr(err.reason, "ends inside") != NULL);
    assay_container_close(&c);
    CHECK_STATUS(assay_source_read(&c.source, bytes, 0, 1, "section 1", NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_container_open(&c, "/nowhere/at/all", "test", 2, NULL), ASSAY_EIO);
    CHECK_STATUS(assay_container_open(&c, assay_test_tmpdir(), "test", 2, NULL), ASSAY_EIO);
}

/* What the writer writes the reader reads, also larger than the buffer; lengths that are not kept are noticed. */
TEST(writer)
{
    enum { LARGE = (256 << 10) + 77 };
    assay_writer memory;
    assay_container_writer w;
    assay_container c;
    uint8_t *bytes = assay_mem_alloc_raw(LARGE, 1);
    REQUIRE(bytes != NULL);
    for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)assay_test_random();
    assay_writer_init(&memory, MAX_BYTES);
    REQUIRE_OK(assay_container_write(&w, NULL, &memory, "test", 1, 2, NULL));
    CHECK_OK(assay_container_section(&w, 9, LARGE, NULL));
    CHECK_STATUS(assay_container_section(&w, 8, 0, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_container_put(&w, bytes, LARGE - 1, NULL));
    CHECK_STATUS(assay_container_finish(&w, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_container_put(&w, bytes, 2, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_container_put(&w, bytes + LARGE - 1, 1, NULL));
    CHECK_STATUS(assay_container_finish(&w, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_container_section(&w, 4, 4, NULL));
    CHECK_OK(assay_container_put_u32(&w, 0x01020304, NULL));
    CHECK_OK(assay_container_finish(&w, NULL));
    CHECK_STATUS(assay_container_section(&w, 5, 0, NULL), ASSAY_EINVAL);
    assay_container_writer_clear(&w);
    REQUIRE_OK(assay_container_of(&c, "memory", memory.p, memory.n, "test", 1, NULL));
    const assay_section *s = assay_container_find(&c, 9);
    REQUIRE(s != NULL && s->n == LARGE);
    CHECK_EQ_MEM(memory.p + s->at, bytes, LARGE);
    assay_writer_clear(&memory);
    assay_mem_free(bytes);
}

/* 3,000 values, each added three times, keep one index each. */
TEST(values)
{
    enum { N = 3000 };
    assay_values t = {0};
    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < N; i++) {
            assay_fr x = {{i % 7, (uint64_t)i << 40, 0, i}};
            uint32_t index = UINT32_MAX;
            REQUIRE_OK(assay_values_add(&t, &index, x, NULL));
            CHECK_EQ_U64(index, i);
            CHECK_EQ_MEM(&t.v[index], &x, sizeof x);
        }
    }
    CHECK_EQ_U64(t.n, N);
    assay_values_freeze(&t);
    CHECK_EQ_U64(t.v[N - 1].l[3], N - 1);
    assay_values_clear(&t);
}
