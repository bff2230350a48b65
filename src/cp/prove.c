/* SPDX-License-Identifier: Apache-2.0 */
/* The prover; docs/protocol.md in its order. Memory is given back as soon as a stage is over: tensors before phi is
 * written, phi inside the merge, P after the fold. Several proofs are made one after the other up to the point where
 * their positions are drawn; then one pass encodes the weights for all of them. */
#include "cp/prove.h"

#include "backend/drbg.h"
#include "backend/large.h"
#include "base/mem.h"
#include "base/progress.h"
#include "commit/matrix.h"
#include "cp/prover.h"
#include "hash/random.h"
#include "hash/sha256.h"
#include <string.h>

/* Streams of a proof's key. */
enum { LABEL_SALT_KEY = 1, LABEL_PADS = 2, LABEL_M = 16, LABEL_R = 32, LABEL_SLOTS = 1 << 16 };

typedef struct prover {
    const assay_prover_key *key;
    const assay_request *rq;
    const assay_policy *policy;
    const assay_backend *be;
    assay_progress progress;
    const assay_cheat *cheat;
    assay_errinfo *err;

    assay_tables tables;
    assay_trace trace; /* until the witness takes it over */
    assay_frame frame;
    assay_witness wit;
    assay_writer block; /* statement */
    uint8_t coins[32];  /* key of all of the proof's randomness */
    uint8_t salt_key[32];
    uint32_t **row, *words; /* F-rows */
    size_t n_words;
    assay_kvec m, r, *phi;
    const uint32_t **columns; /* rows of the witness tree */
    assay_matrix *tree;
    assay_channel ch;
    assay_cp cp;
    assay_cp_hooks hooks;
    assay_cp_prover side;
    assay_merge_result merge;
    assay_kvec u;
    assay_writer body;
    assay_tail_claim claims[2];
    assay_tail_prover *tail_side;
    assay_tail *tail;
    uint64_t pos[ASSAY_MAX_QUERIES];
    size_t n_pos;
    const assay_matrix_blocks *weights; /* borrowed: of all proofs' positions */
} prover;

static assay_status oom(prover *p)
{
    return ASSAY_FAIL(p->err, ASSAY_ENOMEM, "prover", "out of memory");
}

static assay_status run_model(prover *p)
{
    const assay_request *rq = p->rq;
    bool lax = p->cheat && p->cheat->accept_no_result;
    const assay_run_hook *hook = p->cheat ? p->cheat->run : NULL;
    assay_run_options opt = {
        .ref = hook != NULL, .field = lax, .force = lax, .pool = p->be->pool, .hook = hook, .policy = p->policy};
    assay_status s = assay_tables_new(&p->tables, &p->key->pub->cfg, rq->n_tokens, p->err);
    if (s == ASSAY_OK)
        s = assay_model_trace(&p->trace, p->key->model, &p->tables, rq->ids, rq->n_prompt, rq->n_tokens,
                              rq->ids[rq->n_tokens], &opt, p->err);
    if (s == ASSAY_OK && p->cheat && p->cheat->bounds) p->cheat->bounds(p->cheat->ctx, &p->trace.gap);
    return s;
}

/* What a proof of this run states, absorbed. */
static assay_status make_statement(prover *p)
{
    assay_status s =
        assay_frame_init(&p->frame, p->key->pub, p->rq, &p->trace.gap, p->cheat ? p->cheat->leaf_limit : 0, p->err);
    if (s != ASSAY_OK) return s;
    assay_writer_init(&p->block, ASSAY_MAX_PUBLIC_FILE);
    s = assay_statement_block(&p->block, p->key->pub, p->rq, &p->frame, p->err);
    if (s == ASSAY_OK) assay_channel_absorb(&p->ch, "statement", p->block.p, p->block.n);
    return s;
}

static assay_status make_witness(prover *p)
{
    assay_status s = make_statement(p);
    if (s == ASSAY_OK) s = assay_witness_init(&p->wit, &p->frame.shape, &p->tables, p->be, &p->trace, p->err);
    if (s != ASSAY_OK) return s;
    if (p->cheat && p->cheat->witness) p->cheat->witness(p->cheat->ctx, &p->wit);
    if ((s = assay_witness_distances(&p->wit, p->err)) != ASSAY_OK ||
        (s = assay_witness_count(&p->wit, p->err)) != ASSAY_OK)
        return s;
    if (p->cheat && p->cheat->counts) p->cheat->counts(p->cheat->ctx, &p->wit);
    return ASSAY_OK;
}

