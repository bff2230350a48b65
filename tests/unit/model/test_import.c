/* SPDX-License-Identifier: Apache-2.0 */
/* The importer: the same bits on every machine, and refusals of bad folders. */
#define _POSIX_C_SOURCE 200809L
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/matmul_f32.h"
#include "model/plan.h"
#include "model/safetensors.h"
#include "model/weights.h"
#include "unit/harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, TEXT = 1 << 16 };

static void source_path(char out[PATH], const char *name)
{
    snprintf(out, PATH, "%s/%s", assay_test_source_dir(), name);
}
static void tmp_path(char out[PATH], const char *name)
{
    snprintf(out, PATH, "%s/%s", assay_test_tmpdir(), name);
}

static void save_and_digest(const char *name, uint8_t **p, size_t *n, unsigned threads)
{
    char folder[PATH], path[PATH];
    assay_model m = {0};
    assay_pool *pool = NULL;
    assay_run_options opt = {0};
    source_path(folder, "examples/tiny");
    tmp_path(path, name);
    CHECK_OK(assay_pool_new(&pool, threads, NULL));
    opt.pool = pool;
    CHECK_OK(assay_model_import(&m, folder, NULL, &opt, NULL));
    CHECK_OK(assay_model_weights_save(&m, path, NULL));
    CHECK_OK(assay_file_read(path, 1 << 26, p, n, NULL));
    assay_model_clear(&m);
    assay_pool_free(pool);
}

TEST(import_does_not_depend_on_threads_or_kernels)
{
    uint8_t *a = NULL, *b = NULL;
    size_t na = 0, nb = 0;
    save_and_digest("one.bin", &a, &na, 3);
    assay_cpu_mask(0);
    save_and_digest("two.bin", &b, &nb, 1);
    assay_cpu_mask(~0u);
    CHECK_EQ_U64(na, nb);
    CHECK(na == nb && na > 0 && memcmp(a, b, na) == 0);
    assay_mem_free_secret(a, na);
    assay_mem_free_secret(b, nb);
}

TEST(matmul_kernels_agree_bit_for_bit)
{
    enum { T = 37, IN = 1653, OUT = 93 }; /* more than a chunk of outputs, in no whole lanes */
    static float x[T * IN], w[OUT * IN], y[T * OUT], z[T * OUT], scratch[IN * ASSAY_MATMUL_LANES];
    for (size_t i = 0; i < T * IN; i++) x[i] = (float)(int64_t)(assay_test_random() >> 40) / 16777216.0f - 0.3f;
    for (size_t i = 0; i < OUT * IN; i++) w[i] = (float)(int64_t)(assay_test_random() >> 40) / 16777216.0f - 0.6f;
    assay_matmul_f32(y, x, w, T, IN, OUT, scratch);
    static const unsigned masks[] = {0, ASSAY_CPU_AVX2, ASSAY_CPU_AVX512};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        assay_cpu_mask(masks[i]);
        assay_matmul_f32(z, x, w, T, IN, OUT, scratch);
        assay_cpu_mask(~0u);
        CHECK(memcmp(y, z, sizeof y) == 0);
    }
    double sum = 0;
    for (size_t k = 0; k < IN; k++) sum += (double)x[5 * IN + k] * (double)w[7 * IN + k];
    CHECK(fabs(sum - (double)y[5 * OUT + 7]) < 1e-2);
}

/* ---- hostile folders: a small model of one layer, one thing wrong at a time */

enum { D = 4, HEAD_DIM = 2, HEADS = 2, KV = 1, FF = 6, VOCAB = 258 };

static const char small_config[] =
    "{\"model_type\":\"llama\",\"hidden_act\":\"silu\",\"hidden_size\":4,\"num_hidden_layers\":1,\"num_attention_"
    "heads\":2,"
    "\"num_key_value_heads\":1,\"head_dim\":2,\"intermediate_size\":6,\"vocab_size\":258,\"rms_norm_eps\":1e-5,"
    "\"max_position_embeddings\":16,\"bos_token_id\":256,\"eos_token_id\":257,\"tie_word_embeddings\":true}";

