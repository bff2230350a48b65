/* SPDX-License-Identifier: Apache-2.0 */
/* A small test harness. A test program is linked with harness.c, which provides main:
 *     prog                run every test, print `N passed, N failed`, exit 1 if any failed (or if there is none)
 *     prog --list         print the names
 *     prog --run NAME     run one */
#ifndef ASSAY_TESTS_HARNESS_H
#define ASSAY_TESTS_HARNESS_H

#include "assay/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct assay_test {
    const char *name;
    void (*run)(void);
    struct assay_test *next;
} assay_test;

void assay_test_register(assay_test *t);

/* Defines and registers a test; the body follows. Tests run in the order of their lines. */
#define TEST(id)                                                                                                       \
    static void test_##id(void);                                                                                       \
    static assay_test test_entry_##id = {#id, test_##id, NULL};                                                        \
    __attribute__((constructor)) static void test_register_##id(void)                                                  \
    {                                                                                                                  \
        assay_test_register(&test_entry_##id);                                                                         \
    }                                                                                                                  \
    static void test_##id(void)

/* Record a failure with its place and go on. Each returns whether the check held. */
bool assay_test_check(bool held, const char *what, const char *file, int line);
bool assay_test_check_u64(uint64_t a, uint64_t b, const char *what, const char *file, int line);
bool assay_test_check_mem(const void *a, const void *b, size_t n, const char *what, const char *file, int line);
bool assay_test_check_str(const char *a, const char *b, const char *what, const char *file, int line);
bool assay_test_check_status(assay_status got, assay_status want, const char *what, const char *file, int line);

#define CHECK(cond)             assay_test_check((cond), #cond, __FILE__, __LINE__)
#define CHECK_EQ_U64(a, b)      assay_test_check_u64((uint64_t)(a), (uint64_t)(b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_EQ_MEM(a, b, n)   assay_test_check_mem((a), (b), (n), #a " == " #b, __FILE__, __LINE__)
#define CHECK_EQ_STR(a, b)      assay_test_check_str((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_STATUS(got, want) assay_test_check_status((got), (want), #got, __FILE__, __LINE__)
#define CHECK_OK(status)        CHECK_STATUS(status, ASSAY_OK)

/* Leaves the test when a check failed and going on makes no sense. */
#define REQUIRE(cond)                                                                                                  \
    do {                                                                                                               \
        if (!CHECK(cond)) return;                                                                                      \
    } while (0)
#define REQUIRE_OK(status)                                                                                             \
    do {                                                                                                               \
        if (!CHECK_OK(status)) return;                                                                                 \
    } while (0)

/* Says why this test cannot run here; the program exits 77 when every test was skipped. */
void assay_test_skip(const char *reason);

/* Deterministic random numbers for test data (xorshift64*): the same sequence in every run, restarted by each test. */
uint64_t assay_test_random(void);

/* A fresh folder for this test program, removed with its contents at exit. */
const char *assay_test_tmpdir(void);

/* The repository's root: ASSAY_SOURCE_DIR, or the current folder. */
const char *assay_test_source_dir(void);

#endif
