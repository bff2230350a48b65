/* SPDX-License-Identifier: Apache-2.0 */
/* Class A of docs/secrets.md: no branch and no address depends on a secret. The subjects run under Valgrind with
 * secrets that were never initialised; Memcheck follows such bits through every instruction of this very program and
 * reports each branch and address that depends on them. Run by themselves the subjects check known values. Only what
 * Valgrind can run is seen: plain C, with the compiler's own vector instructions, not the kernels.
 *
 * ctest: labels nosan */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "field/k.h"
#include "harness.h"
#include "hash/random.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool watched(void)
{
    return getenv("ASSAY_TEST_WATCHED") != NULL;
}

/* n bytes: uninitialised when watched, else zeros. */
static void *secret(size_t n)
{
    void *p = watched() ? malloc(n) : calloc(n, 1);
    if (!p) abort();
    return p;
}

static volatile uint32_t sink; /* a secret may be stored, not branched on */

TEST(subject_field)
{
    uint32_t *x = secret(64), one;
    for (int i = 0; i < 16; i++) x[i] &= M31_P;
    kel a, b;
    for (int i = 0; i < 6; i++) {
        a.v[i] = m31_reduce64(x[i]);
        b.v[i] = m31_reduce64((uint64_t)x[i + 6] << 20);
    }
    kel p = k_mul(k_add(a, k_one()), k_sub(k_sqr(b), k_neg(a)));
    p = k_mul_f(k_double(k_inv(k_add(p, k_from_f(7)))), m31_inv(m31_add(x[12], 3)));
    one = m31_mul(m31_add(x[13], 5), m31_inv(m31_add(x[13], 5)));
    sink = p.v[0] ^ p.v[5] ^ one;
    if (!watched()) CHECK_EQ_U64(one, 1);
    /* a and b are 0: 2 / (7 * 3) */
    if (!watched()) CHECK(k_eq(k_mul_f(p, 21), k_from_f(2)));
    free(x);
}

TEST(subject_sha256)
{
    static const uint8_t zeros[32] = {0x66, 0x68, 0x7a, 0xad, 0xf8, 0x62, 0xbd, 0x77, 0x6c, 0x8f, 0xc1,
                                      0x8b, 0x8e, 0x9f, 0x8e, 0x20, 0x08, 0x97, 0x14, 0x85, 0x6e, 0xe2,
                                      0x33, 0xb3, 0x90, 0x2a, 0x59, 0x1d, 0x0d, 0x5f, 0x29, 0x25};
    uint8_t *key = secret(200), digest[32];
    assay_sha256_digest(digest, key, 32);
    if (!watched()) CHECK_EQ_MEM(digest, zeros, 32);
    assay_sha256_digest(digest, key, 200);
    sink = digest[0];
    free(key);
}

TEST(subject_drbg_block)
{
    uint8_t *key = secret(32), block[32], again[32];
    assay_drbg_block(block, key, 3, 5);
    assay_drbg_block(again, key, 3, 5);
    sink = block[0];
    if (!watched()) CHECK_EQ_MEM(block, again, 32);
    assay_mem_wipe(block, sizeof block);
    free(key);
}

/* What the watcher must notice. */
TEST(subject_that_branches)
{
    uint32_t *x = secret(4);
    if (*x == 12345) sink = 1;
    free(x);
}

TEST(subject_that_looks_up)
{
    static const uint32_t table[256] = {1, 2, 3};
    uint8_t *x = secret(1);
    sink = table[*x];
    free(x);
}

/* The exit code of one subject under Valgrind: 0, or 9 for a report; -1 when it could not be run. */
static int watch(const char *subject)
{
    char self[512], command[1024];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) return -1;
    self[n] = 0;
    (void)snprintf(command, sizeof command,
                   "ASSAY_TEST_WATCHED=1 ASSAY_CPU=ref valgrind -q --error-exitcode=9 '%s' --run %s >/dev/null 2>&1",
                   self, subject);
    int status = system(command);
    return status < 0 ? -1 : status / 256;
}

TEST(class_a_is_constant_time)
{
    if (watched()) return;
    if (system("valgrind --version >/dev/null 2>&1") != 0) {
        assay_test_skip("valgrind is not installed");
        return;
    }
    REQUIRE(watch("subject_that_branches") == 9);
    REQUIRE(watch("subject_that_looks_up") == 9);
    CHECK(watch("subject_field") == 0);
    CHECK(watch("subject_sha256") == 0);
    CHECK(watch("subject_drbg_block") == 0);
}
