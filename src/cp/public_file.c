/* SPDX-License-Identifier: Apache-2.0 */
/* The public half of a commitment's folder, without its weights. */
#include "base/buffer.h"
#include "base/file.h"
#include "cp/public.h"

enum { PATH_BYTES = 4096 };

static assay_status read_one(assay_buffer *b, const char *folder, const char *name, assay_errinfo *err)
{
    char path[PATH_BYTES];
    *b = (assay_buffer){NULL, 0};
    assay_status s = assay_path_join(path, sizeof path, folder, name, err);
    return s == ASSAY_OK ? assay_file_read(path, ASSAY_MAX_PUBLIC_FILE, &b->p, &b->n, err) : s;
}

assay_status assay_public_read(assay_public *p, const char *folder, assay_errinfo *err)
{
    assay_buffer config, ivk = {NULL, 0};
    *p = (assay_public){0};
    assay_status s = read_one(&config, folder, "config/config.bin", err);
    if (s == ASSAY_OK) s = read_one(&ivk, folder, "ivk/ivk.bin", err);
    if (s == ASSAY_OK) s = assay_public_decode(p, config.p, config.n, ivk.p, ivk.n, err);
    assay_buffer_free(&config);
    assay_buffer_free(&ivk);
    return s;
}
