/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the score relation: Y[l,h,j,e] = sum_(i >= j) w(i,j,l,h) QR[l,i,h,e] and KR gathered to query heads;
 * docs/protocol.md §7.4. Inside a box w is a product, so Y costs one pass over the box's rows and one over its columns.
 */
#include "cp/prover.h"
#include "poly/eq.h"
#include <string.h>

typedef struct score {
    assay_cp_prover *p;
    assay_cp *cp;
    size_t n0, n1, n2; /* padded extents of e, j, h */
    kel *w_i, *w_j;    /* eq weights of the box's token ranges */
    assay_kvec row;    /* E entries */
} score;

static void add_box(score *s, const assay_box *b, unsigned depth)
{
    const assay_run_shape *r = &s->cp->shape->run;
    const assay_model_config *c = r->cfg;
    const assay_backend *be = s->p->be;
    const kel *leaf = s->cp->leaf_point;
    unsigned hb = b->log_len[3], lb = b->log_len[2], jb = b->log_len[1], ib = b->log_len[0];
    kel base = assay_box_weight(b, leaf, depth);
    assay_eq_table(s->w_j, leaf + hb + lb, jb);
    assay_eq_table(s->w_i, leaf + hb + lb + jb, ib);
    for (uint32_t x = 0; x < (uint32_t)1 << (lb + hb); x++) {
        uint32_t h = b->start[3] + (x & (((uint32_t)1 << hb) - 1)), l = b->start[2] + (x >> hb);
        kel scale = k_mul(base, assay_eq_index(leaf, hb + lb, x));
        for (int k = 0; k < K_WORDS; k++) memset(s->row.c[k], 0, s->row.n * sizeof(uint32_t));
        for (uint32_t i = 0; i < (uint32_t)1 << ib; i++) {
            const uint32_t *q =
                s->p->w->ten[TEN_QR] + (((size_t)l * r->n_tokens + b->start[0] + i) * c->n_heads + h) * c->head_dim;
            be->kf_axpy(be, &s->row, k_mul(scale, s->w_i[i]), q, c->head_dim);
        }
        for (uint32_t j = 0; j < (uint32_t)1 << jb; j++) {
            size_t at = s->n0 * (b->start[1] + j + s->n1 * (h + s->n2 * l));
            assay_kvec y = assay_kvec_at(&s->p->dot.a[0], at, c->head_dim);
            be->k_axpy(be, &y, s->w_j[j], &s->row, c->head_dim);
        }
    }
}

void assay_prover_score_tables(assay_cp_prover *p, assay_cp *cp, uint32_t instance)
{
    const assay_run_shape *r = &cp->shape->run;
    const assay_model_config *c = r->cfg;
    const assay_instance *in = &cp->shape->instance[instance];
    unsigned eb = layout_ceil_log2(c->head_dim), tb = layout_ceil_log2(r->n_tokens), hb = layout_ceil_log2(c->n_heads),
             lb = layout_ceil_log2(c->n_layers);
    score s = {p, cp, (size_t)1 << eb, (size_t)1 << tb, (size_t)1 << hb, NULL, NULL, {{0}, 0, NULL, 0}};
    size_t n = (size_t)c->n_layers << (eb + tb + hb);
    s.w_i = assay_mem_alloc((size_t)1 << tb, sizeof(kel));
    s.w_j = assay_mem_alloc((size_t)1 << tb, sizeof(kel));
    bool ok = assay_kvec_new(&s.row, c->head_dim) && s.w_i && s.w_j;
    if (!ok) assay_channel_fail(p->ch, ASSAY_ENOMEM);
    ok = ok && assay_prover_dot(p, 1, n, eb + tb + hb + lb);
    for (uint32_t k = 0; k < in->n_part && ok; k++) {
        const assay_family *f = &cp->shape->family[in->part[k].family];
        for (uint32_t b = in->part[k].first_box; f->comp[0].virt == VIRT_SCORE && b < in->part[k].end_box; b++)
            add_box(&s, &f->grid.box[b], assay_gkr_depth(in->n_leaves));
    }
    for (uint32_t l = 0; l < c->n_layers && ok; l++)
        for (uint32_t h = 0; h < c->n_heads; h++)
            for (uint32_t j = 0; j < r->n_tokens; j++)
                memcpy(p->dot.b[0].c[0] + s.n0 * (j + s.n1 * (h + s.n2 * l)),
                       p->w->ten[TEN_KR] +
                           (((size_t)l * r->n_tokens + j) * c->n_kv + h / (c->n_heads / c->n_kv)) * c->head_dim,
                       c->head_dim * sizeof(uint32_t));
    assay_kvec_free(&s.row);
    assay_mem_free(s.w_i);
    assay_mem_free(s.w_j);
}
