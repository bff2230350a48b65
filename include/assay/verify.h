/* SPDX-License-Identifier: Apache-2.0 */
/* Checking proofs. In libassay_verify and libassay: portable C, one thread, no input or output. */
#ifndef ASSAY_VERIFY_H
#define ASSAY_VERIFY_H

#include "assay/buffer.h"
#include "assay/policy.h"
#include "assay/request.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a client holds of one commitment. Immutable: any number of threads may check with one. */
typedef struct assay_verifier assay_verifier;

/* From the bytes of config/config.bin and ivk/ivk.bin, which may be hostile; they are copied. The configuration's
 * widths are checked here. *out is NULL on failure.
 * Errors: ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (unknown version), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_new(assay_verifier **out, const void *config, size_t n_config,
                                                         const void *ivk, size_t n_ivk, assay_errinfo *err);
/* NULL is fine. */
ASSAY_API void assay_verifier_free(assay_verifier *v);

/* The commitment's ID, recomputed from both files: 32 bytes, valid as long as v. Compare it with the one that you got
 * before you asked. */
ASSAY_API const uint8_t *assay_verifier_id(const assay_verifier *v);
/* SHA-256 of the tokenizer.json that belongs to the commitment: 32 bytes, valid as long as v. */
ASSAY_API const uint8_t *assay_verifier_tokenizer_hash(const assay_verifier *v);
/* The setting that the commitment was made with: 128 or 100. */
ASSAY_API unsigned assay_verifier_security(const assay_verifier *v);

/* Whether requests of n_tokens tokens are inside what the configuration was planned for (every inequality of the width
 * table, docs/model.md). ASSAY_ERANGE names the first that fails. A check needs no such call before it; a client's
 * acceptance rule asks for it (docs/cli.md, assay check). */
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_config_check(const assay_verifier *v, uint32_t n_tokens,
                                                                  assay_errinfo *err);

/* One round of the protocol and the bits of soundness it has; docs/soundness.md. */
typedef struct assay_round {
    char name[32];
    double bits; /* -log2 of its error; infinite when every position is opened */
} assay_round;

enum { ASSAY_MAX_ROUNDS = 32 };

/* What a proof shows of gaps (assay/policy.h): no token's is above `largest`, all together are not above `sum`, in
 * millionths of a nat rounded up, and at most `tokens` of the `checked` tokens have one. All zero but `checked` for an
 * exact proof. */
typedef struct assay_use {
    uint64_t largest, sum;
    uint32_t tokens, checked;
} assay_use;

/* The outcome of one check. */
typedef struct assay_report {
    assay_verdict verdict; /* ASSAY_REJECT unless everything held */
    char reason[320];      /* why it was rejected, one line of English; empty when accepted */
    assay_use use;         /* what an accepted proof shows of the reply's gaps */
    /* The error budget of this proof, as far as its shape is known; n_rounds = 0 if it is not. For display. */
    size_t n_rounds;
    assay_round rounds[ASSAY_MAX_ROUNDS];
    double worst, sum; /* bits of the worst round (a hash query), and of all errors of one interactive run together */
} assay_report;

/* Does this proof show that the model behind `id` gives this reply? The proof's bytes may be hostile.
 *
 * id            32 bytes: the commitment that the client expects; NULL: whichever v is
 * min_security  what the client insists on, 128 or 100: a commitment with a lower setting is rejected
 *
 * A status other than ASSAY_OK says that the check could not run (ASSAY_ENOMEM, ASSAY_EINVAL); the verdict is then
 * ASSAY_REJECT. A malformed proof is rejected with ASSAY_OK. Cost: for a small model about a tenth of a second and some
 * ten megabytes. */
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_check(const assay_verifier *v, assay_report *out,
                                                           const assay_request *request, const void *proof,
                                                           size_t n_proof, const uint8_t *id, unsigned min_security,
                                                           assay_errinfo *err);

/* The same from the bytes of the files F.req and F.y; malformed ones are rejected with ASSAY_OK. */
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_check_files(const assay_verifier *v, assay_report *out,
                                                                 const assay_buffer *req, const assay_buffer *next,
                                                                 const assay_buffer *proof, const uint8_t *id,
                                                                 unsigned min_security, assay_errinfo *err);

/* Both under a policy of the caller's; NULL: exact, as above. A proof is accepted if what it states implies the policy:
 * an exact proof implies every gap policy. What it states is bound into it; the policy is never read from it. */
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_check_within(const assay_verifier *v, assay_report *out,
                                                                  const assay_request *request, const void *proof,
                                                                  size_t n_proof, const uint8_t *id,
                                                                  unsigned min_security, const assay_policy *policy,
                                                                  assay_errinfo *err);
ASSAY_API ASSAY_MUST_USE assay_status assay_verifier_check_files_within(const assay_verifier *v, assay_report *out,
                                                                        const assay_buffer *req,
                                                                        const assay_buffer *next,
                                                                        const assay_buffer *proof, const uint8_t *id,
                                                                        unsigned min_security,
                                                                        const assay_policy *policy, assay_errinfo *err);

#ifdef __cplusplus
}
#endif
#endif
