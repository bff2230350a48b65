/* SPDX-License-Identifier: Apache-2.0 */
/* How Assay's own files begin: eight bytes of magic and a le32 version; docs/formats.md. */
#ifndef ASSAY_CP_FILE_HEAD_CODEC_H
#define ASSAY_CP_FILE_HEAD_CODEC_H

#include "base/bytes.h"

enum { ASSAY_FILE_VERSION = 1, ASSAY_FILE_HEAD = 12 /* bytes */ };

void assay_file_head_write(assay_writer *w, const char *magic);
/* Refuses another magic and versions that this code does not know; what: the file, for messages. */
ASSAY_MUST_USE assay_status assay_file_head_read(assay_reader *r, const char *magic, const char *what,
                                                 assay_errinfo *err);

#endif
