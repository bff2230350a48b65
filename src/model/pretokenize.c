/* SPDX-License-Identifier: Apache-2.0 */
/* The cutting rules. An alternation is tried in its order; each part below matches as a backtracking matcher would. */
#include "model/pretokenize.h"
#include "model/unicode.h"
#include <string.h>

enum { KINDS = ASSAY_CHAR_LETTER | ASSAY_CHAR_NUMBER | ASSAY_CHAR_SPACE };

#define CONTRACTIONS "'s|'t|'re|'ve|'m|'ll|'d"

assay_cut assay_cut_of_pattern(const char *pattern)
{
    static const struct {
        const char *pattern;
        assay_cut cut;
    } known[] = {
        {CONTRACTIONS "| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", ASSAY_CUT_GPT2},
        {"(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
         "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
         ASSAY_CUT_LLAMA3},
        {"(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
         "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
         ASSAY_CUT_QWEN2},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(pattern, known[i].pattern) == 0) return known[i].cut;
    return (assay_cut)0;
}

/* The class of the character at text[at], which must exist, and its length. */
static unsigned class_at(const uint8_t *text, size_t n, size_t at, size_t *len)
{
    return assay_char_class(assay_utf8_read(text + at, n - at, len));
}

/* End of the run of at most `most` characters of one of KINDS (0: of none of them) that begins at `at`. */
static size_t run_end(const uint8_t *text, size_t n, size_t at, unsigned kind, size_t most)
{
    for (size_t len; at < n && most > 0; at += len, most--)
        if ((class_at(text, n, at, &len) & KINDS) != kind) break;
    return at;
}

static bool is_line_end(uint8_t b)
{
    return b == '\r' || b == '\n';
}

/* CONTRACTIONS at text[0]; 0 when there is none. Without regard to case, the long s (U+017F) is an s too. */
static size_t contraction(const uint8_t *text, size_t n, bool any_case)
{
    static const uint8_t two[3][2] = {{'r', 'e'}, {'v', 'e'}, {'l', 'l'}};
    if (n < 2 || text[0] != '\'') return 0;
    uint8_t fold = any_case ? 0x20 : 0, a = text[1] | fold;
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
    if (n < 3) return 0;
    if (any_case && text[1] == 0xc5 && text[2] == 0xbf) return 3;
    for (size_t i = 0; i < 3; i++)
        if (a == two[i][0] && (text[2] | fold) == two[i][1]) return 3;
    return 0;
}

/* \s+(?!\S)|\s+ where text[0] is a space: all of them, or all but the last when something follows. */
static size_t spaces(const uint8_t *text, size_t n)
{
    size_t end = run_end(text, n, 0, ASSAY_CHAR_SPACE, SIZE_MAX);
    if (end == n) return end;
    size_t last = assay_utf8_before(text, end);
    return last > 0 ? last : end;
}

static size_t cut_gpt2(const uint8_t *text, size_t n)
{
    size_t len, end = contraction(text, n, false), start = text[0] == ' ' && n > 1;
    if (end) return end;
    unsigned kind = class_at(text, n, start, &len) & KINDS;
    return kind == ASSAY_CHAR_SPACE ? spaces(text, n) : run_end(text, n, start, kind, SIZE_MAX);
}

/* The pattern of Llama 3 with \p{N}{1,numbers}. */
static size_t cut_llama3(const uint8_t *text, size_t n, size_t numbers)
{
    size_t len, next, end = contraction(text, n, true);
    if (end) return end;
    unsigned kind = class_at(text, n, 0, &len) & KINDS;
    if (kind == ASSAY_CHAR_LETTER) return run_end(text, n, len, ASSAY_CHAR_LETTER, SIZE_MAX);
    if (kind == ASSAY_CHAR_NUMBER) return run_end(text, n, 0, ASSAY_CHAR_NUMBER, numbers);
    if (!is_line_end(text[0]) && len < n && (class_at(text, n, len, &next) & ASSAY_CHAR_LETTER))
        return run_end(text, n, len, ASSAY_CHAR_LETTER, SIZE_MAX);
    size_t start = text[0] == ' ';
    end = run_end(text, n, start, 0, SIZE_MAX);
    if (end > start) {
        while (end < n && is_line_end(text[end])) end++;
        return end;
    }
    /* \s*[\r\n]+: up to the last line end among the spaces. */
    end = run_end(text, n, 0, ASSAY_CHAR_SPACE, SIZE_MAX);
    while (end > 0 && !is_line_end(text[end - 1])) end--;
    return end ? end : spaces(text, n);
}

size_t assay_cut_next(assay_cut cut, const uint8_t *text, size_t n)
{
    switch (cut) {
    case ASSAY_CUT_GPT2:
        return cut_gpt2(text, n);
    case ASSAY_CUT_LLAMA3:
        return cut_llama3(text, n, 3);
    case ASSAY_CUT_QWEN2:
        return cut_llama3(text, n, 1);
    case ASSAY_CUT_NUMBERS:
    case ASSAY_CUT_EACH_DIGIT:
    case ASSAY_CUT_SPACE:
    case ASSAY_CUT_BLOCK_EACH:
    case ASSAY_CUT_BLOCK_FIRST:
    case ASSAY_CUT_BLOCK_NONE:
        break;
    }
    size_t len, end;
    unsigned number = class_at(text, n, 0, &len) & ASSAY_CHAR_NUMBER;
    if (number && cut == ASSAY_CUT_EACH_DIGIT) return len;
    for (end = len; end < n; end += len)
        if ((class_at(text, n, end, &len) & ASSAY_CHAR_NUMBER) != number) break;
    return end;
}
