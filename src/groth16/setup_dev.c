/* SPDX-License-Identifier: Apache-2.0 */
/* A key from a known trapdoor. With L_i the Lagrange basis of the domain at tau, u_j = sum_i A_ij L_i over the rows i
 * of column j, v_j and w_j likewise of B and C, and one row more in A for each public wire:
 *
 *   A_j = u_j G1, B_j = v_j G1 and v_j G2, IC_j or C_j = (beta u_j + alpha v_j + w_j) / (gamma or delta) G1,
 *   H_j = L'_(2j+1) / delta G1, with L' the basis of the roots of twice the order (docs/groth16.md, "The quotient").
 *
 * Everything but the trapdoor and these scalars is public; they are wiped. Multiples are made in variable time, by a
 * program whose key is insecure by name. */
#include "base/isa.h"
#include "base/mem.h"
#include "groth16/scalar.h"
#include "groth16/setup.h"
#include "hash/random.h"
#include <string.h>

enum { POINTS_AT_ONCE = 1 << 18 };

/* ---- the trapdoor */

static assay_status draw(assay_fr *x, const assay_curve *c, assay_errinfo *err)
{
    static const assay_fr zero;
    uint8_t bytes[ASSAY_FR_BYTES];
    assay_status s = ASSAY_OK;
    *x = zero;
    while (s == ASSAY_OK && memcmp(x, &zero, sizeof zero) == 0) {
        s = assay_random_bytes(bytes, sizeof bytes, err);
        /* Both orders have 255 bits or one less. */
        bytes[ASSAY_FR_BYTES - 1] &= 0x7f;
        if (s == ASSAY_OK) (void)c->fr_from_bytes(x, bytes, false); /* zero when it is not below r */
    }
    assay_mem_wipe(bytes, sizeof bytes);
    return s;
}

assay_status assay_groth16_trapdoor_draw(assay_groth16_trapdoor *t, const assay_curve *c, unsigned log_domain,
                                         assay_errinfo *err)
{
    assay_fr *const all[] = {&t->tau, &t->alpha, &t->beta, &t->gamma, &t->delta};
    const assay_fr one = c->fr_from_u64(1);
    assay_fr power = one;
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < sizeof all / sizeof *all; i++) s = draw(all[i], c, err);
    while (s == ASSAY_OK) { /* tau in neither domain */
        power = assay_groth16_fr_pow(c, t->tau, (uint64_t)2 << log_domain);
        if (memcmp(&power, &one, sizeof one) != 0) break;
        s = draw(&t->tau, c, err);
    }
    assay_mem_wipe(&power, sizeof power);
    if (s != ASSAY_OK) assay_mem_wipe(t, sizeof *t);
    return s;
}

/* ---- columns */

typedef struct columns {
    const assay_r1cs *c;
    const assay_fr *basis; /* L_i */
    assay_fr *sum[ASSAY_R1CS_MATRICES];
} columns;

/* One matrix: every term adds to its column. */
static void sum_columns(void *ctx, size_t m)
{
    const columns *k = ctx;
    const assay_curve *curve = k->c->curve;
    assay_fr *sum = k->sum[m];
    for (uint32_t i = 0; i < k->c->n_constraints; i++) {
        const uint32_t *wire, *value;
        const uint32_t n = assay_r1cs_row(k->c, i, (unsigned)m, &wire, &value);
        for (uint32_t t = 0; t < n; t++)
            sum[wire[t]] = curve->fr_add(sum[wire[t]], curve->fr_mul(k->c->values.v[value[t]], k->basis[i]));
    }
    if (m != ASSAY_R1CS_A) return;
    const uint32_t n_public = assay_r1cs_n_public(k->c);
    for (uint32_t i = 0; i <= n_public; i++) sum[i] = curve->fr_add(sum[i], k->basis[k->c->n_constraints + i]);
}

typedef struct mixing {
    const assay_curve *c;
    const assay_groth16_trapdoor *t;
    const assay_fr *u, *v;
    assay_fr *w, by_gamma, by_delta;
    size_t n_ic; /* the first columns, which go to IC */
} mixing;

