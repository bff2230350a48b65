/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints, one by one. */
#include "groth16/witness.h"
#include "base/mem.h"
#include "base/subject.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 4096, AT_ONCE = 64 * GRAIN, MOST_NAMES = 8 };

typedef struct checking {
    const assay_r1cs *c;
    const assay_scalar *w;
    uint32_t first;
    atomic_uint_fast32_t violated; /* the least so far */
} checking;

/* <row, w>, plain: the product of a coefficient's Montgomery form with a plain value is plain. */
static assay_fr row_sum(const assay_r1cs *c, uint32_t i, unsigned m, const assay_scalar *w)
{
    const uint32_t *wire, *value;
    const uint32_t n = assay_r1cs_row(c, i, m, &wire, &value);
    assay_fr sum = {{0}};
    for (uint32_t t = 0; t < n; t++) {
        assay_fr x;
        memcpy(x.l, w[wire[t]], sizeof x.l);
        if ((x.l[0] | x.l[1] | x.l[2] | x.l[3]) == 0) continue;
        sum = c->curve->fr_add(sum, c->curve->fr_mul(c->values.v[value[t]], x));
    }
    return sum;
}

static void check_range(void *ctx, size_t begin, size_t end)
{
    checking *k = ctx;
    const assay_curve *curve = k->c->curve;
    static const assay_fr plain_one = {{1}};
    for (uint32_t i = k->first + (uint32_t)begin; i < k->first + (uint32_t)end; i++) {
        /* Both sides are divided by R. */
        const assay_fr ab = curve->fr_mul(row_sum(k->c, i, ASSAY_R1CS_A, k->w), row_sum(k->c, i, ASSAY_R1CS_B, k->w));
        const assay_fr c = curve->fr_mul(row_sum(k->c, i, ASSAY_R1CS_C, k->w), plain_one);
        if (memcmp(&ab, &c, sizeof ab) == 0) continue;
        uint_fast32_t least = atomic_load(&k->violated);
        while (i < least && !atomic_compare_exchange_weak(&k->violated, &least, i)) continue;
        return;
    }
}

assay_status assay_groth16_violated(uint32_t *violated, const assay_r1cs *c, const assay_wtns *w, assay_pool *pool,
                                    const assay_progress *progress, assay_errinfo *err)
{
    checking k = {.c = c, .w = (const assay_scalar *)w->w};
    *violated = 0;
    if (w->curve->id != c->curve->id)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "witness", "is over another field than the circuit");
    if (w->n != c->n_wires)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "witness",
                           "has another number of values than the circuit has wires (values, wires)", w->n, c->n_wires);
    atomic_init(&k.violated, c->n_constraints);
    for (uint32_t at = 0, n; at < c->n_constraints; at += n) {
        n = c->n_constraints - at < AT_ONCE ? c->n_constraints - at : AT_ONCE;
        assay_status s =
            assay_progress_tell(progress, "checking the witness", (double)at / (double)c->n_constraints, err);
        if (s != ASSAY_OK) return s;
        k.first = at;
        assay_pool_range(pool, n, GRAIN, check_range, &k);
        if (atomic_load(&k.violated) < c->n_constraints) break;
    }
    *violated = (uint32_t)atomic_load(&k.violated);
    return ASSAY_OK;
}

/* ---- in words */

/* The distinct wires of a constraint, at most MOST_NAMES; how many there are in all goes to *all. The constant is left
 * out. */
static size_t find_wires(assay_symbol symbol[MOST_NAMES], const assay_r1cs *c, uint32_t i, size_t *all)
{
    static const unsigned order[] = {ASSAY_R1CS_C, ASSAY_R1CS_A, ASSAY_R1CS_B};
    size_t n = 0;
    *all = 0;
    for (size_t m = 0; m < ASSAY_R1CS_MATRICES; m++) {
        const uint32_t *wire, *value;
        const uint32_t terms = assay_r1cs_row(c, i, order[m], &wire, &value);
        for (uint32_t t = 0; t < terms; t++) {
            bool known = wire[t] == 0;
            for (size_t k = 0; k < n; k++) known = known || symbol[k].wire == wire[t];
            if (known) continue;
            ++*all;
            if (n < MOST_NAMES) symbol[n++].wire = wire[t];
        }
    }
    return n;
}

assay_status assay_groth16_constraint_text(char *out, size_t nbytes, const assay_r1cs *c, uint32_t i, const char *sym,
                                           assay_errinfo *err)
{
    assay_symbol symbol[MOST_NAMES];
    size_t all;
    memset(symbol, 0, sizeof symbol);
    const size_t n = find_wires(symbol, c, i, &all);
    assay_status s = sym ? assay_symbols_find(symbol, n, sym, err) : ASSAY_OK;
    int at = snprintf(out, nbytes, "constraint %u", (unsigned)i);
    for (size_t k = 0; s == ASSAY_OK && k < n && at >= 0 && (size_t)at < nbytes; k++) {
        const char *separator = k == 0 ? " with " : ", ";
        const size_t left = nbytes - (size_t)at;
        const int more = symbol[k].name[0] ? snprintf(out + at, left, "%s%s", separator, symbol[k].name)
                                           : snprintf(out + at, left, "%swire %u", separator, (unsigned)symbol[k].wire);
        at = more < 0 ? more : at + more;
    }
    if (s == ASSAY_OK && all > n && at >= 0 && (size_t)at < nbytes)
        (void)snprintf(out + at, nbytes - (size_t)at, " and others");
    return s;
}

/* The key publishes its first n_public wires: with a key of another circuit these may be private ones. */
static assay_status fits(const assay_zkey *key, const assay_r1cs *c, const char *r1cs, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    const uint32_t n_public = assay_r1cs_n_public(c);
    if (key->n_public != n_public)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject_of(subject, r1cs, "number of public values"),
                           "is not that of the key (circuit, key)", n_public, key->n_public);
    if (key->n_vars != c->n_wires)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject_of(subject, r1cs, "number of wires"),
                           "is not that of the key (circuit, key)", c->n_wires, key->n_vars);
    if ((uint64_t)c->n_constraints + n_public + 1 > key->domain)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject_of(subject, r1cs, "number of constraints"),
                           "is more than the key's domain holds (constraints, domain)", c->n_constraints, key->domain);
    return ASSAY_OK;
}

assay_status assay_groth16_witness_check(char *text, size_t nbytes, const char *r1cs, const char *sym,
                                         const assay_zkey *key, const assay_wtns *w, uint64_t memory, uint64_t beside,
                                         assay_pool *pool, const assay_progress *progress, assay_errinfo *err)
{
    assay_r1cs c = {0};
    assay_subprogress part;
    uint32_t violated = 0;
    text[0] = 0;
    assay_progress inner = assay_progress_part(&part, progress, 0, 0.7);
    assay_status s = assay_r1cs_read_within(&c, r1cs, memory, beside, &inner, err);
    if (s == ASSAY_OK && key) s = fits(key, &c, r1cs, err);
    inner = assay_progress_part(&part, progress, 0.7, 1);
    if (s == ASSAY_OK) s = assay_groth16_violated(&violated, &c, w, pool, &inner, err);
    if (s == ASSAY_OK && violated < c.n_constraints)
        s = assay_groth16_constraint_text(text, nbytes, &c, violated, sym, err);
    if (s != ASSAY_OK) text[0] = 0;
    assay_r1cs_clear(&c);
    return s;
}
