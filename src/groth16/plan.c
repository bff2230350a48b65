/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's arrays, stage by stage. With N wires, a domain of D, 32 bytes an element of the scalar field:
 *
 *   witness      32 N
 *   sum of A ..  32 N + points read + the sum's buckets
 *   rows         32 N + 64 D + coefficients read
 *   transforms   96 D + roots of unity 32 D
 *   sum of H     32 D + points read + buckets
 *
 * A bound is kept by reading less at a time, and by narrower windows of the sums; what is left when all that is at its
 * least cannot be made smaller. */
#include "groth16/plan.h"
#include "base/mem.h"

enum {
    POINTS_USUAL = 16 << 20, /* bytes */
    POINTS_LEAST = 512 << 10,
    COEFS_USUAL = 1 << 16,
    COEFS_LEAST = 1 << 13,
    MSM_LEAST = 1 << 20, /* bytes; what the narrowest windows need with a thread or two */
    MEBIBYTE = 1 << 20
};

static void add_stage(assay_groth16_plan *out, const char *name, uint64_t n_bytes)
{
    out->stage[out->n_stages++] = (assay_groth16_stage){name, n_bytes};
    if (n_bytes > out->peak) out->peak = n_bytes;
}

typedef struct sizes {
    uint64_t wires, element, domain; /* bytes of the witness, of one element a row */
    uint64_t roots;
} sizes;

/* What stands in memory beside the points and the sum over a section. */
static uint64_t beside(const sizes *z, unsigned section)
{
    return section == ASSAY_ZKEY_H ? z->domain : z->wires;
}

static uint64_t least_of(const assay_groth16_key *key, const sizes *z)
{
    const uint64_t points = key->resident ? 0 : POINTS_LEAST, coefs = key->resident ? 0 : COEFS_LEAST;
    const uint64_t sums = (z->wires > z->domain ? z->wires : z->domain) + points + MSM_LEAST;
    const uint64_t rows = z->wires + 2 * z->domain + coefs * sizeof(assay_zkey_coef);
    const uint64_t transforms = 3 * z->domain + z->roots;
    uint64_t least = sums > rows ? sums : rows;
    return least > transforms ? least : transforms;
}

/* What is left of the bound for the points read and the sum: a quarter for the points. */
static void fit_section(assay_groth16_pieces *pieces, unsigned section, uint64_t left, uint64_t usual)
{
    if (pieces->points + usual <= left) return;
    if (pieces->points > left / 4) pieces->points = (size_t)(left / 4);
    if (pieces->points && pieces->points < POINTS_LEAST) pieces->points = POINTS_LEAST;
    const uint64_t rest = left - pieces->points;
    pieces->msm[section] = rest < usual ? (size_t)rest : 0;
}

assay_status assay_groth16_plan_pieces(assay_groth16_plan *out, assay_groth16_pieces *pieces,
                                       const assay_groth16_key *key, const assay_group_backend *be, uint64_t memory,
                                       assay_errinfo *err)
{
    const assay_zkey *k = &key->z;
    const uint64_t element = sizeof(assay_fr);
    const sizes z = {
        .wires = k->n_vars * element, .element = element, .domain = k->domain * element, .roots = k->domain * element};
    uint64_t usual[ASSAY_ZKEY_H + 1] = {0};
    *out = (assay_groth16_plan){0};
    *pieces =
        (assay_groth16_pieces){.points = key->resident ? 0 : POINTS_USUAL, .coefs = key->resident ? 0 : COEFS_USUAL};
    out->least = least_of(key, &z);
    const bool fits = memory == 0 || memory >= out->least;
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        usual[s] = be->msm_bytes(be, k->curve, assay_groth16_section_group(s), (size_t)assay_zkey_n_points(k, s));
        if (memory && fits) fit_section(pieces, s, memory - beside(&z, s), usual[s]);
    }
    const uint64_t rows = z.wires + 2 * z.domain;
    if (memory && fits && rows + pieces->coefs * sizeof(assay_zkey_coef) > memory)
        pieces->coefs = (size_t)((memory - rows) / sizeof(assay_zkey_coef));
    add_stage(out, "witness", z.wires);
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        if (s == ASSAY_ZKEY_H) {
            add_stage(out, "rows", rows + pieces->coefs * sizeof(assay_zkey_coef));
            add_stage(out, "transforms", 3 * z.domain + z.roots);
        }
        const uint64_t all = assay_zkey_n_points(k, s) * assay_zkey_group(k, s)->affine_bytes;
        const uint64_t read = pieces->points < all ? pieces->points : all;
        add_stage(out, assay_groth16_section_name(s),
                  beside(&z, s) + read + (pieces->msm[s] ? pieces->msm[s] : usual[s]));
    }
    if (fits) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ENOMEM, key->path, "a proof needs more memory than is allowed (MiB needed, allowed)",
                       (out->least + MEBIBYTE - 1) / MEBIBYTE, memory / MEBIBYTE);
}
