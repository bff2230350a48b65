/* SPDX-License-Identifier: Apache-2.0 */
/* The error budget of one proof, round by round; docs/soundness.md §5. For display: no decision depends on it. */
#ifndef ASSAY_CP_SOUNDNESS_H
#define ASSAY_CP_SOUNDNESS_H

#include <stddef.h>
#include <stdint.h>

struct assay_frame;

/* Public numbers that the table is a function of. */
typedef struct assay_soundness_inputs {
    uint32_t security, c, jb;
    uint64_t leaves;      /* of all instances */
    uint32_t coordinates; /* of the points drawn after the witness root */
    uint32_t n_hidden, n_products, n_claims;
} assay_soundness_inputs;
void assay_soundness_inputs_fill(assay_soundness_inputs *in, const struct assay_frame *f);

typedef struct assay_soundness_row {
    char name[32];
    double bits; /* -log2 of the round's error; infinite when every position is opened */
} assay_soundness_row;
enum { ASSAY_SOUNDNESS_ROWS = 32 };

/* Fills rows (ASSAY_SOUNDNESS_ROWS of room) and returns how many. worst: the least of them, bits a hash query; sum: all
 * errors of one interactive run added. The last row, SHA-256 collisions, is in neither. */
size_t assay_soundness_table(assay_soundness_row *rows, const assay_soundness_inputs *in, double *worst, double *sum);

#endif
