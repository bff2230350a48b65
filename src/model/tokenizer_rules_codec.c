/* SPDX-License-Identifier: Apache-2.0 */
/* How the tokenizer of a tokenizer.json treats text: normalizer, pre_tokenizer, decoder, post_processor and the flags
 * of the model. What is not handled is refused by the path of the value in the file. Source: the file format of the
 * Hugging Face tokenizers library. */
#include "model/tokenizer_impl.h"
#include <jansson.h>
#include <string.h>

static assay_status unsupported(assay_errinfo *err, const char *path)
{
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, path, "this version does not handle this value of tokenizer.json");
}

static bool is_null(const json_t *v)
{
    return !v || json_is_null(v);
}
static bool is_false(const json_t *v)
{
    return is_null(v) || json_is_false(v);
}
static bool is_text(const json_t *v, const char *text)
{
    return json_is_string(v) && json_string_length(v) == strlen(text) && strcmp(json_string_value(v), text) == 0;
}
static bool is_empty(const json_t *v)
{
    return is_null(v) || is_text(v, "");
}
static bool has_type(const json_t *v, const char *type)
{
    return is_text(json_object_get(v, "type"), type);
}
static bool is_number(const json_t *v, json_int_t n)
{
    return json_is_integer(v) && json_integer_value(v) == n;
}

/* {"type":"Replace","pattern":{"String":from},"content":to} */
static bool is_replace(const json_t *v, const char *from, const char *to)
{
    return has_type(v, "Replace") && is_text(json_object_get(json_object_get(v, "pattern"), "String"), from) &&
           is_text(json_object_get(v, "content"), to);
}

/* Element i of a Sequence's list, or v itself if it is no Sequence; NULL after the last. */
static const json_t *step_of(const json_t *v, const char *list, size_t i)
{
    if (has_type(v, "Sequence")) return json_array_get(json_object_get(v, list), i);
    return i == 0 && !is_null(v) ? v : NULL;
}

static assay_status read_normalizer(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *step;
    if (has_type(v, "Sequence") && !json_is_array(json_object_get(v, "normalizers")))
        return unsupported(err, "normalizer.normalizers");
    for (size_t i = 0; (step = step_of(v, "normalizers", i)) != NULL; i++) {
        uint32_t rule = 0;
        if (has_type(step, "NFC")) rule = RULE_NFC;
        if (has_type(step, "Prepend") && is_text(json_object_get(step, "prepend"), ASSAY_BLOCK)) rule = RULE_PREPEND;
        if (is_replace(step, " ", ASSAY_BLOCK)) rule = RULE_REPLACE;
        if (rule == 0 || (t->rules & rule)) return unsupported(err, "normalizer");
        t->rules |= rule;
    }
    uint32_t blocks = t->rules & (RULE_PREPEND | RULE_REPLACE);
    if (blocks == RULE_PREPEND || (blocks && (t->rules & RULE_NFC))) return unsupported(err, "normalizer");
    return ASSAY_OK;
}

static assay_status add_cut(assay_tokenizer *t, assay_cut cut, assay_errinfo *err)
{
    if (t->n_cuts == ASSAY_MAX_CUTS) return unsupported(err, "pre_tokenizer");
    t->cut[t->n_cuts++] = cut;
    return ASSAY_OK;
}

static assay_status read_byte_level(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *space = json_object_get(v, "add_prefix_space"), *regex = json_object_get(v, "use_regex");
    assay_status s = ASSAY_OK;
    if (!space || json_is_true(space)) s = add_cut(t, ASSAY_CUT_SPACE, err);
    if (s == ASSAY_OK && (!regex || json_is_true(regex))) s = add_cut(t, ASSAY_CUT_GPT2, err);
    t->rules |= RULE_BYTE_LEVEL;
    return s;
}

static assay_status read_metaspace(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *scheme = json_object_get(v, "prepend_scheme"), *prefix = json_object_get(v, "add_prefix_space");
    if (!is_text(json_object_get(v, "replacement"), ASSAY_BLOCK)) return unsupported(err, "pre_tokenizer.replacement");
    if (!json_is_false(json_object_get(v, "split"))) return unsupported(err, "pre_tokenizer.split");
    assay_cut cut = (assay_cut)0;
    if (is_null(scheme)) cut = json_is_false(prefix) ? ASSAY_CUT_BLOCK_NONE : ASSAY_CUT_BLOCK_EACH;
    if (is_text(scheme, "always")) cut = ASSAY_CUT_BLOCK_EACH;
    if (is_text(scheme, "first")) cut = ASSAY_CUT_BLOCK_FIRST;
    if (is_text(scheme, "never")) cut = ASSAY_CUT_BLOCK_NONE;
    return cut ? add_cut(t, cut, err) : unsupported(err, "pre_tokenizer.prepend_scheme");
}

static assay_status read_split(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *regex = json_object_get(json_object_get(v, "pattern"), "Regex"),
                 *how = json_object_get(v, "behavior");
    bool invert = json_is_true(json_object_get(v, "invert"));
    /* The patterns leave nothing between their matches. */
    if (!(is_text(how, "Isolated") && !invert) && !(is_text(how, "Removed") && invert))
        return unsupported(err, "pre_tokenizer.behavior");
    assay_cut cut = json_is_string(regex) ? assay_cut_of_pattern(json_string_value(regex)) : (assay_cut)0;
    return cut ? add_cut(t, cut, err) : unsupported(err, "pre_tokenizer.pattern");
}

