/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json: the example's tokenizer, merges against a slow greedy loop, added tokens, rules, and refusals. */
#include "base/file.h"
#include "base/mem.h"
#include "model/tokenizer_impl.h"
#include "unit/harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_BYTES = 1 << 16 };

static assay_tokenizer *tiny(void)
{
    char path[1024];
    uint8_t *json = NULL;
    size_t n = 0;
    assay_tokenizer *t = NULL;
    snprintf(path, sizeof path, "%s/examples/tiny/tokenizer.json", assay_test_source_dir());
    CHECK_OK(assay_file_read(path, 1 << 20, &json, &n, NULL));
    if (json) CHECK_OK(assay_tokenizer_new(&t, json, n, NULL));
    assay_mem_free_secret(json, n);
    return t;
}

static void check_ids(const assay_tokenizer *t, const char *text, size_t n, int special, const uint32_t *want,
                      size_t n_want)
{
    uint32_t *ids = NULL;
    size_t n_ids = 0;
    CHECK_OK(assay_tokenizer_encode(t, text, n, special, &ids, &n_ids, NULL));
    CHECK_EQ_U64(n_ids, n_want);
    for (size_t i = 0; i < n_ids && i < n_want; i++) CHECK_EQ_U64(ids[i], want[i]);
    assay_mem_free(ids);
}

TEST(the_example_encodes_bytes_as_themselves)
{
    assay_tokenizer *t = tiny();
    char text[512], *back = NULL;
    uint32_t *ids = NULL;
    size_t n = 0, n_ids = 0;
    REQUIRE(t != NULL);
    CHECK_EQ_U64(assay_tokenizer_vocab(t), 258);
    for (int i = 0; i < 512; i++) text[i] = (char)(i & 255);
    REQUIRE_OK(assay_tokenizer_encode(t, text, sizeof text, 1, &ids, &n_ids, NULL));
    CHECK_EQ_U64(n_ids, 512);
    for (size_t i = 0; i < n_ids; i++) CHECK_EQ_U64(ids[i], i & 255);
    CHECK_OK(assay_tokenizer_decode(t, ids, n_ids, &back, &n, NULL));
    CHECK(n == sizeof text && memcmp(back, text, n) == 0 && back[n] == 0);
    assay_mem_free(ids);
    assay_mem_free(back);
    assay_tokenizer_free(t);
}

TEST(special_tokens_are_text_unless_asked_for)
{
    static const uint32_t plain[] = {'a', '<', 's', '>', 'b'}, special[] = {'a', 256, 'b', 257, 256};
    assay_tokenizer *t = tiny();
    char *back = NULL;
    size_t n = 0;
    REQUIRE(t != NULL);
    check_ids(t, "a<s>b", 5, 0, plain, 5);
    check_ids(t, "a<s>b</s><s>", 12, 1, special, 5);
    check_ids(t, "", 0, 1, NULL, 0);
    CHECK_OK(assay_tokenizer_decode(t, special, 5, &back, &n, NULL));
    CHECK_EQ_STR(back, "ab");
    assay_mem_free(back);
    CHECK_STATUS(assay_tokenizer_decode(t, (const uint32_t[]){258}, 1, &back, &n, NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_tokenizer_encode(t, "", ASSAY_MAX_TEXT_BYTES + 1, 0, &(uint32_t *){NULL}, &n, NULL),
                 ASSAY_ERANGE);
    assay_tokenizer_free(t);
}

/* A file around a vocabulary, merges and added tokens; the keys before "model" can be replaced. */
typedef struct spec {
    const char *vocab, *merges, *added, *head, *model;
} spec;

static const char plain_head[] =
    "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
    "\"use_regex\":false},\"decoder\":{\"type\":\"ByteLevel\"},\"post_processor\":null";

static assay_status make(assay_tokenizer **t, spec s, assay_errinfo *err)
{
    static char json[JSON_BYTES];
    int n = snprintf(json, sizeof json, "{\"added_tokens\":[%s],%s,\"model\":{%s,\"vocab\":{%s},\"merges\":[%s]}}",
                     s.added ? s.added : "", s.head ? s.head : plain_head, s.model ? s.model : "\"type\":\"BPE\"",
                     s.vocab, s.merges ? s.merges : "");
    CHECK(n > 0 && n < JSON_BYTES);
    return assay_tokenizer_new(t, (const uint8_t *)json, (size_t)n, err);
}

/* 0 a, 1 b, 2 c, 3 ab, 4 bc, 5 abc, 6 aa, 7 space, 8 aaaa, 9 "ca" */
static const char letters[] =
    "\"a\":0,\"b\":1,\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"aa\":6,\"\\u0120\":7,\"aaaa\":8,\"ca\":9";
static const char merges[] = "\"b c\",[\"a\",\"b\"],\"a bc\",\"ab c\",\"a a\",\"aa aa\",\"c a\"";

TEST(merges_apply_by_rank_then_from_the_left)
{
    static const uint32_t abc[] = {5}, aaa[] = {6, 0}, many[] = {8, 6, 0}, mixed[] = {5, 7, 3, 1};
    assay_tokenizer *t = NULL;
    REQUIRE_OK(make(&t, (spec){.vocab = letters, .merges = merges}, NULL));
    check_ids(t, "abc", 3, 0, abc, 1); /* bc first, then a bc */
    check_ids(t, "aaa", 3, 0, aaa, 2);
    check_ids(t, "aaaaaaa", 7, 0, many, 3);
    check_ids(t, "abc abb", 7, 0, mixed, 4);
    check_ids(t, "abzc", 4, 0, abc, 1); /* z is no token: left out */
    assay_tokenizer_free(t);
}

/* The same by the definition: again and again the lowest rank, leftmost. */
static size_t slow_merge(const assay_tokenizer *t, uint32_t *ids, size_t n)
{
    for (;;) {
        const assay_merge *best = NULL;
        size_t where = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            const assay_merge *m = merge_find(t, ids[i], ids[i + 1]);
            if (m && (!best || m->rank < best->rank)) {
                best = m;
                where = i;
            }
        }
        if (!best) return n;
        ids[where] = best->out;
        memmove(ids + where + 1, ids + where + 2, (n - where - 2) * sizeof *ids);
        n--;
    }
}

