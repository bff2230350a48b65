/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's arrays, stage by stage. With N wires, a domain of D, 32 bytes an element of the scalar field:
 *
 *   witness      32 N
 *   sum of A ..  32 N + points read + the sum's scratch
 *   rows         32 N + 64 D + coefficients read
 *   transforms   96 D + tables
 *   sum of H     32 D + points read + scratch
 *
 * and the program itself. When the scalars of H are made in P parts, the witness (or, packed, W bytes of it) stays:
 *
 *   rows         W + 32 D + 32 D / P + a window of rows + coefficients read
 *   transforms   W + 32 D + 32 D / P + tables
 *   sum of H     W + 32 D / P + points read + scratch
 *
 * The more points come at a time, the less a sum costs for each (its windows are wider, and closed less often). A bound
 * is kept by the fewest parts that fit, and by reading less at a time; what is left when all that is at its least
 * cannot be made smaller. */
#include "groth16/plan.h"
#include "base/mem.h"
#include "groth16/wires.h"

enum {
    POINTS_USUAL = 64 << 20, /* bytes of points at a time */
    POINTS_LEAST = 256 << 10,
    MSM_LEAST = 2 << 20, /* bytes; scratch with which a sum does not take much longer */
    COEFS_USUAL = 1 << 15,
    COEFS_LEAST = 1 << 12,
    PROGRAM = 19 << 18, /* code, stacks, what libc keeps */
    MEBIBYTE = 1 << 20
};

typedef struct sizes {
    uint64_t wires, domain, window; /* bytes of one element each */
    uint64_t kept;                  /* of the witness while parts are made */
    uint64_t coefs_usual, coefs_least;
    uint64_t tables[ASSAY_GROTH16_LOG_PARTS + 1]; /* of the transforms, by log_parts */
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
static uint64_t beside(const sizes *z, unsigned section, unsigned log_parts)
{
    if (section != ASSAY_ZKEY_H) return z->wires;
    return log_parts ? z->kept + (z->domain >> log_parts) : z->domain;
}

/* What stands while rows are made, without coefficients, and with the transforms. */
static uint64_t rows_bytes(const sizes *z, unsigned log_parts)
{
    return log_parts ? z->kept + z->domain + (z->domain >> log_parts) + z->window : z->wires + 2 * z->domain;
}

static uint64_t transforms_bytes(const sizes *z, unsigned log_parts)
{
    const uint64_t arrays = log_parts ? z->kept + z->domain + (z->domain >> log_parts) : 3 * z->domain;
    return arrays + z->tables[log_parts];
}

/* Both forms of the witness, while it is packed. */
static uint64_t packing_bytes(const sizes *z, unsigned log_parts)
{
    return log_parts && z->kept < z->wires ? z->wires + z->kept : 0;
}

/* Whether a section's points stand in the key as the sum takes them. */
static bool stand(const assay_groth16_key *key, unsigned section, unsigned log_parts)
{
    return key->resident && !(section == ASSAY_ZKEY_H && log_parts);
}

static uint64_t room_bytes(const assay_groth16_key *key, unsigned section, unsigned log_parts, size_t points)
{
    const uint64_t each = assay_zkey_group(&key->z, section)->affine_bytes;
    return stand(key, section, log_parts) ? 0 : points * each;
}

/* Scratch of a sum over the points that come at a time. */
static uint64_t msm_bytes(const assay_groth16_key *key, const assay_group_backend *be, unsigned section, size_t points)
{
    return points ? be->msm_bytes(be, key->z.curve, assay_groth16_section_group(section), points) : 0;
}

static size_t points_of(const assay_groth16_key *key, unsigned section, unsigned log_parts, uint64_t n_bytes)
{
    const uint64_t all = assay_zkey_n_points(&key->z, section);
    if (stand(key, section, log_parts)) return (size_t)all;
    return (size_t)least(section == ASSAY_ZKEY_H ? all >> log_parts : all,
                         n_bytes / assay_zkey_group(&key->z, section)->affine_bytes);
}

static uint64_t least_of(const assay_groth16_key *key, const assay_group_backend *be, const sizes *z,
                         unsigned log_parts)
{
    uint64_t bytes = most(rows_bytes(z, log_parts) + z->coefs_least, transforms_bytes(z, log_parts));
    bytes = most(bytes, packing_bytes(z, log_parts));
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        const size_t points = points_of(key, s, log_parts, POINTS_LEAST);
        const uint64_t sum = least(msm_bytes(key, be, s, points), MSM_LEAST);
        bytes = most(bytes, beside(z, s, log_parts) + room_bytes(key, s, log_parts, points) + sum);
    }
    return bytes + PROGRAM;
}

