/* SPDX-License-Identifier: Apache-2.0 */
/* Running a cheat: its request, its proof, what its cells break. */
#include "support/cheats.h"

#include "base/mem.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stages */

static void zero_rows(int16_t *w, uint32_t n_in, uint32_t from, uint32_t n)
{
    memset(w + (size_t)from * n_in, 0, (size_t)n * n_in * sizeof *w);
}

static void zero_column(int16_t *w, uint32_t n_out, uint32_t n_in, uint32_t k)
{
    for (uint32_t j = 0; j < n_out; j++) w[(size_t)j * n_in + k] = 0;
}

/* Weights that let one wrong value stand alone: a value that meets only zero weights has no consequence, so a cheat can
 * take it anywhere in the field and complete the run without breaking anything else. */
static void isolate(assay_model *m)
{
    const assay_model_config *c = &m->cfg;
    const uint32_t he = c->n_heads * c->head_dim, ge = c->n_kv * c->head_dim, e = c->head_dim;
    assay_layer_weights *a = &m->layer[0], *b = &m->layer[1];
    zero_rows(a->q, c->d, 0, 2 * e); /* heads 0, 1 of layer 0: q = 0, all scores equal, every entry of exp is 2^12 */
    zero_rows(a->k, c->d, e + 1, 1); /* group 1: k = 0 in dimensions 1 and 3, so rotated q has none there to meet */
    zero_rows(a->k, c->d, e + 3, 1);
    memset(a->bq, 0, 2 * e * sizeof *a->bq);
    a->bk[e + 1] = a->bk[e + 3] = 0;
    zero_column(a->o, c->d, he, 0); /* the mixed value of head 0, dimension 0 */
    zero_column(b->q, he, c->d, 0); /* channel 0 of the normalised row at site 2 */
    zero_column(b->k, ge, c->d, 0);
    zero_column(b->v, ge, c->d, 0);
    zero_rows(b->gate, c->d, 0, 1);          /* gate 0 of layer 1 is 0, so is its SiLU: up 0 has no effect */
    zero_column(b->down, c->d, c->ff, 1);    /* gate * up 1 of layer 1 */
    zero_column(m->head, c->vocab, c->d, 1); /* channel 1 of the final row */
    /* Tokens 2i and 2i + 1 have equal logits: every greedy choice is a tie, won by the even one. */
    for (uint32_t v = 0; v + 1 < c->vocab; v += 2)
        memcpy(m->head + (size_t)(v + 1) * c->d, m->head + (size_t)v * c->d, c->d * sizeof *m->head);
}

/* The embedding of STAGE_TOKEN: its sum of squares is a little above 2^30, so that the highest digit of S is 1 and the
 * middle one small. STAGE_TOKEN_FAR has one large entry; its logit is never the largest but at 0. */
static void plant_tokens(assay_model *m)
{
    const uint32_t d = m->cfg.d;
    m->embed[STAGE_TOKEN_FAR * d + 3] = 600; /* 600 2^6 > 2^15 */
    memset(m->head + (STAGE_TOKEN_FAR - 1) * d, 0, 2 * d * sizeof *m->head);
    for (uint32_t k = 0; k < d; k++) m->embed[STAGE_TOKEN * d + k] = k < 8 ? (k & 1 ? 186 : -186) : 0;
}

/* A residual that uses its 16 bits, so that sums of squares use all digits; and room after gate * up, so that a
 * cheater's other values stay in range. */
static void widen(assay_model_config *c)
{
    enum { FINER = 4 };
    for (uint32_t j = 0; j < model_sites(c); j++) {
        c->unit[j] += FINER;
        c->eps_term[j] = assay_model_eps_term(c->eps_q60, c->d, c->unit[j]);
    }
    for (uint32_t l = 0; l < c->n_layers; l++) {
        assay_layer_config *y = &c->layer[l];
        y->o.f += FINER;
        y->down.f += FINER;
        y->act = (assay_site){16, 9, y->fsg + y->up.f - 9};
    }
}

/* Heads that use most of their 16 bits, query head 1 of layer 1 all of them; and room behind their norms, so that what
 * follows from another scale stays in range. Gain 0 of q in layer 1 is 0. */
