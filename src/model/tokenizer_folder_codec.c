/* SPDX-License-Identifier: Apache-2.0 */
/* What a Hugging Face folder says about its tokenizer beside tokenizer.json: tokenizer_config.json and
 * chat_template.jinja. */
#include "model/json_tree.h"
#include "model/tokenizer_impl.h"
#include <string.h>

enum { MAX_CONFIG = 16 << 20 };

/* The added token that a key names, as text or as {"content": text}; ASSAY_NO_TOKEN if there is none. */
static uint32_t named_token(const assay_tokenizer *t, const json_t *config, const char *key)
{
    const json_t *v = json_object_get(config, key);
    const char *text = json_string_value(json_is_object(v) ? json_object_get(v, "content") : v);
    for (size_t i = 0; text && i < t->n_added; i++)
        if (t->added[i].len == strlen(text) && memcmp(t->bytes + t->added[i].text, text, t->added[i].len) == 0)
            return t->added[i].id;
    return ASSAY_NO_TOKEN;
}

/* The template is text, or a list of {"name", "template"}, of which "default" is for plain chats. */
static assay_status read_template(assay_tokenizer *t, const json_t *v, assay_errinfo *err)
{
    const json_t *entry;
    size_t i;
    if (json_is_string(v)) return assay_chat_recognise(&t->chat, json_string_value(v), json_string_length(v), err);
    json_array_foreach(v, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (name && strcmp(name, "default") == 0) return read_template(t, json_object_get(entry, "template"), err);
    }
    if (v && !json_is_null(v)) t->chat.family = ASSAY_CHAT_UNKNOWN;
    return ASSAY_OK;
}

static assay_status read_config(assay_tokenizer *t, const uint8_t *config, size_t n, assay_errinfo *err)
{
    const char *const path = "tokenizer_config.json";
    json_t *root;
    assay_status s = assay_json_tree(&root, path, config, n, MAX_CONFIG, JSON_DECODE_INT_AS_REAL, err);
    if (s != ASSAY_OK) return s;
    t->rules |= RULE_BOS_SAID;
    uint32_t bos = named_token(t, root, "bos_token");
    t->eos = named_token(t, root, "eos_token");
    if (t->bos == ASSAY_NO_TOKEN) {
        t->bos = bos;
        if (bos != ASSAY_NO_TOKEN && json_is_true(json_object_get(root, "add_bos_token"))) t->rules |= RULE_BOS;
    }
    s = read_template(t, json_object_get(root, "chat_template"), err);
    json_decref(root);
    return s;
}

assay_status assay_tokenizer_of_folder(assay_tokenizer **t, const uint8_t *json, size_t n, const uint8_t *config,
                                       size_t n_config, const uint8_t *jinja, size_t n_jinja, assay_errinfo *err)
{
    assay_tokenizer *made = NULL;
    *t = NULL;
    assay_status s = assay_tokenizer_new(&made, json, n, err);
    if (s == ASSAY_OK && config) s = read_config(made, config, n_config, err);
    if (s == ASSAY_OK && jinja) s = assay_chat_recognise(&made->chat, (const char *)jinja, n_jinja, err);
    if (s == ASSAY_OK)
        *t = made;
    else
        assay_tokenizer_free(made);
    return s;
}
