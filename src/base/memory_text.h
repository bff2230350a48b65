/* SPDX-License-Identifier: Apache-2.0 */
/* The texts in which Linux tells of memory and control groups: proc(5), cgroups(7). Pure: nothing is read from disk. */
#ifndef ASSAY_BASE_MEMORY_TEXT_H
#define ASSAY_BASE_MEMORY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSAY_GROUP_PATH = 4096 };

/* Decimal digits alone in a text, blanks after them; UINT64_MAX for "max", for 2^62 and more (version 1 says "no limit"
 * so), and for anything else. */
uint64_t assay_memory_number(const char *text);

/* The number behind `name` at the beginning of a line of "name value" or "name: value kB"; UINT64_MAX for none. name
 * with its colon. In bytes when kB stands behind it. */
uint64_t assay_memory_field(const char *table, const char *name);

/* A line of /proc/self/cgroup: "0::/a/b" (version 2), "4:cpu,memory:/a/b" (version 1). Returns 2 or 1, with the path
 * copied to `path`; 0 for another line. */
unsigned assay_group_of_line(char path[ASSAY_GROUP_PATH], const char *line);

/* A line of /proc/self/mountinfo. Returns 2 or 1 when it mounts control groups of version 2, or the memory controller
 * of version 1; root: the group that is mounted, point: where. 0 for another line. */
unsigned assay_group_mount_of_line(char root[ASSAY_GROUP_PATH], char point[ASSAY_GROUP_PATH], const char *line);

/* What is left of a group's path below the group that is mounted: "" for that one itself; NULL when it lies elsewhere
 * ("..": outside of the container). */
const char *assay_group_below(const char *path, const char *root);

#endif
