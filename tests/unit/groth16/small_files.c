/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of Groth16, made here. */
#include "groth16/small_files.h"
#include "harness.h"
#include <string.h>

enum { MAX_BYTES = 1 << 20 };

void small_multiple(void *affine, const assay_curve *c, assay_group_id g, uint64_t k)
{
    const assay_group *group = &c->group[g];
    uint64_t scalar[ASSAY_FR_LIMBS] = {k};
    assay_affine generator;
    assay_point point;
    group->generator(&generator);
    group->mul(&point, &generator, scalar);
    group->to_affine(affine, &point);
}

assay_fr small_coefficient(const assay_curve *c, uint64_t k)
{
    return c->fr_from_limbs(c->fr_from_u64(k).l);
}

/* wires: 1, out, a, b; constraint a b = out. */
void small_r1cs(assay_writer *w, const assay_curve *c)
{
    static const uint32_t wire[] = {2, 3, 1}, start[] = {0, 1, 2, 3};
    uint32_t wires[3], starts[4], values[3] = {0, 0, 0};
    assay_fr one = c->fr_from_u64(1);
    memcpy(wires, wire, sizeof wires);
    memcpy(starts, start, sizeof starts);
    assay_r1cs r = {.curve = c,
                    .n_wires = SMALL_WIRES,
                    .n_outputs = 1,
                    .n_private = 2,
                    .n_constraints = 1,
                    .n_labels = SMALL_WIRES,
                    .start = starts,
                    .wire = wires,
                    .value = values,
                    .values = {.v = &one, .n = 1}};
    assay_writer_init(w, MAX_BYTES);
    CHECK_OK(assay_r1cs_write(&r, NULL, w, NULL));
}

void small_wtns(assay_writer *w, const assay_curve *c)
{
    assay_scalar values[SMALL_WIRES] = {{1}, {35}, {5}, {7}};
    assay_wtns t = {.curve = c, .n = SMALL_WIRES, .w = values};
    assay_writer_init(w, MAX_BYTES);
    CHECK_OK(assay_wtns_write(&t, NULL, w, NULL));
}

/* n points: from + i times the generator where bit i of `there` is set, infinity elsewhere. */
static void put_points(assay_container_writer *w, const assay_zkey *z, unsigned section, uint64_t from, unsigned there)
{
    size_t n = assay_zkey_n_points(z, section);
    assay_group_id g = section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1;
    CHECK_OK(assay_zkey_begin_points(w, z, section, NULL));
    for (size_t i = 0; i < n; i++) {
        assay_affine point;
        small_multiple(&point, z->curve, g, there >> i & 1 ? from + i : 0);
        CHECK_OK(assay_zkey_put_points(w, z, section, &point, 1, NULL));
    }
}

static void put_contribution(assay_container_writer *w, const assay_zkey *z)
{
    static const uint8_t params[] = {1, 5, 'a', 'l', 'i', 'c', 'e'};
    const assay_group *g1 = &z->curve->group[ASSAY_G1], *g2 = &z->curve->group[ASSAY_G2];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES], hash[ASSAY_ZKEY_HASH_BYTES];
    assay_affine point;
    memset(hash, 0xAB, sizeof hash);
    CHECK_OK(assay_container_section(w, ASSAY_ZKEY_CONTRIBUTIONS,
                                     2 * sizeof hash + 12 + 3 * g1->affine_bytes + g2->affine_bytes + sizeof params,
                                     NULL));
    CHECK_OK(assay_container_put(w, hash, sizeof hash, NULL));
    CHECK_OK(assay_container_put_u32(w, 1, NULL));
    for (int i = 0; i < 3; i++) {
        g1->to_lem(bytes, &z->delta1);
        CHECK_OK(assay_container_put(w, bytes, g1->affine_bytes, NULL));
    }
    small_multiple(&point, z->curve, ASSAY_G2, 9);
    g2->to_lem(bytes, &point);
    CHECK_OK(assay_container_put(w, bytes, g2->affine_bytes, NULL));
    CHECK_OK(assay_container_put(w, hash, sizeof hash, NULL));
    CHECK_OK(assay_container_put_u32(w, 0, NULL));
    CHECK_OK(assay_container_put_u32(w, sizeof params, NULL));
    CHECK_OK(assay_container_put(w, params, sizeof params, NULL));
}

