/* SPDX-License-Identifier: Apache-2.0 */
/* What a stranger's program does with the installed library: include a public header, call a function, from C. */
#include <assay/progress.h>
#include <assay/status.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    assay_progress quiet = {NULL, NULL};
    puts(assay_status_name(ASSAY_ENORESULT));
    return quiet.fn == NULL && strcmp(assay_status_name(ASSAY_OK), "ok") == 0 ? 0 : 1;
}
