/* SPDX-License-Identifier: Apache-2.0 */
/* Names, axes and sizes of the committed values of a run. Source: docs/protocol.md, "Relations". */
#include "model/tensors.h"

typedef struct tensor_info {
    const char *name;
    assay_axis axes[4];
} tensor_info;

#define SITE_TOKEN_WIDTH                                                                                               \
    {                                                                                                                  \
        AX_S, AX_T, AX_D                                                                                               \
    }
#define SITE_TOKEN                                                                                                     \
    {                                                                                                                  \
        AX_S, AX_T                                                                                                     \
    }
#define LAYER_TOKEN_WIDTH                                                                                              \
    {                                                                                                                  \
        AX_L, AX_T, AX_D                                                                                               \
    }
#define LAYER_TOKEN_FF                                                                                                 \
    {                                                                                                                  \
        AX_L, AX_T, AX_F                                                                                               \
    }
#define LAYER_TOKEN_HEAD                                                                                               \
    {                                                                                                                  \
        AX_L, AX_T, AX_H, AX_E                                                                                         \
    }
#define LAYER_TOKEN_KV                                                                                                 \
    {                                                                                                                  \
        AX_L, AX_T, AX_G, AX_E                                                                                         \
    }
#define NORMED_TOKEN_ALL                                                                                               \
    {                                                                                                                  \
        AX_U, AX_T, AX_A, AX_E                                                                                         \
    }
#define NORMED_TOKEN                                                                                                   \
    {                                                                                                                  \
        AX_U, AX_T, AX_A                                                                                               \
    }
#define NORMED_TOKEN_HEAD                                                                                              \
    {                                                                                                                  \
        AX_U, AX_T, AX_H, AX_E                                                                                         \
    }
#define NORMED_TOKEN_KV                                                                                                \
    {                                                                                                                  \
        AX_U, AX_T, AX_G, AX_E                                                                                         \
    }
#define LAYER_HEAD_TOKEN                                                                                               \
    {                                                                                                                  \
        AX_L, AX_H, AX_T                                                                                               \
    }
#define LAYER_HEAD_CELL                                                                                                \
    {                                                                                                                  \
        AX_L, AX_H, AX_I, AX_J                                                                                         \
    }

