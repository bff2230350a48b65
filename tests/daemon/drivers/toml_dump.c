/* SPDX-License-Identifier: Apache-2.0 */
/* Reads documents from standard input, each after its length (4 bytes, little-endian), and prints one line for each:
 * the tree in JSON, whose leaves are strings "s:HEX", "i:DECIMAL", "f:BITS", "b:0"; or ERROR, the status, a message. */
#include "base/bytes.h"
#include "base/mem.h"
#include "daemon/toml.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void hex(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) printf("%02x", (unsigned)(unsigned char)p[i]);
}

static void leaf(const assay_toml_value *v)
{
    uint64_t bits;
    memcpy(&bits, &v->real, sizeof bits);
    if (v->kind == TOML_STRING) {
        printf("\"s:");
        hex(v->text, v->n_text);
        printf("\"");
    } else if (v->kind == TOML_INTEGER) {
        printf("\"i:%" PRId64 "\"", v->integer);
    } else if (v->kind == TOML_FLOAT && v->real != v->real) {
        printf("\"f:nan\"");
    } else if (v->kind == TOML_FLOAT) {
        printf("\"f:%016" PRIx64 "\"", bits);
    } else {
        printf("\"b:%d\"", v->truth);
    }
}

static void dump(const assay_toml_value *v)
{
    const bool table = v->kind == TOML_TABLE;
    if (!table && v->kind != TOML_ARRAY) {
        leaf(v);
        return;
    }
    printf(table ? "{" : "[");
    for (const assay_toml_value *m = v->first; m; m = m->next) {
        if (m != v->first) printf(",");
        if (table) {
            printf("\"");
            hex(m->key, m->n_key);
            printf("\":");
        }
        dump(m);
    }
    printf(table ? "}" : "]");
}

int main(void)
{
    uint8_t head[4];
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        const size_t n = assay_load_u32(head);
        uint8_t *p = assay_mem_alloc(n + 1, 1); /* n = 0 too */
        assay_toml *t = NULL;
        assay_errinfo err = {0};
        char text[512];
        if (!p || fread(p, 1, n, stdin) != n) return 1;
        const assay_status s = assay_toml_parse(&t, "doc", p, n, &err);
        if (s == ASSAY_OK)
            dump(assay_toml_root(t));
        else
            printf("ERROR %d %s", (int)s, assay_errinfo_text(&err, text, sizeof text));
        printf("\n");
        assay_toml_free(t);
        assay_mem_free(p);
    }
    return fflush(stdout) != 0;
}
