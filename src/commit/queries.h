/* SPDX-License-Identifier: Apache-2.0 */
/* How many positions are opened: pinned by the verifier's security setting, never read from a file. */
#ifndef ASSAY_COMMIT_QUERIES_H
#define ASSAY_COMMIT_QUERIES_H

#include <stddef.h>

/* No tree is ever opened at more positions in one proof. */
enum { ASSAY_MAX_QUERIES = 192 };

/* Positions in a code of rate 2^-log_rate (2, 3 or 4) at security setting 128 or 100; 0 for anything else. */
size_t assay_query_count(unsigned security, unsigned log_rate);

#endif
