/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the library hands out. */
#ifndef ASSAY_BUFFER_H
#define ASSAY_BUFFER_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n bytes at p. A function that fills one overwrites what was in it without freeing. */
typedef struct assay_buffer {
    uint8_t *p;
    size_t n;
} assay_buffer;

/* Wipes, frees and empties. NULL and empty buffers are fine. */
ASSAY_API void assay_buffer_free(assay_buffer *b);

/* n token ids at p. */
typedef struct assay_ids {
    uint32_t *p;
    size_t n;
} assay_ids;

ASSAY_API void assay_ids_free(assay_ids *ids);

#ifdef __cplusplus
}
#endif
#endif
