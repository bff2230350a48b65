/* SPDX-License-Identifier: Apache-2.0 */
/* JSON (RFC 8259). */
#include "daemon/json_out.h"
#include "base/utf8.h"
#include "base/write_text.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put(assay_writer *w, const char *text)
{
    assay_write_bytes(w, text, strlen(text));
}

/* What comes before a value. */
static void begin(assay_json_out *j, const char *key)
{
    if (j->comma) put(j->w, ",");
    if (key) assay_write_text(j->w, "\"%s\":", key);
    j->comma = true;
}

void assay_json_out_open(assay_json_out *j, const char *key, char bracket)
{
    begin(j, key);
    assay_write_u8(j->w, (uint8_t)bracket);
    j->comma = false;
}

void assay_json_out_close(assay_json_out *j, char bracket)
{
    assay_write_u8(j->w, (uint8_t)bracket);
    j->comma = true;
}

void assay_json_out_text(assay_json_out *j, const char *key, const char *value)
{
    if (!value) {
        assay_json_out_null(j, key);
        return;
    }
    begin(j, key);
    put(j->w, "\"");
    while (*value) {
        const size_t n = assay_utf8_character(value);
        const unsigned char b = (unsigned char)*value;
        if (n == 0)
            put(j->w, "\\ufffd");
        else if (b == '"' || b == '\\')
            assay_write_bytes(j->w, (const char[]){'\\', *value}, 2);
        else if (b < 32 || b == 127)
            assay_write_text(j->w, "\\u%04x", b);
        else
            assay_write_bytes(j->w, value, n);
        value += n ? n : 1;
    }
    put(j->w, "\"");
}

void assay_json_out_number(assay_json_out *j, const char *key, uint64_t value)
{
    begin(j, key);
    assay_write_text(j->w, "%" PRIu64, value);
}

void assay_json_out_real(assay_json_out *j, const char *key, double value)
{
    if (!isfinite(value)) {
        assay_json_out_null(j, key);
        return;
    }
    begin(j, key);
    assay_write_text(j->w, "%.3f", value);
}

void assay_json_out_bool(assay_json_out *j, const char *key, bool value)
{
    begin(j, key);
    put(j->w, value ? "true" : "false");
}

void assay_json_out_null(assay_json_out *j, const char *key)
{
    begin(j, key);
    put(j->w, "null");
}

void assay_json_out_number_or_null(assay_json_out *j, const char *key, uint64_t value, uint64_t none)
{
    if (value == none)
        assay_json_out_null(j, key);
    else
        assay_json_out_number(j, key, value);
}
