/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines. The messages of refused ones go to stderr. */
#include "cli/options.h"
#include "cli/report.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 24 };

/* Splits a line at blanks, in place, and parses it. Returns what the parser does. */
static int parse(assay_args *a, const char *program, const char *sub, const char *line)
{
    static char text[512];
    char *argv[MAX_WORDS], *p = text;
    int argc = 0;
    memset(text, 0, sizeof text);
    memcpy(text, line, strlen(line));
    while (*p && argc < MAX_WORDS) {
        argv[argc++] = p;
        p += strcspn(p, " ");
        if (*p) *p++ = 0;
    }
    return assay_args_parse(a, assay_command_find(program, sub), argc, argv, 0);
}

TEST(forms)
{
    static const char *const same[] = {
        "--model M --out D --threads 3 -q",
        "--model=M --out=D --threads=3 --quiet",
        "-o D -t 3 --model M -q",
        "-oD -t3 --model M -q",
        "-qt3 -oD --model=M",
        "--quiet -t 3 --model M -o D",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assay_args a;
        uint64_t n = 0;
        CHECK(parse(&a, "cp_commit", NULL, same[i]) == -1);
        CHECK_EQ_STR(a.value[OPT_MODEL], "M");
        CHECK_EQ_STR(a.value[OPT_OUT], "D");
        CHECK(assay_args_number(&a, OPT_THREADS, 1, 8, &n) && n == 3);
        CHECK(args_has(&a, OPT_QUIET) && !args_has(&a, OPT_FORCE) && !args_has(&a, OPT_JSON));
    }
}

TEST(operands_anywhere)
{
    static const char *const same[] = {
        "C I R Y P -id X -v",  "-id X -v C I R Y P", "C I -id X R Y -v P",
        "C --id=X I R Y P -v", "C I R Y P -v -id=X", "-v --id X -- C I R Y P",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assay_args a;
        CHECK(parse(&a, "cp_verify", NULL, same[i]) == -1);
        CHECK_EQ_U64(a.n_operands, 5);
        CHECK(strcmp(a.operand[0], "C") == 0 && strcmp(a.operand[4], "P") == 0);
        CHECK(strcmp(a.value[OPT_ID], "X") == 0 && args_has(&a, OPT_VERBOSE));
    }
    assay_args a;
    CHECK(parse(&a, "assay", "ask", "D -- -prompt-") == -1);
    CHECK_EQ_STR(a.operand[1], "-prompt-");
    CHECK(parse(&a, "assay", "ask", "D -") == -1); /* one dash alone is no option */
    CHECK_EQ_STR(a.operand[1], "-");
}

/* --y means a file in one command and a token in another. */
TEST(same_name)
{
    assay_args a;
    CHECK(parse(&a, "assay", "request", "--config C --y 7 --req R --y-out Y") == -1);
    CHECK(args_has(&a, OPT_Y_TOKEN) && !args_has(&a, OPT_Y));
    CHECK(parse(&a, "assay", "reply", "--commitment C --y Y --req R") == -1);
    CHECK(args_has(&a, OPT_Y) && !args_has(&a, OPT_Y_TOKEN));
}

TEST(refused)
{
    static const char *const bad[] = {
        "",                             /* nothing */
        "--model M",                    /* an option missing */
        "--model M --out D extra",      /* an operand too many */
        "--model M --out",              /* a value missing */
        "--model M --out D --nothing",  /* unknown */
        "--model M --out D --no=1",     /* unknown, with a value */
        "--model M --out D -x",         /* unknown letter */
        "--model M --out D -qx",        /* among others */
        "--model M --out D --quiet=1",  /* a value for a flag */
        "--model M --out D --model N",  /* twice */
        "--model M --out D -q --quiet", /* twice, in two forms */
        "--mod M --out D",              /* no abbreviations */
        "-model M --out D",             /* one dash is for -id */
        "--model M --out D --req F",    /* another program's */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assay_args a;
        if (!CHECK(parse(&a, "cp_commit", NULL, bad[i]) == ASSAY_EXIT_USAGE)) CHECK_EQ_STR(bad[i], "");
    }
}

