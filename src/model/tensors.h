/* SPDX-License-Identifier: Apache-2.0 */
/* The committed values of one run of the model ("columns"), named once for the integer model, which fills them, and for
 * the statement, which constrains them. Relations: docs/protocol.md, "Relations". */
#ifndef ASSAY_MODEL_TENSORS_H
#define ASSAY_MODEL_TENSORS_H

#include "model/config.h"
#include <stdbool.h>

/* Axes. T tokens of the request (prompt and reply), P checked positions (n_prompt-1 .. T-1), B rebase sites,
 * C the checked positions again under the gap policy (none under the exact one), U and A below. */
typedef enum assay_axis {
    AX_NONE,
    AX_L,
    AX_S,
    AX_B,
    AX_T,
    AX_P,
    AX_C,
    AX_D,
    AX_F,
    AX_H,
    AX_G,
    AX_E,
    AX_V,
    AX_U, /* the layers again where heads have norms (none where they have not) */
    AX_A, /* all heads of a layer: H of queries, then G of keys */
    AX_I,
    AX_J /* query and key token of a causal cell: 0 <= j <= i < T, always together as the last two axes */
} assay_axis;

typedef enum assay_tensor {
    TEN_H0, /* [T,D] embedding row of each token, at the embedding's unit */
    TEN_REB,
    TEN_REBREM, /* [B,T,D] residual requantised where its unit coarsens, and remainder */
    TEN_SQ,     /* [S,T,D] floor(h^2 / 2^15) of the residual h at each norm site */
    TEN_N,
    TEN_NREM, /* [S,T,D] normalised row; n 2^sigma + rem = h R + half */
    /* per norm site and token, [S,T]; docs/protocol.md "Norm" */
    TEN_NA0,
    TEN_NA1, /* sum of SQ = a1 2^15 + a0 */
    TEN_NB0,
    TEN_NB1, /* sum of h^2 - 2^15 SQ = b1 2^15 + b0 */
    TEN_NC0,
    TEN_NC1,
    TEN_NC2, /* carries */
    TEN_NS0,
    TEN_NS1,
    TEN_NS2, /* 15-bit digits of S = sum h^2 + eps; digit 3 is c2 */
    TEN_NF0,
    TEN_NF1, /* flags: exponent digit a = 0, a = 1 (a = 2: neither) */
    TEN_NR,
    TEN_NDR, /* r, 2^r: S = M 2^(15 a + r) + lower */
    TEN_NM,
    TEN_NRHO, /* mantissa 2^(rsqrt_in-1) <= M < 2^rsqrt_in; rho < 2^r */
    TEN_NPAR,
    TEN_NSIG,
    TEN_NOVER,
    TEN_NDS,
    TEN_NHF, /* parity of the exponent, sigma, over, 2^sigma, floor(2^sigma / 2) */
    TEN_NRT, /* R: table entry, shortened by `over` bits */
    TEN_Q,
    TEN_QREM, /* [L,T,H,E] */
    TEN_K,
    TEN_KREM, /* [L,T,G,E] */
    /* norms of heads: as TEN_SQ to TEN_NRT and in their order, of x, the heads of q and k (tensor_of_norm) */
    TEN_XSQ,
    TEN_XN,
    TEN_XNREM, /* [U,T,A,E] */
    TEN_XNA0,  /* [U,T,A] from here on */
    TEN_XNA1,
    TEN_XNB0,
    TEN_XNB1,
    TEN_XNC0,
    TEN_XNC1,
    TEN_XNC2,
    TEN_XNS0,
    TEN_XNS1,
    TEN_XNS2,
    TEN_XNF0,
    TEN_XNF1,
    TEN_XNR,
    TEN_XNDR,
    TEN_XNM,
    TEN_XNRHO,
    TEN_XNPAR,
    TEN_XNSIG,
    TEN_XNOVER,
    TEN_XNDS,
    TEN_XNHF,
    TEN_XNRT,
    TEN_QG,
    TEN_QGREM, /* [U,T,H,E] normalised heads of q times their gain */
    TEN_KG,
    TEN_KGREM, /* [U,T,G,E] the same of k */
    TEN_V1,
    TEN_VREM,
    TEN_V0, /* [L,T,G,E] v = 2^7 V1 + V0, 0 <= V0 < 2^7; remainder of v */
    TEN_QR,
    TEN_QRREM, /* [L,T,H,E] rotated */
    TEN_KR,
    TEN_KRREM, /* [L,T,G,E] rotated */
    TEN_EX,
    TEN_ZF,   /* [L,H,I,J] exp entry; flag of the one cell that attains the row maximum (the first) */
    TEN_DREM, /* [L,H,I,J] what the exp table leaves of a distance; no cells where it takes all of it */
    /* per layer, head and query token, [L,H,T] */
    TEN_CMAX, /* row maximum of q.k */
    TEN_ZP,
    TEN_ZDEL,
    TEN_ZDD,
    TEN_ZFZ, /* Z' (16 bits), delta, 2^delta, [delta >= 1] */
    TEN_ZLOW,
    TEN_Z2, /* sum of EX = Z2 + zlow, Z2 = Z' 2^delta */
    TEN_ZH0,
    TEN_ZH1,
    TEN_ZB, /* floor(Z2 / 2) = zh1 2^16 + zh0, Z2 = 2 floor(Z2/2) + zb */
    TEN_O1,
    TEN_O0,
    TEN_OREM,
    TEN_ORHO,
    TEN_OC1,
    TEN_OC0, /* [L,T,H,E] mixed value o = 2^7 O1 + O0; o Z2 + rem' 2^delta + rho = 2^guard num + floor(Z2/2), the
                carry between the limbs in two digits (docs/model.md, "Division") */
    TEN_Y,
    TEN_YREM, /* [L,T,D] output projection */
    TEN_GATE,
    TEN_GATEREM,
    TEN_SG, /* [L,T,F] gate and its SiLU */
    TEN_UP,
    TEN_UPREM, /* [L,T,F] */
    TEN_ACT,
    TEN_ACTREM, /* [L,T,F] SiLU(gate) * up */
    TEN_DOWN,
    TEN_DOWNREM, /* [L,T,D] */
    TEN_NG,
    TEN_NGREM, /* [P,D] final row times gain */
    TEN_LM,    /* [P] logit of the claimed token; gap policy: a value no logit is above */
    TEN_LHI,
    TEN_LLO, /* [P,V] l[y] - l[v] - [v < y] = hi 2^16 + lo; gap policy: LM - l[v] */
    /* gap policy, [C]; docs/protocol.md §7.8 */
    TEN_GAP,
    TEN_GREM, /* gap of the claimed token in steps, rounded up: 2^shift GAP - GREM = hi 2^16 + lo at that token */
    TEN_GZ,   /* bit: 0 only where GAP is 0 */
    TEN_GSP,  /* what is added to the gaps so that they make the sum that is stated */
    TEN_COUNT
} assay_tensor;

