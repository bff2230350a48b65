/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, strictly (RFC 3629). */
#ifndef ASSAY_BASE_UTF8_H
#define ASSAY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether n bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool assay_utf8_valid(const char *p, size_t n);

/* Bytes of the character that a text, which ends with a zero, begins with; 0 when it does not begin with one. */
size_t assay_utf8_character(const char *text);

#endif
