/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 that may be broken, character classes, normal form C, and the cutting rules. The tables are compared with the
 * character database, and the rules with other implementations, by tests/interop/test_tokenizers.py. */
#include "base/mem.h"
#include "model/pretokenize.h"
#include "model/unicode.h"
#include "unit/harness.h"
#include <stdio.h>
#include <string.h>

static void check_read(const char *s, size_t n, uint32_t want, size_t want_len)
{
    size_t len = 0;
    CHECK_EQ_U64(assay_utf8_read((const uint8_t *)s, n, &len), want);
    CHECK_EQ_U64(len, want_len);
}

TEST(utf8_is_read_or_broken_byte_by_byte)
{
    check_read("A", 1, 'A', 1);
    check_read("\xc3\xa9", 2, 0xe9, 2);
    check_read("\xe2\x96\x81x", 4, 0x2581, 3);
    check_read("\xf4\x8f\xbf\xbf", 4, 0x10ffff, 4);
    check_read("\x80", 1, ASSAY_BROKEN_BYTE, 1);
    check_read("\xc3", 1, ASSAY_BROKEN_BYTE, 1);             /* cut off */
    check_read("\xc3(", 2, ASSAY_BROKEN_BYTE, 1);            /* no continuation */
    check_read("\xc0\x80", 2, ASSAY_BROKEN_BYTE, 1);         /* overlong */
    check_read("\xe0\x80\x80", 3, ASSAY_BROKEN_BYTE, 1);     /* overlong */
    check_read("\xed\xa0\x80", 3, ASSAY_BROKEN_BYTE, 1);     /* surrogate */
    check_read("\xf4\x90\x80\x80", 4, ASSAY_BROKEN_BYTE, 1); /* above the last character */
    check_read("\xff", 1, ASSAY_BROKEN_BYTE, 1);
}

TEST(writing_undoes_reading_and_reading_back_finds_the_start)
{
    uint8_t bytes[5] = {'x'};
    for (uint32_t c = 0; c < ASSAY_BROKEN_BYTE; c += c < 0x1000 ? 1 : 251) {
        if (c >= 0xd800 && c < 0xe000) continue;
        size_t len = 0, n = assay_utf8_write(bytes + 1, c);
        if (!CHECK(assay_utf8_read(bytes + 1, n, &len) == c && len == n)) return;
        if (!CHECK_EQ_U64(assay_utf8_before(bytes, n + 1), 1)) return;
    }
    CHECK_EQ_U64(assay_utf8_before((const uint8_t *)"a\xa9", 2), 1);
    CHECK_EQ_U64(assay_utf8_before((const uint8_t *)"a\xc3", 2), 1);
}

TEST(classes_of_characters)
{
    CHECK_EQ_U64(assay_char_class('q'), ASSAY_CHAR_LETTER | ASSAY_CHAR_WORD);
    CHECK_EQ_U64(assay_char_class('7'), ASSAY_CHAR_NUMBER | ASSAY_CHAR_WORD);
    CHECK_EQ_U64(assay_char_class('_'), ASSAY_CHAR_WORD);
    CHECK_EQ_U64(assay_char_class('\n'), ASSAY_CHAR_SPACE);
    CHECK_EQ_U64(assay_char_class('@'), 0);
    CHECK_EQ_U64(assay_char_class('['), 0);
    CHECK_EQ_U64(assay_char_class('`'), 0);
    CHECK_EQ_U64(assay_char_class(0x1f), 0);
    CHECK_EQ_U64(assay_char_class(0xe9), ASSAY_CHAR_LETTER | ASSAY_CHAR_WORD);
    CHECK_EQ_U64(assay_char_class(0x4e00), ASSAY_CHAR_LETTER | ASSAY_CHAR_WORD);
    CHECK_EQ_U64(assay_char_class(0xbd), ASSAY_CHAR_NUMBER); /* one half: a number, no part of a word */
    CHECK_EQ_U64(assay_char_class(0x3000), ASSAY_CHAR_SPACE);
    CHECK_EQ_U64(assay_char_class(0x301), ASSAY_CHAR_WORD | ASSAY_CHAR_UNSTABLE);
    CHECK_EQ_U64(assay_char_class(0x24d0), ASSAY_CHAR_WORD); /* circled a */
    CHECK_EQ_U64(assay_char_class(0x1f600), 0);
    CHECK_EQ_U64(assay_char_class(0x10ffff), 0);
    CHECK_EQ_U64(assay_char_class(ASSAY_BROKEN_BYTE), 0);
    /* The short way for ASCII is that of the table. */
    for (uint32_t c = 0; c < 0x80; c++)
        CHECK_EQ_U64(assay_char_class(c), assay_range_value(assay_unicode_classes, assay_unicode_classes_count, c));
}

