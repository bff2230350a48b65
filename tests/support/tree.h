/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up trees of files. */
#ifndef ASSAY_TESTS_SUPPORT_TREE_H
#define ASSAY_TESTS_SUPPORT_TREE_H

/* A fresh, empty folder under the test's own; static storage, until the next call. */
const char *assay_tree_new(void);
/* Writes text to root + path ("/proc/meminfo"), making the folders on the way. A failure is the harness's. */
void assay_tree_put(const char *root, const char *path, const char *text);

#endif
