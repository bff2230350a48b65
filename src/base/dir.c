/* SPDX-License-Identifier: Apache-2.0 */
/* Whole folders. */
#define _POSIX_C_SOURCE 200809L
#include "base/dir.h"
#include "base/file.h"
#include <errno.h>
#include <stdio.h>
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

assay_status assay_dir_move(const char *from, const char *to, assay_errinfo *err)
{
    if (rename(from, to) != 0) return ASSAY_FAIL1(err, ASSAY_EIO, from, "cannot be renamed", errno);
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
    if (rmdir(folder) != 0) return ASSAY_FAIL1(err, ASSAY_EIO, folder, "folder cannot be removed", errno);
    return ASSAY_OK;
}