TEST(merging_by_heap_equals_the_definition)
{
    assay_tokenizer *t = NULL;
    assay_bpe_work work = {0};
    REQUIRE_OK(make(&t, (spec){.vocab = letters, .merges = merges}, NULL));
    for (int round = 0; round < 500; round++) {
        uint32_t fast[60], slow[60];
        size_t n = 1 + assay_test_random() % 60, n_fast = n;
        for (size_t i = 0; i < n; i++) fast[i] = slow[i] = (uint32_t)(assay_test_random() >> 32) % 3;
        CHECK_OK(assay_bpe_merge(t, &work, fast, &n_fast, NULL));
        n = slow_merge(t, slow, n);
        CHECK(n == n_fast && memcmp(fast, slow, n * sizeof *fast) == 0);
    }
    assay_bpe_work_clear(&work);
    assay_tokenizer_free(t);
}

TEST(added_tokens_are_cut_out_longest_first)
{
    static const char added[] =
        "{\"id\":10,\"content\":\"<x>\",\"special\":true},{\"id\":11,\"content\":\"<x>b\",\"normalized\":false},"
        "{\"id\":0,\"content\":\"a\",\"normalized\":false}";
    static const uint32_t on[] = {10, 2, 11, 10}, off[] = {11, 0, 0};
    assay_tokenizer *t = NULL;
    char *back = NULL;
    size_t n = 0;
    REQUIRE_OK(make(&t, (spec){.vocab = letters, .merges = merges, .added = added}, NULL));
    CHECK_EQ_U64(assay_tokenizer_vocab(t), 12);
    check_ids(t, "<x>c<x>b<x>", 11, 1, on, 4);
    check_ids(t, "<x>baa", 6, 0, off, 3); /* not special: found without being asked for; "a" cuts before merges */
    CHECK_OK(assay_tokenizer_decode(t, on, 4, &back, &n, NULL));
    CHECK_EQ_STR(back, "c<x>b");
    assay_mem_free(back);
    assay_tokenizer_free(t);
}

TEST(a_prefix_space_goes_before_each_piece)
{
    static const char head[] =
        "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"use_regex\":false},\"decoder\":{\"type\":\"ByteLevel\"}";
    static const uint32_t want[] = {7, 3, 10, 7, 2, 10, 10};
    assay_tokenizer *t = NULL;
    REQUIRE_OK(make(&t,
                    (spec){.vocab = letters,
                           .merges = merges,
                           .head = head,
                           .added = "{\"id\":10,\"content\":\"+\",\"special\":true}"},
                    NULL));
    check_ids(t, "ab+ c++", 7, 1, want, 7);
    assay_tokenizer_free(t);
}

