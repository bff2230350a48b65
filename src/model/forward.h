/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the integer model, block of tokens by block of tokens, shared by trace, reply and logits (internal).
 *
 * forward.c orders the operations; forward_cells.c has those on single tokens; products and attention come as a table:
 * forward_ref.c (plain int64, one cell at a time: the definition) or forward_fast.c. All write the tensors of tensors.h
 * at the rows of the current block. Legend: see config.h; a *block* is tokens t0 .. t0 + nt - 1. */
#ifndef ASSAY_MODEL_FORWARD_H
#define ASSAY_MODEL_FORWARD_H

#include "model/model.h"
#include "model/peaks.h"
#include <stdatomic.h>

enum {
    FORWARD_BLOCK = 64,  /* tokens of one block when nothing is kept */
    NORM_SIGMA_MAX = 15, /* sigma is cut to this, R shortened by the rest */
    NORM_OVER_MAX = 8,   /* the most bits R may lose */
    NORM_DIGITS = TEN_NRT - TEN_NA0 + 1,
    ACC_BITS = 30 /* accumulators lie in (-2^30, 2^30) */
};

/* Why a cell has no result, in the order in which an operation reports. */
typedef enum assay_refusal {
    BAD_RESIDUAL,
    BAD_SQUARES,
    BAD_SHIFT,
    BAD_ACC,
    BAD_SCORE,
    BAD_DIST,
    BAD_RANGE,
    BAD_COUNT,
    BAD_NONE
} assay_refusal;

/* A weight matrix [n_out][n_in], and what is added to its accumulators, [n_out] or NULL; first: index of its row 0
 * among the rows of all matrices. */
typedef struct assay_matrix {
    const int16_t *w;
    const int32_t *bias;
    uint32_t n_out, n_in;
    size_t first;
} assay_matrix;

typedef enum assay_layer_matrix { MAT_Q, MAT_K, MAT_V, MAT_O, MAT_GATE, MAT_UP, MAT_DOWN } assay_layer_matrix;

typedef struct assay_forward assay_forward;

/* The operations that paths differ in, on the current block and layer. They report by forward_refuse. */
typedef struct assay_forward_ops {
    /* y, rem = requant(x W^T + bias) for nt rows of x */
    void (*matmul)(assay_forward *f, assay_tensor y, const int32_t *x, const assay_matrix *w, assay_site s);
    /* QR and the cache to EX .. ORHO */
    void (*attention)(assay_forward *f, uint32_t layer);
    /* logits of n rows of NG into out [n][V] */
    void (*logits)(assay_forward *f, int32_t *out, uint32_t n, uint32_t first_position);
    assay_status (*open)(assay_forward *f, assay_errinfo *err);
    void (*close)(assay_forward *f);
} assay_forward_ops;

extern const assay_forward_ops assay_forward_ref_ops, assay_forward_fast_ops;

struct assay_forward {
    const assay_model *m;
    const assay_model_config *c;
    const assay_tables *tb;
    const assay_forward_ops *ops;
    struct assay_forward_fast *fast; /* state of the fast operations */
    assay_pool *pool;
    assay_progress progress;
    const assay_run_hook *hook; /* tests; NULL: none */
    assay_peaks *peaks; /* raised as values are made, where nothing is kept and whole blocks have logits; or NULL */
    bool field;
    assay_trace *keep;     /* NULL: nothing is kept, tensors are scratch of one layer */
    uint32_t cap;          /* tokens that fit */
    uint32_t t0, nt;       /* the block */
    int32_t *t[TEN_COUNT]; /* rows of the block in this layer or site; NULL: not wanted */
    int32_t *h;            /* [nt][D] residual at the current site */
    int32_t *row;          /* [n_rows][cap] rows of EX where EX is not kept */
    uint32_t n_rows;
    int16_t *kc;    /* [L][G][cap][E] rotated keys of all tokens so far */
    int16_t *vc;    /* [L][G][cap][2][E] their values: high limbs, low limbs */
    int32_t *mixed; /* [nt][H][E] both limbs of the mixed values together */
    int32_t *scratch;
    size_t scratch_n, cache_n, mixed_n;
    atomic_uint bad[BAD_COUNT]; /* smallest refused position, UINT32_MAX: none */
};

/* The operations on rows i0 .. i1 - 1 that both paths share (forward_cells.c). The remainder of tensor y is tensor y
 * + 1. */