TEST(repeated)
{
    assay_args a;
    CHECK(parse(&a, "cp_prove", NULL, "--commitment C --req 1 --y 2 --out 3 --req 4 -o 6 --y=5 --req 7") == -1);
    CHECK_EQ_U64(assay_args_times(&a, OPT_REQ), 3);
    CHECK_EQ_U64(assay_args_times(&a, OPT_Y), 2);
    CHECK_EQ_U64(assay_args_times(&a, OPT_PROOF_OUT), 2);
    CHECK_EQ_U64(assay_args_times(&a, OPT_WAIT), 0);
    CHECK_EQ_STR(assay_args_nth(&a, OPT_REQ, 0), "1");
    CHECK_EQ_STR(assay_args_nth(&a, OPT_REQ, 1), "4");
    CHECK_EQ_STR(assay_args_nth(&a, OPT_REQ, 2), "7");
    CHECK_EQ_STR(assay_args_nth(&a, OPT_Y, 1), "5");
    CHECK_EQ_STR(assay_args_nth(&a, OPT_PROOF_OUT, 1), "6");
    CHECK(assay_args_nth(&a, OPT_REQ, 3) == NULL && assay_args_nth(&a, OPT_WAIT, 0) == NULL);
    CHECK(parse(&a, "cp_prove", NULL, "--commitment C --commitment D --req 1 --y 2 --out 3") == ASSAY_EXIT_USAGE);
    CHECK(parse(&a, "assay", "reply", "--commitment C --req 1 --req 2 --y 3") == ASSAY_EXIT_USAGE);

    static char word[3 * ASSAY_MAX_TIMES + 4][24];
    static char *argv[3 * ASSAY_MAX_TIMES + 4];
    int argc = 0;
    for (int i = 0; i < 3 * (ASSAY_MAX_TIMES + 1); i++) {
        (void)snprintf(word[argc], sizeof *word, "%s=%d", i % 3 == 0 ? "--req" : i % 3 == 1 ? "--y" : "--out", i);
        argv[argc] = word[argc];
        argc++;
    }
    argv[argc++] = (char[]){"-cC"};
    CHECK(assay_args_parse(&a, assay_command_find("cp_prove", NULL), argc, argv, 0) == ASSAY_EXIT_USAGE);
    argv[3 * ASSAY_MAX_TIMES] = argv[argc - 1];
    CHECK(assay_args_parse(&a, assay_command_find("cp_prove", NULL), 3 * ASSAY_MAX_TIMES + 1, argv, 0) == -1);
    CHECK_EQ_U64(assay_args_times(&a, OPT_PROOF_OUT), ASSAY_MAX_TIMES);
    CHECK_EQ_STR(assay_args_nth(&a, OPT_REQ, ASSAY_MAX_TIMES - 1), "189");
}

TEST(operands_in_brackets_may_be_left_out)
{
    assay_args a;
    CHECK(parse(&a, "assay", "ask", "D P -q") == -1 && a.n_operands == 2);
    CHECK(parse(&a, "assay", "ask", "D -q --user U") == -1 && a.n_operands == 1 && a.operand[1] == NULL);
    CHECK(parse(&a, "assay", "ask", "-q") == ASSAY_EXIT_USAGE);
    CHECK(parse(&a, "assay", "ask", "D P X") == ASSAY_EXIT_USAGE);
}

TEST(numbers)
{
    static const char *const bad[] = {"0", "11", "-1", "+3", "3x", "x", "0x3", "", "1e1", "99999999999999999999999"};
    assay_args a;
    memset(&a, 0, sizeof a);
    a.command = assay_command_find("cp_commit", NULL);
    uint64_t n = 77;
    CHECK(assay_args_number(&a, OPT_LIFETIME, 1, 10, &n) && n == 77); /* not given */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a.value[OPT_LIFETIME] = bad[i];
        CHECK(!assay_args_number(&a, OPT_LIFETIME, 1, 10, &n) && n == 77);
    }
    a.value[OPT_LIFETIME] = "10";
    CHECK(assay_args_number(&a, OPT_LIFETIME, 1, 10, &n) && n == 10);
}

TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } cases[] = {{"1", 1},
                 {"1000", 1000},
                 {"1K", 1024},
                 {"512M", 512 << 20},
                 {"8G", (uint64_t)8 << 30},
                 {"2T", (uint64_t)2 << 40},
                 {"18446744073709551615", UINT64_MAX},
                 {"16777215T", (uint64_t)16777215 << 40},
                 {"0", 0},
                 {"", 0},
                 {"G", 0},
                 {"1GB", 0},
                 {"1.5G", 0},
                 {"-1", 0},
                 {"1 G", 0},
                 {"1g", 0},
                 {"16777216T", 0},
                 {"18446744073709551616", 0}};
    assay_args a;
    memset(&a, 0, sizeof a);
    a.command = assay_command_find("cp_prove", NULL);
    uint64_t n = 77;
    CHECK(assay_args_size(&a, OPT_MEMORY, &n) && n == 77); /* not given */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        n = 77;
        a.value[OPT_MEMORY] = cases[i].text;
        bool fine = assay_args_size(&a, OPT_MEMORY, &n);
        if (!CHECK(fine == (cases[i].bytes != 0) && n == (fine ? cases[i].bytes : 77)))
            printf("    %s\n", cases[i].text);
    }
}

