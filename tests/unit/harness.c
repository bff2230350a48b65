/* SPDX-License-Identifier: Apache-2.0 */
/* The test harness: registration, checks, main. See harness.h. */
#define _XOPEN_SOURCE 700
#include "harness.h"
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RANDOM_SEED UINT64_C(0x9E3779B97F4A7C15)

static assay_test *first, **last = &first;
static unsigned failures_here; /* failed checks of the running test */
static bool skipped_here;
static uint64_t random_state = RANDOM_SEED;
static char tmpdir[64];

void assay_test_register(assay_test *t)
{
    *last = t;
    last = &t->next;
}

bool assay_test_check(bool held, const char *what, const char *file, int line)
{
    if (!held) {
        failures_here++;
        printf("%s:%d: failed: %s\n", file, line, what);
    }
    return held;
}

bool assay_test_check_u64(uint64_t a, uint64_t b, const char *what, const char *file, int line)
{
    if (a != b) printf("  %" PRIu64 " (0x%" PRIx64 ") against %" PRIu64 " (0x%" PRIx64 ")\n", a, a, b, b);
    return assay_test_check(a == b, what, file, line);
}

bool assay_test_check_mem(const void *a, const void *b, size_t n, const char *what, const char *file, int line)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    size_t i = 0;
    while (i < n && x[i] == y[i]) i++;
    if (i < n) printf("  byte %zu of %zu: %02x against %02x\n", i, n, x[i], y[i]);
    return assay_test_check(i == n, what, file, line);
}

bool assay_test_check_str(const char *a, const char *b, const char *what, const char *file, int line)
{
    bool same = a && b && strcmp(a, b) == 0;
    if (!same) printf("  \"%s\" against \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
    return assay_test_check(same, what, file, line);
}

bool assay_test_check_status(assay_status got, assay_status want, const char *what, const char *file, int line)
{
    if (got != want) printf("  status %d, expected %d\n", (int)got, (int)want);
    return assay_test_check(got == want, what, file, line);
}

void assay_test_skip(const char *reason)
{
    skipped_here = true;
    printf("skipped: %s\n", reason);
}

uint64_t assay_test_random(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_tmpdir(void)
{
    (void)nftw(tmpdir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *assay_test_tmpdir(void)
{
    if (!tmpdir[0]) {
        strcpy(tmpdir, "/tmp/assay-test-XXXXXX");
        if (!mkdtemp(tmpdir)) {
            perror("mkdtemp");
            exit(1);
        }
        atexit(remove_tmpdir);
    }
    return tmpdir;
}

const char *assay_test_source_dir(void)
{
    const char *dir = getenv("ASSAY_SOURCE_DIR");
    return dir ? dir : ".";
}

int main(int argc, char **argv)
{
    const char *only = argc == 3 && strcmp(argv[1], "--run") == 0 ? argv[2] : NULL;
    bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    if (argc > 1 && !only && !list) {
        fprintf(stderr, "usage: %s [--list | --run NAME]\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned passed = 0, failed = 0, skipped = 0;
    for (assay_test *t = first; t; t = t->next) {
        if (list) puts(t->name);
        if (list || (only && strcmp(only, t->name) != 0)) continue;
        failures_here = 0;
        skipped_here = false;
        random_state = RANDOM_SEED;
        t->run();
        if (failures_here) printf("FAILED %s\n", t->name);
        if (failures_here)
            failed++;
        else if (skipped_here)
            skipped++;
        else
            passed++;
    }
    if (list) return 0;
    printf("%u passed, %u failed", passed, failed);
    if (skipped) printf(", %u skipped", skipped);
    putchar('\n');
    if (failed || passed + skipped == 0) return 1;
    return passed ? 0 : 77;
}
