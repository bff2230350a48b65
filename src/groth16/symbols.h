/* SPDX-License-Identifier: Apache-2.0 */
/* Names of signals, from the file .sym that circom writes: lines `label,wire,component,name`, wire -1 for signals that
 * the compiler took out. */
#ifndef ASSAY_GROTH16_SYMBOLS_H
#define ASSAY_GROTH16_SYMBOLS_H

#include "base/status.h"
#include "groth16/source.h"
#include <stddef.h>
#include <stdint.h>

enum { ASSAY_SYMBOL_BYTES = 200 }; /* a longer name is cut */

typedef struct assay_symbol {
    uint32_t wire;                 /* in: which wire */
    char name[ASSAY_SYMBOL_BYTES]; /* out: its name, the first in the file; "" when it has none. Printable, one line */
} assay_symbol;

/* Names for n wires, in one pass over the file with no memory but a buffer. ASSAY_EFORMAT names the line. */
ASSAY_MUST_USE assay_status assay_symbols_find(assay_symbol *symbol, size_t n, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_symbols_find_in(assay_symbol *symbol, size_t n, const assay_source *source,
                                                  assay_errinfo *err);

#endif
