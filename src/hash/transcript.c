/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript: chaining of messages and drawing of challenges. */
#include "hash/transcript.h"
#include "base/bytes.h"
#include "hash/words.h"
#include <string.h>

void assay_transcript_init(assay_transcript *t)
{
    static const char domain[] = "assay transcript 1";
    assay_sha256_digest(t->state, domain, sizeof domain - 1);
}

/* Everything of an absorption that comes before the data. */
static void begin(assay_sha256 *s, const assay_transcript *t, const char *label, uint64_t nbytes)
{
    size_t len = strlen(label);
    uint8_t u8 = (uint8_t)len, le[8];
    assay_store_u64(le, nbytes);
    assay_sha256_init(s);
    assay_sha256_update(s, t->state, sizeof t->state);
    assay_sha256_update(s, &u8, 1);
    assay_sha256_update(s, label, len);
    assay_sha256_update(s, le, sizeof le);
}

void assay_transcript_absorb(assay_transcript *t, const char *label, const void *data, size_t n)
{
    assay_sha256 s;
    begin(&s, t, label, n);
    if (n) assay_sha256_update(&s, data, n);
    assay_sha256_final(&s, t->state);
}

void assay_transcript_absorb_f(assay_transcript *t, const char *label, const uint32_t *x, size_t n)
{
    assay_sha256 s;
    begin(&s, t, label, 4 * (uint64_t)n);
    assay_sha256_update_words(&s, x, n);
    assay_sha256_final(&s, t->state);
}

void assay_transcript_absorb_k(assay_transcript *t, const char *label, const kel *x, size_t n)
{
    assay_sha256 s;
    begin(&s, t, label, K_BYTES * (uint64_t)n);
    for (size_t i = 0; i < n; i++) assay_sha256_update_words(&s, x[i].v, K_WORDS);
    assay_sha256_final(&s, t->state);
}

void assay_transcript_absorb_u64(assay_transcript *t, const char *label, uint64_t x)
{
    uint8_t le[8];
    assay_store_u64(le, x);
    assay_transcript_absorb(t, label, le, sizeof le);
}

/* The stream of 31-bit words after a challenge. */
typedef struct drawer {
    const assay_transcript *t;
    uint32_t ctr;
    unsigned at; /* next word of block; 8: none left */
    uint8_t block[32];
} drawer;

static drawer draw_begin(assay_transcript *t, const char *label)
{
    assay_transcript_absorb(t, label, "challenge", 9);
    drawer d = {t, 0, 8, {0}};
    return d;
}

static uint32_t draw(drawer *d)
{
    if (d->at == 8) {
        uint8_t m[39];
        memcpy(m, d->t->state, 32);
        memcpy(m + 32, "out", 3);
        assay_store_u32(m + 35, d->ctr++);
        assay_sha256_digest(d->block, m, sizeof m);
        d->at = 0;
    }
    return assay_load_u32(d->block + 4 * d->at++) & M31_P;
}

void assay_transcript_challenge_k(assay_transcript *t, const char *label, kel *out, size_t n)
{
    drawer d = draw_begin(t, label);
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < K_WORDS;) {
            uint32_t w = draw(&d);
            if (w != M31_P) out[i].v[j++] = w;
        }
}

void assay_transcript_challenge_positions(assay_transcript *t, const char *label, unsigned log_size, size_t count,
                                          uint64_t *out, size_t *n_out)
{
    drawer d = draw_begin(t, label);
    uint64_t size = (uint64_t)1 << log_size;
    size_t n = 0;
    if (count >= size) {
        for (; n < size; n++) out[n] = n;
    }
    while (n < count && n < size) {
        uint64_t pos = draw(&d) & (size - 1);
        size_t i = n;
        while (i > 0 && out[i - 1] > pos) i--;
        if (i > 0 && out[i - 1] == pos) continue;
        memmove(out + i + 1, out + i, (n - i) * sizeof *out);
        out[i] = pos;
        n++;
    }
    *n_out = n;
}
