/* SPDX-License-Identifier: Apache-2.0 */
/* The ID as text: ID.txt and what people type. */
#ifndef ASSAY_CP_ID_CODEC_H
#define ASSAY_CP_ID_CODEC_H

#include "cp/public.h"

enum { ASSAY_ID_TEXT = 65 /* 64 hex digits and a newline */ };

/* ID.txt: lower-case digits. Reading takes either case, and a newline or none. ASSAY_ERANGE: not 64 digits. */
void assay_id_encode(char out[ASSAY_ID_TEXT + 1], const uint8_t id[ASSAY_ID_BYTES]);
ASSAY_MUST_USE assay_status assay_id_decode(uint8_t id[ASSAY_ID_BYTES], const char *text, size_t n, assay_errinfo *err);

#endif
