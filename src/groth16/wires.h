/* SPDX-License-Identifier: Apache-2.0 */
/* The witness as the rows read it: the plain values, or packed, when most are small. Secret: class B of
 * docs/secrets.md. */
#ifndef ASSAY_GROTH16_WIRES_H
#define ASSAY_GROTH16_WIRES_H

#include "groth16/wtns.h"
#include <string.h>

enum { ASSAY_WIRES_BLOCK = 64, ASSAY_WIRES_WIDE = 255 };

typedef struct assay_wires {
    const assay_scalar *plain; /* borrowed; NULL: packed, as follows */
    void *memory;              /* own */
    uint64_t n_bytes;
    assay_scalar *wide; /* the values of 255 and more, in order */
    uint32_t *before;   /* of each block of 64 wires: wide ones before it */
    uint8_t *small;     /* of each wire: its value, or 255 */
} assay_wires;

/* Bytes of a witness that is packed: about one a wire, and 32 a value of 255 or more. Looks through w. */
uint64_t assay_wires_packed_bytes(const assay_wtns *w);

/* Packs w, which stays as it is. ASSAY_ENOMEM, *out is empty then. */
ASSAY_MUST_USE assay_status assay_wires_pack(assay_wires *out, const assay_wtns *w, assay_errinfo *err);
void assay_wires_clear(assay_wires *w); /* wipes */

/* The value of a wire, plain; false when it is 0. A wide one of a packed witness costs up to 64 steps. */
static inline bool assay_wires_get(assay_fr *v, const assay_wires *w, uint32_t i)
{
    if (w->plain) {
        memcpy(v->l, w->plain[i], sizeof v->l);
        return (v->l[0] | v->l[1] | v->l[2] | v->l[3]) != 0;
    }
    if (w->small[i] != ASSAY_WIRES_WIDE) {
        *v = (assay_fr){{w->small[i]}};
        return w->small[i] != 0;
    }
    uint32_t at = w->before[i / ASSAY_WIRES_BLOCK];
    for (uint32_t k = i / ASSAY_WIRES_BLOCK * ASSAY_WIRES_BLOCK; k < i; k++) at += w->small[k] == ASSAY_WIRES_WIDE;
    memcpy(v->l, w->wide[at], sizeof v->l);
    return true;
}

#endif
