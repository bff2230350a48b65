/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and durations as text: a whole number and a unit, nothing else, no blanks. */
#ifndef ASSAY_DAEMON_QUANTITY_H
#define ASSAY_DAEMON_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* "512MiB" in bytes: units B, KiB, MiB, GiB, TiB, and K, M, G, T for the same. False for anything else, for a number
 * that begins with a needless zero, and for more than 2^63 - 1 bytes; *nbytes is then left as it was. */
bool assay_size_parse(uint64_t *nbytes, const char *text);

/* "250ms" in milliseconds: units ms, s, m, h, d. At most 2^63 - 1 ms. */
bool assay_duration_parse(uint64_t *ms, const char *text);

/* The shortest text that is read as this again. */
enum { ASSAY_QUANTITY_BYTES = 32 };
const char *assay_size_text(char out[ASSAY_QUANTITY_BYTES], uint64_t nbytes);
const char *assay_duration_text(char out[ASSAY_QUANTITY_BYTES], uint64_t ms);

#endif
