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

/* All messages; those with odd numbers are the assistant's. */
typedef struct dialogue {
    const message *system; /* NULL: none */
    const assay_turn *turn;
    size_t n;
} dialogue;

static message turn_at(const dialogue *d, size_t i)
{
    return (message){d->turn[i].text, d->turn[i].n};
}

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

/* A text that templates with a mode of thinking cut. */
static bool has_thought(message m)
{
    static const char mark[] = "</think>";
    for (size_t i = 0; i + sizeof mark - 1 <= m.n; i++)
        if (memcmp(m.p + i, mark, sizeof mark - 1) == 0) return true;
    return false;
}

static assay_status chatml(prompt *p, const dialogue *d)
{
    assay_status s = ASSAY_OK;
    if (d->system)
        s = put_chatml(p, "system", *d->system);
    else if (p->t->chat.system[0])
        s = put_chatml(p, "system", of_string(p->t->chat.system));
    for (size_t i = 0; s == ASSAY_OK && i < d->n; i++) {
        if (i % 2 && has_thought(turn_at(d, i)))
            return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "assistant",
                              "holds </think>, which some chat templates cut out");
        s = put_chatml(p, i % 2 ? "assistant" : "user", turn_at(d, i));
    }
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

static assay_status llama3(prompt *p, const dialogue *d)
{
    static const char dates[] = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
    bool dated = p->t->chat.family == ASSAY_CHAT_LLAMA31;
    assay_status s = ASSAY_OK;
    if (d->system || dated) s = put_llama3(p, "system", dated ? dates : "", d->system ? *d->system : of_string(""));
    for (size_t i = 0; s == ASSAY_OK && i < d->n; i++)
        s = put_llama3(p, i % 2 ? "assistant" : "user", "", turn_at(d, i));
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

static assay_status zephyr(prompt *p, const dialogue *d)
{
    assay_status s = d->system ? put_zephyr(p, "<|system|>", *d->system) : ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < d->n; i++)
        s = put_zephyr(p, i % 2 ? "<|assistant|>" : "<|user|>", turn_at(d, i));
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

static assay_status mistral(prompt *p, const dialogue *d)
{
    if (d->n > 1)
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "assistant",
                          "several turns are not known for this model's chat template (mistral)");
    assay_status s = put_bracket(p, p->t->chat.open, "[INST]");
    if (s == ASSAY_OK && d->system) s = put_text(p, *d->system);
    if (s == ASSAY_OK && d->system) s = put_text(p, of_string("\n\n"));
    if (s == ASSAY_OK) s = put_text(p, turn_at(d, 0));
    return s == ASSAY_OK ? put_bracket(p, p->t->chat.close, "[/INST]") : s;
}

static assay_status render(prompt *p, const dialogue *d)
{
    const assay_chat *c = &p->t->chat;
    assay_status s = c->bos ? put_id(p, p->t->bos) : ASSAY_OK;
    if (s != ASSAY_OK) return s;
    switch (c->family) {
    case ASSAY_CHAT_CHATML:
        s = chatml(p, d);
        break;
    case ASSAY_CHAT_LLAMA3:
    case ASSAY_CHAT_LLAMA31:
        s = llama3(p, d);
        break;
    case ASSAY_CHAT_ZEPHYR:
        s = zephyr(p, d);
        break;
    case ASSAY_CHAT_MISTRAL:
        s = mistral(p, d);
        break;
    case ASSAY_CHAT_NONE:
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "chat template", "the model brings none");
    case ASSAY_CHAT_UNKNOWN:
        return ASSAY_FAIL(p->err, ASSAY_EUNSUPPORTED, "chat template",
                          "is of no known family (chatml, llama3, zephyr, mistral)");
    }
    return s == ASSAY_OK ? flush(p) : s;
}

assay_status assay_chat_dialogue(const assay_tokenizer *t, uint32_t **ids, size_t *n_ids, const char *system,
                                 size_t n_system, const assay_turn *turns, size_t n, assay_errinfo *err)
{
    enum {
        FIXED = ASSAY_CHAT_TEXT + 512,
        A_TURN = 64
    }; /* more than any family writes beside messages, and a message */
    prompt p = {.t = t, .e = {.t = t, .err = err}, .err = err};
    message given = {system, n_system};
    *ids = NULL;
    *n_ids = 0;
    if (n % 2 == 0) return ASSAY_FAIL(err, ASSAY_EINVAL, "prompt", "a chat ends with a message of the user's");
    size_t total = 0;
    for (size_t i = 0; i < n && total <= ASSAY_MAX_TEXT_BYTES; i++)
        total += A_TURN + (turns[i].n < ASSAY_MAX_TEXT_BYTES ? turns[i].n : ASSAY_MAX_TEXT_BYTES);
    if (n_system > ASSAY_MAX_TEXT_BYTES || total > ASSAY_MAX_TEXT_BYTES)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "too long (bytes of system and messages)", n_system, total);
    if (system && !t->chat.has_system && t->chat.family > ASSAY_CHAT_UNKNOWN)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, "system", "this model's chat template has no system text");
    p.cap = n_system + total + FIXED;
    p.text = assay_mem_alloc(p.cap, 1);
    if (!p.text) return ASSAY_FAIL(err, ASSAY_ENOMEM, "prompt", "out of memory");
    const dialogue d = {system ? &given : NULL, turns, n};
    assay_status s = render(&p, &d);
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

assay_status assay_chat_prompt(const assay_tokenizer *t, uint32_t **ids, size_t *n_ids, const char *system,
                               size_t n_system, const char *user, size_t n_user, assay_errinfo *err)
{
    const assay_turn turn = {user, n_user};
    return assay_chat_dialogue(t, ids, n_ids, system, n_system, &turn, 1, err);
}
