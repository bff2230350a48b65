/* SPDX-License-Identifier: Apache-2.0 */
/* The Fiat-Shamir transcript (docs/protocol.md, "Transcript"): a chain of SHA-256, every message with its label and
 * length.
 *
 *   init        state = SHA-256("assay transcript 1")
 *   absorb      state = SHA-256(state || u8 len(label) || label || le64 n || data)
 *   challenge   absorb(label, "challenge"), then the words of SHA-256(state || "out" || le32 ctr), ctr = 0, 1, ...,
 *               little-endian, masked to 31 bits
 *
 * Labels are constants of the protocol, at most 255 characters. */
#ifndef ASSAY_HASH_TRANSCRIPT_H
#define ASSAY_HASH_TRANSCRIPT_H

#include "field/k.h"
#include <stddef.h>
#include <stdint.h>

typedef struct assay_transcript {
    uint8_t state[32];
} assay_transcript;

void assay_transcript_init(assay_transcript *t);

void assay_transcript_absorb(assay_transcript *t, const char *label, const void *data, size_t n);
/* The same bytes as absorb of the little-endian words: 4 n of them, or 24 n. */
void assay_transcript_absorb_f(assay_transcript *t, const char *label, const uint32_t *x, size_t n);
void assay_transcript_absorb_k(assay_transcript *t, const char *label, const kel *x, size_t n);
void assay_transcript_absorb_u64(assay_transcript *t, const char *label, uint64_t x); /* eight bytes */

/* n uniform elements of K: six consecutive words each, words equal to p dropped. */
void assay_transcript_challenge_k(assay_transcript *t, const char *label, kel *out, size_t n);

/* min(count, 2^log_size) distinct positions below 2^log_size, ascending; log_size <= 31. Words are taken modulo the
 * size and repeats dropped; when count >= 2^log_size all positions are returned. *n_out is how many were written. */
void assay_transcript_challenge_positions(assay_transcript *t, const char *label, unsigned log_size, size_t count,
                                          uint64_t *out, size_t *n_out);

#endif
