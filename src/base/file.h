/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads with a bound, read-only maps, and atomic writes. */
#ifndef ASSAY_BASE_FILE_H
#define ASSAY_BASE_FILE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading; *fd is -1 on failure. A pipe is refused and does not hang. */
ASSAY_MUST_USE assay_status assay_file_open(int *fd, uint64_t *nbytes, const char *path, assay_errinfo *err);

/* Reads a regular file of at most max bytes. *out is freed by assay_mem_free_secret(*out, *n).
 * An empty file gives *n = 0 and a non-NULL *out. */
ASSAY_MUST_USE assay_status assay_file_read(const char *path, size_t max, uint8_t **out, size_t *n, assay_errinfo *err);

typedef struct assay_map {
    const uint8_t *p;
    size_t n;
} assay_map;
ASSAY_MUST_USE assay_status assay_map_open(assay_map *m, const char *path, assay_errinfo *err);
void assay_map_close(assay_map *m);

/* Writes path.tmpXXXXXX in the same folder, syncs it, renames it over path, syncs the folder.
 * On failure or on a signal nothing is left behind. mode: permission bits. */
ASSAY_MUST_USE assay_status assay_file_write(const char *path, const void *p, size_t n, unsigned mode,
                                             assay_errinfo *err);

/* The same in pieces: open, any number of appends, then commit or abort. */
typedef struct assay_outfile assay_outfile;
ASSAY_MUST_USE assay_status assay_outfile_open(assay_outfile **f, const char *path, unsigned mode, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_outfile_append(assay_outfile *f, const void *p, size_t n, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_outfile_commit(assay_outfile *f, assay_errinfo *err); /* frees f */
void assay_outfile_abort(assay_outfile *f);                                             /* frees f; NULL is fine */

/* Makes one folder (parents must exist). A folder already there is fine when exist_ok. */
ASSAY_MUST_USE assay_status assay_dir_make(const char *path, unsigned mode, bool exist_ok, assay_errinfo *err);

/* Syncs the folder that path lies in, so that a rename of path survives a crash. */
ASSAY_MUST_USE assay_status assay_dir_sync_parent(const char *path, assay_errinfo *err);

/* dir + "/" + name; ASSAY_ERANGE when it does not fit in nbytes. */
ASSAY_MUST_USE assay_status assay_path_join(char *out, size_t nbytes, const char *dir, const char *name,
                                            assay_errinfo *err);

/* An advisory exclusive lock on a file (made if missing), held until unlock or exit.
 * ASSAY_EBUSY when another process holds it and wait is false. */
typedef struct assay_lock {
    int fd;
} assay_lock;
ASSAY_MUST_USE assay_status assay_lock_take(assay_lock *l, const char *path, bool wait, assay_errinfo *err);
void assay_lock_release(assay_lock *l);
/* Whether the lock is held on the file that has this name now: not after somebody removed it. */
bool assay_lock_held(const assay_lock *l, const char *path);

/* Temporary files now open are removed when one of SIGINT, SIGTERM, SIGHUP arrives, and the process
 * then dies by that signal. Called once by the programs; libraries install no handlers. */
void assay_file_cleanup_on_signals(void);

#endif
