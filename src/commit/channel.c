/* SPDX-License-Identifier: Apache-2.0 */
/* The channel between prover and verifier. */
#include "commit/channel.h"
#include <string.h>

void assay_channel_init(assay_channel *ch, assay_role role, assay_writer *out, assay_reader *in)
{
    memset(ch, 0, sizeof *ch);
    ch->role = role;
    ch->out = out;
    ch->in = in;
    assay_transcript_init(&ch->tr);
}

void assay_channel_check(assay_channel *ch, bool cond, const char *why)
{
    if (ch->role == ASSAY_VERIFY && !cond && !ch->reject) ch->reject = why;
}

void assay_channel_fail(assay_channel *ch, assay_status s)
{
    if (ch->status == ASSAY_OK) ch->status = s;
}

void assay_channel_write(assay_channel *ch, const uint8_t *p, size_t n)
{
    assay_write_bytes(ch->out, p, n);
    if (ch->out->bad) assay_channel_fail(ch, ASSAY_ENOMEM);
}

const uint8_t *assay_channel_read(assay_channel *ch, size_t n)
{
    if (ch->reject) return NULL;
    const uint8_t *p = assay_read_bytes(ch->in, n);
    assay_channel_check(ch, p != NULL, "the proof is too short");
    return p;
}

static void send_k(assay_channel *ch, const char *label, kel *v, size_t n)
{
    if (ch->tamper && ch->tamper->k) ch->tamper->k(ch->tamper->ctx, label, v, n);
    for (size_t i = 0; i < n; i++) {
        uint8_t b[K_BYTES];
        for (int j = 0; j < K_WORDS; j++) assay_store_u32(b + 4 * j, v[i].v[j]);
        assay_channel_write(ch, b, sizeof b);
    }
}

static void receive_k(assay_channel *ch, kel *v, size_t n)
{
    const uint8_t *p = assay_channel_read(ch, n * K_BYTES);
    bool canonical = true;
    for (size_t i = 0; p && i < n; i++) {
        for (int j = 0; j < K_WORDS; j++) v[i].v[j] = assay_load_u32(p + K_BYTES * i + 4 * (size_t)j);
        canonical = canonical && k_is_canonical(v[i]);
    }
    assay_channel_check(ch, canonical, "a field element is not reduced");
    if (!p || !canonical) memset(v, 0, n * sizeof *v);
}

void assay_channel_k(assay_channel *ch, const char *label, kel *v, size_t n)
{
    if (ch->role == ASSAY_PLAN) {
        memset(v, 0, n * sizeof *v);
        return;
    }
    if (ch->role == ASSAY_PROVE)
        send_k(ch, label, v, n);
    else
        receive_k(ch, v, n);
    assay_transcript_absorb_k(&ch->tr, label, v, n);
}

void assay_channel_bytes(assay_channel *ch, const char *label, uint8_t *p, size_t n)
{
    if (ch->role == ASSAY_PLAN) {
        memset(p, 0, n);
        return;
    }
    if (ch->role == ASSAY_PROVE) {
        if (ch->tamper && ch->tamper->bytes) ch->tamper->bytes(ch->tamper->ctx, label, p, n);
        assay_channel_write(ch, p, n);
    } else {
        const uint8_t *q = assay_channel_read(ch, n);
        if (q)
            memcpy(p, q, n);
        else
            memset(p, 0, n);
    }
    assay_transcript_absorb(&ch->tr, label, p, n);
}

void assay_channel_absorb(assay_channel *ch, const char *label, const void *p, size_t n)
{
    if (ch->role != ASSAY_PLAN) assay_transcript_absorb(&ch->tr, label, p, n);
}

/* Prover or verifier is about to draw. */
static void before_challenge(assay_channel *ch, const char *label)
{
    if (ch->tamper && ch->tamper->challenge) ch->tamper->challenge(ch->tamper->ctx, label, &ch->tr);
}

void assay_channel_challenges(assay_channel *ch, const char *label, kel *out, size_t n)
{
    if (ch->role == ASSAY_PLAN) {
        memset(out, 0, n * sizeof *out);
        return;
    }
    before_challenge(ch, label);
    assay_transcript_challenge_k(&ch->tr, label, out, n);
}

kel assay_channel_challenge(assay_channel *ch, const char *label)
{
    kel r;
    assay_channel_challenges(ch, label, &r, 1);
    return r;
}

size_t assay_channel_positions(assay_channel *ch, const char *label, unsigned log_size, size_t t, uint64_t *out)
{
    size_t n = 0;
    if (ch->role != ASSAY_PLAN) {
        before_challenge(ch, label);
        assay_transcript_challenge_positions(&ch->tr, label, log_size, t, out, &n);
        return n;
    }
    for (; n < t && n >> log_size == 0; n++) out[n] = n;
    return n;
}
