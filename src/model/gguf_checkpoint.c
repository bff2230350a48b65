/* SPDX-License-Identifier: Apache-2.0 */
/* From a GGUF file to the float checkpoint that a Hugging Face folder gives. */
#include "base/file.h"
#include "base/mem.h"
#include "base/subject.h"
#include "model/checkpoint_slots.h"
#include "model/float_bits.h"
#include "model/gguf.h"
#include "model/rope_scaling.h"
#include <string.h>

static const assay_tensor_names gguf_names = {"blk.",
                                              {"attn_norm.weight", "attn_q.weight", "attn_k.weight", "attn_v.weight",
                                               "attn_output.weight", "ffn_norm.weight", "ffn_gate.weight",
                                               "ffn_up.weight", "ffn_down.weight", "attn_q.bias", "attn_k.bias",
                                               "attn_v.bias", "attn_q_norm.weight", "attn_k_norm.weight"},
                                              {"token_embd.weight", "output_norm.weight", "output.weight"}};

/* Row `row` of the file for rotation of neighbours, as a row for rotation on split halves: pair i of a head of e rows
 * are rows 2 i and 2 i + 1 there, rows i and i + e / 2 here. */
static size_t halves_row(size_t row, size_t e)
{
    size_t in_head = row % e;
    return row - in_head + in_head / 2 + in_head % 2 * (e / 2);
}

static void read_rows(float *out, const assay_gguf *g, const assay_gguf_tensor *t, assay_slot to, size_t head_dim)
{
    size_t blocks = to.cols / t->type->cells;
    bool rotated = to.which == ASSAY_SLOT_Q || to.which == ASSAY_SLOT_K; /* the rows; no architecture permutes biases */
    bool moved = rotated && assay_gguf_rotates_neighbours(g);
    const uint8_t *p = g->data + t->begin;
    for (size_t row = 0; row < to.rows; row++) {
        size_t at = moved ? halves_row(row, head_dim) : row;
        assay_dequant(out + at * to.cols, t->type, p + row * blocks * t->type->bytes, blocks);
    }
}

static bool all_finite(const float *x, size_t n)
{
    uint32_t worst = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t exponent = bits_of_float(x[i]) & ASSAY_F32_EXPONENT;
        worst = exponent > worst ? exponent : worst;
    }
    return worst != ASSAY_F32_EXPONENT;
}

/* The factor of each rotated pair, on top of a linear scaling. */
static assay_status read_factors(assay_hf_config *c, const assay_gguf *g, const assay_gguf_tensor *t,
                                 const char *subject, assay_errinfo *err)
{
    float factor[ASSAY_MAX_ROPE];
    uint32_t n = c->head_dim / 2;
    if (t != assay_gguf_find_tensor(g, t->name)) return ASSAY_FAIL(err, ASSAY_EFORMAT, subject, "comes twice");
    if (t->rank != 1 || t->shape[0] != n || t->type->cells != 1)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, subject, "is not a list of factors, one a rotated pair", n);
    assay_dequant(factor, t->type, g->data + t->begin, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!(factor[i] >= 1 && factor[i] <= ASSAY_MAX_ROPE_FACTOR))
            return ASSAY_FAIL1(err, ASSAY_ERANGE, subject, "has a factor that is out of range, pair", i);
        assay_rope_scale_pair(c, i, (double)factor[i]);
    }
    return ASSAY_OK;
}

static assay_status read_tensor(assay_checkpoint *ck, const assay_gguf *g, const assay_gguf_tensor *t,
                                assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    assay_slot to = assay_checkpoint_slot(ck, &gguf_names, t->name);
    (void)subject_of(subject, g->file, t->name);
    if (strcmp(t->name, "rope_freqs.weight") == 0 && assay_gguf_rotates_neighbours(g))
        return read_factors(&ck->cfg, g, t, subject, err);
    if (!to.at) return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, subject, "is no part of a model that this version handles");
    bool row = to.rows == 1 && t->rank == 1;
    if (t->shape[0] != to.cols || (!row && (t->rank != 2 || t->shape[1] != to.rows)))
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, subject, "has another shape than", to.rows, to.cols);
    assay_status s = assay_slot_alloc(to, g->file, t->name, err);
    if (s != ASSAY_OK) return s;
    read_rows(*to.at, g, t, to, ck->cfg.head_dim);
    if (!all_finite(*to.at, (size_t)to.rows * to.cols))
        return ASSAY_FAIL(err, ASSAY_ERANGE, subject, "holds a value that is not finite");
    return ASSAY_OK;
}

/* The last part of a path. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

assay_status assay_gguf_checkpoint(assay_checkpoint *ck, const char *path, assay_errinfo *err)
{
    assay_map map = {NULL, 0};
    assay_gguf g = {0};
    *ck = (assay_checkpoint){0};
    assay_status s = assay_map_open(&map, path, err);
    if (s == ASSAY_OK) s = assay_gguf_parse(&g, file_name(path), map.p, map.n, err);
    if (s == ASSAY_OK) s = assay_gguf_config(&ck->cfg, &g, err);
    if (s == ASSAY_OK) {
        ck->layer = assay_mem_alloc(ck->cfg.n_layers, sizeof *ck->layer);
        if (!ck->layer) s = ASSAY_FAIL(err, ASSAY_ENOMEM, g.file, "out of memory");
    }
    for (size_t i = 0; s == ASSAY_OK && i < g.n_tensors; i++) s = read_tensor(ck, &g, &g.tensor[i], err);
    if (s == ASSAY_OK) s = assay_checkpoint_complete(ck, &gguf_names, g.file, err);
    if (s == ASSAY_OK && !assay_rope_settle(&ck->cfg))
        s = ASSAY_FAIL(err, ASSAY_ERANGE, g.file, "RoPE scaling has a factor that is out of range");
    if (s != ASSAY_OK) assay_checkpoint_clear(ck);
    assay_gguf_clear(&g);
    assay_map_close(&map);
    return s;
}
