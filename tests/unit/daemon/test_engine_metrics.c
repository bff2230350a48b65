/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses daemon
 * The engine's figures for Prometheus: every family has help and a type, before its samples and once; the numbers are
 * those of the look. */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "daemon/engine_metrics.h"
#include "daemon/look.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t now = 1764558000123u;

/* The text; freed by assay_mem_free. NULL if it could not be written. */
static char *metrics(const assay_engine_look *l, const assay_server_stats *server)
{
    assay_writer w;
    assay_writer_init(&w, ASSAY_METRICS_MAX);
    assay_metrics_write(&w, l, server);
    assay_write_u8(&w, 0);
    if (w.bad) {
        assay_writer_clear(&w);
        return NULL;
    }
    return (char *)w.p;
}

/* Whether the text has this line. */
static bool has(const char *text, const char *line)
{
    const size_t n = strlen(line);
    for (const char *p = text; (p = strstr(p, line)) != NULL; p++)
        if ((p == text || p[-1] == '\n') && p[n] == '\n') return true;
    printf("no line: %s\n", line);
    return false;
}

TEST(numbers)
{
    static const char *const lines[] = {
        "assay_build_info{version=\"0.1.0\"} 1",
        "assay_ready 1",
        "assay_draining 0",
        "assay_jobs_submitted_total 1290",
        "assay_jobs_cancelled_total 4",
        "assay_jobs_retried_total 3",
        "assay_workers_killed_for_memory_total 1",
        "assay_jobs_completed_total{kind=\"groth16\"} 1200",
        "assay_jobs_failed_total{kind=\"reply\"} 2",
        "assay_jobs_waiting{kind=\"reply\"} 4",
        "assay_jobs_running{kind=\"groth16\"} 2",
        "assay_results_kept{result=\"failed\"} 9",
        "assay_proofs_per_hour 587.5",
        "assay_memory_budget_bytes 200789721088",
        "assay_memory_reserved_bytes{holder=\"daemon\"} 1610612736",
        "assay_control_group_memory_limit_bytes 206158430208",
        "assay_provers_busy 2",
        "assay_workers{stage=\"synthesis\"} 5",
        "assay_workers{stage=\"ready\"} 1",
        "assay_keys_resident 4",
        "assay_key_bytes{kind=\"reply\",name=\"smollm2-135m\"} 870318080",
        "assay_job_duration_seconds_count{kind=\"groth16\"} 1200",
        "assay_job_stage_seconds_total{kind=\"groth16\",stage=\"synthesis\"} 36000",
        "assay_job_peak_memory_bytes{kind=\"groth16\"} 15032385536",
        "cuzk_queue_depth 37",
        "assay_connections 3",
        "assay_connections_refused_total 7",
    };
    const assay_server_stats server = {.connections = 3, .accepted = 50, .refused = 7, .memory = 99};
    assay_engine_look *l = test_look_new(now);
    REQUIRE(l);
    char *text = metrics(l, &server);
    REQUIRE(text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) CHECK(has(text, lines[i]));
    assay_mem_free(text);
    l->memory.group_max = UINT64_MAX; /* no limit: not a number of bytes */
    text = metrics(l, NULL);
    REQUIRE(text);
    CHECK(!strstr(text, "assay_control_group") && !strstr(text, "assay_connections"));
    assay_mem_free(text);
    test_look_free(l);
}

TEST(durations)
{
    assay_look_done d = {{0}, {0}};
    const uint64_t ms[] = {0, 100, 101, 3600000, 3600001, UINT64_MAX / 8};
    for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
        const assay_job_times t = {.total = ms[i], .prove = 1, .peak_bytes = 10 - i};
        assay_look_add(&d, &t);
    }
    CHECK(d.counts[0] == 2 && d.counts[1] == 1);
    CHECK(d.counts[ASSAY_LOOK_BOUNDS - 1] == 1 && d.counts[ASSAY_LOOK_BOUNDS] == 2);
    CHECK(d.sum.prove == 6 && d.sum.peak_bytes == 10);
    for (size_t i = 1; i < ASSAY_LOOK_BOUNDS; i++) CHECK(assay_look_bounds[i] > assay_look_bounds[i - 1]);
}

/* # HELP, # TYPE, then samples of that family only; no family comes twice. */
TEST(families)
{
    assay_engine_look *l = test_look_new(now);
    const assay_server_stats server = {0};
    char *text = l ? metrics(l, &server) : NULL;
    char family[128] = "", seen[64][128], *rest = NULL;
    size_t n = 0;
    REQUIRE(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            const size_t length = strcspn(line + 7, " ");
            REQUIRE(n < 64 && length < sizeof family && line[7 + length] == ' ' && strlen(line) > length + 12);
            (void)snprintf(family, sizeof family, "%.*s", (int)length, line + 7);
            for (size_t i = 0; i < n; i++) CHECK(strcmp(seen[i], family) != 0);
            memcpy(seen[n++], family, sizeof family);
            CHECK(strncmp(family, "assay_", 6) == 0 || strncmp(family, "cuzk_", 5) == 0);
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            CHECK(strncmp(line + 7, family, strlen(family)) == 0 && line[7 + strlen(family)] == ' ');
        } else {
            CHECK(strncmp(line, family, strlen(family)) == 0 && strchr("_{ ", line[strlen(family)]) != NULL);
        }
    }
    CHECK(n > 30);
    assay_mem_free(text);
    test_look_free(l);
}