typedef struct part {
    const char *name;
    uint32_t rows, cols;
} part;

static const part small_parts[] = {
    {"model.embed_tokens.weight", VOCAB, D},
    {"model.layers.0.input_layernorm.weight", 0, D},
    {"model.layers.0.self_attn.q_proj.weight", HEADS *HEAD_DIM, D},
    {"model.layers.0.self_attn.k_proj.weight", KV *HEAD_DIM, D},
    {"model.layers.0.self_attn.v_proj.weight", KV *HEAD_DIM, D},
    {"model.layers.0.self_attn.o_proj.weight", D, HEADS *HEAD_DIM},
    {"model.layers.0.post_attention_layernorm.weight", 0, D},
    {"model.layers.0.mlp.gate_proj.weight", FF, D},
    {"model.layers.0.mlp.up_proj.weight", FF, D},
    {"model.layers.0.mlp.down_proj.weight", D, FF},
    {"model.norm.weight", 0, D},
};

/* What a Qwen2 model has beside these. */
static const part bias_parts[] = {
    {"model.layers.0.self_attn.q_proj.bias", 0, HEADS *HEAD_DIM},
    {"model.layers.0.self_attn.k_proj.bias", 0, KV *HEAD_DIM},
    {"model.layers.0.self_attn.v_proj.bias", 0, KV *HEAD_DIM},
};
enum { SMALL_PARTS = sizeof small_parts / sizeof *small_parts, BIAS_PARTS = sizeof bias_parts / sizeof *bias_parts };

/* What to do differently when writing the small checkpoint. */
typedef struct twist {
    const char *skip, *rename_to; /* tensor left out, or written under another name */
    const char *reshape;          /* tensor whose first axis is one more than its bytes */
    const char *poison;           /* tensor whose first value is bits */
    uint32_t bits;
    int shift_offset; /* added to the begin of the second tensor */
    long cut;         /* bytes cut off the end (negative: zeros added) */
    const char *dtype;
    bool biased; /* Qwen2 instead of Llama */
    bool blank;  /* embeddings of 0 */
} twist;

static size_t cells(const part *p)
{
    return (size_t)(p->rows ? p->rows : 1) * p->cols;
}

static void write_small(const char *path, const twist *t)
{
    static char header[8192];
    static uint8_t data[1 << 16];
    size_t at = 0, n = (size_t)snprintf(header, sizeof header, "{");
    int k = 0;
    for (size_t i = 0; i < SMALL_PARTS + (t->biased ? (size_t)BIAS_PARTS : 0); i++) {
        const part *p = i < SMALL_PARTS ? &small_parts[i] : &bias_parts[i - SMALL_PARTS];
        bool chosen = t->rename_to && k == 1, reshaped = t->reshape && strcmp(t->reshape, p->name) == 0;
        size_t bytes = 4 * cells(p), rows = p->rows + reshaped;
        if (t->skip && strcmp(t->skip, p->name) == 0) continue;
        n += (size_t)snprintf(header + n, sizeof header - n, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", k ? "," : "",
                              chosen ? t->rename_to : p->name, t->dtype ? t->dtype : "F32");
        if (rows) n += (size_t)snprintf(header + n, sizeof header - n, "%zu,", rows);
        n += (size_t)snprintf(header + n, sizeof header - n, "%u],\"data_offsets\":[%zu,%zu]}", p->cols,
                              at + (size_t)(k == 1 ? t->shift_offset : 0), at + bytes);
        for (size_t j = 0; j < cells(p); j++) {
            float v = p->rows ? (float)((double)(assay_test_random() >> 11) / 9007199254740992.0 - 0.5) : 1.0f;
            if (t->blank && i == 0) v = 0;
            uint32_t bits;
            memcpy(&bits, &v, 4);
            if (t->poison && strcmp(t->poison, p->name) == 0 && j == 0) bits = t->bits;
            assay_store_u32(data + at + 4 * j, bits);
        }
        at += bytes;
        k++;
    }
    header[n++] = '}';
    uint8_t length[8];
    assay_store_u64(length, n);
    FILE *f = fopen(path, "wb");
    REQUIRE(f != NULL);
    long data_bytes = (long)at - t->cut;
    CHECK(fwrite(length, 1, 8, f) == 8 && fwrite(header, 1, n, f) == n);
    CHECK(fwrite(data, 1, (size_t)data_bytes, f) == (size_t)data_bytes);
    CHECK(fclose(f) == 0);
}

