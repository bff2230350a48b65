/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier; docs/protocol.md in its order. */
#include "cp/verify.h"

#include "base/mem.h"
#include "commit/matrix.h"
#include "cp/proof_size.h"
#include "cp/protocol.h"
#include <string.h>

typedef struct verifier {
    const assay_public *pub;
    const assay_frame *frame;
    const assay_cp *cp;
    const assay_merge_result *merge;
    uint8_t witness_root[32];
} verifier;

/* Positions of the main code: the weights tree, then the witness tree. */
static size_t open_main(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    const verifier *v = ctx;
    const assay_commit_params *cm = &v->pub->params;
    uint64_t pos[ASSAY_MAX_QUERIES];
    unsigned log_size = cm->c + ASSAY_MAIN_LOG_RATE;
    size_t n =
        assay_channel_positions(ch, "positions", log_size, assay_query_count(cm->security, ASSAY_MAIN_LOG_RATE), pos);
    size_t n_w = (size_t)1 << cm->jb, n_x = frame_columns(v->frame);
    if (n > max) n = max;
    uint32_t *weights = assay_mem_alloc(n, n_w * sizeof *weights), *witness = assay_mem_alloc(n, n_x * sizeof *witness);
    if (weights && witness) {
        assay_matrix_check(ch, v->pub->root, ASSAY_TREE_WEIGHTS, log_size, true, pos, n, weights, n_w);
        assay_matrix_check(ch, v->witness_root, ASSAY_TREE_WITNESS, log_size, true, pos, n, witness, n_x);
    }
    if (!weights || !witness ||
        assay_position_claims(v->frame, &v->cp->pt, v->merge, pos, n, weights, witness, out) != ASSAY_OK) {
        assay_channel_fail(ch, ASSAY_ENOMEM);
        n = 0;
    }
    assay_mem_free(weights);
    assay_mem_free(witness);
    return n;
}

static assay_status run(assay_channel *ch, assay_cp *cp, verifier *v, assay_errinfo *err)
{
    assay_merge_result mr;
    assay_tail_claim claims[2];
    assay_kvec no_u = {{0}, 0, NULL, 0};
    const assay_merge_shape ms = frame_merge_shape(v->frame);
    kel phi = k_zero();
    memset(&mr, 0, sizeof mr);

    assay_channel_bytes(ch, "witness root", v->witness_root, 32);
    assay_statement_run(cp);
    assay_iop_product_list(cp->iop);
    assay_iop_batch(cp->iop);
    const kel *cell_weights = assay_iop_cell_weights(cp->iop);
    if (ch->status != ASSAY_OK || !cell_weights) return ASSAY_FAIL(err, ASSAY_ENOMEM, "verifier", "out of memory");
    if (ch->reject) return ASSAY_OK;
    assay_functional_add_hidden(&cp->fn, cell_weights);

    assay_merge_run(ch, &ms, NULL, assay_iop_value(cp->iop), &mr);
    if (ch->reject) return ASSAY_OK;
    assay_status s = assay_functional_eval(&cp->fn, cp->iop, mr.point, &phi);
    if (s != ASSAY_OK) return ASSAY_FAIL(err, s, "verifier", "out of memory");
    assay_merge_fold(ch, &ms, NULL, phi, &mr, claims, &no_u);
    v->merge = &mr;
    v->cp = cp;
    assay_tail_run(ch, NULL, v->pub->params.security, ms.c, claims, 2, open_main, v);
    assay_channel_check(ch, assay_reader_left(ch->in) == 0, "bytes are left over after the proof");
    return ch->status == ASSAY_OK ? ASSAY_OK : ASSAY_FAIL(err, ch->status, "verifier", "out of memory");
}

