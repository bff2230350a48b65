/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to good files. */
#include "groth16/mutation.h"
#include "groth16/small_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that sanitizers see a read past the end. */
static uint8_t *copy_of(const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (copy && n) memcpy(copy, p, n);
    return copy;
}

void check_refused(parse_fn *parse, const uint8_t *p, size_t n, const char *name, assay_status want, const char *words)
{
    assay_errinfo err = {0};
    char text[512];
    bool right = CHECK_STATUS(parse(p, n, &err), want);
    (void)assay_errinfo_text(&err, text, sizeof text);
    if (right && want != ASSAY_OK && words) right = CHECK(strstr(text, words) != NULL);
    if (!right) printf("  %s: \"%s\", expected \"%s\"\n", name, text, words ? words : "");
}

void check_mutations(parse_fn *parse, const assay_writer *good, const mutation *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t nbytes, at = m[i].section ? small_section(good->p, good->n, m[i].section, &nbytes) : 0;
        uint8_t *copy = copy_of(good->p, good->n);
        if (!CHECK(copy != NULL) || !CHECK(at + m[i].at + m[i].n <= good->n)) {
            free(copy);
            return;
        }
        memcpy(copy + at + m[i].at, m[i].bytes, m[i].n);
        check_refused(parse, copy, good->n, m[i].name, m[i].want, m[i].words);
        free(copy);
    }
    check_refused(parse, good->p, good->n, "unchanged", ASSAY_OK, NULL);
}

void check_truncations(parse_fn *parse, const assay_writer *good, size_t stride)
{
    for (size_t n = 0; n < good->n; n += stride) {
        uint8_t *copy = copy_of(good->p, n);
        assay_errinfo err = {0};
        assay_status s = parse(copy, n, &err);
        if (s == ASSAY_OK || !err.reason) {
            printf("  the first %zu of %zu bytes\n", n, good->n);
            (void)assay_test_check(false, "a truncated file is refused with a reason", __FILE__, __LINE__);
        }
        free(copy);
    }
}
