/* SPDX-License-Identifier: Apache-2.0 */
/* Error subjects of two parts: a file and what in it: a key, a tensor, a section. */
#ifndef ASSAY_BASE_SUBJECT_H
#define ASSAY_BASE_SUBJECT_H

#include <stdio.h>

enum { ASSAY_SUBJECT_BYTES = 512 }; /* more than an errinfo keeps */

/* "file: part" in out; returns out. */
static inline const char *subject_of(char out[ASSAY_SUBJECT_BYTES], const char *file, const char *part)
{
    snprintf(out, ASSAY_SUBJECT_BYTES, "%.255s: %.250s", file, part);
    return out;
}

#endif
