/* SPDX-License-Identifier: Apache-2.0 */
/* Points, proofs, keys and parameters of bellman and bellperson, from bytes that nobody vouches for.
 *
 * The encoding of zcash: the three top bits of the first byte are flags, compressed, infinity, and (compressed only) y
 * is the larger root. Source: bls12_381 0.8 (zkcrypto), notes_about_serialization; bellperson src/groth16/{proof,
 * verifying_key,params}.rs for the order of the parts. */
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/bellman.h"
#include <string.h>

enum { COMPRESSED = 0x80, INFINITE = 0x40, HIGH = 0x20, FLAGS = COMPRESSED | INFINITE | HIGH, COUNT_BYTES = 4 };

static const assay_curve *bls(void)
{
    return assay_curve_get(ASSAY_BLS381);
}

static bool all_zero(const uint8_t *p, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++) any |= p[i];
    return any == 0;
}

const char *assay_zcash_decode(void *affine, const uint8_t *bytes, size_t n, const assay_group *g,
                               assay_point_check check)
{
    uint8_t plain[ASSAY_AFFINE_MAX_BYTES], flags = bytes[0] & FLAGS;
    bool compressed = n == g->coord_bytes;
    memcpy(plain, bytes, n);
    plain[0] &= (uint8_t)~FLAGS;
    memset(affine, 0, g->affine_bytes);
    if (((flags & COMPRESSED) != 0) != compressed) return "has the wrong flag for compression";
    if (flags & INFINITE) {
        if ((flags & HIGH) || !all_zero(plain, n)) return "is infinity with other bits set";
        return assay_point_fault(g, affine, check);
    }
    if (compressed) {
        if (!g->from_x(affine, plain, (flags & HIGH) != 0))
            return "has an x that is not below q, or is of no point of the curve";
    } else {
        if (flags & HIGH) return "has a flag that only compressed points have";
        if (!g->from_be(affine, plain)) return "has a coordinate that is not below q";
        if (g->affine_is_infinity(affine)) return "is (0, 0), which is no point of the curve";
    }
    const char *why = assay_point_fault(g, affine, check);
    if (why) memset(affine, 0, g->affine_bytes);
    return why;
}

void assay_zcash_encode(uint8_t *bytes, size_t n, const void *affine, const assay_group *g)
{
    uint8_t plain[ASSAY_AFFINE_MAX_BYTES];
    bool compressed = n == g->coord_bytes;
    g->to_be(plain, affine);
    memcpy(bytes, plain, n);
    if (compressed) bytes[0] |= COMPRESSED;
    if (g->affine_is_infinity(affine))
        bytes[0] |= INFINITE;
    else if (compressed && g->y_is_high(affine))
        bytes[0] |= HIGH;
}

/* ---- proofs */

assay_status assay_bellman_proof_decode(assay_proof *proof, const char *name, const void *p, size_t n,
                                        assay_errinfo *err)
{
    const assay_curve *c = bls();
    const assay_group *g1 = &c->group[ASSAY_G1], *g2 = &c->group[ASSAY_G2];
    struct {
        const char *part;
        const assay_group *g;
        void *to;
    } parts[] = {{"a", g1, &proof->a}, {"b", g2, &proof->b}, {"c", g1, &proof->c}};
    const uint8_t *at = p;
    memset(proof, 0, sizeof *proof);
    if (n != ASSAY_BELLMAN_PROOF_BYTES)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "has a wrong length for a proof (bytes, expected)", n,
                           ASSAY_BELLMAN_PROOF_BYTES);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char subject[ASSAY_SUBJECT_BYTES];
        const char *why = assay_zcash_decode(parts[i].to, at, parts[i].g->coord_bytes, parts[i].g, ASSAY_POINT_FINITE);
        at += parts[i].g->coord_bytes;
        if (!why) continue;
        memset(proof, 0, sizeof *proof);
        return ASSAY_FAIL(err, ASSAY_ERANGE, subject_of(subject, name, parts[i].part), why);
    }
    proof->curve = c;
    return ASSAY_OK;
}

