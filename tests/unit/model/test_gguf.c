/* SPDX-License-Identifier: Apache-2.0 */
/* GGUF files: every type against values made by ggml's own package, a GGUF copy of the example model against its
 * folder, and files with one thing wrong at a time. */
#define _POSIX_C_SOURCE 200809L
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/float_bits.h"
#include "model/gguf.h"
#include "model/weights.h"
#include "unit/harness.h"
#include "unit/model/gguf_writer.h"
#include "vectors/vector_file.h"
#include <math.h>

enum { PATH = 1024 };

static void tmp_path(char out[PATH], const char *name)
{
    snprintf(out, PATH, "%s/%s", assay_test_tmpdir(), name);
}

TEST(blocks_have_the_values_of_the_reference)
{
    enum { MAX_BYTES = 256, MAX_CELLS = 256 };
    vector_file v;
    const char *name;
    REQUIRE(vector_open(&v, "gguf_blocks.txt"));
    while ((name = vector_line(&v, ""))) {
        const assay_ggml_type *t = assay_ggml_type_of(vector_f(&v));
        uint8_t block[MAX_BYTES], want[4 * MAX_CELLS];
        float out[MAX_CELLS];
        size_t n = vector_bytes(&v, block, sizeof block), cells = vector_bytes(&v, want, sizeof want) / 4;
        if (!CHECK(t && t->read && strcmp(t->name, name) == 0 && n % t->bytes == 0)) break;
        CHECK_EQ_U64(n / t->bytes * t->cells, cells);
        assay_dequant(out, t, block, n / t->bytes);
        for (size_t i = 0; i < cells; i++) {
            uint32_t bits = (uint32_t)want[4 * i] << 24 | (uint32_t)want[4 * i + 1] << 16 |
                            (uint32_t)want[4 * i + 2] << 8 | want[4 * i + 3];
            if (!CHECK_EQ_U64(bits_of_float(out[i]), bits)) break;
        }
    }
    vector_close(&v, 27);
}

/* ---- against the folder */

static void compare(const float *a, const float *b, size_t n)
{
    REQUIRE(a != NULL && b != NULL);
    CHECK(memcmp(a, b, n * sizeof *a) == 0);
}

static void compare_checkpoints(const assay_checkpoint *a, const assay_checkpoint *b)
{
    const assay_hf_config *c = &a->cfg;
    size_t d = c->d, q = (size_t)c->n_heads * c->head_dim, kv = (size_t)c->n_kv * c->head_dim;
    compare(a->embed, b->embed, c->vocab * d);
    compare(a->head, b->head, c->vocab * d);
    compare(a->gf, b->gf, d);
    for (uint32_t l = 0; l < c->n_layers; l++) {
        const assay_checkpoint_layer *x = &a->layer[l], *y = &b->layer[l];
        compare(x->g1, y->g1, d);
        compare(x->q, y->q, q * d);
        compare(x->k, y->k, kv * d);
        compare(x->v, y->v, kv * d);
        compare(x->o, y->o, q * d);
        compare(x->g2, y->g2, d);
        compare(x->gate, y->gate, c->ff * d);
        compare(x->up, y->up, c->ff * d);
        compare(x->down, y->down, c->ff * d);
        if (c->parts & ASSAY_PART_BIAS) {
            compare(x->bq, y->bq, q);
            compare(x->bk, y->bk, kv);
            compare(x->bv, y->bv, kv);
        }
        if (c->parts & ASSAY_PART_QK_NORM) {
            compare(x->nq, y->nq, c->head_dim);
            compare(x->nk, y->nk, c->head_dim);
        }
    }
}

static void compare_configs(const assay_hf_config *a, const assay_hf_config *b)
{
    CHECK(a->n_layers == b->n_layers && a->d == b->d && a->n_heads == b->n_heads && a->n_kv == b->n_kv);
    CHECK(a->head_dim == b->head_dim && a->ff == b->ff && a->vocab == b->vocab && a->tied == b->tied);
    CHECK(a->max_positions == b->max_positions && a->bos == b->bos && a->eos == b->eos);
    CHECK(fabs(a->rope_theta - b->rope_theta) == 0 && fabs(a->eps - b->eps) == 0);
    CHECK_EQ_U64(a->parts, b->parts);
    CHECK_EQ_U64(a->n_rope, b->n_rope);
    CHECK_EQ_MEM(a->rope_factor, b->rope_factor, a->n_rope * sizeof(float));
    CHECK_EQ_U64(a->n_stop, b->n_stop);
    CHECK_EQ_MEM(a->stop, b->stop, sizeof a->stop);
}

