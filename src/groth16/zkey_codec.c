/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a .zkey that nobody vouches for, and its points in pieces. */
#include "base/subject.h"
#include "groth16/zkey.h"
#include <string.h>

enum {
    VERSION = 1,
    PROTOCOL_GROTH16 = 1,
    LEAST_DOMAIN = 2,
    HEADER_MAX = 2 * ASSAY_PRIME_MAX + 3 * 4 + 3 * ASSAY_AFFINE_MAX_BYTES / 2 + 3 * ASSAY_AFFINE_MAX_BYTES
};

static const char *const part_name[] = {
    [ASSAY_ZKEY_HEADER] = "section 1 (protocol)",
    [ASSAY_ZKEY_GROTH16] = "section 2 (header)",
    [ASSAY_ZKEY_IC] = "section 3 (IC)",
    [ASSAY_ZKEY_COEFS] = "section 4 (coefficients)",
    [ASSAY_ZKEY_A] = "section 5 (A)",
    [ASSAY_ZKEY_B1] = "section 6 (B1)",
    [ASSAY_ZKEY_B2] = "section 7 (B2)",
    [ASSAY_ZKEY_C] = "section 8 (C)",
    [ASSAY_ZKEY_H] = "section 9 (H)",
    [ASSAY_ZKEY_CONTRIBUTIONS] = "section 10 (contributions)",
};

const char *assay_zkey_part(unsigned section)
{
    return section >= ASSAY_ZKEY_HEADER && section <= ASSAY_ZKEY_CONTRIBUTIONS ? part_name[section] : "section";
}

static assay_status refuse(const assay_zkey *z, assay_status s, const char *what, const char *reason, uint64_t a,
                           uint64_t b, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, z->file.source.name, what), reason, a, b);
}

uint64_t assay_zkey_n_points(const assay_zkey *z, unsigned section)
{
    switch (section) {
    case ASSAY_ZKEY_IC:
        return (uint64_t)z->n_public + 1;
    case ASSAY_ZKEY_A:
    case ASSAY_ZKEY_B1:
    case ASSAY_ZKEY_B2:
        return z->n_vars;
    case ASSAY_ZKEY_C:
        return (uint64_t)z->n_vars - z->n_public - 1;
    case ASSAY_ZKEY_H:
        return z->domain;
    default:
        return 0;
    }
}

const assay_group *assay_zkey_group(const assay_zkey *z, unsigned section)
{
    return &z->curve->group[section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1];
}

static assay_status check_protocol(const assay_zkey *z, assay_errinfo *err)
{
    uint8_t b[4];
    size_t n;
    const char *part = part_name[ASSAY_ZKEY_HEADER];
    assay_status s = assay_container_load(b, &n, sizeof b, &z->file, ASSAY_ZKEY_HEADER, part, err);
    if (s != ASSAY_OK) return s;
    if (n != sizeof b) return refuse(z, ASSAY_EFORMAT, part, "has a wrong length (bytes, expected)", n, sizeof b, err);
    uint32_t protocol = assay_load_u32(b);
    if (protocol != PROTOCOL_GROTH16)
        return refuse(z, ASSAY_EUNSUPPORTED, part, "is not groth16 (number, that of groth16)", protocol,
                      PROTOCOL_GROTH16, err);
    return ASSAY_OK;
}

static assay_status read_curve(assay_zkey *z, assay_reader *r, assay_errinfo *err)
{
    static const char q_part[] = "section 2, field of coordinates", r_part[] = "section 2, field of scalars";
    uint32_t n8q, n8r;
    const uint8_t *q = assay_read_prime(r, &n8q), *scalars = assay_read_prime(r, &n8r);
    if (!q) return refuse(z, ASSAY_EFORMAT, q_part, "is no prime of a known length (bytes, most)", n8q, 48, err);
    if (!scalars) return refuse(z, ASSAY_EFORMAT, r_part, "is no prime of a known length (bytes, most)", n8r, 48, err);
    z->curve = assay_curve_by_fq(q, n8q);
    if (!z->curve) return refuse(z, ASSAY_EUNSUPPORTED, q_part, "is of no known curve (bytes)", n8q, n8r, err);
    if (assay_curve_by_fr(scalars, n8r) != z->curve)
        return refuse(z, ASSAY_EFORMAT, r_part, "is not that of the curve (bytes)", n8q, n8r, err);
    return ASSAY_OK;
}

