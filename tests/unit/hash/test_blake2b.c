/* SPDX-License-Identifier: Apache-2.0 */
/* BLAKE2b against the vector of RFC 7693 and digests made by Python's hashlib. */
#include "harness.h"
#include "hash/blake2b.h"
#include <stdio.h>
#include <string.h>

static void hex_of(char out[2 * ASSAY_BLAKE2B_BYTES + 1], const uint8_t *p, size_t n, size_t step)
{
    uint8_t digest[ASSAY_BLAKE2B_BYTES];
    assay_blake2b b;
    assay_blake2b_init(&b);
    for (size_t at = 0; at < n; at += step) assay_blake2b_update(&b, p + at, n - at < step ? n - at : step);
    assay_blake2b_final(&b, digest);
    for (size_t i = 0; i < sizeof digest; i++) (void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* Appendix A. */
TEST(rfc)
{
    char hex[2 * ASSAY_BLAKE2B_BYTES + 1];
    hex_of(hex, (const uint8_t *)"abc", 3, 3);
    CHECK_EQ_STR(hex, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                      "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

/* Bytes (7 i + n) mod 256, i < n, given in pieces of several sizes. */
TEST(lengths)
{
    static const struct {
        size_t n;
        const char *hex;
    } cases[] = {
        {0, "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
            "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"},
        {1, "9545ba37b230d8a2e716c4707586542780815b7c4088edcb9af6a9452d50f324"
            "74d5ba9aab52a67aca864ef2696981c2eadf49020416136afd838fb048d21653"},
        {3, "76ce7e90c577d436a65b691e51f0a1ad536130d70a18df3bf5368551327258b6"
            "f706f4a47c45f2d0d8147cfbb5623077e798247972e4f9338603a13abc05a4db"},
        {127, "a9369c8a2827275c57528cb4720695b44d170dfda386b9d0ea424fc607fdd349"
              "71f1a81d3cefd520ef40921e996ac76ef24b8bda2dca27904dff6a2b295b87e2"},
        {128, "a7b57dba995e20f757a9793ebc8e7cba952c60edddb5bd5e7ffeeb9aa4f36f2c"
              "efd66df22deecb664428c45f5cde5756a944f2478efaac33c5faae5683b08f04"},
        {129, "19d0ad91b99eaac8253dc6b6bc3dce6b769e76976c956ac3051169847681b2c9"
              "677c399c73a3602e787962cb773ec69d01a968216d3c0f5085c397809c229fc0"},
        {255, "4f4460b4eeb0fd09c8c9c1ebec8d25e291cd20859dc7eac05b486487ccc2d4d6"
              "dd7b6c9e6af4c9184c9b580f185561ca27410375fd94eeded1c2e0ec6f22aec8"},
        {256, "f8517f3d1accbf944ef17fc76662f7d91e6bbff44a7c5a0ed63bc52d177810f5"
              "dee0881ae4541269f230ae91b0c4f8d8c9fa1fd094280e5ed38bc7da95427820"},
        {257, "96c2a19c97e794ed78b8f11569aca4d07496bd5aefcc7384b32bb2a0e1e328c6"
              "cc4bab5b8a9078f42e1a0b2a660636d39cf1214dda59b1eff0236a4ff443792e"},
        {1000, "eee729ae72452db92c8475b12e4cebd336e3a6761b4b83399221f4a890611e86"
               "a6b62efe82240bc0ec06417c02aadb54a37bbb5f659984cc0b8b7e1cafa573ec"},
    };
    static const size_t steps[] = {1, 7, 128, 129, 5000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t data[1000];
        for (size_t k = 0; k < cases[i].n; k++) data[k] = (uint8_t)(7 * k + cases[i].n);
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            char hex[2 * ASSAY_BLAKE2B_BYTES + 1];
            hex_of(hex, data, cases[i].n, steps[s]);
            CHECK_EQ_STR(hex, cases[i].hex);
        }
    }
}