static void tiny_folder(char out[PATH])
{
    snprintf(out, PATH, "%s/examples/tiny", assay_test_source_dir());
}

static void copy_beside(const char *name)
{
    char folder[PATH], from[2 * PATH], to[PATH];
    uint8_t *p = NULL;
    size_t n = 0;
    tiny_folder(folder);
    snprintf(from, sizeof from, "%s/%s", folder, name);
    tmp_path(to, name);
    REQUIRE_OK(assay_file_read(from, 1 << 24, &p, &n, NULL));
    CHECK_OK(assay_file_write(to, p, n, 0600, NULL));
    assay_mem_free_secret(p, n);
}

TEST(a_gguf_copy_of_the_example_model_is_the_same_checkpoint)
{
    char folder[PATH], path[PATH];
    assay_checkpoint a, b;
    tiny_folder(folder);
    tmp_path(path, "tiny.gguf");
    REQUIRE_OK(assay_checkpoint_open(&a, folder, NULL));
    gguf_write(path, &a, (gguf_twist){.version = 2, .alignment = 64});
    if (CHECK_OK(assay_checkpoint_open(&b, path, NULL))) {
        compare_configs(&a.cfg, &b.cfg);
        compare_checkpoints(&a, &b);
    }
    assay_checkpoint_clear(&a);
    assay_checkpoint_clear(&b);
}

TEST(a_gguf_copy_of_the_example_model_gives_the_same_integer_model)
{
    char folder[PATH], path[PATH];
    assay_checkpoint ck;
    assay_model a, b;
    assay_writer ca, cb;
    tiny_folder(folder);
    tmp_path(path, "tiny.gguf");
    REQUIRE_OK(assay_checkpoint_open(&ck, folder, NULL));
    gguf_write(path, &ck, (gguf_twist){0});
    assay_checkpoint_clear(&ck);
    copy_beside("tokenizer.json");
    copy_beside("calibration.txt");
    CHECK_OK(assay_model_import(&a, folder, NULL, NULL, NULL));
    CHECK_OK(assay_model_import(&b, path, NULL, NULL, NULL));
    assay_writer_init(&ca, 1 << 20);
    assay_writer_init(&cb, 1 << 20);
    if (CHECK(a.own && b.own && a.own_bytes == b.own_bytes)) {
        CHECK(memcmp(a.own, b.own, a.own_bytes) == 0);
        assay_model_config_encode(&ca, &a.cfg);
        assay_model_config_encode(&cb, &b.cfg);
        CHECK(ca.n == cb.n && memcmp(ca.p, cb.p, ca.n) == 0);
    }
    assay_writer_clear(&ca);
    assay_writer_clear(&cb);
    assay_model_clear(&a);
    assay_model_clear(&b);
}

/* ---- one thing wrong at a time: a small model of one layer */

enum { D = 8, HEAD_DIM = 4, HEADS = 2, KV = 1, FF = 6, VOCAB = 12, CELLS = D * VOCAB };

