/* SPDX-License-Identifier: Apache-2.0 */
/* What can be checked of a .zkey without its circuit. */
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/zkey.h"
#include "hash/random.h"
#include <string.h>

enum { AT_ONCE = 4096, RANDOM_BYTES = 16 };

static assay_status refuse(const assay_zkey *z, const char *what, const char *reason, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL(err, ASSAY_ERANGE, subject_of(subject, z->file.source.name, what), reason);
}

/* e(a, g2) = e(g1, b). */
static bool same_multiple(const assay_curve *c, const void *a, const void *b)
{
    const assay_group *g1 = &c->group[ASSAY_G1], *g2 = &c->group[ASSAY_G2];
    uint64_t p[2 * ASSAY_AFFINE_MAX_BYTES / 8], q[2 * ASSAY_AFFINE_MAX_BYTES / 8];
    assay_affine minus;
    g1->generator(&minus);
    g1->affine_neg(&minus, &minus);
    memcpy(p, a, g1->affine_bytes);
    memcpy((uint8_t *)p + g1->affine_bytes, &minus, g1->affine_bytes);
    g2->generator(q);
    memcpy((uint8_t *)q + g2->affine_bytes, b, g2->affine_bytes);
    return c->pairing_product_is_one(p, q, 2);
}

assay_status assay_zkey_check_header(const assay_zkey *z, assay_errinfo *err)
{
    if (!same_multiple(z->curve, &z->beta1, &z->beta2))
        return refuse(z, "section 2, beta1 and beta2", "are not the same multiple of the generators", err);
    if (!same_multiple(z->curve, &z->delta1, &z->delta2))
        return refuse(z, "section 2, delta1 and delta2", "are not the same multiple of the generators", err);
    return ASSAY_OK;
}

/* What a check carries from part to part. */
typedef struct checking {
    const assay_zkey *z;
    assay_pool *pool;
    const assay_progress *progress;
    uint8_t *has;    /* n_vars: bit m for a coefficient other than 0 in matrix m */
    uint8_t *points; /* AT_ONCE of the larger group */
    assay_zkey_coef *coef;
    assay_scalar *scalars;
    uint64_t done, all; /* points */
} checking;

static assay_status check_coefs(checking *k, assay_errinfo *err)
{
    for (uint32_t i = 0, now; i < k->z->n_coefs; i += now) {
        now = k->z->n_coefs - i < AT_ONCE ? k->z->n_coefs - i : AT_ONCE;
        assay_status s = assay_zkey_coefs(k->coef, k->z, i, now, err);
        if (s != ASSAY_OK) return s;
        for (uint32_t j = 0; j < now; j++) {
            const assay_zkey_coef *c = &k->coef[j];
            bool zero = (c->value.l[0] | c->value.l[1] | c->value.l[2] | c->value.l[3]) == 0;
            if (!zero) k->has[c->signal] |= (uint8_t)(1u << c->matrix);
        }
    }
    return ASSAY_OK;
}

/* A point must be there exactly where its matrix has a coefficient. */
static assay_status check_presence(const checking *k, unsigned section, uint64_t first, size_t n, assay_errinfo *err)
{
    const assay_group *g = assay_zkey_group(k->z, section);
    char subject[ASSAY_SUBJECT_BYTES];
    if (section != ASSAY_ZKEY_A && section != ASSAY_ZKEY_B1 && section != ASSAY_ZKEY_B2) return ASSAY_OK;
    uint8_t bit = section == ASSAY_ZKEY_A ? 1 : 2;
    for (size_t i = 0; i < n; i++) {
        bool here = !g->affine_is_infinity(k->points + i * g->affine_bytes);
        if (here == ((k->has[first + i] & bit) != 0)) continue;
        return ASSAY_FAIL1(err, ASSAY_ERANGE, subject_of(subject, k->z->file.source.name, assay_zkey_part(section)),
                           here ? "has a point for a signal without coefficients"
                                : "is at infinity for a signal with coefficients",
                           first + i);
    }
    return ASSAY_OK;
}