static void write_text(const char *name, const char *text)
{
    char path[PATH];
    tmp_path(path, name);
    CHECK_OK(assay_file_write(path, text, strlen(text), 0600, NULL));
}

/* Imports the small folder as it lies; checks the status and that the message holds `says`. */
static void expect(assay_status want, const char *says)
{
    char message[512];
    assay_errinfo err = {0};
    assay_model m = {0};
    assay_status got = assay_model_import(&m, assay_test_tmpdir(), NULL, NULL, &err);
    CHECK_STATUS(got, want);
    if (want != ASSAY_OK) {
        CHECK(m.own == NULL && m.cfg.unit == NULL);
        assay_errinfo_text(&err, message, sizeof message);
        if (!CHECK(strstr(message, says) != NULL)) printf("    message: %s\n    wanted: %s\n", message, says);
    }
    assay_model_clear(&m);
}

static void write_folder(const twist *t)
{
    char from[PATH], to[PATH];
    uint8_t *json = NULL;
    size_t n = 0;
    source_path(from, "examples/tiny/tokenizer.json");
    tmp_path(to, "tokenizer.json");
    CHECK_OK(assay_file_read(from, 1 << 20, &json, &n, NULL));
    if (json) CHECK_OK(assay_file_write(to, json, n, 0600, NULL));
    assay_mem_free_secret(json, n);
    write_text("config.json", small_config);
    write_text("calibration.txt", "One day, Ada went to the hill.\n\nQ: What is 1 + 1?\nA: 2.");
    tmp_path(to, "model.safetensors");
    write_small(to, t);
}

static void expect_twist(twist t, assay_status want, const char *says)
{
    write_folder(&t);
    expect(want, says);
}

TEST(small_checkpoint_is_imported)
{
    expect_twist((twist){0}, ASSAY_OK, "");
}

/* Embeddings of 0 and a small eps: every plan fits, but no request has a result. */
TEST(a_model_without_a_result_on_its_calibration_text_is_refused)
{
    static char text[2048];
    static const char old[] = "1e-5";
    const char *at = strstr(small_config, old);
    write_folder(&(twist){.blank = true});
    expect(ASSAY_OK, ""); /* eps alone makes a sum of squares that is large enough */
    snprintf(text, sizeof text, "%.*s1e-11%s", (int)(at - small_config), small_config, at + strlen(old));
    write_text("config.json", text);
    expect(ASSAY_ENORESULT, "layer 0, norm1, position 0: sum of squares out of range");
}

/* The small configuration as another model_type's. */
static void expect_biased(twist t, assay_status want, const char *says)
{
    static char text[2048];
    static const char old[] = "\"llama\"";
    const char *at = strstr(small_config, old);
    t.biased = true;
    write_folder(&t);
    snprintf(text, sizeof text, "%.*s\"qwen2\"%s", (int)(at - small_config), small_config, at + strlen(old));
    write_text("config.json", text);
    expect(want, says);
}

