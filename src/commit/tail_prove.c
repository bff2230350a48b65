/* SPDX-License-Identifier: Apache-2.0 */
/* The prover's half of the tail. Every level keeps its vector until the end: its rows are encoded again for the
 * opening, and all later ones together are a fifteenth of the first. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/tail.h"
#include <string.h>

enum { FOLD_ROWS = 1 << ASSAY_TAIL_FOLD, TREE_ROWS = K_WORDS * FOLD_ROWS };

typedef struct prover {
    assay_tail_prover hooks;
    assay_sumcheck_prover sumcheck;
    const assay_backend *be;
    const assay_code *main_code;
    const assay_kvec *first;            /* the caller's u */
    unsigned c;                         /* the present vector has 2^c elements */
    assay_kvec next[ASSAY_TAIL_LEVELS]; /* next[l]: vector after the fold of level l */
    assay_code *code[ASSAY_TAIL_LEVELS];
    assay_matrix *matrix[ASSAY_TAIL_LEVELS];
    const uint32_t *rows[ASSAY_TAIL_LEVELS][TREE_ROWS];
    assay_kvec phi, half; /* of the running sumcheck; half: u with its bound variables */
    const assay_kvec *u;  /* u, or half once a variable is bound */
    size_t left;          /* elements of phi */
} prover;

static const assay_kvec *vector_of(const prover *p, unsigned level)
{
    return level == 0 ? p->first : &p->next[level - 1];
}

/* ---- commitments */

static void commit(void *ctx, assay_channel *ch, unsigned level, uint8_t root[32])
{
    prover *p = (prover *)ctx;
    const assay_kvec *u = vector_of(p, level);
    unsigned c = p->c - ASSAY_TAIL_FOLD;
    memset(root, 0, 32);
    if (u->n != (size_t)1 << p->c) assay_channel_fail(ch, ASSAY_EINVAL);
    if (ch->status != ASSAY_OK) return;
    for (size_t row = 0; row < FOLD_ROWS; row++)
        for (size_t j = 0; j < K_WORDS; j++) p->rows[level][row * K_WORDS + j] = u->c[j] + (row << c);
    assay_status s = assay_code_new(&p->code[level], c, ASSAY_TAIL_LOG_RATE, NULL);
    if (s == ASSAY_OK)
        s = assay_matrix_commit(&p->matrix[level], p->code[level], p->be, p->rows[level], TREE_ROWS,
                                (uint8_t)(ASSAY_TREE_TAIL + level), NULL, root, NULL);
    if (s != ASSAY_OK) assay_channel_fail(ch, s);
}

static void open_level(void *ctx, assay_channel *ch, unsigned level, const uint64_t *pos, size_t npos,
                       uint32_t *columns)
{
    const prover *p = (const prover *)ctx;
    memset(columns, 0, npos * TREE_ROWS * sizeof *columns);
    if (ch->status != ASSAY_OK) return;
    assay_status s = assay_matrix_open(p->matrix[level], p->be, ch, pos, npos, columns, NULL);
    if (s != ASSAY_OK) assay_channel_fail(ch, s);
}

/* ---- sumcheck of phi * u */

/* phi = sum_i gamma^i functional_i. The first EQ claim is written, all others are added. */
static assay_status build_phi(prover *p, const assay_code *code, const assay_tail_claim *claims, size_t n, kel gamma)
{
    uint64_t pos[ASSAY_MAX_QUERIES];
    kel w[ASSAY_MAX_QUERIES];
    size_t n_pos = 0, len = p->phi.n;
    bool written = false;
    kel power = k_one();
    for (size_t i = 0; i < n; i++, power = k_mul(power, gamma)) {
        const assay_tail_claim *claim = &claims[i];
        if (claim->kind == ASSAY_FUN_POSITION) {
            pos[n_pos] = claim->pos;
            w[n_pos++] = power;
        } else if (claim->kind == ASSAY_FUN_PREFIX) {
            written = true;
            for (size_t b = 0; b < claim->n; b++)
                kvec_set(&p->phi, b, k_add(kvec_get(&p->phi, b), k_mul(power, claim->k[b])));
        } else if (!written) {
            written = true;
            p->be->k_eq(p->be, &p->phi, power, claim->k, p->c);
        } else {
            assay_kvec more;
            if (!assay_kvec_new(&more, len)) return ASSAY_ENOMEM;
            p->be->k_eq(p->be, &more, power, claim->k, p->c);
            p->be->k_add(p->be, &p->phi, &more, len);
            assay_kvec_free(&more);
        }
    }
    return assay_code_transpose(code, p->be, &p->phi, pos, w, n_pos);
}