static const tensor_info infos[TEN_COUNT] = {
    [TEN_H0] = {"embedding", {AX_T, AX_D}},
    [TEN_REB] = {"rebased residual", {AX_B, AX_T, AX_D}},
    [TEN_REBREM] = {"rebased residual remainder", {AX_B, AX_T, AX_D}},
    [TEN_SQ] = {"square", SITE_TOKEN_WIDTH},
    [TEN_N] = {"normalised row", SITE_TOKEN_WIDTH},
    [TEN_NREM] = {"normalised row remainder", SITE_TOKEN_WIDTH},
    [TEN_NA0] = {"norm a0", SITE_TOKEN},
    [TEN_NA1] = {"norm a1", SITE_TOKEN},
    [TEN_NB0] = {"norm b0", SITE_TOKEN},
    [TEN_NB1] = {"norm b1", SITE_TOKEN},
    [TEN_NC0] = {"norm carry 0", SITE_TOKEN},
    [TEN_NC1] = {"norm carry 1", SITE_TOKEN},
    [TEN_NC2] = {"norm carry 2", SITE_TOKEN},
    [TEN_NS0] = {"norm digit 0", SITE_TOKEN},
    [TEN_NS1] = {"norm digit 1", SITE_TOKEN},
    [TEN_NS2] = {"norm digit 2", SITE_TOKEN},
    [TEN_NF0] = {"norm digit flag 0", SITE_TOKEN},
    [TEN_NF1] = {"norm digit flag 1", SITE_TOKEN},
    [TEN_NR] = {"norm r", SITE_TOKEN},
    [TEN_NDR] = {"norm 2^r", SITE_TOKEN},
    [TEN_NM] = {"norm mantissa", SITE_TOKEN},
    [TEN_NRHO] = {"norm rho", SITE_TOKEN},
    [TEN_NPAR] = {"norm parity", SITE_TOKEN},
    [TEN_NSIG] = {"norm sigma", SITE_TOKEN},
    [TEN_NOVER] = {"norm over", SITE_TOKEN},
    [TEN_NDS] = {"norm 2^sigma", SITE_TOKEN},
    [TEN_NHF] = {"norm half", SITE_TOKEN},
    [TEN_NRT] = {"norm reciprocal root", SITE_TOKEN},
    [TEN_Q] = {"q", LAYER_TOKEN_HEAD},
    [TEN_QREM] = {"q remainder", LAYER_TOKEN_HEAD},
    [TEN_K] = {"k", LAYER_TOKEN_KV},
    [TEN_KREM] = {"k remainder", LAYER_TOKEN_KV},
    [TEN_XSQ] = {"head square", NORMED_TOKEN_ALL},
    [TEN_XN] = {"normalised head", NORMED_TOKEN_ALL},
    [TEN_XNREM] = {"normalised head remainder", NORMED_TOKEN_ALL},
    [TEN_XNA0] = {"head norm a0", NORMED_TOKEN},
    [TEN_XNA1] = {"head norm a1", NORMED_TOKEN},
    [TEN_XNB0] = {"head norm b0", NORMED_TOKEN},
    [TEN_XNB1] = {"head norm b1", NORMED_TOKEN},
    [TEN_XNC0] = {"head norm carry 0", NORMED_TOKEN},
    [TEN_XNC1] = {"head norm carry 1", NORMED_TOKEN},
    [TEN_XNC2] = {"head norm carry 2", NORMED_TOKEN},
    [TEN_XNS0] = {"head norm digit 0", NORMED_TOKEN},
    [TEN_XNS1] = {"head norm digit 1", NORMED_TOKEN},
    [TEN_XNS2] = {"head norm digit 2", NORMED_TOKEN},
    [TEN_XNF0] = {"head norm digit flag 0", NORMED_TOKEN},
    [TEN_XNF1] = {"head norm digit flag 1", NORMED_TOKEN},
    [TEN_XNR] = {"head norm r", NORMED_TOKEN},
    [TEN_XNDR] = {"head norm 2^r", NORMED_TOKEN},
    [TEN_XNM] = {"head norm mantissa", NORMED_TOKEN},
    [TEN_XNRHO] = {"head norm rho", NORMED_TOKEN},
    [TEN_XNPAR] = {"head norm parity", NORMED_TOKEN},
    [TEN_XNSIG] = {"head norm sigma", NORMED_TOKEN},
    [TEN_XNOVER] = {"head norm over", NORMED_TOKEN},
    [TEN_XNDS] = {"head norm 2^sigma", NORMED_TOKEN},
    [TEN_XNHF] = {"head norm half", NORMED_TOKEN},
    [TEN_XNRT] = {"head norm reciprocal root", NORMED_TOKEN},
    [TEN_QG] = {"q times gain", NORMED_TOKEN_HEAD},
    [TEN_QGREM] = {"q times gain remainder", NORMED_TOKEN_HEAD},
    [TEN_KG] = {"k times gain", NORMED_TOKEN_KV},
    [TEN_KGREM] = {"k times gain remainder", NORMED_TOKEN_KV},
    [TEN_V1] = {"v", LAYER_TOKEN_KV},
    [TEN_V0] = {"v, low limb", LAYER_TOKEN_KV},
    [TEN_VREM] = {"v remainder", LAYER_TOKEN_KV},
    [TEN_QR] = {"rotated q", LAYER_TOKEN_HEAD},
    [TEN_QRREM] = {"rotated q remainder", LAYER_TOKEN_HEAD},
    [TEN_KR] = {"rotated k", LAYER_TOKEN_KV},
    [TEN_KRREM] = {"rotated k remainder", LAYER_TOKEN_KV},
    [TEN_EX] = {"attention weight", LAYER_HEAD_CELL},
    [TEN_ZF] = {"attention maximum flag", LAYER_HEAD_CELL},
    [TEN_DREM] = {"distance remainder", LAYER_HEAD_CELL},
    [TEN_CMAX] = {"row maximum", LAYER_HEAD_TOKEN},
    [TEN_ZP] = {"divisor mantissa", LAYER_HEAD_TOKEN},
    [TEN_ZDEL] = {"divisor delta", LAYER_HEAD_TOKEN},
    [TEN_ZDD] = {"divisor 2^delta", LAYER_HEAD_TOKEN},
    [TEN_ZFZ] = {"divisor delta flag", LAYER_HEAD_TOKEN},
    [TEN_ZLOW] = {"divisor low bits", LAYER_HEAD_TOKEN},
    [TEN_Z2] = {"divisor", LAYER_HEAD_TOKEN},
    [TEN_ZH0] = {"divisor half, low", LAYER_HEAD_TOKEN},
    [TEN_ZH1] = {"divisor half, high", LAYER_HEAD_TOKEN},
    [TEN_ZB] = {"divisor parity", LAYER_HEAD_TOKEN},
    [TEN_O1] = {"mixed value", LAYER_TOKEN_HEAD},
    [TEN_O0] = {"mixed value, low limb", LAYER_TOKEN_HEAD},
    [TEN_OREM] = {"mixed value remainder", LAYER_TOKEN_HEAD},
    [TEN_ORHO] = {"mixed value low remainder", LAYER_TOKEN_HEAD},
    [TEN_OC1] = {"mixed value carry, high", LAYER_TOKEN_HEAD},
    [TEN_OC0] = {"mixed value carry, low", LAYER_TOKEN_HEAD},
    [TEN_Y] = {"output projection", LAYER_TOKEN_WIDTH},
    [TEN_YREM] = {"output projection remainder", LAYER_TOKEN_WIDTH},
    [TEN_GATE] = {"gate", LAYER_TOKEN_FF},
    [TEN_GATEREM] = {"gate remainder", LAYER_TOKEN_FF},
    [TEN_SG] = {"SiLU of gate", LAYER_TOKEN_FF},
    [TEN_UP] = {"up", LAYER_TOKEN_FF},
    [TEN_UPREM] = {"up remainder", LAYER_TOKEN_FF},
    [TEN_ACT] = {"gate * up", LAYER_TOKEN_FF},
    [TEN_ACTREM] = {"gate * up remainder", LAYER_TOKEN_FF},
    [TEN_DOWN] = {"down", LAYER_TOKEN_WIDTH},
    [TEN_DOWNREM] = {"down remainder", LAYER_TOKEN_WIDTH},
    [TEN_NG] = {"final row", {AX_P, AX_D}},
    [TEN_NGREM] = {"final row remainder", {AX_P, AX_D}},
    [TEN_LM] = {"claimed logit", {AX_P}},
    [TEN_LHI] = {"logit difference, high", {AX_P, AX_V}},
    [TEN_LLO] = {"logit difference, low", {AX_P, AX_V}},
    [TEN_GAP] = {"gap", {AX_C}},
    [TEN_GREM] = {"gap remainder", {AX_C}},
    [TEN_GZ] = {"gap flag", {AX_C}},
    [TEN_GSP] = {"gap spare", {AX_C}},
};

