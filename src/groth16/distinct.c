/* SPDX-License-Identifier: Apache-2.0 */
#include "groth16/distinct.h"
#include "base/mem.h"

enum { SLOTS = 2 * ASSAY_DISTINCT_SAMPLE };

assay_status assay_distinct_init(assay_distinct *d, const char *name, assay_errinfo *err)
{
    *d = (assay_distinct){.slot = assay_mem_alloc(SLOTS, sizeof *d->slot)};
    return d->slot ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
}

void assay_distinct_clear(assay_distinct *d)
{
    assay_mem_free(d->slot);
    *d = (assay_distinct){0};
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood, 2014) over the limbs. Whoever makes elements meet makes the estimate
 * too small, and a job of theirs run out of memory. */
static uint64_t hash_of(const assay_fr *x)
{
    uint64_t h = 0;
    for (unsigned i = 0; i < ASSAY_FR_LIMBS; i++) {
        h = (h ^ x->l[i]) + UINT64_C(0x9E3779B97F4A7C15);
        h = (h ^ h >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
        h ^= h >> 31;
    }
    return h ? h : 1;
}

void assay_distinct_add(assay_distinct *d, const assay_fr *x)
{
    const uint64_t h = hash_of(x);
    size_t at = (size_t)h % SLOTS;
    if (d->seen == ASSAY_DISTINCT_SAMPLE) return;
    d->seen++;
    while (d->slot[at] && d->slot[at] != h) at = (at + 1) % SLOTS;
    if (d->slot[at]) return;
    d->slot[at] = h;
    d->distinct++;
}

uint64_t assay_distinct_estimate(const assay_distinct *d, uint64_t all)
{
    if (all <= d->seen || d->seen == 0) return d->distinct;
    return all / d->seen * d->distinct + all % d->seen * d->distinct / d->seen; /* all < 2^32: no more than all */
}