static void expect(gguf_twist t, assay_status want, const char *says)
{
    static float x[CELLS], gain[D + 1];
    assay_checkpoint_layer layer = {gain, x, x, x, x, gain, x, x, x, x, x + 1, x + 2, gain, gain + 1};
    assay_checkpoint ck = {.cfg = {.n_layers = 1,
                                   .d = D,
                                   .n_heads = HEADS,
                                   .n_kv = KV,
                                   .head_dim = HEAD_DIM,
                                   .ff = FF,
                                   .vocab = VOCAB,
                                   .max_positions = 16,
                                   .tied = 1,
                                   .rope_theta = 10000,
                                   .eps = 1e-5,
                                   .bos = 1,
                                   .eos = 2,
                                   .n_stop = 1,
                                   .stop = {2}},
                           .embed = x,
                           .head = x,
                           .gf = gain,
                           .layer = &layer},
                     got;
    char path[PATH], message[512];
    assay_errinfo err = {0};
    for (size_t i = 0; i < CELLS; i++) x[i] = (float)(int64_t)(assay_test_random() >> 44) / 1048576.0f - 0.5f;
    for (size_t i = 0; i < D + 1; i++) gain[i] = 1;
    ck.cfg.parts = t.parts;
    if (bits_of_float(t.factor[0])) {
        ck.cfg.n_rope = 2;
        memcpy(ck.cfg.rope_factor, t.factor, sizeof t.factor);
    }
    tmp_path(path, "small.gguf");
    gguf_write(path, &ck, t);
    assay_status s = assay_checkpoint_open(&got, path, &err);
    CHECK_STATUS(s, want);
    assay_errinfo_text(&err, message, sizeof message);
    if (!CHECK(strstr(message, says) != NULL)) printf("    message: %s\n    wanted: %s\n", message, says);
    if (s == ASSAY_OK && want == ASSAY_OK && !t.key) {
        compare_checkpoints(&ck, &got);
        compare_configs(&ck.cfg, &got.cfg);
    }
    if (s != ASSAY_OK) CHECK(got.layer == NULL && got.embed == NULL);
    assay_checkpoint_clear(&got);
}

static const uint8_t one_u32[4] = {1}, two_u32[4] = {2}, top_u32[4] = {255, 255, 255, 255};

/* A twist of one value. */
static gguf_twist with(const char *key, uint32_t type, const void *value, size_t n)
{
    return (gguf_twist){.key = key, .type = type, .value = value, .n_value = n};
}
static gguf_twist added(const char *key, uint32_t type, const void *value, size_t n)
{
    return (gguf_twist){.key = key, .type = type, .value = value, .n_value = n, .added = true};
}
static gguf_twist with_text(const char *key, const char *text, uint8_t b[64])
{
    assay_store_u64(b, strlen(text));
    memcpy(b + 8, text, strlen(text));
    return with(key, ASSAY_GGUF_STRING, b, 8 + strlen(text));
}

TEST(small_file_is_read)
{
    expect((gguf_twist){0}, ASSAY_OK, "");
    expect((gguf_twist){.version = 2}, ASSAY_OK, "");
    expect((gguf_twist){.alignment = 8}, ASSAY_OK, "");
    expect((gguf_twist){.alignment = 4096}, ASSAY_OK, "");
}

TEST(hostile_headers_are_refused)
{
    expect((gguf_twist){.magic = 0x46554748}, ASSAY_EFORMAT, "small.gguf: is not a GGUF file");
    expect((gguf_twist){.version = 1}, ASSAY_EUNSUPPORTED, "GGUF version is not 2 or 3 (1)");
    expect((gguf_twist){.version = 4}, ASSAY_EUNSUPPORTED, "GGUF version is not 2 or 3 (4)");
    expect((gguf_twist){.version = 3u << 24}, ASSAY_EUNSUPPORTED, "big-endian");
    expect((gguf_twist){.n_values = 1000}, ASSAY_ERANGE, "more values than fit");
    expect((gguf_twist){.n_values = UINT64_MAX}, ASSAY_ERANGE, "more values than fit");
    expect((gguf_twist){.n_values = 20}, ASSAY_EFORMAT, "ends inside a name");
    expect((gguf_twist){.n_tensors = UINT64_MAX}, ASSAY_ERANGE, "more tensors than fit");
    expect((gguf_twist){.n_tensors = 1 << 16}, ASSAY_ERANGE, "more tensors than fit");
    expect((gguf_twist){.alignment = 7}, ASSAY_EFORMAT, "general.alignment: is no power of two");
    expect((gguf_twist){.alignment = 1 << 17}, ASSAY_EFORMAT, "general.alignment: is no power of two");
    char path[PATH];
    assay_checkpoint ck;
    assay_errinfo err = {0};
    tmp_path(path, "short.gguf");
    CHECK_OK(assay_file_write(path, "GGUF\3\0\0\0\1", 9, 0600, NULL));
    CHECK_STATUS(assay_checkpoint_open(&ck, path, &err), ASSAY_EFORMAT);
    CHECK(strstr(err.reason, "too short") != NULL);
}