/* coins = SHA-256(domain || system randomness || seed || SHA-256(statement) || SHA-256(witness)): a restored backup, a
 * clone or a retry cannot repeat a pad under another transcript. */
static assay_status make_coins(prover *p)
{
    uint8_t system[32], digest[32];
    assay_sha256 s, w;
    assay_status st = ASSAY_OK;
    if (p->cheat && p->cheat->coins) {
        memcpy(p->coins, p->cheat->coins, 32);
    } else {
        if (p->cheat && p->cheat->system)
            memcpy(system, p->cheat->system, sizeof system);
        else
            st = assay_random_bytes(system, sizeof system, p->err);
        if (st != ASSAY_OK) return st;
        assay_sha256_init(&s);
        assay_sha256_update(&s, "assay proof randomness 1", 24);
        assay_sha256_update(&s, system, 32);
        assay_sha256_update(&s, p->key->seed, 32);
        assay_sha256_digest(digest, p->block.p, p->block.n);
        assay_sha256_update(&s, digest, 32);
        assay_sha256_init(&w);
        for (unsigned t = 0; t < TEN_COUNT; t++)
            if (p->wit.ten[t])
                assay_sha256_update(&w, p->wit.ten[t],
                                    (size_t)assay_tensor_cells(&p->frame.shape.run, (assay_tensor)t) *
                                        sizeof(uint32_t));
        assay_sha256_final(&w, digest);
        assay_sha256_update(&s, digest, 32);
        assay_sha256_final(&s, p->coins);
    }
    assay_mem_wipe(system, sizeof system);
    assay_mem_wipe(digest, sizeof digest);
    assay_drbg_block(p->salt_key, p->coins, LABEL_SALT_KEY, 0);
    return st;
}

static assay_status make_cells(prover *p)
{
    const assay_iop_plan *plan = &p->frame.plan;
    size_t n = iop_plan_cells(plan), n_words = 6 * ((size_t)plan->n_hidden + 2);
    uint32_t *words = assay_mem_alloc(n_words, sizeof *words);
    p->wit.cells = assay_mem_alloc(n, sizeof(kel));
    p->wit.n_cells = (uint32_t)n;
    if (!words || !p->wit.cells) {
        assay_mem_free(words);
        return oom(p);
    }
    assay_drbg_fill_f(p->be, words, n_words, p->coins, LABEL_PADS);
    assay_iop_fill_cells(p->wit.cells, plan, (const uint32_t(*)[2])p->frame.products, words);
    assay_mem_free_secret(words, n_words * sizeof *words);
    if (p->cheat && p->cheat->cells) p->cheat->cells(p->cheat->ctx, &p->frame, p->wit.cells);
    return ASSAY_OK;
}

static void place_box(void *ctx, size_t job)
{
    prover *p = ctx;
    const assay_cp_shape *s = &p->frame.shape;
    for (uint32_t g = 0; g < s->n_grids; g++) {
        if (job >= s->grid[g].n_box) {
            job -= s->grid[g].n_box;
            continue;
        }
        const assay_box *b = &s->grid[g].box[job];
        assay_witness_box(&p->wit, g, b, p->words + b->base);
        return;
    }
}

