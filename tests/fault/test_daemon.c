/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations of the daemon's parts. */
#include "daemon/config.h"
#include "daemon/message.h"
#include "fault/fault.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <string.h>

static assay_status read_toml(void *ctx, assay_errinfo *err)
{
    const char *text = ctx;
    assay_toml *t = NULL;
    assay_status s = assay_toml_parse(&t, "x", text, strlen(text), err);
    assay_toml_free(t);
    return s;
}

TEST(toml)
{
    static char text[60000];
    size_t n = 0;
    for (int i = 0; i < 400; i++) {
        static const char line[] =
            "[[table.a]]\nkey = \"a string of some length that fills a block\"\nb.c = [1, {x = 2}]\n";
        memcpy(text + n, line, sizeof line - 1);
        n += sizeof line - 1;
    }
    text[n] = '\0';
    CHECK(assay_fault_every(read_toml, text, 1) > 10);
}

static assay_status read_config(void *ctx, assay_errinfo *err)
{
    const char *text = ctx;
    assay_config c;
    assay_status s = assay_config_defaults(&c, err);
    if (s == ASSAY_OK) s = assay_config_parse(&c, "x", text, strlen(text), err);
    if (s == ASSAY_OK) s = assay_config_set(&c, "engine.preload", "a,b,c", "--preload", err);
    assay_config_clear(&c);
    return s;
}

TEST(config)
{
    static char text[] = "[engine]\npreload = [\"x\", \"y\"]\n";
    CHECK(assay_fault_every(read_config, text, 1) > 5);
}

static assay_status read_message(void *ctx, assay_errinfo *err)
{
    const char *bytes = ctx;
    assay_message m;
    assay_status s = assay_message_read(&m, &cuzk__v1__prove_request__descriptor, bytes, strlen(bytes), err);
    assay_message_free(&m);
    return s;
}

TEST(message)
{
    static char bytes[2000] = "\x0a\x8a\x0f\x0a\x02"
                              "ab\x52\x83\x0f"; /* ProveRequest: id "ab", 1,923 bytes */
    memset(bytes + 10, 'x', 1923);
    CHECK(assay_fault_every(read_message, bytes, 1) >= 1);
}
