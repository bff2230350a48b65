/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses unit/groth16
 * Failing allocations while keys are made and opened, and proofs made and checked. */
#define _POSIX_C_SOURCE 200809L
#include "fault/fault.h"
#include "groth16/chain.h"
#include "groth16/prover.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct bench {
    chain k;
    char out[CHAIN_PATH + 8];
    int resident;
} bench;

static assay_status set_up(void *ctx, assay_errinfo *err)
{
    const bench *b = ctx;
    const assay_groth16_circuit_options o = {.threads = 1};
    assay_status s = assay_groth16_setup(b->k.r1cs, NULL, b->out, &o, err);
    /* The file is whole or not there. (It is there after a failure to sync its folder, the last thing done.) */
    struct stat key, made;
    if (CHECK(stat(b->k.zkey, &key) == 0) && stat(b->out, &made) == 0) {
        CHECK_EQ_U64(made.st_size, key.st_size);
        CHECK(remove(b->out) == 0);
    } else {
        CHECK(s != ASSAY_OK);
    }
    return s;
}

static assay_status prove(void *ctx, assay_errinfo *err)
{
    const bench *b = ctx;
    const assay_groth16_open_options open = {.resident = b->resident, .threads = 1};
    const assay_groth16_prove_options o = {.threads = 1, .r1cs = b->k.r1cs, .sym = b->k.sym};
    assay_groth16_key *key = NULL;
    assay_buffer proof = {NULL, 0}, publics = {NULL, 0}, vkey = {NULL, 0};
    assay_groth16_report report = {0};
    assay_status s = assay_groth16_key_open(&key, b->k.zkey, &open, err);
    CHECK((key != NULL) == (s == ASSAY_OK));
    if (s == ASSAY_OK) s = assay_groth16_prove_file(key, &proof, &publics, b->k.wtns, &o, err);
    CHECK((proof.p != NULL) == (s == ASSAY_OK) && (publics.p != NULL) == (s == ASSAY_OK));
    if (s == ASSAY_OK) s = assay_groth16_export_vkey(key, &vkey, err);
    if (s == ASSAY_OK)
        s = assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 0, err);
    CHECK((report.verdict == ASSAY_ACCEPT) == (s == ASSAY_OK));
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_buffer_free(&vkey);
    assay_groth16_key_free(key);
    return s;
}

/* In parts, with a packed witness. */
static assay_status prove_parts(void *ctx, assay_errinfo *err)
{
    const bench *b = ctx;
    const assay_groth16_open_options open = {.resident = b->resident, .threads = 1};
    const assay_groth16_pieces pieces = {
        .points =
            {[ASSAY_ZKEY_A] = 9, [ASSAY_ZKEY_B1] = 9, [ASSAY_ZKEY_B2] = 9, [ASSAY_ZKEY_C] = 9, [ASSAY_ZKEY_H] = 3},
        .coefs = 5,
        .log_parts = 1,
        .packed = true};
    static const assay_proof none;
    assay_groth16_key *key = NULL;
    assay_group_backend be;
    assay_proof proof;
    assay_wtns w = {0};
    assay_group_backend_cpu_init(&be, NULL);
    assay_status s = assay_groth16_key_open(&key, b->k.zkey, &open, err);
    if (s == ASSAY_OK) s = assay_wtns_read(&w, b->k.wtns, err);
    if (s == ASSAY_OK) {
        s = assay_groth16_prove_planned(&proof, key, &w, &be, NULL, false, &pieces, NULL, err);
        CHECK(w.w == NULL);
        CHECK((memcmp(&proof, &none, sizeof proof) != 0) == (s == ASSAY_OK));
    }
    assay_groth16_key_free(key);
    return s;
}

TEST(setups)
{
    bench b;
    REQUIRE(chain_make(&b.k, assay_curve_get(ASSAY_BN254), 5, true));
    (void)snprintf(b.out, sizeof b.out, "%s.new", b.k.zkey);
    CHECK(assay_fault_every(set_up, &b, 1) > 5);
}

TEST(proofs)
{
    bench b;
    REQUIRE(chain_make(&b.k, assay_curve_get(ASSAY_BN254), 5, true));
    for (b.resident = 0; b.resident < 2; b.resident++) CHECK(assay_fault_every(prove, &b, 1) > 15);
    for (b.resident = 0; b.resident < 2; b.resident++) CHECK(assay_fault_every(prove_parts, &b, 1) > 30);
}
