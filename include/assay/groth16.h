/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16 on BN254 and BLS12-381, in the files of snarkjs: set-up, proving, checking. In libassay. docs/groth16.md.
 *
 * Keys, witnesses and proofs may come from strangers. A proof leaves assay_groth16_prove only after it was checked
 * under the key's own verification key. Witnesses and blinding are wiped. */
#ifndef ASSAY_GROTH16_H
#define ASSAY_GROTH16_H

#include "assay/buffer.h"
#include "assay/progress.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- proving keys */

/* An open proving key. Read-only: any number of threads may prove with one at once. */
typedef struct assay_groth16_key assay_groth16_key;

/* A development key is one whose proofs anybody may be able to forge: gamma = delta (a set-up without a second phase),
 * or marked so in the file by a program that knew the trapdoor. */
typedef struct assay_groth16_open_options {
    int allow_development;   /* open a key with gamma = delta that is not marked; refused otherwise */
    int resident;            /* read and check all of it now and keep it in memory, so that proofs start at once */
    unsigned threads;        /* for that; 0: one per available processor */
    assay_progress progress; /* for that */
} assay_groth16_open_options;

/* Opens a .zkey file and checks its header, its points and the sections' sizes. What is large stays in the file, which
 * is read, and checked, by every proof; with `resident` it is read once. The file must not change while the key is
 * open: one that is cut or altered gives errors, no more. options may be NULL. *out is NULL on failure. Errors:
 * ASSAY_EIO, ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (another protocol or curve, a development key),
 * ASSAY_ECANCELED, ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_key_open(assay_groth16_key **out, const char *path,
                                                             const assay_groth16_open_options *options,
                                                             assay_errinfo *err);
/* NULL is fine. No proof may be in the making. */
ASSAY_API void assay_groth16_key_free(assay_groth16_key *key);

typedef struct assay_groth16_key_info {
    const char *curve; /* "BN254", "BLS12-381" */
    uint32_t n_wires;  /* with the constant 1 */
    uint32_t n_public; /* without */
    uint32_t domain;   /* a power of two, above the number of constraints */
    uint32_t n_coefs;  /* of the matrices A and B */
    int development;   /* see above */
    int marked;        /* the mark of a development key is in the file */
    uint64_t n_bytes;  /* of the file */
    uint64_t resident; /* bytes held in memory by a resident key, 0 for another */
} assay_groth16_key_info;
ASSAY_API void assay_groth16_key_describe(const assay_groth16_key *key, assay_groth16_key_info *out);

/* verification_key.json as snarkjs writes it. On failure *out is empty. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_export_vkey(const assay_groth16_key *key, assay_buffer *out,
                                                                assay_errinfo *err);

/* ---- proving */

typedef struct assay_groth16_prove_options {
    unsigned threads;        /* of this proof; 0: one per available processor */
    uint64_t memory;         /* bytes at most, as assay_groth16_plan counts them; 0: what is quickest */
    const char *r1cs;        /* the circuit: the witness is checked against it first, within `memory`. NULL: not */
    const char *sym;         /* names for that check's message; may be NULL */
    assay_progress progress; /* told from the calling thread */
} assay_groth16_prove_options;

/* Proves with a witness: the n bytes of a .wtns file, or one by its path. proof and publics are proof.json and
 * public.json as snarkjs writes them; both empty on failure. options may be NULL. Every call has threads of its own.
 * Cost: docs/groth16.md. The time depends on the witness.
 * Errors: ASSAY_EUNSATISFIED (the witness breaks a constraint of the circuit, or the proof made of it does not verify:
 * err says which, and the likely cause), ASSAY_EFORMAT, ASSAY_ERANGE (witness or key), ASSAY_ENOMEM (also when `memory`
 * is too little: err has both numbers in MiB), ASSAY_ECANCELED, ASSAY_EIO. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_prove(const assay_groth16_key *key, assay_buffer *proof,
                                                          assay_buffer *publics, const void *wtns, size_t n,
                                                          const assay_groth16_prove_options *options,
                                                          assay_errinfo *err);
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_prove_file(const assay_groth16_key *key, assay_buffer *proof,
                                                               assay_buffer *publics, const char *wtns_path,
                                                               const assay_groth16_prove_options *options,
                                                               assay_errinfo *err);

/* What a process that makes one proof takes in memory, stage by stage, without a resident key's bytes. */
enum { ASSAY_GROTH16_STAGES = 8 };
typedef struct assay_groth16_stage {
    const char *name; /* as progress names it */
    uint64_t n_bytes;
} assay_groth16_stage;
typedef struct assay_groth16_plan {
    size_t n_stages;
    assay_groth16_stage stage[ASSAY_GROTH16_STAGES];
    uint64_t peak;  /* the largest */
    uint64_t least; /* the least `memory` in which a proof with this key can be made of any witness; one of small values
                     * (below 255, most of them) takes less, which only proving finds out */
} assay_groth16_plan;

