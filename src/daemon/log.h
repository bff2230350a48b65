/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's log: one line an event, as text or JSON. Secrets are for the caller to leave out. */
#ifndef ASSAY_DAEMON_LOG_H
#define ASSAY_DAEMON_LOG_H

#include "daemon/config.h"

typedef struct assay_log {
    int fd;
    assay_log_level level; /* what is more detailed is left out */
    assay_log_format format;
    bool journal; /* lines begin with <N>, the priority as systemd's journal reads it */
} assay_log;

/* One field of an event: text, or a number when text is NULL. */
typedef struct assay_log_field {
    const char *key;
    const char *text;
    int64_t number;
} assay_log_field;

#define ASSAY_LOG_TEXT_FIELD(key, text)     ((assay_log_field){(key), (text), 0})
#define ASSAY_LOG_NUMBER_FIELD(key, number) ((assay_log_field){(key), NULL, (int64_t)(number)})

enum { ASSAY_LOG_LINE = 4096 }; /* bytes of a line at most: longer texts are cut */

/* Writes one line by one write, from any thread; a log that cannot be written is no fault of what is logged. event: a
 * word such as job-finished; keys are words too. Control characters, and bytes that are no UTF-8, become '?'. */
void assay_log_event(const assay_log *log, assay_log_level level, const char *event, const assay_log_field *fields,
                     size_t n);

/* The same line into out; returns its length. unix_ms: the time to show. For tests. */
size_t assay_log_format_line(const assay_log *log, char out[ASSAY_LOG_LINE], uint64_t unix_ms, assay_log_level level,
                             const char *event, const assay_log_field *fields, size_t n);

#endif
