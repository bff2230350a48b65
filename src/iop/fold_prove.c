/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's row fold, sum_row eq(row point, row) stack_row, and the mask over it. */
#include "base/mem.h"
#include "iop/merge_prove.h"
#include "poly/eq.h"

assay_status assay_merge_prover_fold(const assay_merge_shape *shape, const assay_merge_prover *mp,
                                     const assay_merge_result *at, assay_kvec *u, kel out[3])
{
    const assay_backend *be = mp->be;
    size_t n = (size_t)1 << shape->c, n_stack = 2 + shape->n_rows;
    unsigned n_vars = shape->c + shape->row_bits;
    assay_kvec ez = {{0}, 0, NULL, 0};
    kel *er = (kel *)assay_mem_alloc(n_stack, sizeof *er);
    bool made = er && assay_kvec_new_raw(&ez, n) && assay_kvec_new(u, n);
    if (made) {
        assay_eq_prefix(er, n_stack, at->point + shape->c, shape->row_bits);
        be->k_axpy(be, u, er[0], mp->p, n);
        be->k_axpy(be, u, er[1], mp->r, n);
        be->kf_axpy_many(be, u, er + 2, mp->rows, shape->n_rows, n);
        be->k_eq(be, &ez, k_one(), at->point, shape->c);
        out[0] = be->k_dot(be, &ez, u, n);
        out[1] = be->k_dot(be, &ez, mp->m, n);
        out[2] = k_zero();
        for (size_t i = 0; i <= 2 * (size_t)n_vars; i++) out[2] = k_add(out[2], k_mul(at->prefix[i], kvec_get(u, i)));
    }
    assay_mem_free(er);
    assay_kvec_free(&ez);
    return made ? ASSAY_OK : ASSAY_ENOMEM;
}

void assay_merge_prover_mask(const assay_merge_shape *shape, const assay_merge_prover *mp, kel eps, assay_kvec *u)
{
    size_t n = (size_t)1 << shape->c;
    mp->be->k_scale(mp->be, u, eps, n);
    mp->be->k_add(mp->be, u, mp->m, n);
}
