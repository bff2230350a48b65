/* SPDX-License-Identifier: Apache-2.0 */
/* The named values of a GGUF file (Llama, Mistral, Qwen2, Qwen3) as a configuration. Values are called
 * `architecture.suffix`; one whose suffix is not known here is refused by name, since it might change the function.
 * Meanings of the suffixes and of absent ones: https://github.com/ggml-org/ggml, docs/gguf.md, and llama.cpp,
 * llama-model.cpp and llama-vocab.cpp. */
#include "base/subject.h"
#include "model/gguf.h"
#include "model/rope_scaling.h"
#include "model/value_fault.h"
#include <string.h>

typedef struct parser {
    const assay_gguf *g;
    const char *architecture;
    assay_errinfo *err;
    assay_status s;
} parser;

typedef char key_text[ASSAY_GGUF_NAME_BYTES];

static void refuse(parser *p, assay_status s, const char *key, const char *reason)
{
    char subject[ASSAY_SUBJECT_BYTES];
    if (p->s == ASSAY_OK) p->s = ASSAY_FAIL(p->err, s, subject_of(subject, p->g->file, key), reason);
}

typedef struct architecture {
    const char *name;
    bool neighbours; /* rotation of neighbours instead of split halves, and factors in rope_freqs.weight */
    uint32_t parts;
} architecture;

static const architecture architectures[] = {
    {"llama", true, 0}, {"mistral", true, 0}, {"qwen2", false, ASSAY_PART_BIAS}, {"qwen3", false, ASSAY_PART_QK_NORM}};

static const architecture *find_architecture(const assay_gguf *g)
{
    const assay_gguf_value *v = assay_gguf_find(g, "general.architecture");
    for (size_t i = 0; v && i < sizeof architectures / sizeof *architectures; i++)
        if (assay_gguf_is_text(v, architectures[i].name)) return &architectures[i];
    return NULL;
}

bool assay_gguf_rotates_neighbours(const assay_gguf *g)
{
    const architecture *a = find_architecture(g);
    return a && a->neighbours;
}

/* The value with this suffix and its key; NULL when absent. */
static const assay_gguf_value *get(const parser *p, key_text key, const char *suffix)
{
    snprintf(key, sizeof(key_text), "%s.%s", p->architecture, suffix);
    return assay_gguf_find(p->g, key);
}

/* A whole number in [low, high]; `missing` when absent, refused when that is negative. */
static uint32_t whole(parser *p, const char *suffix, uint32_t low, uint32_t high, int64_t missing)
{
    key_text key;
    const assay_gguf_value *v = get(p, key, suffix);
    uint64_t x = (uint64_t)missing;
    bool of_kind = v && assay_gguf_whole(&x, v);
    assay_status s;
    const char *fault = value_fault(&s, v, missing < 0, of_kind, "is not a whole number", x >= low && x <= high);
    if (fault) refuse(p, s, key, fault);
    return p->s == ASSAY_OK ? (uint32_t)x : 0;
}

static double real(parser *p, const char *suffix, double low, double high, double missing)
{
    key_text key;
    const assay_gguf_value *v = get(p, key, suffix);
    double x = missing;
    bool of_kind = v && assay_gguf_real(&x, v), inside = x >= low && x <= high;
    assay_status s;
    const char *fault = value_fault(&s, v, !inside, of_kind, "is not a number", inside);
    if (fault) refuse(p, s, key, fault);
    return p->s == ASSAY_OK ? x : 1.0;
}

