/* SPDX-License-Identifier: Apache-2.0 */
/* Whole folders. */
#define _POSIX_C_SOURCE 200809L
#include "base/dir.h"
#include "base/cleanup.h"
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

bool assay_path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool assay_path_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool assay_path_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The folder that path's last part lies in, as stat sees it; *last: that part. */
static bool folder_of(const char *path, struct stat *st, const char **last)
{
    char folder[MAX_PATH];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof folder) return false;
    memcpy(folder, path, n);
    folder[n] = 0;
    *last = path + n;
    return stat(n ? folder : ".", st) == 0;
}

bool assay_path_same(const char *a, const char *b)
{
    struct stat sa, sb;
    const char *last_a = NULL, *last_b = NULL;
    if (strcmp(a, b) == 0) return true;
    return folder_of(a, &sa, &last_a) && folder_of(b, &sb, &last_b) && strcmp(last_a, last_b) == 0 &&
           sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static bool listed(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Entries of folder/sub (sub "": the folder itself), each as sub/name, must be listed. */
static bool entries_listed(const char *folder, const char *sub, const char *const *names, size_t n, char *extra,
                           size_t nbytes)
{
    char path[MAX_PATH], name[MAX_PATH];
    bool only = true;
    (void)snprintf(path, sizeof path, "%s/%s", folder, sub);
    (void)snprintf(extra, nbytes, "%s", path);
    DIR *d = opendir(path);
    if (!d) return false;
    for (struct dirent *e = readdir(d); e && only; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        (void)snprintf(name, sizeof name, "%s%s%s", sub, sub[0] ? "/" : "", e->d_name);
        only = listed(name, names, n);
        if (!only) (void)snprintf(extra, nbytes, "%s/%s", folder, name);
    }
    (void)closedir(d);
    return only;
}

bool assay_dir_holds_only(const char *folder, const char *const *names, size_t n, char *extra, size_t nbytes)
{
    char path[MAX_PATH];
    if (!entries_listed(folder, "", names, n, extra, nbytes)) return false;
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!strchr(names[i], '/') && assay_path_is_dir(path) &&
            !entries_listed(folder, names[i], names, n, extra, nbytes))
            return false;
    }
    return true;
}

assay_status assay_dir_move(const char *from, const char *to, assay_errinfo *err)
{
    if (rename(from, to) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, from, "cannot be renamed", errno);
    assay_status s = assay_dir_sync_parent(to, err);
    if (s != ASSAY_OK) (void)rename(to, from);
    return s;
}

assay_status assay_dir_remove(const char *folder, const char *const *names, size_t n, assay_errinfo *err)
{
    char path[MAX_PATH];
    for (size_t i = 0; i < n; i++) {
        assay_status s = assay_path_join(path, sizeof path, folder, names[i], err);
        if (s != ASSAY_OK) return s;
        if (unlink(path) != 0) (void)rmdir(path);
    }
    if (rmdir(folder) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, folder, "folder cannot be removed", errno);
    return ASSAY_OK;
}

void assay_dir_sweep(const char *folder, const char *name)
{
    char path[MAX_PATH];
    assay_errinfo quiet;
    size_t n = strlen(name);
    DIR *d = opendir(folder);
    if (!d) return;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        assay_errinfo_clear(&quiet);
        if (strncmp(e->d_name, name, n) == 0 &&
            strncmp(e->d_name + n, ASSAY_TEMPORARY_SUFFIX, sizeof ".tmp" - 1) == 0 &&
            strlen(e->d_name + n) == sizeof ASSAY_TEMPORARY_SUFFIX - 1 &&
            assay_path_join(path, sizeof path, folder, e->d_name, &quiet) == ASSAY_OK)
            (void)unlink(path);
    }
    (void)closedir(d);
}
