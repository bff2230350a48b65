/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the buffers of the public interface (assay/buffer.h). */
#ifndef ASSAY_BASE_BUFFER_H
#define ASSAY_BASE_BUFFER_H

#include "assay/buffer.h"
#include "base/bytes.h"

/* Moves a writer's bytes into *b; the writer is then empty. ASSAY_ENOMEM if the writer is bad (it is then cleared). */
ASSAY_MUST_USE assay_status assay_buffer_take(assay_buffer *b, assay_writer *w, const char *what, assay_errinfo *err);
/* A copy of n bytes. */
ASSAY_MUST_USE assay_status assay_buffer_copy(assay_buffer *b, const void *p, size_t n, const char *what,
                                              assay_errinfo *err);

#endif
