/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that fill an assay_errinfo and return its status in one expression. */
#ifndef ASSAY_BASE_STATUS_H
#define ASSAY_BASE_STATUS_H

#include "assay/status.h"

/* Fills *e (may be NULL) and returns s. subject may be NULL; a copy is kept, cut if too long.
 * An errinfo that is filled already is kept: the innermost detail wins. n: how many of a, b count. */
assay_status assay_fail_at(assay_errinfo *e, assay_status s, const char *subject, const char *reason, int n, int64_t a,
                           int64_t b, const char *file, int line);

#define ASSAY_FAIL(e, s, subject, reason) assay_fail_at((e), (s), (subject), (reason), 0, 0, 0, __FILE__, __LINE__)
#define ASSAY_FAIL1(e, s, subject, reason, a)                                                                          \
    assay_fail_at((e), (s), (subject), (reason), 1, (int64_t)(a), 0, __FILE__, __LINE__)
#define ASSAY_FAIL2(e, s, subject, reason, a, b)                                                                       \
    assay_fail_at((e), (s), (subject), (reason), 2, (int64_t)(a), (int64_t)(b), __FILE__, __LINE__)

/* The same for a refusal of the operating system: `number` is errno, which the message says in words. */
#define ASSAY_FAIL_OS(e, s, subject, reason, number)                                                                   \
    assay_fail_at((e), (s), (subject), (reason), ASSAY_OS_ERROR, (int64_t)(number), 0, __FILE__, __LINE__)

/* Words for an error number, static text; NULL for one that is not known. */
const char *assay_os_words(int64_t number);

/* Clears *e (may be NULL) so that a new call can fill it. */
void assay_errinfo_clear(assay_errinfo *e);

/* Control characters become '?', so that a message stays one line; returns text. */
char *assay_line_flatten(char *text);

#endif
