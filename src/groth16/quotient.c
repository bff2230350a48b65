/* SPDX-License-Identifier: Apache-2.0 */
/* AB - C off the domain.
 *
 * A, B, C are the polynomials below degree D with the given values on the D-th roots of unity (C = A B there, row by
 * row). AB - C vanishes on those roots, has degree at most 2D - 2, and so is known by its D values on the odd powers of
 * a root of order 2D; section H of the key holds the points that belong to these (docs/groth16.md, "The quotient").
 *
 * In parts, each of the three goes through one array one after the other, and only the values of the part are kept. */
#include "groth16/prover.h"
#include <string.h>

enum { GRAIN = 4096 };

/* The root of order 2D that shifts the domain. Where the field has none, snarkjs takes 25, the square of the least
 * non-residue, and the key's section H is for that. */
static assay_fr shift_of(const assay_curve *c, unsigned log_domain)
{
    return log_domain < c->two_adicity ? c->fr_root(log_domain + 1) : c->fr_from_u64(25);
}

assay_status assay_groth16_quotient(const assay_groth16_prover *p, assay_fr *a, assay_fr *b, assay_fr *c,
                                    assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const assay_group_backend *be = p->be;
    const size_t n = z->domain;
    const assay_fr shift = shift_of(z->curve, z->log_domain);
    assay_fr *const all[] = {a, b, c};
    enum { ARRAYS = sizeof all / sizeof *all };
    assay_ntt *t = NULL;
    assay_status s = be->ntt_new(be, &t, z->curve, z->log_domain, err);
    if (s == ASSAY_OK) be->fr_mul(be, z->curve, c, a, b, n);
    for (size_t i = 0; s == ASSAY_OK && i < ARRAYS; i++) {
        s = assay_progress_tell(p->progress, "transforms", p->done + p->share * (double)i / ARRAYS, err);
        if (s != ASSAY_OK) break;
        be->ntt_extend(be, t, all[i], shift);
    }
    be->ntt_free(t);
    if (s == ASSAY_OK) {
        be->fr_mul_sub(be, z->curve, a, a, b, c, n);
        be->fr_to_scalars(be, z->curve, (assay_scalar *)a, a, n);
    }
    return s;
}

/* ---- in parts */

typedef struct difference {
    const assay_curve *curve;
    assay_fr *a;
    const assay_fr *b;
} difference;

static void subtract_range(void *ctx, size_t begin, size_t end)
{
    const difference *d = ctx;
    for (size_t i = begin; i < end; i++) d->a[i] = d->curve->fr_sub(d->a[i], d->b[i]);
}

/* x, the values on the domain, to those of a part, in its first places. */
static assay_status extend_part(const assay_groth16_prover *p, assay_fr *x, assay_fr shift, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const assay_group_backend *be = p->be;
    assay_ntt *all = NULL, *fewer = NULL;
    assay_status s = assay_progress_tell(p->progress, "transforms", p->done + p->share, err);
    if (s == ASSAY_OK) s = be->ntt_new(be, &all, z->curve, z->log_domain, err);
    if (s == ASSAY_OK) s = be->ntt_new(be, &fewer, z->curve, z->log_domain - p->pieces.log_parts, err);
    if (s == ASSAY_OK) be->ntt_part(be, all, fewer, x, shift);
    be->ntt_free(fewer);
    be->ntt_free(all);
    return s;
}

assay_status assay_groth16_quotient_part(const assay_groth16_prover *prover, unsigned part, assay_fr *out, assay_fr *x,
                                         const assay_wires *w, assay_row_places *places, assay_errinfo *err)
{
    assay_groth16_prover p = *prover;
    const assay_curve *c = p.key->z.curve;
    const size_t n = p.key->z.domain >> p.pieces.log_parts;
    const assay_fr root = c->fr_root(p.key->z.log_domain);
    assay_fr shift = shift_of(c, p.key->z.log_domain);
    for (unsigned i = 0; i < part; i++) shift = c->fr_mul(shift, root);
    p.share /= 6; /* rows take nearly as long as a transform */
    assay_status s = assay_groth16_rows(&p, x, NULL, w, part == 0 ? places : NULL, err);
    if (s == ASSAY_OK) s = extend_part(&p, x, shift, err);
    if (s == ASSAY_OK) memcpy(out, x, n * sizeof *x);
    p.done += 2 * p.share;
    if (s == ASSAY_OK) s = assay_groth16_rows(&p, NULL, x, w, NULL, err);
    if (s == ASSAY_OK) s = extend_part(&p, x, shift, err);
    if (s == ASSAY_OK) p.be->fr_mul(p.be, c, out, out, x, n);
    p.done += 2 * p.share;
    if (s == ASSAY_OK) s = assay_groth16_row_products(&p, x, w, places, err);
    if (s == ASSAY_OK) s = extend_part(&p, x, shift, err);
    if (s != ASSAY_OK) return s;
    difference d = {c, out, x};
    assay_pool_range(p.be->pool, n, GRAIN, subtract_range, &d);
    p.be->fr_to_scalars(p.be, c, (assay_scalar *)out, out, n);
    return ASSAY_OK;
}
