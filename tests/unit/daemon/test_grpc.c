/* SPDX-License-Identifier: Apache-2.0 */
/* Framing, timeouts and percent-encoding of gRPC. */
#include "base/mem.h"
#include "daemon/grpc_codec.h"
#include "harness.h"
#include <string.h>

static bool timeout_is(const char *text, uint64_t want)
{
    uint64_t ms = 77;
    return assay_grpc_timeout_parse(&ms, text, strlen(text)) && ms == want;
}

TEST(timeouts)
{
    CHECK(timeout_is("100m", 100) && timeout_is("5S", 5000) && timeout_is("2M", 120000) && timeout_is("1H", 3600000));
    CHECK(timeout_is("1n", 1) && timeout_is("1000000n", 1) && timeout_is("1000001n", 2) && timeout_is("1500u", 2));
    CHECK(timeout_is("0m", 0) && timeout_is("99999999H", 99999999ull * 3600000) && timeout_is("00000001S", 1000));
    static const char *const bad[] = {"",    "m",          "5",    "5s",  "5 S", "-5S",
                                      "+5S", "123456789S", "5.0S", "5SS", "S5",  "0x1S"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t ms = 77;
        CHECK(!assay_grpc_timeout_parse(&ms, bad[i], strlen(bad[i])) && ms == 77);
    }
    static const uint64_t values[] = {
        0, 1, 999, 99999998, 99999999, 100000000, 123456789012, 30ull * 86400000, 99999999ull * 3600000};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[ASSAY_GRPC_TIMEOUT_BYTES];
        uint64_t again = 0;
        (void)assay_grpc_timeout_text(text, values[i]);
        CHECK(assay_grpc_timeout_parse(&again, text, strlen(text)) && again >= values[i] &&
              again <= values[i] + values[i] / 1000 + 3600000);
    }
}

TEST(percent_encoding)
{
    char out[64], back[64];
    assay_percent_encode(out, sizeof out, "50% of \xc3\xa9\n");
    CHECK_EQ_STR(out, "50%25 of %C3%A9%0A");
    assay_percent_decode(back, sizeof back, out, strlen(out));
    CHECK_EQ_STR(back, "50% of \xc3\xa9?"); /* control characters do not come back */
    assay_percent_decode(back, sizeof back, "100%", 4);
    CHECK_EQ_STR(back, "100%");
    assay_percent_decode(back, sizeof back, "%zz%4", 5);
    CHECK_EQ_STR(back, "%zz%4");
    assay_percent_encode(out, 6, "a\xc3\xa9");
    CHECK_EQ_STR(out, "a%C3"); /* no escape is cut */
    assay_percent_encode(out, 5, "a\xc3\xa9");
    CHECK_EQ_STR(out, "a%C3");
    assay_percent_encode(out, 4, "a\xc3\xa9");
    CHECK_EQ_STR(out, "a");
    assay_percent_decode(back, 3, "abcdef", 6);
    CHECK_EQ_STR(back, "ab");
}

/* ---- framing */

typedef struct seen {
    size_t n, bytes;
    uint8_t first, last;
    assay_rpc_memory *memory;
    size_t stop_after;
} seen;

static bool note(void *ctx, uint8_t *p, size_t n, size_t counted)
{
    seen *s = ctx;
    s->n++;
    s->bytes += n;
    s->first = n ? p[0] : 0;
    s->last = n ? p[n - 1] : 0;
    CHECK(counted >= n);
    assay_mem_free(p);
    assay_rpc_memory_give(s->memory, counted);
    return s->n != s->stop_after;
}

static assay_deframer deframer(seen *s, size_t most, uint64_t memory)
{
    *s = (seen){.memory = assay_rpc_memory_new(memory, NULL)};
    return (assay_deframer){.memory = s->memory, .most = most};
}

