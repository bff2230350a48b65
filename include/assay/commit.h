/* SPDX-License-Identifier: Apache-2.0 */
/* Committing to a model: the provider's side. In libassay. A commitment's object and its secret files hold the weights
 * and the key that hides them; the library wipes its memory of them. */
#ifndef ASSAY_COMMIT_H
#define ASSAY_COMMIT_H

#include "assay/buffer.h"
#include "assay/progress.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A committed model, ready to reply and to prove (assay/prove.h). One thread at a time may use one. */
typedef struct assay_commitment assay_commitment;

typedef struct assay_commit_options {
    unsigned security;       /* 128 or 100; 0: 128 */
    uint64_t lifetime;       /* proofs that may be made with this commitment, at least; 0: 1000. At most 2^20 */
    const char *calibration; /* text file for the importer; NULL: the folder's calibration.txt, or a built-in text */
    unsigned threads;        /* 0: one per available processor */
    assay_progress progress;
} assay_commit_options;

/* Reads a Hugging Face folder (config.json, model.safetensors, tokenizer.json), makes its integers, and commits to them
 * with fresh secrets. options may be NULL. *out is NULL on failure.
 * Memory: twice the checkpoint, and eight bytes a weight.
 * Errors: ASSAY_EIO, ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (another kind of model), ASSAY_EINVAL (an option),
 * ASSAY_ECANCELED, ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_make(assay_commitment **out, const char *model_folder,
                                                            const assay_commit_options *options, assay_errinfo *err);
/* Wipes; gives back the commitment's lock. NULL is fine. */
ASSAY_API void assay_commitment_free(assay_commitment *c);

/* Writes the folder of docs/formats.md: config/ and ivk/ and ID.txt for everyone, isk/ and model/ for nobody else (mode
 * 0700). It appears whole or not at all. A folder with something in it is refused, unless `replace` is set and it holds
 * a commitment, which is then removed.
 * Errors: ASSAY_EIO (no space, not permitted, there already), ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_save(const assay_commitment *c, const char *folder, int replace,
                                                            assay_errinfo *err);

/* Whether assay_commitment_save would refuse the folder as it is now: to be asked before the work of committing. Writes
 * nothing that stays. Errors: as there; ASSAY_EBUSY when the commitment that would be replaced is in use. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_may_save(const char *folder, int replace, assay_errinfo *err);

/* Everything in memory: what assay_commitment_save writes, file by file. The last three are secret. `spent` is the
 * number of proofs made; whoever keeps these parts must keep it up to date before a proof leaves, or the weights are
 * not hidden any more. */
typedef struct assay_commitment_parts {
    assay_buffer config, tokenizer, ivk;
    assay_buffer key, weights, tree;
    uint64_t spent;
} assay_commitment_parts;

/* On failure *out is empty. */
ASSAY_API ASSAY_MUST_USE assay_status assay_commitment_export(const assay_commitment *c, assay_commitment_parts *out,
                                                              assay_errinfo *err);
ASSAY_API void assay_commitment_parts_free(assay_commitment_parts *parts);

/* 32 bytes, valid as long as c. */
ASSAY_API const uint8_t *assay_commitment_id(const assay_commitment *c);

/* One kind of accumulator of the integer model: how large it could become, whatever the input (docs/model.md, "Range").
 * A statement about the weights, not proved, and not to be published. */
typedef struct assay_range {
    char name[24];
    double by_sum, by_norm; /* log2 of two bounds */
    double limit;           /* log2 of the least value that would leave the field */
    int excluded;           /* the better bound is below the limit: no input can reach it */
} assay_range;

/* Fills at most max of them and returns how many there are. One pass over the weights. */
ASSAY_API size_t assay_commitment_ranges(const assay_commitment *c, assay_range *out, size_t max);

#ifdef __cplusplus
}
#endif
#endif
