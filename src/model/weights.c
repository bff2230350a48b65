/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of integer weights and biases: one block, each array on its own cache line. */
#include "model/weights.h"
#include "base/large_pages.h"
#include "base/mem.h"

enum { LINE = 64 };

static size_t padded(size_t n, size_t each)
{
    return (n * each + LINE - 1) / LINE * LINE;
}

static size_t weight_bytes(const assay_weight_array *a)
{
    return padded((size_t)a->rows * a->cols, sizeof(int16_t));
}

uint32_t assay_bias_count(const assay_model_config *c)
{
    return c->parts & ASSAY_PART_BIAS ? ASSAY_LAYER_BIASES * c->n_layers : 0;
}

assay_bias_array assay_bias_at(assay_model *m, uint32_t i)
{
    const assay_model_config *c = &m->cfg;
    assay_layer_weights *w = &m->layer[i / ASSAY_LAYER_BIASES];
    uint32_t q = c->n_heads * c->head_dim, kv = c->n_kv * c->head_dim;
    const assay_bias_array all[ASSAY_LAYER_BIASES] = {{&w->bq, q}, {&w->bk, kv}, {&w->bv, kv}};
    return all[i % ASSAY_LAYER_BIASES];
}

uint64_t assay_bias_total(const assay_model_config *c)
{
    uint64_t layer = ((uint64_t)c->n_heads + 2 * (uint64_t)c->n_kv) * c->head_dim;
    return assay_bias_count(c) / ASSAY_LAYER_BIASES * layer;
}

uint32_t assay_weight_count(const assay_model_config *c)
{
    return assay_weight_first(c) + (c->fixed_first ? 2u : 0u);
}

static assay_weight_array layer_array(assay_layer_weights *w, const assay_model_config *c, uint32_t which)
{
    uint32_t q = c->n_heads * c->head_dim, kv = c->n_kv * c->head_dim;
    const assay_weight_array all[ASSAY_LAYER_ARRAYS] = {
        {&w->q, q, c->d},        {&w->k, kv, c->d},        {&w->v, kv, c->d},
        {&w->o, c->d, q},        {&w->gate, c->ff, c->d},  {&w->up, c->ff, c->d},
        {&w->down, c->d, c->ff}, {&w->nq, 1, c->head_dim}, {&w->nk, 1, c->head_dim}};
    return all[which];
}

assay_weight_array assay_weight_at(assay_model *m, uint32_t i)
{
    const assay_model_config *c = &m->cfg;
    if (i == 0) return (assay_weight_array){&m->embed, c->vocab, c->d};
    if (i >= assay_weight_first(c))
        return (assay_weight_array){i == assay_weight_first(c) ? &m->first_k : &m->first_v, c->n_layers,
                                    c->n_kv * c->head_dim};
    if (c->tied) i++;
    if (i == 1) return (assay_weight_array){&m->head, c->vocab, c->d};
    if (i == 2) return (assay_weight_array){&m->gf, 1, c->d};
    const uint32_t n = assay_layer_arrays(c->parts);
    return layer_array(&m->layer[(i - 3) / n], c, (i - 3) % n);
}

uint64_t assay_weight_total(const assay_model_config *c)
{
    uint64_t q = (uint64_t)c->n_heads * c->head_dim, kv = (uint64_t)c->n_kv * c->head_dim, d = c->d;
    return (c->tied ? 1 : 2) * c->vocab * d + d + c->n_layers * d * (2 * q + 2 * kv + 3 * (uint64_t)c->ff) +
           (model_has_head_norms(c) ? 2 * (uint64_t)c->n_layers * c->head_dim : 0) +
           (c->fixed_first ? 2 * c->n_layers * kv : 0);
}

void assay_weights_clear(assay_model *m)
{
    assay_mem_free_secret(m->own, m->own_bytes);
    assay_mem_free(m->layer);
    m->own = NULL;
    m->own_bytes = 0;
    m->layer = NULL;
    m->embed = m->head = m->gf = m->first_k = m->first_v = NULL;
}

void assay_model_clear(assay_model *m)
{
    assay_weights_clear(m);
    assay_model_config_clear(&m->cfg);
}

assay_status assay_model_alloc(assay_model *m, assay_errinfo *err)
{
    size_t total = 0;
    if (m->own) return ASSAY_FAIL(err, ASSAY_EINVAL, "weights", "are allocated already");
    m->layer = assay_mem_alloc(m->cfg.n_layers, sizeof *m->layer);
    for (uint32_t i = 0; m->layer && i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        total += weight_bytes(&a);
    }
    for (uint32_t i = 0; m->layer && i < assay_bias_count(&m->cfg); i++)
        total += padded(assay_bias_at(m, i).n, sizeof(int32_t));
    m->own = assay_mem_alloc(total, 1);
    assay_large_pages(m->own, total);
    if (!m->own) {
        assay_weights_clear(m);
        return ASSAY_FAIL1(err, ASSAY_ENOMEM, "weights", "out of memory (values)", assay_weight_total(&m->cfg));
    }
    m->own_bytes = total;
    uint8_t *at = m->own;
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        *a.slot = (int16_t *)(void *)at;
        at += weight_bytes(&a);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(m, i);
        *a.slot = (int32_t *)(void *)at;
        at += padded(a.n, sizeof(int32_t));
    }
    if (m->cfg.tied) m->head = m->embed;
    return ASSAY_OK;
}