/* The rows of the stack: cells, random slots; and the K-valued rows M and R. */
static assay_status make_rows(prover *p)
{
    const assay_cp_shape *s = &p->frame.shape;
    size_t n = (size_t)1 << s->params.c, slots = (size_t)1 << ASSAY_WITNESS_SLOTS, n_box = 0;
    p->n_words = n * s->n_rows;
    p->words = assay_mem_alloc(p->n_words, sizeof *p->words);
    p->row = assay_mem_alloc(s->n_rows, sizeof *p->row);
    if (!p->words || !p->row || !assay_kvec_new_raw(&p->m, n) || !assay_kvec_new_raw(&p->r, n)) return oom(p);
    for (uint32_t g = 0; g < s->n_grids; g++) n_box += s->grid[g].n_box;
    assay_pool_run(p->be->pool, n_box, place_box, p);
    for (uint32_t i = 0; i < s->n_rows; i++) {
        p->row[i] = p->words + n * i;
        assay_drbg_fill_f(p->be, p->row[i] + n - slots, slots, p->coins, LABEL_SLOTS + (uint64_t)i);
    }
    for (unsigned k = 0; k < K_WORDS; k++) {
        assay_drbg_fill_f(p->be, p->m.c[k], n, p->coins, LABEL_M + k);
        assay_drbg_fill_f(p->be, p->r.c[k], n, p->coins, LABEL_R + k);
    }
    if (p->cheat && p->cheat->rows) p->cheat->rows(p->cheat->ctx, &p->frame, p->row);
    return ASSAY_OK;
}

static assay_status commit_witness(prover *p)
{
    size_t n = frame_columns(&p->frame);
    uint8_t root[32];
    const uint32_t **rows = p->columns = assay_mem_alloc(n, sizeof *rows);
    if (!rows) return oom(p);
    for (unsigned k = 0; k < K_WORDS; k++) {
        rows[k] = p->m.c[k];
        rows[K_WORDS + k] = p->r.c[k];
    }
    for (size_t i = 0; i < p->frame.shape.n_rows; i++) rows[12 + i] = p->row[i];
    assay_status s = assay_matrix_commit(&p->tree, p->key->rows->code, p->be, rows, n, ASSAY_TREE_WITNESS, p->salt_key,
                                         root, p->err);
    if (s != ASSAY_OK) return s;
    assay_channel_bytes(&p->ch, "witness root", root, 32);
    if (p->cheat && p->cheat->after_commit) p->cheat->after_commit(p->cheat->ctx, &p->frame, p->row, &p->m, &p->r);
    if (p->cheat && p->cheat->weights) p->cheat->weights(p->cheat->ctx, p->key->rows->row);
    return ASSAY_OK;
}

/* All claims, down to one on the stack; phi is written. */
static assay_status make_claims(prover *p)
{
    assay_cp *cp = &p->cp;
    const assay_cp_shape *shape = &p->frame.shape;
    cp->shape = shape;
    cp->tables = &p->tables;
    cp->ids = p->rq->ids;
    assay_functional_init(&cp->fn, shape, false);
    assay_status s =
        assay_iop_new(&cp->iop, &p->ch, &assay_iop_prover_ops, p->be, &p->frame.plan, p->wit.cells, p->err);
    if (s != ASSAY_OK) return s;
    assay_iop_drop(cp->iop, p->cheat ? p->cheat->drop : NULL);
    assay_cp_prover_init(&p->side, &p->wit, p->be, (const uint32_t *const *)p->key->rows->row, &p->ch);
    p->hooks = assay_cp_prover_hooks(&p->side);
    cp->hooks = &p->hooks;
    assay_statement_run(cp);
    assay_iop_product_list(cp->iop);
    assay_iop_batch(cp->iop);
    if (p->ch.status != ASSAY_OK) return ASSAY_FAIL(p->err, p->ch.status, "prover", "a stage of the proof failed");
    if (p->cheat && p->cheat->claims) p->cheat->claims(p->cheat->ctx, cp, &p->wit, &p->side.p);
    assay_witness_drop_tensors(&p->wit);
    const kel *weights = assay_iop_cell_weights(cp->iop);
    if (weights) assay_functional_add_hidden(&cp->fn, weights);

    size_t n_rows = 2 + (size_t)shape->n_rows;
    p->phi = weights ? assay_mem_alloc(n_rows, sizeof *p->phi) : NULL;
    if (!p->phi) return oom(p);
    for (size_t i = 0; i < n_rows; i++)
        if (i != 1 && !assay_large_kvec_new(p->be, &p->phi[i], (size_t)1 << shape->params.c)) return oom(p);
    s = assay_functional_write(&cp->fn, cp->iop, p->be, p->phi);
    return s == ASSAY_OK ? ASSAY_OK : oom(p);
}

