/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of the operations that work on one token at a time, in plain int64: rows i0 .. i1 - 1 of the block.
 * Source: docs/model.md, "Operations". Both paths use them. */
#include "model/forward.h"
#include <stddef.h>

void assay_cells_requant(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t n = f->c->d;
    for (uint32_t i = i0; i < i1; i++) {
        for (size_t at = (size_t)i * n; at < ((size_t)i + 1) * n; at++)
            forward_requant(f, f->t[a->y] + at, forward_at(f->t[a->y + 1], at), a->in[at], a->s, f->t0 + i);
    }
}

/* Squares and digits of row i. */
static assay_refusal norm_row(const assay_cells *a, int32_t v[NORM_DIGITS], uint32_t i)
{
    const assay_forward *f = a->f;
    const uint32_t d = f->c->d;
    const int32_t *h = f->h + (size_t)i * d;
    int32_t *sq = forward_at(f->t[TEN_SQ], (size_t)i * d);
    /* A fixed first token is not computed: its row is 0, and stands for one whose sum of squares is the least. */
    uint64_t high = 0, low = forward_is_fixed(f, f->t0 + i) ? (uint64_t)1 << (f->c->rsqrt_in - 1) : 0;
    for (uint32_t k = 0; k < d; k++) {
        const int32_t square = h[k] * h[k]; /* at most 2^30 */
        if (sq) sq[k] = square >> 15;
        high += (uint32_t)square >> 15;
        low += square & 0x7fff;
    }
    return assay_norm_digits(v, f->c, f->tb, a->site, a->param, high, low);
}

void assay_cells_norm(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t d = f->c->d;
    const int64_t lim = (int64_t)1 << (f->c->n_bits - 1);
    for (uint32_t i = i0; i < i1; i++) {
        int32_t v[NORM_DIGITS];
        assay_refusal why = norm_row(a, v, i);
        if (why != BAD_NONE) {
            forward_refuse(f, why, f->t0 + i);
            continue;
        }
        const int32_t *h = f->h + (size_t)i * d;
        const int32_t sigma = v[TEN_NSIG - TEN_NA0], half = v[TEN_NHF - TEN_NA0], root = v[TEN_NRT - TEN_NA0];
        for (uint32_t k = 0; k < d; k++) {
            const size_t at = (size_t)i * d + k;
            int64_t sum = (int64_t)h[k] * root + half, n = sum >> sigma;
            if (n < -lim || n >= lim) forward_refuse(f, BAD_RANGE, f->t0 + i);
            f->t[TEN_N][at] = (int32_t)n;
            if (f->t[TEN_NREM]) f->t[TEN_NREM][at] = (int32_t)(sum - n * ((int64_t)1 << sigma));
        }
        for (int k = 0; k < NORM_DIGITS; k++) {
            if (f->t[TEN_NA0 + k]) f->t[TEN_NA0 + k][i] = v[k];
        }
    }
}

void assay_cells_rotate(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t half = f->c->head_dim / 2;
    for (uint32_t i = i0; i < i1; i++) {
        const uint32_t position = f->t0 + i;
        for (uint32_t head = 0; head < a->n; head++) {
            for (uint32_t k = 0; k < half; k++) {
                const size_t at = ((size_t)i * a->n + head) * 2 * half + k;
                const int64_t u = f->t[a->x][at], v = f->t[a->x][at + half];
                const int64_t co = f->tb->cos[(size_t)position * half + k],
                              si = f->tb->sin[(size_t)position * half + k];
                int32_t *out = f->t[a->y] + at, *rem = forward_at(f->t[a->y + 1], at);
                forward_requant(f, out, rem, u * co - v * si, a->s, position);
                forward_requant(f, out + half, forward_at(rem, half), v * co + u * si, a->s, position);
            }
        }
    }
}

void assay_cells_product(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t n = f->c->ff;
    for (uint32_t i = i0; i < i1; i++) {
        for (size_t at = (size_t)i * n; at < ((size_t)i + 1) * n; at++) {
            const int64_t sg = a->in[f->t[TEN_GATE][at] + (1 << (a->param - 1))];
            f->t[TEN_SG][at] = (int32_t)sg;
            forward_requant(f, f->t[TEN_ACT] + at, forward_at(f->t[TEN_ACTREM], at), sg * f->t[TEN_UP][at], a->s,
                            f->t0 + i);
        }
    }
}

void assay_cells_gain(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t d = f->c->d, row0 = f->nt - a->n;
    for (uint32_t i = i0; i < i1; i++) {
        for (uint32_t k = 0; k < d; k++) {
            const size_t at = (size_t)i * d + k;
            const int64_t acc = (int64_t)f->t[TEN_N][(size_t)row0 * d + at] * f->m->gf[k];
            forward_requant(f, f->t[TEN_NG] + at, forward_at(f->t[TEN_NGREM], at), acc, a->s, f->t0 + row0 + i);
        }
    }
}