/* As many points at a time as fit into `left` bytes with their sum. When too few would be left, or all of them stand in
 * a resident key, the sum divides them. Returns the bytes taken. */
static uint64_t fit_section(assay_groth16_pieces *pieces, const assay_groth16_key *key, const assay_group_backend *be,
                            unsigned section, uint64_t left)
{
    const unsigned parts = pieces->log_parts;
    const size_t fewest = points_of(key, section, parts, POINTS_LEAST);
    size_t points = points_of(key, section, parts, POINTS_USUAL);
    uint64_t room = room_bytes(key, section, parts, points), sum = msm_bytes(key, be, section, points);
    while (room + sum > left && points > fewest) {
        points = points - points / 8 > fewest ? points - points / 8 : fewest;
        room = room_bytes(key, section, parts, points);
        sum = msm_bytes(key, be, section, points);
    }
    if (room + sum > left) {
        sum = left - room;
        pieces->msm[section] = (size_t)sum;
    }
    pieces->points[section] = stand(key, section, parts) ? 0 : points;
    return room + sum;
}

static sizes sizes_of(const assay_groth16_key *key, const assay_group_backend *be, const assay_wtns *w)
{
    const assay_zkey *k = &key->z;
    const uint64_t each = sizeof(assay_zkey_coef), n_coefs = key->resident ? 0 : k->n_coefs;
    sizes z = {.wires = k->n_vars * (uint64_t)sizeof(assay_fr),
               .domain = k->domain * (uint64_t)sizeof(assay_fr),
               .window = assay_groth16_window_rows(k->domain) * (uint64_t)sizeof(assay_fr),
               .coefs_usual = least(n_coefs, COEFS_USUAL) * each,
               .coefs_least = least(n_coefs, COEFS_LEAST) * each};
    const uint64_t packed = w ? assay_wires_packed_bytes(w) : z.wires;
    z.kept = packed < z.wires / 2 ? packed : z.wires;
    for (unsigned i = 0; i <= ASSAY_GROTH16_LOG_PARTS && i <= k->log_domain; i++)
        z.tables[i] = be->ntt_bytes(be, k->curve, k->log_domain - i) + (i ? z.tables[0] : 0);
    return z;
}

uint64_t assay_groth16_plan_beside(uint64_t n)
{
    return n * sizeof(assay_fr) + PROGRAM;
}

assay_status assay_groth16_plan_pieces(assay_groth16_plan *out, assay_groth16_pieces *pieces,
                                       const assay_groth16_key *key, const assay_group_backend *be, uint64_t memory,
                                       const assay_wtns *w, assay_errinfo *err)
{
    const sizes z = sizes_of(key, be, memory ? w : NULL);
    const unsigned most_parts = (unsigned)least(ASSAY_GROTH16_LOG_PARTS, key->z.log_domain);
    unsigned parts = 0;
    *out = (assay_groth16_plan){.least = UINT64_MAX};
    *pieces = (assay_groth16_pieces){0};
    for (unsigned i = 0; i <= most_parts; i++) out->least = least(out->least, least_of(key, be, &z, i));
    const bool fits = memory == 0 || memory >= out->least;
    while (memory && fits && memory < least_of(key, be, &z, parts)) parts++;
    const uint64_t bound = memory && fits ? memory - PROGRAM : UINT64_MAX;
    pieces->log_parts = parts;
    pieces->packed = packing_bytes(&z, parts) > 0;
    const uint64_t rows = rows_bytes(&z, parts), coefs = least(z.coefs_usual, bound - rows);
    pieces->coefs = (size_t)(coefs / sizeof(assay_zkey_coef));
    add_stage(out, "witness", z.wires);
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++) {
        if (s == ASSAY_ZKEY_H) {
            add_stage(out, "rows", most(rows + coefs, packing_bytes(&z, parts)));
            add_stage(out, "transforms", transforms_bytes(&z, parts));
        }
        const uint64_t sum = fit_section(pieces, key, be, s, bound - beside(&z, s, parts));
        add_stage(out, assay_groth16_section_name(s), beside(&z, s, parts) + sum);
    }
    if (fits) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ENOMEM, key->path, "a proof needs more memory than is allowed (MiB needed, allowed)",
                       (out->least + MEBIBYTE - 1) / MEBIBYTE, memory / MEBIBYTE);
}
