/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus's text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
#ifndef ASSAY_DAEMON_METRICS_H
#define ASSAY_DAEMON_METRICS_H

#include "base/bytes.h"

typedef enum assay_metric_type { ASSAY_COUNTER, ASSAY_GAUGE, ASSAY_HISTOGRAM } assay_metric_type;

typedef struct assay_metric_label {
    const char *name, *value;
} assay_metric_label;

/* All of these write to w, and set w->bad for what is no valid name, for a label given twice, for counters that do not
 * end in _total, and when there is no room. Values of labels may be any text; what is not UTF-8 becomes '?'. */

/* The lines # HELP and # TYPE of a family; its samples follow, before the next family. */
void assay_metric_family(assay_writer *w, const char *name, assay_metric_type type, const char *help);
/* One sample of a counter or a gauge. */
void assay_metric_sample(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n, double value);
void assay_metric_count(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n, uint64_t value);
/* A histogram: counts[i] observations at most bounds[i] (growing), counts[n_bounds] above all of them, and their sum.
 */
void assay_metric_histogram(assay_writer *w, const char *name, const assay_metric_label *labels, size_t n,
                            const double *bounds, const uint64_t *counts, size_t n_bounds, double sum);

#endif
