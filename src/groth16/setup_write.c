/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and coefficients of a new key; the Lagrange basis at a point. */
#include "base/isa.h"
#include "base/mem.h"
#include "groth16/setup.h"
#include <string.h>

enum { GRAIN = 1024, COEFS_AT_ONCE = 4096 };

assay_status assay_groth16_setup_counts(assay_zkey *z, const assay_r1cs *c, const char *name, assay_errinfo *err)
{
    const uint32_t n_public = assay_r1cs_n_public(c);
    uint64_t n_coefs = (uint64_t)n_public + 1;
    *z = (assay_zkey){.curve = c->curve, .n_vars = c->n_wires, .n_public = n_public};
    for (uint32_t i = 0; i < c->n_constraints; i++) {
        const size_t k = 3 * (size_t)i;
        n_coefs += c->start[k + ASSAY_R1CS_C] - c->start[k];
    }
    z->log_domain = assay_groth16_log_domain(c->n_constraints, n_public);
    /* One less than the field allows: section H takes roots of twice the order. */
    if (z->log_domain >= c->curve->two_adicity)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, name,
                           "the circuit is too large for its curve (log2 of the domain, at most)", z->log_domain,
                           c->curve->two_adicity - 1);
    if (n_coefs > UINT32_MAX)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, name, "the circuit has more coefficients than a key holds", n_coefs);
    z->domain = (uint32_t)1 << z->log_domain;
    z->n_coefs = (uint32_t)n_coefs;
    return ASSAY_OK;
}

/* ---- coefficients */

typedef struct coef_out {
    assay_container_writer *w;
    assay_zkey_coef coef[COEFS_AT_ONCE];
    size_t n;
} coef_out;

static assay_status flush_coefs(coef_out *o, assay_errinfo *err)
{
    const size_t n = o->n;
    o->n = 0;
    return assay_zkey_put_coefs(o->w, o->coef, n, err);
}

static assay_status put_coef(coef_out *o, uint32_t matrix, uint32_t row, uint32_t wire, assay_fr value,
                             assay_errinfo *err)
{
    o->coef[o->n++] = (assay_zkey_coef){matrix, row, wire, value};
    return o->n == COEFS_AT_ONCE ? flush_coefs(o, err) : ASSAY_OK;
}

assay_status assay_groth16_setup_coefs(assay_container_writer *w, const assay_zkey *z, const assay_r1cs *c,
                                       assay_errinfo *err)
{
    const assay_curve *curve = c->curve;
    const uint64_t plain_one[ASSAY_FR_LIMBS] = {1};
    assay_fr one, r2;
    /* value R is v's Montgomery form; the file wants value R^2, which is the Montgomery form of value R: the product of
     * v with R^2, whose own Montgomery form is R^3. from_limbs multiplies by R; from the limbs of "R", it gives R^2. */
    one = curve->fr_from_limbs(plain_one);
    r2 = curve->fr_from_limbs(one.l);
    coef_out *o = assay_mem_alloc(1, sizeof *o);
    if (!o) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory");
    o->w = w;
    assay_status s = assay_zkey_begin_coefs(w, z->n_coefs, err);
    for (uint32_t i = 0; s == ASSAY_OK && i < c->n_constraints; i++)
        for (uint32_t m = ASSAY_R1CS_A; s == ASSAY_OK && m <= ASSAY_R1CS_B; m++) {
            const uint32_t *wire, *value;
            const uint32_t n = assay_r1cs_row(c, i, m, &wire, &value);
            for (uint32_t t = 0; s == ASSAY_OK && t < n; t++)
                s = put_coef(o, m, i, wire[t], curve->fr_from_limbs(c->values.v[value[t]].l), err);
        }
    for (uint32_t i = 0; s == ASSAY_OK && i <= z->n_public; i++) s = put_coef(o, 0, c->n_constraints + i, i, r2, err);
    if (s == ASSAY_OK) s = flush_coefs(o, err);
    assay_mem_free(o);
    return s;
}

/* ---- the Lagrange basis */

assay_fr assay_groth16_fr_pow(const assay_curve *c, assay_fr x, uint64_t e)
{
    assay_fr y = c->fr_from_u64(1);
    for (; e; e >>= 1, x = c->fr_mul(x, x))
        if (e & 1) y = c->fr_mul(y, x);
    return y;
}

typedef struct basis {
    const assay_curve *c;
    assay_fr *x, scale, tau, first, step;
} basis;

/* One inversion for all of n <= GRAIN (Montgomery's trick): x holds products of the differences so far, then the
 * inverses. A frame of its own, for its caller to wipe. */
ASSAY_NO_INLINE void basis_block(const basis *b, assay_fr *difference, size_t at, size_t n)
{
    const assay_curve *c = b->c;
    assay_fr q = c->fr_mul(b->first, assay_groth16_fr_pow(c, b->step, at)), all = c->fr_from_u64(1);
    const assay_fr back = c->fr_inv(b->step);
    for (size_t i = 0; i < n; i++, q = c->fr_mul(q, b->step)) {
        difference[i] = c->fr_sub(b->tau, q);
        b->x[at + i] = all;
        all = c->fr_mul(all, difference[i]);
    }
    all = c->fr_mul(c->fr_inv(all), b->scale);
    for (size_t i = n; i-- > 0;) {
        q = c->fr_mul(q, back);
        b->x[at + i] = c->fr_mul(q, c->fr_mul(b->x[at + i], all));
        all = c->fr_mul(all, difference[i]);
    }
}

static void basis_range(void *ctx, size_t begin, size_t end)
{
    assay_fr difference[GRAIN];
    for (size_t at = begin; at < end; at += GRAIN)
        basis_block(ctx, difference, at, end - at < GRAIN ? end - at : GRAIN);
    assay_mem_wipe(difference, sizeof difference);
    assay_mem_wipe_stack(); /* on this thread */
}

void assay_groth16_lagrange(const assay_group_backend *be, const assay_curve *c, assay_fr *x, size_t n, assay_fr scale,
                            assay_fr tau, assay_fr first, assay_fr step)
{
    basis b = {c, x, scale, tau, first, step};
    assay_pool_range(be->pool, n, GRAIN, basis_range, &b);
    assay_mem_wipe(&b, sizeof b);
}
