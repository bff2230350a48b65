/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations of tokenizers: reading each kind of file, packing, text and back, chat prompts. */
#include "base/file.h"
#include "base/mem.h"
#include "fault/fault.h"
#include "model/chat.h"
#include "model/gguf.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 1024 };

typedef struct source {
    uint8_t *p, *jinja;
    size_t n, n_jinja;
    bool gguf;
} source;

static assay_status read_source(assay_tokenizer **t, const source *in, assay_errinfo *err)
{
    static const uint8_t config[] = "{\"bos_token\":\"<s>\"}";
    assay_gguf g;
    if (!in->gguf)
        return assay_tokenizer_of_folder(t, in->p, in->n, config, sizeof config - 1, in->jinja, in->n_jinja, err);
    assay_status s = assay_gguf_parse(&g, "file", in->p, in->n, err);
    if (s == ASSAY_OK) s = assay_tokenizer_of_gguf(t, &g, err);
    assay_gguf_clear(&g);
    return s;
}

static assay_status text_and_back(const assay_tokenizer *t, assay_errinfo *err)
{
    static const char text[] = "ab <s>e\xcc\x81 12 </s>\xff";
    uint32_t *ids = NULL;
    size_t n = 0, n_back = 0;
    char *back = NULL;
    assay_status s = assay_tokenizer_encode(t, text, sizeof text - 1, 1, &ids, &n, err);
    if (s == ASSAY_OK) s = assay_tokenizer_decode(t, ids, n, &back, &n_back, err);
    assay_mem_free(ids);
    assay_mem_free(back);
    return s;
}

static assay_status whole(void *ctx, assay_errinfo *err)
{
    assay_tokenizer *t = NULL, *again = NULL;
    uint8_t *packed = NULL;
    uint32_t *ids = NULL;
    size_t n = 0, n_ids = 0;
    assay_status s = read_source(&t, ctx, err);
    if (s == ASSAY_OK) s = text_and_back(t, err);
    if (s == ASSAY_OK && assay_tokenizer_chat(t)->family > ASSAY_CHAT_UNKNOWN)
        s = assay_chat_prompt(t, &ids, &n_ids, NULL, 0, "ab", 2, err);
    if (s == ASSAY_OK) s = assay_tokenizer_pack(t, &packed, &n, err);
    if (s == ASSAY_OK) s = assay_tokenizer_new(&again, packed, n, err);
    assay_tokenizer_free(t);
    assay_tokenizer_free(again);
    assay_mem_free(packed);
    assay_mem_free(ids);
    return s;
}

static void every(const char *name, const char *jinja)
{
    char path[PATH];
    source in = {.gguf = strstr(name, "gguf") != NULL};
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/%s", assay_test_source_dir(), name);
    REQUIRE_OK(assay_file_read(path, 1 << 20, &in.p, &in.n, NULL));
    if (jinja) {
        (void)snprintf(path, sizeof path, "%s/fuzz/corpus/chat_template/%s", assay_test_source_dir(), jinja);
        CHECK_OK(assay_file_read(path, 1 << 20, &in.jinja, &in.n_jinja, NULL));
    }
    CHECK(assay_fault_every(whole, &in, 1) > 20);
    assay_mem_free_secret(in.p, in.n);
    assay_mem_free_secret(in.jinja, in.n_jinja);
}

TEST(byte_level_json)
{
    every("tokenizer/qwen2.json", NULL);
    every("tokenizer/smollm.json", NULL);
}

TEST(sentencepiece_json_with_a_template)
{
    every("tokenizer/blocks.json", "mistral_v1");
    every("tokenizer/metaspace.json", NULL);
}

TEST(gguf)
{
    every("tokenizer_gguf/llama", NULL);
    every("tokenizer_gguf/qwen2", NULL);
}
