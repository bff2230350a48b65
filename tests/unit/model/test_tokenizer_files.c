/* SPDX-License-Identifier: Apache-2.0 */
/* The packed form, SentencePiece vocabularies as tokenizer.json and as GGUF, and refusals of both. */
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/gguf.h"
#include "model/tokenizer_impl.h"
#include "unit/harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_ids(const assay_tokenizer *t, const char *text, const uint32_t *want, size_t n_want)
{
    uint32_t *ids = NULL;
    size_t n = 0;
    CHECK_OK(assay_tokenizer_encode(t, text, strlen(text), 1, &ids, &n, NULL));
    if (CHECK_EQ_U64(n, n_want)) CHECK_EQ_MEM(ids, want, n * sizeof *ids);
    assay_mem_free(ids);
}

static void check_text(const assay_tokenizer *t, const uint32_t *ids, size_t n_ids, const char *want)
{
    char *text = NULL;
    size_t n = 0;
    CHECK_OK(assay_tokenizer_decode(t, ids, n_ids, &text, &n, NULL));
    if (text) CHECK_EQ_STR(text, want);
    assay_mem_free(text);
}

/* --- A SentencePiece vocabulary: 0 <unk>, 1 <s>, 2 and 3 the bytes of U+00E9, 4 .. pieces ------------------------- */

#define PIECES                                                                                                         \
    "\"<unk>\":0,\"<s>\":1,\"<0xC3>\":2,\"<0xA9>\":3,\"\\u2581\":4,\"a\":5,\"b\":6,\"\\u2581a\":7,\"ab\":8,"           \
    "\"aa\":9,\"aaa\":10"
static const char blocks_json[] =
    "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true},{\"id\":1,\"content\":\"<s>\",\"special\":"
    "true}],"
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"\\u2581\"},"
    "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"\\u2581\"}]},\"pre_tokenizer\":null,"
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":\"<s>\",\"type_id\":0}},"
    "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"special_tokens\":{\"<s>\":{\"id\":\"<s>\",\"ids\":[1]}}},"
    "\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"\\u2581\"},"
    "\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
    "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]},"
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,\"byte_fallback\":true,\"vocab\":{" PIECES
    "},\"merges\":[\"a b\",\"\\u2581 a\",\"a a\",\"a aa\",\"aa a\"]}}";

static assay_tokenizer *blocks(void)
{
    assay_tokenizer *t = NULL;
    CHECK_OK(assay_tokenizer_new(&t, (const uint8_t *)blocks_json, sizeof blocks_json - 1, NULL));
    return t;
}

/* What the vocabulary above does, wherever it comes from. */
static void check_blocks(const assay_tokenizer *t)
{
    uint32_t first = 0;
    check_ids(t, "a b", (const uint32_t[]){7, 4, 6}, 3);
    check_ids(t, " ab", (const uint32_t[]){4, 4, 8}, 3); /* a b before the block and a */
    check_ids(t, "aaab", (const uint32_t[]){7, 5, 8}, 3);
    check_ids(t, "b\xc3\xa9", (const uint32_t[]){4, 6, 2, 3}, 4);       /* bytes of what is no piece */
    check_ids(t, "b\xc3z\xc4zb", (const uint32_t[]){4, 6, 2, 0, 6}, 5); /* broken and unknown: fused */
    check_ids(t, "b<s>b", (const uint32_t[]){4, 6, 1, 4, 6}, 5);        /* each piece has its block */
    check_ids(t, "", NULL, 0);
    check_text(t, (const uint32_t[]){7, 4, 6, 1, 2, 3, 7}, 7, "a b\xc3\xa9 a");
    check_text(t, (const uint32_t[]){5, 4}, 2, "a ");
    CHECK(assay_tokenizer_first(t, &first) == 1 && first == 1);
}

TEST(sentencepiece_vocabulary_of_a_json)
{
    assay_tokenizer *t = blocks();
    REQUIRE(t != NULL);
    check_blocks(t);
    assay_tokenizer_free(t);
}

/* --- The packed form -------------------------------------------------------------------------------------------------
 */

static assay_tokenizer *packed_and_back(const assay_tokenizer *t)
{
    uint8_t *a = NULL, *b = NULL;
    size_t n_a = 0, n_b = 0;
    assay_tokenizer *back = NULL;
    CHECK_OK(assay_tokenizer_pack(t, &a, &n_a, NULL));
    CHECK_OK(assay_tokenizer_new(&back, a, n_a, NULL));
    if (back) CHECK_OK(assay_tokenizer_pack(back, &b, &n_b, NULL));
    if (CHECK_EQ_U64(n_a, n_b)) CHECK_EQ_MEM(a, b, n_a);
    assay_mem_free(a);
    assay_mem_free(b);
    return back;
}