static void roomy_heads(assay_model *m)
{
    for (uint32_t l = 0; l < m->cfg.n_layers; l++) {
        assay_layer_config *y = &m->cfg.layer[l];
        y->q.b = y->k.b = 16, y->q.s = 6, y->k.s = 5 + (int32_t)(l % 2);
        y->fnh = m->cfg.fn_final - 2;
        y->qg = (assay_site){16, 13, y->qg.f}, y->kg = (assay_site){16, 12, y->kg.f};
        y->qr.b = y->kr.b = 12;
    }
    m->layer[1].nq[0] = 0;
    const uint32_t head = m->cfg.head_dim * m->cfg.d;
    for (uint32_t k = head; k < 2 * head; k++) m->layer[1].q[k] = (int16_t)(3 * m->layer[1].q[k]);
}

static void fill_width(assay_model *m)
{
    widen(&m->cfg);
    for (uint32_t i = 0; i < m->cfg.vocab * m->cfg.d; i++) m->embed[i] = m->embed[i] < 0 ? -420 : 420;
}

static bool find_prompt(stage *st)
{
    uint32_t ids[STAGE_TOKENS + 1], n_out, y;
    for (uint64_t seed = 1; seed < 400; seed++) {
        assay_small_ids(ids, st->n_prompt, st->fx.model.cfg.vocab, seed);
        if (st->n_prompt > 4) ids[4] = STAGE_TOKEN;
        if (st->fixed_first) ids[0] = (uint32_t)st->fx.model.cfg.bos;
        memcpy(st->prompt, ids, st->n_prompt * sizeof *ids);
        if (assay_model_reply(&st->fx.model, &st->tables, ids, st->n_prompt, st->n_new, &n_out, &y, NULL,
                              &st->fx.err) == ASSAY_OK &&
            n_out == st->n_prompt + st->n_new)
            return true;
    }
    return CHECK(!"a prompt with a result");
}

enum { STAGES = 10 };
static stage *opened[STAGES];
static void clear_stages(void)
{
    for (size_t i = 0; i < STAGES; i++)
        if (opened[i]) stage_close(opened[i]);
}

static stage *make_stage(stage *st, assay_small_shape shape, bool isolated, const assay_commit_params *params,
                         uint8_t seed)
{
    assay_model m;
    if (!assay_small_model(&m, shape, seed)) return st;
    if (isolated) {
        widen(&m.cfg);
        isolate(&m);
        plant_tokens(&m);
    }
    if (shape.d == STAGE_WIDTH) fill_width(&m);
    if (shape.options & SMALL_NORMS) roomy_heads(&m);
    if (st->fixed_first && !assay_small_fix_first(&m, seed)) return st;
    st->ready = CHECK_OK(cp_fixture_commit(&st->fx, &m, params, seed)) &&
                CHECK_OK(assay_tables_new(&st->tables, &st->fx.model.cfg, STAGE_TOKENS, &st->fx.err)) &&
                find_prompt(st);
    return st;
}

/* One that lives as long as the program. */
static stage *open_stage(stage *st, assay_small_shape shape, bool isolated, const assay_commit_params *params,
                         uint8_t seed)
{
    size_t slot = 0;
    if (st->ready) return st;
    if (!opened[0]) atexit(clear_stages);
    while (opened[slot]) slot++;
    return opened[slot] = make_stage(st, shape, isolated, params, seed);
}

static const assay_small_shape main_shape = {3, 16, 4, 2, 4, 24, 38, SMALL_BIAS | SMALL_REMAINDER},
                               plain_shape = {3, 16, 4, 2, 4, 24, 38, SMALL_BIAS};
static const assay_commit_params main_params = {128, 13, 10, 2};

stage *stage_main(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3};
    return open_stage(&st, main_shape, true, &main_params, 11);
}

stage *stage_split(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3, .leaf_limit = 30000};
    return open_stage(&st, main_shape, true, &main_params, 11);
}

stage *stage_first(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3, .fixed_first = true};
    return open_stage(&st, main_shape, true, &main_params, 11);
}

static const assay_small_shape heads_shape = {3, 16, 4, 2, 4, 24, 38, SMALL_NORMS};

stage *stage_heads(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3};
    return open_stage(&st, heads_shape, false, &main_params, 11);
}

