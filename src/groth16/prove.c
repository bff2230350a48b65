/* SPDX-License-Identifier: Apache-2.0 */
/* A proof: five sums over the key, blinding, and a check under the key's own verification key before anything leaves.
 *
 *   pi_a = alpha + sum w_i A_i + r delta             (G1)
 *   pi_b = beta + sum w_i B_i + s delta              (G2, and in G1 for pi_c)
 *   pi_c = sum_{i private} w_i C_i + sum h_j H_j + s pi_a + r pi_b - r s delta
 *
 * Source: Groth, "On the size of pairing-based non-interactive arguments", EUROCRYPT 2016, section 3.2; the basis of H
 * is that of snarkjs (docs/groth16.md). The order of stages keeps the peak low: the witness is wiped before the
 * transforms take the three arrays that are the most. With little memory H's scalars are made in parts (plan.c). */
#include "base/isa.h"
#include "base/mem.h"
#include "groth16/prover.h"
#include "groth16/steps.h"
#include "groth16/verify.h"
#include <string.h>

/* ---- the order of stages */

enum { STAGE_A, STAGE_B1, STAGE_B2, STAGE_C, STAGE_ROWS, STAGE_TRANSFORMS, STAGE_H, STAGES };

/* How long each stage takes beside the others, roughly: progress is counted in this. */
static void weigh(double weight[STAGES], const assay_zkey *z)
{
    const double n = z->n_vars, d = z->domain;
    const double all[STAGES] = {n, 0.7 * n, 1.5 * n, n, 0.05 * z->n_coefs, 0.02 * d * (z->log_domain + 1), 1.6 * d};
    double sum = 0;
    for (unsigned i = 0; i < STAGES; i++) sum += all[i];
    for (unsigned i = 0; i < STAGES; i++) weight[i] = all[i] / sum;
}

/* Moves on to a stage. */
static void enter(assay_groth16_prover *p, const double weight[STAGES], unsigned stage)
{
    p->done = 0;
    for (unsigned i = 0; i < stage; i++) p->done += weight[i];
    p->share = weight[stage];
}

static assay_fr *take(const assay_groth16_prover *p, size_t n, assay_errinfo *err)
{
    assay_fr *a = assay_mem_alloc_raw(n, sizeof *a);
    if (!a) (void)ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for a proof");
    return a;
}

/* H's scalars and their sum. w is cleared once the rows are there. */
static assay_status sum_quotient(assay_groth16_prover *p, assay_point *sum, assay_wtns *w, const double weight[STAGES],
                                 assay_errinfo *err)
{
    const size_t n = p->key->z.domain;
    const size_t bytes = n * sizeof(assay_fr);
    const assay_wires wires = {.plain = w->w};
    assay_fr *a = take(p, n, err), *b = a ? take(p, n, err) : NULL, *c = NULL;
    assay_status s = b ? ASSAY_OK : ASSAY_ENOMEM;
    enter(p, weight, STAGE_ROWS);
    if (s == ASSAY_OK) s = assay_groth16_rows(p, a, b, &wires, NULL, err);
    assay_wtns_clear(w);
    if (s == ASSAY_OK && !(c = take(p, n, err))) s = ASSAY_ENOMEM;
    enter(p, weight, STAGE_TRANSFORMS);
    if (s == ASSAY_OK) s = assay_groth16_quotient(p, a, b, c, err);
    assay_mem_free_secret(c, bytes);
    assay_mem_free_secret(b, bytes);
    enter(p, weight, STAGE_H);
    if (s == ASSAY_OK) s = assay_groth16_sum(p, sum, ASSAY_ZKEY_H, (const assay_scalar *)a, err);
    assay_mem_free_secret(a, bytes);
    return s;
}

/* One part of it, added to sum. w is cleared after the rows of the last one. */
static assay_status sum_part(assay_groth16_prover *p, assay_point *sum, unsigned part, assay_wtns *w,
                             assay_wires *wires, assay_row_places *places, assay_errinfo *err)
{
    const size_t n = p->key->z.domain, few = n >> p->pieces.log_parts;
    const bool last = (part + 1) >> p->pieces.log_parts != 0;
    assay_point of_part;
    assay_fr *x = take(p, n, err), *h = x ? take(p, few, err) : NULL;
    assay_status s = h ? ASSAY_OK : ASSAY_ENOMEM;
    if (s == ASSAY_OK) s = assay_groth16_quotient_part(p, part, h, x, wires, places, err);
    assay_mem_free_secret(x, n * sizeof *x);
    if (last) {
        assay_wires_clear(wires);
        assay_wtns_clear(w);
    }
    p->done += p->share;
    if (s == ASSAY_OK) s = assay_groth16_sum_part(p, &of_part, part, (const assay_scalar *)h, err);
    if (s == ASSAY_OK) p->key->z.curve->group[ASSAY_G1].add(sum, sum, &of_part);
    assay_mem_wipe(&of_part, sizeof of_part);
    assay_mem_free_secret(h, few * sizeof *h);
    return s;
}