void small_zkey(assay_writer *w, const assay_curve *c, bool mark)
{
    assay_zkey z = {.curve = c, .n_vars = SMALL_WIRES, .n_public = SMALL_PUBLIC, .domain = SMALL_DOMAIN};
    assay_zkey_coef coef[SMALL_COEFS] = {{0, 0, 2, small_coefficient(c, 1)},
                                         {1, 0, 3, small_coefficient(c, 1)},
                                         {0, 1, 0, small_coefficient(c, 1)},
                                         {0, 2, 1, small_coefficient(c, 3)}};
    assay_container_writer out;
    small_multiple(&z.alpha1, c, ASSAY_G1, 3);
    small_multiple(&z.beta1, c, ASSAY_G1, 5);
    small_multiple(&z.beta2, c, ASSAY_G2, 5);
    small_multiple(&z.gamma2, c, ASSAY_G2, 11);
    small_multiple(&z.delta1, c, ASSAY_G1, 7);
    small_multiple(&z.delta2, c, ASSAY_G2, 7);
    assay_writer_init(w, MAX_BYTES);
    CHECK_OK(assay_container_write(&out, NULL, w, "zkey", 1, mark ? 11 : 10, NULL));
    CHECK_OK(assay_zkey_write_header(&out, &z, NULL));
    CHECK_OK(assay_zkey_begin_coefs(&out, SMALL_COEFS, NULL));
    CHECK_OK(assay_zkey_put_coefs(&out, coef, SMALL_COEFS, NULL));
    put_points(&out, &z, ASSAY_ZKEY_IC, 13, ~0u);
    put_points(&out, &z, ASSAY_ZKEY_H, 20, ~0u);
    put_points(&out, &z, ASSAY_ZKEY_C, 30, ~0u);
    put_points(&out, &z, ASSAY_ZKEY_A, 40, 7);
    put_points(&out, &z, ASSAY_ZKEY_B1, 50, 8);
    put_points(&out, &z, ASSAY_ZKEY_B2, 50, 8);
    put_contribution(&out, &z);
    if (mark) CHECK_OK(assay_zkey_write_mark(&out, NULL));
    CHECK_OK(assay_container_finish(&out, NULL));
    assay_container_writer_clear(&out);
}

static void put_powers(assay_container_writer *w, const assay_curve *c, uint32_t id, assay_group_id g, size_t n)
{
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    assay_affine point;
    CHECK_OK(assay_container_section(w, id, n * c->group[g].affine_bytes, NULL));
    for (size_t i = 0; i < n; i++) {
        small_multiple(&point, c, g, 100 * id + i);
        c->group[g].to_lem(bytes, &point);
        CHECK_OK(assay_container_put(w, bytes, c->group[g].affine_bytes, NULL));
    }
}

void small_ptau(assay_writer *w, const assay_curve *c, bool prepared)
{
    size_t n = (size_t)1 << SMALL_PTAU_POWER;
    uint8_t prime[ASSAY_PRIME_MAX];
    assay_container_writer out;
    size_t n_prime = assay_store_prime(prime, c->fq_modulus, c->fq_limbs);
    assay_writer_init(w, MAX_BYTES);
    CHECK_OK(assay_container_write(&out, NULL, w, "ptau", 1, prepared ? 11 : 7, NULL));
    CHECK_OK(assay_container_section(&out, ASSAY_PTAU_HEADER, n_prime + 8, NULL));
    CHECK_OK(assay_container_put(&out, prime, n_prime, NULL));
    CHECK_OK(assay_container_put_u32(&out, SMALL_PTAU_POWER, NULL));
    CHECK_OK(assay_container_put_u32(&out, 28, NULL));
    put_powers(&out, c, ASSAY_PTAU_TAU_G1, ASSAY_G1, 2 * n - 1);
    put_powers(&out, c, ASSAY_PTAU_TAU_G2, ASSAY_G2, n);
    put_powers(&out, c, ASSAY_PTAU_ALPHA_TAU_G1, ASSAY_G1, n);
    put_powers(&out, c, ASSAY_PTAU_BETA_TAU_G1, ASSAY_G1, n);
    put_powers(&out, c, ASSAY_PTAU_BETA_G2, ASSAY_G2, 1);
    CHECK_OK(assay_container_section(&out, ASSAY_PTAU_CONTRIBUTIONS, 4, NULL));
    CHECK_OK(assay_container_put_u32(&out, 0, NULL));
    if (prepared) {
        put_powers(&out, c, ASSAY_PTAU_LAGRANGE_TAU_G1, ASSAY_G1, 4 * n - 1);
        put_powers(&out, c, ASSAY_PTAU_LAGRANGE_TAU_G2, ASSAY_G2, 2 * n - 1);
        put_powers(&out, c, ASSAY_PTAU_LAGRANGE_ALPHA_G1, ASSAY_G1, 2 * n - 1);
        put_powers(&out, c, ASSAY_PTAU_LAGRANGE_BETA_G1, ASSAY_G1, 2 * n - 1);
    }
    CHECK_OK(assay_container_finish(&out, NULL));
    assay_container_writer_clear(&out);
}

