/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep measured, and what follows from it. */
#ifndef ASSAY_CLI_SWEEP_H
#define ASSAY_CLI_SWEEP_H

#include "base/bytes.h"

enum { ASSAY_SWEEP_POINTS = 256 };

/* One setting. */
typedef struct assay_sweep_point {
    unsigned partition_workers, gpu_workers;
    uint64_t peak; /* bytes of the daemon and all its processes, seen from outside */
    double seconds_per_proof, per_hour;
    size_t completed, failed;
} assay_sweep_point;

typedef struct assay_sweep {
    assay_sweep_point at[ASSAY_SWEEP_POINTS];
    size_t n;
} assay_sweep;

/* peak = baseline + slope * partition workers, by least squares over the points with so many GPU workers (0: all). */
typedef struct assay_sweep_fit {
    double baseline, slope; /* bytes, bytes a worker */
    double residual, worst; /* root of the mean square, and the largest, of what the line leaves; bytes */
    size_t n;               /* points; below two different numbers of workers there is no line, and slope is 0 */
} assay_sweep_fit;
assay_sweep_fit assay_sweep_fit_of(const assay_sweep *s, unsigned gpu_workers);

/* The setting for a machine with so much memory: the one of least memory among those that are within 1 % of the
 * quickest that fits nine tenths of it. NULL: none fits. */
const assay_sweep_point *assay_sweep_advise(const assay_sweep *s, uint64_t ram);

/* As a table with the fits and the advice, in Markdown; as CSV; as a picture. */
void assay_sweep_table(const assay_sweep *s, assay_writer *w);
void assay_sweep_csv(const assay_sweep *s, assay_writer *w);
void assay_sweep_svg(const assay_sweep *s, const char *title, assay_writer *w);

#endif
