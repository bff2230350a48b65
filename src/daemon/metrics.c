/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus's text format. */
#include "daemon/metrics.h"
#include "base/utf8.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 200 };

static void put(assay_writer *w, const char *text)
{
    assay_write_bytes(w, text, strlen(text));
}

/* [a-zA-Z_:][a-zA-Z0-9_:]*, without colons for labels, which must not begin with two underscores either. */
static bool is_name(const char *p, bool label)
{
    if (label && strncmp(p, "__", 2) == 0) return false;
    for (size_t i = 0; p[i]; i++) {
        const bool letter =
            (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_' || (p[i] == ':' && !label);
        if (!letter && !(i > 0 && p[i] >= '0' && p[i] <= '9')) return false;
        if (i == NAME) return false;
    }
    return *p != '\0';
}

/* Text with backslashes, newlines and (in labels) quotes escaped. */
static void put_text(assay_writer *w, const char *text, bool quotes)
{
    for (; *text; text++) {
        const size_t n = assay_utf8_character(text);
        if (*text == '\n')
            put(w, "\\n");
        else if (*text == '\\' || (*text == '"' && quotes))
            assay_write_bytes(w, (const char[]){'\\', *text}, 2);
        else if (n == 0)
            put(w, "?");
        else {
            assay_write_bytes(w, text, n);
            text += n - 1;
        }
    }
}

/* The shortest of %.15g and %.17g that is read as the same number. */
static void put_number(assay_writer *w, double v)
{
    char text[40];
    if (isnan(v))
        (void)snprintf(text, sizeof text, "NaN");
    else if (isinf(v))
        (void)snprintf(text, sizeof text, v > 0 ? "+Inf" : "-Inf");
    else {
        (void)snprintf(text, sizeof text, "%.15g", v);
        if (strtod(text, NULL) != v) (void)snprintf(text, sizeof text, "%.17g", v);
    }
    put(w, text);
}

/* "name_suffix{a="b",le="bound"} "; suffix "" and bound NULL: none. */
static void put_series(assay_writer *w, const char *name, const char *suffix, const assay_metric_label *labels,
                       size_t n, const double *bound)
{
    if (!is_name(name, false)) w->bad = true;
    put(w, name);
    put(w, suffix);
    if (n || bound) put(w, "{");
    for (size_t i = 0; i < n; i++) {
        if (!is_name(labels[i].name, true) || (bound && strcmp(labels[i].name, "le") == 0)) w->bad = true;
        for (size_t k = 0; k < i; k++)
            if (strcmp(labels[k].name, labels[i].name) == 0) w->bad = true;
        put(w, i ? "," : "");
        put(w, labels[i].name);
        put(w, "=\"");
        put_text(w, labels[i].value, true);
        put(w, "\"");
    }
    if (bound) {
        put(w, n ? ",le=\"" : "le=\"");
        put_number(w, *bound);
        put(w, "\"");
    }
    put(w, n || bound ? "} " : " ");
}

void assay_metric_family(assay_writer *w, const char *name, assay_metric_type type, const char *help)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    const size_t n = strlen(name);
    if (!is_name(name, false)) w->bad = true;
    if (type == ASSAY_COUNTER && (n < 6 || strcmp(name + n - 6, "_total") != 0)) w->bad = true;
    put(w, "# HELP ");
    put(w, name);
    put(w, " ");
    put_text(w, help, false);
    put(w, "\n# TYPE ");
    put(w, name);
    put(w, " ");
    put(w, types[type]);
    put(w, "\n");
}

void assay_metric_sample(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n, double value)
{
    put_series(w, name, "", labels, n, NULL);
    put_number(w, value);
    put(w, "\n");
}

void assay_metric_count(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n, uint64_t value)
{
    char text[24];
    put_series(w, name, "", labels, n, NULL);
    (void)snprintf(text, sizeof text, "%" PRIu64 "\n", value);
    put(w, text);
}

void assay_metric_histogram(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n,
                            const double *bounds, const uint64_t *counts, size_t n_bounds, double sum)
{
    const double infinite = INFINITY;
    uint64_t total = 0;
    char text[24];
    for (size_t i = 0; i <= n_bounds; i++) {
        if (i > 0 && i < n_bounds && bounds[i] <= bounds[i - 1]) w->bad = true;
        total += counts[i];
        put_series(w, name, "_bucket", labels, n, i < n_bounds ? &bounds[i] : &infinite);
        (void)snprintf(text, sizeof text, "%" PRIu64 "\n", total);
        put(w, text);
    }
    put_series(w, name, "_sum", labels, n, NULL);
    put_number(w, sum);
    put(w, "\n");
    put_series(w, name, "_count", labels, n, NULL);
    put(w, text);
}
