/* SPDX-License-Identifier: Apache-2.0 */
/* The public description of one committed function: shapes, widths, shifts and binary points.
 * Everything here is public and part of the commitment ID (docs/formats.md, "model configuration").
 *
 * Legend: L layers, D width, H query heads, G key/value heads, E head dimension, F hidden width, V vocabulary,
 * S = 2L + 1 norm sites (site 2l before attention of layer l, 2l + 1 before its feed-forward, 2L the final one). */
#ifndef ASSAY_MODEL_CONFIG_H
#define ASSAY_MODEL_CONFIG_H

#include "base/bytes.h"
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSAY_MAX_LAYERS = 256, ASSAY_MAX_STOP_IDS = 16, ASSAY_MAX_ROPE = 512 };

/* A requantisation: y = floor((acc + 2^(s-1)) / 2^s) (s = 0: y = acc), -2^(b-1) <= y < 2^(b-1), result at unit 2^-f.
 * b + s <= 30, 0 <= s <= 16. */
typedef struct assay_site {
    int32_t b, s, f;
} assay_site;

typedef struct assay_layer_config {
    assay_site q, k, v, qr, kr, o, gate, up, act, down;
    int32_t fn1, fn2;  /* units of the two normalised rows */
    int32_t fsg;       /* unit of the SiLU output; its table has 2^gate.b rows */
    assay_site qg, kg; /* with norms of heads: normalised heads of q and k times their gain; else 0 */
    int32_t fnh;       /* with norms of heads: unit of a normalised head */
} assay_layer_config;

typedef struct assay_model_config {
    uint32_t family; /* 1: Llama (RMSNorm, RoPE on split halves, grouped queries, SwiGLU) */
    uint32_t n_layers, d, n_heads, n_kv, head_dim, ff, vocab, max_positions, tied;
    uint32_t fixed_first;    /* 1: position 0 is always bos, and its keys and values are committed (docs/model.md) */
    uint64_t rope_theta_q16; /* theta * 2^16 */
    uint64_t eps_q60;        /* rms_norm_eps * 2^60, rounded */
    int32_t bos;             /* -1: none is put before a prompt */
    uint32_t n_stop;
    uint32_t stop[ASSAY_MAX_STOP_IDS];
    /* widths of the parts that are not per layer; see shared names in docs/model.md */
    int32_t n_bits, score_f, dist_bits, cos_bits, e_bits, z_bits, o_guard, rsqrt_in, rsqrt_out, rs_t, resid_bits;
    int32_t f_embed, f_head, f_gf, fn_final;
    assay_site ng;             /* final gain */
    int32_t logit_f;           /* a logit of 1 is 2^logit_f */
    int32_t *unit;             /* S residual units, never increasing */
    int64_t *eps_term;         /* S: max(1, round(eps D 4^unit)) */
    assay_layer_config *layer; /* L */
    uint32_t n_rope;           /* 0, or E / 2: the frequency of pair i is theta^(-2i/E) divided by */
    uint64_t *rope_q32;        /* rope_q32[i] / 2^32, from 1 to 2^16; NULL when n_rope is 0 */
    uint32_t parts;            /* a sum of ASSAY_PART_... */
} assay_model_config;

/* What a model of this family may have or not. */
enum {
    ASSAY_PART_BIAS = 1,    /* biases of q, k, v (Qwen2) */
    ASSAY_PART_QK_NORM = 2, /* RMS norms of each head's q and k (Qwen3) */
    ASSAY_PARTS = ASSAY_PART_BIAS | ASSAY_PART_QK_NORM
};

