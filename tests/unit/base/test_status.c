/* SPDX-License-Identifier: Apache-2.0 */
/* Error details: first writer wins, long subjects are cut, texts. */
#include "base/status.h"
#include "harness.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

TEST(names)
{
    for (int s = ASSAY_OK; s <= ASSAY_EINTERNAL; s++) {
        CHECK(strcmp(assay_status_name((assay_status)s), "unknown status") != 0);
        for (int t = ASSAY_OK; t < s; t++)
            CHECK(strcmp(assay_status_name((assay_status)s), assay_status_name((assay_status)t)) != 0);
    }
    CHECK_EQ_STR(assay_status_name((assay_status)99), "unknown status");
}

TEST(first_detail_is_kept)
{
    assay_errinfo e;
    char text[64];
    assay_errinfo_clear(&e);
    CHECK_STATUS(ASSAY_FAIL2(&e, ASSAY_ERANGE, "layer 3", "wrong shape", 7, -8), ASSAY_ERANGE);
    CHECK_STATUS(ASSAY_FAIL(&e, ASSAY_EIO, "model", "cannot load"), ASSAY_EIO);
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "layer 3: wrong shape (7, -8)");
    CHECK_STATUS(e.status, ASSAY_ERANGE);
    CHECK(e.line > 0 && strstr(e.file, "test_status.c") != NULL);
    assay_errinfo_clear(&e);
    (void)ASSAY_FAIL1(&e, ASSAY_EFORMAT, NULL, "odd count", 5);
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "odd count (5)");
}

TEST(the_system_s_numbers_are_words)
{
    static const int numbers[] = {ENOENT, EACCES, ENOSPC, EROFS, ENOTDIR, EISDIR, EMFILE, ELOOP};
    assay_errinfo e;
    char text[64], bare[16];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assay_errinfo_clear(&e);
        CHECK_STATUS(ASSAY_FAIL_OS(&e, ASSAY_EIO, "F.req", "cannot be opened", numbers[i]), ASSAY_EIO);
        (void)assay_errinfo_text(&e, text, sizeof text);
        (void)snprintf(bare, sizeof bare, "%d", numbers[i]);
        CHECK(strncmp(text, "F.req: cannot be opened (", 25) == 0 && strstr(text, bare) == NULL);
        CHECK(assay_os_words(numbers[i]) != NULL && strstr(text, assay_os_words(numbers[i])) != NULL);
    }
    assay_errinfo_clear(&e);
    (void)ASSAY_FAIL_OS(&e, ASSAY_EIO, "F.req", "cannot be opened", EACCES);
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "F.req: cannot be opened (permission denied)");
    assay_errinfo_clear(&e);
    (void)ASSAY_FAIL_OS(&e, ASSAY_EIO, "F.req", "cannot be opened", 12345);
    CHECK(assay_os_words(12345) == NULL);
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "F.req: cannot be opened (error 12345)");
}

/* A file's name may hold anything but a zero: the message stays one line, and moves no cursor. */
TEST(one_line)
{
    assay_errinfo e;
    char text[64], controls[34];
    assay_errinfo_clear(&e);
    (void)ASSAY_FAIL(&e, ASSAY_EIO, "a\nb\x1b[2Jc\x7f\xc3\xa9", "no such file");
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "a?b?[2Jc?\xc3\xa9: no such file");
    for (int c = 1; c < 33; c++) controls[c - 1] = (char)c;
    controls[32] = 'x';
    controls[33] = 0;
    CHECK_EQ_STR(assay_line_flatten(controls), "??????????????????????????????? x");
    controls[0] = 0;
    CHECK_EQ_STR(assay_line_flatten(controls), "");
}

TEST(limits)
{
    assay_errinfo e;
    char longer[400], text[8];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assay_errinfo_clear(&e);
    (void)ASSAY_FAIL(&e, ASSAY_EIO, longer, "reason");
    CHECK_EQ_U64(strlen(e.subject), sizeof e.subject - 1);
    CHECK_EQ_STR(assay_errinfo_text(&e, text, sizeof text), "xxxxxxx");
    CHECK_STATUS(ASSAY_FAIL(NULL, ASSAY_EIO, "a", "b"), ASSAY_EIO);
    text[0] = 'q';
    (void)assay_errinfo_text(&e, text, 0);
    CHECK(text[0] == 'q');
}