/* Every point of a section; with a sum, the points times the stream of scalars that `key` gives are added to it. */
static assay_status check_section(checking *k, unsigned section, const assay_group_backend *be, assay_msm *sum,
                                  const uint8_t key[32], assay_errinfo *err)
{
    uint64_t all = assay_zkey_n_points(k->z, section);
    for (uint64_t i = 0; i < all; i += AT_ONCE) {
        size_t n = all - i < AT_ONCE ? (size_t)(all - i) : AT_ONCE;
        assay_status s =
            assay_zkey_points(k->points, k->z, section, i, n,
                              section == ASSAY_ZKEY_IC ? ASSAY_POINT_FINITE : ASSAY_POINT_GROUP, k->pool, err);
        if (s == ASSAY_OK) s = check_presence(k, section, i, n, err);
        for (size_t j = 0; j < n && sum; j++) {
            uint8_t block[32];
            assay_drbg_block(block, key, 0, i + j);
            memset(k->scalars[j], 0, sizeof k->scalars[j]);
            memcpy(k->scalars[j], block, RANDOM_BYTES);
        }
        if (s == ASSAY_OK && sum) s = be->msm_add(sum, k->points, k->scalars, n, NULL, err);
        k->done += n;
        if (s == ASSAY_OK)
            s = assay_progress_tell(k->progress, "checking the key", (double)k->done / (double)k->all, err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

/* Sections 6 and 7: sum rho_i B1_i and sum rho_i B2_i are the same multiple, for 128-bit rho_i that the key's maker
 * could not know. Different keys pass with probability 2^-128. */
static assay_status check_b(checking *k, assay_errinfo *err)
{
    assay_group_backend be;
    assay_msm *sum[ASSAY_GROUP_COUNT] = {NULL, NULL};
    assay_affine affine[ASSAY_GROUP_COUNT];
    uint8_t key[32];
    assay_status s = assay_random_bytes(key, sizeof key, err);
    assay_group_backend_cpu_init(&be, k->pool);
    for (int g = 0; g < ASSAY_GROUP_COUNT && s == ASSAY_OK; g++) {
        unsigned section = g == ASSAY_G1 ? ASSAY_ZKEY_B1 : ASSAY_ZKEY_B2;
        assay_point point;
        s = be.msm_new(&be, &sum[g], k->z->curve, (assay_group_id)g, k->z->n_vars, 0, err);
        if (s == ASSAY_OK) s = check_section(k, section, &be, sum[g], key, err);
        if (s == ASSAY_OK) s = be.msm_finish(sum[g], &point, err);
        if (s == ASSAY_OK) k->z->curve->group[g].to_affine(&affine[g], &point);
    }
    if (s == ASSAY_OK && !same_multiple(k->z->curve, &affine[ASSAY_G1], &affine[ASSAY_G2]))
        s = refuse(k->z, "sections 6 and 7 (B1, B2)", "do not hold the same multiples of the generators", err);
    for (int g = 0; g < ASSAY_GROUP_COUNT; g++)
        if (sum[g]) be.msm_free(sum[g]);
    return s;
}

static assay_status check_all(checking *k, assay_errinfo *err)
{
    static const unsigned sections[] = {ASSAY_ZKEY_IC, ASSAY_ZKEY_A, ASSAY_ZKEY_C, ASSAY_ZKEY_H};
    assay_status s = check_coefs(k, err);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && s == ASSAY_OK; i++)
        s = check_section(k, sections[i], NULL, NULL, NULL, err);
    return s == ASSAY_OK ? check_b(k, err) : s;
}

assay_status assay_zkey_check(const assay_zkey *z, assay_pool *pool, const assay_progress *progress, assay_errinfo *err)
{
    assay_status s = assay_zkey_check_header(z, err);
    if (s != ASSAY_OK) return s;
    checking k = {.z = z, .pool = pool, .progress = progress};
    for (unsigned section = ASSAY_ZKEY_IC; section <= ASSAY_ZKEY_H; section++) k.all += assay_zkey_n_points(z, section);
    k.has = assay_mem_alloc(z->n_vars, 1);
    k.points = assay_mem_alloc_raw(AT_ONCE, ASSAY_AFFINE_MAX_BYTES);
    k.coef = assay_mem_alloc_raw(AT_ONCE, sizeof *k.coef);
    k.scalars = assay_mem_alloc_raw(AT_ONCE, sizeof *k.scalars);
    if (!k.has || !k.points || !k.coef || !k.scalars)
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, z->file.source.name, "out of memory");
    else
        s = check_all(&k, err);
    assay_mem_free(k.has);
    assay_mem_free(k.points);
    assay_mem_free(k.coef);
    assay_mem_free(k.scalars);
    return s;
}
