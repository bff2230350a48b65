/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, durations and addresses as text. */
#include "daemon/address.h"
#include "daemon/quantity.h"
#include "harness.h"
#include <string.h>

TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0B", 0},
                {"1B", 1},
                {"8GiB", 8ull << 30},
                {"8G", 8ull << 30},
                {"512MiB", 512ull << 20},
                {"3K", 3072},
                {"2TiB", 2ull << 40},
                {"7KiB", 7168},
                {"1T", 1ull << 40},
                {"8388607TiB", 8388607ull << 40},
                {"5M", 5ull << 20},
                {"9223372036854775799B", 9223372036854775799ull}};
    static const char *const bad[] = {
        "",      "8",    "GiB",    "8 GiB",      " 8GiB", "8GiB ", "8GB", "8gib", "-8GiB", "+8GiB",
        "08GiB", "8.5G", "0x8GiB", "8388608TiB", "8kB",   "8KB",   "8MB", "8b",   "1e3B",  "99999999999999999999B",
        "8GiBx"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t v = 77;
        char text[ASSAY_QUANTITY_BYTES];
        CHECK(assay_size_parse(&v, good[i].text));
        CHECK_EQ_U64(v, good[i].value);
        uint64_t again = 77;
        CHECK(assay_size_parse(&again, assay_size_text(text, v)) && again == v);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t v = 77;
        CHECK(!assay_size_parse(&v, bad[i]) && v == 77);
    }
}

TEST(durations)
{
    uint64_t v = 77;
    char text[ASSAY_QUANTITY_BYTES];
    CHECK(assay_duration_parse(&v, "250ms") && v == 250);
    CHECK(assay_duration_parse(&v, "5m") && v == 300000);
    CHECK(assay_duration_parse(&v, "1h") && v == 3600000);
    CHECK(assay_duration_parse(&v, "2d") && v == 172800000);
    CHECK(assay_duration_parse(&v, "0s") && v == 0);
    v = 77;
    CHECK(!assay_duration_parse(&v, "5") && !assay_duration_parse(&v, "5min") && !assay_duration_parse(&v, "1h30m") &&
          !assay_duration_parse(&v, "5M") && !assay_duration_parse(&v, "200000000000d") && v == 77);
    CHECK_EQ_STR(assay_duration_text(text, 90000), "90s");
    CHECK_EQ_STR(assay_duration_text(text, 0), "0ms");
    CHECK_EQ_STR(assay_duration_text(text, 3600000), "1h");
    CHECK_EQ_STR(assay_duration_text(text, 1001), "1001ms");
}

TEST(addresses)
{
    assay_address a;
    CHECK_OK(assay_address_parse(&a, "unix:///run/x.sock", "a", NULL));
    CHECK(a.local && assay_address_is_private(&a));
    CHECK_EQ_STR(a.path, "/run/x.sock");
    CHECK_OK(assay_address_parse(&a, "unix:x.sock", "a", NULL));
    CHECK_EQ_STR(a.path, "x.sock");
    CHECK_OK(assay_address_parse(&a, "http://127.0.0.1:9820", "a", NULL));
    CHECK(!a.local && a.port == 9820 && assay_address_is_private(&a));
    CHECK_OK(assay_address_parse(&a, "[::1]:0", "a", NULL));
    CHECK(a.port == 0 && assay_address_is_private(&a));
    CHECK_EQ_STR(a.host, "::1");
    CHECK_OK(assay_address_parse(&a, "0.0.0.0:65535", "a", NULL));
    CHECK(!assay_address_is_private(&a));
    CHECK_OK(assay_address_parse(&a, "localhost:1", "a", NULL));
    CHECK(assay_address_is_private(&a));
    CHECK_OK(assay_address_parse(&a, "[::]:1", "a", NULL));
    CHECK(!assay_address_is_private(&a));
    CHECK_OK(assay_address_parse(&a, "proofs.example:1", "a", NULL));
    CHECK(!assay_address_is_private(&a));
    static const char *const bad[] = {
        "",          "9820",  ":9820",    "h:",    "h:x",         "h:65536", "h:123456", "h:01", "h:-1", "[::1]",
        "[::1]9820", "[h]:1", "::1:9820", "a b:1", "https://h:1", "unix:",   "unix://",  "[]:1", "h:1 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_STATUS(assay_address_parse(&a, bad[i], "a", NULL), ASSAY_EFORMAT);
    char path[200] = "unix:/";
    memset(path + 6, 'x', 107);
    CHECK_STATUS(assay_address_parse(&a, path, "a", NULL), ASSAY_EFORMAT);
    path[6 + 106] = '\0';
    CHECK_OK(assay_address_parse(&a, path, "a", NULL));
}
