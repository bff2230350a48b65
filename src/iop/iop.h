/* SPDX-License-Identifier: Apache-2.0 */
/* The interactive proof with padded messages (docs/protocol.md, "Hidden messages").
 *
 * A claim is a value that the verifier knows only as an affine form in committed cells. Claims live on a tape: each
 * node is a constant plus a linear combination of earlier nodes; its leaves are hidden messages (value = sent - pad),
 * products of two hidden messages, and functionals of committed cells that the statement attaches. When all claims are
 * made, one challenge chi weighs the required zeros and one backward pass gives every leaf its weight. One text for
 * prover, verifier and planner; the planner's run counts the pads and products, which are committed before the first
 * challenge. */
#ifndef ASSAY_IOP_IOP_H
#define ASSAY_IOP_IOP_H

#include "backend/backend.h"
#include "commit/channel.h"
#include "commit/plain_sumcheck.h"

typedef uint32_t assay_claim;

/* Cells of K that hide messages: [0, n_hidden) pads in order of sending; then dummy a, dummy b; then one product cell
 * an entry of the product list, the dummy's last. */
typedef struct assay_iop_plan {
    uint32_t n_hidden, n_products; /* products without the dummy */
    uint32_t n_claims;             /* required zeros */
} assay_iop_plan;
static inline uint32_t iop_plan_cells(const assay_iop_plan *p)
{
    return p->n_hidden + 2 + p->n_products + 1;
}

typedef struct assay_iop assay_iop;

/* The prover's halves, so that the shared text refers to no prover symbol: assay_iop_prover_ops (prove.c) is the only
 * one. */
typedef struct assay_iop_ops assay_iop_ops;
extern const assay_iop_ops assay_iop_prover_ops;

/* plan: from the planner's run (NULL for the planner itself). cells: prover only, iop_plan_cells values of K, borrowed.
 * be, ops: prover only (ops is &assay_iop_prover_ops). ch is borrowed.
 * Failures of the functions below are sticky and end in the channel (assay_channel_fail): a claim made after one is 0.
 */
ASSAY_MUST_USE assay_status assay_iop_new(assay_iop **iop, assay_channel *ch, const assay_iop_ops *ops,
                                          const assay_backend *be, const assay_iop_plan *plan, const kel *cells,
                                          assay_errinfo *err);
void assay_iop_free(assay_iop *iop); /* wipes; NULL is fine */
assay_channel *assay_iop_channel(assay_iop *iop);
const assay_backend *assay_iop_backend(const assay_iop *iop);
void assay_iop_plan_get(const assay_iop *iop, assay_iop_plan *out);

/* Prover, before committing: which pads each product multiplies is known only after the planner's run; the planner
 * exports the list (a, b index pairs, n_products of them) so that product cells can be filled: cell = pad_a pad_b. */
const uint32_t (*assay_iop_products(const assay_iop *iop))[2];
/* Fills cells: pads and dummies from `pads` words (6 (n_hidden + 2) canonical words), product cells computed. */
void assay_iop_fill_cells(kel *cells, const assay_iop_plan *plan, const uint32_t (*products)[2], const uint32_t *words);

/* ---- claims. Names are static text. */
assay_claim assay_iop_const(assay_iop *iop, kel v);
/* c0 + sum_i coef[i] * of[i] */
assay_claim assay_iop_affine(assay_iop *iop, kel c0, const kel *coef, const assay_claim *of, size_t n);
/* Sends value + pad; value is read by the prover only. */
assay_claim assay_iop_hidden(assay_iop *iop, const char *label, kel value);
/* A leaf whose value is a linear functional of committed cells, attached by the statement (cp/functional.h). */
assay_claim assay_iop_functional(assay_iop *iop);
/* Product of two claims, each of which must be a hidden message. */
assay_claim assay_iop_product(assay_iop *iop, assay_claim a, assay_claim b);
/* claim = 0 is required. name: for tests and diagnosis. */
void assay_iop_require(assay_iop *iop, assay_claim a, const char *name);
/* Test hook: requirements with this name are dropped by both parties from now on; NULL (the default) drops none. A
 * dropped requirement keeps its place in the powers of chi. */
