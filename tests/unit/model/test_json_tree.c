/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds around jansson: what it takes is below what is asked for beforehand, lack of memory is called that, and texts
 * that would make large trees are refused. */
#include "base/json_text.h"
#include "base/mem.h"
#include "harness.h"
#include "model/json_tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static assay_status read_text(const char *text, assay_errinfo *err)
{
    json_t *root;
    assay_status s = assay_json_tree(&root, "text", text, strlen(text), 1 << 20, 0, err);
    CHECK((root != NULL) == (s == ASSAY_OK));
    json_decref(root);
    return s;
}

TEST(refusals)
{
    static const struct {
        const char *text, *reason;
        int64_t line, column; /* -1: not looked at */
        assay_status s;
    } c[] = {
        {"{\"a\": [1, 2.5e3, true, null, \"x\\u00e9\\ud83d\\ude00\"]}", NULL, -1, -1, ASSAY_OK},
        {"[]", NULL, -1, -1, ASSAY_OK},
        {"17", NULL, -1, -1, ASSAY_OK},
        {"", "is not JSON (line, column)", 1, 1, ASSAY_EFORMAT},
        {"{\n \"a\": tru }", "is not JSON (line, column)", 2, 7, ASSAY_EFORMAT},
        {"{} x", "is not JSON (line, column)", 1, 4, ASSAY_EFORMAT},
        {"[\"\\u0000\"]", "is not JSON (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[\"\\ud83d\"]", "is not JSON (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[\"\\ude00\"]", "is not JSON (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[\"\\ud83d\\ud83d\"]", "is not JSON (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[\"\\ud83d\\n\"]", "is not JSON (line, column)", -1, -1, ASSAY_EFORMAT},
        {"{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "has a member twice (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[1e999]", "has a number that is too large (line, column)", -1, -1, ASSAY_EFORMAT},
        {"[99999999999999999999]", "has a number that is too large (line, column)", -1, -1, ASSAY_EFORMAT},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        assay_errinfo err = {0};
        if (!CHECK_STATUS(read_text(c[i].text, &err), c[i].s)) printf("    %s\n", c[i].text);
        if (c[i].reason) CHECK_EQ_STR(err.reason, c[i].reason);
        if (c[i].line >= 0) CHECK(err.a == c[i].line && err.b == c[i].column);
    }
    json_t *root;
    CHECK_STATUS(assay_json_tree(&root, "text", "[1]", 3, 2, 0, NULL), ASSAY_ERANGE);
}

/* ---- what jansson takes */

static size_t living, most, fail_at, asked;

static void *take(size_t n)
{
    if (++asked == fail_at) return NULL;
    size_t *p = malloc(n + 2 * sizeof *p);
    if (!p) return NULL;
    p[0] = n + 2 * sizeof *p;
    living += p[0];
    if (living > most) most = living;
    return p + 2;
}

static void give(void *p)
{
    if (!p) return;
    living -= ((size_t *)p)[-2];
    free((size_t *)p - 2);
}

/* A text of n bytes at most: `one` again and again between the brackets, numbered where it has a %. */
static char *repeat(const char *one, size_t n, char open, char close)
{
    char *text = assay_mem_alloc(n + 64, 1);
    if (!text) return NULL;
    size_t at = 0;
    text[at++] = open;
    for (unsigned i = 0; at + 40 < n; i++) {
        char piece[40];
        const char *number = strchr(one, '%');
        if (number)
            (void)snprintf(piece, sizeof piece, "%.*s%x%s", (int)(number - one), one, i, number + 1);
        else
            (void)snprintf(piece, sizeof piece, "%s", one);
        if (i) text[at++] = ',';
        memcpy(text + at, piece, strlen(piece));
        at += strlen(piece);
    }
    text[at] = close;
    return text;
}

static const struct {
    const char *one;
    char open, close;
} shapes[] = {{"{}", '[', ']'},
              {"[]", '[', ']'},
              {"1", '[', ']'},
              {"\"\"", '[', ']'},
              {"[[]]", '[', ']'},
              {"1.5", '[', ']'},
              {"\"%\":{}", '{', '}'},
              {"\"%\":1", '{', '}'},
              {"{\"%\":\"\"}", '[', ']'},
              {"\"abcdefghijklmnopqrst\"", '[', ']'}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(estimates_hold)
{
    enum { BYTES = 1 << 19 };
    json_set_alloc_funcs(take, give);
    for (size_t i = 0; i < SHAPES; i++) {
        json_t *root;
        char *text = repeat(shapes[i].one, BYTES, shapes[i].open, shapes[i].close);
        REQUIRE(text != NULL);
        living = most = 0;
        assay_mem_peak_reset();
        const uint64_t before = assay_mem_peak();
        CHECK_OK(assay_json_tree(&root, "text", text, strlen(text), BYTES, 0, NULL));
        const uint64_t asked_for = assay_mem_peak() - before;
        if (!CHECK(most <= asked_for && asked_for > strlen(text)))
            printf("    %s: %zu of %llu\n", shapes[i].one, most, (unsigned long long)asked_for);
        json_decref(root);
        CHECK_EQ_U64(living, 0);
        assay_mem_free(text);
    }
    json_set_alloc_funcs(malloc, free);
}

/* 20 MiB of values: refused before jansson is asked for any of it. */
TEST(too_many_values)
{
    enum { BYTES = 20 << 20 };
    json_set_alloc_funcs(take, give);
    for (size_t i = 0; i < 3; i++) {
        json_t *root;
        assay_errinfo err = {0};
        char *text = repeat(shapes[i].one, BYTES, '[', ']');
        REQUIRE(text != NULL);
        asked = 0;
        CHECK_STATUS(assay_json_tree(&root, "text", text, strlen(text), BYTES, 0, &err), ASSAY_ERANGE);
        CHECK(strstr(err.reason, "too many values") && err.has_ab == 2 && err.a > err.b);
        CHECK_EQ_U64(asked, 0);
        assay_mem_free(text);
    }
    json_set_alloc_funcs(malloc, free);
}

/* No memory: at first, and for each of jansson's own requests that it reports. Never a text that is wrong. */
TEST(no_memory)
{
    static const char text[] = "{\"a\": [1, 2.5, \"x\", {\"b\": true}], \"c\": {}}";
    assay_errinfo err = {0};
    (void)assay_mem_fail_after(1);
    CHECK_STATUS(read_text(text, &err), ASSAY_ENOMEM);
    (void)assay_mem_fail_after(0);
    json_set_alloc_funcs(take, give);
    for (fail_at = 1; fail_at < 100; fail_at++) {
        asked = 0;
        const assay_status s = read_text(text, &err);
        CHECK(s == ASSAY_ENOMEM || asked < fail_at);
        if (asked < fail_at) break;
    }
    CHECK(fail_at > 10 && fail_at < 100);
    fail_at = 0;
    json_set_alloc_funcs(malloc, free);
}