TEST(hostile_values_are_refused)
{
    static const char key[] = "llama.block_count";
    uint8_t b[64] = {0};
    expect(with(key, 13, b, 8), ASSAY_EFORMAT, "llama.block_count: has an unknown type");
    assay_store_u64(b, UINT64_MAX);
    expect(with(key, ASSAY_GGUF_STRING, b, 8), ASSAY_EFORMAT, "llama.block_count: holds a string that ends too early");
    assay_store_u32(b, ASSAY_GGUF_U64);
    assay_store_u64(b + 4, (uint64_t)1 << 61);
    expect(with(key, ASSAY_GGUF_ARRAY, b, 12), ASSAY_EFORMAT, "llama.block_count: is an array of too many elements");
    assay_store_u64(b + 4, 1 << 24);
    expect(with(key, ASSAY_GGUF_ARRAY, b, 12), ASSAY_EFORMAT, "llama.block_count: ends too early");
    assay_store_u32(b, 99);
    expect(with(key, ASSAY_GGUF_ARRAY, b, 12), ASSAY_EFORMAT, "llama.block_count: is an array of an unknown type");
    for (size_t i = 0; i < 5; i++) { /* arrays of one array each */
        assay_store_u32(b + 12 * i, ASSAY_GGUF_ARRAY);
        assay_store_u64(b + 12 * i + 4, 1);
    }
    expect(with(key, ASSAY_GGUF_ARRAY, b, 60), ASSAY_EFORMAT, "llama.block_count: holds arrays nested too deep");
    expect(added("llama.block_count", ASSAY_GGUF_U32, one_u32, 4), ASSAY_EFORMAT, "llama.block_count: comes twice");
    expect(added("a key", ASSAY_GGUF_U32, one_u32, 4), ASSAY_EFORMAT, "characters that are not printable");
    expect(added("", ASSAY_GGUF_U32, one_u32, 4), ASSAY_EFORMAT, "a name is empty or too long");
}

TEST(other_models_are_refused_by_key)
{
    uint8_t b[64];
    expect((gguf_twist){.skip_key = "general.architecture"}, ASSAY_EUNSUPPORTED, "general.architecture: is of a kind");
    expect(with_text("general.architecture", "gemma", b), ASSAY_EUNSUPPORTED, "general.architecture: is of a kind");
    expect(with_text("general.architecture", "llam", b), ASSAY_EUNSUPPORTED, "general.architecture: is of a kind");
    expect((gguf_twist){.skip_key = "llama.block_count"}, ASSAY_EFORMAT, "small.gguf: llama.block_count: is missing");
    expect((gguf_twist){.skip_key = "llama.attention.layer_norm_rms_epsilon"}, ASSAY_EFORMAT, "epsilon: is missing");
    expect(with("llama.embedding_length", ASSAY_GGUF_U32, top_u32, 4), ASSAY_ERANGE, "embedding_length: is out of");
    expect(with("llama.embedding_length", ASSAY_GGUF_I32, top_u32, 4), ASSAY_EFORMAT, "is not a whole number");
    expect(with("llama.embedding_length", ASSAY_GGUF_F32, one_u32, 4), ASSAY_EFORMAT, "is not a whole number");
    expect(with("llama.embedding_length", ASSAY_GGUF_BOOL, one_u32, 1), ASSAY_EFORMAT, "is not a whole number");
    expect(with("llama.block_count", ASSAY_GGUF_U32, "\0\1\1\0", 4), ASSAY_ERANGE, "block_count: is out of range");
    expect(with("llama.attention.head_count_kv", ASSAY_GGUF_U32, "\3\0\0\0", 4), ASSAY_ERANGE, "does not divide");
    expect(with("llama.attention.key_length", ASSAY_GGUF_U8, "\3", 1), ASSAY_ERANGE, "key_length: is odd");
    expect(with("llama.rope.dimension_count", ASSAY_GGUF_U32, two_u32, 4), ASSAY_EUNSUPPORTED, "dimension_count: has");
    expect(with("llama.rope.freq_base", ASSAY_GGUF_F32, top_u32, 4), ASSAY_ERANGE, "freq_base: is out of range");
    expect(added("llama.attention.value_length", ASSAY_GGUF_U32, two_u32, 4), ASSAY_EUNSUPPORTED, "value_length: has");
    expect(added("llama.expert_count", ASSAY_GGUF_U32, two_u32, 4), ASSAY_EUNSUPPORTED, "llama.expert_count: has");
    expect(added("llama.rope.scaling.factor", ASSAY_GGUF_F32, "\0\0\0\100", 4), ASSAY_OK, ""); /* 2 */
    expect(added("llama.rope.scaling.factor", ASSAY_GGUF_F32, "\0\0\0\0", 4), ASSAY_ERANGE, "factor: is out of range");
    expect(added("llama.rope.scaling.factor", ASSAY_GGUF_F32, "\0\0\0\300", 4), ASSAY_ERANGE,
           "factor: is out of range");
    expect(added("llama.rope.scaling.factor", ASSAY_GGUF_F32, "\0\0\300\177", 4), ASSAY_ERANGE, "factor: is out of");
    expect(added("llama.rope.scale_linear", ASSAY_GGUF_F32, "\0\0\200\177", 4), ASSAY_ERANGE,
           "scale_linear: is out of");
    expect(added("llama.rope.scaling.factor", ASSAY_GGUF_F32, "\0\0\200\77", 4), ASSAY_OK, "");
    gguf_twist t = with_text("llama.rope.scaling.type", "yarn", b);
    t.added = true;
    expect(t, ASSAY_EUNSUPPORTED, "llama.rope.scaling.type: is of a kind");
    expect(added("llama.logit_scale", ASSAY_GGUF_F32, one_u32, 4), ASSAY_EUNSUPPORTED, "llama.logit_scale: is not");
    expect(added("split.count", ASSAY_GGUF_U16, two_u32, 2), ASSAY_EUNSUPPORTED, "split.count: models in several");
    expect(with("tokenizer.ggml.eos_token_id", ASSAY_GGUF_U32, top_u32, 4), ASSAY_ERANGE,
           "eos_token_id: is not a token");
    expect(with("tokenizer.ggml.add_bos_token", ASSAY_GGUF_BOOL, two_u32, 1), ASSAY_EFORMAT, "is not true or false");
}

