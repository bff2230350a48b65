/* SPDX-License-Identifier: Apache-2.0 */
/* Magic and version. */
#include "cp/file_head_codec.h"
#include <string.h>

void assay_file_head_write_version(assay_writer *w, const char *magic, uint32_t version)
{
    assay_write_bytes(w, magic, 8);
    assay_write_u32(w, version);
}

void assay_file_head_write(assay_writer *w, const char *magic)
{
    assay_file_head_write_version(w, magic, ASSAY_FILE_VERSION);
}

assay_status assay_file_head_read_version(assay_reader *r, const char *magic, const char *what, uint32_t newest,
                                          uint32_t *version, assay_errinfo *err)
{
    const uint8_t *m = assay_read_bytes(r, 8);
    *version = assay_read_u32(r);
    if (!m || r->bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "is too short");
    if (memcmp(m, magic, 8) != 0) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "is not such a file (wrong magic)");
    if (*version < ASSAY_FILE_VERSION || *version > newest)
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, what, "has an unknown version", *version);
    return ASSAY_OK;
}

assay_status assay_file_head_read(assay_reader *r, const char *magic, const char *what, assay_errinfo *err)
{
    uint32_t version;
    return assay_file_head_read_version(r, magic, what, ASSAY_FILE_VERSION, &version, err);
}
