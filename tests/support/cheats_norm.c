/* SPDX-License-Identifier: Apache-2.0 */
/* One row of a norm, from any point of its relations on. */
#include "support/cheats.h"

static assay_norm_kind kind_of(const cheater *c)
{
    return c->what->t >= TEN_XSQ && c->what->t <= TEN_XNRT ? NORM_HEADS : NORM_RESIDUAL;
}

static uint32_t rows_of_token(const cheater *c)
{
    const assay_model_config *m = cheat_config(c);
    return kind_of(c) == NORM_HEADS ? m->n_heads + m->n_kv : 1;
}

uint32_t cheat_norm_rows_of(const cheater *c)
{
    return c->n_tokens * rows_of_token(c);
}

int32_t *cheat_norm_at(const cheat_norm *n, assay_tensor t)
{
    return n->v[tensor_of_norm(n->kind, t)] + n->row;
}

int32_t *cheat_norm_cell(const cheat_norm *n, assay_tensor t, uint32_t k)
{
    return n->v[tensor_of_norm(n->kind, t)] + (size_t)n->row * n->n + k;
}

cheat_norm cheat_norm_row(const cheater *c, int32_t *const *v, uint32_t row)
{
    const assay_model_config *m = cheat_config(c);
    const assay_norm_kind kind = kind_of(c);
    cheat_norm n = {.c = c,
                    .v = v,
                    .kind = kind,
                    .index = c->what->index,
                    .row = row,
                    .n = kind == NORM_HEADS ? m->head_dim : m->d};
    for (uint32_t k = 0; k < n.n && k < STAGE_WIDTH; k++) {
        int64_t lhs =
            (int64_t)*cheat_norm_cell(&n, TEN_N, k) * *cheat_norm_at(&n, TEN_NDS) + *cheat_norm_cell(&n, TEN_NREM, k);
        n.h[k] = (int32_t)((lhs - *cheat_norm_at(&n, TEN_NHF)) / *cheat_norm_at(&n, TEN_NRT));
    }
    return n;
}

cheat_norm cheat_norm_open(const cheater *c, int32_t *const *v, uint32_t token)
{
    const uint32_t heads = rows_of_token(c);
    return cheat_norm_row(c, v, token * heads + (heads > 1 ? c->what->at / cheat_config(c)->head_dim : 0));
}

void cheat_norm_rows(const cheat_norm *n)
{
    const int64_t scale = *cheat_norm_at(n, TEN_NDS);
    for (uint32_t k = 0; k < n->n; k++) {
        int64_t sum = (int64_t)n->h[k] * *cheat_norm_at(n, TEN_NRT) + *cheat_norm_at(n, TEN_NHF);
        int64_t rem = (sum % scale + scale) % scale;
        *cheat_norm_cell(n, TEN_N, k) = (int32_t)((sum - rem) / scale);
        *cheat_norm_cell(n, TEN_NREM, k) = (int32_t)rem;
    }
}

static int32_t unit_of(const cheat_norm *n)
{
    const assay_model_config *m = cheat_config(n->c);
    if (n->kind == NORM_HEADS) return m->layer[n->index].fnh;
    return n->index == 2 * m->n_layers ? m->fn_final
           : n->index & 1              ? m->layer[n->index / 2].fn2
                                       : m->layer[n->index / 2].fn1;
}

void cheat_norm_scale(const cheat_norm *n, int exponent)
{
    const assay_model_config *m = cheat_config(n->c);
    const int32_t g = exponent + 2 * (m->rs_t - unit_of(n)), raw = g >> 1,
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

int cheat_norm_exponent(const cheat_norm *n)
{
    return 15 * (*cheat_norm_at(n, TEN_NF1) ? 1 : *cheat_norm_at(n, TEN_NF0) ? 0 : 2) + *cheat_norm_at(n, TEN_NR);
}
