/* SPDX-License-Identifier: Apache-2.0 */
/* AB - C off the domain.
 *
 * A, B, C are the polynomials below degree D with the given values on the D-th roots of unity (C = A B there, row by
 * row). AB - C vanishes on those roots, has degree at most 2D - 2, and so is known by its D values on the odd powers of
 * a root of order 2D; section H of the key holds the points that belong to these (docs/groth16.md, "The quotient"). */
#include "groth16/prover.h"

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
