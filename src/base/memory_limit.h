/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process may take: the machine's, and what control groups leave of it. */
#ifndef ASSAY_BASE_MEMORY_LIMIT_H
#define ASSAY_BASE_MEMORY_LIMIT_H

#include <stdint.h>

enum { ASSAY_MEMORY_GROUP = 256 };

/* Bytes; UINT64_MAX: no such number. Swap is not counted. */
typedef struct assay_memory_limits {
    uint64_t installed, available; /* MemTotal and MemAvailable of /proc/meminfo */
    uint64_t least;                /* the least limit of a control group, from the process's own up to the root */
    uint64_t group_max, group_used;
    char group[ASSAY_MEMORY_GROUP]; /* of that group which leaves least: its path, cut if too long; "" for none */
} assay_memory_limits;

/* Reads them now, from control groups of version 2 (memory.max and memory.high, whichever is less; memory.current) and
 * of version 1 (memory.limit_in_bytes, memory.usage_in_bytes), wherever mountinfo says they are mounted. Used bytes are
 * counted without inactive_file of memory.stat, the page cache that the system gives up first (the kubelet's working
 * set). A group that is not to be seen from here, as from inside a container, counts as the innermost one that is. root
 * stands before every path: "" for this machine. */
void assay_memory_limits_read(assay_memory_limits *out, const char *root);

/* Bytes: the machine's memory, or the limit of a control group that the process is in, whichever is less. UINT64_MAX
 * when neither can be read. */
uint64_t assay_memory_limit(void);

#endif
