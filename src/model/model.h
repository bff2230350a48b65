/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed-point transformer: weights, runs, and the trace that a proof commits to.
 * The plain path (forward_ref.c) is the definition; the fast path equals it bit for bit. Source: docs/model.md. */
#ifndef ASSAY_MODEL_MODEL_H
#define ASSAY_MODEL_MODEL_H

#include "assay/progress.h"
#include "base/pool.h"
#include "model/config.h"
#include "model/gap.h"
#include "model/tensors.h"
#include <stdbool.h>

/* Integer weights, secret (class B). Matrices are [out][in], row-major. gf is [D]. embed and head are both [V][D]
 * (the same array when tied). Biases are one an output, at the accumulator's unit; NULL in models without. */
typedef struct assay_layer_weights {
    int16_t *q, *k, *v, *o, *gate, *up, *down;
    int16_t *nq, *nk; /* [E] gains of norms of heads; NULL in models without */
    int32_t *bq, *bk, *bv;
} assay_layer_weights;
typedef struct assay_model {
    assay_model_config cfg;
    int16_t *embed, *head, *gf;
    int16_t *first_k,
        *first_v; /* [L][GE] rotated keys and values of position 0, units kr and v; NULL unless fixed_first */
    assay_layer_weights *layer; /* L */
    void *own;                  /* one allocation that holds all weights */
    size_t own_bytes;
} assay_model;
void assay_model_clear(assay_model *m); /* wipes */
/* Allocates zeroed weights for m->cfg (which must be filled and checked). */
ASSAY_MUST_USE assay_status assay_model_alloc(assay_model *m, assay_errinfo *err);

/* Secret file DIR/model/weights.bin: header, SHA-256 of the configuration, int16 weights, int32 biases. */
ASSAY_MUST_USE assay_status assay_model_weights_save(const assay_model *m, const char *path, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_model_weights_load(assay_model *m, const char *path, assay_errinfo *err);

/* Tables shared by model, prover and verifier; made by integer algorithms, identical on every machine. */
typedef struct assay_tables {
    uint16_t *rsqrt;    /* [9 over][2 parity][2^(rsqrt_in-1)]: R shortened by `over` bits, rounded */
    uint32_t **exp;     /* exp[b] for the row bits b that occur: exp_rows[b] entries round(2^b exp(-i 2^-unit)), unit
                           score_f - rem bits */
    uint32_t *exp_rows; /* by b: entries from here to 2^exp_bits are 0; 0 for a b that does not occur */
    uint32_t *exp_all;  /* storage of exp */
    int32_t **silu;     /* silu[l]: 2^gate.b entries, index gate + 2^(b-1) */
    int32_t *cos, *sin; /* [max_tokens][E/2] round(2^cos_bits cos(t theta^(-2k/E) / factor k)) */
    uint32_t max_tokens, n_layers, e_bits;
} assay_tables;
/* exp[b] at a distance: 0 beyond the entries that are kept. */
static inline uint32_t assay_exp_at(const assay_tables *t, int32_t b, uint32_t distance)
{
    return distance < t->exp_rows[b] ? t->exp[b][distance] : 0;
}
ASSAY_MUST_USE assay_status assay_tables_new(assay_tables *t, const assay_model_config *c, uint32_t max_tokens,
                                             assay_errinfo *err);
void assay_tables_clear(assay_tables *t);
/* Bits of exp entries in query row i: min(e_bits, z_bits - ceil(log2(i + 1))). */
int32_t assay_row_bits(const assay_model_config *c, uint32_t i);

/* All committed values of one run, plus the virtual residual. Secret. */
typedef struct assay_trace {
    assay_run_shape shape;
    int32_t *t[TEN_COUNT]; /* assay_tensor_cells() values each */
    int32_t *h;            /* [S,T,D] residual at each norm site */
    assay_gap_bounds gap;  /* what can be stated of the reply: zero under the exact policy */
    void *own;
    size_t own_bytes;
} assay_trace;
void assay_trace_clear(assay_trace *t); /* wipes */

/* Test hook: called when a tensor, and those that come with it, are there for a layer, norm site or rebase site `index`
 * and before they are used; may change them. values: by tensor, all tokens at that index. */
typedef struct assay_run_hook {
    void (*made)(void *ctx, assay_tensor t, uint32_t index, int32_t *const *values);
    void *ctx;
} assay_run_hook;

/* Runs the model on ids[0 .. n_tokens-1] and fills the trace. y: the token after them.
 * claimed[p] for checked position n_prompt-1+p is ids[n_prompt+p], the last one y.
 * Greedy is part of the trace (LHI, LLO): when a claimed token is not the smallest index of the maximum the run ends
 * with ASSAY_ENORESULT, err naming the position ("reply token 3 is not the model's choice"), unless `force` is set
 * (tests), in which case differences are reduced mod p into the tensors as they come. ASSAY_ENORESULT also when a value
 * leaves its range; err names layer, tensor, position. Under a gap policy tokens may lie below the maximum, as far as
 * the policy allows; ASSAY_ENORESULT names the token, its gap and the limit. field: evaluate f_F (accumulators wrap mod
 * p, docs/model.md) instead of refusing at 2^30. ref: the plain path. */
typedef struct assay_run_options {
    bool ref, field, force;
    assay_pool *pool;
    assay_progress progress;
    const assay_policy *policy; /* traces only; NULL: exact */
    const assay_run_hook *hook; /* tests: NULL in production; traces only, and nothing is refused */
} assay_run_options;
ASSAY_MUST_USE assay_status assay_model_trace(assay_trace *out, const assay_model *m, const assay_tables *tb,
                                              const uint32_t *ids, uint32_t n_prompt, uint32_t n_tokens, uint32_t y,
                                              const assay_run_options *opt, assay_errinfo *err);

/* Greedy decoding with a key/value cache: appends up to n_new tokens to ids (room for n_prompt + n_new + 1), stopping
 * after a stop id. *n_out: tokens in ids after the run, the token after the last not counted; *y: that token. So n_out
 * - n_prompt <= n_new reply tokens; when a stop id was produced it is the last reply token. Progress: the share of
 * n_prompt + n_new tokens that were run. */
ASSAY_MUST_USE assay_status assay_model_reply(const assay_model *m, const assay_tables *tb, uint32_t *ids,
                                              uint32_t n_prompt, uint32_t n_new, uint32_t *n_out, uint32_t *y,
                                              const assay_run_options *opt, assay_errinfo *err);

/* Logits [n_checked][V] as accumulators (tests and fidelity). */
ASSAY_MUST_USE assay_status assay_model_logits(int64_t *out, const assay_model *m, const assay_tables *tb,
                                               const uint32_t *ids, uint32_t n_prompt, uint32_t n_tokens,
                                               const assay_run_options *opt, assay_errinfo *err);

/* Reads a Hugging Face folder or a GGUF file, calibrates on text (documents separated by an empty line; NULL: the
 * calibration.txt in the folder or beside the file, else the built-in text) and quantises. The folder must hold a
 * tokenizer.json, with which the text is cut. The configuration that comes out is checked. opt may be NULL; its pool
 * and progress are used. On failure *m is empty. Memory: twice the checkpoint, and 1.5 times its float32 size for the
 * integers. */
ASSAY_MUST_USE assay_status assay_model_import(assay_model *m, const char *folder, const char *calibration_path,
                                               const assay_run_options *opt, assay_errinfo *err);

#endif