static void refused(spec s, assay_status want, const char *says)
{
    char message[512];
    assay_tokenizer *t = NULL;
    assay_errinfo err = {0};
    if (!s.vocab) s.vocab = letters;
    CHECK_STATUS(make(&t, s, &err), want);
    CHECK(t == NULL);
    assay_errinfo_text(&err, message, sizeof message);
    if (!CHECK(strstr(message, says) != NULL)) printf("    message: %s\n    wanted: %s\n", message, says);
    assay_tokenizer_free(t);
}

#define LEVEL "{\"type\":\"ByteLevel\",\"use_regex\":false}"

/* A value of the file, by where it stands before "model". */
#define PRE(v)     "\"pre_tokenizer\":" v
#define DECODER(v) "\"decoder\":" v

TEST(other_tokenizers_are_refused_by_path)
{
    const assay_status u = ASSAY_EUNSUPPORTED;
    refused((spec){.model = "\"type\":\"Unigram\""}, u, "model.type");
    refused((spec){.model = "\"type\":\"BPE\",\"dropout\":0.1"}, u, "model.dropout");
    refused((spec){.model = "\"type\":\"BPE\",\"byte_fallback\":true"}, u, "model.byte_fallback");
    refused((spec){.model = "\"type\":\"BPE\",\"end_of_word_suffix\":\"</w>\""}, u, "model.end_of_word_suffix");
    refused((spec){.model = "\"type\":\"BPE\",\"continuing_subword_prefix\":\"##\""}, u,
            "model.continuing_subword_prefix");
    refused((spec){.head = "\"normalizer\":{\"type\":\"NFKC\"}," PRE(LEVEL)}, u, "normalizer");
    refused((spec){.head = "\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"_\"}," PRE(LEVEL)}, u, "normalizer");
    refused((spec){.head = PRE("null")}, u, "decoder.type");
    refused((spec){.head = PRE("{\"type\":\"Whitespace\"}")}, u, "pre_tokenizer.type");
    refused((spec){.head = PRE("{\"type\":\"Split\"}")}, u, "pre_tokenizer.behavior");
    refused((spec){.head = PRE("{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":\"x\"}}")}, u,
            "pre_tokenizer.pattern");
    refused((spec){.head = PRE("{\"type\":\"Metaspace\",\"replacement\":\"\u2581\"}")}, u, "pre_tokenizer.split");
    refused((spec){.head = PRE("{\"type\":\"Sequence\",\"pretokenizers\":[" LEVEL "," LEVEL "]}")}, u,
            "pre_tokenizer.type");
    refused((spec){.head = PRE(LEVEL)}, u, "decoder.type");
    refused((spec){.head = PRE(LEVEL) "," DECODER(LEVEL) ",\"post_processor\":{\"type\":\"BertProcessing\"}"}, u,
            "post_processor.type");
}

static void check_text(const spec *s, const char *text, const uint32_t *want, size_t n_want)
{
    assay_tokenizer *t = NULL;
    REQUIRE_OK(make(&t, *s, NULL));
    check_ids(t, text, strlen(text), 1, want, n_want);
    assay_tokenizer_free(t);
}

TEST(cutting_rules_keep_merges_inside_words)
{
    static const char words[] = "\"a\":0,\"b\":1,\"\u0120\":2,\"1\":3,\"2\":4,\"ab\":5,\"\u0120a\":6,\"12\":7,\"b1\":8,"
                                "\"\u0120\u0120\":9";
    static const char pairs[] = "\"a b\",\"\u0120 a\",\"1 2\",\"b 1\",\"\u0120 \u0120\"";
    spec s = {.vocab = words, .merges = pairs};
    check_text(&s, "a b12", (const uint32_t[]){0, 2, 1, 7}, 4); /* no rule: one word, 1 2 before b 1 */
    s.head = PRE("{\"type\":\"ByteLevel\",\"add_prefix_space\":false}") "," DECODER(LEVEL);
    check_text(&s, "a  ab1", (const uint32_t[]){0, 2, 2, 5, 3}, 5); /* GPT-2: "a", " ", " ab", "1" */
    s.head = PRE("{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\",\"individual_digits\":true},"
                 "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}]}") "," DECODER(LEVEL);
    check_text(&s, "12 a", (const uint32_t[]){3, 4, 6}, 3);
    s.head = PRE("{\"type\":\"ByteLevel\"}") "," DECODER(LEVEL);
    check_text(&s, "ab", (const uint32_t[]){2, 5}, 2);
}

