/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a checkpoint as a list. */
#include "model/checkpoint_slots.h"
#include "base/mem.h"
#include "base/subject.h"
#include <stdlib.h>
#include <string.h>

static assay_slot layer_slot(assay_checkpoint *ck, uint32_t layer, uint32_t which)
{
    const assay_hf_config *c = &ck->cfg;
    assay_checkpoint_layer *w = &ck->layer[layer];
    uint32_t e = c->head_dim, q = c->n_heads * e, kv = c->n_kv * e;
    if (which >= ASSAY_SLOT_BQ && which < 12 && !(c->parts & ASSAY_PART_BIAS)) return (assay_slot){0};
    if (which >= 12 && !(c->parts & ASSAY_PART_QK_NORM)) return (assay_slot){0};
    const assay_slot all[ASSAY_LAYER_TENSORS] = {{&w->g1, 1, c->d, 0},
                                                 {&w->q, q, c->d, ASSAY_SLOT_Q},
                                                 {&w->k, kv, c->d, ASSAY_SLOT_K},
                                                 {&w->v, kv, c->d, 3},
                                                 {&w->o, c->d, q, 4},
                                                 {&w->g2, 1, c->d, 5},
                                                 {&w->gate, c->ff, c->d, 6},
                                                 {&w->up, c->ff, c->d, 7},
                                                 {&w->down, c->d, c->ff, 8},
                                                 {&w->bq, 1, q, ASSAY_SLOT_BQ},
                                                 {&w->bk, 1, kv, ASSAY_SLOT_BK},
                                                 {&w->bv, 1, kv, 11},
                                                 {&w->nq, 1, e, 12},
                                                 {&w->nk, 1, e, 13}};
    return all[which];
}

static assay_slot end_slot(assay_checkpoint *ck, uint32_t which)
{
    const assay_hf_config *c = &ck->cfg;
    const assay_slot all[ASSAY_END_TENSORS] = {
        {&ck->embed, c->vocab, c->d, 0}, {&ck->gf, 1, c->d, 0}, {&ck->head, c->vocab, c->d, 0}};
    return all[which];
}

static void slot_name(char out[ASSAY_TENSOR_NAME_BYTES], const assay_tensor_names *names, uint32_t layer,
                      uint32_t which)
{
    snprintf(out, ASSAY_TENSOR_NAME_BYTES, "%s%u.%s", names->prefix, (unsigned)layer, names->layer[which]);
}

assay_slot assay_checkpoint_slot(assay_checkpoint *ck, const assay_tensor_names *names, const char *name)
{
    char full[ASSAY_TENSOR_NAME_BYTES], *end;
    size_t n_prefix = strlen(names->prefix);
    for (uint32_t i = 0; i < ASSAY_END_TENSORS; i++)
        if (strcmp(name, names->end[i]) == 0) return end_slot(ck, i);
    if (strncmp(name, names->prefix, n_prefix) != 0) return (assay_slot){0};
    unsigned long layer = strtoul(name + n_prefix, &end, 10);
    if (*end != '.' || layer >= ck->cfg.n_layers) return (assay_slot){0};
    for (uint32_t i = 0; i < ASSAY_LAYER_TENSORS; i++) {
        slot_name(full, names, (uint32_t)layer, i);
        if (strcmp(name, full) == 0) return layer_slot(ck, (uint32_t)layer, i);
    }
    return (assay_slot){0};
}

static assay_status refuse(assay_errinfo *err, assay_status s, const char *file, const char *name, const char *reason)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL(err, s, subject_of(subject, file, name), reason);
}

assay_status assay_slot_alloc(assay_slot to, const char *file, const char *name, assay_errinfo *err)
{
    if (*to.at) return refuse(err, ASSAY_EFORMAT, file, name, "comes twice");
    *to.at = assay_mem_alloc_raw((size_t)to.rows * to.cols, sizeof(float));
    return *to.at ? ASSAY_OK : refuse(err, ASSAY_ENOMEM, file, name, "out of memory");
}

assay_status assay_checkpoint_complete(assay_checkpoint *ck, const assay_tensor_names *names, const char *file,
                                       assay_errinfo *err)
{
    static const char reason[] = "is missing";
    char name[ASSAY_TENSOR_NAME_BYTES];
    if (ck->cfg.tied) ck->head = ck->embed;
    for (uint32_t i = 0; i < ASSAY_END_TENSORS; i++)
        if (!*end_slot(ck, i).at) return refuse(err, ASSAY_EFORMAT, file, names->end[i], reason);
    for (uint32_t l = 0; l < ck->cfg.n_layers; l++) {
        for (uint32_t i = 0; i < ASSAY_LAYER_TENSORS; i++) {
            float **at = layer_slot(ck, l, i).at;
            if (!at || *at) continue;
            slot_name(name, names, l, i);
            return refuse(err, ASSAY_EFORMAT, file, name, reason);
        }
    }
    return ASSAY_OK;
}

static void free_slot(assay_slot s)
{
    if (!s.at) return;
    assay_mem_free_secret(*s.at, (size_t)s.rows * s.cols * sizeof(float));
    *s.at = NULL;
}

void assay_checkpoint_clear(assay_checkpoint *ck)
{
    if (ck->head == ck->embed) ck->head = NULL;
    for (uint32_t i = 0; i < ASSAY_END_TENSORS; i++) free_slot(end_slot(ck, i));
    for (uint32_t l = 0; ck->layer && l < ck->cfg.n_layers; l++)
        for (uint32_t i = 0; i < ASSAY_LAYER_TENSORS; i++) free_slot(layer_slot(ck, l, i));
    assay_mem_free(ck->layer);
    *ck = (assay_checkpoint){0};
}