typedef struct assay_cells assay_cells;
typedef void assay_cells_fn(const assay_cells *a, uint32_t i0, uint32_t i1);
struct assay_cells {
    assay_forward *f;
    assay_cells_fn *run;
    assay_tensor y, x;
    const int32_t *in;
    uint32_t n, site;
    int32_t param;
    assay_site s;
    const int16_t *gain; /* [E] */
    uint32_t first;      /* head of TEN_XN that is head 0 of y */
};
assay_cells_fn assay_cells_requant; /* y = requant(in), rows of D */
assay_cells_fn assay_cells_norm;    /* the residual to SQ, digits, N at `site`; param: unit of N */
assay_cells_fn
    assay_cells_rotate; /* y = requant(x rotated): halves (u, v) of n heads become (u cos - v sin, v cos + u sin) */
assay_cells_fn assay_cells_head_norm; /* Q and K of layer `site` to XSQ, digits, XN; param: unit of XN */
assay_cells_fn assay_cells_head_gain; /* y = requant(XN gain), n heads from `first` on */
assay_cells_fn assay_cells_product;   /* SG = in[GATE + 2^(param - 1)], ACT = requant(SG UP) */
assay_cells_fn assay_cells_gain;      /* NG = requant(N gf), the last n rows of the block */

/* Prepares a run of up to cap tokens. keep: a trace for exactly cap tokens whose pointers are set, or NULL. */
ASSAY_MUST_USE assay_status assay_forward_open(assay_forward *f, const assay_model *m, const assay_tables *tb,
                                               uint32_t cap, assay_trace *keep, const assay_run_options *opt,
                                               assay_errinfo *err);
void assay_forward_close(assay_forward *f); /* wipes */

/* Runs tokens ids[t0 .. t0 + nt - 1] through all layers and the final norm; with a trace t0 = 0 and nt = cap. */
ASSAY_MUST_USE assay_status assay_forward_block(assay_forward *f, const uint32_t *ids, uint32_t t0, uint32_t nt,
                                                assay_errinfo *err);

assay_matrix assay_forward_matrix(const assay_forward *f, uint32_t l, assay_layer_matrix which);

/* Logits of the last n rows of the current block, [n][V], |logit| < 2^30. */
ASSAY_MUST_USE assay_status assay_forward_logits(assay_forward *f, int32_t *out, uint32_t n, assay_errinfo *err);

/* From A = sum of floor(h^2 / 2^15), B = sum of h^2 - 2^15 A and the eps term: the digits of one row, v[k] belonging to
 * tensor TEN_NA0 + k, or TEN_XNA0 + k. fn: unit of the normalised row. BAD_NONE, or why the row has no result. */
assay_refusal assay_norm_digits(int32_t v[NORM_DIGITS], const assay_model_config *c, const assay_tables *tb,
                                int64_t eps, int32_t fn, uint64_t a, uint64_t b);

/* sum of x[k] w[k], exact. */
int64_t assay_forward_dot(const int32_t *x, const int16_t *w, uint32_t n);

/* Scores of query i in ex[0 .. i] become exp entries, with remainders of distances, flags and row maximum where they
 * are kept; returns their sum, at least 1. */
int64_t assay_forward_weights(assay_forward *f, int32_t *ex, uint32_t head, uint32_t i);

/* From Zfull: Z', delta and what belongs to them, at index `at` of the [H,T] tensors. Returns Z2. */
int64_t assay_forward_divisor(assay_forward *f, size_t at, int64_t full, int32_t *delta);

/* o = floor((2^guard num + floor(Z2 / 2)) / Z2) of o_bits bits at index `at` of [T,H,E], num = 2^7 num1 + num0; its
 * limbs, the remainder cut in two at delta bits, and the carry 2^guard num1 - O1 Z2 + 2^(z_bits + guard) in digits. */
void assay_forward_divide(assay_forward *f, size_t at, int64_t num1, int64_t num0, int64_t z2, int32_t delta,
                          int32_t o_bits, uint32_t position);

/* The token that is greedy among n logits: every d = l[y] - l[v] - [v < y] lies in [0, 2^30). False: there is none.
 * field: differences are taken mod p. */
bool assay_greedy_pick(uint32_t *y, const int32_t *logits, uint32_t n, bool field);

/* Whether the token at this position is not computed (docs/model.md, "A fixed first token"). */
static inline bool forward_is_fixed(const assay_forward *f, uint32_t position)
{
    return f->c->fixed_first && position == 0;
}

/* x mod p read symmetrically. */
static inline int64_t forward_symmetric(int64_t x)
{
    const int64_t p = 2147483647;
    int64_t r = x % p;
    return r > p / 2 ? r - p : r < -(p / 2) ? r + p : r;
}

