/* SPDX-License-Identifier: Apache-2.0 */
/* GGUF files for tests, by https://github.com/ggml-org/ggml, docs/gguf.md. */
#include "unit/model/gguf_writer.h"
#include "base/file.h"
#include "model/float_bits.h"
#include "unit/harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    assay_writer head, data;
    const gguf_twist *t;
    uint64_t n_tensors, n_values;
    uint32_t alignment;
    const char *architecture;
} file;

static void put_string(assay_writer *w, const char *s)
{
    assay_write_u64(w, strlen(s));
    assay_write_bytes(w, s, strlen(s));
}

static void put_value(file *f, const char *key, uint32_t type, const void *p, size_t n)
{
    const gguf_twist *t = f->t;
    char own[64];
    if (t->skip_key && strcmp(t->skip_key, key) == 0) return;
    snprintf(own, sizeof own, "%s%s", f->architecture, key + (strncmp(key, "llama", 5) == 0 ? 5 : 0));
    put_string(&f->head, strncmp(key, "llama.", 6) == 0 ? own : key);
    if (t->key && !t->added && strcmp(t->key, key) == 0) {
        type = t->type;
        p = t->value;
        n = t->n_value;
    }
    assay_write_u32(&f->head, type);
    assay_write_bytes(&f->head, p, n);
    f->n_values++;
}

static void put_u32(file *f, const char *key, uint32_t x)
{
    uint8_t b[4];
    assay_store_u32(b, x);
    put_value(f, key, ASSAY_GGUF_U32, b, 4);
}

static void put_f64(file *f, const char *key, double x)
{
    uint64_t bits;
    uint8_t b[8];
    memcpy(&bits, &x, 8);
    assay_store_u64(b, bits);
    put_value(f, key, ASSAY_GGUF_F64, b, 8);
}

static void put_text(file *f, const char *key, const char *text)
{
    uint8_t b[256];
    assay_store_u64(b, strlen(text));
    memcpy(b + 8, text, strlen(text));
    put_value(f, key, ASSAY_GGUF_STRING, b, 8 + strlen(text));
}

static void pad(assay_writer *w, uint32_t alignment)
{
    while (w->n % alignment) assay_write_u8(w, 0);
}

/* rows = 0: a vector. */
static void put_tensor(file *f, const char *name, const float *x, uint64_t rows, uint64_t cols)
{
    const gguf_twist *t = f->t;
    bool chosen = t->tensor && strcmp(t->tensor, name) == 0;
    if (t->skip && strcmp(t->skip, name) == 0) return;
    put_string(&f->head, chosen && t->rename ? t->rename : name);
    uint32_t rank = chosen && t->rank ? t->rank : rows ? 2 : 1;
    assay_write_u32(&f->head, rank);
    for (uint32_t i = 0; i < rank; i++)
        assay_write_u64(&f->head, i == 0 ? cols : i > 1 ? 1 : chosen && t->rows ? t->rows : rows);
    assay_write_u32(&f->head, chosen ? t->number : 0);
    assay_write_u64(&f->head, f->data.n + (uint64_t)(chosen ? t->shift : 0));
    for (uint64_t i = 0; i < (rows ? rows : 1) * cols; i++)
        assay_write_u32(&f->data, chosen && t->poison && i == 0 ? t->poison : bits_of_float(x[i]));
    pad(&f->data, f->alignment);
    f->n_tensors++;
}

/* The shape and tokens of a checkpoint. */
static void put_config(file *f, const assay_hf_config *c)
{
    put_text(f, "general.architecture", f->architecture);
    put_u32(f, "llama.block_count", c->n_layers);
    put_u32(f, "llama.context_length", c->max_positions);
    put_u32(f, "llama.embedding_length", c->d);
    put_u32(f, "llama.feed_forward_length", c->ff);
    put_u32(f, "llama.attention.head_count", c->n_heads);
    put_u32(f, "llama.attention.head_count_kv", c->n_kv);
    put_u32(f, "llama.attention.key_length", c->head_dim);
    put_u32(f, "llama.rope.dimension_count", c->head_dim);
    put_f64(f, "llama.attention.layer_norm_rms_epsilon", c->eps);
    put_f64(f, "llama.rope.freq_base", c->rope_theta);
    put_u32(f, "tokenizer.ggml.bos_token_id", (uint32_t)c->bos);
    put_u32(f, "tokenizer.ggml.eos_token_id", (uint32_t)c->eos);
    put_value(f, "tokenizer.ggml.add_bos_token", ASSAY_GGUF_BOOL, "\1", 1);
    if (f->t->alignment) put_u32(f, "general.alignment", f->t->alignment);
    if (f->t->added) put_value(f, f->t->key, f->t->type, f->t->value, f->t->n_value);
}

