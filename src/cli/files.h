/* SPDX-License-Identifier: Apache-2.0 */
/* Files that programs read. */
#ifndef ASSAY_CLI_FILES_H
#define ASSAY_CLI_FILES_H

#include "assay/buffer.h"
#include "cli/options.h"

enum { ASSAY_CLI_PATH = 4096 };

/* Limits on what is read. */
enum { ASSAY_CLI_MAX_REQUEST = 1 << 20, ASSAY_CLI_MAX_TEXT = 1 << 22 };

/* Reads a file, or dir/name when name is not NULL. */
ASSAY_MUST_USE assay_status assay_cli_read(assay_buffer *b, const char *path, const char *name, size_t max,
                                           assay_errinfo *err);

/* The 32 bytes of an ID's 64 digits. */
ASSAY_MUST_USE assay_status assay_cli_id(uint8_t id[32], const char *text, assay_errinfo *err);

#endif
