/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process may take. */
#ifndef ASSAY_BASE_MEMORY_LIMIT_H
#define ASSAY_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes: the machine's memory, or the limit of a control group that the process is in, whichever is less. UINT64_MAX
 * when neither can be read. Swap is not counted. */
uint64_t assay_memory_limit(void);

#endif
