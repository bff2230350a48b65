/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses unit/groth16
 * Failing allocations while files of Groth16 are read and written. */
#include "assay/groth16.h"
#include "base/file.h"
#include "fault/fault.h"
#include "groth16/bellman.h"
#include "groth16/json.h"
#include "groth16/small_files.h"
#include "groth16/symbols.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 1024, MAX_BYTES = 1 << 20 };

static assay_status read_r1cs(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    assay_r1cs c;
    assay_status s = assay_r1cs_parse(&c, "circuit", w->p, w->n, err);
    assay_r1cs_clear(&c);
    return s;
}

static assay_status read_wtns(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    assay_wtns t;
    assay_status s = assay_wtns_parse(&t, "witness", w->p, w->n, err);
    assay_wtns_clear(&t);
    return s;
}

static assay_status read_zkey(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    assay_zkey z;
    assay_vk vk = {0};
    assay_zkey_matrices m = {0};
    assay_zkey_history h = {0};
    assay_status s = assay_zkey_of(&z, "key", w->p, w->n, false, err);
    if (s == ASSAY_OK) s = assay_zkey_matrices_load(&m, &z, err);
    if (s == ASSAY_OK) s = assay_zkey_vk(&vk, &z, err);
    if (s == ASSAY_OK) s = assay_zkey_history_read(&h, &z, err);
    if (s == ASSAY_OK) s = assay_zkey_check(&z, NULL, NULL, err);
    assay_zkey_history_clear(&h);
    assay_zkey_matrices_clear(&m);
    assay_vk_clear(&vk);
    assay_zkey_close(&z);
    return s;
}

static assay_status read_params(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    assay_bellman_params b;
    assay_status s = assay_bellman_params_of(&b, "params", w->p, w->n, err);
    assay_bellman_params_close(&b);
    return s;
}

static assay_status read_vk(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    assay_vk vk;
    assay_status s = assay_vk_parse_json(&vk, "vk", w->p, w->n, err);
    assay_vk_clear(&vk);
    return s;
}

static assay_status read_publics(void *ctx, assay_errinfo *err)
{
    static const char text[] = "[\"1\", \"2\"]";
    assay_publics p;
    (void)ctx;
    assay_status s = assay_publics_parse_json(&p, assay_curve_get(ASSAY_BN254), "public", text, sizeof text - 1, err);
    assay_publics_clear(&p);
    return s;
}

/* Texts for the verifier. */
typedef struct texts {
    assay_writer key, proof;
} texts;

/* Lack of memory is never a verdict, and what is not checked is not accepted. */
static assay_status verify(void *ctx, assay_errinfo *err)
{
    static const char publics[] =
        "[\n \"21888242871839275222246405745257275088548364400416034343698204186575808495616\"\n]";
    const texts *t = ctx;
    assay_groth16_report report;
    assay_status s =
        assay_groth16_verify(&report, t->key.p, t->key.n, publics, sizeof publics - 1, t->proof.p, t->proof.n, 1, err);
    CHECK(report.verdict == ASSAY_REJECT);
    CHECK(strcmp(report.reason, s == ASSAY_OK ? "the pairing equation does not hold" : "not checked") == 0);
    return s;
}

static assay_status export_calldata(void *ctx, assay_errinfo *err)
{
    const texts *t = ctx;
    assay_buffer out;
    assay_status s = assay_groth16_export_calldata(&out, "[\"7\"]", 5, t->proof.p, t->proof.n, err);
    assay_buffer_free(&out);
    return s;
}

/* A witness from memory to a file and back; nothing is left behind by a failure. */
static assay_status write_wtns(void *ctx, assay_errinfo *err)
{
    const assay_writer *w = ctx;
    char path[PATH];
    assay_outfile *f = NULL;
    assay_wtns t, again;
    (void)snprintf(path, sizeof path, "%s/w.wtns", assay_test_tmpdir());
    assay_status s = assay_wtns_parse(&t, "witness", w->p, w->n, err);
    if (s == ASSAY_OK) s = assay_outfile_open(&f, path, 0600, err);
    if (s == ASSAY_OK) s = assay_wtns_write(&t, f, NULL, err);
    if (s == ASSAY_OK) {
        s = assay_outfile_commit(f, err);
        f = NULL;
    }
    assay_outfile_abort(f);
    assay_wtns_clear(&t);
    if (s == ASSAY_OK) {
        s = assay_wtns_read(&again, path, err);
        assay_wtns_clear(&again);
    }
    return s;
}

static assay_status find_symbols(void *ctx, assay_errinfo *err)
{
    assay_symbol symbol = {.wire = 2};
    assay_source source = assay_source_of("sym", "2,2,0,main.a\n", 13);
    (void)ctx;
    return assay_symbols_find_in(&symbol, 1, &source, err);
}

TEST(files)
{
    static const struct {
        assay_fault_op *op;
        void (*make)(assay_writer *w, const assay_curve *c);
        uint64_t least; /* allocations */
    } cases[] = {{read_r1cs, small_r1cs, 5}, {read_wtns, small_wtns, 1}, {write_wtns, small_wtns, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assay_writer w;
        cases[i].make(&w, assay_curve_get(ASSAY_BN254));
        CHECK(assay_fault_every(cases[i].op, &w, 1) >= cases[i].least);
        assay_writer_clear(&w);
    }
}

TEST(keys)
{
    assay_writer w;
    assay_vk vk;
    small_zkey(&w, assay_curve_get(ASSAY_BLS381), false);
    CHECK(assay_fault_every(read_zkey, &w, 1) >= 12);
    assay_writer_clear(&w);
    small_bellman_params(&w);
    CHECK(assay_fault_every(read_params, &w, 1) >= 1);
    assay_writer_clear(&w);
    small_vk(&vk, assay_curve_get(ASSAY_BN254));
    assay_writer_init(&w, MAX_BYTES);
    assay_vk_json(&w, &vk);
    assay_vk_clear(&vk);
    CHECK(assay_fault_every(read_vk, &w, 1) >= 1);
    assay_writer_clear(&w);
    CHECK(assay_fault_every(read_publics, NULL, 1) >= 1);
    CHECK(assay_fault_every(find_symbols, NULL, 1) >= 1);
}

TEST(verifier)
{
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    texts t;
    assay_vk vk;
    assay_proof proof;
    small_vk(&vk, c);
    small_proof(&proof, c);
    assay_writer_init(&t.key, MAX_BYTES);
    assay_writer_init(&t.proof, MAX_BYTES);
    assay_vk_json(&t.key, &vk);
    assay_proof_json(&t.proof, &proof);
    assay_vk_clear(&vk);
    CHECK(assay_fault_every(verify, &t, 1) >= 5);
    CHECK(assay_fault_every(export_calldata, &t, 1) >= 4);
    assay_writer_clear(&t.key);
    assay_writer_clear(&t.proof);
}
