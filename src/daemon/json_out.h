/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into a writer. Keys are static words; values may be any text: what is no UTF-8 becomes U+FFFD. */
#ifndef ASSAY_DAEMON_JSON_OUT_H
#define ASSAY_DAEMON_JSON_OUT_H

#include "base/bytes.h"

typedef struct assay_json_out {
    assay_writer *w;
    bool comma; /* something stands before, at this depth */
} assay_json_out;

/* key: NULL for elements of arrays, and for the outermost value. bracket: '{' or '['; closed by '}' or ']'. */
void assay_json_out_open(assay_json_out *j, const char *key, char bracket);
void assay_json_out_close(assay_json_out *j, char bracket);
void assay_json_out_text(assay_json_out *j, const char *key, const char *value); /* NULL: null */
void assay_json_out_number(assay_json_out *j, const char *key, uint64_t value);
/* With three digits after the point; null for what is no number. */
void assay_json_out_real(assay_json_out *j, const char *key, double value);
void assay_json_out_bool(assay_json_out *j, const char *key, bool value);
void assay_json_out_null(assay_json_out *j, const char *key);
/* null instead of `none`. */
void assay_json_out_number_or_null(assay_json_out *j, const char *key, uint64_t value, uint64_t none);

#endif
