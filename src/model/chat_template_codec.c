/* SPDX-License-Identifier: Apache-2.0 */
/* Recognising chat templates. A template is rewritten without spaces, with one kind of quotes and of member access, and
 * the expressions that a family is made of are looked for in that. What is written between quotes is read from the
 * template as it stands. */
#include "base/mem.h"
#include "model/chat.h"
#include <string.h>

enum { MAX_TEMPLATE = 1 << 16 };

/* At most: a line end becomes two bytes, ".role" eight. */
enum { GROWTH = 3 };

typedef struct part {
    const char *p;
    size_t n;
} part;

/* First place of text in [from, p.n); SIZE_MAX if there is none. */
static size_t find(part p, size_t from, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = from; i + n <= p.n; i++)
        if (memcmp(p.p + i, text, n) == 0) return i;
    return SIZE_MAX;
}

static bool has(part p, const char *text)
{
    return find(p, 0, text) != SIZE_MAX;
}

static bool has_all(part p, const char *const *texts)
{
    for (; *texts; texts++)
        if (!has(p, *texts)) return false;
    return true;
}

/* The rewritten template in out, which has room for GROWTH * n bytes. */
static size_t rewrite(char *out, part p)
{
    static const struct {
        const char *from, *to;
    } members[] = {{".role", "['role']"}, {".content", "['content']"}};
    size_t n = 0;
    for (size_t i = 0; i < p.n; i++) {
        size_t m = 0;
        for (; m < sizeof members / sizeof *members; m++)
            if (find((part){p.p + i, strlen(members[m].from) <= p.n - i ? strlen(members[m].from) : 0}, 0,
                     members[m].from) == 0)
                break;
        if (m < sizeof members / sizeof *members) {
            memcpy(out + n, members[m].to, strlen(members[m].to));
            n += strlen(members[m].to);
            i += strlen(members[m].from) - 1;
        } else if (p.p[i] == '\n') {
            out[n++] = '\\';
            out[n++] = 'n';
        } else if (p.p[i] != ' ' && p.p[i] != '\t' && p.p[i] != '\r') {
            out[n++] = p.p[i] == '"' ? '\'' : p.p[i];
        }
    }
    return n;
}

static bool writes_bos(part w)
{
    return has(w, "{{bos_token}}") || has(w, "{{-bos_token}}") || has(w, "{{-bos_token-}}");
}

/* --- chatml --- */

/* The system text that the template writes when it is given none: between <|im_start|>system\n and <|im_end|>, if that
 * is one literal. False when it cannot be read. */
static bool read_default_system(char out[ASSAY_CHAT_TEXT], part raw)
{
    static const char start[] = "<|im_start|>system";
    out[0] = 0;
    for (size_t at = 0; (at = find(raw, at, start)) != SIZE_MAX;) {
        char quote = at > 0 ? raw.p[at - 1] : 0;
        at += sizeof start - 1;
        if (at < raw.n && raw.p[at] == '\n')
            at++;
        else if (find((part){raw.p + at, raw.n - at}, 0, "\\n") == 0)
            at += 2;
        else
            return false;
        if (at < raw.n && raw.p[at] == quote) continue; /* nothing follows in this literal */
        size_t end = find(raw, at, "<|im_end|>"), n = 0;
        if (end == SIZE_MAX || out[0]) return false;
        for (; at < end; at++) {
            bool escape = raw.p[at] == '\\';
            if (n + 1 >= ASSAY_CHAT_TEXT || raw.p[at] == quote || raw.p[at] == 0 || (escape && raw.p[at + 1] != 'n'))
                return false;
            out[n++] = escape ? '\n' : raw.p[at];
            at += escape;
        }
        out[n] = 0;
    }
    return true;
}

static bool is_chatml(assay_chat *c, part w, part raw)
{
    static const char *const by_member[] = {"'<|im_start|>'+message['role']+'\\n'+message['content']+'<|im_end|>'",
                                            "'<|im_start|>assistant\\n'", NULL};
    static const char *const by_variable[] = {"'<|im_start|>'+message['role']+'\\n'+content+'<|im_end|>'",
                                              "'<|im_start|>assistant\\n'", NULL};
    if (!has_all(w, by_member) && !has_all(w, by_variable)) return false;
    if (has(w, "|trim") || has(w, "<|im_start|>assistant\\n<think>") || (has(w, "bos_token") && !writes_bos(w)))
        return false;
    c->family = ASSAY_CHAT_CHATML;
    c->bos = writes_bos(w);
    c->has_system = true;
    return read_default_system(c->system, raw) &&
           (!c->system[0] || has(w, "['role']!='system'") || has(w, "['role']=='system'"));
}