stage *stage_first_heads(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3, .fixed_first = true};
    return open_stage(&st, heads_shape, false, &main_params, 11);
}

stage *stage_gap(uint64_t gap_max, uint64_t budget)
{
    static stage plain = {.n_prompt = 20, .n_new = 3}, st;
    static assay_policy policy;
    st = *open_stage(&plain, plain_shape, true, &main_params, 11); /* closed as `plain` */
    policy = (assay_policy){ASSAY_POLICY_GAP, 1000 * gap_max, 1000 * budget};
    st.fx.policy = &policy;
    return &st;
}

stage *stage_other(void)
{
    static stage st = {.n_prompt = 20, .n_new = 3};
    return open_stage(&st, main_shape, true, &main_params, 12);
}

stage *stage_wide(void)
{
    static stage st = {.n_prompt = 1, .n_new = 0};
    return open_stage(&st, (assay_small_shape){1, STAGE_WIDTH, 1, 1, 2, 2, 4, false}, false,
                      &(assay_commit_params){128, 16, 9, 4}, 11);
}

stage *stage_least(void)
{
    static stage st = {.n_prompt = 1, .n_new = 0};
    return open_stage(&st, (assay_small_shape){1, 8, 1, 1, 8, 8, 6, false}, false,
                      &(assay_commit_params){128, 12, 9, 2}, 11);
}

stage *stage_of(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, const assay_commit_params *params)
{
    static stage st;
    st = (stage){.n_prompt = n_prompt, .n_new = n_new};
    return make_stage(&st, shape, false, params, 11);
}

void stage_close(stage *st)
{
    assay_tables_clear(&st->tables);
    cp_fixture_clear(&st->fx);
}

/* ---- the cheater's run */

/* The event that tells of a tensor. */
static assay_tensor event_of(assay_tensor t)
{
    if (t == TEN_REBREM) return TEN_REB;
    if (t >= TEN_SQ && t <= TEN_NRT) return TEN_N;
    if (t >= TEN_XSQ && t <= TEN_XNRT) return TEN_XN;
    if (t >= TEN_EX && t <= TEN_OC0) return TEN_O1;
    switch ((int)t) {
    case TEN_QGREM:
        return TEN_QG;
    case TEN_KGREM:
        return TEN_KG;
    case TEN_QREM:
        return TEN_Q;
    case TEN_KREM:
        return TEN_K;
    case TEN_VREM:
    case TEN_V0:
        return TEN_V1;
    case TEN_QRREM:
        return TEN_QR;
    case TEN_KRREM:
        return TEN_KR;
    case TEN_YREM:
        return TEN_Y;
    case TEN_GATEREM:
        return TEN_GATE;
    case TEN_UPREM:
        return TEN_UP;
    case TEN_SG:
    case TEN_ACTREM:
        return TEN_ACT;
    case TEN_DOWNREM:
        return TEN_DOWN;
    case TEN_NGREM:
        return TEN_NG;
    default:
        return t;
    }
}

static void made(void *ctx, assay_tensor t, uint32_t index, int32_t *const *v)
{
    const cheater *c = ctx;
    const assay_tensor event = c->what->late ? c->what->late : event_of(c->what->t);
    const uint32_t rows = t == TEN_NG ? c->n_tokens - c->st->n_prompt + 1 : c->n_tokens;
    if (c->what->made && c->what->token < rows && t == event && index == c->what->index) c->what->made(c, v);
}

/* A copy of the committed model with other weights. */
static const assay_model *other_model(const cheater *c)
{
    const assay_model *m = &c->st->fx.model;
    assay_model *copy = assay_mem_alloc(1, sizeof *copy);
    if (!CHECK(copy != NULL)) return m;
    copy->cfg = m->cfg; /* shared */
    if (!CHECK_OK(assay_model_alloc(copy, &c->st->fx.err))) {
        assay_mem_free(copy);
        return m;
    }
    memcpy(copy->own, m->own, m->own_bytes);
    c->what->weights(c, copy);
    return copy;
}

void cheat_begin(cheater *c, stage *st, const cheat *what)
{
    *c = (cheater){.st = st, .what = what, .model = &st->fx.model};
    c->hook = (assay_run_hook){made, c};
    if (what->weights) c->model = other_model(c);
}

