/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a proof's memory: prove.c's stages in order, each array that is larger than a row. Small ones (terms,
 * messages, code) are covered by a constant. tests/unit/cp/test_memory.c holds it against base/mem's count. */
#include "cp/memory.h"

#include "base/mem.h"
#include "cp/leaf_jobs.h"
#include "cp/proof_size.h"
#include "cp/protocol.h"
#include "iop/iop.h"
#include "model/weights.h"
#include <string.h>

enum { WORD = 4, ELEMENT = 24, DIGEST = 32, KEPT_LOG = 4, TAIL_ROWS = 16 * 6, PROGRAM = 4 << 20, A_THREAD = 1 << 20 };
enum { HEAP_SHARE = 64 }; /* one part in so many of a heap lies between its blocks */

typedef struct ledger {
    const assay_frame *f;
    uint64_t live, peak, waiting;
    const char *stage, *peak_stage;
} ledger;

static void hold(ledger *l, uint64_t bytes)
{
    l->live += bytes;
    if (l->live <= l->peak) return;
    l->peak = l->live;
    l->peak_stage = l->stage;
}

static void drop(ledger *l, uint64_t bytes)
{
    l->live -= bytes;
}

/* For a moment only. */
static void touch(ledger *l, uint64_t bytes)
{
    hold(l, bytes);
    drop(l, bytes);
}

static uint64_t row_words(const ledger *l)
{
    return (uint64_t)1 << l->f->shape.params.c;
}

static uint64_t tree_bytes(unsigned log_size)
{
    return ((uint64_t)2 << (log_size - KEPT_LOG)) * DIGEST;
}

static uint64_t weights_held(const ledger *l)
{
    const assay_commit_params *p = &l->f->shape.params;
    uint64_t code = row_words(l) * WORD << ASSAY_MAIN_LOG_RATE;
    return 2 * assay_weight_total(l->f->shape.run.cfg) + (row_words(l) * WORD << p->jb) + code +
           tree_bytes(p->c + ASSAY_MAIN_LOG_RATE);
}

static uint64_t trace_words(const assay_run_shape *r)
{
    uint64_t n = (uint64_t)model_sites(r->cfg) * r->n_tokens * r->cfg->d;
    for (unsigned t = 0; t < TEN_COUNT; t++) n += assay_tensor_cells(r, (assay_tensor)t);
    return n;
}

/* Key/value cache, norms of all matrix rows, rows of the input. */
static uint64_t forward_bytes(const assay_run_shape *r)
{
    const assay_model_config *c = r->cfg;
    uint64_t he = (uint64_t)c->n_heads * c->head_dim, ge = (uint64_t)c->n_kv * c->head_dim;
    uint64_t rows = c->n_layers * (he + 2 * ge + 2 * (uint64_t)c->d + 2 * (uint64_t)c->ff) + c->vocab;
    uint64_t width = c->ff > he ? c->ff : he;
    return 4 * c->n_layers * ge * r->n_tokens + rows * WORD + 2 * width * r->n_tokens;
}

static uint64_t table_bytes(const assay_cp_shape *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_instance; i++)
        for (uint32_t t = 0; t < s->instance[i].n_table; t++) {
            uint64_t rows = s->instance[i].table[t].grid.extent[0];
            n += rows * WORD; /* multiplicities */
            if (i == 0) n += rows * WORD;
        }
    return n;
}

/* The fraction tree of n leaves: their numerators and denominators, the layers above the lowest but one, eq. */
static uint64_t tree_of(uint64_t n)
{
    return n * (WORD + ELEMENT) + n * ELEMENT + n * ELEMENT / 4;
}

/* Weights that an instance's claims add to the functional, one a box and axis entry of its families. */
static uint64_t claim_weights(const assay_cp_shape *s, const assay_instance *in)
{
    uint64_t n = 0;
    for (uint32_t p = 0; p < in->n_part; p++) {
        const assay_grid *g = &s->family[in->part[p].family].grid;
        for (uint32_t b = in->part[p].first_box; b < in->part[p].end_box; b++)
            for (unsigned a = 0; a < g->n_axes; a++) n += (uint64_t)1 << g->box[b].log_len[a];
    }
    return n * ELEMENT;
}

static uint64_t padded(uint32_t a, uint32_t b, uint32_t c)
{
    return ((uint64_t)1 << (layout_ceil_log2(a) + layout_ceil_log2(b))) * c;
}

/* The largest pair of tables of a relation's sumcheck. */
static uint64_t relation_bytes(const assay_run_shape *r)
{
    const assay_model_config *c = r->cfg;
    uint64_t n = padded(c->d, r->n_tokens, model_sites(c)), act = padded(c->ff, r->n_tokens, c->n_layers),
             rows = 7 * padded(r->n_tokens, 1, model_sites(c));
    if (model_has_head_norms(c)) {
        const uint64_t heads = padded(c->n_heads + c->n_kv, r->n_tokens, c->n_layers),
                       squares = heads << layout_ceil_log2(c->head_dim);
        if (7 * heads > n) n = 7 * heads;
        if (squares > n) n = squares;
    }
    if (act > n) n = act;
    if (rows > n) n = rows;
    return 2 * n * ELEMENT;
}

