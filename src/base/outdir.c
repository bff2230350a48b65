/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that appear whole or not at all. Each entry is on the cleanup list under its temporary path from before it is
 * made until the folder is renamed; entries are removed in reverse order, so folders are empty when their turn comes.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/outdir.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES       100
#define MAX_ENTRIES 96
#define MAX_PATH    4096

struct assay_outdir {
    int slots[MAX_ENTRIES]; /* in the cleanup list; the first is the folder itself */
    unsigned nslots;
    char target[MAX_PATH], temporary[MAX_PATH], scratch[MAX_PATH];
};

/* Joins name to the temporary folder, in scratch, and puts it on the cleanup list. */
static assay_status add_entry(assay_outdir *d, const char *name, assay_errinfo *err)
{
    if (d->nslots == MAX_ENTRIES) return ASSAY_FAIL1(err, ASSAY_EINVAL, name, "too many entries", MAX_ENTRIES);
    assay_status s = assay_path_join(d->scratch, sizeof d->scratch, d->temporary, name, err);
    if (s == ASSAY_OK) s = assay_cleanup_add(&d->slots[d->nslots], d->scratch, err);
    if (s == ASSAY_OK) d->nslots++;
    return s;
}

static assay_status make_temporary(assay_outdir *d, unsigned mode, assay_errinfo *err)
{
    int why = EEXIST;
    for (int i = 0; i < TRIES && why == EEXIST; i++) {
        assay_cleanup_vary(d->temporary);
        if (access(d->temporary, F_OK) == 0) continue;
        assay_status s = assay_cleanup_add(&d->slots[0], d->temporary, err);
        if (s != ASSAY_OK) return s;
        d->nslots = 1;
        if (mkdir(d->temporary, (mode_t)mode) == 0) return ASSAY_OK;
        why = errno;
        assay_cleanup_drop(d->slots[0]);
        d->nslots = 0;
    }
    return ASSAY_FAIL_OS(err, ASSAY_EIO, d->target, "folder cannot be made", why);
}

assay_status assay_outdir_open(assay_outdir **out, const char *path, unsigned mode, assay_errinfo *err)
{
    size_t n = strlen(path);
    *out = NULL;
    while (n > 1 && path[n - 1] == '/') n--;
    if (n == 0 || n + sizeof ASSAY_TEMPORARY_SUFFIX > MAX_PATH)
        return ASSAY_FAIL(err, ASSAY_ERANGE, path, "path name empty or too long");
    assay_outdir *d = (assay_outdir *)assay_mem_alloc(1, sizeof *d);
    if (!d) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    memcpy(d->target, path, n);
    memcpy(d->temporary, path, n);
    memcpy(d->temporary + n, ASSAY_TEMPORARY_SUFFIX, sizeof ASSAY_TEMPORARY_SUFFIX);
    assay_status s = ASSAY_OK;
    if (access(d->target, F_OK) == 0 && rmdir(d->target) != 0)
        s = ASSAY_FAIL(err, ASSAY_EIO, d->target, "exists already and is not an empty folder");
    if (s == ASSAY_OK) s = make_temporary(d, mode, err);
    if (s == ASSAY_OK && assay_cleanup_started()) s = ASSAY_FAIL(err, ASSAY_ECANCELED, path, "interrupted by a signal");
    if (s != ASSAY_OK) {
        assay_outdir_abort(d);
        return s;
    }
    *out = d;
    return ASSAY_OK;
}

assay_status assay_outdir_mkdir(assay_outdir *d, const char *name, unsigned mode, assay_errinfo *err)
{
    assay_status s = add_entry(d, name, err);
    return s == ASSAY_OK ? assay_dir_make(d->scratch, mode, false, err) : s;
}

assay_status assay_outdir_file(assay_outdir *d, assay_outfile **f, const char *name, unsigned mode, assay_errinfo *err)
{
    assay_status s = add_entry(d, name, err);
    *f = NULL;
    return s == ASSAY_OK ? assay_outfile_open(f, d->scratch, mode, err) : s;
}

assay_status assay_outdir_write(assay_outdir *d, const char *name, const void *p, size_t n, unsigned mode,
                                assay_errinfo *err)
{
    assay_status s = add_entry(d, name, err);
    return s == ASSAY_OK ? assay_file_write(d->scratch, p, n, mode, err) : s;
}

assay_status assay_outdir_commit(assay_outdir *d, assay_errinfo *err)
{
    if (rename(d->temporary, d->target) != 0) {
        assay_status s = ASSAY_FAIL_OS(err, ASSAY_EIO, d->target, "cannot be completed", errno);
        assay_outdir_abort(d);
        return s;
    }
    assay_status s = assay_dir_sync_parent(d->target, err);
    /* Back under the temporary name, whose entries are still on the list, to be removed. */
    bool undone = s != ASSAY_OK && rename(d->target, d->temporary) == 0;
    if (!undone) {
        for (unsigned i = 0; i < d->nslots; i++) assay_cleanup_drop(d->slots[i]);
        d->nslots = 0;
    }
    assay_outdir_abort(d);
    return s;
}

void assay_outdir_abort(assay_outdir *d)
{
    if (!d) return;
    while (d->nslots) assay_cleanup_remove(d->slots[--d->nslots]);
    assay_mem_free(d);
}