/* What is normed: the residual, rows (site, token) of D values; or heads of q and k, rows (layer, token, head) of E. */
typedef enum assay_norm_kind { NORM_RESIDUAL, NORM_HEADS } assay_norm_kind;

/* The tensor of that kind of norm that is what t, one of TEN_SQ to TEN_NRT, is of the residual's. */
static inline assay_tensor tensor_of_norm(assay_norm_kind kind, assay_tensor t)
{
    return kind == NORM_RESIDUAL ? t : (assay_tensor)((int)t + (TEN_XSQ - TEN_SQ));
}

/* What rotation rotates: q, or k, or what their norms make of them. */
static inline assay_tensor tensor_before_rotation(const assay_model_config *cfg, bool key)
{
    if (model_has_head_norms(cfg)) return key ? TEN_KG : TEN_QG;
    return key ? TEN_K : TEN_Q;
}

/* The low limb of a tensor that holds the high one, TEN_COUNT of one that holds whole values. */
static inline assay_tensor tensor_low_limb(assay_tensor t)
{
    return t == TEN_V1 ? TEN_V0 : t == TEN_O1 ? TEN_O0 : TEN_COUNT;
}

/* Sizes of one request. */
typedef struct assay_run_shape {
    const assay_model_config *cfg;
    uint32_t n_prompt, n_tokens; /* 1 <= n_prompt <= n_tokens */
    uint32_t n_checked;          /* n_tokens - n_prompt + 1 */
    uint32_t n_rebase;
    uint32_t n_gap; /* n_checked under the gap policy, 0 under the exact one */
} assay_run_shape;
void assay_run_shape_init(assay_run_shape *r, const assay_model_config *cfg, uint32_t n_prompt, uint32_t n_tokens,
                          bool gap);

/* Rebase sites: norm sites j >= 1 with unit[j] < unit[j-1], in order. */
uint32_t assay_rebase_count(const assay_model_config *cfg);
/* Index of site j among the rebase sites, or -1. */
int assay_rebase_index(const assay_model_config *cfg, uint32_t site);

/* Name for messages ("rotated q remainder"); axes (slowest first, AX_NONE after the last; at most 4); extents. */
const char *assay_tensor_name(assay_tensor t);
const assay_axis *assay_tensor_axes(assay_tensor t);
uint32_t assay_axis_extent(const assay_run_shape *r, assay_axis a);
/* Number of cells; causal tensors hold T (T+1) / 2 per (layer, head): cell (i, j) at i (i+1) / 2 + j. */
uint64_t assay_tensor_cells(const assay_run_shape *r, assay_tensor t);

#endif
