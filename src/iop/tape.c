/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: making the tape, hidden messages, products and required zeros. */
#include "iop/tape.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

assay_status assay_iop_new(assay_iop **out, assay_channel *ch, const assay_iop_ops *ops, const assay_backend *be,
                           const assay_iop_plan *plan, const kel *cells, assay_errinfo *err)
{
    *out = NULL;
    if ((ch->role == ASSAY_PLAN) != !plan)
        return ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "a plan is for prover and verifier");
    if (ch->role == ASSAY_PROVE && (!ops || !be || !cells))
        return ASSAY_FAIL(err, ASSAY_EINVAL, NULL, "the prover needs its functions, a backend and cells");
    assay_iop *iop = (assay_iop *)assay_mem_alloc(1, sizeof *iop);
    if (!iop) return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the tape of claims");
    iop->ch = ch;
    if (ch->role == ASSAY_PROVE) {
        iop->ops = ops;
        iop->be = be;
        iop->cells = cells;
    }
    if (plan) {
        iop->planned = true;
        iop->plan = *plan;
    }
    iop->value = k_zero();
    (void)assay_tape_node(iop, TAPE_AFFINE, k_zero());
    if (iop->n_nodes == 0) {
        assay_iop_free(iop);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the tape of claims");
    }
    *out = iop;
    return ASSAY_OK;
}

/* The prover's edges and weights say nothing that the proof does not, but its messages are secret until they leave. */
void assay_iop_free(assay_iop *iop)
{
    if (!iop) return;
    assay_mem_free_secret(iop->nodes, iop->cap_nodes * sizeof *iop->nodes);
    assay_mem_free_secret(iop->edges, iop->cap_edges * sizeof *iop->edges);
    assay_mem_free(iop->requirements);
    assay_mem_free(iop->products);
    assay_mem_free(iop->weights);
    assay_mem_free(iop->cell_weights);
    assay_mem_free_secret(iop, sizeof *iop);
}

assay_channel *assay_iop_channel(assay_iop *iop)
{
    return iop->ch;
}

const assay_backend *assay_iop_backend(const assay_iop *iop)
{
    return iop->be;
}

void assay_iop_plan_get(const assay_iop *iop, assay_iop_plan *out)
{
    out->n_hidden = iop->n_hidden;
    out->n_products = (uint32_t)iop->n_products;
    out->n_claims = (uint32_t)iop->n_requirements;
}

const uint32_t (*assay_iop_products(const assay_iop *iop))[2]
{
    return (const uint32_t(*)[2])iop->products;
}

void assay_tape_fail(assay_iop *iop, assay_status s)
{
    assay_channel_fail(iop->ch, s);
}

/* Room for one more element: *p, which has room for *cap, grows when *cap is n. */
static bool reserve(assay_iop *iop, void **p, size_t *cap, size_t n, size_t each)
{
    if (tape_failed(iop)) return false;
    if (n < *cap) return true;
    size_t wanted = *cap ? 2 * *cap : 256;
    void *q = wanted < TAPE_CELL ? assay_mem_grow(*p, *cap, wanted, each) : NULL;
    if (!q) {
        assay_tape_fail(iop, ASSAY_ENOMEM);
        return false;
    }
    *p = q;
    *cap = wanted;
    return true;
}

assay_claim assay_tape_node(assay_iop *iop, tape_kind kind, kel c0)
{
    void *p = iop->nodes;
    bool room = reserve(iop, &p, &iop->cap_nodes, iop->n_nodes, sizeof *iop->nodes);
    iop->nodes = (tape_node *)p;
    if (!room) return 0;
    tape_node *node = &iop->nodes[iop->n_nodes];
    node->c0 = c0;
    node->first = (uint32_t)iop->n_edges;
    node->kind = kind;
    return (assay_claim)iop->n_nodes++;
}

void assay_tape_edge(assay_iop *iop, kel coef, uint32_t target)
{
    void *p = iop->edges;
    bool room = reserve(iop, &p, &iop->cap_edges, iop->n_edges, sizeof *iop->edges);
    iop->edges = (tape_edge *)p;
    if (!room) return;
    iop->edges[iop->n_edges].coef = coef;
    iop->edges[iop->n_edges++].target = target;
}

