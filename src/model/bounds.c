/* SPDX-License-Identifier: Apache-2.0 */
/* Worst cases of accumulators. A normalised row obeys |n|_2 <= sqrt(d) (1.13 2^fn + 1/2): n = h R / 2^sigma rounded,
 * where R is within 1/8 of the reciprocal square root even when it was shortened to three bits. Source: docs/model.md,
 * "Range". */
#include "model/bounds.h"
#include "model/weights.h"
#include <math.h>
#include <stdlib.h>

/* A requantised accumulator is unique mod p below p - 2^29 = 2^30.58; a logit needs 2^29. */
static const double REQUANT_LIMIT = 30.58, LOGIT_LIMIT = 29;

static double log2_at_least_1(double x)
{
    return log2(fmax(x, 1));
}

/* Largest sum of |w| over a row, and largest sum of squares. */
static void row_sums(double *l1, double *l2, const int16_t *w, size_t rows, size_t cols)
{
    int64_t most = 0, squares = 0;
    for (size_t i = 0; i < rows; i++) {
        int64_t a = 0, b = 0;
        for (size_t j = 0; j < cols; j++) {
            int32_t x = w[i * cols + j];
            a += abs(x);
            b += x * x;
        }
        most = a > most ? a : most;
        squares = b > squares ? b : squares;
    }
    *l1 = (double)most;
    *l2 = (double)squares;
}

static void raise(assay_bound *b, double by_sum, double by_norm)
{
    b->by_sum = fmax(b->by_sum, log2_at_least_1(by_sum));
    b->by_norm = fmax(b->by_norm, log2_at_least_1(by_norm));
}

/* Largest |bias|; 0 for none. */
static double largest(const int32_t *bias, size_t n)
{
    int32_t top = 0;
    for (size_t i = 0; bias && i < n; i++) top = abs(bias[i]) > top ? abs(bias[i]) : top;
    return top;
}

/* A matrix whose inputs have b bits; fn: unit of the normalised row that feeds it, or -1; bias: NULL for none. */
static void raise_matrix(assay_bound *out, const assay_model_config *c, const int16_t *w, const int32_t *bias,
                         size_t rows, size_t cols, int b, int fn)
{
    double l1, l2, more = largest(bias, rows);
    row_sums(&l1, &l2, w, rows, cols);
    l1 *= ldexp(1, b - 1);
    double norm = fn < 0 ? l1 : sqrt(l2 * c->d) * (ldexp(1.13, fn) + 0.5);
    raise(out, l1 + more, fmin(l1, norm) + more);
}

static void raise_layer(assay_bound *out, const assay_model *m, uint32_t l)
{
    const assay_model_config *c = &m->cfg;
    const assay_layer_config *y = &c->layer[l];
    const assay_layer_weights *w = &m->layer[l];
    size_t d = c->d, q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim, ff = c->ff;
    raise_matrix(&out[0], c, w->q, w->bq, q, d, c->n_bits, y->fn1);
    raise_matrix(&out[1], c, w->k, w->bk, kv, d, c->n_bits, y->fn1);
    raise_matrix(&out[2], c, w->v, w->bv, kv, d, c->n_bits, y->fn1);
    raise_matrix(&out[3], c, w->o, NULL, d, q, y->v.b + c->o_guard, -1);
    raise_matrix(&out[4], c, w->gate, NULL, ff, d, c->n_bits, y->fn2);
    raise_matrix(&out[5], c, w->up, NULL, ff, d, c->n_bits, y->fn2);
    double silu = ldexp(1, y->gate.b - 1 + y->fsg - y->gate.f), product = silu * ldexp(1, y->up.b - 1);
    raise(&out[6], product, product);
    raise_matrix(&out[7], c, w->down, NULL, d, ff, y->act.b, -1);
}

void assay_model_bounds(assay_bound out[ASSAY_N_BOUNDS], const assay_model *m)
{
    static const char *const name[ASSAY_N_BOUNDS] = {"q",  "k",         "v",    "o",          "gate",
                                                     "up", "gate * up", "down", "final gain", "logits"};
    const assay_model_config *c = &m->cfg;
    for (int i = 0; i < ASSAY_N_BOUNDS; i++)
        out[i] = (assay_bound){name[i], 0, 0, i == ASSAY_N_BOUNDS - 1 ? LOGIT_LIMIT : REQUANT_LIMIT, false};
    for (uint32_t l = 0; l < c->n_layers; l++) raise_layer(out, m, l);
    raise_matrix(&out[8], c, m->gf, NULL, c->d, 1, c->n_bits, -1); /* a product by element: rows of one weight */
    raise_matrix(&out[9], c, m->head, NULL, c->vocab, c->d, c->ng.b, -1);
    for (int i = 0; i < ASSAY_N_BOUNDS; i++) out[i].excluded = fmin(out[i].by_sum, out[i].by_norm) < out[i].limit;
}