/* The counts, each against what can be; the lengths of sections come later. */
static assay_status read_counts(assay_zkey *z, assay_reader *r, assay_errinfo *err)
{
    z->n_vars = assay_read_u32(r);
    z->n_public = assay_read_u32(r);
    z->domain = assay_read_u32(r);
    if (r->bad) return refuse(z, ASSAY_EFORMAT, part_name[ASSAY_ZKEY_GROTH16], "is too short", r->n, 0, err);
    if (z->n_public >= z->n_vars)
        return refuse(z, ASSAY_ERANGE, "section 2, nPublic", "not below nVars (nPublic, nVars)", z->n_public, z->n_vars,
                      err);
    if (z->domain < LEAST_DOMAIN || (z->domain & (z->domain - 1)) != 0)
        return refuse(z, ASSAY_ERANGE, "section 2, domainSize", "is no power of two from 2 on (domainSize, least)",
                      z->domain, LEAST_DOMAIN, err);
    while (z->domain >> z->log_domain > 1) z->log_domain++;
    if (z->log_domain > z->curve->two_adicity)
        return refuse(z, ASSAY_ERANGE, "section 2, domainSize", "larger than the curve's fields have (log2, most)",
                      z->log_domain, z->curve->two_adicity, err);
    return ASSAY_OK;
}

static assay_status read_point(assay_affine *out, const assay_zkey *z, assay_group_id group, assay_reader *r,
                               const char *part, assay_errinfo *err)
{
    const assay_group *g = &z->curve->group[group];
    const uint8_t *bytes = assay_read_bytes(r, g->affine_bytes);
    if (!bytes) return refuse(z, ASSAY_EFORMAT, part, "ends too early", r->n, 0, err);
    const char *why = g->from_lem(out, bytes) ? assay_point_fault(g, out, ASSAY_POINT_FINITE)
                                              : "has a coordinate that is not below q";
    char subject[ASSAY_SUBJECT_BYTES];
    return why ? ASSAY_FAIL(err, ASSAY_ERANGE, subject_of(subject, z->file.source.name, part), why) : ASSAY_OK;
}

static assay_status read_header(assay_zkey *z, assay_errinfo *err)
{
    uint8_t bytes[HEADER_MAX];
    size_t n;
    const char *part = part_name[ASSAY_ZKEY_GROTH16];
    assay_status s = assay_container_load(bytes, &n, sizeof bytes, &z->file, ASSAY_ZKEY_GROTH16, part, err);
    if (s != ASSAY_OK) return s;
    assay_reader r = assay_reader_of(bytes, n);
    s = read_curve(z, &r, err);
    if (s == ASSAY_OK) s = read_counts(z, &r, err);
    if (s == ASSAY_OK) s = read_point(&z->alpha1, z, ASSAY_G1, &r, "section 2, alpha1", err);
    if (s == ASSAY_OK) s = read_point(&z->beta1, z, ASSAY_G1, &r, "section 2, beta1", err);
    if (s == ASSAY_OK) s = read_point(&z->beta2, z, ASSAY_G2, &r, "section 2, beta2", err);
    if (s == ASSAY_OK) s = read_point(&z->gamma2, z, ASSAY_G2, &r, "section 2, gamma2", err);
    if (s == ASSAY_OK) s = read_point(&z->delta1, z, ASSAY_G1, &r, "section 2, delta1", err);
    if (s == ASSAY_OK) s = read_point(&z->delta2, z, ASSAY_G2, &r, "section 2, delta2", err);
    if (s == ASSAY_OK && assay_reader_left(&r) != 0)
        s = refuse(z, ASSAY_EFORMAT, part, "has bytes after delta2 (left, all)", assay_reader_left(&r), n, err);
    return s;
}

/* Every section as long as the counts ask for. Nothing overflows: counts are below 2^32, points have 192 bytes at most.
 */
