/* SPDX-License-Identifier: Apache-2.0 */
/* What people and machines see of the daemon: log lines, systemd's datagrams, Prometheus's text. */
#define _GNU_SOURCE
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/notify.h"
#include "harness.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const uint64_t when = 1764558000123u; /* 2025-12-01T03:00:00.123Z */

TEST(lines_of_text)
{
    const assay_log log = {2, ASSAY_LOG_INFO, ASSAY_LOG_TEXT, false},
                    journal = {2, ASSAY_LOG_INFO, ASSAY_LOG_TEXT, true};
    const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("job", "porep-1000-7"), ASSAY_LOG_NUMBER_FIELD("ms", -5),
                                      ASSAY_LOG_TEXT_FIELD("why", "a \"b\"\n\\ \xc3\xa9\xff"),
                                      ASSAY_LOG_TEXT_FIELD("none", "")};
    char out[ASSAY_LOG_LINE];
    const size_t n = assay_log_format_line(&log, out, when, ASSAY_LOG_INFO, "job-failed", fields, 4);
    CHECK_EQ_STR(out, "2025-12-01T03:00:00.123Z info job-failed job=porep-1000-7 ms=-5 why=\"a \\\"b\\\"?\\\\ "
                      "\xc3\xa9?\" none=\"\"\n");
    CHECK_EQ_U64(n, strlen(out));
    (void)assay_log_format_line(&journal, out, when, ASSAY_LOG_WARN, "x", NULL, 0);
    CHECK_EQ_STR(out, "<4>2025-12-01T03:00:00.123Z warn x\n");
}

TEST(lines_of_json)
{
    const assay_log log = {2, ASSAY_LOG_INFO, ASSAY_LOG_JSON, false};
    static char text[20000];
    char out[ASSAY_LOG_LINE];
    for (size_t length = 0; length < 9000; length += 37) {
        for (size_t i = 0; i < length; i++) text[i] = "ab\"\\\n\xc3\xa9\xe2\x82\xac"[i % 10];
        text[length] = '\0';
        const assay_log_field fields[] = {ASSAY_LOG_TEXT_FIELD("a", text), ASSAY_LOG_NUMBER_FIELD("n", 7)};
        const size_t n = assay_log_format_line(&log, out, when, ASSAY_LOG_ERROR, "e", fields, length < 2000 ? 2 : 1);
        CHECK(n < ASSAY_LOG_LINE && n == strlen(out) && strchr(out, '\n') == out + n - 1);
        json_error_t e;
        json_t *j = json_loads(out, JSON_REJECT_DUPLICATES, &e);
        if (length < 2000) {
            REQUIRE(j);
            CHECK_EQ_STR(json_string_value(json_object_get(j, "time")), "2025-12-01T03:00:00.123Z");
            CHECK_EQ_STR(json_string_value(json_object_get(j, "level")), "error");
            CHECK(json_integer_value(json_object_get(j, "n")) == 7 && json_is_string(json_object_get(j, "a")));
        }
        json_decref(j);
    }
}