static assay_status read_pre_tokenizer(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *step;
    assay_status s = ASSAY_OK;
    if (has_type(v, "Sequence") && !json_is_array(json_object_get(v, "pretokenizers")))
        return unsupported(err, "pre_tokenizer.pretokenizers");
    for (size_t i = 0; s == ASSAY_OK && (step = step_of(v, "pretokenizers", i)) != NULL; i++) {
        /* What comes after ByteLevel would see characters that stand for bytes. */
        if (t->rules & RULE_BYTE_LEVEL) return unsupported(err, "pre_tokenizer.type");
        if (has_type(step, "ByteLevel"))
            s = read_byte_level(t, step, err);
        else if (has_type(step, "Metaspace"))
            s = read_metaspace(t, step, err);
        else if (has_type(step, "Split"))
            s = read_split(t, step, err);
        else if (has_type(step, "Digits"))
            s = add_cut(
                t, json_is_true(json_object_get(step, "individual_digits")) ? ASSAY_CUT_EACH_DIGIT : ASSAY_CUT_NUMBERS,
                err);
        else
            s = unsupported(err, "pre_tokenizer.type");
    }
    return s;
}

/* Replace, ByteFallback, Fuse and perhaps Strip: the decoder of SentencePiece vocabularies. */
static bool is_block_decoder(assay_tokenizer *t, const json_t *v)
{
    const json_t *list = json_object_get(v, "decoders"), *strip = json_array_get(list, 3);
    if (!has_type(v, "Sequence") || !is_replace(json_array_get(list, 0), ASSAY_BLOCK, " ") ||
        !has_type(json_array_get(list, 1), "ByteFallback") || !has_type(json_array_get(list, 2), "Fuse"))
        return false;
    if (json_array_size(list) == 3) return true;
    t->rules |= RULE_STRIP;
    return json_array_size(list) == 4 && has_type(strip, "Strip") && is_text(json_object_get(strip, "content"), " ") &&
           is_number(json_object_get(strip, "start"), 1) && is_number(json_object_get(strip, "stop"), 0);
}

static assay_status read_decoder(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    if (has_type(v, "Sequence") && json_array_size(json_object_get(v, "decoders")) == 1)
        v = json_array_get(json_object_get(v, "decoders"), 0);
    bool known = t->rules & RULE_BYTE_LEVEL ? has_type(v, "ByteLevel") : is_block_decoder(t, v);
    return known ? ASSAY_OK : unsupported(err, "decoder.type");
}

/* Whether texts begin with a token, and which: the first special token of a template. */
static assay_status read_post_processor(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *step;
    for (size_t i = 0; (step = step_of(v, "processors", i)) != NULL; i++) {
        if (has_type(step, "ByteLevel")) continue;
        if (!has_type(step, "TemplateProcessing")) return unsupported(err, "post_processor.type");
        const json_t *first = json_object_get(json_array_get(json_object_get(step, "single"), 0), "SpecialToken");
        const char *name = json_string_value(json_object_get(first, "id"));
        if (!name) continue;
        const json_t *ids = json_object_get(json_object_get(json_object_get(step, "special_tokens"), name), "ids");
        const json_t *id = json_array_get(ids, 0);
        if (json_array_size(ids) != 1 || !json_is_integer(id) || json_integer_value(id) < 0 ||
            json_integer_value(id) >= ASSAY_MAX_TOKENS)
            return ASSAY_FAIL(err, ASSAY_EFORMAT, "post_processor.special_tokens", "a token's id is no whole number");
        t->bos = (uint32_t)json_integer_value(id);
        t->rules |= RULE_BOS | RULE_BOS_SAID;
    }
    return ASSAY_OK;
}

static assay_status read_model_flags(assay_tokenizer *t, const json_t *model, assay_errinfo *err)
{
    static const struct {
        const char *key;
        uint32_t rule;
    } flags[] = {
        {"byte_fallback", RULE_BYTE_FALLBACK}, {"ignore_merges", RULE_IGNORE_MERGES}, {"fuse_unk", RULE_FUSE_UNKNOWN}};
    const json_t *dropout = json_object_get(model, "dropout");
    if (!has_type(model, "BPE")) return unsupported(err, "model.type");
    if (!is_null(dropout) && !(json_is_number(dropout) && json_number_value(dropout) == 0.0))
        return unsupported(err, "model.dropout");
    if (!is_empty(json_object_get(model, "continuing_subword_prefix")))
        return unsupported(err, "model.continuing_subword_prefix");
    if (!is_empty(json_object_get(model, "end_of_word_suffix"))) return unsupported(err, "model.end_of_word_suffix");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!is_false(json_object_get(model, flags[i].key))) t->rules |= flags[i].rule;
    return ASSAY_OK;
}

assay_status assay_tokenizer_read_rules(assay_tokenizer *t, const json_t *root, assay_errinfo *err)
{
    assay_status s = read_model_flags(t, json_object_get(root, "model"), err);
    if (s == ASSAY_OK) s = read_normalizer(t, json_object_get(root, "normalizer"), err);
    if (s == ASSAY_OK) s = read_pre_tokenizer(t, json_object_get(root, "pre_tokenizer"), err);
    if (s == ASSAY_OK) s = read_decoder(t, json_object_get(root, "decoder"), err);
    if (s == ASSAY_OK) s = read_post_processor(t, json_object_get(root, "post_processor"), err);
    if (s != ASSAY_OK) return s;
    /* Each kind of vocabulary has its own way with bytes and spaces. */
    if ((t->rules & RULE_BYTE_LEVEL) && (t->rules & (RULE_BYTE_FALLBACK | RULE_PREPEND | RULE_REPLACE)))
        return unsupported(err, "model.byte_fallback");
    return ASSAY_OK;
}
