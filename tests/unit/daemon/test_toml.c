/* SPDX-License-Identifier: Apache-2.0 */
/* The TOML reader: what comes out, where messages point, limits. tests/daemon/test_toml.py compares it with another
 * reader on many documents. */
#include "base/mem.h"
#include "daemon/toml.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

static assay_toml *read_good(const char *text)
{
    assay_toml *t = NULL;
    assay_errinfo err = {0};
    char line[400];
    if (!CHECK_OK(assay_toml_parse(&t, "x.toml", text, strlen(text), &err)))
        printf("  %s\n", assay_errinfo_text(&err, line, sizeof line));
    return t;
}

static void refused(const char *text, assay_status want, const char *message)
{
    assay_toml *t = (assay_toml *)(uintptr_t)1;
    assay_errinfo err = {0};
    char line[400];
    CHECK_STATUS(assay_toml_parse(&t, "x.toml", text, strlen(text), &err), want);
    CHECK(t == NULL);
    CHECK_EQ_STR(assay_errinfo_text(&err, line, sizeof line), message);
}

TEST(values)
{
    assay_toml *t = read_good("title = 'T' # remark\n[server]\nport = 9820\nratio = 0.5\non = true\n\n[server.tls]\n"
                              "names = [\"a\", 'b\\c', \"\\u00e9\"]\n[[gpu]]\nid = 1\n[[gpu]]\nid = -2\n");
    REQUIRE(t);
    const assay_toml_value *root = assay_toml_root(t), *server = assay_toml_find(root, "server");
    CHECK_EQ_STR(assay_toml_find(root, "title")->text, "T");
    CHECK_EQ_U64(assay_toml_find(server, "port")->integer, 9820);
    CHECK_EQ_U64(assay_toml_find(server, "port")->line, 3);
    CHECK(assay_toml_find(server, "ratio")->real == 0.5);
    CHECK(assay_toml_find(server, "on")->truth);
    const assay_toml_value *names = assay_toml_find(assay_toml_find(server, "tls"), "names");
    REQUIRE(names && names->n_members == 3);
    CHECK_EQ_STR(names->first->next->text, "b\\c");
    CHECK_EQ_STR(names->last->text, "\xc3\xa9");
    const assay_toml_value *gpu = assay_toml_find(root, "gpu");
    REQUIRE(gpu && gpu->kind == TOML_ARRAY && gpu->n_members == 2);
    CHECK(assay_toml_find(gpu->last, "id")->integer == -2);
    CHECK_EQ_U64(gpu->last->line, 11);
    CHECK(!assay_toml_find(root, "none") && !assay_toml_find(NULL, "x") && !assay_toml_find(names, "x"));
    assay_toml_free(t);
    assay_toml_free(NULL);
}

TEST(messages)
{
    refused("a = 1\nb = \n", ASSAY_EFORMAT, "x.toml:2: b: a value is expected here");
    refused("[s]\nport = 1\nport = 2\n", ASSAY_EFORMAT, "x.toml:3: port: the key stands there twice");
    refused("[s]\n\n[s]\n", ASSAY_EFORMAT, "x.toml:3: s: the table is declared twice");
    refused("x = \"abc\n", ASSAY_EFORMAT, "x.toml:1: x: a string does not end on its line");
    refused("when = 2026-01-01\n", ASSAY_EUNSUPPORTED, "x.toml:1: when: dates and times are not supported");
    refused("n = 99999999999999999999\n", ASSAY_ERANGE, "x.toml:1: n: an integer has more than 64 bits");
    refused("a = [1,\n2,\n3 4]\n", ASSAY_EFORMAT, "x.toml:3: a: , or ] is expected in an array");
    refused("a = 1 2\n", ASSAY_EFORMAT, "x.toml:1: a: the line should end here");
    refused("a = \xff\n", ASSAY_EFORMAT, "x.toml: is not UTF-8");
    refused("x = \"\"\"a\nb\\q\"\"\"\n", ASSAY_EFORMAT, "x.toml:2: x: unknown escape in a string");
}

TEST(long_file_names_keep_their_end)
{
    char name[600], place[ASSAY_TOML_PLACE];
    memset(name, 'd', sizeof name);
    memcpy(name + sizeof name - 12, "/assay.toml", 12);
    (void)assay_toml_place(place, name, 12, "memory.total");
    CHECK(strstr(place, "/assay.toml:12: memory.total") != NULL);
    CHECK(strlen(place) < 200);
}

static assay_status many_status(const char *piece, size_t times, const char *end)
{
    const size_t n = strlen(piece);
    char *p = assay_mem_alloc(n * times + strlen(end) + 1, 1);
    assay_toml *t = NULL;
    for (size_t i = 0; i < times; i++) memcpy(p + i * n, piece, n);
    memcpy(p + times * n, end, strlen(end));
    assay_status s = assay_toml_parse(&t, "x", p, n * times + strlen(end), NULL);
    assay_toml_free(t);
    assay_mem_free(p);
    return s;
}

TEST(limits)
{
    CHECK_STATUS(many_status("[[a]]\n", 16383, ""), ASSAY_OK);
    CHECK_STATUS(many_status("[[a]]\n", 16384, ""), ASSAY_ERANGE);
    CHECK_STATUS(many_status("a.", 63, "a = 1"), ASSAY_OK);
    CHECK_STATUS(many_status("a.", 64, "a = 1"), ASSAY_ERANGE);
    CHECK_STATUS(many_status("# 345678\n", ASSAY_TOML_MAX_BYTES / 9, ""), ASSAY_OK);
    CHECK_STATUS(many_status("# 3456789012345\n", ASSAY_TOML_MAX_BYTES / 16 + 1, ""), ASSAY_ERANGE);
    CHECK_STATUS(many_status("[", 100000, ""), ASSAY_EFORMAT);
    char nested[200] = "a = ";
    memset(nested + 4, '[', 64);
    CHECK_STATUS(many_status(nested, 1, ""), ASSAY_ERANGE);
}

TEST(nothing_and_null)
{
    assay_toml *t = NULL;
    CHECK_OK(assay_toml_parse(&t, "x", NULL, 0, NULL));
    CHECK(t && assay_toml_root(t)->n_members == 0);
    assay_toml_free(t);
    CHECK_STATUS(assay_toml_parse(&t, "x", NULL, 1, NULL), ASSAY_EINVAL);
}