TEST(packed_form_keeps_everything)
{
    assay_tokenizer *t = blocks(), *back = NULL;
    REQUIRE(t != NULL);
    back = packed_and_back(t);
    if (back) check_blocks(back);
    assay_tokenizer_free(back);
    assay_tokenizer_free(t);
}

TEST(packed_form_cut_off_anywhere_is_refused_and_changed_bytes_do_no_harm)
{
    assay_tokenizer *t = blocks(), *back = NULL;
    uint8_t *p = NULL;
    size_t n = 0, refused = 0;
    REQUIRE(t != NULL);
    REQUIRE_OK(assay_tokenizer_pack(t, &p, &n, NULL));
    for (size_t cut = 0; cut < n; cut++) {
        CHECK(assay_tokenizer_new(&back, p, cut, NULL) != ASSAY_OK);
        CHECK(back == NULL);
    }
    for (size_t i = 0; i < 8 * n; i++) {
        p[i / 8] ^= (uint8_t)(1 << i % 8);
        if (assay_tokenizer_new(&back, p, n, NULL) == ASSAY_OK) {
            uint32_t *ids = NULL;
            size_t n_ids;
            CHECK_OK(assay_tokenizer_encode(back, "ab <s>\xc3", 7, 1, &ids, &n_ids, NULL));
            assay_mem_free(ids);
            assay_tokenizer_free(back);
        } else {
            refused++;
        }
        p[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    CHECK(refused > 8 * n / 4);
    assay_mem_free(p);
    assay_tokenizer_free(t);
}

static void packed_refused(size_t at, uint8_t value, assay_status want, const char *says)
{
    assay_tokenizer *t = blocks(), *back = NULL;
    uint8_t *p = NULL;
    size_t n = 0;
    char message[512];
    assay_errinfo err = {0};
    REQUIRE(t != NULL);
    REQUIRE_OK(assay_tokenizer_pack(t, &p, &n, NULL));
    p[at] = value;
    CHECK_STATUS(assay_tokenizer_new(&back, p, n, &err), want);
    assay_errinfo_text(&err, message, sizeof message);
    if (!CHECK(strstr(message, says) != NULL)) printf("    message: %s\n", message);
    assay_mem_free(p);
    assay_tokenizer_free(t);
}

TEST(packed_forms_of_later_versions_are_refused_by_what_is_new)
{
    packed_refused(8, 2, ASSAY_EUNSUPPORTED, "unknown version (2)");
    packed_refused(13, 0x80, ASSAY_EUNSUPPORTED, "unknown rules");
    packed_refused(16, 1, ASSAY_EUNSUPPORTED, "unknown step");
    packed_refused(16, 7, ASSAY_EUNSUPPORTED, "unknown rules");
    packed_refused(21, 200, ASSAY_EFORMAT, "outside the vocabulary");
    packed_refused(29, 99, ASSAY_EUNSUPPORTED, "unknown chat template");
}

/* --- GGUF -----------------------------------------------------------------------------------------------------------
 */

/* Values of a file in the making; count is their number. */
typedef struct values {
    assay_writer w;
    uint64_t count;
} values;

static void put_string(assay_writer *w, const char *s)
{
    assay_write_u64(w, strlen(s));
    assay_write_bytes(w, s, strlen(s));
}

static void put_key(values *v, const char *key, uint32_t type)
{
    put_string(&v->w, key);
    assay_write_u32(&v->w, type);
    v->count++;
}

static void put_text(values *v, const char *key, const char *text)
{
    put_key(v, key, ASSAY_GGUF_STRING);
    put_string(&v->w, text);
}

static void put_list(values *v, const char *key, uint32_t type, uint64_t n)
{
    put_key(v, key, ASSAY_GGUF_ARRAY);
    assay_write_u32(&v->w, type);
    assay_write_u64(&v->w, n);
}

static void put_id(values *v, const char *key, uint32_t id)
{
    put_key(v, key, ASSAY_GGUF_U32);
    assay_write_u32(&v->w, id);
}

static assay_status read_values(assay_tokenizer **t, values *v, assay_errinfo *err)
{
    assay_writer file;
    assay_gguf g;
    assay_writer_init(&file, 1 << 16);
    assay_write_bytes(&file, "GGUF", 4);
    assay_write_u32(&file, 3);
    assay_write_u64(&file, 0);
    assay_write_u64(&file, v->count);
    assay_write_bytes(&file, v->w.p, v->w.n);
    *t = NULL;
    assay_status s = assay_gguf_parse(&g, "file", file.p, file.n, err);
    if (s == ASSAY_OK) s = assay_tokenizer_of_gguf(t, &g, err);
    assay_gguf_clear(&g);
    assay_writer_clear(&file);
    assay_writer_clear(&v->w);
    return s;
}

/* The vocabulary of blocks_json with scores: high ones first. */
static void put_scored(values *v, float score_of_ab)
{
    static const char *const pieces[] = {"<unk>", "<s>",           "<0xC3>", "<0xA9>", ASSAY_BLOCK, "a",
                                         "b",     ASSAY_BLOCK "a", "ab",     "aa",     "aaa"};
    static const uint32_t types[] = {2, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1};
    const float scores[] = {0, 0, 0, 0, -9, -9, -9, -2, score_of_ab, -3, -4};
    const uint32_t n = sizeof pieces / sizeof *pieces;
    assay_writer_init(&v->w, 1 << 16);
    put_text(v, "tokenizer.ggml.model", "llama");
    put_list(v, "tokenizer.ggml.tokens", ASSAY_GGUF_STRING, n);
    for (uint32_t i = 0; i < n; i++) put_string(&v->w, pieces[i]);
    put_list(v, "tokenizer.ggml.token_type", ASSAY_GGUF_I32, n);
    for (uint32_t i = 0; i < n; i++) assay_write_u32(&v->w, types[i]);
    put_list(v, "tokenizer.ggml.scores", ASSAY_GGUF_F32, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &scores[i], 4);
        assay_write_u32(&v->w, bits);
    }
    put_id(v, "tokenizer.ggml.bos_token_id", 1);
    put_id(v, "tokenizer.ggml.unknown_token_id", 0);
}

TEST(sentencepiece_vocabulary_of_a_gguf_equals_that_of_the_json)
{
    values v = {.count = 0};
    assay_tokenizer *t = NULL, *back = NULL;
    put_scored(&v, -1);
    REQUIRE_OK(read_values(&t, &v, NULL));
    check_blocks(t);
    back = packed_and_back(t);
    if (back) check_blocks(back);
    assay_tokenizer_free(back);
    assay_tokenizer_free(t);
}

TEST(equal_scores_merge_from_the_left)
{
    values v = {.count = 0};
    assay_tokenizer *t = NULL;
    put_scored(&v, -2); /* as much as that of the block and a */
    REQUIRE_OK(read_values(&t, &v, NULL));
    check_ids(t, "ab", (const uint32_t[]){7, 6}, 2);
    check_ids(t, "bab", (const uint32_t[]){4, 6, 8}, 3);
    assay_tokenizer_free(t);
}

/* Letters with merges, type gpt2. */
static void put_byte_level(values *v, const char *pre)
{
    static const char *const tokens[] = {"a", "b", "1", "\xc4\xa0", "ab", "\xc4\xa0\x61", "11", "<e>", "<b>"};
    static const uint32_t types[] = {1, 1, 1, 1, 1, 1, 1, 3, 4};
    static const char *const merges[] = {"a b", "\xc4\xa0 a", "1 1"};
    assay_writer_init(&v->w, 1 << 16);
    put_text(v, "tokenizer.ggml.model", "gpt2");
    if (pre) put_text(v, "tokenizer.ggml.pre", pre);
    put_list(v, "tokenizer.ggml.tokens", ASSAY_GGUF_STRING, 9);
    for (int i = 0; i < 9; i++) put_string(&v->w, tokens[i]);
    put_list(v, "tokenizer.ggml.token_type", ASSAY_GGUF_I32, 9);
    for (int i = 0; i < 9; i++) assay_write_u32(&v->w, types[i]);
    put_list(v, "tokenizer.ggml.merges", ASSAY_GGUF_STRING, 3);
    for (int i = 0; i < 3; i++) put_string(&v->w, merges[i]);
}

TEST(byte_level_vocabularies_of_a_gguf_cut_by_name)
{
    values v = {.count = 0};
    assay_tokenizer *t = NULL;
    put_byte_level(&v, "smollm");
    REQUIRE_OK(read_values(&t, &v, NULL));
    check_ids(t, "ab11 a<e><b>", (const uint32_t[]){4, 2, 2, 5, 7, 8}, 6);
    assay_tokenizer_free(t);
    v = (values){.count = 0};
    put_byte_level(&v, "gpt-2");
    REQUIRE_OK(read_values(&t, &v, NULL));
    check_ids(t, "ab11 a", (const uint32_t[]){4, 6, 5}, 3);
    assay_tokenizer_free(t);
}

static void gguf_refused(values v, assay_status want, const char *says)
{
    char message[512];
    assay_tokenizer *t = NULL;
    assay_errinfo err = {0};
    CHECK_STATUS(read_values(&t, &v, &err), want);
    assay_errinfo_text(&err, message, sizeof message);
    if (!CHECK(strstr(message, says) != NULL)) printf("    message: %s\n    wanted: %s\n", message, says);
    assay_tokenizer_free(t);
}

TEST(vocabularies_of_a_gguf_that_are_not_handled_are_refused_by_key)
{
    values v = {.count = 0};
    put_byte_level(&v, NULL);
    gguf_refused(v, ASSAY_EUNSUPPORTED, "tokenizer.ggml.pre: is missing");
    v = (values){.count = 0};
    put_byte_level(&v, "tekken");
    gguf_refused(v, ASSAY_EUNSUPPORTED, "tokenizer.ggml.pre");
    v = (values){.count = 0};
    assay_writer_init(&v.w, 1 << 16);
    put_text(&v, "tokenizer.ggml.model", "bert");
    gguf_refused(v, ASSAY_EUNSUPPORTED, "tokenizer.ggml.model");
    v = (values){.count = 0};
    put_scored(&v, NAN);
    gguf_refused(v, ASSAY_EFORMAT, "tokenizer.ggml.scores");
    v = (values){.count = 0};
    put_scored(&v, -1);
    put_id(&v, "tokenizer.ggml.eos_token_id", 11);
    gguf_refused(v, ASSAY_EFORMAT, "tokenizer.ggml.eos_token_id");
}

/* --- What a commitment stores ---------------------------------------------------------------------------------------
 */

static void write_file(const char *name, const void *p, size_t n)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", assay_test_tmpdir(), name);
    CHECK_OK(assay_file_write(path, p, n, 0600, NULL));
}

