/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a .zkey, section by section. */
#include "base/mem.h"
#include "groth16/scalar.h"
#include "groth16/zkey.h"
#include <string.h>

static assay_status put_point(assay_container_writer *w, const assay_zkey *z, assay_group_id group, const void *affine,
                              assay_errinfo *err)
{
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    z->curve->group[group].to_lem(bytes, affine);
    return assay_container_put(w, bytes, z->curve->group[group].affine_bytes, err);
}

assay_status assay_zkey_write_header(assay_container_writer *w, const assay_zkey *z, assay_errinfo *err)
{
    uint8_t prime[ASSAY_PRIME_MAX];
    const assay_curve *c = z->curve;
    size_t g1 = c->group[ASSAY_G1].affine_bytes, g2 = c->group[ASSAY_G2].affine_bytes;
    uint64_t n = 4 + c->fq_bytes + 4 + ASSAY_FR_BYTES + 3 * 4 + 3 * g1 + 3 * g2;
    assay_status s = assay_container_section(w, ASSAY_ZKEY_HEADER, 4, err);
    if (s == ASSAY_OK) s = assay_container_put_u32(w, 1, err); /* groth16 */
    if (s == ASSAY_OK) s = assay_container_section(w, ASSAY_ZKEY_GROTH16, n, err);
    if (s == ASSAY_OK) s = assay_container_put(w, prime, assay_store_prime(prime, c->fq_modulus, c->fq_limbs), err);
    if (s == ASSAY_OK) s = assay_container_put(w, prime, assay_store_prime(prime, c->fr_modulus, ASSAY_FR_LIMBS), err);
    if (s == ASSAY_OK) s = assay_container_put_u32(w, z->n_vars, err);
    if (s == ASSAY_OK) s = assay_container_put_u32(w, z->n_public, err);
    if (s == ASSAY_OK) s = assay_container_put_u32(w, z->domain, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G1, &z->alpha1, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G1, &z->beta1, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G2, &z->beta2, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G2, &z->gamma2, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G1, &z->delta1, err);
    if (s == ASSAY_OK) s = put_point(w, z, ASSAY_G2, &z->delta2, err);
    return s;
}

assay_status assay_zkey_begin_coefs(assay_container_writer *w, uint32_t n_coefs, assay_errinfo *err)
{
    uint64_t n = 4 + (uint64_t)n_coefs * ASSAY_ZKEY_COEF_BYTES;
    assay_status s = assay_container_section(w, ASSAY_ZKEY_COEFS, n, err);
    return s == ASSAY_OK ? assay_container_put_u32(w, n_coefs, err) : s;
}

assay_status assay_zkey_put_coefs(assay_container_writer *w, const assay_zkey_coef *coef, size_t n, assay_errinfo *err)
{
    uint8_t bytes[ASSAY_ZKEY_COEF_BYTES];
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        assay_store_u32(bytes, coef[i].matrix);
        assay_store_u32(bytes + 4, coef[i].row);
        assay_store_u32(bytes + 8, coef[i].signal);
        scalar_store(bytes + 12, coef[i].value.l);
        s = assay_container_put(w, bytes, sizeof bytes, err);
    }
    return s;
}

assay_status assay_zkey_begin_points(assay_container_writer *w, const assay_zkey *z, unsigned section,
                                     assay_errinfo *err)
{
    uint64_t n = assay_zkey_n_points(z, section) * assay_zkey_group(z, section)->affine_bytes;
    return assay_container_section(w, section, n, err);
}

assay_status assay_zkey_put_points(assay_container_writer *w, const assay_zkey *z, unsigned section, const void *points,
                                   size_t n, assay_errinfo *err)
{
    const assay_group *g = assay_zkey_group(z, section);
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        g->to_lem(bytes, (const uint8_t *)points + i * g->affine_bytes);
        s = assay_container_put(w, bytes, g->affine_bytes, err);
    }
    return s;
}

assay_status assay_zkey_write_history(assay_container_writer *w, const uint8_t circuit_hash[ASSAY_ZKEY_HASH_BYTES],
                                      assay_errinfo *err)
{
    assay_status s = assay_container_section(w, ASSAY_ZKEY_CONTRIBUTIONS, ASSAY_ZKEY_HASH_BYTES + 4, err);
    if (s == ASSAY_OK) s = assay_container_put(w, circuit_hash, ASSAY_ZKEY_HASH_BYTES, err);
    return s == ASSAY_OK ? assay_container_put_u32(w, 0, err) : s;
}

assay_status assay_zkey_write_mark(assay_container_writer *w, assay_errinfo *err)
{
    static const char text[] = "insecure development key: its trapdoor was known to the program that made it\n";
    assay_status s = assay_container_section(w, ASSAY_ZKEY_DEVELOPMENT, sizeof text - 1, err);
    return s == ASSAY_OK ? assay_container_put(w, text, sizeof text - 1, err) : s;
}