void cheat_end(cheater *c)
{
    if (c->model == &c->st->fx.model) return;
    assay_model *copy = (assay_model *)(uintptr_t)c->model;
    memset(&copy->cfg, 0, sizeof copy->cfg);
    assay_model_clear(copy);
    assay_mem_free(copy);
}

/* The choice after n tokens: from the differences to token 0's logit at the last position. */
static bool next_token(cheater *c, const uint32_t *ids, uint32_t n, uint32_t *y)
{
    assay_trace t;
    assay_run_options opt = {.ref = true, .field = true, .force = true, .hook = &c->hook};
    c->n_tokens = n;
    if (!CHECK_OK(assay_model_trace(&t, c->model, &c->st->tables, ids, c->st->n_prompt, n, 0, &opt, &c->st->fx.err)))
        return false;
    int64_t best = 0;
    const uint32_t vocab = c->model->cfg.vocab;
    const size_t last = (size_t)(n - c->st->n_prompt) * vocab;
    *y = 0;
    for (uint32_t v = 0; v < vocab; v++) {
        int64_t d = cheat_symmetric(t.t[TEN_LHI][last + v] * ((int64_t)1 << 16) + t.t[TEN_LLO][last + v]);
        if (d >= best) continue;
        best = d;
        *y = v;
    }
    assay_trace_clear(&t);
    return true;
}

bool cheat_request(cheater *c, assay_request *rq)
{
    uint32_t ids[STAGE_TOKENS + 1], n = c->st->n_prompt, y = 0;
    memcpy(ids, c->st->prompt, n * sizeof *ids);
    for (uint32_t i = 0; i <= c->st->n_new; i++) {
        if (!next_token(c, ids, n, &y)) return false;
        if (i == c->st->n_new) break;
        ids[n++] = c->what->everywhere ? c->what->claim(c, y) : y;
    }
    if (c->what->claim) y = c->what->claim(c, y);
    c->n_tokens = n;
    return CHECK_OK(assay_request_new(rq, ids, c->st->n_prompt, n, y, "soundness", 9, &c->st->fx.err));
}

/* ---- what the cells break */

static void append(char *list, const char *name)
{
    size_t n = strlen(list), have = 0;
    for (const char *p = list; (p = strstr(p, name)) != NULL; p += strlen(name)) {
        bool starts = p == list || p[-1] == ' ',
             ends = p[strlen(name)] == 0 || strncmp(p + strlen(name), " | ", 3) == 0;
        have += starts && (p == list || strncmp(p - 3, " | ", 3) == 0) && ends;
    }
    if (!have) snprintf(list + n, CHEAT_TEXT - n, "%s%s", n ? " | " : "", name);
}

static bool box_has_stray(const assay_witness *w, const assay_family *f, const assay_box *b, uint32_t *buf)
{
    size_t n = (size_t)1 << b->log_n;
    uint32_t *columns[ASSAY_MAX_TUPLE], *table = buf + n * ASSAY_MAX_TUPLE;
    for (unsigned k = 0; k < ASSAY_MAX_TUPLE; k++) columns[k] = buf + n * k;
    assay_witness_tuples(w, f, b, 0, n, columns, table);
    for (size_t i = 0; i < n; i++) {
        uint32_t v[ASSAY_TABLE_WIDTH] = {0};
        for (unsigned k = 0; k < f->n_comps; k++) v[k] = columns[k][i];
        if (assay_table_find(w->shape->run.cfg, w->tables, table[i], v) < 0) return true;
    }
    return false;
}

static void diagnose(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    cheater *c = ctx;
    const char *names[256];
    size_t n = cp_false_requirements(cp, w, p, names, 256);
    c->broken[0] = c->families[0] = 0;
    for (size_t i = 0; i < n && i < 256; i++) append(c->broken, names[i]);
    for (uint32_t i = 0; i < cp->shape->n_family; i++) {
        const assay_family *f = &cp->shape->family[i];
        for (uint32_t b = 0; b < f->grid.n_box; b++) {
            uint32_t *buf = assay_mem_alloc((size_t)(ASSAY_MAX_TUPLE + 1) << f->grid.box[b].log_n, sizeof *buf);
            if (!CHECK(buf != NULL) || box_has_stray(w, f, &f->grid.box[b], buf)) append(c->families, f->name);
            assay_mem_free(buf);
        }
    }
}