void assay_iop_drop(assay_iop *iop, const char *name);

/* ---- padded sumcheck: claim = sum over {0,1}^n of a polynomial of the given degree (2 or 3); returns the claim at
 * point. Messages "<name>/g": values at 0, 2, .., degree, each hidden. Challenge "<name>/r". n = 0: returns claim.
 * sp->round gets the claim zero: a claim may hang on functionals that nobody has evaluated, so these provers keep their
 * own running value. sp: NULL for verifier and planner. */
assay_claim assay_iop_sumcheck(assay_iop *iop, const char *name, assay_claim claim, unsigned n, unsigned degree,
                               const assay_sumcheck_prover *sp, kel *point);

/* Prover of  sum_x sum_k a_k(x) b_k(x):  n_terms pairs of arrays of n elements (zero beyond, up to 2^n_vars). Owns a
 * and b. After the last fold the values are in element 0 of each. The caller fills a[k] and b[k] between init and the
 * first round. Cost: 7 n n_terms K multiplications in all (one n of them to learn the sum). */
typedef struct assay_dot_prover {
    const assay_backend *be;
    size_t n, n_terms; /* n: elements still there */
    assay_kvec *a, *b;
    kel g[3];     /* the running polynomial (iop/quadratic.h) */
    bool started; /* the claim is known */
} assay_dot_prover;
ASSAY_MUST_USE assay_status assay_dot_prover_init(assay_dot_prover *d, const assay_backend *be, size_t n_terms,
                                                  size_t n, unsigned n_vars);
void assay_dot_prover_clear(assay_dot_prover *d);
assay_sumcheck_prover assay_dot_prover_side(assay_dot_prover *d);

/* ---- LogUp by GKR on the fraction tree (docs/protocol.md, "Look-ups"): sum of p_i / q_i over n leaves is zero.
 * 1 <= n <= 2^30. Leaves n .. 2^k - 1, k = max(1, ceil(log2 n)), are 0/1. Prover: p in the base field (borrowed), q in
 * K (consumed: freed inside as soon as possible; must own its memory); NULL for the others. point: k coordinates,
 * point[0] the lowest bit of the leaf index. Outputs: claims of p and q at the point.
 * Prover: 12 K multiplications and 30 bytes a leaf when nearly all p are 1 and stand in runs of 8192 or more; 15
 * multiplications and the same memory otherwise. */
unsigned assay_gkr_depth(uint64_t n);
void assay_iop_gkr(assay_iop *iop, const char *name, uint64_t n, const uint32_t *p, assay_kvec *q, assay_claim *p_claim,
                   assay_claim *q_claim, kel *point);

/* ---- end: proves the product list (challenges "prod/tau", messages "prod/..."), draws chi, runs the tape backwards.
 * Afterwards weight(node) is the weight of a functional leaf, cell weights are on all K cells, and
 *   sum_leaves weight * functional + sum_cells cell_weight * cell = value.  */
void assay_iop_product_list(assay_iop *iop);
void assay_iop_batch(assay_iop *iop);
kel assay_iop_weight(const assay_iop *iop, assay_claim functional);
const kel *assay_iop_cell_weights(const assay_iop *iop); /* NULL after a failure and for the planner */
kel assay_iop_value(const assay_iop *iop);

/* Diagnosis for tests, prover only: evaluates requirement i given the values of functionals; writes its name; false
 * when i is past the last. O(nodes) a call. */
typedef kel assay_functional_value(void *ctx, assay_claim functional);
bool assay_iop_requirement_value(const assay_iop *iop, size_t i, assay_functional_value *fv, void *ctx,
                                 const char **name, kel *value);

#endif