static uint64_t score_bytes(const assay_run_shape *r)
{
    const assay_model_config *c = r->cfg;
    return 2 * ELEMENT * (padded(c->head_dim, r->n_tokens, 1) << layout_ceil_log2(c->n_heads)) * c->n_layers;
}

static void claims(ledger *l, uint64_t leaf_jobs)
{
    const assay_cp_shape *s = &l->f->shape;
    l->stage = "claims";
    hold(l, row_words(l) * ELEMENT); /* P */
    for (uint32_t i = 0; i < s->n_instance; i++) {
        touch(l, tree_of(s->instance[i].n_leaves) + leaf_jobs);
        hold(l, claim_weights(s, &s->instance[i]));
        if (s->instance[i].has_scores) touch(l, score_bytes(&s->run));
    }
    touch(l, relation_bytes(&s->run));
}

static uint64_t program_held(unsigned threads)
{
    return PROGRAM + (uint64_t)threads * A_THREAD;
}

static void stages(ledger *l, unsigned threads)
{
    const assay_cp_shape *s = &l->f->shape;
    uint64_t n = row_words(l), rows = s->n_rows, look_ups = 0;
    uint64_t trace = trace_words(&s->run) * WORD, scores = assay_tensor_cells(&s->run, TEN_EX) * WORD;
    for (uint32_t i = 0; i < s->n_instance; i++) look_ups += s->instance[i].n_leaves;
    hold(l, program_held(threads) + weights_held(l));

    l->stage = "running the model";
    hold(l, trace + table_bytes(s));
    touch(l, forward_bytes(&s->run));
    hold(l, scores);
    l->stage = "laying out cells";
    hold(l, rows * n * WORD + 2 * n * ELEMENT);
    l->stage = "committing";
    hold(l, tree_bytes(s->params.c + ASSAY_MAIN_LOG_RATE));
    touch(l, (12 + rows) * n * WORD);
    claims(l, look_ups / ASSAY_LEAF_CHUNK * sizeof(assay_leaf_job));
    l->stage = "merging";
    drop(l, trace + scores);
    uint64_t phi = (1 + rows) * n * ELEMENT;
    touch(l, phi + n * ELEMENT / 2);
    touch(l, 2 * n * ELEMENT); /* eq and u of the fold */
    l->stage = "opening";
    hold(l, n * ELEMENT);
    unsigned tail = s->params.c > ASSAY_TAIL_STOP ? s->params.c - ASSAY_TAIL_FOLD + ASSAY_TAIL_LOG_RATE : KEPT_LOG;
    l->waiting = rows * n * WORD + 3 * n * ELEMENT + tree_bytes(s->params.c + ASSAY_MAIN_LOG_RATE) + tree_bytes(tail) +
                 ((uint64_t)WORD << tail);
    touch(l, n * ELEMENT * 5 / 2 + n * WORD * TAIL_ROWS / 16);
    touch(l, threads * n * WORD);
}

assay_status assay_cp_plan_make(assay_cp_plan *out, const assay_public *pub, uint32_t n_prompt, uint32_t n_tokens,
                                uint32_t policy, unsigned threads, assay_errinfo *err)
{
    const assay_gap_bounds gap = {.policy = policy};
    assay_request rq;
    assay_frame f;
    memset(out, 0, sizeof *out);
    memset(&rq, 0, sizeof rq);
    if (n_tokens == 0 || n_tokens > pub->cfg.max_positions)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "request", "has more tokens than the model's context, or none", n_tokens,
                           pub->cfg.max_positions);
    uint32_t *ids = assay_mem_alloc(n_tokens, sizeof *ids);
    if (!ids) return ASSAY_FAIL(err, ASSAY_ENOMEM, "plan", "out of memory");
    if (pub->cfg.fixed_first) ids[0] = (uint32_t)pub->cfg.bos;
    assay_status s = assay_request_new(&rq, ids, n_prompt, n_tokens, 0, NULL, 0, err);
    if (s == ASSAY_OK && (s = assay_frame_init(&f, pub, &rq, &gap, 0, err)) == ASSAY_OK) {
        ledger l = {&f, 0, 0, 0, "", ""};
        stages(&l, threads ? threads : 1);
        out->program_bytes = program_held(threads ? threads : 1);
        out->peak_bytes = l.peak + l.peak / HEAP_SHARE;
        out->waiting_bytes = l.waiting;
        out->stage = l.peak_stage;
        out->commitment_bytes = weights_held(&l);
        out->n_rows = f.shape.n_rows;
        out->n_instances = f.shape.n_instance;
        out->proof_bytes = assay_cp_proof_bytes(&f);
        for (uint32_t g = 0; g < f.shape.n_grids; g++) out->cells += assay_grid_cells(&f.shape.grid[g]);
        for (uint32_t k = 0; k < f.shape.n_family; k++) out->look_ups += assay_grid_cells(&f.shape.family[k].grid);
        for (uint32_t i = 0; i < f.shape.n_instance; i++) out->leaves += f.shape.instance[i].n_leaves;
        assay_frame_clear(&f);
    }
    assay_request_clear(&rq);
    assay_mem_free(ids);
    return s;
}
