/* SPDX-License-Identifier: Apache-2.0 */
/* How Assay's own files begin: eight bytes of magic and a le32 version; docs/formats.md. */
#ifndef ASSAY_CP_FILE_HEAD_CODEC_H
#define ASSAY_CP_FILE_HEAD_CODEC_H

#include "base/bytes.h"

enum { ASSAY_FILE_VERSION = 1, ASSAY_FILE_HEAD = 12 /* bytes */ };

void assay_file_head_write(assay_writer *w, const char *magic);
/* The same for a kind of file with several versions. */
void assay_file_head_write_version(assay_writer *w, const char *magic, uint32_t version);
/* Refuses another magic and versions that this code does not know; what: the file, for messages. */
ASSAY_MUST_USE assay_status assay_file_head_read(assay_reader *r, const char *magic, const char *what,
                                                 assay_errinfo *err);
/* The same where versions 1 .. newest are known. */
ASSAY_MUST_USE assay_status assay_file_head_read_version(assay_reader *r, const char *magic, const char *what,
                                                         uint32_t newest, uint32_t *version, assay_errinfo *err);

#endif
