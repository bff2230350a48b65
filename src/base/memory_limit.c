/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the machine and of control groups (cgroups(7); Linux Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/memory.rst). A limit holds for a group and all below it, so every level counts up to the root; what other
 * processes of a group hold counts against it as well. */
#define _GNU_SOURCE
#include "base/memory_limit.h"
#include "base/file.h"
#include "base/memory_text.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 3 * ASSAY_GROUP_PATH, TEXT_BYTES = 16384, LINE_BYTES = 3 * ASSAY_GROUP_PATH };

/* The files of one version. */
typedef struct group_files {
    const char *point; /* where groups are mounted by custom, for when mountinfo is not to be had */
    const char *max, *high, *used, *reclaimable;
} group_files;

static const group_files files_of[] = {
    {0},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", NULL, "memory.usage_in_bytes", "total_inactive_file"},
    {"/sys/fs/cgroup", "memory.max", "memory.high", "memory.current", "inactive_file"}};

/* The beginning of folder/name, as text; false when it cannot be read. */
static bool read_text(char text[TEXT_BYTES], const char *folder, const char *name)
{
    char path[FILE_BYTES];
    FILE *f = assay_path_join(path, sizeof path, folder, name, NULL) == ASSAY_OK ? fopen(path, "re") : NULL;
    if (!f) return false;
    const size_t n = fread(text, 1, TEXT_BYTES - 1, f);
    (void)fclose(f);
    text[n] = 0;
    return true;
}

/* Calls `line` for every line of a file that is not too long. */
static void each_line(const char *root, const char *name, void (*line)(void *ctx, const char *text), void *ctx)
{
    char path[FILE_BYTES], text[LINE_BYTES];
    bool whole = true; /* the line before has ended */
    FILE *f = assay_path_join(path, sizeof path, root, name, NULL) == ASSAY_OK ? fopen(path, "re") : NULL;
    if (!f) return;
    while (fgets(text, sizeof text, f)) {
        const bool ends = strchr(text, '\n') != NULL;
        if (whole && (ends || feof(f))) line(ctx, text);
        whole = ends;
    }
    (void)fclose(f);
}

/* Where the process's own group is to be found. */
typedef struct group_place {
    char path[ASSAY_GROUP_PATH];                          /* as /proc/self/cgroup has it; "" for none */
    char root[ASSAY_GROUP_PATH], point[ASSAY_GROUP_PATH]; /* the mount that shows it */
    bool mounted, shown;                                  /* some mount was seen; this one shows the path */
} group_place;

static void take_group(void *ctx, const char *text)
{
    group_place *places = ctx;
    char path[ASSAY_GROUP_PATH];
    const unsigned version = assay_group_of_line(path, text);
    if (version && !places[version].path[0]) memcpy(places[version].path, path, strlen(path) + 1);
}

/* The first mount that shows the own group, else the first one. */
static void take_mount(void *ctx, const char *text)
{
    group_place *places = ctx;
    char root[ASSAY_GROUP_PATH], point[ASSAY_GROUP_PATH];
    const unsigned version = assay_group_mount_of_line(root, point, text);
    group_place *p = &places[version];
    if (!version || p->shown) return;
    const bool shown = p->path[0] && assay_group_below(p->path, root);
    if (p->mounted && !shown) return;
    memcpy(p->root, root, strlen(root) + 1);
    memcpy(p->point, point, strlen(point) + 1);
    p->mounted = true;
    p->shown = shown;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t left_of(uint64_t max, uint64_t used)
{
    return max == UINT64_MAX ? max : max > used ? max - used : 0;
}

static uint64_t number_in(const char *folder, const char *name)
{
    char text[TEXT_BYTES];
    return read_text(text, folder, name) ? assay_memory_number(text) : UINT64_MAX;
}

/* Bytes that a group has and that cannot be had back at once; 0 when that is not told. */
static uint64_t used_in(const char *folder, const group_files *f)
{
    char text[TEXT_BYTES];
    const uint64_t used = number_in(folder, f->used);
    if (used == UINT64_MAX) return 0;
    const uint64_t cache = read_text(text, folder, "memory.stat") ? assay_memory_field(text, f->reclaimable) : 0;
    return cache == UINT64_MAX ? used : left_of(used, cache);
}

/* One level: folder, and the name that it goes by. */
static void take_level(assay_memory_limits *out, const char *folder, const char *name, const group_files *f)
{
    uint64_t max = number_in(folder, f->max);
    if (f->high) max = least_of(max, number_in(folder, f->high));
    if (max == UINT64_MAX) return;
    const uint64_t used = used_in(folder, f);
    out->least = least_of(out->least, max);
    if (out->group[0] && left_of(max, used) >= left_of(out->group_max, out->group_used)) return;
    out->group_max = max;
    out->group_used = used;
    (void)snprintf(out->group, sizeof out->group, "%.*s", ASSAY_MEMORY_GROUP - 1, name[0] ? name : "/");
}

/* From the group itself up to the one that is mounted. */
static void take_groups(assay_memory_limits *out, const char *root, group_place *p, const group_files *f)
{
    char folder[FILE_BYTES], below[ASSAY_GROUP_PATH] = "";
    if (!p->path[0]) return;
    if (!p->mounted) {
        memcpy(p->point, f->point, strlen(f->point) + 1);
        memcpy(p->root, "/", 2);
    }
    const char *shown = assay_group_below(p->path, p->root);
    if (shown) memcpy(below, shown, strlen(shown) + 1);
    for (;;) {
        const int n = snprintf(folder, sizeof folder, "%s%s%s", root, p->point, below);
        if (n > 0 && n < (int)sizeof folder) take_level(out, folder, below, f);
        char *slash = strrchr(below, '/');
        if (!slash) return;
        *slash = 0;
    }
}

void assay_memory_limits_read(assay_memory_limits *out, const char *root)
{
    char text[TEXT_BYTES];
    group_place places[3] = {0};
    *out = (assay_memory_limits){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, ""};
    if (read_text(text, root, "proc/meminfo")) {
        out->installed = assay_memory_field(text, "MemTotal:");
        out->available = assay_memory_field(text, "MemAvailable:");
    }
    each_line(root, "proc/self/cgroup", take_group, places);
    each_line(root, "proc/self/mountinfo", take_mount, places);
    for (unsigned version = 1; version <= 2; version++) take_groups(out, root, &places[version], &files_of[version]);
}

uint64_t assay_memory_limit(void)
{
    assay_memory_limits l;
    assay_memory_limits_read(&l, "");
    if (l.installed == UINT64_MAX) { /* no /proc */
        const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        if (pages > 0 && size > 0) l.installed = (uint64_t)pages * (uint64_t)size;
    }
    return least_of(l.installed, l.least);
}
