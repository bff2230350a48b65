/* SPDX-License-Identifier: Apache-2.0 */
/* Whole folders: is one there, move it, remove it with a known list of files. */
#ifndef ASSAY_BASE_DIR_H
#define ASSAY_BASE_DIR_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Something is there under this name (following links). */
bool assay_path_exists(const char *path);
bool assay_path_is_dir(const char *path);

/* Whether this name itself is a symbolic link. */
bool assay_path_is_link(const char *path);

/* Whether two paths name one entry of one folder, spelled alike or not; the entry need not exist. Links in the last
 * part are not followed. */
bool assay_path_same(const char *a, const char *b);

/* True when the folder holds nothing but the listed names (relative; files and folders, one level deep). The first name
 * that is not listed goes to extra. False too when it cannot be read. */
bool assay_dir_holds_only(const char *folder, const char *const *names, size_t n, char *extra, size_t nbytes);

/* Renames, and syncs the folder that `to` lies in; undone when that fails. */
ASSAY_MUST_USE assay_status assay_dir_move(const char *from, const char *to, assay_errinfo *err);

/* Removes the named files and folders (relative, children before parents) and then the folder itself. What is not
 * listed stays: ASSAY_EIO then names the folder. A listed name that is missing is fine. */
ASSAY_MUST_USE assay_status assay_dir_remove(const char *folder, const char *const *names, size_t n,
                                             assay_errinfo *err);

/* Removes the temporary files (NAME.tmp and six characters) that an earlier assay_file_write of folder/name left when
 * it was killed. Only for names that one process writes at a time: the caller holds the lock. */
void assay_dir_sweep(const char *folder, const char *name);

#endif