static bool in_list(const uint8_t *list, unsigned id)
{
    while (*list != OPT_COUNT && *list != id) list++;
    return *list == id;
}

/* What the table must be for parsing and texts to work. */
TEST(table)
{
    CHECK(assay_n_commands >= 8);
    for (size_t k = 0; k < assay_n_commands; k++) {
        const assay_command *c = &assay_commands[k];
        CHECK(c->summary[0] && c->description[0] && c->example[0]);
        CHECK(assay_command_find(c->program, c->sub) == c);
        for (unsigned i = 0; i < OPT_COUNT; i++) {
            CHECK(!in_list(c->required, i) || !in_list(c->allowed, i));
            CHECK(assay_command_takes(c, (assay_opt_id)i) == (in_list(c->required, i) || in_list(c->allowed, i)));
            CHECK(assay_command_needs(c, (assay_opt_id)i) == in_list(c->required, i));
            if (!assay_command_takes(c, (assay_opt_id)i)) continue;
            for (unsigned j = i + 1; j < OPT_COUNT; j++) {
                if (!assay_command_takes(c, (assay_opt_id)j)) continue;
                CHECK(strcmp(assay_options[i].name, assay_options[j].name) != 0);
                CHECK(!assay_options[i].letter || assay_options[i].letter != assay_options[j].letter);
            }
        }
    }
    CHECK(assay_command_find("cp_commit", "x") == NULL && assay_command_find("x", NULL) == NULL);
}

TEST(exit_codes)
{
    static const assay_status all[] = {ASSAY_OK,           ASSAY_EINVAL,      ASSAY_EFORMAT,    ASSAY_ERANGE,
                                       ASSAY_ENOMEM,       ASSAY_EIO,         ASSAY_EDEVICE,    ASSAY_ECANCELED,
                                       ASSAY_EUNSUPPORTED, ASSAY_ENORESULT,   ASSAY_EEXHAUSTED, ASSAY_EBUSY,
                                       ASSAY_EINTERNAL,    ASSAY_EUNSATISFIED};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int code = assay_exit_of(all[i], ASSAY_WRITING);
        bool listed = false;
        for (const assay_exit_code *e = assay_exit_codes; e->meaning; e++) listed = listed || e->code == code;
        CHECK(listed && (code == 0) == (all[i] == ASSAY_OK));
    }
    CHECK(assay_exit_of(ASSAY_EIO, ASSAY_READING) == ASSAY_EXIT_USAGE);
    CHECK(assay_exit_of(ASSAY_EIO, ASSAY_WRITING) == ASSAY_EXIT_OUTPUT);
}

TEST(names_of_files)
{
    assay_errinfo e;
    char reason[64] = "request: has the wrong length", other[64] = "requests: no";
    memset(&e, 0, sizeof e);
    memcpy(e.subject, "request", 8);
    assay_report_name_file(&e, "proof", "F.proof");
    CHECK_EQ_STR(e.subject, "request");
    assay_report_name_file(&e, "request", "F.req");
    CHECK_EQ_STR(e.subject, "F.req");
    memcpy(e.subject, "request: prompt", 16);
    assay_report_name_file(&e, "", "F.req");
    CHECK_EQ_STR(e.subject, "request: prompt");
    assay_report_name_file(&e, "requ", "F.req");
    CHECK_EQ_STR(e.subject, "request: prompt");
    assay_report_name_file(&e, "request", "F.req");
    CHECK_EQ_STR(e.subject, "F.req: prompt");
    char longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assay_report_name_file(&e, "F.req", longest); /* what is wrong stays; the name is cut */
    CHECK_EQ_U64(strlen(e.subject), sizeof e.subject - 1);
    CHECK_EQ_STR(e.subject + sizeof e.subject - 1 - 8, ": prompt");
    assay_reason_name_file(reason, sizeof reason, "request", "F.req");
    CHECK_EQ_STR(reason, "F.req: has the wrong length");
    assay_reason_name_file(other, sizeof other, "request", "F.req");
    CHECK_EQ_STR(other, "requests: no");
}
