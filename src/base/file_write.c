/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic writes: a temporary file beside the target, synced, renamed over it. */
#define _POSIX_C_SOURCE 200809L
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100

struct assay_outfile {
    int fd;
    int slot;     /* in the cleanup list */
    size_t npath; /* length of path, without its zero */
    char paths[]; /* target, zero, temporary, zero */
};

static char *target_of(assay_outfile *f)
{
    return f->paths;
}
static char *temporary_of(assay_outfile *f)
{
    return f->paths + f->npath + 1;
}

/* Opens a temporary file that did not exist; the name is on the cleanup list before the file is there. */
static assay_status open_temporary(assay_outfile *f, unsigned mode, assay_errinfo *err)
{
    for (int i = 0; i < TRIES; i++) {
        assay_cleanup_vary(temporary_of(f));
        if (access(temporary_of(f), F_OK) == 0) continue;
        assay_status s = assay_cleanup_add(&f->slot, temporary_of(f), err);
        if (s != ASSAY_OK) return s;
        f->fd = open(temporary_of(f), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
        if (f->fd >= 0) return ASSAY_OK;
        assay_cleanup_drop(f->slot);
        f->slot = -1;
        if (errno != EEXIST) break;
    }
    return ASSAY_FAIL_OS(err, ASSAY_EIO, target_of(f), "cannot be created", errno);
}

assay_status assay_outfile_open(assay_outfile **out, const char *path, unsigned mode, assay_errinfo *err)
{
    size_t n = strlen(path);
    struct stat there;
    *out = NULL;
    if (n == 0) return ASSAY_FAIL(err, ASSAY_EINVAL, "output", "its name is empty");
    if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return ASSAY_FAIL(err, ASSAY_EIO, path, "exists and is not a regular file");
    assay_outfile *f = (assay_outfile *)assay_mem_alloc(sizeof *f + 2 * n + 2 + sizeof ASSAY_TEMPORARY_SUFFIX, 1);
    if (!f) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    f->fd = f->slot = -1;
    f->npath = n;
    memcpy(target_of(f), path, n);
    memcpy(temporary_of(f), path, n);
    memcpy(temporary_of(f) + n, ASSAY_TEMPORARY_SUFFIX, sizeof ASSAY_TEMPORARY_SUFFIX);
    assay_status s = open_temporary(f, mode, err);
    if (s == ASSAY_OK && assay_cleanup_started()) s = ASSAY_FAIL(err, ASSAY_ECANCELED, path, "interrupted by a signal");
    if (s != ASSAY_OK) {
        assay_outfile_abort(f);
        return s;
    }
    *out = f;
    return ASSAY_OK;
}

assay_status assay_outfile_append(assay_outfile *f, const void *p, size_t n, assay_errinfo *err)
{
    const uint8_t *at = (const uint8_t *)p;
    while (n) {
        ssize_t put = write(f->fd, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, target_of(f), "cannot be written", errno);
        at += put;
        n -= (size_t)put;
    }
    return ASSAY_OK;
}

assay_status assay_dir_sync_parent(const char *path, assay_errinfo *err)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;
    char *dir = (char *)assay_mem_alloc(n + 1, 1);
    if (!dir) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    memcpy(dir, slash ? path : ".", n);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assay_mem_free(dir);
    int rc = fd < 0 ? -1 : fsync(fd);
    int why = rc == 0 ? 0 : errno;
    if (fd >= 0) (void)close(fd);
    if (why == 0 || why == EINVAL) return ASSAY_OK; /* EINVAL: a file system that cannot sync a folder */
    return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "folder cannot be synced", why);
}

assay_status assay_outfile_commit(assay_outfile *f, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    int closed = fsync(f->fd);
    if (close(f->fd) != 0) closed = -1;
    f->fd = -1;
    if (closed != 0 || rename(temporary_of(f), target_of(f)) != 0) {
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, target_of(f), "cannot be completed", errno);
    } else {
        assay_cleanup_drop(f->slot);
        f->slot = -1;
        s = assay_dir_sync_parent(target_of(f), err);
    }
    assay_outfile_abort(f);
    return s;
}

void assay_outfile_abort(assay_outfile *f)
{
    if (!f) return;
    if (f->fd >= 0) (void)close(f->fd);
    if (f->slot >= 0) (void)unlink(temporary_of(f));
    assay_cleanup_drop(f->slot);
    assay_mem_free(f);
}

assay_status assay_file_write(const char *path, const void *p, size_t n, unsigned mode, assay_errinfo *err)
{
    assay_outfile *f = NULL;
    assay_status s = assay_outfile_open(&f, path, mode, err);
    if (s != ASSAY_OK) return s;
    s = assay_outfile_append(f, p, n, err);
    if (s != ASSAY_OK) {
        assay_outfile_abort(f);
        return s;
    }
    return assay_outfile_commit(f, err);
}

assay_status assay_dir_make(const char *path, unsigned mode, bool exist_ok, assay_errinfo *err)
{
    struct stat st;
    if (mkdir(path, (mode_t)mode) == 0) return ASSAY_OK;
    int why = errno;
    if (why == EEXIST && exist_ok && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return ASSAY_OK;
    return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "folder cannot be made", why);
}
