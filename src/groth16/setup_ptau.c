/* SPDX-License-Identifier: Apache-2.0 */
/* A key from powers of tau, as `snarkjs groth16 setup` makes it before the first contribution (gamma = delta = 1). With
 * L_i = L_i(tau) G1 and so on from the file's Lagrange bases, and sums over the terms of a wire's columns:
 *
 *   A_j = sum A_ij L_i, B_j = sum B_ij L_i in both groups, H_i = L'_(2i+1) of the basis of twice the size,
 *   IC_j or C_j = sum (A_ij beta L_i + B_ij alpha L_i + C_ij L_i),
 *
 * where A has one row more for each public wire. Everything is public. The points of the file are checked to be in
 * their groups; that they are powers of one tau is for `snarkjs powersoftau verify` to say. */
#include "base/mem.h"
#include "base/subject.h"
#include "field/limbs.h"
#include "groth16/setup.h"
#include "hash/blake2b.h"
#include <string.h>

enum {
    ROOM = 1 << 14,  /* points at a time */
    GRAIN = 64,      /* wires, or points, a job */
    ONE = UINT32_MAX /* stands for the value 1 in rows of public wires */
};

/* One matrix by columns: terms of wire j are start[j] .. start[j + 1]. */
typedef struct columns {
    uint32_t *start, *row, *value;
} columns;

/* What a section sums: a matrix times a basis, one to three of them. */
typedef struct sum {
    const columns *column;
    const uint8_t *basis;
} sum;

typedef struct making {
    assay_container_writer *w;
    const assay_zkey *z;
    const assay_r1cs *c;
    const assay_ptau *t;
    assay_pool *pool;
    const assay_progress *progress;
    assay_blake2b hash; /* of the circuit, as snarkjs forms it */
    columns column[ASSAY_R1CS_MATRICES];
    uint8_t *tau, *alpha, *beta; /* bases in memory: `domain` points of G1 */
    uint8_t *room, *other;       /* ROOM points of G2 each */
} making;

/* ---- columns */

static assay_status fill_column(columns *k, const making *m, unsigned matrix, assay_errinfo *err)
{
    const assay_r1cs *c = m->c;
    const uint32_t *wire, *value;
    const uint32_t extra = matrix == ASSAY_R1CS_A ? m->z->n_public + 1 : 0;
    size_t n = extra;
    for (uint32_t i = 0; i < c->n_constraints; i++) n += assay_r1cs_row(c, i, matrix, &wire, &value);
    k->start = assay_mem_alloc((size_t)c->n_wires + 2, sizeof *k->start);
    k->row = assay_mem_alloc_raw(n + 1, sizeof *k->row);
    k->value = assay_mem_alloc_raw(n + 1, sizeof *k->value);
    if (!k->start || !k->row || !k->value) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for a set-up");
    /* Counts two places on, then sums, so that filling moves start[j + 1] from the column's begin to its end. */
    uint32_t *at = k->start + 1;
    for (uint32_t i = 0; i < c->n_constraints; i++) {
        const uint32_t count = assay_r1cs_row(c, i, matrix, &wire, &value);
        for (uint32_t t = 0; t < count; t++) at[wire[t] + 1]++;
    }
    for (uint32_t i = 0; i < extra; i++) at[i + 1]++;
    for (uint32_t j = 0; j < c->n_wires; j++) at[j + 1] += at[j];
    for (uint32_t i = 0; i < c->n_constraints; i++) {
        const uint32_t count = assay_r1cs_row(c, i, matrix, &wire, &value);
        for (uint32_t t = 0; t < count; t++) {
            const uint32_t to = at[wire[t]]++;
            k->row[to] = i;
            k->value[to] = value[t];
        }
    }
    for (uint32_t i = 0; i < extra; i++) {
        const uint32_t to = at[i]++;
        k->row[to] = c->n_constraints + i;
        k->value[to] = ONE;
    }
    return ASSAY_OK;
}

/* ---- sums */

typedef struct section_job {
    const making *m;
    const assay_group *g;
    const sum *sums;
    size_t n_sums, first; /* of the wires */
    uint8_t *out;
} section_job;