/* Limits that the width table sets, fixed in this version. */
enum {
    ASSAY_N_BITS = 15,      /* normalised rows, so that sigma <= 15 */
    ASSAY_RESID_BITS = 16,  /* the residual at a norm: the key of the square table */
    ASSAY_RSQRT_BITS = 12,  /* mantissa that indexes the reciprocal square root, and its entries */
    ASSAY_LIMB_BITS = 7,    /* low limb of values and mixed values */
    ASSAY_MIN_ROW_BITS = 4, /* of an exp entry in the last row of a request */
    ASSAY_WEIGHT_BITS = 16, /* |weight| < 2^15: what a file may hold, not proved */
    ASSAY_BIAS_BITS = 30,   /* |bias| < 2^29, at the accumulator's unit: the same */
    ASSAY_SCORE_BITS = 29,  /* |q.k| is less: differences of a row are below 2^30, and p - 2^30 >= 2^29 */
    ASSAY_MIN_DIST_BITS = 16,
    ASSAY_MAX_DIST_BITS = 29, /* of two numbers that add up to p, one is no distance */
    ASSAY_EXP_BITS = 16       /* an exp table has at most 2^ASSAY_EXP_BITS rows */
};

/* Number of norm sites. */
static inline uint32_t model_sites(const assay_model_config *c)
{
    return 2 * c->n_layers + 1;
}

/* Whether each head of q and k has a norm. */
static inline bool model_has_head_norms(const assay_model_config *c)
{
    return (c->parts & ASSAY_PART_QK_NORM) != 0;
}

/* The site of q, or k, as rotation finds it. */
static inline assay_site model_before_rotation(const assay_model_config *c, uint32_t layer, bool key)
{
    const assay_layer_config *y = &c->layer[layer];
    if (model_has_head_norms(c)) return key ? y->kg : y->qg;
    return key ? y->k : y->q;
}

/* eps d at the unit of a square, at least 1: max(1, floor(eps_q60 d 4^unit / 2^60 + 1/2)). eps_q60 <= 2^48, d < 2^15,
 * unit <= 15. */
int64_t assay_model_eps_term(uint64_t eps_q60, uint32_t d, int32_t unit);
/* The same for heads of q, or k, of a layer: eps E at the unit of q squared. */
int64_t assay_model_head_eps(const assay_model_config *c, uint32_t layer, bool key);

/* Unit t of the reciprocal square root: the largest with 2^t sqrt(d / 2^(in-1)) <= 2^out - 1, in = out =
 * ASSAY_RSQRT_BITS. */
int32_t assay_model_rsqrt_unit(uint32_t d);

/* A distance is 2^r D + rem: D, of at most ASSAY_EXP_BITS bits, indexes the exp table; rem has r bits (maybe none). */
static inline int32_t model_dist_rem_bits(const assay_model_config *c)
{
    return c->dist_bits > ASSAY_EXP_BITS ? c->dist_bits - ASSAY_EXP_BITS : 0;
}
static inline int32_t model_exp_bits(const assay_model_config *c)
{
    return c->dist_bits - model_dist_rem_bits(c);
}

/* Longest request whose last row keeps ASSAY_MIN_ROW_BITS bits: 2^(z_bits - 4); 4 < z_bits < 32. */
static inline uint32_t model_positions_limit(int32_t z_bits)
{
    return (uint32_t)1 << (z_bits - ASSAY_MIN_ROW_BITS);
}

void assay_model_config_clear(assay_model_config *c);

/* Whether a prompt of n_prompt tokens may begin with ids: where the first token is fixed, it is that one, and another
 * follows. Needed before anything is run, proved or verified. */
ASSAY_MUST_USE assay_status assay_model_prompt_check(const assay_model_config *c, const uint32_t *ids,
                                                     uint32_t n_prompt, assay_errinfo *err);

/* Every inequality that the width table of docs/model.md needs, for requests of up to n_tokens; the first that
 * fails is named in err (ASSAY_ERANGE). Needed before a configuration is used for anything. */
ASSAY_MUST_USE assay_status assay_model_config_check(const assay_model_config *c, uint32_t n_tokens,
                                                     assay_errinfo *err);

/* Canonical bytes: two configurations are equal iff their bytes are. Decoding refuses anything the encoder cannot
 * write, and bounds every count before allocating. On failure *c is empty. */
void assay_model_config_encode(assay_writer *w, const assay_model_config *c);
ASSAY_MUST_USE assay_status assay_model_config_decode(assay_model_config *c, assay_reader *r, assay_errinfo *err);

#endif