TEST(hostile_biases_are_refused)
{
    static const char q[] = "model.layers.0.self_attn.q_proj.bias", v[] = "model.layers.0.self_attn.v_proj.bias";
    expect_biased((twist){0}, ASSAY_OK, "");
    expect_biased((twist){.skip = q}, ASSAY_EFORMAT, "model.layers.0.self_attn.q_proj.bias: is missing");
    expect_biased((twist){.poison = q, .bits = 0x7fc00000}, ASSAY_ERANGE,
                  "q_proj.bias: holds a value that is not finite");
    expect_biased((twist){.poison = v, .bits = 0xff800000}, ASSAY_ERANGE,
                  "v_proj.bias: holds a value that is not finite");
    expect_biased((twist){.reshape = q}, ASSAY_OK, ""); /* [1, n] is a row */
    expect_biased((twist){.skip = v, .rename_to = v}, ASSAY_EFORMAT, "v_proj.bias: has another shape than (1, 2)");
    expect_biased((twist){.rename_to = "model.layers.0.self_attn.o_proj.bias"}, ASSAY_EUNSUPPORTED,
                  "o_proj.bias: is no part");
    expect_biased((twist){.poison = q, .bits = 0x7f7fffff}, ASSAY_ERANGE, "");
    expect_twist((twist){.biased = true}, ASSAY_EUNSUPPORTED, "self_attn.q_proj.bias: is no part");
}

TEST(hostile_checkpoints_are_refused_by_file_tensor_and_reason)
{
    static const char up[] = "model.layers.0.mlp.up_proj.weight", gain[] = "model.layers.0.input_layernorm.weight";
    expect_twist((twist){.skip = up}, ASSAY_EFORMAT, "model.layers.0.mlp.up_proj.weight: is missing");
    expect_twist((twist){.rename_to = "model.layers.0.self_attn.q_proj.bias"}, ASSAY_EUNSUPPORTED,
                 "model.safetensors: model.layers.0.self_attn.q_proj.bias: is no part");
    expect_twist((twist){.rename_to = "model.layers.1.input_layernorm.weight"}, ASSAY_EUNSUPPORTED,
                 "model.layers.1.input");
    expect_twist((twist){.rename_to = "model.layers.00.input_layernorm.weight"}, ASSAY_EUNSUPPORTED, "layers.00.");
    expect_twist((twist){.rename_to = "model.norm.weight"}, ASSAY_EFORMAT, "header: has a member twice");
    expect_twist((twist){.reshape = up}, ASSAY_EFORMAT,
                 "model.safetensors: model.layers.0.mlp.up_proj.weight: has a shape");
    expect_twist((twist){.poison = up, .bits = 0x7f800000}, ASSAY_ERANGE,
                 "up_proj.weight: holds a value that is not finite");
    expect_twist((twist){.poison = gain, .bits = 0xffc00001}, ASSAY_ERANGE, "input_layernorm.weight: holds a value");
    expect_twist((twist){.poison = gain, .bits = 0x7f7fffff}, ASSAY_ERANGE, "leaves float32");
    expect_twist((twist){.shift_offset = -4}, ASSAY_EFORMAT, "input_layernorm.weight: has a shape");
    expect_twist((twist){.cut = 1}, ASSAY_EFORMAT, "model.norm.weight: has data_offsets outside");
    expect_twist((twist){.cut = -4}, ASSAY_EFORMAT, "bytes after the last tensor");
    expect_twist((twist){.dtype = "I32"}, ASSAY_EUNSUPPORTED, "model.embed_tokens.weight: has a dtype");
}

static void write_raw_safetensors(const char *header, size_t data_bytes)
{
    static uint8_t file[1 << 12];
    char path[PATH];
    size_t n = strlen(header);
    memset(file, 0, sizeof file);
    assay_store_u64(file, n);
    memcpy(file + 8, header, n);
    tmp_path(path, "model.safetensors");
    CHECK_OK(assay_file_write(path, file, 8 + n + data_bytes, 0600, NULL));
}