TEST(levels_and_one_write)
{
    int ends[2];
    char out[256];
    REQUIRE(pipe(ends) == 0);
    const assay_log log = {ends[1], ASSAY_LOG_WARN, ASSAY_LOG_TEXT, false};
    assay_log_event(&log, ASSAY_LOG_INFO, "quiet", NULL, 0);
    assay_log_event(&log, ASSAY_LOG_WARN, "loud", NULL, 0);
    const ssize_t n = read(ends[0], out, sizeof out);
    CHECK(n > 10 && memcmp(out + n - 6, " loud\n", 6) == 0 && memmem(out, (size_t)n, "quiet", 5) == NULL);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(systemd_is_told)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char out[64] = "";
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%.90s/notify", assay_test_tmpdir());
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    REQUIRE(fd >= 0 && bind(fd, (const struct sockaddr *)(const void *)&name, sizeof name) == 0);
    CHECK_OK(assay_notify_send(name.sun_path, "READY=1", NULL));
    CHECK(recv(fd, out, sizeof out, MSG_DONTWAIT) == 7);
    CHECK_EQ_STR(out, "READY=1");
    (void)close(fd);
    CHECK_OK(assay_notify_send(NULL, "READY=1", NULL));
    CHECK_OK(assay_notify_send("", "READY=1", NULL));
    CHECK_STATUS(assay_notify_send("relative", "READY=1", NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_notify_send("/nowhere/at/all", "READY=1", NULL), ASSAY_EIO);
    CHECK_EQ_U64(assay_notify_watchdog_ms("30000000", NULL, 5), 15000);
    CHECK_EQ_U64(assay_notify_watchdog_ms("30000000", "5", 5), 15000);
    CHECK_EQ_U64(assay_notify_watchdog_ms("30000000", "6", 5), 0);
    CHECK_EQ_U64(assay_notify_watchdog_ms(NULL, NULL, 5), 0);
    CHECK_EQ_U64(assay_notify_watchdog_ms("3x", NULL, 5), 0);
}

TEST(prometheus_text)
{
    static const double bounds[] = {0.1, 1, 10};
    static const uint64_t counts[] = {1, 2, 0, 4};
    const assay_metric_label labels[] = {{"kind", "porep_c2"}, {"path", "a\\b\"c\nd\xff\xc3\xa9"}};
    assay_writer w;
    assay_writer_init(&w, 10000);
    assay_metric_family(&w, "cuzk_proofs_completed_total", ASSAY_COUNTER, "Proofs that were\ncompleted \\ \"all\"");
    assay_metric_count(&w, "cuzk_proofs_completed_total", NULL, 0, 18446744073709551615u);
    assay_metric_family(&w, "assay_memory_bytes", ASSAY_GAUGE, "Memory.");
    assay_metric_sample(&w, "assay_memory_bytes", labels, 2, 0.1);
    assay_metric_sample(&w, "assay_memory_bytes", labels, 1, NAN);
    assay_metric_sample(&w, "assay_memory_bytes", NULL, 0, -INFINITY);
    assay_metric_family(&w, "assay_seconds", ASSAY_HISTOGRAM, "Time.");
    assay_metric_histogram(&w, "assay_seconds", labels, 1, bounds, counts, 3, 1.0 / 3);
    assay_write_u8(&w, 0);
    CHECK(!w.bad);
    CHECK_EQ_STR(
        (const char *)w.p,
        "# HELP cuzk_proofs_completed_total Proofs that were\\ncompleted \\\\ \"all\"\n"
        "# TYPE cuzk_proofs_completed_total counter\n"
        "cuzk_proofs_completed_total 18446744073709551615\n"
        "# HELP assay_memory_bytes Memory.\n# TYPE assay_memory_bytes gauge\n"
        "assay_memory_bytes{kind=\"porep_c2\",path=\"a\\\\b\\\"c\\nd?\xc3\xa9\"} 0.1\n"
        "assay_memory_bytes{kind=\"porep_c2\"} NaN\nassay_memory_bytes -Inf\n"
        "# HELP assay_seconds Time.\n# TYPE assay_seconds histogram\n"
        "assay_seconds_bucket{kind=\"porep_c2\",le=\"0.1\"} 1\nassay_seconds_bucket{kind=\"porep_c2\",le=\"1\"} 3\n"
        "assay_seconds_bucket{kind=\"porep_c2\",le=\"10\"} 3\nassay_seconds_bucket{kind=\"porep_c2\",le=\"+Inf\"} 7\n"
        "assay_seconds_sum{kind=\"porep_c2\"} 0.33333333333333331\nassay_seconds_count{kind=\"porep_c2\"} 7\n");
    assay_writer_clear(&w);
}

static bool bad_sample(const char *name, const assay_metric_label *labels, size_t n)
{
    assay_writer w;
    assay_writer_init(&w, 10000);
    assay_metric_sample(&w, name, labels, n, 1);
    const bool bad = w.bad;
    assay_writer_clear(&w);
    return bad;
}

TEST(names_that_prometheus_refuses)
{
    static const char *const bad[] = {"", "1a", "a-b", "a b", "a\n", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const assay_metric_label label = {bad[i], "v"};
        CHECK(bad_sample(bad[i], NULL, 0) && bad_sample("good", &label, 1));
    }
    const assay_metric_label colon = {"a:b", "v"}, reserved = {"__a", "v"}, twice[] = {{"a", "1"}, {"a", "2"}},
                             le = {"le", "1"};
    CHECK(!bad_sample("a:b_1", NULL, 0) && bad_sample("a", &colon, 1) && bad_sample("a", &reserved, 1) &&
          bad_sample("a", twice, 2));
    static const double falling[] = {2, 1};
    static const uint64_t counts[] = {0, 0, 0};
    assay_writer w;
    assay_writer_init(&w, 10000);
    assay_metric_family(&w, "not_a_counter", ASSAY_COUNTER, "");
    CHECK(w.bad);
    assay_writer_clear(&w);
    assay_writer_init(&w, 10000);
    assay_metric_histogram(&w, "a", NULL, 0, falling, counts, 2, 0);
    CHECK(w.bad);
    assay_writer_clear(&w);
    assay_writer_init(&w, 10000);
    assay_metric_histogram(&w, "a", &le, 1, falling, counts, 1, 0);
    CHECK(w.bad);
    assay_writer_clear(&w);
}