static size_t open_main(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    prover *p = ctx;
    const assay_commit_params *cm = &p->frame.shape.params;
    const uint64_t *pos = p->pos;
    size_t n = p->n_pos < max ? p->n_pos : max;
    uint32_t *weights = assay_mem_alloc(n, sizeof *weights << cm->jb),
             *witness = assay_mem_alloc(n, frame_columns(&p->frame) * sizeof *witness);
    assay_status s = weights && witness ? ASSAY_OK : ASSAY_ENOMEM;
    if (s == ASSAY_OK) s = assay_matrix_open_encoded(p->weights, ch, pos, n, weights, p->err);
    if (s == ASSAY_OK) s = assay_matrix_open(p->tree, p->be, ch, pos, n, witness, p->err);
    if (s == ASSAY_OK) s = assay_position_claims(&p->frame, &p->cp.pt, &p->merge, pos, n, weights, witness, out);
    assay_mem_free(weights);
    assay_mem_free(witness);
    if (s == ASSAY_OK) return n;
    assay_channel_fail(ch, s);
    return 0;
}

/* phi at the merge's point, from the folded phi: the last claim of an honest run says it, but a broken one must not be
 * believed, so it is evaluated as the verifier does. */
static assay_status merge(prover *p)
{
    const assay_merge_shape ms = frame_merge_shape(&p->frame);
    const assay_merge_prover mp = {&assay_merge_prover_ops,         p->be, &p->side.p, &p->r, &p->m,
                                   (const uint32_t *const *)p->row, p->phi};
    kel phi = k_zero();
    assay_merge_run(&p->ch, &ms, &mp, assay_iop_value(p->cp.iop), &p->merge);
    if (assay_functional_eval(&p->cp.fn, p->cp.iop, p->merge.point, &phi) != ASSAY_OK) return oom(p);
    assay_merge_fold(&p->ch, &ms, &mp, phi, &p->merge, p->claims, &p->u);
    if (p->cheat && p->cheat->opening) p->cheat->opening(p->cheat->ctx, &p->merge, phi, &p->m, &p->u);
    assay_kvec_free(&p->side.p);
    if (p->ch.status != ASSAY_OK) return ASSAY_FAIL(p->err, p->ch.status, "prover", "the merge failed");
    return ASSAY_OK;
}

/* Binds u and draws the positions; drops all that the opening does not need. */
static assay_status draw_positions(prover *p)
{
    const assay_commit_params *cm = &p->frame.shape.params;
    assay_status s = assay_tail_prover_new(&p->tail_side, p->be, p->key->rows->code, &p->u, p->err);
    if (s != ASSAY_OK) return s;
    p->tail = assay_tail_start(&p->ch, p->tail_side, cm->security, cm->c, p->claims, 2);
    if (p->ch.status != ASSAY_OK) return ASSAY_FAIL(p->err, p->ch.status, "prover", "the tail failed");
    p->n_pos = assay_channel_positions(&p->ch, "positions", cm->c + ASSAY_MAIN_LOG_RATE,
                                       assay_query_count(cm->security, ASSAY_MAIN_LOG_RATE), p->pos);
    assay_cp_prover_clear(&p->side);
    assay_iop_free(p->cp.iop);
    p->cp.iop = NULL;
    assay_functional_clear(&p->cp.fn);
    assay_witness_clear(&p->wit);
    assay_tables_clear(&p->tables);
    return ASSAY_OK;
}

static assay_status finish(prover *p, const assay_matrix_blocks *weights)
{
    p->weights = weights;
    assay_tail_finish(p->tail, open_main, p);
    p->tail = NULL;
    return p->ch.status == ASSAY_OK ? ASSAY_OK : ASSAY_FAIL(p->err, p->ch.status, "prover", "the opening failed");
}

/* Up to the positions. */
static assay_status begin(prover *p)
{
    static const struct {
        const char *stage;
        double done;
        assay_status (*step)(prover *p);
    } steps[] = {{"running the model", 0.03, run_model}, {"counting look-ups", 0.1, make_witness},
                 {"randomness", 0.13, make_coins},       {"hiding cells", 0.16, make_cells},
                 {"laying out cells", 0.17, make_rows},  {"committing", 0.2, commit_witness},
                 {"claims", 0.5, make_claims},           {"merging", 0.8, merge},
                 {"folding", 0.95, draw_positions}};
    assay_status s = assay_request_check(p->rq, &p->key->pub->cfg, p->err);
    if (s != ASSAY_OK) return s;
    assay_channel_init(&p->ch, ASSAY_PROVE, &p->body, NULL);
    p->ch.tamper = p->cheat ? p->cheat->messages : NULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && s == ASSAY_OK; i++) {
        s = assay_progress_tell(&p->progress, steps[i].stage, steps[i].done, p->err);
        if (s == ASSAY_OK) s = steps[i].step(p);
    }
    return s;
}