/* acc += value P. Coefficients are mostly 1, -1 and small: of value and -value the shorter is taken. */
static void add_term(void *acc, const making *m, const assay_group *g, uint32_t value, const void *p)
{
    const assay_curve *curve = m->z->curve;
    uint64_t plain[ASSAY_FR_LIMBS], minus[ASSAY_FR_LIMBS];
    const uint64_t one[ASSAY_FR_LIMBS] = {1};
    const assay_fr zero = {{0}};
    assay_affine negated;
    assay_point multiple;
    if (value == ONE) {
        g->add_affine(acc, acc, p);
        return;
    }
    const assay_fr v = m->c->values.v[value];
    curve->fr_to_limbs(plain, v);
    curve->fr_to_limbs(minus, curve->fr_sub(zero, v));
    if (limbs_less(minus, plain, ASSAY_FR_LIMBS)) {
        memcpy(plain, minus, sizeof plain);
        g->affine_neg(&negated, p);
        p = &negated;
    }
    if (memcmp(plain, one, sizeof one) == 0) {
        g->add_affine(acc, acc, p);
        return;
    }
    g->mul(&multiple, p, plain);
    g->add(acc, acc, &multiple);
}

static void sum_range(void *ctx, size_t begin, size_t end)
{
    const section_job *s = ctx;
    for (size_t i = begin; i < end; i++) {
        const size_t wire = s->first + i;
        assay_point acc;
        s->g->infinity(&acc);
        for (size_t k = 0; k < s->n_sums; k++) {
            const columns *c = s->sums[k].column;
            for (uint32_t t = c->start[wire]; t < c->start[wire + 1]; t++)
                add_term(&acc, s->m, s->g, c->value[t], s->sums[k].basis + c->row[t] * s->g->affine_bytes);
        }
        s->g->to_affine(s->out + i * s->g->affine_bytes, &acc);
    }
}

/* ---- the hash: points uncompressed as zcash writes them but without flags, counts big-endian */

static void hash_points(making *m, assay_group_id id, const uint8_t *points, size_t n)
{
    const assay_group *g = &m->z->curve->group[id];
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
        g->to_be(bytes, points + i * g->affine_bytes);
        assay_blake2b_update(&m->hash, bytes, g->affine_bytes);
    }
}

static void hash_count(making *m, uint32_t n)
{
    const uint8_t bytes[4] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
    assay_blake2b_update(&m->hash, bytes, sizeof bytes);
}

/* ---- sections */

static assay_status put_sums(making *m, unsigned section, const sum *sums, size_t n_sums, double from, double to,
                             assay_errinfo *err)
{
    const assay_group_id id = section == ASSAY_ZKEY_B2 ? ASSAY_G2 : ASSAY_G1;
    const size_t n = (size_t)assay_zkey_n_points(m->z, section);
    const size_t first = section == ASSAY_ZKEY_C ? m->z->n_public + 1 : 0;
    assay_status s = assay_zkey_begin_points(m->w, m->z, section, err);
    hash_count(m, (uint32_t)n);
    for (size_t at = 0; s == ASSAY_OK && at < n; at += ROOM) {
        const size_t count = n - at < ROOM ? n - at : ROOM;
        section_job job = {m, &m->z->curve->group[id], sums, n_sums, first + at, m->room};
        s = assay_progress_tell(m->progress, "key", from + (to - from) * (double)at / (double)n, err);
        if (s != ASSAY_OK) break;
        assay_pool_range(m->pool, count, GRAIN, sum_range, &job);
        hash_points(m, id, m->room, count);
        s = assay_zkey_put_points(m->w, m->z, section, m->room, count, err);
    }
    return s;
}

/* The odd points of the basis of twice the size. */
static assay_status put_h(making *m, assay_errinfo *err)
{
    const size_t nbytes = m->z->curve->group[ASSAY_G1].affine_bytes, n = m->z->domain;
    assay_status s = assay_zkey_begin_points(m->w, m->z, ASSAY_ZKEY_H, err);
    for (size_t at = 0; s == ASSAY_OK && at < n; at += ROOM / 2) {
        const size_t count = n - at < ROOM / 2 ? n - at : ROOM / 2;
        s = assay_ptau_lagrange(m->room, m->t, ASSAY_PTAU_LAGRANGE_TAU_G1, m->z->log_domain + 1, 2 * at, 2 * count,
                                ASSAY_POINT_GROUP, m->pool, err);
        for (size_t i = 0; i < count; i++) memmove(m->room + i * nbytes, m->room + (2 * i + 1) * nbytes, nbytes);
        if (s == ASSAY_OK) s = assay_zkey_put_points(m->w, m->z, ASSAY_ZKEY_H, m->room, count, err);
    }
    return s;
}

static void subtract_range(void *ctx, size_t begin, size_t end)
{
    const making *m = ctx;
    const assay_group *g = &m->z->curve->group[ASSAY_G1];
    for (size_t i = begin; i < end; i++) {
        assay_affine minus;
        assay_point p;
        g->affine_neg(&minus, m->other + i * g->affine_bytes);
        g->from_affine(&p, m->room + i * g->affine_bytes);
        g->add_affine(&p, &p, &minus);
        g->to_affine(m->room + i * g->affine_bytes, &p);
    }
}