/* Values that are read here, or that change nothing by themselves. */
static void check_keys(parser *p)
{
    static const char *const known[] = {"vocab_size",
                                        "context_length",
                                        "embedding_length",
                                        "block_count",
                                        "feed_forward_length",
                                        "expert_count",
                                        "expert_used_count",
                                        "tensor_data_layout",
                                        "attention.head_count",
                                        "attention.head_count_kv",
                                        "attention.key_length",
                                        "attention.value_length",
                                        "attention.layer_norm_rms_epsilon",
                                        "attention.sliding_window",
                                        "rope.freq_base",
                                        "rope.dimension_count",
                                        "rope.scale_linear",
                                        "rope.scaling.type",
                                        "rope.scaling.factor",
                                        "rope.scaling.original_context_length",
                                        "rope.scaling.finetuned"};
    size_t n = strlen(p->architecture);
    for (size_t i = 0; i < p->g->n_values; i++) {
        const char *key = p->g->value[i].key;
        bool found = false;
        if (strncmp(key, p->architecture, n) != 0 || key[n] != '.') continue;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++) found = found || strcmp(key + n + 1, known[j]) == 0;
        if (!found) refuse(p, ASSAY_EUNSUPPORTED, key, "is not handled by this version");
    }
}

/* Refused unless absent or one of two texts. */
static void must_be_text(parser *p, const char *suffix, const char *a, const char *b)
{
    key_text key;
    const assay_gguf_value *v = get(p, key, suffix);
    if (v && !assay_gguf_is_text(v, a) && !assay_gguf_is_text(v, b))
        refuse(p, ASSAY_EUNSUPPORTED, key, "is of a kind that this version does not handle");
}

static void must_be_whole(parser *p, const char *suffix, uint32_t x)
{
    key_text key;
    uint64_t y = x;
    const assay_gguf_value *v = get(p, key, suffix);
    if (v && (!assay_gguf_whole(&y, v) || y != x))
        refuse(p, ASSAY_EUNSUPPORTED, key, "has a value that this version does not handle");
}

/* Linear scaling, which is what a factor without a type means; type "none": no scaling, whatever the factor. */
static void parse_scaling(parser *p, assay_hf_config *c)
{
    key_text key;
    const assay_gguf_value *type = get(p, key, "rope.scaling.type");
    must_be_text(p, "rope.scaling.type", "none", "linear");
    double old = real(p, "rope.scale_linear", 1, ASSAY_MAX_ROPE_FACTOR, 1);
    double factor = real(p, "rope.scaling.factor", 1, ASSAY_MAX_ROPE_FACTOR, old);
    if (p->s == ASSAY_OK && !(type && assay_gguf_is_text(type, "none"))) assay_rope_scale_linear(c, factor);
}

static void parse_shape(parser *p, assay_hf_config *c)
{
    static const char embedding[] = "token_embd.weight";
    const assay_gguf_tensor *embed = assay_gguf_find_tensor(p->g, embedding);
    c->d = whole(p, "embedding_length", 1, ASSAY_MAX_WIDTH, -1);
    c->n_layers = whole(p, "block_count", 1, ASSAY_MAX_LAYERS, -1);
    c->n_heads = whole(p, "attention.head_count", 1, ASSAY_MAX_HEADS, -1);
    c->n_kv = whole(p, "attention.head_count_kv", 1, ASSAY_MAX_HEADS, c->n_heads);
    if (p->s != ASSAY_OK) return;
    if (c->n_heads % c->n_kv != 0)
        refuse(p, ASSAY_ERANGE, "attention.head_count_kv", "does not divide the query heads");
    c->head_dim = whole(p, "attention.key_length", 2, ASSAY_MAX_HEAD_DIM, c->d / c->n_heads);
    if (c->head_dim % 2 != 0) refuse(p, ASSAY_ERANGE, "attention.key_length", "is odd");
    c->ff = whole(p, "feed_forward_length", 1, ASSAY_MAX_FF, -1);
    c->max_positions = whole(p, "context_length", 1, INT32_MAX, -1);
    /* A window no shorter than the request changes nothing, so it only limits the request. */
    uint32_t window = whole(p, "attention.sliding_window", 0, INT32_MAX, 0);
    if (window > 0 && window < c->max_positions) c->max_positions = window;
    must_be_whole(p, "attention.value_length", c->head_dim);
    must_be_whole(p, "expert_count", 0);
    must_be_whole(p, "expert_used_count", 0);
    if (p->s != ASSAY_OK) return;
    if (!embed) {
        refuse(p, ASSAY_EFORMAT, embedding, "is missing");
    } else if (embed->rank != 2 || embed->shape[1] < 2 || embed->shape[1] > ASSAY_MAX_VOCAB) {
        refuse(p, ASSAY_ERANGE, embedding, "has a number of rows that is out of range");
    } else {
        c->vocab = (uint32_t)embed->shape[1];
    }
    c->tied = !assay_gguf_find_tensor(p->g, "output.weight");
}

