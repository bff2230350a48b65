/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's arrays, stage by stage. With N wires, a domain of D, 32 bytes an element of the scalar field:
 *
 *   witness      32 N
 *   sum of A ..  32 N + points read + the sum's scratch
 *   rows         32 N + 64 D + coefficients read
 *   transforms   96 D + tables
 *   sum of H     32 D + points read + scratch
 *
 * and the program itself.
 *
 * The more points come at a time, the less a sum costs for each (its windows are wider, and closed less often). A bound
 * is kept by reading less at a time; what is left when all that is at its least cannot be made smaller. */
#include "groth16/plan.h"
#include "base/mem.h"

enum {
    POINTS_USUAL = 64 << 20, /* bytes of points at a time */
    POINTS_LEAST = 512 << 10,
    MSM_LEAST = 3 << 20, /* bytes; scratch of a sum over so few points */
    COEFS_USUAL = 1 << 15,
    COEFS_LEAST = 1 << 12,
    TABLES = 4 << 20,  /* of the transforms, and their lines in work */
    PROGRAM = 5 << 20, /* code, stacks, what libc keeps */
    MEBIBYTE = 1 << 20
};

typedef struct sizes {
    uint64_t wires, domain; /* bytes of one element each */
    uint64_t coefs_usual, coefs_least;
} sizes;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_stage(assay_groth16_plan *out, const char *name, uint64_t n_bytes)
{
    out->stage[out->n_stages++] = (assay_groth16_stage){name, n_bytes + PROGRAM};
    out->peak = most(out->peak, n_bytes + PROGRAM);
}

/* What stands in memory beside the points and the sum over a section. */
static uint64_t beside(const sizes *z, unsigned section)
{
    return section == ASSAY_ZKEY_H ? z->domain : z->wires;
}

/* Points and scratch of a sum over the points that come at a time. */
static uint64_t sum_bytes(const assay_groth16_key *key, const assay_group_backend *be, unsigned section, size_t points)
{
    const assay_zkey *k = &key->z;
    const uint64_t room = key->resident ? 0 : (uint64_t)points * assay_zkey_group(k, section)->affine_bytes;
    return points ? room + be->msm_bytes(be, k->curve, assay_groth16_section_group(section), points) : 0;
}

static size_t points_of(const assay_groth16_key *key, unsigned section, uint64_t n_bytes)
{
    const uint64_t all = assay_zkey_n_points(&key->z, section);
    if (key->resident) return (size_t)all;
    return (size_t)least(all, n_bytes / assay_zkey_group(&key->z, section)->affine_bytes);
}

static uint64_t least_of(const assay_groth16_key *key, const assay_group_backend *be, const sizes *z)
{
    uint64_t bytes = most(z->wires + 2 * z->domain + z->coefs_least, 3 * z->domain + TABLES);
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        const uint64_t sum = key->resident ? MSM_LEAST : sum_bytes(key, be, s, points_of(key, s, POINTS_LEAST));
        bytes = most(bytes, beside(z, s) + most(sum, MSM_LEAST));
    }
    return bytes + PROGRAM;
}

/* As many points at a time as fit into `left` bytes with their sum. Of a resident key all come at once, and the sum
 * divides them. Returns the bytes taken. */
static uint64_t fit_section(assay_groth16_pieces *pieces, const assay_groth16_key *key, const assay_group_backend *be,
                            unsigned section, uint64_t left)
{
    size_t points = points_of(key, section, POINTS_USUAL);
    uint64_t bytes = sum_bytes(key, be, section, points);
    if (key->resident) {
        pieces->msm[section] = bytes > left ? (size_t)left : 0;
        return least(bytes, left);
    }
    const size_t fewest = points_of(key, section, POINTS_LEAST);
    while (bytes > left && points > fewest) {
        points = points - points / 8 > fewest ? points - points / 8 : fewest;
        bytes = sum_bytes(key, be, section, points);
    }
    pieces->points[section] = points;
    return bytes;
}

uint64_t assay_groth16_plan_beside(uint64_t n)
{
    return n * sizeof(assay_fr) + PROGRAM;
}

assay_status assay_groth16_plan_pieces(assay_groth16_plan *out, assay_groth16_pieces *pieces,
                                       const assay_groth16_key *key, const assay_group_backend *be, uint64_t memory,
                                       assay_errinfo *err)
{
    const assay_zkey *k = &key->z;
    const uint64_t each = sizeof(assay_zkey_coef), n_coefs = key->resident ? 0 : k->n_coefs;
    const sizes z = {.wires = k->n_vars * (uint64_t)sizeof(assay_fr),
                     .domain = k->domain * (uint64_t)sizeof(assay_fr),
                     .coefs_usual = least(n_coefs, COEFS_USUAL) * each,
                     .coefs_least = least(n_coefs, COEFS_LEAST) * each};
    *out = (assay_groth16_plan){0};
    *pieces = (assay_groth16_pieces){0};
    out->least = least_of(key, be, &z);
    const bool fits = memory == 0 || memory >= out->least;
    const uint64_t bound = memory && fits ? memory - PROGRAM : UINT64_MAX;
    const uint64_t rows = z.wires + 2 * z.domain;
    const uint64_t coefs = least(z.coefs_usual, bound - rows);
    pieces->coefs = (size_t)(coefs / each);
    add_stage(out, "witness", z.wires);
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        if (s == ASSAY_ZKEY_H) {
            add_stage(out, "rows", rows + coefs);
            add_stage(out, "transforms", 3 * z.domain + TABLES);
        }
        const uint64_t sum = fit_section(pieces, key, be, s, bound - beside(&z, s));
        add_stage(out, assay_groth16_section_name(s), beside(&z, s) + sum);
    }
    if (fits) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ENOMEM, key->path, "a proof needs more memory than is allowed (MiB needed, allowed)",
                       (out->least + MEBIBYTE - 1) / MEBIBYTE, memory / MEBIBYTE);
}
