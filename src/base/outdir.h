/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that appears whole or not at all: it is filled under a temporary name and renamed at the end. */
#ifndef ASSAY_BASE_OUTDIR_H
#define ASSAY_BASE_OUTDIR_H

#include "base/file.h"

typedef struct assay_outdir assay_outdir;

/* Makes path.tmpXXXXXX (the parent must exist). ASSAY_EIO if path is there already, unless it is an empty folder. On a
 * signal (see assay_file_cleanup_on_signals) everything made through the handle is removed. */
ASSAY_MUST_USE assay_status assay_outdir_open(assay_outdir **d, const char *path, unsigned mode, assay_errinfo *err);

/* Makes a folder inside; name is relative, its parents must have been made. */
ASSAY_MUST_USE assay_status assay_outdir_mkdir(assay_outdir *d, const char *name, unsigned mode, assay_errinfo *err);

/* Writes a file inside. */
ASSAY_MUST_USE assay_status assay_outdir_write(assay_outdir *d, const char *name, const void *p, size_t n,
                                               unsigned mode, assay_errinfo *err);

/* Opens a file inside for writing in pieces; the caller commits or aborts it before the folder. */
ASSAY_MUST_USE assay_status assay_outdir_file(assay_outdir *d, assay_outfile **f, const char *name, unsigned mode,
                                              assay_errinfo *err);

/* Syncs and renames to the final name; frees d. On failure everything is removed. */
ASSAY_MUST_USE assay_status assay_outdir_commit(assay_outdir *d, assay_errinfo *err);

/* Removes everything and frees d; NULL is fine. */
void assay_outdir_abort(assay_outdir *d);

#endif