/* w = (beta u + alpha v + w) / (gamma or delta) */
static void mix_range(void *ctx, size_t begin, size_t end)
{
    const mixing *x = ctx;
    const assay_curve *c = x->c;
    for (size_t i = begin; i < end; i++) {
        assay_fr k = c->fr_add(c->fr_mul(x->t->beta, x->u[i]), c->fr_mul(x->t->alpha, x->v[i]));
        x->w[i] = c->fr_mul(c->fr_add(k, x->w[i]), i < x->n_ic ? x->by_gamma : x->by_delta);
    }
}

/* ---- the file */

typedef struct writing {
    assay_container_writer *w;
    const assay_zkey *z;
    const assay_group_backend *be;
    const assay_progress *progress;
    void *points; /* room for POINTS_AT_ONCE */
    size_t n_room;
} writing;

/* A section of multiples of the generator. k is turned into plain integers, if it is not yet. */
static assay_status put_section(const writing *o, unsigned section, const assay_scalar *k, double from, double to,
                                assay_errinfo *err)
{
    const size_t n = (size_t)assay_zkey_n_points(o->z, section);
    const assay_group_id id = section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1;
    assay_affine base;
    o->z->curve->group[id].generator(&base);
    assay_status s = assay_zkey_begin_points(o->w, o->z, section, err);
    for (size_t at = 0; s == ASSAY_OK && at < n; at += o->n_room) {
        const size_t count = n - at < o->n_room ? n - at : o->n_room;
        const double span = (to - from) / (double)n;
        assay_subprogress part;
        const assay_progress progress =
            assay_progress_part(&part, o->progress, from + span * (double)at, from + span * (double)(at + count));
        s = o->be->fixed_base(o->be, o->z->curve, id, o->points, &base, k + at, count, &progress, err);
        if (s == ASSAY_OK) s = assay_zkey_put_points(o->w, o->z, section, o->points, count, err);
    }
    return s;
}

static void multiple(const assay_curve *c, assay_group_id id, void *affine, assay_fr k)
{
    const assay_group *g = &c->group[id];
    uint64_t plain[ASSAY_FR_LIMBS];
    assay_affine base;
    assay_point p;
    g->generator(&base);
    c->fr_to_limbs(plain, k);
    g->mul(&p, &base, plain);
    g->to_affine(affine, &p);
    assay_mem_wipe(plain, sizeof plain);
}

/* Frames of their own, this and fill_scalars, for assay_groth16_setup_with to wipe. */
ASSAY_NO_INLINE void fill_header(assay_zkey *z, const assay_groth16_trapdoor *t)
{
    multiple(z->curve, ASSAY_G1, &z->alpha1, t->alpha);
    multiple(z->curve, ASSAY_G1, &z->beta1, t->beta);
    multiple(z->curve, ASSAY_G2, &z->beta2, t->beta);
    multiple(z->curve, ASSAY_G2, &z->gamma2, t->gamma);
    multiple(z->curve, ASSAY_G1, &z->delta1, t->delta);
    multiple(z->curve, ASSAY_G2, &z->delta2, t->delta);
}

/* (tau^n - 1) / n */
static assay_fr scale_of(const assay_curve *c, assay_fr tau, uint64_t n)
{
    const assay_fr power = assay_groth16_fr_pow(c, tau, n);
    return c->fr_mul(c->fr_sub(power, c->fr_from_u64(1)), c->fr_inv(c->fr_from_u64(n)));
}

/* The arrays of scalars: u, v, w of all wires and h of the domain. */
typedef struct scalars {
    assay_fr *u, *v, *w, *h;
    size_t n, n_h;
} scalars;

