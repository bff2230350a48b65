/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against hashlib and the official vectors, for each compression function of this machine. */
#include "base/cpu.h"
#include "base/isa.h"
#include "hash/sha256.h"
#include "vectors/vector_file.h"

/* Runs fn with the portable compression function and, where there is one, the other. */
static void for_each_compression(void (*fn)(void))
{
    assay_sha256_compress_fn *shani = ASSAY_X86_FN(assay_sha256_compress_shani);
    assay_sha256_use(assay_sha256_compress_portable);
    fn();
    if (shani && assay_cpu_features() & ASSAY_CPU_SHANI) {
        assay_sha256_use(shani);
        fn();
    }
    assay_sha256_use(assay_sha256_compress_portable);
}

static void check_hex(const uint8_t got[32], const char *want)
{
    char hex[65];
    for (int i = 0; i < 32; i++) (void)snprintf(hex + 2 * i, 3, "%02x", got[i]);
    CHECK_EQ_STR(hex, want);
}

/* FIPS 180-4 examples and the NIST long message of a million letters. */
static void official(void)
{
    static const char *const two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t d[32], a[1000];
    assay_sha256_digest(d, "", 0);
    check_hex(d, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assay_sha256_digest(d, "abc", 3);
    check_hex(d, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assay_sha256_digest(d, two_blocks, strlen(two_blocks));
    check_hex(d, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assay_sha256 s;
    memset(a, 'a', sizeof a);
    assay_sha256_init(&s);
    for (int i = 0; i < 1000; i++) assay_sha256_update(&s, a, sizeof a);
    assay_sha256_final(&s, d);
    check_hex(d, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(official_vectors)
{
    for_each_compression(official);
}

/* Each vector in one piece, and in pieces that end at every kind of boundary. */
static void vectors(void)
{
    static uint8_t data[65537];
    vector_file v;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "sha")) {
        size_t n = vector_u64(&v);
        uint8_t want[32], got[32];
        CHECK_EQ_U64(vector_bytes(&v, want, 32), 32);
        REQUIRE(n <= sizeof data);
        for (size_t i = 0; i < n; i++) data[i] = (uint8_t)(i * 7 + n);
        assay_sha256_digest(got, data, n);
        CHECK_EQ_MEM(got, want, 32);
        for (size_t piece = 1; piece <= 129; piece += piece < 4 ? 1 : 25) {
            assay_sha256 s;
            assay_sha256_init(&s);
            for (size_t at = 0; at < n; at += piece)
                assay_sha256_update(&s, data + at, n - at < piece ? n - at : piece);
            assay_sha256_final(&s, got);
            CHECK_EQ_MEM(got, want, 32);
        }
    }
    vector_close(&v, 304);
}

TEST(hashlib_vectors)
{
    for_each_compression(vectors);
}