TEST(hostile_safetensors_headers_are_refused)
{
    static const struct {
        const char *header;
        size_t data;
        const char *says;
    } bad[] = {
        {"[]", 0, "header is not a JSON object"},
        {"{", 0, "is not JSON"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"a\":{}}", 4, "has a member twice"},
        {"{\"a\":7}", 0, "a: has no dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "a: has no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "a: has data_offsets outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 4, "a: has no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,8],\"data_offsets\":[0,4]}}", 4, "more cells"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "a: has a bad shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, "too many axes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],"
         "\"data_offsets\":[4,12]}}",
         12, "b: overlaps"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],"
         "\"data_offsets\":[8,12]}}",
         12, "b: leaves a hole"},
    };
    write_folder(&(twist){0});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_raw_safetensors(bad[i].header, bad[i].data);
        expect(ASSAY_EFORMAT, bad[i].says);
    }
    char path[PATH];
    tmp_path(path, "model.safetensors");
    CHECK_OK(assay_file_write(path, "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10, 0600, NULL));
    expect(ASSAY_EFORMAT, "shorter than its header");
    CHECK_OK(assay_file_write(path, "abc", 3, 0600, NULL));
    expect(ASSAY_EFORMAT, "too short");
    CHECK(remove(path) == 0);
    expect(ASSAY_EIO, "holds no model*.safetensors");
}

/* small_config with one piece replaced. */
static void expect_config(const char *old, const char *new, assay_status want, const char *says)
{
    static char text[2048];
    const char *at = strstr(small_config, old);
    REQUIRE(at != NULL);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - small_config), small_config, new, at + strlen(old));
    write_text("config.json", text);
    expect(want, says);
}

TEST(other_configurations_are_refused_by_key)
{
    write_folder(&(twist){0});
    expect_config("\"llama\"", "\"gemma\"", ASSAY_EUNSUPPORTED, "config.json: model_type");
    expect_config("\"llama\"", "7", ASSAY_EUNSUPPORTED, "config.json: model_type");
    expect_config("\"llama\"", "\"qwen2\"", ASSAY_EFORMAT, "model.layers.0.self_attn.q_proj.bias: is missing");
    expect_config("\"llama\"", "\"qwen3\"", ASSAY_EFORMAT, "model.layers.0.self_attn.q_norm.weight: is missing");
    expect_config("\"rms_norm_eps\":1e-5", "\"use_mrope\":true", ASSAY_EUNSUPPORTED, "use_mrope");
    expect_config("\"rms_norm_eps\":1e-5", "\"use_sliding_window\":1", ASSAY_EFORMAT, "use_sliding_window");
    expect_config("\"rms_norm_eps\":1e-5", "\"layer_types\":7", ASSAY_EFORMAT, "layer_types: is not a list");
    expect_config("\"rms_norm_eps\":1e-5", "\"layer_types\":[\"mamba\"]", ASSAY_EUNSUPPORTED, "layer_types: names");
    expect_config("\"rms_norm_eps\":1e-5", "\"use_sliding_window\":true,\"sliding_window\":0", ASSAY_ERANGE,
                  "sliding_window: is out of range");
    expect_config("\"silu\"", "\"gelu\"", ASSAY_EUNSUPPORTED, "config.json: hidden_act");
    expect_config("\"hidden_size\":4", "\"hidden_size\":4.5", ASSAY_EFORMAT, "hidden_size: is not a whole number");
    expect_config("\"hidden_size\":4", "\"hidden_size\":40000", ASSAY_ERANGE, "hidden_size: is out of range");
    expect_config("\"hidden_size\":4,", "", ASSAY_EFORMAT, "hidden_size: is missing");
    expect_config("\"num_hidden_layers\":1", "\"num_hidden_layers\":1000000000", ASSAY_ERANGE, "num_hidden_layers");
    expect_config("\"num_key_value_heads\":1", "\"num_key_value_heads\":3", ASSAY_ERANGE, "num_key_value_heads");
    expect_config("\"head_dim\":2", "\"head_dim\":3", ASSAY_ERANGE, "head_dim: is odd");
    expect_config("\"rms_norm_eps\":1e-5", "\"rms_norm_eps\":-1", ASSAY_ERANGE, "rms_norm_eps");
    expect_config("\"rms_norm_eps\":1e-5", "\"attention_bias\":true", ASSAY_EUNSUPPORTED, "attention_bias");
    expect_config("\"rms_norm_eps\":1e-5", "\"quantization_config\":{}", ASSAY_EUNSUPPORTED, "quantization_config");
    expect_config("\"eos_token_id\":257", "\"eos_token_id\":258", ASSAY_ERANGE, "eos_token_id");
    expect_config("\"eos_token_id\":257", "\"eos_token_id\":[1,\"x\"]", ASSAY_ERANGE, "eos_token_id");
    expect_config("true}", "true", ASSAY_EFORMAT, "is not JSON");
    expect_config("\"rms_norm_eps\":1e-5", "\"rope_theta\":500000.0", ASSAY_OK, "");
}