TEST(hostile_tensors_are_refused)
{
    static const char up[] = "blk.0.ffn_up.weight", gain[] = "blk.0.attn_norm.weight", last[] = "output_norm.weight";
    expect((gguf_twist){.skip = up}, ASSAY_EFORMAT, "small.gguf: blk.0.ffn_up.weight: is missing");
    expect((gguf_twist){.skip = "token_embd.weight"}, ASSAY_EFORMAT, "token_embd.weight: is missing");
    expect((gguf_twist){.tensor = gain, .rename = "blk.0.attn_q.bias"}, ASSAY_EUNSUPPORTED,
           "blk.0.attn_q.bias: is no part");
    expect((gguf_twist){.tensor = gain, .rename = "blk.0.attn_q_norm.weight"}, ASSAY_EUNSUPPORTED,
           "attn_q_norm.weight: is");
    expect((gguf_twist){.tensor = gain, .rename = "rope_freqs.weight"}, ASSAY_EFORMAT,
           "rope_freqs.weight: is not a list");
    expect((gguf_twist){.tensor = gain, .rename = "blk.1.attn_norm.weight"}, ASSAY_EUNSUPPORTED,
           "blk.1.attn_norm.weight");
    expect((gguf_twist){.tensor = gain, .rename = "blk.00.attn_norm.weight"}, ASSAY_EUNSUPPORTED, "blk.00.attn_norm");
    expect((gguf_twist){.tensor = gain, .rename = last}, ASSAY_EFORMAT, "output_norm.weight: comes twice");
    expect((gguf_twist){.tensor = up, .number = 6}, ASSAY_EUNSUPPORTED, "blk.0.ffn_up.weight (Q5_0): is of a type");
    expect((gguf_twist){.tensor = up, .number = 10}, ASSAY_EUNSUPPORTED, "blk.0.ffn_up.weight (Q2_K): is of a type");
    expect((gguf_twist){.tensor = up, .number = 4}, ASSAY_EUNSUPPORTED, "blk.0.ffn_up.weight: has an unknown type");
    expect((gguf_twist){.tensor = up, .number = UINT32_MAX}, ASSAY_EUNSUPPORTED, "ffn_up.weight: has an unknown type");
    expect((gguf_twist){.tensor = up, .number = 8}, ASSAY_EFORMAT, "ffn_up.weight: has rows that are no whole number");
    expect((gguf_twist){.tensor = up, .rank = 5}, ASSAY_EFORMAT, "ffn_up.weight: has no axes or too many");
    expect((gguf_twist){.tensor = up, .rank = 3}, ASSAY_EFORMAT, "ffn_up.weight: has another shape than (6, 8)");
    expect((gguf_twist){.tensor = last, .rank = 2, .rows = 1}, ASSAY_OK, "");
    expect((gguf_twist){.tensor = up, .rename = gain}, ASSAY_EFORMAT,
           "attn_norm.weight: has another shape than (1, 8)");
    expect((gguf_twist){.tensor = up, .rows = UINT64_MAX / 4}, ASSAY_EFORMAT,
           "ffn_up.weight: has a shape of more cells");
    expect((gguf_twist){.tensor = up, .rows = (uint64_t)1 << 60}, ASSAY_EFORMAT,
           "ffn_up.weight: has more bytes than memory");
    expect((gguf_twist){.tensor = up, .rows = (uint64_t)1 << 40}, ASSAY_EFORMAT,
           "ffn_up.weight: lies outside the file");
    expect((gguf_twist){.tensor = up, .rows = 5}, ASSAY_EFORMAT, "blk.0.ffn_down.weight: leaves a hole");
    expect((gguf_twist){.tensor = up, .rows = 7}, ASSAY_EFORMAT, "blk.0.ffn_down.weight: overlaps");
    expect((gguf_twist){.tensor = up, .shift = 4}, ASSAY_EFORMAT, "ffn_up.weight: is not aligned");
    expect((gguf_twist){.tensor = up, .shift = -32}, ASSAY_EFORMAT, "blk.0.ffn_up.weight: overlaps the tensor before");
    expect((gguf_twist){.tensor = last, .shift = (int64_t)1 << 40}, ASSAY_EFORMAT, "output_norm.weight: lies outside");
    expect((gguf_twist){.tensor = last, .shift = INT64_MIN + 64}, ASSAY_EFORMAT, "output_norm.weight: lies outside");
    expect((gguf_twist){.tensor = up, .poison = 0x7f800000}, ASSAY_ERANGE,
           "ffn_up.weight: holds a value that is not finite");
    expect((gguf_twist){.tensor = gain, .poison = 0xffc00001}, ASSAY_ERANGE,
           "attn_norm.weight: holds a value that is not");
    expect((gguf_twist){.cut = 1}, ASSAY_EFORMAT, "output_norm.weight: lies outside the file");
    expect((gguf_twist){.cut = 1200}, ASSAY_EFORMAT, "lies outside the file");
    expect((gguf_twist){.cut = -32}, ASSAY_EFORMAT, "bytes after the last tensor");
}