void assay_bellman_proof_encode(uint8_t out[ASSAY_BELLMAN_PROOF_BYTES], const assay_proof *proof)
{
    const assay_group *g1 = &proof->curve->group[ASSAY_G1], *g2 = &proof->curve->group[ASSAY_G2];
    assay_zcash_encode(out, g1->coord_bytes, &proof->a, g1);
    assay_zcash_encode(out + g1->coord_bytes, g2->coord_bytes, &proof->b, g2);
    assay_zcash_encode(out + g1->coord_bytes + g2->coord_bytes, g1->coord_bytes, &proof->c, g1);
}

/* ---- keys and parameters: read from a source in order */

typedef struct cursor {
    const assay_source *source;
    uint64_t at;
} cursor;

static assay_status read_count(uint32_t *n, cursor *c, const char *part, assay_errinfo *err)
{
    uint8_t b[COUNT_BYTES];
    assay_status s = assay_source_read(c->source, b, c->at, sizeof b, part, err);
    *n = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    c->at += sizeof b;
    return s;
}

/* n points at a place, decoded in place. first: number of the first one, for messages. */
static assay_status read_points(void *out, const assay_source *source, uint64_t at, uint64_t first, size_t n,
                                const assay_group *g, assay_point_check check, const char *part, assay_errinfo *err)
{
    assay_status s = assay_source_read(source, out, at, n * g->affine_bytes, part, err);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        uint8_t *point = (uint8_t *)out + i * g->affine_bytes, bytes[ASSAY_AFFINE_MAX_BYTES];
        char subject[ASSAY_SUBJECT_BYTES];
        memcpy(bytes, point, g->affine_bytes);
        const char *why = assay_zcash_decode(point, bytes, g->affine_bytes, g, check);
        if (why) s = ASSAY_FAIL1(err, ASSAY_ERANGE, subject_of(subject, source->name, part), why, first + i);
    }
    if (s != ASSAY_OK) memset(out, 0, n * g->affine_bytes);
    return s;
}

static assay_status read_point(assay_affine *out, cursor *c, assay_group_id group, const char *part, assay_errinfo *err)
{
    const assay_group *g = &bls()->group[group];
    assay_status s = read_points(out, c->source, c->at, 0, 1, g, ASSAY_POINT_FINITE, part, err);
    c->at += g->affine_bytes;
    return s;
}

/* alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, IC with its count. */
static assay_status read_vk(assay_vk *vk, cursor *c, assay_errinfo *err)
{
    const assay_group *g1 = &bls()->group[ASSAY_G1];
    assay_affine alpha1, beta1, beta2, gamma2, delta1, delta2;
    uint32_t n = 0;
    assay_status s = read_point(&alpha1, c, ASSAY_G1, "alpha_g1", err);
    if (s == ASSAY_OK) s = read_point(&beta1, c, ASSAY_G1, "beta_g1", err);
    if (s == ASSAY_OK) s = read_point(&beta2, c, ASSAY_G2, "beta_g2", err);
    if (s == ASSAY_OK) s = read_point(&gamma2, c, ASSAY_G2, "gamma_g2", err);
    if (s == ASSAY_OK) s = read_point(&delta1, c, ASSAY_G1, "delta_g1", err);
    if (s == ASSAY_OK) s = read_point(&delta2, c, ASSAY_G2, "delta_g2", err);
    if (s == ASSAY_OK) s = read_count(&n, c, "count of IC", err);
    if (s != ASSAY_OK) return s;
    if (n == 0 || n > (c->source->n - c->at) / g1->affine_bytes)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, c->source->name,
                           "IC: has no points, or more than the file (points, bytes)", n, c->source->n);
    s = assay_vk_init(vk, bls(), n - 1, err);
    if (s != ASSAY_OK) return s;
    vk->alpha1 = alpha1;
    vk->beta2 = beta2;
    vk->gamma2 = gamma2;
    vk->delta2 = delta2;
    s = read_points(vk->ic, c->source, c->at, 0, n, g1, ASSAY_POINT_FINITE, "IC", err);
    c->at += n * (uint64_t)g1->affine_bytes;
    return s;
}

static assay_status check_end(const cursor *c, assay_errinfo *err)
{
    if (c->at == c->source->n) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, c->source->name, "bytes after the last point (its end, bytes of the file)",
                       c->at, c->source->n);
}

