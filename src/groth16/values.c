/* SPDX-License-Identifier: Apache-2.0 */
/* The table of distinct field elements: open addressing with linear probing. */
#include "groth16/values.h"
#include "base/mem.h"
#include "field/limbs.h"
#include "hash/random.h"

enum { FIRST_LOG_SLOTS = 8 };

/* NH (Black, Halevi, Krawczyk, Krovetz, Rogaway, UMAC, 1999), its high half: with keys that the maker of a file does
 * not know, two given elements meet with probability 2^-64, so nobody can prepare a file whose elements all meet. */
static size_t slot_of(const assay_values *t, const assay_fr *x)
{
    limb2 h = (limb2)(x->l[0] + t->key[0]) * (x->l[1] + t->key[1]);
    h += (limb2)(x->l[2] + t->key[2]) * (x->l[3] + t->key[3]);
    return (size_t)((uint64_t)(h ^ h >> 64) >> (64 - t->log_slots));
}

static void place(assay_values *t, uint32_t index)
{
    size_t mask = ((size_t)1 << t->log_slots) - 1, at = slot_of(t, &t->v[index]);
    while (t->slot[at]) at = (at + 1) & mask;
    t->slot[at] = index + 1;
}

assay_status assay_values_fit(const assay_values *t, uint64_t more, const char *name, assay_errinfo *err)
{
    enum { MEBIBYTE = 1 << 20 };
    if (t->memory == 0 || t->beside + more <= t->memory) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ENOMEM, name,
                       "checking the circuit needs more memory than is allowed (MiB needed, allowed)",
                       (t->beside + more + MEBIBYTE - 1) / MEBIBYTE, t->memory / MEBIBYTE);
}

static assay_status grow(assay_values *t, assay_errinfo *err)
{
    static const char what[] = "table of coefficients";
    if (t->log_slots == 0) {
        assay_status s = assay_random_bytes((uint8_t *)t->key, sizeof t->key, err);
        if (s != ASSAY_OK) return s;
    }
    unsigned log_slots = t->log_slots ? t->log_slots + 1 : FIRST_LOG_SLOTS;
    size_t cap = ((size_t)3 << log_slots) / 4;
    if (cap > UINT32_MAX - 1) return ASSAY_FAIL(err, ASSAY_ERANGE, what, "too many distinct ones");
    const uint64_t old_slots = t->slot ? (uint64_t)1 << t->log_slots : 0; /* both tables live while one is copied */
    assay_status fits = assay_values_fit(
        t, (old_slots + ((uint64_t)1 << log_slots)) * sizeof *t->slot + ((uint64_t)t->cap + cap) * sizeof *t->v, what,
        err);
    if (fits != ASSAY_OK) return fits;
    uint32_t *slot = assay_mem_alloc((size_t)1 << log_slots, sizeof *slot);
    if (!slot) return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    assay_fr *v = assay_mem_grow(t->v, t->cap, cap, sizeof *v);
    if (!v) {
        assay_mem_free(slot);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    }
    assay_mem_free(t->slot);
    t->slot = slot;
    t->v = v;
    t->cap = (uint32_t)cap;
    t->log_slots = log_slots;
    for (uint32_t i = 0; i < t->n; i++) place(t, i);
    return ASSAY_OK;
}

void assay_values_bytes(uint64_t *held, uint64_t *most, uint64_t n)
{
    unsigned log_slots = FIRST_LOG_SLOTS;
    while (((uint64_t)3 << log_slots) / 4 < n) log_slots++;
    const uint64_t slots = (uint64_t)1 << log_slots, cap = 3 * slots / 4;
    *held = cap * sizeof(assay_fr);
    *most = *held + slots * sizeof(uint32_t);
    if (log_slots > FIRST_LOG_SLOTS) *most += *most / 2; /* the table half as large, while it is copied */
}

assay_status assay_values_add(assay_values *t, uint32_t *index, assay_fr x, assay_errinfo *err)
{
    if (t->slot) {
        size_t mask = ((size_t)1 << t->log_slots) - 1;
        for (size_t at = slot_of(t, &x); t->slot[at]; at = (at + 1) & mask) {
            *index = t->slot[at] - 1;
            if (limbs_equal(t->v[*index].l, x.l, ASSAY_FR_LIMBS)) return ASSAY_OK;
        }
    }
    if (t->n == t->cap) {
        assay_status s = grow(t, err);
        if (s != ASSAY_OK) return s;
    }
    *index = t->n;
    t->v[t->n] = x;
    place(t, t->n++);
    return ASSAY_OK;
}

void assay_values_freeze(assay_values *t)
{
    assay_mem_free(t->slot);
    t->slot = NULL;
    t->log_slots = 0;
}

void assay_values_clear(assay_values *t)
{
    assay_mem_free(t->slot);
    assay_mem_free(t->v);
    *t = (assay_values){0};
}
