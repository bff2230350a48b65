/* SPDX-License-Identifier: Apache-2.0 */
/* One text for both parties: a channel carries messages from prover to verifier and challenges back (Fiat-Shamir).
 * The prover writes proof bytes and absorbs them; the verifier reads the same bytes, refuses what is not canonical,
 * and absorbs them. The planner counts messages and sees no bytes.
 *
 * Failures are sticky: after the first one every read gives zeros, and the end of the protocol asks `ok`. Loops never
 * depend on bytes read, only on public shapes, so a failed channel still terminates in the same number of steps. */
#ifndef ASSAY_COMMIT_CHANNEL_H
#define ASSAY_COMMIT_CHANNEL_H

#include "base/bytes.h"
#include "field/k.h"
#include "hash/transcript.h"
#include <stdbool.h>

typedef enum assay_role { ASSAY_PLAN, ASSAY_PROVE, ASSAY_VERIFY } assay_role;

/* Test hooks. k, bytes: called by the prover with each message before it is written; may change it. challenge: called
 * before challenges or positions are drawn; may set the transcript, so that they depend on what the test wants. */
typedef struct assay_tamper {
    void (*k)(void *ctx, const char *label, kel *v, size_t n);
    void (*bytes)(void *ctx, const char *label, uint8_t *p, size_t n);
    void *ctx;
    void (*challenge)(void *ctx, const char *label, assay_transcript *tr);
} assay_tamper;

typedef struct assay_channel {
    assay_role role;
    assay_transcript tr;
    assay_writer *out;          /* prover; borrowed */
    assay_reader *in;           /* verifier; borrowed */
    const assay_tamper *tamper; /* tests only; NULL in production */
    const char *reject;         /* verifier: static text of the first reason to reject; NULL while none */
    assay_status status;        /* first failure of the environment */
} assay_channel;

void assay_channel_init(assay_channel *ch, assay_role role, assay_writer *out, assay_reader *in);

/* n elements of K in clear. Prover: v goes out. Verifier: v is filled. Both absorb under the label. Planner: zeros. */
void assay_channel_k(assay_channel *ch, const char *label, kel *v, size_t n);
/* n raw bytes (a root), absorbed under the label. */
void assay_channel_bytes(assay_channel *ch, const char *label, uint8_t *p, size_t n);
/* Bytes of an opening, which are not absorbed (commit/matrix.h). Prover: appends. Verifier: the next n bytes, borrowed,
 * or NULL once the proof is rejected or too short (which rejects it). */
void assay_channel_write(assay_channel *ch, const uint8_t *p, size_t n);
const uint8_t *assay_channel_read(assay_channel *ch, size_t n);
/* Bytes that both parties know already (the statement block). */
void assay_channel_absorb(assay_channel *ch, const char *label, const void *p, size_t n);

void assay_channel_challenges(assay_channel *ch, const char *label, kel *out, size_t n);
kel assay_channel_challenge(assay_channel *ch, const char *label);
/* t distinct positions below 2^log_size, ascending (all when t >= 2^log_size); returns how many. out holds t. */
size_t assay_channel_positions(assay_channel *ch, const char *label, unsigned log_size, size_t t, uint64_t *out);

/* Verifier: sets the first reason unless cond. Prover and planner: nothing. */
void assay_channel_check(assay_channel *ch, bool cond, const char *why);
/* Remembers the first failure of the environment (out of memory, a device), of either party. */
void assay_channel_fail(assay_channel *ch, assay_status s);
static inline bool channel_ok(const assay_channel *ch)
{
    return !ch->reject && ch->status == ASSAY_OK;
}

#endif
