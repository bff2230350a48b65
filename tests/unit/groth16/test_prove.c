/* SPDX-License-Identifier: Apache-2.0 */
/* Proving with keys and witnesses of snarkjs: every proof verifies (the prover checks that itself, and so is what it
 * hands out), one from memory equals one from the file, and two of one witness differ. */
#include "base/mem.h"
#include "groth16/prover.h"
#include "groth16/vectors.h"
#include "groth16/verify.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
    assay_groth16_key *key;
    assay_wtns w;
    assay_pool *pool;
    assay_group_backend be;
} bench;

static bool open_case(bench *b, const char *zkey, const char *wtns, bool resident, unsigned threads)
{
    char path[VECTOR_PATH];
    assay_groth16_open_options o = {.resident = resident, .threads = threads, .allow_development = 1};
    assay_errinfo err = {0};
    memset(b, 0, sizeof *b);
    if (!vector_path(path, zkey)) return false;
    if (!CHECK_OK(assay_groth16_key_open(&b->key, path, &o, &err))) printf("%s\n", err.reason);
    if (!vector_path(path, wtns)) return false;
    CHECK_OK(assay_wtns_read(&b->w, path, NULL));
    CHECK_OK(assay_pool_new(&b->pool, threads, NULL));
    assay_group_backend_cpu_init(&b->be, b->pool);
    return b->key && b->pool;
}

static void close_case(bench *b)
{
    assay_groth16_key_free(b->key);
    assay_wtns_clear(&b->w);
    assay_pool_free(b->pool);
}

/* The sums' order of stages, twice with the same blinding: streamed in small pieces with one thread, resident with two.
 */
static void prove_twice(const char *zkey, const char *wtns)
{
    const assay_groth16_blinding given = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    assay_proof proof[2];
    bench b;
    for (unsigned i = 0; i < 2; i++) {
        assay_errinfo err = {0};
        if (!open_case(&b, zkey, wtns, i == 1, i + 1)) return;
        if (!CHECK_OK(assay_groth16_prove_with(&proof[i], b.key, &b.w, &b.be, &given, false, 0, NULL, &err)))
            printf("%s: %s\n", err.subject, err.reason);
        CHECK(b.w.w == NULL);
        close_case(&b);
    }
    CHECK_EQ_MEM(&proof[0], &proof[1], sizeof proof[0]);
    if (!open_case(&b, zkey, wtns, false, 2)) return;
    CHECK_OK(assay_groth16_prove_with(&proof[1], b.key, &b.w, &b.be, NULL, false, 0, NULL, NULL));
    CHECK(memcmp(&proof[0].a, &proof[1].a, sizeof proof[0].a) != 0);
    CHECK(memcmp(&proof[0].b, &proof[1].b, sizeof proof[0].b) != 0);
    CHECK(memcmp(&proof[0].c, &proof[1].c, sizeof proof[0].c) != 0);
    close_case(&b);
}

#define CASE(id, folder, name)                                                                                         \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        prove_twice("groth16/" folder "/" name ".zkey", "groth16/" folder "/" name ".wtns");                           \
    }
#define INDEPENDENT(id, folder)                                                                                        \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        prove_twice("groth16/independent/Groth16/" folder "/circuit.zkey",                                             \
                    "groth16/independent/Groth16/" folder "/witness.wtns");                                            \
    }

CASE(mul, "mul", "mul")
CASE(bls_mul, "bls_mul", "bls_mul")
INDEPENDENT(bn254_multiplier, "bn254/multiplier2")
INDEPENDENT(bn254_poseidon, "bn254/poseidon")
INDEPENDENT(bls_multiplier, "bls12_381/multiplier2")
INDEPENDENT(bls_poseidon, "bls12_381/poseidon")
