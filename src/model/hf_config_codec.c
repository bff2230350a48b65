/* SPDX-License-Identifier: Apache-2.0 */
/* config.json and generation_config.json of a Hugging Face folder (Llama, Mistral, Qwen2, Qwen3). Keys that would
 * change the function and are not handled are refused by name; keys that cannot change it are ignored. */
#include "base/subject.h"
#include "model/hf_config.h"
#include "model/json_tree.h"
#include "model/rope_scaling.h"
#include "model/value_fault.h"
#include <string.h>

typedef struct parser {
    const char *name;
    const json_t *root;
    assay_errinfo *err;
    assay_status s;
} parser;

static void refuse(parser *p, assay_status s, const char *key, const char *reason)
{
    char subject[ASSAY_SUBJECT_BYTES];
    if (p->s != ASSAY_OK) return;
    p->s = ASSAY_FAIL(p->err, s, subject_of(subject, p->name, key), reason);
}

/* The value of a key; NULL when absent or null. */
static const json_t *get(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_null(v) ? NULL : v;
}

/* A whole number in [low, high]; `missing` when the key is absent, refused when that is negative. */
static uint32_t whole(parser *p, const char *key, int64_t low, int64_t high, int64_t missing)
{
    const json_t *v = get(p->root, key);
    int64_t x = v && json_is_integer(v) ? (int64_t)json_integer_value(v) : missing;
    assay_status s;
    const char *fault =
        value_fault(&s, v, missing < 0, v && json_is_integer(v), "is not a whole number", x >= low && x <= high);
    if (fault) refuse(p, s, key, fault);
    return p->s == ASSAY_OK ? (uint32_t)x : 0;
}

/* A number in [low, high]; `missing` when the key is absent, refused when that is outside. shown: the key in messages.
 */
static double real_as(parser *p, const json_t *object, const char *key, const char *shown, double low, double high,
                      double missing)
{
    const json_t *v = get(object, key);
    double x = v ? json_number_value(v) : missing;
    bool inside = x >= low && x <= high;
    assay_status s;
    const char *fault = value_fault(&s, v, !inside, v && json_is_number(v), "is not a number", inside);
    if (fault) refuse(p, s, shown, fault);
    return p->s == ASSAY_OK ? x : 1.0;
}

static double real(parser *p, const json_t *object, const char *key, double low, double high, double missing)
{
    return real_as(p, object, key, key, low, high, missing);
}

/* Refuses a key that is true, or not a boolean. */
static void must_be_false(parser *p, const char *key)
{
    const json_t *v = get(p->root, key);
    if (v && !json_is_false(v)) refuse(p, ASSAY_EUNSUPPORTED, key, "must be false in this version");
}

static void must_be_text(parser *p, const char *key, const char *value)
{
    const json_t *v = get(p->root, key);
    if (!v || !json_is_string(v) || strcmp(json_string_value(v), value) != 0)
        refuse(p, ASSAY_EUNSUPPORTED, key, "is of a kind that this version does not handle");
}

static void must_be_absent(parser *p, const char *key)
{
    if (get(p->root, key)) refuse(p, ASSAY_EUNSUPPORTED, key, "is not handled by this version");
}

bool assay_hf_config_add_stop(assay_hf_config *c, uint32_t id)
{
    uint32_t at = 0;
    while (at < c->n_stop && c->stop[at] < id) at++;
    if (at < c->n_stop && c->stop[at] == id) return true;
    if (c->n_stop == ASSAY_MAX_STOP_IDS) return false;
    memmove(c->stop + at + 1, c->stop + at, (c->n_stop - at) * sizeof *c->stop);
    c->stop[at] = id;
    c->n_stop++;
    return true;
}

static void add_stop(parser *p, assay_hf_config *c, const json_t *v, const char *key)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= c->vocab) {
        refuse(p, ASSAY_ERANGE, key, "is not a token of the vocabulary");
    } else if (!assay_hf_config_add_stop(c, (uint32_t)json_integer_value(v))) {
        refuse(p, ASSAY_ERANGE, key, "holds too many tokens");
    }
}

/* eos_token_id: absent, a token, or a list of tokens. Returns the first, or -1. */
static int32_t add_stops(parser *p, assay_hf_config *c)
{
    static const char key[] = "eos_token_id";
    const json_t *v = get(p->root, key);
    if (!v) return -1;
    if (!json_is_array(v)) {
        add_stop(p, c, v, key);
        return p->s == ASSAY_OK ? (int32_t)json_integer_value(v) : -1;
    }
    for (size_t i = 0; p->s == ASSAY_OK && i < json_array_size(v); i++) add_stop(p, c, json_array_get(v, i), key);
    return p->s == ASSAY_OK && json_array_size(v) > 0 ? (int32_t)json_integer_value(json_array_get(v, 0)) : -1;
}

