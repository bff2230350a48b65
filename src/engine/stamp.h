/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps of files: whether a file is still the one that it was. */
#ifndef ASSAY_ENGINE_STAMP_H
#define ASSAY_ENGINE_STAMP_H

#include "engine/catalogue.h"

/* Of an open file; path for the message. ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_file_stamp_of(assay_file_stamp *out, int fd, const char *path, assay_errinfo *err);
/* Of a regular file as it is now. ASSAY_EIO; *out is empty then. */
ASSAY_MUST_USE assay_status assay_file_stamp_read(assay_file_stamp *out, const char *path, assay_errinfo *err);
/* The stamp of an entry, from the path of its .zkey or of its folder, as the files are now. Errors: ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_subject_stamp(assay_file_stamp *out, assay_job_kind kind, const char *path,
                                                assay_errinfo *err);

#endif