static assay_status check_lengths(assay_zkey *z, assay_errinfo *err)
{
    static const unsigned points[] = {ASSAY_ZKEY_IC, ASSAY_ZKEY_A, ASSAY_ZKEY_B1,
                                      ASSAY_ZKEY_B2, ASSAY_ZKEY_C, ASSAY_ZKEY_H};
    const assay_section *found;
    uint8_t count[4];
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < sizeof points / sizeof points[0] && s == ASSAY_OK; i++) {
        uint64_t n = assay_zkey_n_points(z, points[i]) * assay_zkey_group(z, points[i])->affine_bytes;
        s = assay_container_need(&found, &z->file, points[i], n, part_name[points[i]], err);
    }
    const char *part = part_name[ASSAY_ZKEY_COEFS];
    if (s == ASSAY_OK) s = assay_container_need(&found, &z->file, ASSAY_ZKEY_COEFS, UINT64_MAX, part, err);
    if (s == ASSAY_OK && found->n < sizeof count)
        s = refuse(z, ASSAY_EFORMAT, part, "has no count (bytes, least)", found->n, sizeof count, err);
    if (s == ASSAY_OK) s = assay_source_read(&z->file.source, count, found->at, sizeof count, part, err);
    if (s != ASSAY_OK) return s;
    z->n_coefs = assay_load_u32(count);
    uint64_t n = sizeof count + (uint64_t)z->n_coefs * ASSAY_ZKEY_COEF_BYTES;
    return assay_container_need(&found, &z->file, ASSAY_ZKEY_COEFS, n, part, err);
}

static assay_status take(assay_zkey *z, bool allow_development, assay_errinfo *err)
{
    assay_status s = check_protocol(z, err);
    if (s == ASSAY_OK) s = read_header(z, err);
    if (s == ASSAY_OK) s = check_lengths(z, err);
    if (s != ASSAY_OK) return s;
    const char *why = assay_vk_forgeable(z->curve, &z->beta2, &z->gamma2, &z->delta2);
    if (why) return ASSAY_FAIL(err, ASSAY_ERANGE, z->file.source.name, why);
    bool marked = assay_container_find(&z->file, ASSAY_ZKEY_DEVELOPMENT) != NULL;
    bool no_second_phase = memcmp(&z->gamma2, &z->delta2, z->curve->group[ASSAY_G2].affine_bytes) == 0;
    z->development = marked || no_second_phase;
    if (!z->development || allow_development) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, z->file.source.name,
                      marked ? "is marked as an insecure development key"
                             : "gamma2 = delta2: a key without a contribution, whose proofs anybody can forge");
}

static assay_status finish(assay_zkey *z, assay_status s, bool allow_development, assay_errinfo *err)
{
    if (s == ASSAY_OK) s = take(z, allow_development, err);
    if (s != ASSAY_OK) assay_zkey_close(z);
    return s;
}

assay_status assay_zkey_open(assay_zkey *z, const char *path, bool allow_development, assay_errinfo *err)
{
    *z = (assay_zkey){0};
    return finish(z, assay_container_open(&z->file, path, "zkey", VERSION, err), allow_development, err);
}

assay_status assay_zkey_of(assay_zkey *z, const char *name, const void *p, size_t n, bool allow_development,
                           assay_errinfo *err)
{
    *z = (assay_zkey){0};
    return finish(z, assay_container_of(&z->file, name, p, n, "zkey", VERSION, err), allow_development, err);
}

void assay_zkey_close(assay_zkey *z)
{
    assay_container_close(&z->file);
    *z = (assay_zkey){.file = z->file};
}

assay_status assay_zkey_points(void *out, const assay_zkey *z, unsigned section, uint64_t first, size_t n,
                               assay_point_check check, assay_pool *pool, assay_errinfo *err)
{
    uint64_t all = assay_zkey_n_points(z, section);
    const assay_group *g = assay_zkey_group(z, section);
    if (first > all || n > all - first)
        return refuse(z, ASSAY_EINVAL, assay_zkey_part(section), "has fewer points (first, count)", first, n, err);
    if (n == 0) return ASSAY_OK;
    const assay_section *s = assay_container_find(&z->file, section);
    if (!s) return refuse(z, ASSAY_EINVAL, assay_zkey_part(section), "is missing", first, n, err);
    return assay_points_read(out, &z->file.source, s->at + first * g->affine_bytes, first, n, z->curve,
                             section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1, check, pool, part_name[section], err);
}

assay_status assay_zkey_vk(assay_vk *vk, const assay_zkey *z, assay_errinfo *err)
{
    assay_status s = assay_vk_init(vk, z->curve, z->n_public, err);
    if (s != ASSAY_OK) return s;
    vk->marked = assay_container_find(&z->file, ASSAY_ZKEY_DEVELOPMENT) != NULL;
    vk->alpha1 = z->alpha1;
    vk->beta2 = z->beta2;
    vk->gamma2 = z->gamma2;
    vk->delta2 = z->delta2;
    s = assay_zkey_points(vk->ic, z, ASSAY_ZKEY_IC, 0, (size_t)z->n_public + 1, ASSAY_POINT_FINITE, NULL, err);
    if (s != ASSAY_OK) assay_vk_clear(vk);
    return s;
}