static void check_nfc(const char *text, const char *want)
{
    size_t n = strlen(text);
    uint8_t *out = assay_mem_alloc(n, ASSAY_NFC_GROWTH);
    uint64_t *work = assay_mem_alloc(n, ASSAY_NFC_WORK * sizeof *work);
    REQUIRE(out && work);
    size_t len = assay_nfc(out, work, (const uint8_t *)text, n);
    CHECK(len == strlen(want) && memcmp(out, want, len) == 0);
    if (strcmp(text, want) != 0) CHECK(!assay_nfc_is_stable((const uint8_t *)text, n));
    assay_mem_free(out);
    assay_mem_free(work);
}

TEST(normal_form_c)
{
    check_nfc("plain", "plain");
    check_nfc("e\xcc\x81", "\xc3\xa9");
    check_nfc("\xc3\xa9", "\xc3\xa9");
    check_nfc("a\xcc\x81\xcc\xa7", "\xc3\xa1\xcc\xa7");                /* marks in order: cedilla, acute */
    check_nfc("c\xcc\x81\xcc\xa7", "\xe1\xb8\x89");                    /* both compose */
    check_nfc("\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8", "\xea\xb0\x81"); /* Hangul */
    check_nfc("\xea\xb0\x80\xe1\x86\xa8", "\xea\xb0\x81");             /* syllable and trailing consonant */
    check_nfc("\xe2\x84\xab", "\xc3\x85");                             /* singleton: angstrom */
    check_nfc("\xf0\x9d\x85\xa0", "\xf0\x9d\x85\x98\xf0\x9d\x85\xa5\xf0\x9d\x85\xae"); /* excluded: grows threefold */
    check_nfc("\xff\xcc\x81"
              "e\xfe\xcc\x81",
              "\xff\xcc\x81"
              "e\xfe\xcc\x81"); /* broken bytes compose with nothing */
    CHECK(assay_nfc_is_stable((const uint8_t *)"\xe6\x97\xa5\xff", 4));
}

/* pieces: the text with a bar at each cut. */
static void check_cut(assay_cut cut, const char *pieces)
{
    uint8_t text[256];
    size_t n = 0, cuts[64], n_cuts = 0, at = 0;
    for (const char *p = pieces; *p; p++) {
        if (*p == '|')
            cuts[n_cuts++] = n;
        else
            text[n++] = (uint8_t)*p;
    }
    cuts[n_cuts++] = n;
    for (size_t i = 0; i < n_cuts && at < n; i++) {
        at += assay_cut_next(cut, text + at, n - at);
        if (!CHECK_EQ_U64(at, cuts[i])) printf("    %s\n", pieces);
    }
    CHECK_EQ_U64(at, n);
}

TEST(cutting_rules)
{
    check_cut(ASSAY_CUT_GPT2, "I|'ve| 12|a|  | b| ?!'|s|\n|\n|x|  ");
    check_cut(ASSAY_CUT_GPT2, "I|'|VE| caf\xc3\xa9| \xe6\x97\xa5|\xff\xfe");
    check_cut(ASSAY_CUT_GPT2, "'|r");
    check_cut(ASSAY_CUT_GPT2, "a|\xe3\x80\x80|\xe3\x80\x80|b");
    check_cut(ASSAY_CUT_LLAMA3, "I|'VE| |123|45| b|\tc| ?!\n\n|x| \n| | y");
    check_cut(ASSAY_CUT_LLAMA3, "it|'\xc5\xbf| \n \n|  | z|(w|\n|q| ");
    check_cut(ASSAY_CUT_QWEN2, "1|2|3|.x| |4");
    check_cut(ASSAY_CUT_EACH_DIGIT, "ab|1|2|c |\xc2\xbd");
    check_cut(ASSAY_CUT_NUMBERS, "ab|12|c");
}

TEST(patterns_are_known_by_their_text)
{
    CHECK_EQ_U64(
        assay_cut_of_pattern("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"),
        ASSAY_CUT_GPT2);
    CHECK_EQ_U64(assay_cut_of_pattern("\\s+"), 0);
    CHECK_EQ_U64(assay_cut_of_pattern(""), 0);
}