/* The small configuration with one more key. */
static void expect_key(const char *key, assay_status want, const char *says)
{
    char both[512];
    snprintf(both, sizeof both, "\"rms_norm_eps\":1e-5,%s", key);
    expect_config("\"rms_norm_eps\":1e-5", both, want, says);
}

#define LLAMA3(factor, low, high, context)                                                                             \
    "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":" factor ",\"low_freq_factor\":" low                        \
    ",\"high_freq_factor\":" high ",\"original_max_position_embeddings\":" context "}"
#define LINEAR(factor) "\"rope_scaling\":{\"type\":\"linear\",\"factor\":" factor "}"

TEST(rope_scaling_that_is_absurd_is_refused)
{
    write_folder(&(twist){0});
    expect_key(LLAMA3("8.0", "1.0", "4.0", "8192"), ASSAY_OK, "");
    expect_key(LLAMA3("0", "1.0", "4.0", "8192"), ASSAY_ERANGE, "config.json: rope_scaling.factor: is out of range");
    expect_key(LLAMA3("-8.0", "1.0", "4.0", "8192"), ASSAY_ERANGE, "rope_scaling.factor: is out of range");
    expect_key(LLAMA3("1e300", "1.0", "4.0", "8192"), ASSAY_ERANGE, "rope_scaling.factor: is out of range");
    expect_key(LLAMA3("\"8\"", "1.0", "4.0", "8192"), ASSAY_EFORMAT, "rope_scaling.factor: is not a number");
    expect_key(LLAMA3("8.0", "0.0", "4.0", "8192"), ASSAY_ERANGE, "rope_scaling.low_freq_factor: is out of range");
    expect_key(LLAMA3("8.0", "1.0", "-4.0", "8192"), ASSAY_ERANGE, "rope_scaling.high_freq_factor: is out of range");
    expect_key(LLAMA3("8.0", "4.0", "4.0", "8192"), ASSAY_ERANGE, "rope_scaling: needs a high_freq_factor above");
    expect_key(LLAMA3("8.0", "1.0", "4.0", "0"), ASSAY_ERANGE, "original_max_position_embeddings: is out of range");
    expect_key(LLAMA3("8.0", "1.0", "4.0", "1e40"), ASSAY_ERANGE, "original_max_position_embeddings: is out of range");
    expect_key("\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8.0}", ASSAY_EFORMAT,
               "rope_scaling.low_freq_factor: is missing");
    expect_key("\"rope_parameters\":{\"rope_type\":\"linear\"}", ASSAY_EFORMAT, "rope_parameters.factor: is missing");
    expect_key("\"rope_parameters\":{\"rope_type\":\"yarn\"}", ASSAY_EUNSUPPORTED, "rope_parameters: has a rope_type");
    expect_key("\"rope_scaling\":{\"rope_type\":7}", ASSAY_EUNSUPPORTED, "rope_scaling: has a rope_type");
    expect_key("\"rope_scaling\":7", ASSAY_EFORMAT, "rope_scaling: is not an object");
    expect_key("\"rope_parameters\":{}," LINEAR("2.0"), ASSAY_EFORMAT, "rope_scaling: stands beside");
    expect_key("\"rope_parameters\":{\"rope_theta\":\"x\"}", ASSAY_EFORMAT, "rope_theta: is not a number");
    expect_key("\"rope_scaling\":null", ASSAY_OK, "");
}

