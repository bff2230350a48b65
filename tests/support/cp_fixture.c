/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cp_fixture.h"

#include "base/mem.h"
#include "poly/eq.h"
#include <string.h>

assay_status cp_fixture_commit(cp_fixture *f, assay_model *model, const assay_commit_params *params, uint8_t seed_byte)
{
    return cp_fixture_commit_rows(f, model, params, seed_byte, NULL);
}

assay_status cp_fixture_commit_rows(cp_fixture *f, assay_model *model, const assay_commit_params *params,
                                    uint8_t seed_byte, void (*rows)(cp_fixture *f))
{
    memset(f, 0, sizeof *f);
    memset(f->seed, seed_byte, sizeof f->seed);
    f->model = *model;
    f->pub.cfg = model->cfg; /* shared with the model: cleared once */
    memset(model, 0, sizeof *model);
    f->pub.params = *params;
    assay_status s = assay_pool_new(&f->pool, 0, &f->err);
    if (s != ASSAY_OK) return s;
    assay_backend_cpu_init(&f->be, f->pool);
    s = assay_weight_rows_new(&f->rows, &f->model, params, f->seed, &f->be, &f->err);
    if (s == ASSAY_OK && rows) rows(f);
    if (s == ASSAY_OK)
        s = assay_matrix_commit(&f->tree, f->rows.code, &f->be, (const uint32_t *const *)f->rows.row, f->rows.n_rows,
                                ASSAY_TREE_WEIGHTS, f->rows.salt_key, f->pub.root, &f->err);
    if (s == ASSAY_OK) s = assay_public_identify(&f->pub, &f->err);
    return s;
}

void cp_fixture_clear(cp_fixture *f)
{
    memset(&f->pub.cfg, 0, sizeof f->pub.cfg);
    assay_public_clear(&f->pub);
    assay_matrix_free(f->tree);
    assay_weight_rows_clear(&f->rows);
    assay_model_clear(&f->model);
    assay_pool_free(f->pool);
    memset(f, 0, sizeof *f);
}

assay_status cp_fixture_prove(cp_fixture *f, const assay_request *rq, const assay_cheat *cheat, assay_writer *proof)
{
    const assay_prover_key key = {&f->pub, &f->model, &f->rows, f->tree, f->seed};
    assay_writer_init(proof, ASSAY_MAX_PROOF_FILE);
    memset(&f->err, 0, sizeof f->err);
    return assay_cp_prove(proof, &key, rq, f->policy, &f->be, NULL, cheat, &f->err);
}

assay_status cp_fixture_verify(cp_fixture *f, const assay_request *rq, const assay_writer *proof, const char *drop,
                               uint64_t leaf_limit, assay_cp_result *out)
{
    memset(&f->err, 0, sizeof f->err);
    return assay_cp_verify(out, &f->pub, rq, f->policy, proof->p, proof->n, f->pub.params.security, drop, leaf_limit,
                           &f->err);
}

/* Weight of a cell in a term. */
static kel term_weight(const assay_functional *f, const assay_term *t, const assay_grid *g, const uint32_t *i)
{
    kel w = t->coef;
    unsigned plain = t->rotation ? g->n_axes - 2u : g->n_axes;
    for (unsigned a = 0; a < plain; a++) {
        const assay_weights *x = &t->ax[a];
        if (i[a] < x->start || i[a] >= x->start + x->len) return k_zero();
        if (x->w) w = k_mul(w, x->w[i[a] - x->start]);
        if (x->point) w = k_mul(w, assay_eq_index(x->point, layout_ceil_log2(x->len), i[a] - x->start));
    }
    if (t->rotation) w = k_mul(w, rotation_weight(&f->rotation[t->rotation - 1], i[plain], i[plain + 1]));
    return w;
}

static kel term_value(const assay_cp *cp, const assay_witness *w, const assay_kvec *p, const assay_term *t)
{
    const assay_grid *g = assay_functional_grid(cp->shape, t->grid);
    bool weights = t->grid >= ASSAY_GRID_OF_MATRIX(0);
    kel sum = k_zero();
    for (uint32_t b = 0; b < g->n_box; b++) {
        const assay_box *x = &g->box[b];
        if (t->natural != ASSAY_EVERY_BOX && t->natural != x->natural) continue;
        size_t n = (size_t)1 << x->log_n;
        uint32_t *cells = weights ? NULL : assay_mem_alloc(n, sizeof *cells);
        if (cells) assay_witness_box(w, t->grid, x, cells);
        for (size_t k = 0; k < n; k++) {
            uint32_t i[ASSAY_GRID_AXES] = {0};
            size_t at = k;
            for (unsigned a = g->n_axes; a-- > 0;) {
                i[a] = x->start[a] + (uint32_t)(at & (((size_t)1 << x->log_len[a]) - 1));
                at >>= x->log_len[a];
            }
            kel c = term_weight(&cp->fn, t, g, i);
            sum = k_add(sum, weights ? k_mul(c, kvec_get(p, (size_t)x->base + k)) : k_mul_f(c, cells[k]));
        }
        assay_mem_free(cells);
    }
    return sum;
}

kel cp_functional_value(const assay_cp *cp, const assay_witness *w, const assay_kvec *p, assay_claim node)
{
    kel sum = k_zero();
    for (size_t i = 0; i < cp->fn.n; i++)
        if (cp->fn.term[i].node == node) sum = k_add(sum, term_value(cp, w, p, &cp->fn.term[i]));
    return sum;
}

typedef struct values {
    const assay_cp *cp;
    const assay_witness *w;
    const assay_kvec *p;
    kel *cache;
    uint8_t *known;
} values;

static kel value_of(void *ctx, assay_claim node)
{
    values *v = ctx;
    if (!v->known[node]) {
        v->cache[node] = cp_functional_value(v->cp, v->w, v->p, node);
        v->known[node] = 1;
    }
    return v->cache[node];
}

static kel no_value(void *ctx, assay_claim node)
{
    (void)ctx;
    (void)node;
    return k_zero();
}

enum { NODES = 1 << 20 };

size_t cp_false_requirements(assay_cp *cp, const assay_witness *w, const assay_kvec *p, const char **names, size_t room)
{
    size_t bad = 0;
    const char *name;
    kel v;
    values x = {cp, w, p, assay_mem_alloc(NODES, sizeof(kel)), assay_mem_alloc(NODES, 1)};
    for (size_t i = 0; assay_iop_requirement_value(cp->iop, i, value_of, &x, &name, &v); i++)
        if (!k_is_zero(v)) {
            if (bad < room) names[bad] = name;
            bad++;
        }
    assay_mem_free(x.cache);
    assay_mem_free(x.known);
    return bad;
}

bool cp_requirement_value(assay_cp *cp, const assay_witness *w, const assay_kvec *p, const char *which, uint32_t nth,
                          kel *value)
{
    const char *name;
    values x = {cp, w, p, assay_mem_alloc(NODES, sizeof(kel)), assay_mem_alloc(NODES, 1)};
    bool found = false;
    /* Values are not wanted while looking for the name. */
    for (size_t i = 0; !found && assay_iop_requirement_value(cp->iop, i, no_value, NULL, &name, value); i++) {
        found = strcmp(name, which) == 0 && nth-- == 0;
        if (found) found = assay_iop_requirement_value(cp->iop, i, value_of, &x, &name, value);
    }
    assay_mem_free(x.cache);
    assay_mem_free(x.known);
    return found;
}
