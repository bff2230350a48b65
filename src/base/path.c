/* SPDX-License-Identifier: Apache-2.0 */
/* Path names. */
#include "base/file.h"
#include <string.h>

assay_status assay_path_join(char *out, size_t nbytes, const char *dir, const char *name, assay_errinfo *err)
{
    size_t ndir = strlen(dir), nname = strlen(name);
    while (ndir > 1 && dir[ndir - 1] == '/') ndir--;
    if (nbytes < 2 || ndir > nbytes - 2 || nname > nbytes - 2 - ndir)
        return ASSAY_FAIL(err, ASSAY_ERANGE, dir, "path name too long");
    memmove(out, dir, ndir);
    out[ndir] = '/';
    memcpy(out + ndir + 1, name, nname + 1);
    return ASSAY_OK;
}