/* The same in parts, which take turns with the rows: the witness is needed until the last one. */
static assay_status sum_quotient_parts(assay_groth16_prover *p, assay_point *sum, assay_wtns *w,
                                       const double weight[STAGES], assay_errinfo *err)
{
    const unsigned parts = 1u << p->pieces.log_parts;
    assay_wires wires = {.plain = w->w};
    assay_row_places places;
    assay_status s = ASSAY_OK;
    if (p->pieces.packed) {
        s = assay_wires_pack(&wires, w, err);
        assay_wtns_clear(w);
    }
    enter(p, weight, STAGE_ROWS);
    const double from = p->done, each = (1 - from) / parts;
    p->key->z.curve->group[ASSAY_G1].infinity(sum);
    for (unsigned i = 0; s == ASSAY_OK && i < parts; i++) {
        p->done = from + each * i;
        p->share = each / 2;
        s = sum_part(p, sum, i, w, &wires, &places, err);
    }
    assay_wires_clear(&wires);
    assay_wtns_clear(w);
    return s;
}

static assay_status sum_all(assay_groth16_prover *p, assay_groth16_sums *sums, assay_wtns *w, assay_errinfo *err)
{
    double weight[STAGES];
    const uint32_t n_public = p->key->z.n_public;
    weigh(weight, &p->key->z);
    const struct {
        unsigned section, stage;
        assay_point *sum;
        const assay_scalar *k;
    } over[] = {{ASSAY_ZKEY_A, STAGE_A, &sums->a, w->w},
                {ASSAY_ZKEY_B1, STAGE_B1, &sums->b1, w->w},
                {ASSAY_ZKEY_B2, STAGE_B2, &sums->b2, w->w},
                {ASSAY_ZKEY_C, STAGE_C, &sums->c, w->w + n_public + 1}};
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < sizeof over / sizeof *over; i++) {
        enter(p, weight, over[i].stage);
        s = assay_groth16_sum(p, over[i].sum, over[i].section, over[i].k, err);
    }
    if (s != ASSAY_OK) return s;
    return (p->pieces.log_parts ? sum_quotient_parts : sum_quotient)(p, &sums->h, w, weight, err);
}

/* ---- putting it together */

static void add_multiple(const assay_group *g, assay_point *to, const void *affine, const uint64_t *k)
{
    assay_point t;
    g->mul(&t, affine, k);
    g->add(to, to, &t);
    assay_mem_wipe(&t, sizeof t);
}

/* False when the sum over B1, which the proof has only in r times it, is outside of the group: then whether the proof
 * verifies would depend on r and on the witness. A frame of its own, which assay_mem_wipe_stack reaches: the arguments
 * that it passes on the stack are r and s. */
ASSAY_NO_INLINE bool assemble(assay_proof *proof, const assay_zkey *z, assay_groth16_sums *sums,
                              const assay_groth16_blinding *blinding)
{
    const assay_curve *curve = z->curve;
    const assay_group *g1 = &curve->group[ASSAY_G1], *g2 = &curve->group[ASSAY_G2];
    assay_affine b1;
    uint64_t minus_rs[ASSAY_FR_LIMBS];
    g1->add_affine(&sums->a, &sums->a, &z->alpha1);
    add_multiple(g1, &sums->a, &z->delta1, blinding->r);
    g1->to_affine(&proof->a, &sums->a);
    g2->add_affine(&sums->b2, &sums->b2, &z->beta2);
    add_multiple(g2, &sums->b2, &z->delta2, blinding->s);
    g2->to_affine(&proof->b, &sums->b2);
    g1->add_affine(&sums->b1, &sums->b1, &z->beta1);
    add_multiple(g1, &sums->b1, &z->delta1, blinding->s);
    g1->to_affine(&b1, &sums->b1);
    g1->add(&sums->c, &sums->c, &sums->h);
    add_multiple(g1, &sums->c, &proof->a, blinding->s);
    add_multiple(g1, &sums->c, &b1, blinding->r);
    assay_fr rs = curve->fr_mul(curve->fr_from_limbs(blinding->r), curve->fr_from_limbs(blinding->s));
    rs = curve->fr_sub(curve->fr_from_u64(0), rs);
    curve->fr_to_limbs(minus_rs, rs);
    add_multiple(g1, &sums->c, &z->delta1, minus_rs);
    g1->to_affine(&proof->c, &sums->c);
    proof->curve = curve;
    assay_mem_wipe(&rs, sizeof rs);
    assay_mem_wipe(minus_rs, sizeof minus_rs);
    bool inside = g1->in_group(&b1);
    assay_mem_wipe(&b1, sizeof b1);
    return inside;
}

