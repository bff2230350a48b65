/* SPDX-License-Identifier: Apache-2.0 */
/* The tail, text of both parties. */
#include "commit/tail.h"
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/tail_claims.h"
#include "poly/eq.h"
#include <string.h>

enum {
    FOLD_ROWS = 1 << ASSAY_TAIL_FOLD,
    COLUMN_WORDS = K_WORDS * FOLD_ROWS,
    MAX_CLAIMS = ASSAY_TAIL_MAX_CLAIMS + ASSAY_MAX_QUERIES,
    MAX_C = 28
};

/* An oracle that the present vector was folded from: level 0 has the caller's opener, later ones the tail's own. */
struct assay_tail {
    assay_channel *ch;
    const assay_tail_prover *tp;
    size_t queries;
    unsigned c, log_rate, level; /* the vector's length, the code of its oracle, levels committed so far */
    assay_tail_claim claims[MAX_CLAIMS];
    size_t n_claims;
    kel point[MAX_C];       /* of the running sumcheck */
    kel bound[MAX_C];       /* point of the evaluation claim that the last level left */
    kel weights[FOLD_ROWS]; /* of the last fold */
    uint8_t root[32];       /* of the oracle (levels above 0) */
    uint8_t next_root[32];  /* of the vector itself, while it is a level */
    kel *u;                 /* the vector itself, when it is the last */
    uint32_t *columns;      /* queries * COLUMN_WORDS */
};

static void append_claims(assay_tail *t, assay_tail_opener *opener, void *opener_ctx)
{
    size_t room = MAX_CLAIMS - t->n_claims;
    size_t n = opener(opener_ctx, t->ch, t->claims + t->n_claims, room < ASSAY_MAX_QUERIES ? room : ASSAY_MAX_QUERIES);
    t->n_claims += n;
}

/* Opener of the tail's own trees: column j is a column of 16 rows over K, folded with the weights of the last fold. */
static size_t open_tail(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    assay_tail *t = (assay_tail *)ctx;
    uint64_t pos[ASSAY_MAX_QUERIES];
    unsigned of = t->level - 1;
    size_t n =
        assay_channel_positions(ch, "tail/positions", t->c + t->log_rate, t->queries < max ? t->queries : max, pos);
    if (t->tp)
        t->tp->open(t->tp->ctx, ch, of, pos, n, t->columns);
    else
        assay_matrix_check(ch, t->root, (uint8_t)(ASSAY_TREE_TAIL + of), t->c + t->log_rate, false, pos, n, t->columns,
                           COLUMN_WORDS);
    for (size_t i = 0; i < n; i++) {
        kel value = k_zero();
        for (size_t row = 0; row < FOLD_ROWS; row++) {
            kel cell;
            memcpy(cell.v, t->columns + i * COLUMN_WORDS + row * K_WORDS, sizeof cell.v);
            value = k_add(value, k_mul(t->weights[row], cell));
        }
        out[i] = (assay_tail_claim){ASSAY_FUN_POSITION, NULL, 0, pos[i], value};
    }
    return n;
}

/* sum_i gamma^i functional_i at the point. */
static kel functional_at_point(const assay_tail *t, kel gamma)
{
    kel sum = k_zero(), power = k_one();
    for (size_t i = 0; i < t->n_claims; i++) {
        sum = k_add(sum, k_mul(power, assay_tail_claim_at(&t->claims[i], t->c, t->log_rate, t->point)));
        power = k_mul(power, gamma);
    }
    return sum;
}

static kel batched_value(const assay_tail *t, kel gamma)
{
    kel sum = k_zero(), power = k_one();
    for (size_t i = 0; i < t->n_claims; i++) {
        sum = k_add(sum, k_mul(power, t->claims[i].value));
        power = k_mul(power, gamma);
    }
    return sum;
}

/* Binds the vector: by a root, or in clear when it is short. */
static void bind_vector(assay_tail *t)
{
    assay_channel *ch = t->ch;
    memset(t->next_root, 0, sizeof t->next_root);
    if (t->c > ASSAY_TAIL_STOP) {
        if (t->tp) t->tp->commit(t->tp->ctx, ch, t->level, t->next_root);
        assay_channel_bytes(ch, "tail/root", t->next_root, sizeof t->next_root);
        return;
    }
    t->u = (kel *)assay_mem_alloc((size_t)1 << t->c, sizeof *t->u);
    if (!t->u) {
        assay_channel_fail(ch, ASSAY_ENOMEM);
        return;
    }
    if (t->tp) t->tp->vector(t->tp->ctx, ch, t->level, t->u);
    assay_channel_k(ch, "tail/u", t->u, (size_t)1 << t->c);
}

