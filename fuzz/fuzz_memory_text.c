/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc and control groups: paths that come out are paths, and none leads out of its mount. */
#include "base/memory_text.h"
#include "fuzz.h"
#include <string.h>

enum { MOST = 3 * ASSAY_GROUP_PATH };

static void require_path(const char *p)
{
    FUZZ_REQUIRE(p[0] == '/' && memchr(p, 0, ASSAY_GROUP_PATH) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[MOST + 1], path[ASSAY_GROUP_PATH], root[ASSAY_GROUP_PATH], point[ASSAY_GROUP_PATH];
    if (size > MOST) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    const uint64_t n = assay_memory_number(text), f = assay_memory_field(text, "MemTotal:");
    FUZZ_REQUIRE(n == UINT64_MAX || n < (uint64_t)5 << 60);
    FUZZ_REQUIRE(f == UINT64_MAX || f < (uint64_t)5 << 60);
    if (assay_group_of_line(path, text)) {
        require_path(path);
        const char *below = assay_group_below(path, "/");
        FUZZ_REQUIRE(!below || !*below || (*below == '/' && !strstr(below, "/../")));
    }
    if (assay_group_mount_of_line(root, point, text)) {
        require_path(root);
        require_path(point);
        FUZZ_REQUIRE(assay_group_below(root, root) == NULL || *assay_group_below(root, root) == 0);
    }
    return 0;
}
