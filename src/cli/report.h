/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs say: errors in one line, exit codes, JSON. */
#ifndef ASSAY_CLI_REPORT_H
#define ASSAY_CLI_REPORT_H

#include "assay/status.h"
#include "cli/options.h"

/* Meanings: assay_exit_codes (options.c). */
enum {
    ASSAY_EXIT_OK = 0,
    ASSAY_EXIT_NO = 1,
    ASSAY_EXIT_USAGE = 2,
    ASSAY_EXIT_MEMORY = 3,
    ASSAY_EXIT_OUTPUT = 4,
    ASSAY_EXIT_BUSY = 5,
    ASSAY_EXIT_EXHAUSTED = 6,
    ASSAY_EXIT_CANCELED = 7,
    ASSAY_EXIT_INTERNAL = 8,
    ASSAY_EXIT_UNSATISFIED = 9
};

/* Whether an ASSAY_EIO is about input (exit code 2) or output (4). */
typedef enum assay_phase { ASSAY_READING, ASSAY_WRITING } assay_phase;

int assay_exit_of(assay_status s, assay_phase phase);

/* Prints "program: text" on stderr, as one line: control characters of text become '?', there too. */
void assay_report_line(const char *program, char *text);

/* Prints "program: subject: reason (numbers)" on stderr, with --json an object too, and returns the exit code. */
int assay_report_error(const assay_args *a, assay_phase phase, assay_status s, const assay_errinfo *err);
/* The line on stderr alone, for one of several files, which it names ("": none). */
void assay_report_failure(const assay_args *a, const char *file, assay_status s, const assay_errinfo *err);
/* The same for a problem that has no status: exit code 2. */
int assay_report_usage(const assay_args *a, const char *subject, const char *reason);

/* Writes out what is buffered; returns code, or ASSAY_EXIT_OUTPUT with a message when stdout took it not. Last call of
 * every program. */
int assay_report_finish(const assay_args *a, int code);

/* When err's subject is `name` ("request"), or begins with it and a colon, the file's path stands there instead. */
void assay_report_name_file(assay_errinfo *err, const char *name, const char *path);
/* The same for a reason that begins with "name: ". */
void assay_reason_name_file(char *reason, size_t nbytes, const char *name, const char *path);

/* The name of a file on stdout, control characters as '?'. */
void assay_report_path(const char *path);
/* Bytes for people: on a terminal, control characters other than newline and tab come out as \xNN. */
void assay_report_text(const uint8_t *p, size_t n);

/* ---- one JSON object on stdout: begin, fields, end. Invalid UTF-8 becomes U+FFFD. */
void assay_json_begin(void);
void assay_json_text(const char *key, const void *p, size_t n);
void assay_json_string(const char *key, const char *s);
void assay_json_number(const char *key, uint64_t v);
void assay_json_real(const char *key, double v);    /* two decimals; infinite: null */
void assay_json_precise(const char *key, double v); /* twelve digits */
void assay_json_bool(const char *key, bool v);
void assay_json_ids(const char *key, const uint32_t *ids, size_t n);
void assay_json_array_begin(const char *key); /* of objects, each between assay_json_begin and assay_json_close */
void assay_json_array_end(void);
void assay_json_close(void);
void assay_json_end(void); /* closes, and ends the line */

#endif