/* One level: from claims on a vector of 2^c elements to one on a vector of 2^(c-4). */
static void reduce(assay_tail *t)
{
    assay_channel *ch = t->ch;
    kel gamma = assay_channel_challenge(ch, "tail/gamma");
    const assay_sumcheck_prover *sp = NULL;
    if (t->tp) sp = t->tp->sumcheck(t->tp->ctx, ch, t->level, t->claims, t->n_claims, gamma);
    kel claim = assay_plain_sumcheck(ch, "tail/sc", batched_value(t, gamma), t->c, sp, t->point);
    kel e = t->tp ? t->tp->value(t->tp->ctx) : k_zero();
    assay_channel_k(ch, "tail/e", &e, 1);
    if (ch->role == ASSAY_VERIFY)
        assay_channel_check(ch, k_eq(claim, k_mul(functional_at_point(t, gamma), e)), "a sumcheck of the tail fails");

    t->c -= ASSAY_TAIL_FOLD;
    assay_eq_table(t->weights, t->point + t->c, ASSAY_TAIL_FOLD);
    if (t->tp) t->tp->fold(t->tp->ctx, ch, t->level, t->weights);
    memcpy(t->root, t->next_root, sizeof t->root);
    memcpy(t->bound, t->point, t->c * sizeof *t->bound);
    t->claims[0] = (assay_tail_claim){ASSAY_FUN_EQ, t->bound, 0, 0, e};
    t->n_claims = 1;
    t->log_rate = ASSAY_TAIL_LOG_RATE;
    t->level++;
}

static void check_last(assay_tail *t)
{
    bool holds = false;
    if (t->ch->role != ASSAY_VERIFY || !t->u) return;
    assay_status s = assay_tail_claims_hold(&holds, t->claims, t->n_claims, t->c, t->log_rate, t->u);
    if (s != ASSAY_OK) assay_channel_fail(t->ch, s);
    assay_channel_check(t->ch, holds, "the last vector does not satisfy the claims");
}

static bool shape_valid(unsigned c, const assay_tail_claim *claims, size_t n_claims)
{
    if (c < 1 || c > MAX_C || n_claims > ASSAY_TAIL_MAX_CLAIMS) return false;
    for (size_t i = 0; i < n_claims; i++)
        if (claims[i].kind == ASSAY_FUN_POSITION || claims[i].n > (size_t)1 << c) return false;
    return true;
}

assay_tail *assay_tail_start(assay_channel *ch, const assay_tail_prover *tp, unsigned security, unsigned c,
                             const assay_tail_claim *claims, size_t n_claims)
{
    size_t queries = assay_query_count(security, ASSAY_TAIL_LOG_RATE);
    if (queries == 0 || !shape_valid(c, claims, n_claims)) {
        assay_channel_fail(ch, ASSAY_EINVAL);
        return NULL;
    }
    assay_tail *t = (assay_tail *)assay_mem_alloc(1, sizeof *t);
    if (t) t->columns = (uint32_t *)assay_mem_alloc(queries * COLUMN_WORDS, sizeof *t->columns);
    if (!t || !t->columns) {
        assay_channel_fail(ch, ASSAY_ENOMEM);
        assay_tail_free(t);
        return NULL;
    }
    t->ch = ch;
    t->tp = tp;
    t->queries = queries;
    t->c = c;
    t->log_rate = ASSAY_MAIN_LOG_RATE;
    if (n_claims) memcpy(t->claims, claims, n_claims * sizeof *claims);
    t->n_claims = n_claims;
    bind_vector(t);
    return t;
}

void assay_tail_finish(assay_tail *t, assay_tail_opener *opener, void *opener_ctx)
{
    if (!t) return;
    append_claims(t, opener, opener_ctx);
    while (t->c > ASSAY_TAIL_STOP) {
        reduce(t);
        bind_vector(t);
        append_claims(t, open_tail, t);
    }
    check_last(t);
    assay_tail_free(t);
}

void assay_tail_free(assay_tail *t)
{
    if (!t) return;
    assay_mem_free(t->u);
    assay_mem_free(t->columns);
    assay_mem_free(t);
}

void assay_tail_run(assay_channel *ch, const assay_tail_prover *tp, unsigned security, unsigned c,
                    const assay_tail_claim *claims, size_t n_claims, assay_tail_opener *opener, void *opener_ctx)
{
    assay_tail_finish(assay_tail_start(ch, tp, security, c, claims, n_claims), opener, opener_ctx);
}