const char *assay_tensor_name(assay_tensor t)
{
    return infos[t].name;
}

const assay_axis *assay_tensor_axes(assay_tensor t)
{
    return infos[t].axes;
}

uint32_t assay_rebase_count(const assay_model_config *cfg)
{
    uint32_t n = 0;
    for (uint32_t j = 1; j < model_sites(cfg); j++) n += cfg->unit[j] < cfg->unit[j - 1];
    return n;
}

int assay_rebase_index(const assay_model_config *cfg, uint32_t site)
{
    int n = 0;
    if (site == 0 || site >= model_sites(cfg) || cfg->unit[site] >= cfg->unit[site - 1]) return -1;
    for (uint32_t j = 1; j < site; j++) n += cfg->unit[j] < cfg->unit[j - 1];
    return n;
}

void assay_run_shape_init(assay_run_shape *r, const assay_model_config *cfg, uint32_t n_prompt, uint32_t n_tokens,
                          bool gap)
{
    r->cfg = cfg;
    r->n_prompt = n_prompt;
    r->n_tokens = n_tokens;
    r->n_checked = n_tokens - n_prompt + 1;
    r->n_rebase = assay_rebase_count(cfg);
    r->n_gap = gap ? r->n_checked : 0;
}

uint32_t assay_axis_extent(const assay_run_shape *r, assay_axis a)
{
    switch (a) {
    case AX_L:
        return r->cfg->n_layers;
    case AX_S:
        return model_sites(r->cfg);
    case AX_B:
        return r->n_rebase;
    case AX_T:
    case AX_I:
    case AX_J:
        return r->n_tokens;
    case AX_P:
        return r->n_checked;
    case AX_C:
        return r->n_gap;
    case AX_D:
        return r->cfg->d;
    case AX_F:
        return r->cfg->ff;
    case AX_H:
        return r->cfg->n_heads;
    case AX_G:
        return r->cfg->n_kv;
    case AX_E:
        return r->cfg->head_dim;
    case AX_V:
        return r->cfg->vocab;
    case AX_U:
        return model_has_head_norms(r->cfg) ? r->cfg->n_layers : 0;
    case AX_A:
        return r->cfg->n_heads + r->cfg->n_kv;
    case AX_NONE:
        break;
    }
    return 1;
}

uint64_t assay_tensor_cells(const assay_run_shape *r, assay_tensor t)
{
    uint64_t n = 1;
    if (t == TEN_DREM && model_dist_rem_bits(r->cfg) == 0) return 0;
    for (int k = 0; k < 4 && infos[t].axes[k] != AX_NONE; k++) {
        assay_axis a = infos[t].axes[k];
        if (a == AX_I) return n * ((uint64_t)r->n_tokens * (r->n_tokens + 1) / 2);
        n *= assay_axis_extent(r, a);
    }
    return n;
}