/* memory: as in the options. ASSAY_ENOMEM when it is below `least`; *out is filled then too. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_plan_make(assay_groth16_plan *out, const assay_groth16_key *key,
                                                              uint64_t memory, unsigned threads, assay_errinfo *err);

/* ---- checking. Everything is public. */

typedef struct assay_groth16_report {
    assay_verdict verdict; /* ASSAY_REJECT unless everything held */
    char reason[320];      /* why it was rejected, one line of English; empty when accepted */
    int development;       /* the key is a development key, and says so: acceptance means nothing */
} assay_groth16_report;

/* Does the proof show that somebody knows a witness with these public values? From the bytes of verification_key.json,
 * public.json and proof.json, all possibly hostile; every point is checked to be in its group. A key with gamma = delta
 * is rejected unless allow_development. Public values or a proof that are malformed are rejected with ASSAY_OK; a key
 * that is malformed is an error: ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED; ASSAY_ENOMEM. Cost: a few ms, and for
 * each point of IC, whose number the key's maker chooses, a check of its group and a multiplication by the public value
 * (together 0.02 ms on BN254, 0.08 ms on BLS12-381 with ADX, about twice that without); points are checked only when
 * there are as many public values. Texts of at most 16 MiB (the proof 64 KiB) take up to 12 times their length in
 * memory. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_verify(assay_groth16_report *out, const void *vkey, size_t n_vkey,
                                                           const void *publics, size_t n_publics, const void *proof,
                                                           size_t n_proof, int allow_development, assay_errinfo *err);

/* The same in the formats of bellperson (Filecoin, BLS12-381): a .vk file, a proof of 192 bytes, and n_inputs bytes of
 * public values, 32 each, little-endian as bellperson's repr. Of a key whose length is
 * that of another number of public values nothing is looked at. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_verify_bellman(assay_groth16_report *out, const void *vk,
                                                                   size_t n_vk, const void *inputs, size_t n_inputs,
                                                                   const void *proof, size_t n_proof,
                                                                   int allow_development, assay_errinfo *err);

/* The arguments of the Solidity verifier of snarkjs, as `snarkjs generatecall` prints them. The proof is not checked,
 * its points are. On failure *out is empty. ASSAY_EUNSUPPORTED for a proof not on BN254. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_export_calldata(assay_buffer *out, const void *publics,
                                                                    size_t n_publics, const void *proof, size_t n_proof,
                                                                    assay_errinfo *err);

/* ---- circuits */

typedef struct assay_groth16_circuit_options {
    unsigned threads; /* 0: one per available processor */
    assay_progress progress;
} assay_groth16_circuit_options;

/* Makes a proving key for a circuit and writes it to out_path, whole or not at all. With powers of tau (a .ptau file
 * after `prepare phase2`) it is the key that `snarkjs groth16 setup` makes, before the first contribution: gamma =
 * delta, to be contributed to before use. ptau NULL: an insecure development key with a trapdoor of this program, which
 * the file is marked with; for BN254 or BLS12-381, as the circuit's prime says. options may be NULL. Memory: the
 * circuit's terms (8 bytes each), 200 bytes a wire, and with ptau 450 bytes a constraint. Errors: ASSAY_EIO,
 * ASSAY_EFORMAT, ASSAY_ERANGE (a circuit larger than the ptau or the curve allows: err has both), ASSAY_EUNSUPPORTED,
 * ASSAY_ECANCELED, ASSAY_ENOMEM. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_setup(const char *r1cs, const char *ptau, const char *out_path,
                                                          const assay_groth16_circuit_options *options,
                                                          assay_errinfo *err);

/* Does the witness satisfy the circuit? On rejection the reason has the number of the first violated constraint, from
 * 0, and the wires in it, by name where sym (may be NULL) knows them; no values. */
ASSAY_API ASSAY_MUST_USE assay_status assay_groth16_check_witness(assay_groth16_report *out, const char *r1cs,
                                                                  const char *wtns, const char *sym,
                                                                  const assay_groth16_circuit_options *options,
                                                                  assay_errinfo *err);

#ifdef __cplusplus
}
#endif
#endif
