/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of snarkjs, byte for byte (JSON.stringify with an indent of one), and its call data for Solidity. */
#include "field/limbs.h"
#include "groth16/decimal.h"
#include "groth16/json.h"
#include <stdio.h>
#include <string.h>

static void put(assay_writer *w, const char *text)
{
    assay_write_bytes(w, text, strlen(text));
}

/* The text between two elements of an object or array at a depth: comma, line end, indent. */
static void next(assay_writer *w, bool first, unsigned depth)
{
    put(w, first ? "\n" : ",\n");
    for (unsigned i = 0; i < depth; i++) put(w, " ");
}

static void end(assay_writer *w, const char *bracket, unsigned depth)
{
    next(w, true, depth);
    put(w, bracket);
}

static void key(assay_writer *w, const char *name, bool first)
{
    next(w, first, 1);
    put(w, "\"");
    put(w, name);
    put(w, "\": ");
}

static void put_quoted(assay_writer *w, const char *text)
{
    put(w, "\"");
    put(w, text);
    put(w, "\"");
}

static void put_decimal(assay_writer *w, const uint64_t *limbs, unsigned n_limbs)
{
    char text[ASSAY_DECIMAL_BYTES];
    put_quoted(w, assay_decimal_write(text, limbs, n_limbs));
}

static void put_fq(assay_writer *w, const uint8_t *bytes, const assay_curve *c)
{
    uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
    limbs_from_bytes(limbs, bytes, (int)c->fq_limbs, true);
    put_decimal(w, limbs, c->fq_limbs);
}

/* Two numbers as an array. */
static void put_pair(assay_writer *w, const char *a, const char *b, unsigned depth)
{
    put(w, "[");
    next(w, true, depth + 1);
    put_quoted(w, a);
    next(w, false, depth + 1);
    put_quoted(w, b);
    end(w, "]", depth);
}

/* A coordinate: bytes as in curve.h's `be`. */
static void put_coordinate(assay_writer *w, const uint8_t *bytes, const assay_curve *c, bool pair, unsigned depth)
{
    if (!pair) {
        put_fq(w, bytes, c);
        return;
    }
    put(w, "[");
    next(w, true, depth + 1);
    put_fq(w, bytes + c->fq_bytes, c);
    next(w, false, depth + 1);
    put_fq(w, bytes, c);
    end(w, "]", depth);
}

/* [x, y, 1]; points at infinity do not come here. */
static void put_point(assay_writer *w, const assay_curve *c, assay_group_id group, const void *affine, unsigned depth)
{
    const assay_group *g = &c->group[group];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    g->to_be(bytes, affine);
    put(w, "[");
    next(w, true, depth + 1);
    put_coordinate(w, bytes, c, group == ASSAY_G2, depth + 1);
    next(w, false, depth + 1);
    put_coordinate(w, bytes + g->coord_bytes, c, group == ASSAY_G2, depth + 1);
    next(w, false, depth + 1);
    if (group == ASSAY_G2)
        put_pair(w, "1", "0", depth + 1);
    else
        put_quoted(w, "1");
    end(w, "]", depth);
}

static void put_member(assay_writer *w, const char *name, const assay_curve *c, assay_group_id group,
                       const void *affine, bool first)
{
    key(w, name, first);
    put_point(w, c, group, affine, 1);
}

/* snarkjs ends its pairings with a power that is a multiple of (q^12 - 1) / r, which is quicker: by 2 z (6 z^2 + 3 z +
 * 1) on BN254 (Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, SAC 2011; z the parameter of the curve), by 3 on
 * BLS12-381 (Hayashida, Hayasaka, Teruya, eprint 2020/875). e(k alpha, beta) = e(alpha, beta)^k gives the same. */
static void multiply_as_snarkjs(assay_affine *out, const assay_curve *c, const assay_affine *alpha)
{
    assay_fr k = c->fr_from_u64(3), z = c->fr_from_u64(UINT64_C(4965661367192848881)), three_z = c->fr_mul(k, z);
    uint64_t scalar[ASSAY_FR_LIMBS];
    assay_point point;
    if (c->id == ASSAY_BN254) {
        assay_fr two_z = c->fr_add(z, z), square = c->fr_mul(two_z, three_z); /* 6 z^2 */
        k = c->fr_mul(two_z, c->fr_add(c->fr_add(square, three_z), c->fr_from_u64(1)));
    }
    c->fr_to_limbs(scalar, k);
    c->group[ASSAY_G1].mul(&point, alpha, scalar);
    c->group[ASSAY_G1].to_affine(out, &point);
}

