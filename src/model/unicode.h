/* SPDX-License-Identifier: Apache-2.0 */
/* What tokenizers ask about characters: reading UTF-8 that may be broken, classes, and normal form C.
 * Source: the Unicode Standard, sections 3.11 and 3.12, and Annex 15. */
#ifndef ASSAY_MODEL_UNICODE_H
#define ASSAY_MODEL_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A byte that begins no character is read as one character above all that exist; it has no class. */
#define ASSAY_BROKEN_BYTE 0x110000u

enum {
    ASSAY_CHAR_LETTER = 1,   /* \p{L} */
    ASSAY_CHAR_NUMBER = 2,   /* \p{N} */
    ASSAY_CHAR_SPACE = 4,    /* \s */
    ASSAY_CHAR_WORD = 8,     /* \w */
    ASSAY_CHAR_UNSTABLE = 16 /* may change under normal form C, alone or after another character */
};

/* The character that begins at s[0], n > 0: its number, and its length in bytes in *len. Overlong forms, surrogates and
 * numbers above U+10FFFF are broken bytes, one each. */
uint32_t assay_utf8_read(const uint8_t *s, size_t n, size_t *len);
/* Writes a character that exists; returns 1 to 4, the number of bytes. */
size_t assay_utf8_write(uint8_t out[4], uint32_t c);
/* Where the character that ends at s[n], n > 0, begins. */
size_t assay_utf8_before(const uint8_t *s, size_t n);

/* The ASSAY_CHAR flags. Cost: a look-up for ASCII, eleven comparisons for others. */
unsigned assay_char_class(uint32_t c);

/* The value of the range that c lies in, in a table of ranges as below. */
unsigned assay_range_value(const uint32_t *ranges, size_t n, uint32_t c);

/* Normal form C of n bytes; broken bytes stay. out has room for ASSAY_NFC_GROWTH * n bytes, work for ASSAY_NFC_WORK * n
 * numbers; n < 2^30. Returns the number of bytes written. O(n log n). */
enum { ASSAY_NFC_GROWTH = 3, ASSAY_NFC_WORK = 2 };
size_t assay_nfc(uint8_t *out, uint64_t *work, const uint8_t *text, size_t n);
/* Whether text is certainly in normal form C already. */
bool assay_nfc_is_stable(const uint8_t *text, size_t n);

/* The generated tables. Ranges: (first character << 8 | value), increasing. */
typedef struct assay_decomposition {
    uint32_t c, to[2]; /* to[1] = 0: of one character */
} assay_decomposition;
extern const uint32_t assay_unicode_classes[], assay_unicode_combining[];
extern const assay_decomposition assay_unicode_decompositions[]; /* increasing in c */
extern const uint16_t assay_unicode_compositions[];              /* decompositions that are undone, increasing in to */
extern const size_t assay_unicode_classes_count, assay_unicode_combining_count, assay_unicode_decompositions_count,
    assay_unicode_compositions_count;

#endif
