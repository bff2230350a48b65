/* SPDX-License-Identifier: Apache-2.0 */
/* Verification keys, proofs and public values as the JSON of snarkjs, and the text for a Solidity verifier.
 *
 * Strict where being liberal makes two texts of one meaning: numbers are decimal strings without sign or leading zeros,
 * coordinates below q, public values below r, z exactly "1" (in G2 "1", "0"), no member twice, protocol "groth16".
 * Members that the format does not have are left alone; so is vk_alphabeta_12, which says nothing that alpha and beta
 * do not. */
#ifndef ASSAY_GROTH16_JSON_H
#define ASSAY_GROTH16_JSON_H

#include "base/bytes.h"
#include "groth16/vk.h"

/* Longest texts: of a key or of public values, and of a proof. A text takes up to 12 times its length in memory
 * while it is read: nodes of json_text.h, and what is read. */
enum { ASSAY_JSON_MAX_BYTES = 16 << 20, ASSAY_JSON_PROOF_MAX_BYTES = 1 << 16 };

/* name stands in messages. Cleared on failure. ASSAY_EFORMAT, ASSAY_ERANGE, ASSAY_EUNSUPPORTED (another curve or
 * protocol), ASSAY_ENOMEM. A key is checked by assay_vk_check, a proof by assay_proof_check; nPublic is the length of
 * IC less one. */
ASSAY_MUST_USE assay_status assay_vk_parse_json(assay_vk *vk, const char *name, const void *p, size_t n,
                                                assay_errinfo *err);
/* The same without assay_vk_check, whose time grows with IC: for the caller to do before the points are used. */
ASSAY_MUST_USE assay_status assay_vk_read_json(assay_vk *vk, const char *name, const void *p, size_t n,
                                               assay_errinfo *err);
/* curve: that of the key, which a proof that names another one does not fit; proofs of rapidsnark name none. NULL: the
 * proof must name it. */
ASSAY_MUST_USE assay_status assay_proof_parse_json(assay_proof *proof, const assay_curve *curve, const char *name,
                                                   const void *p, size_t n, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_publics_parse_json(assay_publics *out, const assay_curve *curve, const char *name,
                                                     const void *p, size_t n, assay_errinfo *err);

/* The bytes that snarkjs writes: one blank an indent, no line end at the end. The key with vk_alphabeta_12 (one
 * pairing). w.bad on failure. */
void assay_vk_json(assay_writer *w, const assay_vk *vk);
void assay_proof_json(assay_writer *w, const assay_proof *p);
void assay_publics_json(assay_writer *w, const assay_publics *p);

/* The arguments of verifyProof(...) as `snarkjs generatecall` prints them, without a line end. Of G2 the second
 * component comes first. ASSAY_EUNSUPPORTED for a curve other than BN254: the verifier contract of snarkjs is made for
 * no other. */
ASSAY_MUST_USE assay_status assay_calldata(assay_writer *w, const assay_proof *p, const assay_publics *publics,
                                           assay_errinfo *err);

#endif