assay_claim assay_iop_const(assay_iop *iop, kel v)
{
    return assay_tape_node(iop, TAPE_AFFINE, v);
}

assay_claim assay_iop_affine(assay_iop *iop, kel c0, const kel *coef, const assay_claim *of, size_t n)
{
    assay_claim node = assay_tape_node(iop, TAPE_AFFINE, c0);
    for (size_t i = 0; i < n; i++) assay_tape_edge(iop, coef[i], of[i]);
    return node;
}

assay_claim assay_iop_functional(assay_iop *iop)
{
    return assay_tape_node(iop, TAPE_FUNCTIONAL, k_zero());
}

assay_claim assay_iop_hidden(assay_iop *iop, const char *label, kel value)
{
    uint32_t pad = iop->n_hidden;
    if (iop->planned && pad >= iop->plan.n_hidden) {
        assay_tape_fail(iop, ASSAY_EINTERNAL);
        return 0;
    }
    kel sent = iop->cells ? k_add(value, iop->cells[pad]) : k_zero();
    assay_channel_k(iop->ch, label, &sent, 1);
    assay_claim node = assay_tape_node(iop, TAPE_HIDDEN, sent);
    assay_tape_edge(iop, k_neg(k_one()), TAPE_CELL | pad);
    iop->n_hidden++;
    return node;
}

/* (m_a - pad_a)(m_b - pad_b) = m_a m_b - m_b pad_a - m_a pad_b + cell. */
assay_claim assay_iop_product(assay_iop *iop, assay_claim a, assay_claim b)
{
    if (tape_failed(iop)) return 0;
    bool known = a < iop->n_nodes && b < iop->n_nodes;
    bool fits = !iop->planned || iop->n_products < iop->plan.n_products;
    if (!known || !fits || iop->nodes[a].kind != TAPE_HIDDEN || iop->nodes[b].kind != TAPE_HIDDEN) {
        assay_tape_fail(iop, ASSAY_EINTERNAL);
        return 0;
    }
    void *p = iop->products;
    bool room = reserve(iop, &p, &iop->cap_products, iop->n_products, sizeof *iop->products);
    iop->products = (uint32_t(*)[2])p;
    if (!room) return 0;
    kel ma = iop->nodes[a].c0, mb = iop->nodes[b].c0;
    uint32_t pad_a = iop->edges[iop->nodes[a].first].target, pad_b = iop->edges[iop->nodes[b].first].target;
    assay_claim node = assay_tape_node(iop, TAPE_AFFINE, k_mul(ma, mb));
    assay_tape_edge(iop, k_neg(mb), pad_a);
    assay_tape_edge(iop, k_neg(ma), pad_b);
    assay_tape_edge(iop, k_one(), TAPE_CELL | tape_product_cell(iop, iop->n_products));
    iop->products[iop->n_products][0] = pad_a & ~TAPE_CELL;
    iop->products[iop->n_products++][1] = pad_b & ~TAPE_CELL;
    return node;
}

void assay_iop_require(assay_iop *iop, assay_claim a, const char *name)
{
    void *p = iop->requirements;
    bool room = reserve(iop, &p, &iop->cap_requirements, iop->n_requirements, sizeof *iop->requirements);
    iop->requirements = (tape_requirement *)p;
    if (!room) return;
    bool dropped = iop->drop && strcmp(iop->drop, name) == 0;
    iop->requirements[iop->n_requirements].claim = dropped ? 0 : a;
    iop->requirements[iop->n_requirements++].name = name;
}

void assay_iop_drop(assay_iop *iop, const char *name)
{
    iop->drop = name;
}

const char *assay_tape_label(char out[TAPE_MAX_LABEL], const char *name, const char *suffix)
{
    (void)snprintf(out, TAPE_MAX_LABEL, "%s%s", name, suffix);
    return out;
}
