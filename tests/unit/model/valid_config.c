/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/model/valid_config.h"
#include "base/mem.h"

void valid_config(assay_model_config *c)
{
    *c = (assay_model_config){.family = 1,
                              .n_layers = 2,
                              .d = 8,
                              .n_heads = 4,
                              .n_kv = 2,
                              .head_dim = 4,
                              .ff = 6,
                              .vocab = 11,
                              .max_positions = 64,
                              .tied = 1,
                              .rope_theta_q16 = 10000ull << 16,
                              .eps_q60 = 11529215046069ull,
                              .bos = 9,
                              .n_stop = 2,
                              .stop = {3, 10},
                              .n_bits = 15,
                              .score_f = 9,
                              .dist_bits = 16,
                              .cos_bits = 12,
                              .e_bits = 12,
                              .z_bits = 19,
                              .o_guard = 1,
                              .rsqrt_in = 12,
                              .rsqrt_out = 12,
                              .resid_bits = 16,
                              .f_embed = 11,
                              .f_head = 11,
                              .f_gf = 11,
                              .fn_final = 9,
                              .ng = {16, 11, 9},
                              .logit_f = 20};
    c->rs_t = assay_model_rsqrt_unit(c->d);
    c->unit = assay_mem_alloc(5, sizeof *c->unit);
    c->eps_term = assay_mem_alloc(5, sizeof *c->eps_term);
    c->layer = assay_mem_alloc(2, sizeof *c->layer);
    for (int j = 0; j < 5; j++) {
        c->unit[j] = 13 - j;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
    }
    for (int l = 0; l < 2; l++)
        c->layer[l] = (assay_layer_config){.q = {13, 15, 10},
                                           .k = {12, 16, 7},
                                           .v = {10, 16, 7},
                                           .qr = {9, 16, 6},
                                           .kr = {8, 16, 3},
                                           .o = {15, 9, 8},
                                           .gate = {12, 16, 8},
                                           .up = {16, 14, 10},
                                           .act = {16, 12, 10},
                                           .down = {15, 11, 8},
                                           .fn1 = 10,
                                           .fn2 = 10,
                                           .fsg = 12};
}

void valid_config_norm_heads(assay_model_config *c)
{
    c->parts |= ASSAY_PART_QK_NORM;
    for (int l = 0; l < 2; l++) {
        assay_layer_config *y = &c->layer[l];
        y->qg = (assay_site){12, 14, 10};
        y->kg = (assay_site){11, 15, 7};
        y->fnh = 9;
        y->q.f = 12, y->k.f = 11; /* of no unit that a rotation would need */
    }
}
