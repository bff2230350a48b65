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

/* One row x[n] of a norm, at index `row` of its digits; position: its token's. */
typedef struct norm_row {
    assay_norm_kind kind;
    const int32_t *x;
    uint32_t n, position;
    size_t row;
    int64_t eps;
    int32_t fn;
} norm_row;

/* Squares and digits. */
static assay_refusal norm_digits(const assay_forward *f, int32_t v[NORM_DIGITS], const norm_row *r)
{
    int32_t *sq = forward_at(f->t[tensor_of_norm(r->kind, TEN_SQ)], r->row * r->n);
    /* A fixed first token is not computed: its row is 0, and stands for one whose sum of squares is the least. */
    uint64_t high = 0, low = forward_is_fixed(f, r->position) ? (uint64_t)1 << (f->c->rsqrt_in - 1) : 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const int32_t square = r->x[k] * r->x[k]; /* at most 2^30 */
        if (sq) sq[k] = square >> 15;
        high += (uint32_t)square >> 15;
        low += square & 0x7fff;
    }
    return assay_norm_digits(v, f->c, f->tb, r->eps, r->fn, high, low);
}

static void norm_cells(assay_forward *f, const norm_row *r)
{
    const int64_t lim = (int64_t)1 << (f->c->n_bits - 1);
    int32_t v[NORM_DIGITS], *out = f->t[tensor_of_norm(r->kind, TEN_N)] + r->row * r->n,
                            *rem = forward_at(f->t[tensor_of_norm(r->kind, TEN_NREM)], r->row * r->n);
    assay_refusal why = norm_digits(f, v, r);
    if (why != BAD_NONE) {
        forward_refuse(f, why, r->position);
        return;
    }
    const int32_t sigma = v[TEN_NSIG - TEN_NA0], half = v[TEN_NHF - TEN_NA0], root = v[TEN_NRT - TEN_NA0];
    for (uint32_t k = 0; k < r->n; k++) {
        int64_t sum = (int64_t)r->x[k] * root + half, n = sum >> sigma;
        if (n < -lim || n >= lim) forward_refuse(f, BAD_RANGE, r->position);
        out[k] = (int32_t)n;
        if (rem) rem[k] = (int32_t)(sum - n * ((int64_t)1 << sigma));
    }
    for (int k = 0; k < NORM_DIGITS; k++) {
        int32_t *digit = f->t[(int)tensor_of_norm(r->kind, TEN_NA0) + k];
        if (digit) digit[r->row] = v[k];
    }
}

void assay_cells_norm(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t d = f->c->d;
    for (uint32_t i = i0; i < i1; i++) {
        const norm_row r = {NORM_RESIDUAL, f->h + (size_t)i * d, d, f->t0 + i, i, f->c->eps_term[a->site], a->param};
        norm_cells(f, &r);
    }
}

void assay_cells_head_norm(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t n_h = f->c->n_heads, n_g = f->c->n_kv, e_n = f->c->head_dim;
    const int64_t eps[2] = {assay_model_head_eps(f->c, a->site, false), assay_model_head_eps(f->c, a->site, true)};
    for (uint32_t i = i0; i < i1; i++) {
        for (uint32_t head = 0; head < n_h + n_g; head++) {
            const bool key = head >= n_h;
            const int32_t *x =
                key ? f->t[TEN_K] + ((size_t)i * n_g + head - n_h) * e_n : f->t[TEN_Q] + ((size_t)i * n_h + head) * e_n;
            const norm_row r = {NORM_HEADS, x, e_n, f->t0 + i, (size_t)i * (n_h + n_g) + head, eps[key], a->param};
            norm_cells(f, &r);
        }
    }
}

void assay_cells_head_gain(const assay_cells *a, uint32_t i0, uint32_t i1)
{
    assay_forward *f = a->f;
    const uint32_t all = f->c->n_heads + f->c->n_kv, e_n = f->c->head_dim;
    for (uint32_t i = i0; i < i1; i++) {
        const int32_t *n = f->t[TEN_XN] + ((size_t)i * all + a->first) * e_n;
        for (size_t k = 0; k < (size_t)a->n * e_n; k++) {
            const size_t at = (size_t)i * a->n * e_n + k;
            forward_requant(f, f->t[a->y] + at, forward_at(f->t[a->y + 1], at), (int64_t)n[k] * a->gain[k % e_n], a->s,
                            f->t0 + i);
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
