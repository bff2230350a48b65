/* SPDX-License-Identifier: Apache-2.0 */
/* The table of docs/soundness.md §5. */
#include "cp/soundness.h"

#include "commit/tail.h"
#include "cp/protocol.h"
#include <math.h>
#include <stdio.h>

/* log2 |K| = 6 log2 (2^31 - 1). */
static const double log2_k = 185.9999999960;

/* A bound on the number of challenges, for the sum. Of a padded sumcheck and a fraction tree no challenge is drawn
 * without a hidden message of its own: two or three go before a round's, four before a layer's lambda and tau. The
 * others are the points' coordinates, alpha, beta, two theta, chi and rho and eps; at most 32 of prod/tau, 48 rounds of
 * the merge, and of the tail's levels at c = 28, 24, 20 and 16 one gamma and c rounds: fewer than 256 besides the
 * coordinates. */
enum { OTHER_CHALLENGES = 256 };
static double challenges(const assay_soundness_inputs *in)
{
    return (double)in->n_hidden + in->coordinates + OTHER_CHALLENGES;
}

void assay_soundness_inputs_fill(assay_soundness_inputs *in, const assay_frame *f)
{
    const assay_cp_shape *s = &f->shape;
    const assay_model_config *cfg = s->run.cfg;
    uint32_t high = 0;
    for (unsigned m = 0; m < MAT_COUNT; m++) {
        uint32_t n = layout_ceil_log2(s->weights[m].extent[1]);
        if (n > high) high = n;
    }
    const uint32_t extents[] = {cfg->n_layers,    model_sites(cfg), s->run.n_rebase, s->run.n_tokens,
                                s->run.n_checked, cfg->d,           cfg->n_heads,    cfg->head_dim};
    in->security = s->params.security;
    in->c = s->params.c;
    in->jb = s->params.jb;
    in->leaves = 0;
    for (uint32_t i = 0; i < s->n_instance; i++) in->leaves += s->instance[i].n_leaves;
    in->coordinates = in->jb + high;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) in->coordinates += layout_ceil_log2(extents[i]);
    in->n_hidden = f->plan.n_hidden;
    in->n_products = f->plan.n_products;
    in->n_claims = f->plan.n_claims;
}

typedef struct table {
    assay_soundness_row *row;
    size_t n;
    double worst, algebra, query_error;
} table;

static void put(table *t, const char *name, double bits)
{
    (void)snprintf(t->row[t->n].name, sizeof t->row[t->n].name, "%s", name);
    t->row[t->n++].bits = bits;
    if (bits < t->worst) t->worst = bits;
}

static void algebra(table *t, const char *name, double log2_error)
{
    put(t, name, log2_k - log2_error);
    if (log2_k - log2_error < t->algebra) t->algebra = log2_k - log2_error;
}

/* q positions of 2^log_size, each seeing a far word with probability (1 - rate) / 2. */
static size_t positions(table *t, const char *name, unsigned log_size, unsigned log_rate, uint32_t security)
{
    size_t size = (size_t)1 << log_size, q = assay_query_count(security, log_rate);
    double miss = (1 + ldexp(1, -(int)log_rate)) / 2, bits = q >= size ? INFINITY : -(double)q * log2(miss);
    put(t, name, bits);
    t->query_error += exp2(-bits);
    return q < size ? q : size;
}

static void tail_rows(table *t, const assay_soundness_inputs *in, size_t opened)
{
    char name[32];
    size_t claims = 2 + opened;
    unsigned level = 0;
    for (unsigned c = in->c; c > ASSAY_TAIL_STOP; level++) {
        c -= ASSAY_TAIL_FOLD;
        (void)snprintf(name, sizeof name, "tail %u: batching", level);
        algebra(t, name, log2((double)(claims - 1)));
        (void)snprintf(name, sizeof name, "tail %u: rounds", level);
        algebra(t, name, log2(ldexp(1, (int)c + ASSAY_TAIL_LOG_RATE) + 2));
        (void)snprintf(name, sizeof name, "tail %u: positions", level);
        claims = 1 + positions(t, name, c + ASSAY_TAIL_LOG_RATE, ASSAY_TAIL_LOG_RATE, in->security);
    }
}

size_t assay_soundness_table(assay_soundness_row *rows, const assay_soundness_inputs *in, double *worst, double *sum)
{
    table t = {rows, 0, INFINITY, INFINITY, 0};
    double block = ldexp(1, (int)in->c + ASSAY_MAIN_LOG_RATE);
    uint32_t m = layout_ceil_log2((uint64_t)in->n_products + 1);
    algebra(&t, "look-ups", log2((double)in->leaves));
    algebra(&t, "points", log2((double)(in->coordinates ? in->coordinates : 1)));
    if (in->jb) algebra(&t, "weight fold", log2((double)in->jb) + log2(block));
    algebra(&t, "fraction trees", log2(3));
    algebra(&t, "sumchecks", 1);
    algebra(&t, "product list", log2((double)(m > 2 ? m : 2)));
    algebra(&t, "batching", log2((double)(in->n_claims > 2 ? in->n_claims - 1 : 1)));
    algebra(&t, "mask", 1);
    algebra(&t, "merge rounds", log2(block + 2));
    algebra(&t, "fold", log2(block + 2));
    size_t opened = positions(&t, "positions", in->c + ASSAY_MAIN_LOG_RATE, ASSAY_MAIN_LOG_RATE, in->security);
    tail_rows(&t, in, opened);
    *worst = t.worst;
    *sum = -log2(t.query_error + challenges(in) * exp2(-t.algebra));
    (void)snprintf(t.row[t.n].name, sizeof t.row[t.n].name, "SHA-256 collisions");
    t.row[t.n++].bits = 128;
    return t.n;
}