/* [[[k0, k1] three times] two times]. */
static void put_pairing(assay_writer *w, const assay_vk *vk)
{
    uint8_t coords[ASSAY_GT_COORDS * ASSAY_FQ_MAX_BYTES];
    const assay_curve *c = vk->curve;
    const uint8_t *at = coords;
    assay_affine multiple;
    multiply_as_snarkjs(&multiple, c, &vk->alpha1);
    c->pairing(coords, &multiple, &vk->beta2);
    put(w, "[");
    for (int i = 0; i < 2; i++) {
        next(w, i == 0, 2);
        put(w, "[");
        for (int j = 0; j < 3; j++) {
            next(w, j == 0, 3);
            put(w, "[");
            for (int k = 0; k < 2; k++, at += c->fq_bytes) {
                next(w, k == 0, 4);
                put_fq(w, at, c);
            }
            end(w, "]", 3);
        }
        end(w, "]", 2);
    }
    end(w, "]", 1);
}

void assay_vk_json(assay_writer *w, const assay_vk *vk)
{
    const assay_curve *c = vk->curve;
    char count[16];
    put(w, "{");
    key(w, "protocol", true);
    put_quoted(w, "groth16");
    key(w, "curve", false);
    put_quoted(w, c->name);
    key(w, "nPublic", false);
    (void)snprintf(count, sizeof count, "%lu", (unsigned long)vk->n_public);
    put(w, count);
    put_member(w, "vk_alpha_1", c, ASSAY_G1, &vk->alpha1, false);
    put_member(w, "vk_beta_2", c, ASSAY_G2, &vk->beta2, false);
    put_member(w, "vk_gamma_2", c, ASSAY_G2, &vk->gamma2, false);
    put_member(w, "vk_delta_2", c, ASSAY_G2, &vk->delta2, false);
    key(w, "vk_alphabeta_12", false);
    put_pairing(w, vk);
    key(w, "IC", false);
    put(w, "[");
    for (uint64_t i = 0; i <= vk->n_public; i++) {
        next(w, i == 0, 2);
        put_point(w, c, ASSAY_G1, assay_vk_ic(vk, (uint32_t)i), 2);
    }
    end(w, "]", 1);
    if (vk->marked) { /* ours; others leave it alone */
        key(w, "assay_development_key", false);
        put(w, "true");
    }
    end(w, "}", 0);
}

void assay_proof_json(assay_writer *w, const assay_proof *p)
{
    put(w, "{");
    put_member(w, "pi_a", p->curve, ASSAY_G1, &p->a, true);
    put_member(w, "pi_b", p->curve, ASSAY_G2, &p->b, false);
    put_member(w, "pi_c", p->curve, ASSAY_G1, &p->c, false);
    key(w, "protocol", false);
    put_quoted(w, "groth16");
    key(w, "curve", false);
    put_quoted(w, p->curve->name);
    end(w, "}", 0);
}

void assay_publics_json(assay_writer *w, const assay_publics *p)
{
    put(w, "[");
    for (uint32_t i = 0; i < p->n; i++) {
        next(w, i == 0, 1);
        put_decimal(w, p->v[i], ASSAY_FR_LIMBS);
    }
    if (p->n > 0) put(w, "\n");
    put(w, "]");
}

/* ---- Solidity: bytes, highest first, as "0x...". */
static void put_hex(assay_writer *w, const uint8_t *bytes, size_t n)
{
    char text[3];
    put(w, "\"0x");
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%02x", bytes[i]);
        put(w, text);
    }
    put(w, "\"");
}

static void put_hex_pair(assay_writer *w, const uint8_t *bytes, size_t each)
{
    put(w, "[");
    put_hex(w, bytes, each);
    put(w, ", ");
    put_hex(w, bytes + each, each);
    put(w, "]");
}

assay_status assay_calldata(assay_writer *w, const assay_proof *p, const assay_publics *publics, assay_errinfo *err)
{
    const assay_group *g1 = &p->curve->group[ASSAY_G1], *g2 = &p->curve->group[ASSAY_G2];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    if (p->curve->id != ASSAY_BN254)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, p->curve->title, "has no verifier contract: only BN254 has");
    g1->to_be(bytes, &p->a);
    put_hex_pair(w, bytes, p->curve->fq_bytes);
    g2->to_be(bytes, &p->b); /* the second component first, as the contract has it */
    put(w, ",[");
    put_hex_pair(w, bytes, p->curve->fq_bytes);
    put(w, ",");
    put_hex_pair(w, bytes + g2->coord_bytes, p->curve->fq_bytes);
    put(w, "],");
    g1->to_be(bytes, &p->c);
    put_hex_pair(w, bytes, p->curve->fq_bytes);
    put(w, ",[");
    for (uint32_t i = 0; i < publics->n; i++) {
        limbs_to_bytes(bytes, publics->v[i], ASSAY_FR_LIMBS, true);
        if (i > 0) put(w, ",");
        put_hex(w, bytes, ASSAY_FR_BYTES);
    }
    put(w, "]");
    return w->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "call data", "out of memory") : ASSAY_OK;
}
