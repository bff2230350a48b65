/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory_text.h"
#include <string.h>

#define NO_LIMIT ((uint64_t)1 << 62)

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Digits at *p, which is moved behind them; UINT64_MAX when there are none or too many. */
static uint64_t digits(const char **p)
{
    const char *from = *p;
    uint64_t v = 0;
    bool over = false;
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        over = over || v >= NO_LIMIT / 10;
        if (!over) v = v * 10 + (uint64_t)(**p - '0');
    }
    return over || *p == from ? UINT64_MAX : v;
}

uint64_t assay_memory_number(const char *text)
{
    const uint64_t v = digits(&text);
    while (blank(*text)) text++;
    return *text ? UINT64_MAX : v;
}

uint64_t assay_memory_field(const char *table, const char *name)
{
    const size_t n = strlen(name);
    const char *line = table;
    while (line && (strncmp(line, name, n) != 0 || !blank(line[n]))) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    if (!line) return UINT64_MAX;
    line += n;
    while (*line == ' ' || *line == '\t') line++;
    const uint64_t v = digits(&line);
    if (v == UINT64_MAX || strncmp(line, " kB", 3) != 0) return v;
    return v < NO_LIMIT >> 10 ? v << 10 : UINT64_MAX;
}

/* Whether `word` is one of a list with commas, which ends at `end`. */
static bool listed(const char *list, const char *end, const char *word)
{
    const size_t n = strlen(word);
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list)), *stop = comma ? comma : end;
        if ((size_t)(stop - list) == n && memcmp(list, word, n) == 0) return true;
        list = stop + 1;
    }
    return false;
}

/* A path: n bytes that begin with a slash. */
static bool copy_path(char out[ASSAY_GROUP_PATH], const char *p, size_t n)
{
    if (n == 0 || n >= ASSAY_GROUP_PATH || *p != '/') return false;
    memcpy(out, p, n);
    out[n] = 0;
    return true;
}

unsigned assay_group_of_line(char path[ASSAY_GROUP_PATH], const char *line)
{
    const char *controllers = strchr(line, ':'), *p = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!p) return 0;
    unsigned version = 0;
    if (p == controllers + 1)
        version = controllers == line + 1 && *line == '0' ? 2 : 0;
    else if (listed(controllers + 1, p, "memory"))
        version = 1;
    return version && copy_path(path, p + 1, strcspn(p + 1, "\n")) ? version : 0;
}

/* The field at *p, up to a space, which *p is moved behind; *n: its length. */
static const char *field(const char **p, size_t *n)
{
    const char *from = *p;
    *n = strcspn(from, " \n");
    *p = from + *n + (from[*n] == ' ');
    return from;
}

/* Blanks and backslashes stand in mountinfo as three octal digits behind a backslash. In place: it only shrinks. */
static void unescape(char *path)
{
    char *to = path;
    for (const char *p = path; *p; to++) {
        const bool octal =
            p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7';
        if (octal) {
            *to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
            p += 4;
        } else {
            *to = *p++;
        }
    }
    *to = 0;
}

unsigned assay_group_mount_of_line(char root[ASSAY_GROUP_PATH], char point[ASSAY_GROUP_PATH], const char *line)
{
    /* 31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw */
    size_t n = 0, n_root = 0, n_point = 0;
    const char *p = line, *separator = strstr(line, " - ");
    if (!separator) return 0;
    for (int i = 0; i < 3; i++) (void)field(&p, &n);
    const char *root_at = field(&p, &n_root), *point_at = field(&p, &n_point);
    if (p > separator + 1) return 0;
    p = separator + 3;
    const char *type = field(&p, &n);
    unsigned version = n == 7 && memcmp(type, "cgroup2", 7) == 0 ? 2 : n == 6 && memcmp(type, "cgroup", 6) == 0 ? 1 : 0;
    (void)field(&p, &n);
    const char *options = field(&p, &n);
    if (version == 1 && !listed(options, options + n, "memory")) version = 0;
    if (!version || !copy_path(root, root_at, n_root) || !copy_path(point, point_at, n_point)) return 0;
    unescape(root);
    unescape(point);
    return version;
}

/* Whether a part of the path is "..". */
static bool climbs(const char *path)
{
    for (const char *p = strstr(path, "/.."); p; p = strstr(p + 1, "/.."))
        if (p[3] == '/' || p[3] == 0) return true;
    return false;
}

const char *assay_group_below(const char *path, const char *root)
{
    const size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != 0)) return NULL;
    path += n;
    if (climbs(path)) return NULL;
    return strcmp(path, "/") == 0 ? "" : path;
}
