/* SPDX-License-Identifier: Apache-2.0 */
/* Test data that lies outside of the repository. */
#include "groth16/vectors.h"
#include "base/dir.h"
#include "base/file.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 64 << 20 };

bool vector_path(char path[VECTOR_PATH], const char *name)
{
    const char *shared = getenv("ASSAY_SHARED");
    char reason[VECTOR_PATH + 64];
    if (shared)
        (void)snprintf(path, VECTOR_PATH, "%s/vectors/%s", shared, name);
    else
        (void)snprintf(path, VECTOR_PATH, "%s/../shared/vectors/%s", assay_test_source_dir(), name);
    if (assay_path_exists(path)) return true;
    (void)snprintf(reason, sizeof reason, "no file %s (ASSAY_SHARED says where the test data is)", path);
    assay_test_skip(reason);
    return false;
}

uint8_t *vector_load(size_t *n, const char *name)
{
    char path[VECTOR_PATH];
    uint8_t *p = NULL;
    if (!vector_path(path, name)) return NULL;
    CHECK_OK(assay_file_read(path, MOST_BYTES, &p, n, NULL));
    return p;
}
