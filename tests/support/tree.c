/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "support/tree.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *assay_tree_new(void)
{
    static char root[128];
    static unsigned n;
    (void)snprintf(root, sizeof root, "%s/tree%u", assay_test_tmpdir(), n++);
    CHECK(mkdir(root, 0700) == 0);
    return root;
}

void assay_tree_put(const char *root, const char *path, const char *text)
{
    char full[8192];
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *f = fopen(full, "we");
    if (!CHECK(f != NULL)) return;
    CHECK(fwrite(text, 1, strlen(text), f) == strlen(text));
    CHECK(fclose(f) == 0);
}
