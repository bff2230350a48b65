/* SPDX-License-Identifier: Apache-2.0 */
/* How long a proof will be. */
#ifndef ASSAY_CP_PROOF_SIZE_H
#define ASSAY_CP_PROOF_SIZE_H

#include "cp/protocol.h"

/* Bytes of F.proof, from public numbers. Opened positions are random, and the siblings that they share differ from
 * proof to proof: this is the mean, within two parts in a hundred. */
uint64_t assay_cp_proof_bytes(const assay_frame *f);
/* Bytes of the body without any sibling: a shorter one is no proof, whatever stands in it. After assay_frame_plan. */
uint64_t assay_cp_proof_least(const assay_frame *f);

#endif