static bool is_packed(const uint8_t *p, size_t n)
{
    return n > 8 && memcmp(p, ASSAY_TOKENIZER_MAGIC, 8) == 0;
}

TEST(a_folder_s_tokenizer_is_stored_as_it_is_unless_other_files_say_more)
{
    static const char config[] = "{\"bos_token\":\"<s>\",\"chat_template\":\"{{ messages }}\"}";
    uint8_t *p = NULL;
    size_t n = 0;
    assay_tokenizer *t = NULL;
    write_file("tokenizer.json", blocks_json, sizeof blocks_json - 1);
    REQUIRE_OK(assay_tokenizer_file(&p, &n, assay_test_tmpdir(), NULL));
    if (CHECK_EQ_U64(n, sizeof blocks_json - 1)) CHECK_EQ_MEM(p, blocks_json, n);
    assay_mem_free(p);
    write_file("tokenizer_config.json", config, sizeof config - 1);
    REQUIRE_OK(assay_tokenizer_file(&p, &n, assay_test_tmpdir(), NULL));
    CHECK(is_packed(p, n));
    REQUIRE_OK(assay_tokenizer_new(&t, p, n, NULL));
    check_blocks(t);
    CHECK_EQ_U64(assay_tokenizer_chat(t)->family, ASSAY_CHAT_UNKNOWN);
    assay_mem_free(p);
    assay_tokenizer_free(t);
    write_file("tokenizer_config.json", "[", 1);
    CHECK_STATUS(assay_tokenizer_file(&p, &n, assay_test_tmpdir(), NULL), ASSAY_EFORMAT);
    CHECK(p == NULL && n == 0);
}

TEST(a_gguf_file_s_tokenizer_is_stored_packed)
{
    char path[1024];
    uint8_t *p = NULL;
    size_t n = 0;
    uint32_t first;
    assay_tokenizer *t = NULL;
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/tokenizer_gguf/smollm", assay_test_source_dir());
    REQUIRE_OK(assay_tokenizer_file(&p, &n, path, NULL));
    CHECK(is_packed(p, n));
    REQUIRE_OK(assay_tokenizer_new(&t, p, n, NULL));
    CHECK_EQ_U64(assay_tokenizer_chat(t)->family, ASSAY_CHAT_CHATML);
    CHECK(assay_tokenizer_first(t, &first) == 0);
    assay_mem_free(p);
    assay_tokenizer_free(t);
}