/* --- llama3 --- */

static bool is_llama3(assay_chat *c, part w)
{
    static const char *const both[] = {"<|start_header_id|>assistant<|end_header_id|>\\n\\n", "<|eot_id|>", "bos_token",
                                       NULL};
    static const char *const dated[] = {"'CuttingKnowledgeDate:December2023\\n'", "'TodayDate:'+date_string+'\\n\\n'",
                                        "'26Jul2024'", NULL};
    const char *const header =
        "'<|start_header_id|>'+message['role']+'<|end_header_id|>\\n\\n'+message['content']|trim";
    if (!has_all(w, both) || !has(w, header)) return false;
    c->family = has_all(w, dated) ? ASSAY_CHAT_LLAMA31 : ASSAY_CHAT_LLAMA3;
    c->bos = c->has_system = true;
    if (c->family == ASSAY_CHAT_LLAMA31) return writes_bos(w);
    return has(w, "bos_token+content") && !has(w, "KnowledgeDate") && !has(w, "date_string");
}

/* --- zephyr --- */

static bool is_zephyr(assay_chat *c, part w)
{
    static const char *const needed[] = {"'<|user|>\\n'+message['content']+eos_token}}\\n",
                                         "'<|system|>\\n'+message['content']+eos_token}}\\n", "{{'<|assistant|>'}}\\n",
                                         NULL};
    /* What it says of the assistant's earlier messages, if it says anything. */
    const bool said = has(w, "=='assistant'"), same = has(w, "'<|assistant|>\\n'+message['content']+eos_token}}\\n");
    c->family = ASSAY_CHAT_ZEPHYR;
    c->has_system = true;
    if (said && !same) return false;
    return has_all(w, needed) && !has(w, "bos_token") && !has(w, "<|end|>");
}

/* --- mistral --- */

/* The literal around a name, where it stands in the template; all of them must be the same, spaces and the name alone.
 */
static bool read_literal(char *out, size_t room, part raw, const char *name)
{
    size_t n_name = strlen(name);
    out[0] = 0;
    for (size_t at = 0; (at = find(raw, at, name)) != SIZE_MAX; at += n_name) {
        size_t start = at, end = at + n_name;
        while (start > 0 && raw.p[start - 1] == ' ') start--;
        while (end < raw.n && raw.p[end] == ' ') end++;
        char quote = start > 0 ? raw.p[start - 1] : 0;
        if ((quote != '\'' && quote != '"') || end == raw.n || raw.p[end] != quote || end - start >= room) return false;
        if (out[0] && (strlen(out) != end - start || memcmp(out, raw.p + start, end - start) != 0)) return false;
        memcpy(out, raw.p + start, end - start);
        out[end - start] = 0;
    }
    return out[0] != 0;
}

static bool is_mistral(assay_chat *c, part w, part raw)
{
    c->family = ASSAY_CHAT_MISTRAL;
    c->bos = writes_bos(w);
    c->has_system = has(w, "[INST]'+system_message+'\\n\\n'+message['content']+'[/INST]'");
    return c->bos && has(w, "[INST]'+message['content']+'[/INST]'") && !has(w, "<<SYS>>") &&
           !has(w, "[SYSTEM_PROMPT]") && !has(w, "|trim") && read_literal(c->open, sizeof c->open, raw, "[INST]") &&
           read_literal(c->close, sizeof c->close, raw, "[/INST]");
}

assay_status assay_chat_recognise(assay_chat *c, const char *jinja, size_t n, assay_errinfo *err)
{
    const part raw = {jinja, n};
    memset(c, 0, sizeof *c);
    c->family = ASSAY_CHAT_UNKNOWN;
    if (n == 0 || n > MAX_TEMPLATE) return ASSAY_OK;
    char *text = assay_mem_alloc_raw(n, GROWTH);
    if (!text) return ASSAY_FAIL(err, ASSAY_ENOMEM, "chat template", "out of memory");
    const part w = {text, rewrite(text, raw)};
    assay_chat found = {.family = ASSAY_CHAT_UNKNOWN};
    bool known = false;
    if (has(w, "<|im_start|>"))
        known = is_chatml(&found, w, raw);
    else if (has(w, "<|start_header_id|>"))
        known = is_llama3(&found, w);
    else if (has(w, "<|user|>"))
        known = is_zephyr(&found, w);
    else if (has(w, "[INST]"))
        known = is_mistral(&found, w, raw);
    if (known) *c = found;
    assay_mem_free(text);
    return ASSAY_OK;
}
