/* SPDX-License-Identifier: Apache-2.0 */
/* The secret files of a commitment as bytes; docs/formats.md. Files of a folder may come from a damaged
 * disk or another commitment, so they are read like hostile ones. */
#ifndef ASSAY_CP_STORE_CODEC_H
#define ASSAY_CP_STORE_CODEC_H

#include "base/bytes.h"
#include "cp/id_codec.h"
#include "cp/public.h"

enum { ASSAY_KEY_FILE = 116, ASSAY_COUNTER_FILE = 20 };

/* isk/key.bin. Secret (class A): wipe it. */
typedef struct assay_secret_key {
    uint8_t id[ASSAY_ID_BYTES]; /* of the commitment that it belongs to */
    uint8_t weights_digest[32]; /* SHA-256 of model/weights.bin */
    uint8_t seed[32];           /* random slots and salts of the weight tree; part of each proof's randomness */
    uint64_t lifetime;          /* proofs that the slots cover */
} assay_secret_key;

void assay_secret_key_encode(uint8_t out[ASSAY_KEY_FILE], const assay_secret_key *k);
ASSAY_MUST_USE assay_status assay_secret_key_decode(assay_secret_key *k, const uint8_t *p, size_t n,
                                                    assay_errinfo *err);

/* isk/counter: proofs written off. */
void assay_counter_encode(uint8_t out[ASSAY_COUNTER_FILE], uint64_t spent);
ASSAY_MUST_USE assay_status assay_counter_decode(uint64_t *spent, const uint8_t *p, size_t n, assay_errinfo *err);

/* Head of model/tree.bin; the bytes of assay_matrix_save follow. Decoding leaves r there. */
void assay_tree_head_encode(assay_writer *w);
ASSAY_MUST_USE assay_status assay_tree_head_decode(assay_reader *r, assay_errinfo *err);

/* Proofs that 2^a - 1 random slots cover; docs/hiding.md. */
uint64_t assay_proofs_covered(const assay_commit_params *p);

#endif