static assay_status check(assay_cp_result *out, const assay_public *pub, const assay_request *rq, const assay_frame *f,
                          const assay_tables *tables, const uint8_t *body, size_t n_body, const char *drop,
                          assay_errinfo *err)
{
    assay_channel ch;
    assay_cp cp;
    assay_writer block;
    assay_reader in = assay_reader_of(body, n_body);
    verifier v = {pub, f, NULL, NULL, {0}};
    memset(&cp, 0, sizeof cp);
    assay_writer_init(&block, ASSAY_MAX_PUBLIC_FILE);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &in);
    assay_functional_init(&cp.fn, &f->shape, false);
    cp.shape = &f->shape;
    cp.tables = tables;
    cp.ids = rq->ids;
    assay_status s = assay_statement_block(&block, pub, rq, f, err);
    if (s == ASSAY_OK) {
        assay_channel_absorb(&ch, "statement", block.p, block.n);
        s = assay_iop_new(&cp.iop, &ch, NULL, NULL, &f->plan, NULL, err);
    }
    if (s == ASSAY_OK) {
        assay_iop_drop(cp.iop, drop);
        s = run(&ch, &cp, &v, err);
    }
    out->reason = ch.reject ? ch.reject : "";
    if (s == ASSAY_OK && !ch.reject) out->verdict = ASSAY_ACCEPT;
    assay_iop_free(cp.iop);
    assay_functional_clear(&cp.fn);
    assay_writer_clear(&block);
    return s;
}

/* Why what the proof states does not imply the policy; NULL: it does. A choice has no gap, so an exact proof implies
 * every gap policy. */
static const char *policy_reason(const assay_gap_bounds *gap, const assay_policy *policy, const assay_model_config *cfg)
{
    uint32_t most, sum;
    if (!policy || policy->kind == ASSAY_POLICY_EXACT)
        return gap->policy == ASSAY_POLICY_EXACT ? NULL
                                                 : "the proof shows a gap policy only, and the exact one is asked";
    if (policy->kind != ASSAY_POLICY_GAP) return "the policy asked for is unknown";
    assay_gap_limits(&most, &sum, policy, cfg);
    if (gap->most > most) return "the proof allows a larger gap than the policy's gap_max";
    return gap->sum > sum ? "the proof allows larger gaps together than the policy's budget" : NULL;
}

assay_status assay_cp_verify(assay_cp_result *out, const assay_public *pub, const assay_request *rq,
                             const assay_policy *policy, const uint8_t *proof, size_t n_proof, uint32_t min_security,
                             const char *drop, uint64_t leaf_limit, assay_errinfo *err)
{
    assay_frame f;
    assay_tables tables;
    const uint8_t *body = NULL;
    const char *refused = NULL;
    size_t n_body = 0;
    memset(out, 0, sizeof *out);
    out->reason = "not checked";
    memset(&tables, 0, sizeof tables);
    memset(&f, 0, sizeof f);
    if (pub->params.security < min_security) {
        out->reason = "the commitment's security setting is below the one required";
        return ASSAY_OK;
    }
    assay_status s = assay_proof_header_decode(proof, n_proof, &out->gap, &body, &n_body, err);
    if (s == ASSAY_OK && (refused = policy_reason(&out->gap, policy, &pub->cfg)) != NULL) {
        out->reason = refused;
        return ASSAY_OK;
    }
    if (s == ASSAY_OK) s = assay_frame_plan(&f, pub, rq, &out->gap, leaf_limit, err);
    if (s == ASSAY_OK) assay_soundness_inputs_fill(&out->soundness, &f);
    if (s == ASSAY_OK && n_body < assay_cp_proof_least(&f)) { /* before work that grows with the shape */
        out->reason = "the proof is too short";
        assay_frame_clear(&f);
        return ASSAY_OK;
    }
    if (s == ASSAY_OK) s = assay_cp_shape_place(&f.shape, err);
    if (s == ASSAY_OK) s = assay_tables_new(&tables, &pub->cfg, rq->n_tokens, err);
    if (s == ASSAY_OK) s = check(out, pub, rq, &f, &tables, body, n_body, drop, err);
    assay_tables_clear(&tables);
    assay_frame_clear(&f);
    return s;
}
