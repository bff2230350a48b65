/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with one value of a checkpoint's configuration, in the same words for every format. */
#ifndef ASSAY_MODEL_VALUE_FAULT_H
#define ASSAY_MODEL_VALUE_FAULT_H

#include "assay/status.h"
#include <stdbool.h>
#include <stddef.h>

/* The reason to refuse it, with its status; NULL: none. there: the key is; needed: it must be. other_kind: the reason
 * when the value is not `of_kind`. inside: the value, or the one that stands for an absent one, is in its range. */
static inline const char *value_fault(assay_status *s, bool there, bool needed, bool of_kind, const char *other_kind,
                                      bool inside)
{
    *s = ASSAY_EFORMAT;
    if (there && !of_kind) return other_kind;
    if (!there && needed) return "is missing";
    *s = inside ? ASSAY_OK : ASSAY_ERANGE;
    return inside ? NULL : "is out of range";
}

#endif
