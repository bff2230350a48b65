/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: defaults, a file over them, flags over both. tests/daemon/test_config.sh has the messages. */
#include "base/mem.h"
#include "daemon/config.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

TEST(defaults)
{
    assay_config c;
    REQUIRE_OK(assay_config_defaults(&c, NULL));
    CHECK_EQ_U64(c.daemon.listen.n, 1);
    CHECK_EQ_STR(c.daemon.listen.at[0], "unix:///run/assay/assayd.sock");
    CHECK_EQ_STR(c.tls.certificate, "");
    CHECK_EQ_U64(c.memory.total, ASSAY_CONFIG_AUTO);
    CHECK_EQ_U64(c.memory.margin, 2ull << 30);
    CHECK_EQ_U64(c.memory.evict_idle, 300000);
    CHECK_EQ_U64(c.engine.gpu_workers, ASSAY_CONFIG_AUTO);
    CHECK(c.engine.pipeline && !c.auth.insecure);
    CHECK_EQ_U64(c.engine.gpus.n, 0);
    CHECK_EQ_U64(c.limits.message, 128 << 20);
    CHECK_EQ_U64(c.log.level, ASSAY_LOG_INFO);
    CHECK_OK(assay_config_check(&c, NULL));
    assay_config_clear(&c);
}

TEST(a_file_over_defaults_and_flags_over_both)
{
    static const char text[] =
        "[engine]\npartition_workers = 5\ngpus = [0, 2]\npreload = \"porep-32g\"\npipeline = false\n"
        "[memory]\ntotal = \"24GiB\"\n[log]\nformat = \"json\"\n";
    assay_config c;
    assay_errinfo err = {0};
    REQUIRE_OK(assay_config_defaults(&c, NULL));
    CHECK_OK(assay_config_parse(&c, "x", text, sizeof text - 1, &err));
    CHECK_EQ_U64(c.engine.partition_workers, 5);
    CHECK(c.engine.gpus.n == 2 && c.engine.gpus.at[1] == 2);
    CHECK(c.engine.preload.n == 1);
    CHECK_EQ_STR(c.engine.preload.at[0], "porep-32g");
    CHECK_EQ_U64(c.memory.total, 24ull << 30);
    CHECK_EQ_U64(c.log.format, ASSAY_LOG_JSON);
    CHECK_OK(assay_config_set(&c, "engine.partition_workers", "7", "--partition-workers", &err));
    CHECK_OK(assay_config_set(&c, "engine.preload", "a,b \"c\"", "--preload", &err));
    CHECK_OK(assay_config_set(&c, "memory.total", "auto", "--memory", &err));
    CHECK_OK(assay_config_set(&c, "engine.pipeline", "true", "--no-pipeline", &err));
    CHECK_OK(assay_config_set(&c, "tls.key", "", "--key", &err));
    CHECK_EQ_U64(c.engine.partition_workers, 7);
    CHECK_EQ_U64(c.memory.total, ASSAY_CONFIG_AUTO);
    CHECK(c.engine.preload.n == 2 && c.engine.pipeline);
    CHECK_EQ_STR(c.engine.preload.at[1], "b \"c\"");
    CHECK_STATUS(assay_config_set(&c, "engine.none", "7", "--none", NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_config_set(&c, "memory.total", "1KiB", "--memory", &err), ASSAY_ERANGE);
    CHECK_EQ_STR(err.subject, "--memory");
    assay_config_clear(&c);
}

TEST(every_default_is_in_range)
{
    assay_config c;
    for (size_t i = 0; i < assay_config_n_keys; i++) {
        const assay_config_key *k = &assay_config_keys[i];
        char text[512];
        assay_errinfo err = {0};
        (void)snprintf(text, sizeof text, "%s.%s = %s", k->section, k->key, k->initial);
        memset(&c, 0, sizeof c);
        CHECK_OK(assay_config_parse(&c, "x", text, strlen(text), &err));
        assay_config_clear(&c);
    }
}

static char *printed(const assay_config *c)
{
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    assay_config_print(&w, c);
    assay_write_u8(&w, 0);
    CHECK(!w.bad);
    return (char *)w.p;
}

/* What is printed sets the same again. */
TEST(print)
{
    static const char text[] =
        "[daemon]\nlisten = [\"127.0.0.1:0\", \"unix:/a \\\"b\\\"\\\\c\\u0001\"]\n"
        "[memory]\ntotal = \"3GiB\"\nmargin = \"1025B\"\n[engine]\ngpus = [3, 1]\npipeline = false\n"
        "threads = 7\n[queue]\nlease = \"2500ms\"\n[log]\nlevel = \"warn\"\n";
    assay_config a, b;
    for (int set = 0; set < 2; set++) {
        REQUIRE_OK(assay_config_defaults(&a, NULL));
        REQUIRE_OK(assay_config_defaults(&b, NULL));
        if (set) CHECK_OK(assay_config_parse(&a, "a", text, sizeof text - 1, NULL));
        char *first = printed(&a);
        CHECK_OK(assay_config_parse(&b, "b", first, strlen(first), NULL));
        char *again = printed(&b);
        CHECK_EQ_STR(first, again);
        CHECK((strstr(first, "listen = [\"127.0.0.1:0\", \"unix:/a \\\"b\\\"\\\\c\\u0001\"]\n") != NULL) == set);
        assay_mem_free(first);
        assay_mem_free(again);
        assay_config_clear(&a);
        assay_config_clear(&b);
    }
}

TEST(print_without_passwords)
{
    static const char *const urls[][2] = {
        {"postgresql://user:secret@host/db", "postgresql://user:...@host/db"},
        {"postgresql://user:se:c@ret@host:5432/db?x=y@z", "postgresql://user:...@host:5432/db?x=y@z"},
        {"postgresql://user@host:5432/db", "postgresql://user@host:5432/db"},
        {"postgresql://host/db?a=b:c@d", "postgresql://host/db?a=b:c@d"},
        {"postgresql://u:sec/ret@host/db", "postgresql://u:...@host/db"},
        {"postgresql://host/db?password=secret", "postgresql://host/db?password=..."},
        {"postgresql://u:secret@host/db?a=b&sslpassword=secret&c=d",
         "postgresql://u:...@host/db?a=b&sslpassword=...&c=d"},
        {"postgresql://host/db?pass%77ord=secret&c", "postgresql://host/db?pass%77ord=...&c"},
        {"postgresql://host?password=secret=&x=y", "postgresql://host?password=...&x=y"}};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        assay_config c;
        char want[200];
        REQUIRE_OK(assay_config_defaults(&c, NULL));
        CHECK_OK(assay_config_set(&c, "queue.url", urls[i][0], "--queue", NULL));
        char *text = printed(&c);
        (void)snprintf(want, sizeof want, "\nurl = \"%s\"\n", urls[i][1]);
        CHECK(strstr(text, want) != NULL);
        assay_mem_free(text);
        assay_config_clear(&c);
    }
}
