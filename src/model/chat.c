/* SPDX-License-Identifier: Apache-2.0 */
/* Chat prompts, family by family. The text between two special tokens is encoded as one piece, template and message
 * together, as the tokenizer would see it in the rendered prompt. */
#include "model/chat.h"
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include "model/unicode.h"
#include <string.h>

const char *assay_chat_name(assay_chat_family f)
{
    switch (f) {
    case ASSAY_CHAT_NONE:
        return "none";
    case ASSAY_CHAT_CHATML:
        return "chatml";
    case ASSAY_CHAT_LLAMA3:
        return "llama3";
    case ASSAY_CHAT_LLAMA31:
        return "llama3.1";
    case ASSAY_CHAT_ZEPHYR:
        return "zephyr";
    case ASSAY_CHAT_MISTRAL:
        return "mistral";
    case ASSAY_CHAT_UNKNOWN:
        break;
    }
    return "unknown";
}

/* A prompt in the making: ids of what came before the last special token, and the text since then. */
typedef struct prompt {
    const assay_tokenizer *t;
    assay_encoder e;
    char *text; /* n of cap bytes are used */
    size_t n, cap;
    assay_errinfo *err;
} prompt;

typedef struct message {
    const char *p;
    size_t n;
} message;

static message of_string(const char *s)
{
    return (message){s, strlen(s)};
}

static assay_status put_text(prompt *p, message m)
{
    if (m.n > p->cap - p->n) return ASSAY_FAIL(p->err, ASSAY_EINTERNAL, "prompt", "was measured wrong");
    if (m.n) memcpy(p->text + p->n, m.p, m.n);
    p->n += m.n;
    return ASSAY_OK;
}

static assay_status flush(prompt *p)
{
    assay_status s = p->n ? assay_encoder_put_text(&p->e, p->text, p->n, false, p->e.n == 0) : ASSAY_OK;
    p->n = 0;
    return s;
}

static assay_status put_id(prompt *p, uint32_t id)
{
    assay_status s = flush(p);
    if (s == ASSAY_OK && id == ASSAY_NO_TOKEN)
        s = ASSAY_FAIL(p->err, ASSAY_EFORMAT, "chat template",
                       "the tokenizer does not say which token begins or ends a text");
    return s == ASSAY_OK ? assay_encoder_put_id(&p->e, id) : s;
}

/* The added token with this text, or NULL. */
static const assay_added *added_named(const assay_tokenizer *t, const char *name)
{
    for (size_t i = 0; i < t->n_added; i++)
        if (t->added[i].len == strlen(name) && memcmp(t->bytes + t->added[i].text, name, t->added[i].len) == 0)
            return &t->added[i];
    return NULL;
}

static assay_status put_token(prompt *p, const char *name)
{
    const assay_added *a = added_named(p->t, name);
    if (!a || p->t->token[a->id].kind != TOKEN_SPECIAL)
        return ASSAY_FAIL(p->err, ASSAY_EFORMAT, name,
                          "the chat template needs this special token, which the tokenizer lacks");
    if (a->lstrip || a->rstrip)
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, name, "a token of a chat template takes spaces with it");
    return put_id(p, a->id);
}

/* What Python counts as a space: \s and four separators. */
static bool is_space(const uint8_t *s, size_t n, size_t *len)
{
    uint32_t c = assay_utf8_read(s, n, len);
    return (c >= 0x1c && c <= 0x1f) || (assay_char_class(c) & ASSAY_CHAR_SPACE) != 0;
}

/* A message without the spaces around it, as Jinja's trim does. */
static message trimmed(message m)
{
    const uint8_t *s = (const uint8_t *)m.p;
    size_t start = 0, end = m.n, len;
    while (start < end && is_space(s + start, end - start, &len)) start += len;
    while (end > start) {
        size_t at = start + assay_utf8_before(s + start, end - start);
        if (!is_space(s + at, end - at, &len)) break;
        end = at;
    }
    return start < end ? (message){m.p + start, end - start} : (message){m.p, 0};
}

/* <|im_start|>role\ntext<|im_end|>\n */
static assay_status put_chatml(prompt *p, const char *role, message text)
{
    assay_status s = put_token(p, "<|im_start|>");
    if (s == ASSAY_OK) s = put_text(p, of_string(role));
    if (s == ASSAY_OK) s = put_text(p, of_string("\n"));
    if (s == ASSAY_OK) s = put_text(p, text);
    if (s == ASSAY_OK) s = put_token(p, "<|im_end|>");
    return s == ASSAY_OK ? put_text(p, of_string("\n")) : s;
}

static assay_status chatml(prompt *p, const message *system, message user)
{
    assay_status s = ASSAY_OK;
    if (system)
        s = put_chatml(p, "system", *system);
    else if (p->t->chat.system[0])
        s = put_chatml(p, "system", of_string(p->t->chat.system));
    if (s == ASSAY_OK) s = put_chatml(p, "user", user);
    if (s == ASSAY_OK) s = put_token(p, "<|im_start|>");
    return s == ASSAY_OK ? put_text(p, of_string("assistant\n")) : s;
}

static assay_status put_llama3_header(prompt *p, const char *role)
{
    assay_status s = put_token(p, "<|start_header_id|>");
    if (s == ASSAY_OK) s = put_text(p, of_string(role));
    if (s == ASSAY_OK) s = put_token(p, "<|end_header_id|>");
    return s == ASSAY_OK ? put_text(p, of_string("\n\n")) : s;
}