/* One number of the object `name` that describes a scaling. */
static double rope_number(parser *p, const json_t *rope, const char *name, const char *key, double low, double high)
{
    char shown[64];
    (void)snprintf(shown, sizeof shown, "%s.%s", name, key);
    return real_as(p, rope, key, shown, low, high, -1);
}

/* rope_parameters, or rope_scaling as older files have it. */
static void parse_scaling(parser *p, assay_hf_config *c, const json_t *rope, const char *name)
{
    const double most = 1024;
    const json_t *type = get(rope, "rope_type") ? get(rope, "rope_type") : get(rope, "type");
    const char *kind = type ? json_string_value(type) : "default";
    bool linear = kind && strcmp(kind, "linear") == 0, llama3 = kind && strcmp(kind, "llama3") == 0;
    if (!kind || (!linear && !llama3 && strcmp(kind, "default") != 0)) {
        refuse(p, ASSAY_EUNSUPPORTED, name, "has a rope_type that this version does not handle");
        return;
    }
    if (!linear && !llama3) return;
    double factor = rope_number(p, rope, name, "factor", 1, ASSAY_MAX_ROPE_FACTOR);
    if (linear && p->s == ASSAY_OK) assay_rope_scale_linear(c, factor);
    if (!llama3) return;
    double low = rope_number(p, rope, name, "low_freq_factor", 1 / most, most);
    double high = rope_number(p, rope, name, "high_freq_factor", 1 / most, most);
    double context = rope_number(p, rope, name, "original_max_position_embeddings", 1, INT32_MAX);
    if (p->s == ASSAY_OK && high - low < 1 / most)
        refuse(p, ASSAY_ERANGE, name, "needs a high_freq_factor above its low_freq_factor");
    if (p->s == ASSAY_OK) assay_rope_scale_llama3(c, factor, low, high, context);
}

static void parse_rope(parser *p, assay_hf_config *c)
{
    static const char *const names[] = {"rope_parameters", "rope_scaling"};
    const json_t *rope = get(p->root, names[0]), *old = get(p->root, names[1]);
    for (size_t i = 0; i < 2; i++) {
        const json_t *v = get(p->root, names[i]);
        if (v && !json_is_object(v)) refuse(p, ASSAY_EFORMAT, names[i], "is not an object");
    }
    if (rope && old) refuse(p, ASSAY_EFORMAT, names[1], "stands beside rope_parameters");
    const json_t *where = get(p->root, "rope_theta") || !rope ? p->root : rope;
    c->rope_theta = real(p, where, "rope_theta", 1.0, 1099511627776.0, 10000.0);
    if (p->s == ASSAY_OK && (rope || old)) parse_scaling(p, c, rope ? rope : old, names[rope ? 0 : 1]);
    if (p->s == ASSAY_OK && !assay_rope_settle(c))
        refuse(p, ASSAY_ERANGE, names[1], "has a factor that is out of range");
    if (real(p, rope ? rope : p->root, "partial_rotary_factor", 0.0, 1.0, 1.0) < 1.0)
        refuse(p, ASSAY_EUNSUPPORTED, "partial_rotary_factor", "must be 1 in this version");
}

static void parse_shape(parser *p, assay_hf_config *c, int64_t head_dim)
{
    c->d = whole(p, "hidden_size", 1, ASSAY_MAX_WIDTH, -1);
    c->n_layers = whole(p, "num_hidden_layers", 1, ASSAY_MAX_LAYERS, -1);
    c->n_heads = whole(p, "num_attention_heads", 1, ASSAY_MAX_HEADS, -1);
    c->n_kv = whole(p, "num_key_value_heads", 1, ASSAY_MAX_HEADS, c->n_heads);
    if (p->s != ASSAY_OK) return;
    if (c->n_heads % c->n_kv != 0) refuse(p, ASSAY_ERANGE, "num_key_value_heads", "does not divide the query heads");
    c->head_dim = whole(p, "head_dim", 2, ASSAY_MAX_HEAD_DIM, head_dim ? head_dim : c->d / c->n_heads);
    if (c->head_dim % 2 != 0) refuse(p, ASSAY_ERANGE, "head_dim", "is odd");
    c->ff = whole(p, "intermediate_size", 1, ASSAY_MAX_FF, -1);
    c->vocab = whole(p, "vocab_size", 2, ASSAY_MAX_VOCAB, -1);
    c->max_positions = whole(p, "max_position_embeddings", 1, INT32_MAX, 2048);
}

