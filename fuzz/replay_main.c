/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a corpus through a fuzz target, with any compiler: each argument is a file or a folder of files. For each
 * file, the target also sees a few truncations and single-byte changes, the same in every run. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned passed;

/* A copy in a block of exactly n bytes, so that a sanitizer sees reads past the end. */
static void feed(const uint8_t *p, size_t n, size_t flip_at, uint8_t flip)
{
    uint8_t *copy = (uint8_t *)calloc(n ? n : 1, 1);
    if (!copy) exit(1);
    memcpy(copy, p, n);
    if (flip_at < n) copy[flip_at] ^= flip;
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    passed++;
}

static int replay_file(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st) != 0) {
        perror(path);
        return 1;
    }
    size_t n = (size_t)st.st_size;
    uint8_t *p = (uint8_t *)calloc(n ? n : 1, 1);
    if (!p || fread(p, 1, n, f) != n) {
        perror(path);
        return 1;
    }
    (void)fclose(f);
    feed(p, n, n, 0);
    for (size_t i = 1; i <= 8 && n; i++) {
        feed(p, n * i / 9, n, 0);
        feed(p, n, (n - 1) * i / 8, (uint8_t)(1u << (i - 1)));
        feed(p, n, i < n ? i : 0, 0xFF);
    }
    free(p);
    return 0;
}

static int replay(const char *path)
{
    struct dirent *e;
    char name[4096];
    int bad = 0;
    DIR *d = opendir(path);
    if (!d) return replay_file(path);
    while ((e = readdir(d))) {
        if (e->d_name[0] == '.') continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        bad |= replay_file(name);
    }
    (void)closedir(d);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    feed((const uint8_t *)"", 0, 0, 0);
    for (int i = 1; i < argc; i++) bad |= replay(argv[i]);
    printf("%u passed, %d failed\n", passed, bad);
    return bad;
}
