/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar, with stderr in a file and a clock that is put back, so that no test has to wait. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress_bar.h"
#include "harness.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4096, LONG_AGO = 5 };

/* Reports `done` to a bar that has run for `seconds`, and gives what it wrote to stderr. */
static void report(char out[ROOM], assay_bar *bar, const assay_progress *p, const char *stage, double done,
                   double seconds)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/err", assay_test_tmpdir());
    (void)fflush(stderr);
    int saved = dup(STDERR_FILENO), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(saved >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    bar->start += assay_bar_seconds(bar) - seconds; /* it began `seconds` ago */
    CHECK(p->fn(p->ctx, stage, done) == 0);
    (void)fflush(stderr);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    ssize_t n = pread(file, out, ROOM - 1, 0);
    (void)close(file);
    out[n > 0 ? n : 0] = 0;
}

TEST(says_the_stage)
{
    char out[ROOM];
    assay_args a;
    assay_bar bar;
    memset(&a, 0, sizeof a);
    const assay_progress p = assay_bar_begin(&bar, &a, "proving");
    bar.enabled = true;
    report(out, &bar, &p, "committing", 0.5, LONG_AGO);
    CHECK(strstr(out, "proving [###############               ]  50%  committing, 5 s") != NULL);
    CHECK(bar.drawn);
    assay_bar_end(&bar);
    CHECK(!bar.drawn);
}

TEST(counts_the_tokens_of_a_reply)
{
    static const struct {
        uint32_t run; /* of 4 + 8 tokens */
        const char *says;
    } cases[] = {{0, "reading the prompt"}, {3, "reading the prompt"}, {4, "token 1 of 8"},
                 {5, "token 2 of 8"},       {11, "token 8 of 8"},      {12, "token 8 of 8"}};
    char out[ROOM];
    assay_args a;
    assay_bar bar;
    memset(&a, 0, sizeof a);
    const assay_progress p = assay_bar_begin(&bar, &a, "replying");
    assay_bar_count(&bar, 4, 8);
    bar.enabled = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        report(out, &bar, &p, "model", cases[i].run / 12.0, LONG_AGO);
        if (!CHECK(strstr(out, "replying [") && strstr(out, cases[i].says))) printf("    %s\n", out);
    }
}

TEST(is_silent_at_first_and_where_nobody_looks)
{
    char out[ROOM];
    assay_args a;
    assay_bar bar;
    memset(&a, 0, sizeof a);
    assay_progress p = assay_bar_begin(&bar, &a, "proving");
    bar.enabled = true;
    report(out, &bar, &p, "committing", 0.5, 0);
    CHECK_EQ_STR(out, "");
    a.value[OPT_QUIET] = "";
    p = assay_bar_begin(&bar, &a, "proving");
    CHECK(!bar.enabled);
    report(out, &bar, &p, "committing", 0.5, LONG_AGO);
    CHECK_EQ_STR(out, "");
}
