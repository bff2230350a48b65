/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the configuration. */
#include "daemon/config.h"

#define AT(field) offsetof(assay_config, field)
#define KIB       ((uint64_t)1 << 10)
#define MIB       ((uint64_t)1 << 20)
#define TIB       ((uint64_t)1 << 40)

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
static const char *const formats[] = {"text", "json", NULL};

#define KEY(section, key)  #section, #key, AT(section.key) /* NOLINT(bugprone-macro-parentheses): a member's path */
#define PLAIN              0, 0, false, NULL
#define RANGE(least, most) (least), (most), false, NULL
#define AUTO(least, most)  (least), (most), true, NULL
#define ONE_OF(words)      0, 0, false, (words)

const assay_config_key assay_config_keys[] = {
    {KEY(daemon, listen), CONFIG_TEXTS, "[\"unix:///run/assay/assayd.sock\"]", PLAIN,
     "where gRPC is served: HOST:PORT, [IPV6]:PORT or unix:///PATH; one or several"},
    {KEY(daemon, status_listen), CONFIG_TEXT, "\"127.0.0.1:9821\"", PLAIN,
     "where the status page, /status and /metrics are served (docs/daemon-status.md): HOST:PORT or unix:///PATH; "
     "empty: "
     "nowhere"},
    {KEY(daemon, drain_timeout), CONFIG_DURATION, "\"10m\"", RANGE(0, DAY),
     "after SIGTERM, how long running jobs may take to end before they go back to the queue"},

    {KEY(tls, certificate), CONFIG_TEXT, "\"\"", PLAIN,
     "PEM file of the server's certificate and its chain; empty: no TLS"},
    {KEY(tls, key), CONFIG_TEXT, "\"\"", PLAIN, "PEM file of its private key"},
    {KEY(tls, client_ca), CONFIG_TEXT, "\"\"", PLAIN,
     "PEM file of authorities: clients must show a certificate of one of them"},

    {KEY(auth, token_file), CONFIG_TEXT, "\"\"", PLAIN,
     "file whose first line every client must send as `authorization: Bearer TOKEN`"},
    {KEY(auth, insecure), CONFIG_BOOLEAN, "false", PLAIN,
     "serve other machines without a token and without client certificates: anyone who reaches the port is a "
     "client"},

    {KEY(memory, total), CONFIG_SIZE, "\"auto\"", AUTO(64 * MIB, 1024 * TIB),
     "the budget for everything; auto: what the machine and its control group have, less the margin"},
    {KEY(memory, margin), CONFIG_SIZE, "\"2GiB\"", RANGE(0, 1024 * TIB), "what auto leaves to others"},
    {KEY(memory, gpu_total), CONFIG_SIZE, "\"auto\"", AUTO(64 * MIB, 1024 * TIB), "the same for each GPU's memory"},
    {KEY(memory, gpu_margin), CONFIG_SIZE, "\"512MiB\"", RANGE(0, 1024 * TIB), "what auto leaves on each GPU"},
    {KEY(memory, evict_idle), CONFIG_DURATION, "\"5m\"", RANGE(0, DAY),
     "a key unused for so long may leave memory for another"},

    {KEY(paths, params), CONFIG_TEXT, "\"/var/lib/assay/params\"", PLAIN, "folder of .params and .vk files"},
    {KEY(paths, circuits), CONFIG_TEXT, "\"/var/lib/assay/circuits\"", PLAIN,
     "folder of registered circuits: .zkey files"},
    {KEY(paths, models), CONFIG_TEXT, "\"/var/lib/assay/models\"", PLAIN, "folder of committed models"},

    {KEY(engine, threads), CONFIG_COUNT, "\"auto\"", AUTO(1, 4096),
     "processor threads for proving; auto: all that the process may use"},
    {KEY(engine, partition_workers), CONFIG_COUNT, "\"auto\"", AUTO(1, 4096),
     "partitions that are synthesised at once; auto: as memory allows"},
    {KEY(engine, gpu_workers), CONFIG_COUNT, "\"auto\"", AUTO(1, 64),
     "provers a GPU; processor workers stand in where there is none"},
    {KEY(engine, gpu_threads), CONFIG_COUNT, "\"auto\"", AUTO(1, 4096), "processor threads that serve the GPU workers"},
    {KEY(engine, gpus), CONFIG_COUNTS, "[]", RANGE(0, 63), "GPUs to use, by number; empty: all"},
    {KEY(engine, pipeline), CONFIG_BOOLEAN, "true", PLAIN, "synthesise the next job while this one is proven"},
    {KEY(engine, preload), CONFIG_TEXTS, "[]", PLAIN, "keys to load at start, by name"},
    {KEY(engine, batch_size), CONFIG_COUNT, "1", RANGE(1, 64), "jobs of one circuit that are proven together at most"},
    {KEY(engine, batch_wait), CONFIG_DURATION, "\"10s\"", RANGE(0, HOUR),
     "how long a job may wait for others of its batch"},

    {KEY(queue, path), CONFIG_TEXT, "\"/var/lib/assay/queue.sqlite\"", PLAIN, "the queue's database on this machine"},
    {KEY(queue, url), CONFIG_TEXT, "\"\"", PLAIN,
     "postgresql://... of a queue that several machines share, in place of the path"},
    {KEY(queue, max_jobs), CONFIG_COUNT, "10000", RANGE(1, 10000000), "jobs that may wait; more are refused"},
    {KEY(queue, keep_results), CONFIG_DURATION, "\"1d\"", RANGE(MINUTE, 365 * (uint64_t)DAY),
     "how long the result of a job that ended is kept"},
    {KEY(queue, lease), CONFIG_DURATION, "\"1m\"", RANGE(2 * SECOND, HOUR),
     "a worker silent for so long has lost its job"},
    {KEY(queue, attempts), CONFIG_COUNT, "3", RANGE(1, 100), "how often a job is begun before it counts as failed"},

    {KEY(limits, message), CONFIG_SIZE, "\"128MiB\"", RANGE(KIB, 1024 * MIB), "the largest request"},
    {KEY(limits, connection_memory), CONFIG_SIZE, "\"1GiB\"", RANGE(KIB, 1024 * 1024 * MIB),
     "requests and replies held for one connection"},
    {KEY(limits, total_memory), CONFIG_SIZE, "\"1GiB\"", RANGE(KIB, 1024 * TIB),
     "requests and replies held for all connections"},
    {KEY(limits, connections), CONFIG_COUNT, "1024", RANGE(1, 65536),
     "connections at once; further ones are closed, as are those for which there are no file descriptors"},
    {KEY(limits, streams), CONFIG_COUNT, "128", RANGE(1, 65536), "calls at once on one connection"},
    {KEY(limits, handshake_timeout), CONFIG_DURATION, "\"10s\"", RANGE(100, HOUR),
     "from connecting to the first whole HTTP/2 settings frame"},
    {KEY(limits, request_timeout), CONFIG_DURATION, "\"5m\"", RANGE(100, DAY),
     "from a call's beginning to the last byte of its request"},
    {KEY(limits, idle_timeout), CONFIG_DURATION, "\"30m\"", RANGE(SECOND, 30 * (uint64_t)DAY),
     "a connection without calls for so long is closed"},
    {KEY(limits, keepalive), CONFIG_DURATION, "\"30s\"", RANGE(SECOND, DAY),
     "a connection silent for so long is pinged, and closed after the same time without an answer"},

    {KEY(log, level), CONFIG_WORD, "\"info\"", ONE_OF(levels), "what is logged"},
    {KEY(log, format), CONFIG_WORD, "\"text\"", ONE_OF(formats), "one line an event, for people or as JSON"},
};
const size_t assay_config_n_keys = sizeof assay_config_keys / sizeof assay_config_keys[0];
