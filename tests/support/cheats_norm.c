/* SPDX-License-Identifier: Apache-2.0 */
/* A norm of one token, from any point of its relations on. */
#include "support/cheats.h"

int32_t *cheat_norm_at(const cheat_norm *n, assay_tensor t)
{
    return n->v[t] + n->token;
}

cheat_norm cheat_norm_open(const cheater *c, int32_t *const *v, uint32_t token)
{
    cheat_norm n = {.c = c, .v = v, .site = c->what->index, .token = token};
    const uint32_t d = cheat_config(c)->d;
    for (uint32_t k = 0; k < d && k < STAGE_WIDTH; k++) {
        int64_t lhs = (int64_t)v[TEN_N][token * d + k] * *cheat_norm_at(&n, TEN_NDS) + v[TEN_NREM][token * d + k];
        n.h[k] = (int32_t)((lhs - *cheat_norm_at(&n, TEN_NHF)) / *cheat_norm_at(&n, TEN_NRT));
    }
    return n;
}

void cheat_norm_rows(const cheat_norm *n)
{
    const uint32_t d = cheat_config(n->c)->d;
    const int64_t scale = *cheat_norm_at(n, TEN_NDS);
    for (uint32_t k = 0; k < d; k++) {
        int64_t sum = (int64_t)n->h[k] * *cheat_norm_at(n, TEN_NRT) + *cheat_norm_at(n, TEN_NHF);
        int64_t rem = (sum % scale + scale) % scale;
        n->v[TEN_N][n->token * d + k] = (int32_t)((sum - rem) / scale);
        n->v[TEN_NREM][n->token * d + k] = (int32_t)rem;
    }
}

void cheat_norm_scale(const cheat_norm *n, int exponent)
{
    const assay_model_config *m = cheat_config(n->c);
    const int32_t fn = n->site == 2 * m->n_layers ? m->fn_final
                       : n->site & 1              ? m->layer[n->site / 2].fn2
                                                  : m->layer[n->site / 2].fn1;
    const int32_t g = exponent + 2 * (m->rs_t - fn), raw = g >> 1,
                  sigma = raw < ASSAY_SIGMA_MAX ? raw : ASSAY_SIGMA_MAX;
    const int32_t rows = 1 << (m->rsqrt_in - 1);
    *cheat_norm_at(n, TEN_NPAR) = g & 1;
    *cheat_norm_at(n, TEN_NSIG) = sigma;
    *cheat_norm_at(n, TEN_NOVER) = raw - sigma;
    *cheat_norm_at(n, TEN_NDS) = 1 << sigma;
    *cheat_norm_at(n, TEN_NHF) = (1 << sigma) >> 1;
    *cheat_norm_at(n, TEN_NRT) =
        n->c->st->tables
            .rsqrt[(size_t)((raw - sigma) * 2 + (g & 1)) * (size_t)rows + (size_t)(*cheat_norm_at(n, TEN_NM) - rows)];
    cheat_norm_rows(n);
}

void cheat_norm_window(const cheat_norm *n, int a, int r, int64_t window)
{
    *cheat_norm_at(n, TEN_NF0) = a == 0;
    *cheat_norm_at(n, TEN_NF1) = a == 1;
    *cheat_norm_at(n, TEN_NR) = r;
    *cheat_norm_at(n, TEN_NDR) = 1 << r;
    *cheat_norm_at(n, TEN_NM) = (int32_t)(window >> r);
    *cheat_norm_at(n, TEN_NRHO) = (int32_t)(window & ((1 << r) - 1));
    cheat_norm_scale(n, 15 * a + r);
}

void cheat_norm_redo(const cheat_norm *n)
{
    const int64_t s[5] = {*cheat_norm_at(n, TEN_NS0), *cheat_norm_at(n, TEN_NS1), *cheat_norm_at(n, TEN_NS2),
                          *cheat_norm_at(n, TEN_NC2), 0};
    const int64_t total = s[0] + s[1] * (1 << 15) + s[2] * (1 << 30) + s[3] * ((int64_t)1 << 45);
    int e = -cheat_config(n->c)->rsqrt_in;
    for (int64_t x = total; x > 0; x >>= 1) e++;
    cheat_norm_window(n, e / 15, e % 15, s[e / 15] + s[e / 15 + 1] * (1 << 15));
}

void cheat_norm_carry(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, TEN_N, w->token, w->at) += w->by;
    *cheat_cell(c, v, TEN_NREM, w->token, w->at) -= w->by * *cheat_cell(c, v, TEN_NDS, w->token, 0);
}
