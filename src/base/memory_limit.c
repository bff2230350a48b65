/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the machine (sysconf) and of control groups: version 2, from the process's own group up to the root, and
 * the one file of version 1. */
#define _GNU_SOURCE
#include "base/memory_limit.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The number in a file; UINT64_MAX when there is none ("max", no such file). */
static uint64_t number_in(const char *path)
{
    char text[64] = "", *end = NULL;
    FILE *f = fopen(path, "re");
    if (!f) return UINT64_MAX;
    size_t n = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[n] = 0;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    return end == text || errno ? UINT64_MAX : (uint64_t)v;
}

/* The group of version 2, "/a/b", into out; false if there is none. */
static bool own_group(char out[PATH_BYTES])
{
    char line[PATH_BYTES];
    bool found = false;
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f) return false;
    while (!found && fgets(line, sizeof line, f)) {
        if (strncmp(line, "0::/", 4) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        memcpy(out, line + 3, strlen(line + 3) + 1);
        found = true;
    }
    (void)fclose(f);
    return found;
}

static uint64_t group_limit(void)
{
    char group[PATH_BYTES], path[PATH_BYTES + 64];
    uint64_t least = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    if (!own_group(group)) return least;
    for (char *slash = group; slash; *slash = 0) {
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
        uint64_t v = number_in(path);
        least = v < least ? v : least;
        slash = strrchr(group, '/');
        if (!slash) break;
    }
    return least;
}

uint64_t assay_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX, group = group_limit();
    return machine < group ? machine : group;
}
