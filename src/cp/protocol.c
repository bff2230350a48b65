/* SPDX-License-Identifier: Apache-2.0 */
/* Frame, statement block and position claims; docs/protocol.md §8.1, §9, §11. */
#include "cp/protocol.h"

#include "base/mem.h"
#include "poly/eq.h"
#include <string.h>

/* Runs the statement's text to count hidden messages and products. */
static assay_status make_plan(assay_frame *f, assay_errinfo *err)
{
    assay_channel ch;
    assay_cp cp;
    memset(&cp, 0, sizeof cp);
    assay_channel_init(&ch, ASSAY_PLAN, NULL, NULL);
    cp.shape = &f->shape;
    assay_functional_init(&cp.fn, &f->shape, true);
    assay_status s = assay_iop_new(&cp.iop, &ch, NULL, NULL, NULL, NULL, err);
    if (s != ASSAY_OK) return s;
    assay_statement_run(&cp);
    assay_iop_product_list(cp.iop);
    assay_iop_plan_get(cp.iop, &f->plan);
    if (ch.status != ASSAY_OK) s = ASSAY_FAIL(err, ch.status, "plan", "out of memory");
    if (s == ASSAY_OK && f->plan.n_products) {
        f->products = assay_mem_alloc(f->plan.n_products, sizeof *f->products);
        if (f->products)
            memcpy(f->products, assay_iop_products(cp.iop), f->plan.n_products * sizeof *f->products);
        else
            s = ASSAY_FAIL(err, ASSAY_ENOMEM, "plan", "out of memory");
    }
    assay_iop_free(cp.iop);
    assay_functional_clear(&cp.fn);
    return s;
}

assay_status assay_frame_plan(assay_frame *f, const assay_public *pub, const assay_request *rq,
                              const assay_gap_bounds *gap, uint64_t leaf_limit, assay_errinfo *err)
{
    memset(f, 0, sizeof *f);
    assay_status s = assay_request_check(rq, &pub->cfg, err);
    if (s != ASSAY_OK) return s;
    s = assay_cp_shape_init(&f->shape, &pub->cfg, &pub->params, rq->n_prompt, rq->n_tokens, gap, leaf_limit, err);
    if (s == ASSAY_OK) s = make_plan(f, err);
    if (s == ASSAY_OK) s = assay_cp_shape_close(&f->shape, iop_plan_cells(&f->plan), err);
    if (s == ASSAY_OK && f->shape.params.c + f->shape.row_bits > ASSAY_MAX_STACK_VARS)
        s = ASSAY_FAIL(err, ASSAY_ERANGE, "request", "is too large for one proof");
    if (s != ASSAY_OK) assay_frame_clear(f);
    return s;
}

assay_status assay_frame_init(assay_frame *f, const assay_public *pub, const assay_request *rq,
                              const assay_gap_bounds *gap, uint64_t leaf_limit, assay_errinfo *err)
{
    assay_status s = assay_frame_plan(f, pub, rq, gap, leaf_limit, err);
    if (s == ASSAY_OK && (s = assay_cp_shape_place(&f->shape, err)) != ASSAY_OK) assay_frame_clear(f);
    return s;
}

void assay_frame_clear(assay_frame *f)
{
    assay_cp_shape_clear(&f->shape);
    assay_mem_free(f->products);
    memset(f, 0, sizeof *f);
}

assay_status assay_statement_block(assay_writer *w, const assay_public *pub, const assay_request *rq,
                                   const assay_frame *f, assay_errinfo *err)
{
    const assay_cp_shape *s = &f->shape;
    const uint32_t layout[] = {pub->params.c,    pub->params.a,      pub->params.jb,   s->n_rows,
                               f->plan.n_hidden, f->plan.n_products, f->plan.n_claims, s->n_instance};
    assay_write_bytes(w, "assay cp 1", 10);
    assay_write_u32(w, pub->params.security);
    assay_write_bytes(w, pub->id, 32);
    assay_write_bytes(w, pub->cfg_hash, 32);
    assay_write_bytes(w, pub->root, 32);
    assay_gap_bounds_encode(w, &s->gap);
    assay_write_u32(w, rq->n_context);
    assay_write_bytes(w, rq->context, rq->n_context);
    assay_write_u32(w, rq->n_prompt);
    assay_write_u32(w, rq->n_tokens);
    for (uint32_t i = 0; i <= rq->n_tokens; i++) assay_write_u32(w, rq->ids[i]);
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++) assay_write_u32(w, layout[i]);
    for (uint32_t i = 0; i < s->n_instance; i++) assay_write_u64(w, s->instance[i].n_leaves);
    return w->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "statement", "out of memory") : ASSAY_OK;
}

assay_status assay_position_claims(const assay_frame *f, const assay_points *pt, const assay_merge_result *mr,
                                   const uint64_t *pos, size_t n, const uint32_t *weights, const uint32_t *witness,
                                   assay_tail_claim *out)
{
    const assay_commit_params *cm = &f->shape.params;
    const assay_merge_shape shape = frame_merge_shape(f);
    size_t n_w = (size_t)1 << cm->jb, n_x = frame_columns(f);
    kel *ej = assay_mem_alloc(n_w, sizeof *ej), *er = assay_mem_alloc((size_t)1 << shape.row_bits, sizeof *er);
    assay_status s = ej && er ? ASSAY_OK : ASSAY_ENOMEM;
    if (s == ASSAY_OK) {
        assay_eq_table(ej, pt->j, cm->jb);
        assay_eq_table(er, mr->point + shape.c, shape.row_bits);
        for (size_t i = 0; i < n; i++) {
            kel p = k_zero();
            for (size_t j = 0; j < n_w; j++) p = k_add(p, k_mul_f(ej[j], weights[i * n_w + j]));
            kel v = assay_merge_position_value(&shape, mr, er, p, witness + i * n_x);
            out[i] = (assay_tail_claim){ASSAY_FUN_POSITION, NULL, 0, pos[i], v};
        }
    }
    assay_mem_free(ej);
    assay_mem_free(er);
    return s;
}