/* The hash has (tau^(n+i) - tau^i) G1, i < n - 1. snarkjs takes them in pieces of 2^14, all of them whole, the last one
 * too: one point more when n > 2^14, as long as the file has it. (With a file that is just large enough it reads what
 * stands behind the section there, and its hash is one of a kind.) */
static assay_status hash_h(making *m, assay_errinfo *err)
{
    const size_t n = m->z->domain;
    size_t count = n - 1 > ROOM ? n : n - 1;
    assay_status s = ASSAY_OK;
    if (n + count > assay_ptau_n_points(m->t, ASSAY_PTAU_TAU_G1)) count = n - 1;
    hash_count(m, (uint32_t)(n - 1));
    for (size_t at = 0; s == ASSAY_OK && at < count; at += ROOM) {
        const size_t k = count - at < ROOM ? count - at : ROOM;
        s = assay_ptau_points(m->room, m->t, ASSAY_PTAU_TAU_G1, n + at, k, ASSAY_POINT_GROUP, m->pool, err);
        if (s == ASSAY_OK)
            s = assay_ptau_points(m->other, m->t, ASSAY_PTAU_TAU_G1, at, k, ASSAY_POINT_GROUP, m->pool, err);
        if (s != ASSAY_OK) break;
        assay_pool_range(m->pool, k, GRAIN, subtract_range, m);
        hash_points(m, ASSAY_G1, m->room, k);
    }
    return s;
}

/* ---- the whole */

static assay_status fill_header(assay_zkey *z, making *m, assay_errinfo *err)
{
    const assay_curve *curve = z->curve;
    assay_affine first;
    curve->group[ASSAY_G1].generator(&z->delta1);
    curve->group[ASSAY_G2].generator(&z->delta2);
    curve->group[ASSAY_G2].generator(&z->gamma2);
    assay_status s = assay_ptau_points(&first, m->t, ASSAY_PTAU_TAU_G1, 0, 1, ASSAY_POINT_GROUP, NULL, err);
    if (s == ASSAY_OK && memcmp(&first, &z->delta1, curve->group[ASSAY_G1].affine_bytes) != 0) {
        char subject[ASSAY_SUBJECT_BYTES];
        return ASSAY_FAIL(err, ASSAY_ERANGE, subject_of(subject, m->t->file.source.name, "section 2 (tau G1)"),
                          "does not begin with the generator");
    }
    if (s == ASSAY_OK)
        s = assay_ptau_points(&z->alpha1, m->t, ASSAY_PTAU_ALPHA_TAU_G1, 0, 1, ASSAY_POINT_FINITE, NULL, err);
    if (s == ASSAY_OK)
        s = assay_ptau_points(&z->beta1, m->t, ASSAY_PTAU_BETA_TAU_G1, 0, 1, ASSAY_POINT_FINITE, NULL, err);
    if (s == ASSAY_OK) s = assay_ptau_points(&z->beta2, m->t, ASSAY_PTAU_BETA_G2, 0, 1, ASSAY_POINT_FINITE, NULL, err);
    if (s != ASSAY_OK) return s;
    hash_points(m, ASSAY_G1, z->alpha1.b, 1);
    hash_points(m, ASSAY_G1, z->beta1.b, 1);
    hash_points(m, ASSAY_G2, z->beta2.b, 1);
    hash_points(m, ASSAY_G2, z->gamma2.b, 1);
    hash_points(m, ASSAY_G1, z->delta1.b, 1);
    hash_points(m, ASSAY_G2, z->delta2.b, 1);
    return ASSAY_OK;
}

static assay_status load_basis(uint8_t **out, const making *m, unsigned section, assay_errinfo *err)
{
    const size_t n = m->z->domain;
    *out = assay_mem_alloc_raw(n, assay_ptau_group(m->t, section)->affine_bytes);
    if (!*out) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for a set-up");
    return assay_ptau_lagrange(*out, m->t, section, m->z->log_domain, 0, n, ASSAY_POINT_GROUP, m->pool, err);
}