TEST(messages_in_any_pieces)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'z'};
    for (size_t piece = 1; piece <= sizeof bytes; piece++) {
        seen s;
        const char *why = NULL;
        assay_deframer d = deframer(&s, 100, 1000);
        for (size_t at = 0; at < sizeof bytes; at += piece) {
            const size_t n = sizeof bytes - at < piece ? sizeof bytes - at : piece;
            CHECK_EQ_U64(assay_deframer_feed(&d, bytes + at, n, note, &s, &why), ASSAY_RPC_OK);
        }
        CHECK(s.n == 3 && s.bytes == 4 && s.last == 'z' && assay_deframer_is_between(&d));
        assay_deframer_clear(&d);
        CHECK_EQ_U64(s.memory->used, 0);
        assay_rpc_memory_release(s.memory);
    }
}

static assay_rpc_code feed_head(const char *head, size_t most, uint64_t memory, const char **why)
{
    seen s;
    assay_deframer d = deframer(&s, most, memory);
    const assay_rpc_code code = assay_deframer_feed(&d, (const uint8_t *)head, 6, note, &s, why);
    CHECK_EQ_U64(s.n, 0);
    assay_deframer_clear(&d);
    CHECK_EQ_U64(s.memory->used, 0);
    assay_rpc_memory_release(s.memory);
    return code;
}

TEST(heads_that_are_refused)
{
    const char *why = NULL;
    CHECK_EQ_U64(feed_head("\1\0\0\0\3a", 100, 1000, &why), ASSAY_RPC_UNIMPLEMENTED);
    CHECK_EQ_U64(feed_head("\2\0\0\0\3a", 100, 1000, &why), ASSAY_RPC_INTERNAL);
    CHECK_EQ_U64(feed_head("\0\0\0\0\145a", 100, 1000, &why), ASSAY_RPC_RESOURCE_EXHAUSTED);
    CHECK_EQ_STR(why, "the message is larger than this server takes");
    CHECK_EQ_U64(feed_head("\0\377\377\377\377a", SIZE_MAX, 1000, &why), ASSAY_RPC_RESOURCE_EXHAUSTED);
    CHECK_EQ_STR(why, "no memory for the message");
    CHECK_EQ_U64(feed_head("\0\0\0\0\144a", 100, 1000, &why), ASSAY_RPC_OK);
}

TEST(memory_follows_what_has_come_until_much_has)
{
    enum { N = 40 << 20 };
    seen s;
    const char *why = NULL;
    uint8_t *block = assay_mem_alloc(1 << 20, 1);
    REQUIRE(block);
    assay_deframer d = deframer(&s, N, N);
    const uint8_t head[5] = {0, N >> 24, N >> 16 & 255, N >> 8 & 255, N & 255};
    CHECK_EQ_U64(assay_deframer_feed(&d, head, 5, note, &s, &why), ASSAY_RPC_OK);
    CHECK(s.memory->used <= 1 << 14);
    block[0] = 1;
    for (int i = 0; i < 40; i++) {
        if (i < 4) CHECK(s.memory->used <= 4 << 20);
        if (i == 39) block[(1 << 20) - 1] = 9;
        CHECK_EQ_U64(assay_deframer_feed(&d, block, 1 << 20, note, &s, &why), ASSAY_RPC_OK);
    }
    CHECK(s.n == 1 && s.bytes == N && s.first == 1 && s.last == 9);
    CHECK_EQ_U64(s.memory->used, 0);
    assay_deframer_clear(&d);
    assay_rpc_memory_release(s.memory);
    assay_mem_free(block);
}

TEST(reading_stops_when_told)
{
    seen s;
    const char *why = NULL;
    assay_deframer d = deframer(&s, 100, 1000);
    s.stop_after = 1;
    CHECK_EQ_U64(assay_deframer_feed(&d, (const uint8_t *)"\0\0\0\0\1a\0\0\0\0\1b", 12, note, &s, &why), ASSAY_RPC_OK);
    CHECK_EQ_U64(s.n, 1);
    assay_deframer_clear(&d);
    assay_rpc_memory_release(s.memory);
}
