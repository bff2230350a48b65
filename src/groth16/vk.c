/* SPDX-License-Identifier: Apache-2.0 */
/* Verification keys, proofs and public values: room, and what must hold of their points. */
#include "groth16/vk.h"
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/points.h"
#include <string.h>

assay_status assay_vk_init(assay_vk *vk, const assay_curve *curve, uint32_t n_public, assay_errinfo *err)
{
    *vk = (assay_vk){.curve = curve, .n_public = n_public};
    vk->ic = assay_mem_alloc((size_t)n_public + 1, curve->group[ASSAY_G1].affine_bytes);
    return vk->ic ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "verification key", "out of memory");
}

void assay_vk_clear(assay_vk *vk)
{
    assay_mem_free(vk->ic);
    *vk = (assay_vk){0};
}

void assay_publics_clear(assay_publics *p)
{
    assay_mem_free_secret(p->v, p->n * sizeof *p->v); /* of a proof that was not made, they are not public */
    *p = (assay_publics){0};
}

/* A point that must be of order r. */
static assay_status need(const assay_curve *c, assay_group_id g, const void *affine, const char *name, const char *part,
                         assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    const char *why = assay_point_fault(&c->group[g], affine, ASSAY_POINT_FINITE);
    return why ? ASSAY_FAIL(err, ASSAY_ERANGE, subject_of(subject, name, part), why) : ASSAY_OK;
}

/* Whether two points are equal up to sign. */
static bool alike(const assay_group *g, const void *a, const void *b)
{
    assay_affine minus;
    g->affine_neg(&minus, b);
    return memcmp(a, b, g->affine_bytes) == 0 || memcmp(a, &minus, g->affine_bytes) == 0;
}

const char *assay_vk_forgeable(const assay_curve *c, const void *beta, const void *gamma, const void *delta)
{
    const assay_group *g = &c->group[ASSAY_G2];
    assay_affine minus;
    if (alike(g, beta, delta)) return "beta = delta, or its negative: anybody can forge proofs under this key";
    if (alike(g, beta, gamma)) return "beta = gamma, or its negative: anybody can forge proofs under this key";
    g->affine_neg(&minus, delta);
    return memcmp(gamma, &minus, g->affine_bytes) == 0 ? "gamma = -delta: anybody can forge proofs under this key"
                                                       : NULL;
}

assay_status assay_vk_check(const assay_vk *vk, const char *name, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    assay_status s = need(vk->curve, ASSAY_G1, &vk->alpha1, name, "alpha", err);
    if (s == ASSAY_OK) s = need(vk->curve, ASSAY_G2, &vk->beta2, name, "beta", err);
    if (s == ASSAY_OK) s = need(vk->curve, ASSAY_G2, &vk->gamma2, name, "gamma", err);
    if (s == ASSAY_OK) s = need(vk->curve, ASSAY_G2, &vk->delta2, name, "delta", err);
    if (s == ASSAY_OK) {
        const char *why = assay_vk_forgeable(vk->curve, &vk->beta2, &vk->gamma2, &vk->delta2);
        if (why) s = ASSAY_FAIL(err, ASSAY_ERANGE, name, why);
    }
    for (uint64_t i = 0; i <= vk->n_public && s == ASSAY_OK; i++) {
        const char *why =
            assay_point_fault(&vk->curve->group[ASSAY_G1], assay_vk_ic(vk, (uint32_t)i), ASSAY_POINT_FINITE);
        if (why) s = ASSAY_FAIL1(err, ASSAY_ERANGE, subject_of(subject, name, "IC"), why, i);
    }
    return s;
}

bool assay_vk_is_development(const assay_vk *vk)
{
    return memcmp(&vk->gamma2, &vk->delta2, vk->curve->group[ASSAY_G2].affine_bytes) == 0;
}

assay_status assay_proof_check(const assay_proof *p, const char *name, assay_errinfo *err)
{
    assay_status s = need(p->curve, ASSAY_G1, &p->a, name, "pi_a", err);
    if (s == ASSAY_OK) s = need(p->curve, ASSAY_G2, &p->b, name, "pi_b", err);
    if (s == ASSAY_OK) s = need(p->curve, ASSAY_G1, &p->c, name, "pi_c", err);
    return s;
}