TEST(factors_of_rope_scaling_are_read)
{
    static const char name[] = "rope_freqs.weight";
    uint8_t b[64];
    expect((gguf_twist){.factor = {1, 32}}, ASSAY_OK, "");
    expect((gguf_twist){.factor = {1, 0.5f}}, ASSAY_ERANGE,
           "rope_freqs.weight: has a factor that is out of range, pair (1)");
    expect((gguf_twist){.factor = {-1, 1}}, ASSAY_ERANGE, "has a factor that is out of range, pair (0)");
    expect((gguf_twist){.factor = {1, 65537}}, ASSAY_ERANGE, "has a factor that is out of range");
    expect((gguf_twist){.factor = {1, 2}, .tensor = name, .poison = 0x7fc00000}, ASSAY_ERANGE,
           "factor that is out of range");
    expect((gguf_twist){.factor = {1, 2}, .tensor = "output_norm.weight", .rename = name}, ASSAY_EFORMAT,
           "rope_freqs.weight: is not a list of factors");
    expect((gguf_twist){.factor = {1, 2}, .tensor = name, .number = 1}, ASSAY_ERANGE,
           "has a factor that is out of range, pair (0)"); /* as binary16 */
    gguf_twist t = with_text("general.architecture", "qwen2", b);
    t.factor[0] = t.factor[1] = 2;
    expect(t, ASSAY_EFORMAT, "qwen2.");
}

