/* SPDX-License-Identifier: Apache-2.0 */
/* A real circuit of any size, with its witness, for measurements where no circuit compiler is: knowledge of messages
 * m_0 .. m_(n-1) with the hash h_n, by MiMC (Albrecht, Grassi, Rechberger, Roy, Tiessen: MiMC, ASIACRYPT 2016; exponent
 * 5, 110 rounds, exponent and rounds as for 254 bits) in the mode of Miyaguchi and Preneel: h_0 = 0, h_(j+1) = E_(h_j)
 * (m_j) + h_j + m_j. The witness is of full width, so that nothing is quicker than it would be for a user.
 *     make_circuit --log LOG [--curve bn254|bls12381] PREFIX      writes PREFIX.r1cs and PREFIX.wtns
 * LOG: at most 2^LOG constraints, 9 to 24. 331 constraints a message. */
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "curve/curves.h"
#include "groth16/r1cs.h"
#include "groth16/wtns.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 110, A_MESSAGE = 3 * ROUNDS + 1, TERMS_ROUND = 15, TERMS_END = 5, ONE = ROUNDS, TWO, CONSTANTS };

typedef struct maker {
    const assay_curve *c;
    uint32_t n; /* messages */
    assay_r1cs r;
    assay_wtns w;
    assay_fr constant[CONSTANTS]; /* of the rounds; 1; 2 */
    uint32_t n_terms, n_rows, next_wire;
} maker;

/* Values of rounds: SHA-256 of a label and the number, 31 bytes of it. */
static void fill_constants(maker *k)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        char label[48];
        uint8_t digest[32];
        const int n = snprintf(label, sizeof label, "assay make_circuit round %u", (unsigned)i);
        assay_sha256_digest(digest, label, (size_t)n);
        digest[31] = 0;
        (void)k->c->fr_from_bytes(&k->constant[i], digest, false);
    }
    k->constant[0] = k->c->fr_from_u64(0); /* as the paper has it */
    k->constant[ONE] = k->c->fr_from_u64(1);
    k->constant[TWO] = k->c->fr_from_u64(2);
}

static void term(maker *k, uint32_t wire, uint32_t value)
{
    k->r.wire[k->n_terms] = wire;
    k->r.value[k->n_terms++] = value;
}

static void row(maker *k)
{
    k->r.start[k->n_rows++] = k->n_terms;
}

/* The next wire, with a value. */
static uint32_t wire(maker *k, assay_fr value)
{
    k->c->fr_to_limbs(k->w.w[k->next_wire], value);
    return k->next_wire++;
}

/* x + h + constant i */
static void sum(maker *k, uint32_t x, uint32_t h, bool first, uint32_t i)
{
    row(k);
    term(k, x, ONE);
    if (!first) term(k, h, ONE); /* h_0 is 0 and has no wire */
    term(k, 0, i);
}

static void single(maker *k, uint32_t x)
{
    row(k);
    term(k, x, ONE);
}

/* One message; returns h's wire, and its value in *h. */
static uint32_t absorb(maker *k, uint32_t j, uint32_t h_wire, assay_fr *h)
{
    const assay_curve *c = k->c;
    const uint32_t m_wire = 2 + j;
    const assay_fr m = c->fr_mul(c->fr_inv(c->fr_from_u64(j + 7)), c->fr_from_u64(1234567891));
    uint32_t x_wire = m_wire;
    assay_fr x = m;
    c->fr_to_limbs(k->w.w[m_wire], m);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const assay_fr t = c->fr_add(c->fr_add(x, *h), k->constant[i]), t2 = c->fr_mul(t, t), t4 = c->fr_mul(t2, t2);
        const uint32_t square = wire(k, t2), fourth = wire(k, t4), before = x_wire;
        x = c->fr_mul(t4, t);
        x_wire = wire(k, x);
        sum(k, before, h_wire, j == 0, i);
        sum(k, before, h_wire, j == 0, i);
        single(k, square);
        single(k, square);
        single(k, square);
        single(k, fourth);
        single(k, fourth);
        sum(k, before, h_wire, j == 0, i);
        single(k, x_wire);
    }
    /* E's key is added after the last round, and the mode adds h and m: (x + 2 h + m) 1 = h' */
    const assay_fr next = c->fr_add(c->fr_add(x, m), c->fr_add(*h, *h));
    const uint32_t out = j + 1 == k->n ? 1 : wire(k, next);
    c->fr_to_limbs(k->w.w[out], next);
    row(k);
    term(k, x_wire, ONE);
    term(k, m_wire, ONE);
    if (j) term(k, h_wire, TWO);
    single(k, 0);
    single(k, out);
    *h = next;
    return out;
}

