/* SPDX-License-Identifier: Apache-2.0 */
/* Several byte strings as one: inputs and results as the queue keeps them and as processes hand them over. */
#ifndef ASSAY_ENGINE_BLOB_LIST_CODEC_H
#define ASSAY_ENGINE_BLOB_LIST_CODEC_H

#include "assay/buffer.h"
#include "engine/job.h"

/* On failure *out is empty. ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_blobs_pack(assay_buffer *out, const assay_blob *blobs, size_t n, assay_errinfo *err);
/* Fills at most max blobs that point into p; *n is how many there are. Errors: ASSAY_EFORMAT, ASSAY_ERANGE (more than
 * max). */
ASSAY_MUST_USE assay_status assay_blobs_unpack(assay_blob *out, size_t max, size_t *n, const uint8_t *p, size_t n_bytes,
                                               assay_errinfo *err);
/* SHA-256 over kind, subject and inputs: two jobs of one id are the same if this is. */
void assay_job_digest(uint8_t out[32], const assay_job_spec *spec);

#endif