TEST(biases_and_head_norms_are_read_as_they_lie)
{
    static const char bias[] = "blk.0.attn_q.bias", norm[] = "blk.0.attn_k_norm.weight";
    expect((gguf_twist){.parts = ASSAY_PART_BIAS}, ASSAY_OK, "");
    expect((gguf_twist){.parts = ASSAY_PART_QK_NORM}, ASSAY_OK, "");
    expect((gguf_twist){.parts = ASSAY_PART_BIAS, .skip = bias}, ASSAY_EFORMAT, "blk.0.attn_q.bias: is missing");
    expect((gguf_twist){.parts = ASSAY_PART_QK_NORM, .skip = norm}, ASSAY_EFORMAT, "attn_k_norm.weight: is missing");
    expect((gguf_twist){.parts = ASSAY_PART_BIAS, .tensor = bias, .poison = 0x7fc00000}, ASSAY_ERANGE,
           "blk.0.attn_q.bias: holds a value that is not finite");
    expect((gguf_twist){.parts = ASSAY_PART_QK_NORM, .tensor = norm, .poison = 0xff800000}, ASSAY_ERANGE,
           "attn_k_norm.weight: holds a value that is not finite");
    expect(
        (gguf_twist){
            .parts = ASSAY_PART_BIAS, .skip = "blk.0.attn_k.bias", .tensor = bias, .rename = "blk.0.attn_k.bias"},
        ASSAY_EFORMAT, "blk.0.attn_k.bias: has another shape than (1, 4)");
    expect((gguf_twist){.parts = ASSAY_PART_BIAS, .tensor = bias, .rename = norm}, ASSAY_EUNSUPPORTED,
           "k_norm.weight: is no");
    expect((gguf_twist){.parts = ASSAY_PART_QK_NORM, .tensor = norm, .rename = bias}, ASSAY_EUNSUPPORTED,
           "q.bias: is no part");
}

/* A Qwen2 folder and its copy. */
TEST(a_gguf_copy_of_a_qwen2_model_is_the_same_checkpoint)
{
    char folder[PATH], path[PATH], command[3 * PATH];
    assay_checkpoint a, b;
    tmp_path(folder, "qwen2");
    tmp_path(path, "qwen2.gguf");
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/support/make_checkpoint.py qwen2 %s",
             assay_test_source_dir(), folder);
    if (system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") != 0) {
        assay_test_skip("/usr/bin/python3 has no numpy");
        return;
    }
    CHECK(system(command) == 0);
    REQUIRE_OK(assay_checkpoint_open(&a, folder, NULL));
    gguf_write(path, &a, (gguf_twist){0});
    if (CHECK_OK(assay_checkpoint_open(&b, path, NULL))) {
        compare_configs(&a.cfg, &b.cfg);
        compare_checkpoints(&a, &b);
    }
    assay_checkpoint_clear(&a);
    assay_checkpoint_clear(&b);
}

/* Every prefix of a good file is refused. */
TEST(truncated_files_are_refused)
{
    char path[PATH];
    uint8_t *p = NULL;
    size_t n = 0;
    assay_gguf g;
    expect((gguf_twist){0}, ASSAY_OK, "");
    tmp_path(path, "small.gguf");
    REQUIRE_OK(assay_file_read(path, 1 << 20, &p, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        uint8_t *exact = malloc(i ? i : 1);
        REQUIRE(exact != NULL);
        memcpy(exact, p, i);
        if (!CHECK(assay_gguf_parse(&g, "f", exact, i, NULL) != ASSAY_OK)) printf("    length %zu\n", i);
        assay_gguf_clear(&g);
        free(exact);
    }
    CHECK_OK(assay_gguf_parse(&g, "f", p, n, NULL));
    assay_gguf_clear(&g);
    assay_mem_free_secret(p, n);
}

TEST(companions_lie_beside_a_file_and_in_a_folder)
{
    char path[PATH], out[PATH];
    tmp_path(path, "beside.gguf");
    CHECK_OK(assay_file_write(path, "x", 1, 0600, NULL));
    CHECK_OK(assay_checkpoint_companion(out, sizeof out, path, "tokenizer.json", NULL));
    tmp_path(path, "tokenizer.json");
    CHECK_EQ_STR(out, path);
    CHECK_OK(assay_checkpoint_companion(out, sizeof out, "a/b", "tokenizer.json", NULL));
    CHECK_EQ_STR(out, "a/b/tokenizer.json");
    CHECK_STATUS(assay_checkpoint_companion(out, 4, "a/b", "tokenizer.json", NULL), ASSAY_ERANGE);
}
