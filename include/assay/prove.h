/* SPDX-License-Identifier: Apache-2.0 */
/* Replying and proving with a committed model. In libassay. */
#ifndef ASSAY_PROVE_H
#define ASSAY_PROVE_H

#include "assay/buffer.h"
#include "assay/commit.h"
#include "assay/policy.h"
#include "assay/progress.h"
#include "assay/request.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_open_options {
    unsigned threads; /* 0: one per available processor */
    int reply_only;   /* only replies will be asked for: no lock is taken, the tree is not read */
    int wait;         /* wait for another prover's lock instead of ASSAY_EBUSY */
    uint64_t skip;    /* proofs to write off first: a margin after the folder was restored from a backup */
    /* This machine is replica `share` (1 .. shares) of `shares` that hold copies of the folder, each with its own
     * counter: it makes at most its part of the lifetime. 0 and 0: the only one. */
    unsigned share, shares;
    unsigned reserve; /* proofs written off at once; what is left of them at the end is lost. 0: 8 */
} assay_open_options;

/* Opens a folder made by assay_commitment_save, checks that its files belong together, and takes its lock, which is
 * held until assay_commitment_free. options may be NULL. *out is NULL on failure.
 * Errors: ASSAY_EIO (missing or unreadable file), ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED, ASSAY_EBUSY,
 * ASSAY_EINVAL (an option), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_open(assay_commitment **out, const char *folder,
                                                            const assay_open_options *options, assay_errinfo *err);

/* The same from memory; the parts may be freed afterwards. No lock, and the counter is the caller's to keep. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_load(assay_commitment **out, const assay_commitment_parts *parts,
                                                            unsigned threads, assay_errinfo *err);

/* Proofs made, or written off, and how many may be made in all. Either pointer may be NULL. */
ASSAY_API void assay_commitment_count(const assay_commitment *c, uint64_t *spent, uint64_t *allowed);

/* Runs the integer model greedily on prompt[n_prompt]: up to n_new tokens, ending after a stop token. *out holds
 * prompt, reply and the token after them. ASSAY_ENORESULT: the integer model has no result here (docs/model.md). Other
 * errors: ASSAY_ERANGE (a token outside the vocabulary, an empty or over-long prompt), ASSAY_ECANCELED (see
 * assay_commitment_watch), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_reply(assay_commitment *c, assay_request **out,
                                                             const uint32_t *prompt, uint32_t n_prompt, uint32_t n_new,
                                                             const void *context, size_t n_context, assay_errinfo *err);

/* Who is told of the replies that follow (assay_commitment_reply), and may cancel them: done is the share of n_prompt +
 * n_new tokens that the model has run. Copied; NULL: nobody. */
ASSAY_API void assay_commitment_watch(assay_commitment *c, const assay_progress *progress);

/* Proves that the reply in `request` is this model's. proof: the bytes of F.proof, nothing in them is secret; empty on
 * failure. One proof is written off, on disk and synced if the commitment lies in a folder, before this returns
 * ASSAY_OK. progress may be NULL. Randomness comes from the operating system. Errors: ASSAY_ENORESULT (the model has
 * none, or another reply), ASSAY_ERANGE, ASSAY_EEXHAUSTED (the lifetime is over), ASSAY_ECANCELED, ASSAY_EIO,
 * ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_prove(assay_commitment *c, assay_buffer *proof,
                                                             const assay_request *request,
                                                             const assay_progress *progress, assay_errinfo *err);

/* Proves n >= 1 requests in one call: proofs[i] is that of requests[i], as assay_commitment_prove would make it. They
 * share one pass over the weights, which is most of a short proof's cost for a large model. All or none: on failure all
 * buffers are empty, and *failed (which may be NULL) is the number of the request that the error belongs to, 0 if to
 * none. n proofs are written off. Memory: that of the largest proof, and for every other one its committed rows. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_prove_many(assay_commitment *c, assay_buffer *proofs,
                                                                  const assay_request *const *requests, size_t n,
                                                                  size_t *failed, const assay_progress *progress,
                                                                  assay_errinfo *err);

/* assay_commitment_prove_many for replies that are the model's only within a policy, such as those of a floating-point
 * engine: each proof states how near its reply is, rounded up to sixteenths of a nat but no more than the policy.
 * ASSAY_ENORESULT before any proof is spent if a gap, or their sum, is above the policy; err names the token, its gap
 * and the limit. ASSAY_EUNSUPPORTED: no gaps are defined for this model (docs/model.md). policy NULL: exact. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_prove_within(assay_commitment *c, assay_buffer *proofs,
                                                                    const assay_request *const *requests, size_t n,
                                                                    const assay_policy *policy, size_t *failed,
                                                                    const assay_progress *progress, assay_errinfo *err);

#ifdef __cplusplus
}
#endif
#endif