uint64_t assay_bellman_vk_values(size_t n)
{
    const size_t point = bls()->group[ASSAY_G1].affine_bytes;
    const size_t head = 3 * point + 3 * bls()->group[ASSAY_G2].affine_bytes + COUNT_BYTES;
    return n < head + point || (n - head) % point != 0 ? UINT64_MAX : (n - head) / point - 1;
}

assay_status assay_bellman_vk_parse(assay_vk *vk, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    assay_source source = assay_source_of(name, p, n);
    cursor c = {&source, 0};
    *vk = (assay_vk){0};
    assay_status s = read_vk(vk, &c, err);
    if (s == ASSAY_OK) s = check_end(&c, err);
    const char *why = s == ASSAY_OK ? assay_vk_forgeable(bls(), &vk->beta2, &vk->gamma2, &vk->delta2) : NULL;
    if (why) s = ASSAY_FAIL(err, ASSAY_ERANGE, name, why);
    if (s != ASSAY_OK) assay_vk_clear(vk);
    return s;
}

static const char *const part_name[ASSAY_PARAMS_PARTS] = {"h", "l", "a", "b_g1", "b_g2"};

const char *assay_bellman_part_name(unsigned part)
{
    return part < ASSAY_PARAMS_PARTS ? part_name[part] : "";
}

static const assay_group *group_of(unsigned part)
{
    return &bls()->group[part == ASSAY_PARAMS_B_G2 ? ASSAY_G2 : ASSAY_G1];
}

static assay_status take(assay_bellman_params *b, assay_errinfo *err)
{
    cursor c = {&b->source, 0};
    assay_status s = read_vk(&b->vk, &c, err);
    for (unsigned i = 0; i < ASSAY_PARAMS_PARTS && s == ASSAY_OK; i++) {
        size_t each = group_of(i)->affine_bytes;
        s = read_count(&b->n[i], &c, part_name[i], err);
        if (s != ASSAY_OK) return s;
        if (b->n[i] > (b->source.n - c.at) / each) {
            char subject[ASSAY_SUBJECT_BYTES];
            return ASSAY_FAIL2(err, ASSAY_EFORMAT, subject_of(subject, b->source.name, part_name[i]),
                               "has more points than the file holds (points, bytes left)", b->n[i], b->source.n - c.at);
        }
        b->at[i] = c.at;
        c.at += b->n[i] * (uint64_t)each;
    }
    return s == ASSAY_OK ? check_end(&c, err) : s;
}

static assay_status finish(assay_bellman_params *b, assay_status s, assay_errinfo *err)
{
    if (s == ASSAY_OK) s = take(b, err);
    if (s != ASSAY_OK) assay_bellman_params_close(b);
    return s;
}

assay_status assay_bellman_params_open(assay_bellman_params *b, const char *path, assay_errinfo *err)
{
    *b = (assay_bellman_params){0};
    return finish(b, assay_source_open(&b->source, path, err), err);
}

assay_status assay_bellman_params_of(assay_bellman_params *b, const char *name, const void *p, size_t n,
                                     assay_errinfo *err)
{
    *b = (assay_bellman_params){.source = assay_source_of(name, p, n)};
    return finish(b, ASSAY_OK, err);
}

void assay_bellman_params_close(assay_bellman_params *b)
{
    assay_vk_clear(&b->vk);
    assay_source_close(&b->source);
    *b = (assay_bellman_params){.source = b->source};
}

assay_status assay_bellman_params_points(void *out, const assay_bellman_params *b, unsigned part, uint32_t first,
                                         size_t n, assay_point_check check, assay_errinfo *err)
{
    if (part >= ASSAY_PARAMS_PARTS || first > b->n[part] || n > b->n[part] - first)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, assay_bellman_part_name(part), "has fewer points (first, count)", first,
                           n);
    if (n == 0) return ASSAY_OK;
    const assay_group *g = group_of(part);
    return read_points(out, &b->source, b->at[part] + first * (uint64_t)g->affine_bytes, first, n, g, check,
                       part_name[part], err);
}