static bool make(maker *k, unsigned log)
{
    k->n = (uint32_t)(((uint64_t)1 << log) - 2) / A_MESSAGE;
    const uint32_t n_constraints = k->n * A_MESSAGE, n_wires = 2 + k->n + k->n * A_MESSAGE - 1;
    const size_t terms = (size_t)k->n * (ROUNDS * TERMS_ROUND + TERMS_END);
    fill_constants(k);
    k->r = (assay_r1cs){.curve = k->c,
                        .n_wires = n_wires,
                        .n_outputs = 1,
                        .n_private = k->n,
                        .n_constraints = n_constraints,
                        .n_labels = n_wires,
                        .start = assay_mem_alloc(3 * (size_t)n_constraints + 1, sizeof(uint32_t)),
                        .wire = assay_mem_alloc(terms, sizeof(uint32_t)),
                        .value = assay_mem_alloc(terms, sizeof(uint32_t)),
                        .values = {.v = k->constant, .n = CONSTANTS}};
    k->w = (assay_wtns){.curve = k->c, .n = n_wires, .w = assay_mem_alloc(n_wires, sizeof(assay_scalar))};
    if (!k->r.start || !k->r.wire || !k->r.value || !k->w.w) return false;
    k->w.w[0][0] = 1;
    k->next_wire = 2 + k->n;
    assay_fr h = k->c->fr_from_u64(0);
    uint32_t h_wire = 0;
    for (uint32_t j = 0; j < k->n; j++) h_wire = absorb(k, j, h_wire, &h);
    row(k);
    return k->n_terms <= terms && k->next_wire == n_wires && k->n_rows == 3 * n_constraints + 1;
}

/* Writes one of the two files. */
static assay_status put(const maker *k, const char *prefix, bool circuit, assay_errinfo *err)
{
    char path[4096];
    assay_outfile *f = NULL;
    (void)snprintf(path, sizeof path, "%s.%s", prefix, circuit ? "r1cs" : "wtns");
    assay_status s = assay_outfile_open(&f, path, 0644, err);
    if (s == ASSAY_OK) s = circuit ? assay_r1cs_write(&k->r, f, NULL, err) : assay_wtns_write(&k->w, f, NULL, err);
    if (s == ASSAY_OK) return assay_outfile_commit(f, err);
    assay_outfile_abort(f);
    return s;
}

int main(int argc, char **argv)
{
    maker k = {0};
    assay_errinfo err = {0};
    char text[512];
    unsigned long log = 0;
    const char *curve = "bn254", *prefix = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0 && i + 1 < argc)
            log = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--curve") == 0 && i + 1 < argc)
            curve = argv[++i];
        else
            prefix = argv[i];
    }
    k.c = strcmp(curve, "bn254") == 0      ? &assay_curve_bn254
          : strcmp(curve, "bls12381") == 0 ? &assay_curve_bls381
                                           : NULL;
    if (log < 9 || log > 24 || !k.c || !prefix) {
        fprintf(stderr, "usage: make_circuit --log 9..24 [--curve bn254|bls12381] PREFIX\n");
        return 2;
    }
    if (!make(&k, (unsigned)log)) {
        fprintf(stderr, "make_circuit: out of memory\n");
        return 4;
    }
    assay_status s = put(&k, prefix, true, &err);
    if (s == ASSAY_OK) s = put(&k, prefix, false, &err);
    assay_mem_free(k.r.start);
    assay_mem_free(k.r.wire);
    assay_mem_free(k.r.value);
    assay_mem_free(k.w.w);
    if (s != ASSAY_OK) {
        fprintf(stderr, "make_circuit: %s\n", assay_errinfo_text(&err, text, sizeof text));
        return 2;
    }
    printf("%u constraints, %u messages\n", (unsigned)k.r.n_constraints, (unsigned)k.n);
    return 0;
}
