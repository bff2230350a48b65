/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration: one table of keys makes the reader, the defaults, the example file and the documentation.
 */
#ifndef ASSAY_DAEMON_CONFIG_H
#define ASSAY_DAEMON_CONFIG_H

#include "base/bytes.h"
#include "daemon/toml.h"

enum {
    ASSAY_CONFIG_LIST = 64,   /* elements of a list */
    ASSAY_CONFIG_SOURCES = 32 /* a file, and flags */
};
#define ASSAY_CONFIG_AUTO UINT64_MAX /* of sizes and counts that the daemon is to choose */

typedef struct assay_config_texts {
    const char *at[ASSAY_CONFIG_LIST];
    size_t n;
} assay_config_texts;

typedef struct assay_config_numbers {
    uint64_t at[ASSAY_CONFIG_LIST];
    size_t n;
} assay_config_numbers;

typedef enum assay_log_level { ASSAY_LOG_ERROR, ASSAY_LOG_WARN, ASSAY_LOG_INFO, ASSAY_LOG_DEBUG } assay_log_level;
typedef enum assay_log_format { ASSAY_LOG_TEXT, ASSAY_LOG_JSON } assay_log_format;

/* Text is never NULL; "" where nothing is set. Sizes in bytes, durations in milliseconds. What the keys mean: the table
 * in config_table.c, from which docs/daemon-config.md is written. */
typedef struct assay_config {
    struct {
        assay_config_texts listen;
        const char *status_listen;
        uint64_t drain_timeout;
    } daemon;
    struct {
        const char *certificate, *key, *client_ca;
    } tls;
    struct {
        const char *token_file;
        bool insecure;
    } auth;
    struct {
        uint64_t total, margin, gpu_total, gpu_margin, evict_idle;
    } memory;
    struct {
        const char *params, *circuits, *models;
    } paths;
    struct {
        uint64_t threads, partition_workers, gpu_workers, gpu_threads, batch_size, batch_wait;
        assay_config_numbers gpus;
        bool pipeline;
        assay_config_texts preload;
    } engine;
    struct {
        const char *path, *url;
        uint64_t max_jobs, keep_results, lease, attempts;
    } queue;
    struct {
        uint64_t message, connection_memory, total_memory, connections, streams;
        uint64_t handshake_timeout, request_timeout, idle_timeout, keepalive;
    } limits;
    struct {
        uint64_t level, format; /* assay_log_level, assay_log_format */
    } log;
    assay_toml *sources[ASSAY_CONFIG_SOURCES]; /* where the texts lie */
    size_t n_sources;
} assay_config;

typedef enum assay_config_kind {
    CONFIG_TEXT,     /* const char * */
    CONFIG_TEXTS,    /* assay_config_texts; one string alone is a list of one */
    CONFIG_BOOLEAN,  /* bool */
    CONFIG_COUNT,    /* uint64_t; with or_auto "auto" too */
    CONFIG_COUNTS,   /* assay_config_numbers */
    CONFIG_SIZE,     /* uint64_t, bytes; with or_auto "auto" too */
    CONFIG_DURATION, /* uint64_t, milliseconds */
    CONFIG_WORD      /* uint64_t: the place in `words` */
} assay_config_kind;

typedef struct assay_config_key {
    const char *section, *key;
    size_t offset; /* in assay_config */
    assay_config_kind kind;
    const char *initial;  /* its default, as TOML */
    uint64_t least, most; /* of counts, sizes, durations and elements of CONFIG_COUNTS */
    bool or_auto;
    const char *const *words; /* of CONFIG_WORD, up to a NULL */
    const char *help;         /* one line */
} assay_config_key;

extern const assay_config_key assay_config_keys[];
extern const size_t assay_config_n_keys;

/* Everything at its default. c is cleared by assay_config_clear after any of these, also after a failure. */
ASSAY_MUST_USE assay_status assay_config_defaults(assay_config *c, assay_errinfo *err);

/* The keys of a file, over what is set. Unknown keys, values of another type and values out of range are errors whose
 * subject is "file:line: section.key". Errors: those of assay_file_read and assay_toml_parse, ASSAY_EFORMAT,
 * ASSAY_ERANGE. */
ASSAY_MUST_USE assay_status assay_config_read(assay_config *c, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_config_parse(assay_config *c, const char *file, const void *text, size_t n,
                                               assay_errinfo *err);

/* One key from a flag: "memory.total", "8GiB"; lists have commas between their elements. `flag` is the subject of
 * errors. ASSAY_EINVAL: no such key. */
ASSAY_MUST_USE assay_status assay_config_set(assay_config *c, const char *key, const char *value, const char *flag,
                                             assay_errinfo *err);

/* What no key alone can show: addresses, what belongs together, an open port without a lock. Subjects are keys.
 * Errors: ASSAY_EFORMAT, ASSAY_ERANGE. */
ASSAY_MUST_USE assay_status assay_config_check(const assay_config *c, assay_errinfo *err);

void assay_config_clear(assay_config *c);

/* ---- config_text.c */

/* A file with every key at its default, each explained: examples/assayd.toml. */
void assay_config_example(assay_writer *w);
/* The table of keys, in Markdown: docs/daemon-config.md. */
void assay_config_markdown(assay_writer *w);
/* The man page assayd.toml(5): docs/man/assayd.toml.5. */
void assay_config_man(assay_writer *w);
/* config_print.c: what is set, as a file that would set it; without the passwords of addresses. */
void assay_config_print(assay_writer *w, const assay_config *c);

#endif
