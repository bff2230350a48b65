/* SPDX-License-Identifier: Apache-2.0 */
/* Chats through the public interface: a text object of a configuration and a tokenizer, family by family.
 * ctest: uses unit/model */
#include "assay/text.h"
#include "base/mem.h"
#include "cp/commitment.h"
#include "harness.h"
#include "unit/model/chat_tokenizer.h"
#include "unit/model/small_model.h"
#include <string.h>

/* What a client holds: configuration and tokenizer of a commitment to a small model. */
static assay_text *text_with(const char *template)
{
    const assay_small_shape shape = {1, 8, 2, 1, 4, 12, CHAT_VOCAB, true};
    assay_commitment *c = NULL;
    assay_commitment_parts parts;
    assay_text *t = NULL;
    assay_model m;
    uint8_t *packed = NULL;
    size_t n = 0;
    assay_tokenizer *k = assay_chat_tokenizer_make(template, "");
    if (!CHECK(k != NULL) || !CHECK_OK(assay_tokenizer_pack(k, &packed, &n, NULL))) return NULL;
    if (CHECK(assay_small_model(&m, shape, 3)) && CHECK_OK(assay_commitment_alloc(&c, 1, NULL)) &&
        CHECK_OK(assay_commitment_of_model(c, &m, packed, n, 100, 1, NULL)) &&
        CHECK_OK(assay_commitment_export(c, &parts, NULL))) {
        CHECK_OK(assay_text_new(&t, parts.config.p, parts.config.n, parts.tokenizer.p, parts.tokenizer.n, NULL));
        assay_commitment_parts_free(&parts);
    }
    assay_commitment_free(c);
    assay_mem_free(packed);
    assay_tokenizer_free(k);
    return t;
}

static void check(const assay_text *t, const char *system, const char *user, const char *want)
{
    char text[CHAT_TEXT];
    assay_ids ids;
    REQUIRE_OK(assay_text_chat(t, &ids, system, system ? strlen(system) : 0, user, strlen(user), NULL));
    assay_chat_tokenizer_spell(text, ids.p, ids.n);
    CHECK_EQ_STR(text, want);
    assay_ids_free(&ids);
}

TEST(families)
{
#define IM(role, text)   "{<|im_start|>}" role "\n" text "{<|im_end|>}\n"
#define HEAD(role)       "{<|start_header_id|>}" role "{<|end_header_id|>}\n\n"
#define TURN(role, text) HEAD(role) text "{<|eot_id|>}"
#define DATES            "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
    static const struct {
        const char *template, *family, *with_system, *without;
    } cases[] = {
        {CHATML_PLAIN, "chatml", IM("system", "S") IM("user", "Hi") "{<|im_start|>}assistant\n",
         IM("user", "Hi") "{<|im_start|>}assistant\n"},
        {CHATML_DEFAULT("Be kind."), "chatml", IM("system", "S") IM("user", "Hi") "{<|im_start|>}assistant\n",
         IM("system", "Be kind.") IM("user", "Hi") "{<|im_start|>}assistant\n"},
        {LLAMA3, "llama3", "{<s>}" TURN("system", "S") TURN("user", "Hi") HEAD("assistant"),
         "{<s>}" TURN("user", "Hi") HEAD("assistant")},
        {LLAMA31, "llama3.1", "{<s>}" TURN("system", DATES "S") TURN("user", "Hi") HEAD("assistant"),
         "{<s>}" TURN("system", DATES) TURN("user", "Hi") HEAD("assistant")},
        {ZEPHYR, "zephyr", "<|system|>\nS{</s>}\n<|user|>\nHi{</s>}\n<|assistant|>\n",
         "<|user|>\nHi{</s>}\n<|assistant|>\n"},
        {MISTRAL_SYSTEM, "mistral", "{<s>}[INST] S\n\nHi[/INST]", "{<s>}[INST] Hi[/INST]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assay_text *t = text_with(cases[i].template);
        REQUIRE(t != NULL);
        CHECK_EQ_STR(assay_text_chat_family(t), cases[i].family);
        check(t, "S", "Hi", cases[i].with_system);
        check(t, NULL, "Hi", cases[i].without);
        assay_text_free(t);
    }
}

static void check_refused(const char *template, const char *family, const char *system, const char *says)
{
    char message[512];
    assay_errinfo err = {0};
    assay_ids ids = {NULL, 7};
    assay_text *t = text_with(template);
    REQUIRE(t != NULL);
    CHECK_EQ_STR(assay_text_chat_family(t), family);
    CHECK_STATUS(assay_text_chat(t, &ids, system, system ? 1 : 0, "x", 1, &err), ASSAY_EUNSUPPORTED);
    CHECK(ids.p == NULL && ids.n == 0);
    CHECK(strstr(assay_errinfo_text(&err, message, sizeof message), says) != NULL);
    assay_text_free(t);
}

TEST(refused)
{
    check_refused("null", "none", NULL, "brings none");
    check_refused("\"{{ messages }}\"", "unknown", NULL, "no known family");
    check_refused(MISTRAL, "mistral", "S", "no system text");
}