/* The small model of the folder, with one more key in its configuration. */
static bool import_key(assay_model *m, const char *key)
{
    expect_key(key, ASSAY_OK, "");
    return CHECK_OK(assay_model_import(m, assay_test_tmpdir(), NULL, NULL, NULL));
}

TEST(rope_scaling_reaches_the_configuration)
{
    assay_model m = {0};
    write_folder(&(twist){0});
    if (import_key(&m, LINEAR("2.5"))) CHECK(m.cfg.n_rope == 1 && m.cfg.rope_q32[0] == (uint64_t)5 << 31);
    assay_model_clear(&m);
    if (import_key(&m, LINEAR("1.0"))) CHECK(m.cfg.n_rope == 0 && m.cfg.rope_q32 == NULL);
    assay_model_clear(&m);
    /* the only pair turns once in 2 pi positions: often in 8,192, less than once in 6, three times in 6 pi */
    if (import_key(&m, LLAMA3("8.0", "1.0", "4.0", "8192"))) CHECK_EQ_U64(m.cfg.n_rope, 0);
    assay_model_clear(&m);
    if (import_key(&m, LLAMA3("8.0", "1.0", "4.0", "6"))) CHECK(m.cfg.n_rope == 1 && m.cfg.rope_q32[0] == 1ull << 35);
    assay_model_clear(&m);
    if (import_key(&m, LLAMA3("8.0", "1.0", "4.0", "18.849555921538759")))
        CHECK(m.cfg.n_rope == 1 && fabs((double)m.cfg.rope_q32[0] / 4294967296.0 - 24.0 / 17) < 1e-6);
    assay_model_clear(&m);
}

TEST(texts_and_tokenizers_that_do_not_serve_are_refused)
{
    write_folder(&(twist){0});
    write_text("calibration.txt", "short");
    expect(ASSAY_EINVAL, "does not fill one window");
    char path[PATH];
    tmp_path(path, "calibration.txt");
    CHECK(remove(path) == 0);
    expect(ASSAY_OK, ""); /* the built-in text */
    tmp_path(path, "tokenizer.json");
    CHECK(remove(path) == 0);
    expect(ASSAY_EIO, "no such file");
}

/* Every finite 16-bit value of one type, as the file has them. */
static void check_conversion(const char *dtype, uint32_t exponent_bits, int bias)
{
    const uint32_t mantissa_bits = 15 - exponent_bits, top = (1u << exponent_bits) - 1;
    const uint32_t n = 2 * top << mantissa_bits; /* both signs of every exponent but the last */
    size_t nbytes = 8 + 128 + 2 * (size_t)n;
    uint8_t *file = calloc(nbytes, 1);
    float *x = malloc(n * sizeof *x);
    assay_safetensors st;
    REQUIRE(file != NULL && x != NULL);
    int header = snprintf((char *)file + 8, 128, "{\"a\":{\"dtype\":\"%s\",\"shape\":[%u],\"data_offsets\":[0,%u]}}",
                          dtype, n, 2 * n);
    assay_store_u64(file, (uint64_t)header);
    uint8_t *data = file + 8 + header;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = i < n / 2 ? i : 0x8000 | (i - n / 2);
        data[2 * i] = (uint8_t)bits;
        data[2 * i + 1] = (uint8_t)(bits >> 8);
    }
    REQUIRE_OK(assay_safetensors_parse(&st, "f", file, 8 + (size_t)header + 2 * (size_t)n, NULL));
    CHECK_OK(assay_safetensors_expect(&st.tensor[0], "f", 1, n, NULL));
    CHECK_OK(assay_safetensors_read(x, &st, &st.tensor[0], "f", NULL));
    size_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = i % (n / 2), e = m >> mantissa_bits, low = m & ((1u << mantissa_bits) - 1);
        double want = ldexp(e ? low + (1 << mantissa_bits) : low, (int)(e ? e : 1) - bias - (int)mantissa_bits);
        wrong += (double)x[i] != (i < n / 2 ? want : -want) || (signbit(x[i]) != 0) != (i >= n / 2);
    }
    CHECK_EQ_U64(wrong, 0);
    assay_safetensors_clear(&st);
    free(file);
    free(x);
}