/* l[y] - l[v] - [v < y] from ly, lv and before = (v < y); in field mode mod p, in [0, p). */
static inline int64_t forward_difference(int64_t ly, int64_t lv, bool before, bool field)
{
    const int64_t p = 2147483647;
    int64_t d = ly - lv - before;
    return field ? (d % p + p) % p : d;
}

static inline void forward_refuse(assay_forward *f, assay_refusal why, uint32_t position)
{
    unsigned old = atomic_load_explicit(&f->bad[why], memory_order_relaxed);
    while (position < old && !atomic_compare_exchange_weak(&f->bad[why], &old, position)) {}
}

/* One requantisation: *y and *rem (may be NULL) from acc, at a token's position. In field mode acc is read mod p. */
static inline void forward_requant(assay_forward *f, int32_t *y, int32_t *rem, int64_t acc, assay_site s,
                                   uint32_t position)
{
    const int64_t half = (int64_t)1 << s.s >> 1, limit = (int64_t)1 << (s.b - 1), edge = (int64_t)1 << ACC_BITS;
    int64_t sum = acc + half;
    if (f->field)
        sum = forward_symmetric(sum);
    else if (acc >= edge || acc <= -edge)
        forward_refuse(f, BAD_ACC, position);
    int64_t q = sum >> s.s;
    if (q < -limit || q >= limit) forward_refuse(f, BAD_RANGE, position);
    *y = (int32_t)q;
    if (rem) *rem = (int32_t)(sum - q * ((int64_t)1 << s.s));
}

/* A score as it is kept: |score| < 2^29, in field mode read mod p. */
static inline int32_t forward_score(assay_forward *f, int64_t sum, uint32_t position)
{
    const int64_t edge = (int64_t)1 << ASSAY_SCORE_BITS;
    if (f->field) return (int32_t)forward_symmetric(sum);
    if (sum < edge && sum > -edge) return (int32_t)sum;
    forward_refuse(f, BAD_SCORE, position);
    return 0;
}

/* A logit as it is kept: the accumulator, in field mode read mod p. */
static inline int32_t forward_logit(assay_forward *f, int64_t acc, uint32_t position)
{
    const int64_t edge = (int64_t)1 << ACC_BITS;
    if (f->field) return (int32_t)forward_symmetric(acc);
    if (acc < edge && acc > -edge) return (int32_t)acc;
    forward_refuse(f, BAD_ACC, position);
    return 0;
}

/* Pointer p advanced by n, or NULL where p is. */
static inline int32_t *forward_at(int32_t *p, size_t n)
{
    return p ? p + n : NULL;
}

/* "reply token 3", for messages about checked position p. */
enum { ASSAY_TRACE_PLACE = 48 };
void assay_trace_place(char out[ASSAY_TRACE_PLACE], const assay_trace *t, uint32_t p);
/* Gap tensors at checked position p for claimed token y, from LHI and LLO. */
void assay_trace_gap(assay_trace *t, uint32_t p, uint32_t y);
/* t->gap: what is stated, which is the use rounded up to sixteenths of a nat but no more than the policy; GSP fills the
 * difference. ASSAY_ENORESULT, naming token, gap and limit, when the policy does not allow it (never when forced). */
ASSAY_MUST_USE assay_status assay_trace_gap_bounds(assay_trace *t, const assay_policy *policy, bool force,
                                                   assay_errinfo *err);

/* Index of cell (i, 0) of a head among the causal cells of a layer; with a trace all tokens are kept. */
static inline size_t forward_cell(const assay_forward *f, uint32_t head, uint32_t i)
{
    return (size_t)head * ((size_t)f->cap * ((size_t)f->cap + 1) / 2) + (size_t)i * ((size_t)i + 1) / 2;
}

/* Where the exp entries of query i go: the trace, or scratch row `row`. */
static inline int32_t *forward_row(const assay_forward *f, uint32_t head, uint32_t i, size_t row)
{
    return f->keep ? f->t[TEN_EX] + forward_cell(f, head, i) : f->row + row * f->cap;
}

/* The cached keys of one layer and one key/value head: [cap][E]; the values: [cap][2][E]. */
static inline int16_t *forward_keys(const assay_forward *f, uint32_t layer, uint32_t kv)
{
    return f->kc + ((size_t)layer * f->c->n_kv + kv) * f->cap * f->c->head_dim;
}
static inline int16_t *forward_values(const assay_forward *f, uint32_t layer, uint32_t kv)
{
    return f->vc + ((size_t)layer * f->c->n_kv + kv) * f->cap * 2 * f->c->head_dim;
}

#endif