static assay_status put_llama3(prompt *p, const char *role, const char *before, message text)
{
    assay_status s = put_llama3_header(p, role);
    if (s == ASSAY_OK) s = put_text(p, of_string(before));
    if (s == ASSAY_OK) s = put_text(p, trimmed(text));
    return s == ASSAY_OK ? put_token(p, "<|eot_id|>") : s;
}

static assay_status llama3(prompt *p, const message *system, message user)
{
    static const char dates[] = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
    bool dated = p->t->chat.family == ASSAY_CHAT_LLAMA31;
    assay_status s = ASSAY_OK;
    if (system || dated) s = put_llama3(p, "system", dated ? dates : "", system ? *system : of_string(""));
    if (s == ASSAY_OK) s = put_llama3(p, "user", "", user);
    return s == ASSAY_OK ? put_llama3_header(p, "assistant") : s;
}

/* <|role|>\ntext eos \n */
static assay_status put_zephyr(prompt *p, const char *role, message text)
{
    assay_status s = put_text(p, of_string(role));
    if (s == ASSAY_OK) s = put_text(p, of_string("\n"));
    if (s == ASSAY_OK) s = put_text(p, text);
    if (s == ASSAY_OK) s = put_id(p, p->t->eos);
    return s == ASSAY_OK ? put_text(p, of_string("\n")) : s;
}

static assay_status zephyr(prompt *p, const message *system, message user)
{
    assay_status s = system ? put_zephyr(p, "<|system|>", *system) : ASSAY_OK;
    if (s == ASSAY_OK) s = put_zephyr(p, "<|user|>", user);
    return s == ASSAY_OK ? put_text(p, of_string("<|assistant|>\n")) : s;
}

/* [INST] and [/INST] are special tokens in some vocabularies of this family and text in others. */
static assay_status put_bracket(prompt *p, const char *text, const char *name)
{
    const assay_added *a = added_named(p->t, name);
    if (!a || p->t->token[a->id].kind != TOKEN_SPECIAL) return put_text(p, of_string(text));
    const char *at = strstr(text, name);
    if (!at) return ASSAY_FAIL(p->err, ASSAY_EFORMAT, "chat template", "does not fit the tokenizer");
    assay_status s = put_text(p, (message){text, (size_t)(at - text)});
    if (s == ASSAY_OK) s = put_token(p, name);
    return s == ASSAY_OK ? put_text(p, of_string(at + strlen(name))) : s;
}

static assay_status mistral(prompt *p, const message *system, message user)
{
    assay_status s = put_bracket(p, p->t->chat.open, "[INST]");
    if (s == ASSAY_OK && system) s = put_text(p, *system);
    if (s == ASSAY_OK && system) s = put_text(p, of_string("\n\n"));
    if (s == ASSAY_OK) s = put_text(p, user);
    return s == ASSAY_OK ? put_bracket(p, p->t->chat.close, "[/INST]") : s;
}

static assay_status render(prompt *p, const message *system, message user)
{
    const assay_chat *c = &p->t->chat;
    assay_status s = c->bos ? put_id(p, p->t->bos) : ASSAY_OK;
    if (s != ASSAY_OK) return s;
    switch (c->family) {
    case ASSAY_CHAT_CHATML:
        s = chatml(p, system, user);
        break;
    case ASSAY_CHAT_LLAMA3:
    case ASSAY_CHAT_LLAMA31:
        s = llama3(p, system, user);
        break;
    case ASSAY_CHAT_ZEPHYR:
        s = zephyr(p, system, user);
        break;
    case ASSAY_CHAT_MISTRAL:
        s = mistral(p, system, user);
        break;
    case ASSAY_CHAT_NONE:
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "chat template", "the model brings none");
    case ASSAY_CHAT_UNKNOWN:
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "chat template",
                          "is of no known family (chatml, llama3, zephyr, mistral)");
    }
    return s == ASSAY_OK ? flush(p) : s;
}

assay_status assay_chat_prompt(const assay_tokenizer *t, uint32_t **ids, size_t *n_ids, const char *system,
                               size_t n_system, const char *user, size_t n_user, assay_errinfo *err)
{
    enum { FIXED = ASSAY_CHAT_TEXT + 512 }; /* more than any family writes beside the messages */
    prompt p = {.t = t, .e = {.t = t, .err = err}, .err = err};
    message given = {system, n_system};
    *ids = NULL;
    *n_ids = 0;
    if (n_system > ASSAY_MAX_TEXT_BYTES || n_user > ASSAY_MAX_TEXT_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "too long (bytes of system and user)", n_system, n_user);
    if (system && !t->chat.has_system && t->chat.family > ASSAY_CHAT_UNKNOWN)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "system", "this model's chat template has no system text");
    p.cap = n_system + n_user + FIXED;
    p.text = assay_mem_alloc(p.cap, 1);
    if (!p.text) return ASSAY_FAIL(err, ASSAY_ENOMEM, "prompt", "out of memory");
    assay_status s = render(&p, system ? &given : NULL, (message){user, n_user});
    if (s == ASSAY_OK) {
        *ids = p.e.ids;
        *n_ids = p.e.n;
        p.e.ids = NULL;
        p.e.cap = 0;
    }
    assay_encoder_clear(&p.e);
    assay_mem_free_secret(p.text, p.cap);
    return s;
}