/* A token's id, or -1 when absent. */
static int32_t token(parser *p, const assay_hf_config *c, const char *key)
{
    const assay_gguf_value *v = assay_gguf_find(p->g, key);
    uint64_t id = 0;
    if (v && (!assay_gguf_whole(&id, v) || id >= c->vocab))
        refuse(p, ASSAY_ERANGE, key, "is not a token of the vocabulary");
    return v && p->s == ASSAY_OK ? (int32_t)id : -1;
}

/* Whether the first token goes before a prompt where the file does not say. */
static bool starts_with_bos(const assay_gguf *g)
{
    static const char *const with[] = {"llama3", "llama-v3", "llama-bpe"};
    const assay_gguf_value *model = assay_gguf_find(g, "tokenizer.ggml.model"),
                           *pre = assay_gguf_find(g, "tokenizer.ggml.pre");
    bool found = model && assay_gguf_is_text(model, "llama");
    for (size_t i = 0; pre && i < sizeof with / sizeof *with; i++) found = found || assay_gguf_is_text(pre, with[i]);
    return found;
}

static void parse_tokens(parser *p, assay_hf_config *c)
{
    static const char add[] = "tokenizer.ggml.add_bos_token";
    const assay_gguf_value *v = assay_gguf_find(p->g, add);
    bool before = starts_with_bos(p->g);
    if (v && !assay_gguf_bool(&before, v)) refuse(p, ASSAY_EFORMAT, add, "is not true or false");
    c->bos = token(p, c, "tokenizer.ggml.bos_token_id");
    c->eos = token(p, c, "tokenizer.ggml.eos_token_id");
    int32_t turn = token(p, c, "tokenizer.ggml.eot_token_id");
    if (p->s != ASSAY_OK) return;
    if (!before) c->bos = -1;
    if (c->eos >= 0) (void)assay_hf_config_add_stop(c, (uint32_t)c->eos);
    if (turn >= 0) (void)assay_hf_config_add_stop(c, (uint32_t)turn);
}

static void check_whole_model(parser *p)
{
    static const char split[] = "split.count";
    uint64_t parts = 1;
    const assay_gguf_value *v = assay_gguf_find(p->g, split);
    if (v && (!assay_gguf_whole(&parts, v) || parts > 1))
        refuse(p, ASSAY_EUNSUPPORTED, split, "models in several GGUF files are not handled by this version");
}

assay_status assay_gguf_config(assay_hf_config *c, const assay_gguf *g, assay_errinfo *err)
{
    const architecture *a = find_architecture(g);
    parser p = {g, a ? a->name : "", err, ASSAY_OK};
    *c = (assay_hf_config){0};
    if (!a) refuse(&p, ASSAY_EUNSUPPORTED, "general.architecture", "is of a kind that this version does not handle");
    if (p.s != ASSAY_OK) return p.s;
    check_whole_model(&p);
    check_keys(&p);
    must_be_text(&p, "tensor_data_layout", "Meta AI original pth", "reference");
    parse_shape(&p, c);
    c->parts = a->parts;
    parse_scaling(&p, c);
    must_be_whole(&p, "rope.dimension_count", c->head_dim);
    c->eps = real(&p, "attention.layer_norm_rms_epsilon", 1e-15, 1.0 / 4096, -1);
    c->rope_theta = real(&p, "rope.freq_base", 1.0, 1099511627776.0, 10000.0);
    parse_tokens(&p, c);
    return p.s;
}