/* ---- proving and judging */

static void witness(void *ctx, assay_witness *w)
{
    const cheater *c = ctx;
    if (c->what->witness) c->what->witness(c, w);
}
static void bounds(void *ctx, assay_gap_bounds *gap)
{
    const cheater *c = ctx;
    if (c->what->bounds) c->what->bounds(c, gap);
}
static void counts(void *ctx, assay_witness *w)
{
    const cheater *c = ctx;
    if (c->what->counts) c->what->counts(c, w);
}
static void cells(void *ctx, const assay_frame *f, kel *k)
{
    const cheater *c = ctx;
    if (c->what->cells) c->what->cells(c, f, k);
}

assay_cheat cheat_hooks(cheater *c)
{
    return (assay_cheat){.ctx = c,
                         .run = &c->hook,
                         .bounds = bounds,
                         .witness = witness,
                         .counts = counts,
                         .cells = cells,
                         .claims = diagnose,
                         .leaf_limit = c->st->leaf_limit,
                         .accept_no_result = true};
}

bool cheat_prove(cheater *c, const assay_request *rq, const assay_cheat *hooks, assay_writer *proof)
{
    cp_fixture *f = &c->st->fx;
    const assay_prover_key key = {&f->pub, c->model, &f->rows, f->tree, f->seed};
    char text[400];
    assay_writer_init(proof, ASSAY_MAX_PROOF_FILE);
    f->err = (assay_errinfo){0};
    assay_status s = assay_cp_prove(proof, &key, rq, f->policy, &f->be, NULL, hooks, &f->err);
    if (s != ASSAY_OK) CHECK_EQ_STR(assay_errinfo_text(&f->err, text, sizeof text), "");
    return CHECK_OK(s);
}

bool cheat_accepted(stage *st, const assay_request *rq, const assay_writer *proof, const char *drop,
                    const char **reason)
{
    assay_cp_result r;
    CHECK_OK(cp_fixture_verify(&st->fx, rq, proof, drop, st->leaf_limit, &r));
    if (reason) *reason = r.reason;
    CHECK(r.verdict == ASSAY_ACCEPT || r.reason[0]);
    return r.verdict == ASSAY_ACCEPT;
}

void cheat_check(stage *st, const cheat *what)
{
    cheater c;
    assay_request rq;
    assay_writer proof;
    if (!CHECK(st->ready)) return;
    cheat_begin(&c, st, what);
    if (cheat_request(&c, &rq)) {
        assay_cheat hooks = cheat_hooks(&c);
        if (cheat_prove(&c, &rq, &hooks, &proof)) {
            CHECK_EQ_STR(c.broken, what->breaks);
            CHECK_EQ_STR(c.families, what->families ? what->families : "");
            CHECK(!cheat_accepted(st, &rq, &proof, NULL, NULL));
        }
        assay_writer_clear(&proof);
        if (what->breaks[0] && !strchr(what->breaks, '|')) {
            hooks.drop = what->breaks;
            hooks.claims = NULL;
            if (cheat_prove(&c, &rq, &hooks, &proof)) CHECK(cheat_accepted(st, &rq, &proof, what->breaks, NULL));
            assay_writer_clear(&proof);
        }
        assay_request_clear(&rq);
    }
    cheat_end(&c);
}

void cheat_accept(stage *st, const cheat *what)
{
    cheater c;
    assay_request rq;
    assay_writer proof;
    if (!CHECK(st->ready)) return;
    cheat_begin(&c, st, what);
    if (cheat_request(&c, &rq)) {
        const assay_cheat hooks = cheat_hooks(&c);
        if (cheat_prove(&c, &rq, &hooks, &proof)) {
            CHECK_EQ_STR(c.broken, "");
            CHECK_EQ_STR(c.families, "");
            CHECK(cheat_accepted(st, &rq, &proof, NULL, NULL));
        }
        assay_writer_clear(&proof);
        assay_request_clear(&rq);
    }
    cheat_end(&c);
}