TEST(sixteen_bit_floats_convert_exactly)
{
    check_conversion("F16", 5, 15);
    check_conversion("BF16", 8, 127);
}

TEST(shards_are_read_in_any_split)
{
    static const char last[] = "model.norm.weight";
    static const char shard[] = "{\"model.norm.weight\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}";
    char single[PATH], one[PATH], two[PATH];
    uint8_t file[256] = {0};
    write_folder(&(twist){.skip = last});
    tmp_path(single, "model.safetensors");
    tmp_path(one, "model-00001-of-00002.safetensors");
    tmp_path(two, "model-00002-of-00002.safetensors");
    CHECK(rename(single, one) == 0);
    expect(ASSAY_EFORMAT, "model.norm.weight: is missing");
    assay_store_u64(file, sizeof shard - 1);
    memcpy(file + 8, shard, sizeof shard - 1);
    for (int i = 0; i < 4; i++) assay_store_u32(file + 8 + sizeof shard - 1 + 4 * i, 0x3f800000);
    CHECK_OK(assay_file_write(two, file, 8 + sizeof shard - 1 + 16, 0600, NULL));
    expect(ASSAY_OK, "");
    tmp_path(single, "model-00003-of-00002.safetensors");
    CHECK_OK(assay_file_write(single, file, 8 + sizeof shard - 1 + 16, 0600, NULL));
    expect(ASSAY_EFORMAT, "model-00003-of-00002.safetensors: model.norm.weight: comes twice");
    CHECK(remove(one) == 0 && remove(two) == 0 && remove(single) == 0);
}

static int stop_at_once(void *ctx, const char *stage, double done)
{
    CHECK_EQ_STR(stage, "calibrating");
    CHECK(done > 0 && done <= 1);
    ++*(int *)ctx;
    return 1;
}

TEST(import_can_be_canceled)
{
    char folder[PATH];
    int calls = 0;
    assay_model m;
    assay_run_options opt = {.progress = {stop_at_once, &calls}};
    source_path(folder, "examples/tiny");
    CHECK_STATUS(assay_model_import(&m, folder, NULL, &opt, NULL), ASSAY_ECANCELED);
    CHECK(calls == 1 && m.own == NULL && m.cfg.unit == NULL);
}

TEST(units_follow_the_maxima)
{
    char folder[PATH];
    assay_model m = {0};
    source_path(folder, "examples/tiny");
    REQUIRE_OK(assay_model_import(&m, folder, NULL, NULL, NULL));
    CHECK_OK(assay_model_config_check(&m.cfg, 512, NULL));
    CHECK_STATUS(assay_model_config_check(&m.cfg, 513, NULL), ASSAY_ERANGE);
    CHECK_EQ_U64(m.cfg.stop[0], 257);
    CHECK_EQ_U64(m.cfg.n_stop, 1);
    CHECK_EQ_U64(m.cfg.bos, 256);
    CHECK(m.head == m.embed);
    assay_model_clear(&m);
}