const char assay_groth16_own_check[] = "checking the proof";

/* The proof as anybody would check it, subgroups included. */
static assay_status check_own(const assay_proof *proof, const assay_groth16_key *key, assay_scalar *values,
                              bool checked, assay_errinfo *err)
{
    if (assay_proof_check(proof, "proof", NULL) == ASSAY_OK &&
        !assay_groth16_fault(&key->vk, key->z.curve, values, key->z.n_public, proof))
        return ASSAY_OK;
    return ASSAY_FAIL(
        err, ASSAY_EUNSATISFIED, key->path,
        checked ? "the proof made with this key does not verify, though the witness satisfies the circuit: the "
                  "key is damaged, or belongs to another circuit"
                : "the proof made with this key does not verify: the witness does not satisfy the circuit "
                  "(checking it against the .r1cs names the constraint), or the key is damaged or of "
                  "another circuit");
}

static assay_status check_witness(const assay_wtns *w, const assay_groth16_key *key, assay_errinfo *err)
{
    if (w->curve->id != key->z.curve->id)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "witness", "is over another field than the key");
    if (w->n != key->z.n_vars)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "witness", "has another number of values than the key (witness, key)",
                           w->n, key->z.n_vars);
    return ASSAY_OK;
}

assay_status assay_groth16_prove_planned(assay_proof *proof, const assay_groth16_key *key, assay_wtns *w,
                                         const assay_group_backend *be, const assay_groth16_blinding *given,
                                         bool checked, const assay_groth16_pieces *pieces,
                                         const assay_progress *progress, assay_errinfo *err)
{
    assay_groth16_prover p = {.key = key, .be = be, .pieces = *pieces, .progress = progress};
    assay_groth16_sums sums;
    assay_groth16_blinding blinding;
    assay_scalar *values = NULL; /* the public ones */
    const size_t n_public = key->z.n_public;
    assay_status s = ASSAY_OK;
    memset(proof, 0, sizeof *proof);
    memset(&blinding, 0, sizeof blinding);
    if (n_public > 0) {
        values = assay_mem_alloc(n_public, sizeof *values);
        if (values)
            memcpy(values, w->w + 1, n_public * sizeof *values);
        else
            s = ASSAY_FAIL(err, ASSAY_ENOMEM, key->path, "out of memory for a proof");
    }
    if (s == ASSAY_OK) s = sum_all(&p, &sums, w, err);
    assay_wtns_clear(w);
    if (s == ASSAY_OK && !given) s = assay_groth16_blinding_draw(&blinding, key->z.curve, err);
    if (s == ASSAY_OK) {
        if (!assemble(proof, &key->z, &sums, given ? given : &blinding))
            s = ASSAY_FAIL(err, ASSAY_EUNSATISFIED, key->path, "section 6 (B1): its points leave the group");
        else if ((s = assay_progress_tell(progress, assay_groth16_own_check, 1, err)) == ASSAY_OK)
            s = check_own(proof, key, values, checked, err);
    }
    if (s != ASSAY_OK) assay_mem_wipe(proof, sizeof *proof);
    assay_mem_wipe(&sums, sizeof sums);
    assay_mem_wipe(&blinding, sizeof blinding);
    assay_mem_wipe_stack();
    assay_mem_free(values);
    return s;
}

assay_status assay_groth16_prove_with(assay_proof *proof, const assay_groth16_key *key, assay_wtns *w,
                                      const assay_group_backend *be, const assay_groth16_blinding *given, bool checked,
                                      uint64_t memory, const assay_progress *progress, assay_errinfo *err)
{
    assay_groth16_plan plan;
    assay_groth16_pieces pieces;
    memset(proof, 0, sizeof *proof);
    assay_status s = check_witness(w, key, err);
    if (s == ASSAY_OK) s = assay_groth16_plan_pieces(&plan, &pieces, key, be, memory, w, err);
    if (s == ASSAY_OK) return assay_groth16_prove_planned(proof, key, w, be, given, checked, &pieces, progress, err);
    assay_wtns_clear(w);
    return s;
}
