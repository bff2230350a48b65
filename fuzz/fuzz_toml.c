/* SPDX-License-Identifier: Apache-2.0 */
/* TOML documents: a tree that is read is well formed, and every message names the file. */
#include "daemon/toml.h"
#include "fuzz.h"
#include <string.h>

static size_t walk(const assay_toml_value *v, unsigned depth)
{
    size_t n = 1, members = 0;
    FUZZ_REQUIRE(depth <= ASSAY_TOML_MAX_DEPTH && v->text[v->n_text] == '\0' && v->key[v->n_key] == '\0');
    for (const assay_toml_value *m = v->first; m; m = m->next, members++) {
        FUZZ_REQUIRE(m->line >= 1 && (v->kind == TOML_TABLE || (v->kind == TOML_ARRAY && m->n_key == 0)));
        n += walk(m, depth + 1);
    }
    FUZZ_REQUIRE(members == v->n_members);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_toml *t = NULL;
    assay_errinfo err = {0};
    if (assay_toml_parse(&t, "file", data, size, &err) != ASSAY_OK) {
        FUZZ_REQUIRE(!t && err.reason && strncmp(err.subject, "file", 4) == 0);
        return 0;
    }
    FUZZ_REQUIRE(walk(assay_toml_root(t), 0) <= ASSAY_TOML_MAX_VALUES + 1);
    assay_toml_free(t);
    return 0;
}
