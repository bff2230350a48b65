/* SPDX-License-Identifier: Apache-2.0 */
/* Status names and the one function that fills an assay_errinfo. */
#include "base/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *assay_status_name(assay_status s)
{
    switch (s) {
    case ASSAY_OK:
        return "ok";
    case ASSAY_EINVAL:
        return "invalid argument";
    case ASSAY_EFORMAT:
        return "malformed input";
    case ASSAY_ERANGE:
        return "value out of range";
    case ASSAY_ENOMEM:
        return "out of memory";
    case ASSAY_EIO:
        return "input/output error";
    case ASSAY_EDEVICE:
        return "device error";
    case ASSAY_ECANCELED:
        return "canceled";
    case ASSAY_EUNSUPPORTED:
        return "unsupported";
    case ASSAY_ENORESULT:
        return "no result";
    case ASSAY_EEXHAUSTED:
        return "lifetime exhausted";
    case ASSAY_EBUSY:
        return "busy";
    case ASSAY_EINTERNAL:
        return "internal error";
    case ASSAY_EUNSATISFIED:
        return "not satisfied";
    }
    return "unknown status";
}

assay_status assay_fail_at(assay_errinfo *e, assay_status s, const char *subject, const char *reason, int n, int64_t a,
                           int64_t b, const char *file, int line)
{
    if (!e || e->reason) return s;
    memset(e, 0, sizeof *e);
    e->status = s;
    if (subject) {
        size_t len = strlen(subject);
        if (len >= sizeof e->subject) len = sizeof e->subject - 1;
        memcpy(e->subject, subject, len);
    }
    e->reason = reason ? reason : assay_status_name(s);
    e->has_ab = n;
    e->a = a;
    e->b = b;
    e->file = file;
    e->line = line;
    return s;
}

void assay_errinfo_clear(assay_errinfo *e)
{
    if (e) memset(e, 0, sizeof *e);
}

char *assay_line_flatten(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    return text;
}

char *assay_errinfo_text(const assay_errinfo *e, char *out, size_t nbytes)
{
    char numbers[64] = "";
    if (nbytes == 0) return out;
    const char *words = e->has_ab == ASSAY_OS_ERROR ? assay_os_words(e->a) : NULL;
    if (words)
        (void)snprintf(numbers, sizeof numbers, " (%s)", words);
    else if (e->has_ab == ASSAY_OS_ERROR)
        (void)snprintf(numbers, sizeof numbers, " (error %" PRId64 ")", e->a);
    if (e->has_ab == 1) (void)snprintf(numbers, sizeof numbers, " (%" PRId64 ")", e->a);
    if (e->has_ab >= 2) (void)snprintf(numbers, sizeof numbers, " (%" PRId64 ", %" PRId64 ")", e->a, e->b);
    (void)snprintf(out, nbytes, "%s%s%s%s", e->subject, e->subject[0] ? ": " : "",
                   e->reason ? e->reason : assay_status_name(e->status), numbers);
    return assay_line_flatten(out);
}
