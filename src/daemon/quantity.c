/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and durations as text. */
#include "daemon/quantity.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct unit {
    const char *name;
    uint64_t value;
} unit;

/* In falling order; the names that are written come first. */
static const unit sizes[] = {
    {"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1},
    {"T", 1ull << 40},   {"G", 1ull << 30},   {"M", 1ull << 20},   {"K", 1ull << 10},   {NULL, 0}};
static const unit durations[] = {{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}, {NULL, 0}};

static bool parse(uint64_t *out, const char *text, const unit *units)
{
    uint64_t v = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (INT64_MAX - 9) / 10) return false;
        v = 10 * v + (uint64_t)(*p - '0');
    }
    if (p == text || (*text == '0' && p > text + 1)) return false;
    while (units->name && strcmp(units->name, p) != 0) units++;
    if (!units->name || v > (uint64_t)INT64_MAX / units->value) return false;
    *out = v * units->value;
    return true;
}

/* In the largest unit that divides it; 0 in the smallest. */
static const char *text_of(char out[ASSAY_QUANTITY_BYTES], uint64_t v, const unit *units)
{
    while (units->value > 1 && (v == 0 || v % units->value != 0)) units++;
    (void)snprintf(out, ASSAY_QUANTITY_BYTES, "%" PRIu64 "%s", v / units->value, units->name);
    return out;
}

bool assay_size_parse(uint64_t *nbytes, const char *text)
{
    return parse(nbytes, text, sizes);
}

bool assay_duration_parse(uint64_t *ms, const char *text)
{
    return parse(ms, text, durations);
}

const char *assay_size_text(char out[ASSAY_QUANTITY_BYTES], uint64_t nbytes)
{
    return text_of(out, nbytes, sizes);
}

const char *assay_duration_text(char out[ASSAY_QUANTITY_BYTES], uint64_t ms)
{
    return text_of(out, ms, durations);
}