TEST(a_word_that_is_a_token_needs_no_merges_where_they_are_ignored)
{
    spec s = {.vocab = "\"a\":0,\"b\":1,\"ab\":2,\"bb\":3", .merges = "\"b b\""};
    check_text(&s, "ab", (const uint32_t[]){0, 1}, 2);
    s.model = "\"type\":\"BPE\",\"ignore_merges\":true";
    check_text(&s, "ab", (const uint32_t[]){2}, 1);
    check_text(&s, "abb", (const uint32_t[]){0, 3}, 2);
}

TEST(added_tokens_take_spaces_and_ask_for_words)
{
    static const char words[] = "\"a\":0,\"b\":1,\"\u0120\":2,\"<\":3,\">\":4,\"-\":5";
    spec s = {.vocab = words, .added = "{\"id\":9,\"content\":\"<>\",\"lstrip\":true}"};
    check_text(&s, "a  <> b", (const uint32_t[]){0, 9, 2, 1}, 4);
    s.added = "{\"id\":9,\"content\":\"<>\",\"rstrip\":true}";
    check_text(&s, "a <>  b", (const uint32_t[]){0, 2, 9, 1}, 4);
    s.added = "{\"id\":9,\"content\":\"ab\",\"single_word\":true}";
    check_text(&s, "ab-ab aab abb", (const uint32_t[]){9, 5, 9, 2, 0, 0, 1, 2, 0, 1, 1}, 11);
}

TEST(text_is_brought_to_normal_form_where_the_file_says_so)
{
    static const char e_acute[] = "e\xcc\x81";
    spec s = {.vocab = "\"e\":0,\"\u00c3\":1,\"\u00a9\":2,\"\u00cc\":3,\"\u0123\":4"};
    check_text(&s, e_acute, (const uint32_t[]){0, 3, 4}, 3);
    s.head = "\"normalizer\":{\"type\":\"NFC\"}," PRE(
        "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}") "," DECODER(LEVEL);
    check_text(&s, e_acute, (const uint32_t[]){1, 2}, 2);
}

TEST(hostile_vocabularies_are_refused)
{
    const assay_status f = ASSAY_EFORMAT;
    refused((spec){.vocab = ""}, f, "model.vocab: is empty");
    refused((spec){.vocab = "\"a\":0,\"b\":0"}, f, "two tokens have one id");
    refused((spec){.vocab = "\"a\":-1"}, f, "no whole number");
    refused((spec){.vocab = "\"a\":1.5"}, f, "no whole number");
    refused((spec){.vocab = "\"a\":4000000000"}, f, "far above the number of tokens");
    refused((spec){.vocab = "\"\":0"}, f, "empty or too long");
    refused((spec){.vocab = "\"a\":0,\"a\":1"}, f, "has a member twice");
    refused((spec){.merges = "\"a\""}, f, "a merge is not of two tokens");
    refused((spec){.merges = "[\"a\"]"}, f, "a merge is not of two tokens");
    refused((spec){.merges = "7"}, f, "a merge is not of two tokens");
    refused((spec){.merges = "\"a z\""}, f, "no token");
    refused((spec){.merges = "\"b b\""}, f, "no token");
    refused((spec){.merges = "\"a b\"", .added = "{\"id\":3,\"content\":\"ab\",\"special\":true}"}, f, "no token");
    refused((spec){.merges = "\"a b c\""}, f, "no token");
    refused((spec){.merges = "\"a b\",\"a b\""}, f, "a merge comes twice");
    refused((spec){.added = "{\"id\":10}"}, f, "empty or too long");
    refused((spec){.added = "{\"content\":\"x\"}"}, f, "no whole number");
    refused((spec){.added = "7"}, f, "added_tokens: a token");
    refused((spec){.added = "{\"id\":10,\"content\":\"x\"},{\"id\":10,\"content\":\"y\"}"}, f,
            "two tokens have one id");
    refused((spec){.added = "{\"id\":3,\"content\":\"x\"}"}, f, "another id or another text");
    refused((spec){.added = "{\"id\":10,\"content\":\"ab\"}"}, f, "another id or another text");
    assay_tokenizer *t = NULL;
    CHECK_STATUS(assay_tokenizer_new(&t, (const uint8_t *)"[]", 2, NULL), ASSAY_EUNSUPPORTED);
    CHECK_STATUS(assay_tokenizer_new(&t, (const uint8_t *)"", 0, NULL), f);
}
