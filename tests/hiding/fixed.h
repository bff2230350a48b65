/* SPDX-License-Identifier: Apache-2.0 */
/* Challenges that do not depend on messages, and a record of what a prover reveals. */
#ifndef ASSAY_TESTS_HIDING_FIXED_H
#define ASSAY_TESTS_HIDING_FIXED_H

#include "commit/channel.h"

/* Hook for assay_tamper.challenge, ctx a fixed_challenges (or a struct that starts with one): a challenge becomes a
 * function of the seed and of how many were drawn before. With vary set, those of that label depend on vary_seed too.
 */
typedef struct fixed_challenges {
    uint64_t seed, n_drawn, vary_seed;
    const char *vary;
} fixed_challenges;
void fixed_challenge(void *ctx, const char *label, assay_transcript *tr);

/* One message: words of F, or bytes of a root widened to words. */
typedef struct record_item {
    char label[32];
    size_t first, n; /* words */
} record_item;

/* Everything a prover sends, in order, with fixed challenges. Roots are recorded as items of 32 words. */
typedef struct record {
    fixed_challenges fixed;
    uint32_t *words;
    record_item *item;
    size_t n_words, n_items, cap_words, cap_items;
} record;
void record_init(record *r, uint64_t seed);
void record_clear(record *r);
/* All hooks; r is their context. */
assay_tamper record_hooks(record *r);
/* The same without fixed challenges. */
assay_tamper record_hooks_free(record *r);

/* Whether the item begins with this label. */
bool record_is(const record_item *item, const char *label);

#endif
