/* SPDX-License-Identifier: Apache-2.0 */
/* The token's file: whose it must be, and what must be in it. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/token.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *file_of(const char *text, size_t n, mode_t mode)
{
    static char path[300];
    (void)snprintf(path, sizeof path, "%s/token", assay_test_tmpdir());
    (void)remove(path);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0 && chmod(path, mode) == 0);
    return path;
}

static assay_status read_text(char out[ASSAY_TOKEN_BYTES], const char *text, size_t n, mode_t mode)
{
    assay_errinfo err = {0};
    memset(out, 'x', ASSAY_TOKEN_BYTES);
    const char *path = file_of(text, n, mode);
    const assay_status s = assay_token_read(out, path, &err);
    if (s != ASSAY_OK) CHECK(strstr(err.subject, "token") && err.reason && !out[0]);
    return s;
}

TEST(good_tokens)
{
    static const char *const good[] = {"0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\nmore\n"};
    char out[ASSAY_TOKEN_BYTES];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_OK(read_text(out, good[i], strlen(good[i]), 0600));
        CHECK_EQ_STR(out, "0123456789abcdef");
    }
    CHECK_OK(read_text(out, good[0], 16, 0400));
    char longest[ASSAY_TOKEN_BYTES];
    memset(longest, 'a', sizeof longest);
    CHECK_OK(read_text(out, longest, ASSAY_TOKEN_BYTES - 1, 0600));
    CHECK_EQ_U64(strlen(out), ASSAY_TOKEN_BYTES - 1);
    CHECK_STATUS(read_text(out, longest, ASSAY_TOKEN_BYTES, 0600), ASSAY_EFORMAT);
}

TEST(bad_tokens)
{
    static const struct {
        const char *text;
        size_t n;
        mode_t mode;
    } bad[] = {{"", 0, 0600},
               {"\n0123456789abcdef", 17, 0600},
               {"0123456789abcde\n", 16, 0600},
               {"0123456789 abcdef\n", 18, 0600},
               {"0123456789abc\0def", 17, 0600},
               {"0123456789abcdef\t\n", 18, 0600},
               {"0123456789abcd\xc3\xa9", 16, 0600},
               {"0123456789abcdef", 16, 0640},
               {"0123456789abcdef", 16, 0604},
               {"0123456789abcdef", 16, 0620}};
    char out[ASSAY_TOKEN_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_STATUS(read_text(out, bad[i].text, bad[i].n, bad[i].mode), ASSAY_EFORMAT);
    CHECK_STATUS(assay_token_read(out, "/nonexistent/token", NULL), ASSAY_EIO);
}
