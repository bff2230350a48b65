/* SPDX-License-Identifier: Apache-2.0 */
/* The ID as text. */
#include "cp/id_codec.h"

void assay_id_encode(char out[ASSAY_ID_TEXT + 1], const uint8_t id[ASSAY_ID_BYTES])
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < ASSAY_ID_BYTES; i++) {
        out[2 * i] = digit[id[i] >> 4];
        out[2 * i + 1] = digit[id[i] & 15];
    }
    out[ASSAY_ID_TEXT - 1] = '\n';
    out[ASSAY_ID_TEXT] = 0;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

assay_status assay_id_decode(uint8_t id[ASSAY_ID_BYTES], const char *text, size_t n, assay_errinfo *err)
{
    if (n == ASSAY_ID_TEXT && text[n - 1] == '\n') n--;
    if (n != 2 * ASSAY_ID_BYTES) return ASSAY_FAIL1(err, ASSAY_ERANGE, "ID", "does not have 64 hexadecimal digits", n);
    for (size_t i = 0; i < ASSAY_ID_BYTES; i++) {
        int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "ID", "has a character that is no hexadecimal digit", 2 * i);
        id[i] = (uint8_t)(high << 4 | low);
    }
    return ASSAY_OK;
}
