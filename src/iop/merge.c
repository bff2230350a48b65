/* SPDX-License-Identifier: Apache-2.0 */
/* Merge and fold, one text for both parties (docs/protocol.md, "Merge" and "Fold").
 *
 * With n = c + row_bits and the mask polynomial s(x) = M0 + sum_i (M[2i+1] x_i + M[2i+2] x_i^2), a sumcheck in clear
 * proves value + rho Sigma = sum over {0,1}^n of  phi(x) stack(x) + rho s(x). At its point (z, row) the stack's value
 * is e = <eq(z), fold>, fold = sum_row eq(row, .) stack_row; s there is not sent but follows: sigma = (last claim - phi
 * e) / rho, and must be <prefix, M>. Then u = M + eps fold carries both claims. */
#include "iop/merge_ops.h"

/* The mask's 2n+1 coefficients must fit a row, and the rows must fit the row bits. */
static bool shape_fits(const assay_merge_shape *shape)
{
    unsigned n = shape->c + shape->row_bits;
    return shape->c <= 30 && n <= ASSAY_MAX_STACK_VARS && 2 * (size_t)n + 1 <= (size_t)1 << shape->c &&
           2 + shape->n_rows <= (size_t)1 << shape->row_bits;
}

static void fill_prefix(assay_merge_result *out, unsigned n)
{
    out->prefix[0] = k_one();
    for (unsigned i = 0; i < n; i++) {
        out->prefix[2 * i + 1] = out->point[i];
        out->prefix[2 * i + 2] = k_sqr(out->point[i]);
    }
}

void assay_merge_run(assay_channel *ch, const assay_merge_shape *shape, const assay_merge_prover *mp, kel value,
                     assay_merge_result *out)
{
    unsigned n = shape->c + shape->row_bits;
    *out = (assay_merge_result){0};
    if (!shape_fits(shape)) {
        assay_channel_fail(ch, ASSAY_EINVAL);
        return;
    }
    kel sum = mp ? mp->ops->mask_sum(mp, n) : k_zero();
    assay_channel_k(ch, "merge/sum", &sum, 1);
    out->rho = assay_channel_challenge(ch, "merge/rho");
    assay_merge_state *st = NULL;
    assay_sumcheck_prover sp;
    if (mp) {
        assay_status s = mp->ops->rounds_new(&st, &sp, shape, mp, value, out->rho);
        if (s != ASSAY_OK) assay_channel_fail(ch, s);
    }
    kel claim = k_add(value, k_mul(out->rho, sum));
    out->last_claim = assay_plain_sumcheck(ch, "merge", claim, n, st ? &sp : NULL, out->point);
    if (mp) {
        assay_status s = mp->ops->rounds_free(st);
        if (s != ASSAY_OK) assay_channel_fail(ch, s);
    }
    fill_prefix(out, n);
}

void assay_merge_fold(assay_channel *ch, const assay_merge_shape *shape, const assay_merge_prover *mp, kel phi_at,
                      assay_merge_result *io, assay_tail_claim claims[2], assay_kvec *u)
{
    unsigned n = shape->c + shape->row_bits;
    kel sent[3] = {k_zero(), k_zero(), k_zero()};
    bool proving = mp != NULL;
    if (proving) {
        assay_status s = k_is_zero(io->rho) ? ASSAY_EINTERNAL : mp->ops->fold(shape, mp, io, u, sent);
        if (s != ASSAY_OK) {
            assay_channel_fail(ch, s);
            proving = false;
        }
    }
    assay_channel_k(ch, "merge/e", &sent[0], 1);
    assay_channel_k(ch, "merge/mu", &sent[1], 1);
    assay_channel_k(ch, "merge/f", &sent[2], 1);
    io->e = sent[0];
    io->mu = sent[1];
    io->f = sent[2];
    assay_channel_check(ch, !k_is_zero(io->rho), "the merge challenge is zero");
    kel sigma = k_mul(k_sub(io->last_claim, k_mul(phi_at, io->e)), k_inv(io->rho));
    io->eps = assay_channel_challenge(ch, "eps");
    if (proving) mp->ops->mask(shape, mp, io->eps, u);
    claims[0] = (assay_tail_claim){.kind = ASSAY_FUN_EQ, .k = io->point, .n = shape->c};
    claims[0].value = k_add(io->mu, k_mul(io->eps, io->e));
    claims[1] = (assay_tail_claim){.kind = ASSAY_FUN_PREFIX, .k = io->prefix, .n = 2 * (size_t)n + 1};
    claims[1].value = k_add(sigma, k_mul(io->eps, io->f));
}

static kel words_at(const uint32_t *w)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = w[j];
    return k;
}

/* column: 6 words of M, 6 of R, then one of each row over F. */
kel assay_merge_position_value(const assay_merge_shape *shape, const assay_merge_result *res, const kel *er, kel p,
                               const uint32_t *column)
{
    kel fold = k_add(k_mul(er[0], p), k_mul(er[1], words_at(column + K_WORDS)));
    for (size_t i = 0; i < shape->n_rows; i++) fold = k_add(fold, k_mul_f(er[2 + i], column[2 * K_WORDS + i]));
    return k_add(words_at(column), k_mul(res->eps, fold));
}
