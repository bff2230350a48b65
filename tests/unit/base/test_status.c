/* SPDX-License-Identifier: Apache-2.0 */
/* Error details: first writer wins, long subjects are cut, texts. */
#include "base/status.h"
#include "harness.h"
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
