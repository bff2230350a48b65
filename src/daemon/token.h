/* SPDX-License-Identifier: Apache-2.0 */
/* The bearer token that clients must bring. */
#ifndef ASSAY_DAEMON_TOKEN_H
#define ASSAY_DAEMON_TOKEN_H

#include "base/status.h"

enum { ASSAY_TOKEN_LEAST = 16, ASSAY_TOKEN_BYTES = 512 };

/* The first line of a file that nobody but its owner may read: ASSAY_TOKEN_LEAST bytes at least, of printable ASCII
 * without spaces. Secret: the caller wipes it. On failure out is empty. Errors: ASSAY_EIO, ASSAY_EFORMAT. */
ASSAY_MUST_USE assay_status assay_token_read(char out[ASSAY_TOKEN_BYTES], const char *path, assay_errinfo *err);

#endif