static void clear(prover *p)
{
    assay_tail_free(p->tail);
    assay_tail_prover_free(p->tail_side);
    assay_writer_clear(&p->body);
    assay_kvec_free(&p->u);
    assay_cp_prover_clear(&p->side);
    assay_iop_free(p->cp.iop);
    assay_functional_clear(&p->cp.fn);
    assay_matrix_free(p->tree);
    for (size_t i = 0; p->phi && i < 2 + (size_t)p->frame.shape.n_rows; i++) assay_kvec_free(&p->phi[i]);
    assay_mem_free(p->phi);
    assay_kvec_free(&p->m);
    assay_kvec_free(&p->r);
    assay_large_free_secret(p->be, p->words, p->n_words * sizeof *p->words);
    assay_mem_free(p->row);
    assay_mem_free(p->columns);
    assay_writer_clear(&p->block);
    assay_witness_clear(&p->wit);
    assay_trace_clear(&p->trace);
    assay_tables_clear(&p->tables);
    assay_frame_clear(&p->frame);
    assay_mem_wipe(p, sizeof *p);
}

/* The pass over the weights, and the rest of every proof. */
static assay_status open_all(prover *p, size_t n, size_t *at)
{
    assay_matrix_blocks *weights = NULL;
    assay_positions *of = assay_mem_alloc(n, sizeof *of);
    if (!of) return oom(p);
    for (size_t i = 0; i < n; i++) of[i] = (assay_positions){p[i].pos, p[i].n_pos};
    assay_status s = assay_matrix_encode(&weights, p->key->tree, p->be, of, n, p->err);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        *at = i;
        s = finish(&p[i], weights);
    }
    assay_matrix_blocks_free(weights);
    assay_mem_free(of);
    return s;
}

assay_status assay_cp_prove_many(assay_writer *out, const assay_prover_key *key, const assay_request *const *rq,
                                 size_t n, const assay_policy *policy, const assay_backend *be,
                                 const assay_progress *progress, const assay_cheat *cheat, size_t *at,
                                 assay_errinfo *err)
{
    prover *p = assay_mem_alloc(n, sizeof *p);
    assay_status s = p ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "prover", "out of memory");
    *at = 0;
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        assay_subprogress part;
        *at = i;
        p[i].key = key;
        p[i].rq = rq[i];
        p[i].policy = policy;
        p[i].be = be;
        p[i].progress =
            assay_progress_part(&part, progress, 0.8 * (double)i / (double)n, 0.8 * (double)(i + 1) / (double)n);
        p[i].cheat = cheat;
        p[i].err = err;
        assay_writer_init(&p[i].body, ASSAY_MAX_PROOF_FILE);
        s = begin(&p[i]);
    }
    if (s == ASSAY_OK) s = assay_progress_tell(progress, "opening", 0.8, err);
    if (s == ASSAY_OK) s = open_all(p, n, at);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        *at = i;
        assay_proof_header_encode(&out[i], &p[i].frame.shape.gap, p[i].body.n);
        assay_write_bytes(&out[i], p[i].body.p, p[i].body.n);
        if (out[i].bad) s = ASSAY_FAIL(err, ASSAY_ENOMEM, "proof", "out of memory");
    }
    for (size_t i = 0; p && i < n; i++) clear(&p[i]);
    assay_mem_free(p);
    return s;
}

assay_status assay_cp_prove(assay_writer *out, const assay_prover_key *key, const assay_request *rq,
                            const assay_policy *policy, const assay_backend *be, const assay_progress *progress,
                            const assay_cheat *cheat, assay_errinfo *err)
{
    size_t at;
    return assay_cp_prove_many(out, key, &rq, 1, policy, be, progress, cheat, &at, err);
}