/* Rows of q or k as llama.cpp wants them: for each head, the two halves' rows alternate. */
static void put_rotated(file *f, const char *name, const float *x, size_t heads, size_t e, size_t d)
{
    float *y = malloc(heads * e * d * sizeof *y);
    REQUIRE(y != NULL);
    for (size_t h = 0; h < heads; h++)
        for (size_t half = 0; half < 2; half++)
            for (size_t i = 0; i < e / 2; i++)
                memcpy(y + (h * e + 2 * i + half) * d, x + (h * e + half * (e / 2) + i) * d, d * sizeof *y);
    put_tensor(f, name, y, heads * e, d);
    free(y);
}

static void put_layer(file *f, const assay_checkpoint *ck, uint32_t l)
{
    const assay_hf_config *c = &ck->cfg;
    const assay_checkpoint_layer *w = &ck->layer[l];
    const uint32_t he = c->n_heads * c->head_dim, ge = c->n_kv * c->head_dim;
    char name[64];
#define NAMED(part) (snprintf(name, sizeof name, "blk.%u." part ".weight", (unsigned)l), name)
#define BIAS(part)  (snprintf(name, sizeof name, "blk.%u." part ".bias", (unsigned)l), name)
    put_tensor(f, NAMED("attn_norm"), w->g1, 0, c->d);
    if (c->parts == 0) {
        put_rotated(f, NAMED("attn_q"), w->q, c->n_heads, c->head_dim, c->d);
        put_rotated(f, NAMED("attn_k"), w->k, c->n_kv, c->head_dim, c->d);
    } else { /* llama.cpp rotates halves of these */
        put_tensor(f, NAMED("attn_q"), w->q, he, c->d);
        put_tensor(f, NAMED("attn_k"), w->k, ge, c->d);
    }
    if (c->parts & ASSAY_PART_BIAS) {
        put_tensor(f, BIAS("attn_q"), w->bq, 0, he);
        put_tensor(f, BIAS("attn_k"), w->bk, 0, ge);
        put_tensor(f, BIAS("attn_v"), w->bv, 0, ge);
    }
    if (c->parts & ASSAY_PART_QK_NORM) {
        put_tensor(f, NAMED("attn_q_norm"), w->nq, 0, c->head_dim);
        put_tensor(f, NAMED("attn_k_norm"), w->nk, 0, c->head_dim);
    }
    put_tensor(f, NAMED("attn_v"), w->v, c->n_kv * c->head_dim, c->d);
    put_tensor(f, NAMED("attn_output"), w->o, c->d, c->n_heads * c->head_dim);
    put_tensor(f, NAMED("ffn_norm"), w->g2, 0, c->d);
    put_tensor(f, NAMED("ffn_gate"), w->gate, c->ff, c->d);
    put_tensor(f, NAMED("ffn_up"), w->up, c->ff, c->d);
    put_tensor(f, NAMED("ffn_down"), w->down, c->d, c->ff);
#undef NAMED
#undef BIAS
}

void gguf_write(const char *path, const assay_checkpoint *ck, gguf_twist t)
{
    static const uint8_t nothing[4096];
    file f = {.t = &t, .alignment = t.alignment >= 8 ? t.alignment : 32};
    f.architecture = ck->cfg.parts == 0 ? "llama" : ck->cfg.parts & ASSAY_PART_BIAS ? "qwen2" : "qwen3";
    assay_writer whole;
    assay_writer_init(&f.head, 1 << 20);
    assay_writer_init(&f.data, 1 << 26);
    assay_writer_init(&whole, 1 << 27);
    put_config(&f, &ck->cfg);
    uint64_t n_values = f.n_values;
    put_tensor(&f, "token_embd.weight", ck->embed, ck->cfg.vocab, ck->cfg.d);
    for (uint32_t l = 0; l < ck->cfg.n_layers; l++) put_layer(&f, ck, l);
    put_tensor(&f, "output_norm.weight", ck->gf, 0, ck->cfg.d);
    if (ck->cfg.n_rope) put_tensor(&f, "rope_freqs.weight", ck->cfg.rope_factor, 0, ck->cfg.n_rope);
    if (!ck->cfg.tied) put_tensor(&f, "output.weight", ck->head, ck->cfg.vocab, ck->cfg.d);
    assay_write_u32(&whole, t.magic ? t.magic : 0x46554747);
    assay_write_u32(&whole, t.version ? t.version : 3);
    assay_write_u64(&whole, t.n_tensors ? t.n_tensors : f.n_tensors);
    assay_write_u64(&whole, t.n_values ? t.n_values : n_values);
    assay_write_bytes(&whole, f.head.p, f.head.n);
    pad(&whole, f.alignment);
    assay_write_bytes(&whole, f.data.p, f.data.n);
    if (t.cut < 0) assay_write_bytes(&whole, nothing, (size_t)-t.cut);
    CHECK(!whole.bad && !f.head.bad && !f.data.bad);
    CHECK_OK(assay_file_write(path, whole.p, whole.n - (t.cut > 0 ? (size_t)t.cut : 0), 0600, NULL));
    assay_writer_clear(&f.head);
    assay_writer_clear(&f.data);
    assay_writer_clear(&whole);
}
