/* SPDX-License-Identifier: Apache-2.0 */
/* Files that programs read. */
#include "cli/files.h"
#include "base/file.h"
#include "cp/id_codec.h"
#include <string.h>

assay_status assay_cli_read(assay_buffer *b, const char *path, const char *name, size_t max, assay_errinfo *err)
{
    char joined[ASSAY_CLI_PATH];
    b->p = NULL;
    b->n = 0;
    assay_status s = name ? assay_path_join(joined, sizeof joined, path, name, err) : ASSAY_OK;
    return s == ASSAY_OK ? assay_file_read(name ? joined : path, max, &b->p, &b->n, err) : s;
}

assay_status assay_cli_id(uint8_t id[32], const char *text, assay_errinfo *err)
{
    return assay_id_decode(id, text, strlen(text), err);
}