ASSAY_NO_INLINE assay_status fill_scalars(scalars *x, const assay_zkey *z, const assay_r1cs *c,
                                          const assay_groth16_trapdoor *t, const assay_group_backend *be,
                                          const assay_progress *progress, assay_errinfo *err)
{
    const assay_curve *curve = z->curve;
    const size_t n = z->domain;
    columns k = {c, x->h, {x->u, x->v, x->w}};
    mixing m = {curve, t, x->u, x->v, x->w, curve->fr_inv(t->gamma), curve->fr_inv(t->delta), z->n_public + 1};
    assay_status s = assay_progress_tell(progress, "columns", 0, err);
    if (s != ASSAY_OK) {
        assay_mem_wipe(&m, sizeof m);
        return s;
    }
    assay_groth16_lagrange(be, curve, x->h, n, scale_of(curve, t->tau, n), t->tau, curve->fr_from_u64(1),
                           curve->fr_root(z->log_domain));
    assay_pool_run(be->pool, ASSAY_R1CS_MATRICES, sum_columns, &k);
    assay_pool_range(be->pool, x->n, 4096, mix_range, &m);
    assay_groth16_lagrange(be, curve, x->h, n, curve->fr_mul(scale_of(curve, t->tau, 2 * (uint64_t)n), m.by_delta),
                           t->tau, curve->fr_root(z->log_domain + 1), curve->fr_root(z->log_domain));
    be->fr_to_scalars(be, curve, (assay_scalar *)x->u, x->u, x->n);
    be->fr_to_scalars(be, curve, (assay_scalar *)x->v, x->v, x->n);
    be->fr_to_scalars(be, curve, (assay_scalar *)x->w, x->w, x->n);
    be->fr_to_scalars(be, curve, (assay_scalar *)x->h, x->h, n);
    assay_mem_wipe(&m, sizeof m);
    return ASSAY_OK;
}

static assay_status write_key(const writing *o, const scalars *x, const assay_r1cs *c, assay_errinfo *err)
{
    static const uint8_t no_hash[ASSAY_ZKEY_HASH_BYTES];
    const assay_scalar *u = (const assay_scalar *)x->u, *v = (const assay_scalar *)x->v,
                       *w = (const assay_scalar *)x->w;
    assay_status s = assay_zkey_write_header(o->w, o->z, err);
    if (s == ASSAY_OK) s = assay_groth16_setup_coefs(o->w, o->z, c, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_IC, w, 0.05, 0.05, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_H, (const assay_scalar *)x->h, 0.05, 0.3, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_C, w + o->z->n_public + 1, 0.3, 0.5, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_A, u, 0.5, 0.65, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_B1, v, 0.65, 0.75, err);
    if (s == ASSAY_OK) s = put_section(o, ASSAY_ZKEY_B2, v, 0.75, 1, err);
    if (s == ASSAY_OK) s = assay_zkey_write_history(o->w, no_hash, err);
    return s == ASSAY_OK ? assay_zkey_write_mark(o->w, err) : s;
}

assay_status assay_groth16_setup_with(assay_container_writer *w, const assay_r1cs *c, const char *name,
                                      const assay_groth16_trapdoor *t, const assay_group_backend *be,
                                      const assay_progress *progress, assay_errinfo *err)
{
    assay_zkey z;
    assay_status s = assay_groth16_setup_counts(&z, c, name, err);
    if (s != ASSAY_OK) return s;
    scalars x = {.n = z.n_vars, .n_h = z.domain};
    writing o = {.w = w, .z = &z, .be = be, .progress = progress, .n_room = POINTS_AT_ONCE};
    const size_t most = x.n > x.n_h ? x.n : x.n_h;
    if (o.n_room > most) o.n_room = most;
    x.u = assay_mem_alloc(x.n, sizeof *x.u);
    x.v = assay_mem_alloc(x.n, sizeof *x.v);
    x.w = assay_mem_alloc(x.n, sizeof *x.w);
    x.h = assay_mem_alloc_raw(x.n_h, sizeof *x.h);
    o.points = assay_mem_alloc_raw(o.n_room, z.curve->group[ASSAY_G2].affine_bytes);
    if (!x.u || !x.v || !x.w || !x.h || !o.points)
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory for a set-up");
    if (s == ASSAY_OK) s = fill_scalars(&x, &z, c, t, be, progress, err);
    if (s == ASSAY_OK) {
        fill_header(&z, t);
        s = write_key(&o, &x, c, err);
    }
    assay_mem_free_secret(x.u, x.n * sizeof *x.u);
    assay_mem_free_secret(x.v, x.n * sizeof *x.v);
    assay_mem_free_secret(x.w, x.n * sizeof *x.w);
    assay_mem_free_secret(x.h, x.n_h * sizeof *x.h);
    assay_mem_free(o.points);
    assay_mem_wipe_stack();
    return s;
}
