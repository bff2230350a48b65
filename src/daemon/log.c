/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/log.h"
#include "base/utf8.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RESERVE = 8 }; /* room for what closes a line */

/* A line that grows; what does not fit is left out. */
typedef struct line {
    char *p;
    size_t n;
} line;

__attribute__((format(printf, 2, 3))) static void put(line *l, const char *format, ...)
{
    const size_t room = ASSAY_LOG_LINE - RESERVE - l->n;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->p + l->n, room, format, args);
    va_end(args);
    if (n > 0) l->n += (size_t)n < room ? (size_t)n : room - 1;
}

/* Length of the character that begins at p; 0 if none does, or a control character. */
static size_t character(const char *p)
{
    const unsigned char b = (unsigned char)*p;
    return b < 32 || b == 127 ? 0 : assay_utf8_character(p);
}

/* Text in quotes, which JSON and people read alike. */
static void put_quoted(line *l, const char *text)
{
    put(l, "\"");
    while (*text) {
        const size_t n = character(text);
        if (n == 0)
            put(l, "?");
        else if (l->n + n + 2 < ASSAY_LOG_LINE - RESERVE) /* no character is cut */
            put(l, *text == '"' || *text == '\\' ? "\\%.*s" : "%.*s", (int)n, text);
        text += n ? n : 1;
    }
    put(l, "\"");
}

/* Whether a text can stand without quotes. */
static bool is_word(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              strchr("-_.:/@+", *p)))
            return false;
    return *text != '\0';
}

static void put_time(line *l, uint64_t unix_ms)
{
    const time_t seconds = (time_t)(unix_ms / 1000);
    struct tm t;
    if (!gmtime_r(&seconds, &t)) memset(&t, 0, sizeof t);
    put(l, "%04d-%02d-%02dT%02d:%02d:%02d.%03uZ", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
        t.tm_sec, (unsigned)(unix_ms % 1000));
}

static void put_fields(line *l, assay_log_format format, const assay_log_field *fields, size_t n)
{
    const bool json = format == ASSAY_LOG_JSON;
    for (size_t i = 0; i < n; i++) {
        put(l, json ? ",\"%s\":" : " %s=", fields[i].key);
        if (!fields[i].text)
            put(l, "%" PRId64, fields[i].number);
        else if (!json && is_word(fields[i].text))
            put(l, "%s", fields[i].text);
        else
            put_quoted(l, fields[i].text);
    }
}

size_t assay_log_format_line(const assay_log *log, char out[ASSAY_LOG_LINE], uint64_t unix_ms, assay_log_level level,
                             const char *event, const assay_log_field *fields, size_t n)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    static const int priorities[] = {3, 4, 6, 7};
    const bool json = log->format == ASSAY_LOG_JSON;
    line l = {out, 0};
    if (log->journal) put(&l, "<%d>", priorities[level]);
    put(&l, json ? "{\"time\":\"" : "%s", "");
    put_time(&l, unix_ms);
    put(&l, json ? "\",\"level\":\"%s\",\"event\":\"%s\"" : " %s %s", names[level], event);
    put_fields(&l, log->format, fields, n);
    const char *end = json ? "}\n" : "\n"; /* there is room: `put` leaves it */
    memcpy(out + l.n, end, strlen(end) + 1);
    return l.n + strlen(end);
}

void assay_log_event(const assay_log *log, assay_log_level level, const char *event, const assay_log_field *fields,
                     size_t n)
{
    char out[ASSAY_LOG_LINE];
    struct timespec t = {0, 0};
    if (level > log->level) return;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    const size_t length = assay_log_format_line(log, out, (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000,
                                                level, event, fields, n);
    const ssize_t written = write(log->fd, out, length);
    (void)written;
}