void small_vk(assay_vk *vk, const assay_curve *c)
{
    CHECK_OK(assay_vk_init(vk, c, SMALL_PUBLIC, NULL));
    small_multiple(&vk->alpha1, c, ASSAY_G1, 3);
    small_multiple(&vk->beta2, c, ASSAY_G2, 5);
    small_multiple(&vk->gamma2, c, ASSAY_G2, 11);
    small_multiple(&vk->delta2, c, ASSAY_G2, 7);
    for (uint32_t i = 0; i <= SMALL_PUBLIC; i++) small_multiple(assay_vk_ic(vk, i), c, ASSAY_G1, 13 + i);
}

void small_proof(assay_proof *p, const assay_curve *c)
{
    memset(p, 0, sizeof *p);
    p->curve = c;
    small_multiple(&p->a, c, ASSAY_G1, 17);
    small_multiple(&p->b, c, ASSAY_G2, 19);
    small_multiple(&p->c, c, ASSAY_G1, 23);
}

static void put_zcash(assay_writer *w, assay_group_id group, uint64_t k)
{
    const assay_group *g = &assay_curve_get(ASSAY_BLS381)->group[group];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    assay_affine point;
    small_multiple(&point, assay_curve_get(ASSAY_BLS381), group, k);
    assay_zcash_encode(bytes, g->affine_bytes, &point, g);
    assay_write_bytes(w, bytes, g->affine_bytes);
}

static void put_count(assay_writer *w, uint32_t n)
{
    const uint8_t b[] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
    assay_write_bytes(w, b, sizeof b);
}

void small_bellman_vk(assay_writer *w)
{
    assay_writer_init(w, 1 << 16);
    put_zcash(w, ASSAY_G1, 3);
    put_zcash(w, ASSAY_G1, 5);
    put_zcash(w, ASSAY_G2, 5);
    put_zcash(w, ASSAY_G2, 11);
    put_zcash(w, ASSAY_G1, 7);
    put_zcash(w, ASSAY_G2, 7);
    put_count(w, SMALL_PUBLIC + 1);
    for (unsigned i = 0; i <= SMALL_PUBLIC; i++) put_zcash(w, ASSAY_G1, 13 + i);
}

void small_bellman_params(assay_writer *w)
{
    small_bellman_vk(w);
    for (unsigned part = 0; part < ASSAY_PARAMS_PARTS; part++) {
        put_count(w, part == ASSAY_PARAMS_L ? 0 : SMALL_PARAMS_POINTS);
        for (unsigned i = 0; i < SMALL_PARAMS_POINTS && part != ASSAY_PARAMS_L; i++)
            put_zcash(w, part == ASSAY_PARAMS_B_G2 ? ASSAY_G2 : ASSAY_G1, 100 * part + i + 1);
    }
}

size_t small_section(const uint8_t *p, size_t n, uint32_t id, size_t *nbytes)
{
    for (size_t at = 12; at + 12 <= n;) {
        *nbytes = (size_t)assay_load_u64(p + at + 4);
        if (assay_load_u32(p + at) == id) return at + 12;
        at += 12 + *nbytes;
    }
    (void)assay_test_check(false, "the section is there", __FILE__, __LINE__);
    *nbytes = 0;
    return 0;
}

void small_cut_section(assay_writer *out, const uint8_t *p, size_t n, uint32_t id, size_t cut)
{
    size_t nbytes, at = small_section(p, n, id, &nbytes);
    assay_writer_init(out, MAX_BYTES);
    assay_write_bytes(out, p, at - 8);
    assay_write_u64(out, nbytes - cut);
    assay_write_bytes(out, p + at, nbytes - cut);
    assay_write_bytes(out, p + at + nbytes, n - at - nbytes);
}
