/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and text for people. */
#define _POSIX_C_SOURCE 200809L
#include "cli/report.h"
#include "base/status.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int assay_exit_of(assay_status s, assay_phase phase)
{
    switch (s) {
    case ASSAY_OK:
        return ASSAY_EXIT_OK;
    case ASSAY_EINVAL:
    case ASSAY_EFORMAT:
    case ASSAY_ERANGE:
    case ASSAY_EUNSUPPORTED:
        return ASSAY_EXIT_USAGE;
    case ASSAY_ENOMEM:
        return ASSAY_EXIT_MEMORY;
    case ASSAY_EIO:
        return phase == ASSAY_READING ? ASSAY_EXIT_USAGE : ASSAY_EXIT_OUTPUT;
    case ASSAY_ECANCELED:
        return ASSAY_EXIT_CANCELED;
    case ASSAY_ENORESULT:
        return ASSAY_EXIT_NO;
    case ASSAY_EEXHAUSTED:
        return ASSAY_EXIT_EXHAUSTED;
    case ASSAY_EBUSY:
        return ASSAY_EXIT_BUSY;
    case ASSAY_EUNSATISFIED:
        return ASSAY_EXIT_UNSATISFIED;
    case ASSAY_EDEVICE:
    case ASSAY_EINTERNAL:
        break;
    }
    return ASSAY_EXIT_INTERNAL;
}

void assay_report_line(const char *program, char *text)
{
    fprintf(stderr, "%s: %s\n", program, assay_line_flatten(text)); /* whatever an argument or a file's name holds */
}

static void print_line(const assay_args *a, char *text)
{
    char name[64];
    assay_report_line(assay_command_name(a->command, name, sizeof name), text);
}

static int say(const assay_args *a, char *text, int code)
{
    print_line(a, text);
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("error", text);
        assay_json_number("exit", (uint64_t)code);
        assay_json_end();
    }
    return assay_report_finish(a, code);
}

/* "subject: reason", and what helps. */
static void message(char *out, size_t nbytes, const assay_args *a, assay_status s, const assay_errinfo *err)
{
    char what[400];
    if (err && err->reason)
        (void)assay_errinfo_text(err, what, sizeof what);
    else
        (void)snprintf(what, sizeof what, "%s", assay_status_name(s));
    bool waits = s == ASSAY_EBUSY && assay_command_takes(a->command, OPT_WAIT);
    (void)snprintf(out, nbytes, "%s%s", what, waits ? "; --wait waits for it" : "");
}

int assay_report_error(const assay_args *a, assay_phase phase, assay_status s, const assay_errinfo *err)
{
    char text[512];
    message(text, sizeof text, a, s, err);
    return say(a, text, assay_exit_of(s, phase));
}

void assay_report_failure(const assay_args *a, const char *file, assay_status s, const assay_errinfo *err)
{
    char what[512], text[1100];
    message(what, sizeof what, a, s, err);
    bool named = strncmp(what, file, strlen(file)) == 0;
    (void)snprintf(text, sizeof text, "%.500s%s%s", named ? "" : file, named ? "" : ": ", what);
    print_line(a, text);
}

int assay_report_usage(const assay_args *a, const char *subject, const char *reason)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s: %s", subject, reason);
    return say(a, text, ASSAY_EXIT_USAGE);
}

int assay_report_finish(const assay_args *a, int code)
{
    char name[64];
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "%s: standard output: cannot be written\n", assay_command_name(a->command, name, sizeof name));
    return ASSAY_EXIT_OUTPUT;
}

void assay_report_name_file(assay_errinfo *err, const char *name, const char *path)
{
    const size_t n = strlen(name);
    char *rest = err->subject + n;
    if (strncmp(err->subject, name, n) != 0 || (*rest && (n == 0 || *rest != ':'))) return;
    const size_t n_rest = strlen(rest), room = sizeof err->subject - 1 - n_rest, n_path = strlen(path);
    const size_t kept = n_path < room ? n_path : room; /* what is wrong stays whole */
    memmove(err->subject + kept, rest, n_rest + 1);
    memcpy(err->subject, path, kept);
}

void assay_reason_name_file(char *reason, size_t nbytes, const char *name, const char *path)
{
    char rest[512];
    size_t n = strlen(name);
    if (strncmp(reason, name, n) != 0 || reason[n] != ':') return;
    (void)snprintf(rest, sizeof rest, "%s", reason + n);
    (void)snprintf(reason, nbytes, "%s%s", path, rest);
    (void)assay_line_flatten(reason);
}

void assay_report_path(const char *path)
{
    for (const char *c = path; *c; c++) putchar((unsigned char)*c < 32 || *c == 127 ? '?' : *c);
}

void assay_report_text(const uint8_t *p, size_t n)
{
    bool terminal = isatty(STDOUT_FILENO);
    for (size_t i = 0; i < n; i++) {
        bool control = (p[i] < 32 && p[i] != '\n' && p[i] != '\t') || p[i] == 127;
        if (terminal && control)
            printf("\\x%02x", p[i]);
        else
            putchar(p[i]);
    }
}