typedef struct model_type {
    const char *name;
    uint32_t parts;
    int64_t head_dim; /* where the file says nothing; 0: width by heads */
    bool window;      /* a sliding window is in use wherever one is given */
} model_type;

static const model_type model_types[] = {{"llama", 0, 0, false},
                                         {"mistral", 0, 0, true},
                                         {"qwen2", ASSAY_PART_BIAS, 0, false},
                                         {"qwen3", ASSAY_PART_QK_NORM, 128, false}};

static const model_type *find_type(parser *p)
{
    static const char key[] = "model_type";
    const char *name = json_string_value(get(p->root, key));
    for (size_t i = 0; name && i < sizeof model_types / sizeof *model_types; i++)
        if (strcmp(name, model_types[i].name) == 0) return &model_types[i];
    refuse(p, ASSAY_EUNSUPPORTED, key, "is of a kind that this version does not handle");
    return NULL;
}

/* A window no shorter than the request changes nothing, so it only limits the request. */
static void parse_window(parser *p, assay_hf_config *c, bool in_use)
{
    static const char list[] = "layer_types";
    const json_t *use = get(p->root, "use_sliding_window"), *types = get(p->root, list);
    if (use && !json_is_boolean(use)) refuse(p, ASSAY_EFORMAT, "use_sliding_window", "is not true or false");
    if (types && !json_is_array(types)) refuse(p, ASSAY_EFORMAT, list, "is not a list");
    in_use = in_use || json_is_true(use);
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *type = json_string_value(json_array_get(types, i));
        bool slides = type && strcmp(type, "sliding_attention") == 0;
        if (!slides && (!type || strcmp(type, "full_attention") != 0))
            refuse(p, ASSAY_EUNSUPPORTED, list, "names a kind of attention that this version does not handle");
        in_use = in_use || slides;
    }
    if (!in_use || !get(p->root, "sliding_window")) return;
    uint32_t window = whole(p, "sliding_window", 1, INT32_MAX, -1);
    if (p->s == ASSAY_OK && window < c->max_positions) c->max_positions = window;
}

static void parse_config(parser *p, assay_hf_config *c)
{
    const model_type *type = find_type(p);
    if (!type) return;
    must_be_text(p, "hidden_act", "silu");
    must_be_false(p, "attention_bias");
    must_be_false(p, "mlp_bias");
    must_be_false(p, "use_mrope");
    must_be_absent(p, "quantization_config");
    parse_shape(p, c, type->head_dim);
    c->parts = type->parts;
    parse_window(p, c, type->window);
    c->eps = real(p, p->root, "rms_norm_eps", 1e-15, 1.0 / 4096, 1e-6);
    parse_rope(p, c);
    const json_t *tied = get(p->root, "tie_word_embeddings");
    if (tied && !json_is_boolean(tied)) refuse(p, ASSAY_EFORMAT, "tie_word_embeddings", "is not true or false");
    c->tied = json_is_true(tied);
    if (p->s != ASSAY_OK) return;
    c->bos = get(p->root, "bos_token_id") ? (int32_t)whole(p, "bos_token_id", 0, (int64_t)c->vocab - 1, -1) : -1;
    c->eos = add_stops(p, c);
}

static assay_status with_root(parser *p, assay_hf_config *c, const uint8_t *json, size_t n,
                              void (*parse)(parser *, assay_hf_config *))
{
    enum { MAX_JSON = 1 << 20 };
    json_t *root;
    p->s = assay_json_tree(&root, p->name, json, n, MAX_JSON, 0, p->err);
    if (p->s != ASSAY_OK) return p->s;
    p->root = root;
    if (!json_is_object(root)) {
        p->s = ASSAY_FAIL(p->err, ASSAY_EFORMAT, p->name, "is not a JSON object");
    } else {
        parse(p, c);
    }
    json_decref(root);
    return p->s;
}

assay_status assay_hf_config_parse(assay_hf_config *c, const char *name, const uint8_t *json, size_t n,
                                   assay_errinfo *err)
{
    parser p = {name, NULL, err, ASSAY_OK};
    *c = (assay_hf_config){0};
    return with_root(&p, c, json, n, parse_config);
}

static void parse_generation(parser *p, assay_hf_config *c)
{
    (void)add_stops(p, c);
}

assay_status assay_hf_generation_parse(assay_hf_config *c, const char *name, const uint8_t *json, size_t n,
                                       assay_errinfo *err)
{
    parser p = {name, NULL, err, ASSAY_OK};
    return with_root(&p, c, json, n, parse_generation);
}
