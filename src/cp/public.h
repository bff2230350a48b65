/* SPDX-License-Identifier: Apache-2.0 */
/* What a commitment publishes, and requests: the values, their identity, their files (docs/formats.md). */
#ifndef ASSAY_CP_PUBLIC_H
#define ASSAY_CP_PUBLIC_H

#include "cp/shape.h"

enum {
    ASSAY_ID_BYTES = 32,
    ASSAY_MAX_CONTEXT = 64,
    ASSAY_MAX_TOKENS = 1 << 17,
    ASSAY_MAX_PUBLIC_FILE = 1 << 20,
    ASSAY_MAX_TOKENIZER_FILE = 1 << 25,
    ASSAY_MAX_PROOF_FILE = 1 << 26
};

/* Everything a verifier has of a model: config/config.bin and ivk/ivk.bin. */
typedef struct assay_public {
    assay_model_config cfg;
    uint8_t cfg_hash[32], tokenizer_hash[32];
    assay_commit_params params;
    uint8_t root[32];
    uint8_t id[ASSAY_ID_BYTES]; /* SHA-256 over all of it */
} assay_public;
void assay_public_clear(assay_public *p);
/* Fills cfg_hash and id from the rest. */
ASSAY_MUST_USE assay_status assay_public_identify(assay_public *p, assay_errinfo *err);

void assay_config_encode(assay_writer *w, const assay_public *p);
void assay_ivk_encode(assay_writer *w, const assay_public *p);
/* Both files, untrusted: checked, identified. On failure *p is empty. */
ASSAY_MUST_USE assay_status assay_public_decode(assay_public *p, const uint8_t *config, size_t n_config,
                                                const uint8_t *ivk, size_t n_ivk, assay_errinfo *err);

/* The same from a commitment's folder. Errors: ASSAY_EIO too. */
ASSAY_MUST_USE assay_status assay_public_read(assay_public *p, const char *folder, assay_errinfo *err);

/* config.bin alone: cfg and tokenizer_hash are filled. */
ASSAY_MUST_USE assay_status assay_config_decode(assay_public *p, const uint8_t *config, size_t n, assay_errinfo *err);

/* A request: the prompt's tokens, the reply's, and the token after them. */
typedef struct assay_request {
    uint32_t n_prompt, n_tokens;
    uint32_t *ids; /* n_tokens + 1: the last one is y */
    uint8_t context[ASSAY_MAX_CONTEXT];
    uint32_t n_context;
} assay_request;
ASSAY_MUST_USE assay_status assay_request_new(assay_request *r, const uint32_t *ids, uint32_t n_prompt,
                                              uint32_t n_tokens, uint32_t y, const void *context, size_t n_context,
                                              assay_errinfo *err);
void assay_request_clear(assay_request *r);
void assay_request_encode(assay_writer *w, const assay_request *r);
void assay_next_token_encode(assay_writer *w, uint32_t y);
/* F.req and F.y, untrusted; token ids are checked against a vocabulary later (assay_request_check). */
ASSAY_MUST_USE assay_status assay_request_decode(assay_request *r, const uint8_t *req, size_t n_req, const uint8_t *y,
                                                 size_t n_y, assay_errinfo *err);
/* Whether this model can be asked this at all: lengths and ids. */
ASSAY_MUST_USE assay_status assay_request_check(const assay_request *r, const assay_model_config *cfg,
                                                assay_errinfo *err);

/* What a proof states, as the statement block and the header of a proof have it: le32 policy, and under the gap policy
 * le32 most, sum, count. */
void assay_gap_bounds_encode(assay_writer *w, const assay_gap_bounds *gap);
/* Header of a proof file; the body is the proof. Version 1 under the exact policy, else version 2 with the bounds. */
void assay_proof_header_encode(assay_writer *w, const assay_gap_bounds *gap, size_t n_body);
/* Points body at the proof's bytes inside p; the bounds are as stated, unchecked. */
ASSAY_MUST_USE assay_status assay_proof_header_decode(const uint8_t *p, size_t n, assay_gap_bounds *gap,
                                                      const uint8_t **body, size_t *n_body, assay_errinfo *err);

#endif