static void round_values(void *ctx, kel *values, kel claim)
{
    const prover *p = (const prover *)ctx;
    values[0] = values[1] = k_zero();
    if (!p->u) return;
    kel g[2]; /* g(0) and the coefficient of X^2; g(2) = 2 g(1) - g(0) + 2 g2, g(1) = claim - g(0) */
    p->be->round_dot2(p->be, g, &p->phi, p->u, p->left / 2);
    values[0] = g[0];
    values[1] = k_sub(k_double(k_add(k_sub(claim, g[0]), g[1])), g[0]);
}

static void bind_variable(void *ctx, kel r)
{
    prover *p = (prover *)ctx;
    if (!p->u) return;
    p->left /= 2;
    p->be->k_fold(p->be, &p->phi, &p->phi, r, p->left);
    p->be->k_fold(p->be, &p->half, p->u, r, p->left);
    p->u = &p->half;
}

static const assay_sumcheck_prover *start_sumcheck(void *ctx, assay_channel *ch, unsigned level,
                                                   const assay_tail_claim *claims, size_t n_claims, kel gamma)
{
    prover *p = (prover *)ctx;
    size_t n = (size_t)1 << p->c;
    p->u = NULL;
    if (ch->status != ASSAY_OK) return &p->sumcheck;
    assay_status s = ASSAY_ENOMEM;
    if (assay_kvec_new(&p->phi, n) && assay_kvec_new_raw(&p->half, n / 2))
        s = build_phi(p, level == 0 ? p->main_code : p->code[level - 1], claims, n_claims, gamma);
    if (s != ASSAY_OK) {
        assay_channel_fail(ch, s);
        return &p->sumcheck;
    }
    p->left = n;
    p->u = vector_of(p, level);
    return &p->sumcheck;
}

/* u at the point; the sumcheck's arrays go. */
static kel end_sumcheck(void *ctx)
{
    prover *p = (prover *)ctx;
    kel e = p->u ? kvec_get(p->u, 0) : k_zero();
    p->u = NULL;
    assay_kvec_free(&p->phi);
    assay_kvec_free(&p->half);
    return e;
}

/* ---- folding */

static void fold(void *ctx, assay_channel *ch, unsigned level, const kel *weights)
{
    prover *p = (prover *)ctx;
    const assay_kvec *u = vector_of(p, level);
    p->c -= ASSAY_TAIL_FOLD;
    size_t n = (size_t)1 << p->c;
    if (ch->status != ASSAY_OK) return;
    if (!assay_kvec_new(&p->next[level], n)) {
        assay_channel_fail(ch, ASSAY_ENOMEM);
        return;
    }
    for (size_t row = 0; row < FOLD_ROWS; row++) {
        assay_kvec part = assay_kvec_at(u, row * n, n);
        p->be->k_axpy(p->be, &p->next[level], weights[row], &part, n);
    }
}

static void copy_vector(void *ctx, assay_channel *ch, unsigned level, kel *out)
{
    const prover *p = (const prover *)ctx;
    const assay_kvec *u = vector_of(p, level);
    size_t n = (size_t)1 << p->c;
    if (u->n != n) assay_channel_fail(ch, ASSAY_EINVAL);
    for (size_t i = 0; i < n; i++) out[i] = ch->status == ASSAY_OK ? kvec_get(u, i) : k_zero();
}

/* ---- life */

assay_status assay_tail_prover_new(assay_tail_prover **tp, const assay_backend *be, const assay_code *main_code,
                                   const assay_kvec *u, assay_errinfo *err)
{
    *tp = NULL;
    prover *p = (prover *)assay_mem_alloc(1, sizeof *p);
    if (!p) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the tail");
    p->hooks = (assay_tail_prover){commit, open_level, start_sumcheck, end_sumcheck, fold, copy_vector, p};
    p->sumcheck = (assay_sumcheck_prover){round_values, bind_variable, p};
    p->be = be;
    p->main_code = main_code;
    p->first = u;
    p->c = main_code->c;
    *tp = &p->hooks;
    return ASSAY_OK;
}

void assay_tail_prover_free(assay_tail_prover *tp)
{
    if (!tp) return;
    prover *p = (prover *)tp->ctx;
    for (unsigned l = 0; l < ASSAY_TAIL_LEVELS; l++) {
        assay_matrix_free(p->matrix[l]);
        assay_code_free(p->code[l]);
        assay_kvec_free(&p->next[l]);
    }
    assay_kvec_free(&p->phi);
    assay_kvec_free(&p->half);
    assay_mem_free_secret(p, sizeof *p);
}