static assay_status write_key(making *m, assay_errinfo *err)
{
    uint8_t digest[ASSAY_BLAKE2B_BYTES];
    const columns *k = m->column;
    const sum mixed[] = {{&k[ASSAY_R1CS_A], m->beta}, {&k[ASSAY_R1CS_B], m->alpha}, {&k[ASSAY_R1CS_C], m->tau}};
    const sum a = {&k[ASSAY_R1CS_A], m->tau}, b1 = {&k[ASSAY_R1CS_B], m->tau};
    assay_status s = assay_zkey_write_header(m->w, m->z, err);
    if (s == ASSAY_OK) s = assay_groth16_setup_coefs(m->w, m->z, m->c, err);
    if (s == ASSAY_OK) s = put_sums(m, ASSAY_ZKEY_IC, mixed, ASSAY_R1CS_MATRICES, 0.1, 0.15, err);
    if (s == ASSAY_OK) s = put_h(m, err);
    if (s == ASSAY_OK) s = hash_h(m, err);
    if (s == ASSAY_OK) s = put_sums(m, ASSAY_ZKEY_C, mixed, ASSAY_R1CS_MATRICES, 0.2, 0.5, err);
    if (s == ASSAY_OK) s = put_sums(m, ASSAY_ZKEY_A, &a, 1, 0.5, 0.6, err);
    if (s == ASSAY_OK) s = put_sums(m, ASSAY_ZKEY_B1, &b1, 1, 0.6, 0.7, err);
    /* The bases of G1 make room for that of G2, the largest. */
    assay_mem_free(m->alpha);
    assay_mem_free(m->beta);
    assay_mem_free(m->tau);
    m->alpha = m->beta = m->tau = NULL;
    if (s == ASSAY_OK) s = load_basis(&m->tau, m, ASSAY_PTAU_LAGRANGE_TAU_G2, err);
    const sum b2 = {&k[ASSAY_R1CS_B], m->tau};
    if (s == ASSAY_OK) s = put_sums(m, ASSAY_ZKEY_B2, &b2, 1, 0.7, 1, err);
    if (s != ASSAY_OK) return s;
    assay_blake2b_final(&m->hash, digest);
    return assay_zkey_write_history(m->w, digest, err);
}

static assay_status check_fits(const assay_zkey *z, const assay_ptau *t, const char *name, assay_errinfo *err)
{
    const char *file = t->file.source.name;
    if (t->curve->id != z->curve->id)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, file, "is for another curve than the circuit");
    if (z->log_domain > t->power)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, name,
                           "the circuit is larger than the powers of tau allow (log2 needed, there)", z->log_domain,
                           t->power);
    if (!t->prepared)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "is not prepared: `snarkjs powersoftau prepare phase2` does it");
    return ASSAY_OK;
}

assay_status assay_groth16_setup_ptau(assay_container_writer *w, const assay_r1cs *c, const char *name,
                                      const assay_ptau *t, assay_pool *pool, const assay_progress *progress,
                                      assay_errinfo *err)
{
    assay_zkey z;
    making m = {.w = w, .z = &z, .c = c, .t = t, .pool = pool, .progress = progress};
    const size_t room = c->curve->group[ASSAY_G2].affine_bytes;
    assay_status s = assay_groth16_setup_counts(&z, c, name, err);
    if (s == ASSAY_OK) s = check_fits(&z, t, name, err);
    if (s != ASSAY_OK) return s;
    assay_blake2b_init(&m.hash);
    m.room = assay_mem_alloc_raw(ROOM, room);
    m.other = assay_mem_alloc_raw(ROOM, room);
    if (!m.room || !m.other) s = ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for a set-up");
    if (s == ASSAY_OK) s = fill_header(&z, &m, err);
    if (s == ASSAY_OK && assay_zkey_check_header(&z, NULL) != ASSAY_OK)
        s = ASSAY_FAIL(err, ASSAY_ERANGE, t->file.source.name, "beta differs between sections 5 and 6");
    for (unsigned i = 0; s == ASSAY_OK && i < ASSAY_R1CS_MATRICES; i++) s = fill_column(&m.column[i], &m, i, err);
    if (s == ASSAY_OK) s = load_basis(&m.tau, &m, ASSAY_PTAU_LAGRANGE_TAU_G1, err);
    if (s == ASSAY_OK) s = load_basis(&m.alpha, &m, ASSAY_PTAU_LAGRANGE_ALPHA_G1, err);
    if (s == ASSAY_OK) s = load_basis(&m.beta, &m, ASSAY_PTAU_LAGRANGE_BETA_G1, err);
    if (s == ASSAY_OK) s = write_key(&m, err);
    for (unsigned i = 0; i < ASSAY_R1CS_MATRICES; i++) {
        assay_mem_free(m.column[i].start);
        assay_mem_free(m.column[i].row);
        assay_mem_free(m.column[i].value);
    }
    assay_mem_free(m.tau);
    assay_mem_free(m.alpha);
    assay_mem_free(m.beta);
    assay_mem_free(m.room);
    assay_mem_free(m.other);
    return s;
}
