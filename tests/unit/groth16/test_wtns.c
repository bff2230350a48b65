/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses: round trip, refusals, and witnesses that circom made. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "base/mem.h"
#include "groth16/mutation.h"
#include "groth16/small_files.h"
#include "groth16/vectors.h"
#include "groth16/wtns.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 1024 };

static assay_status parse(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_wtns w;
    assay_status s = assay_wtns_parse(&w, "witness", p, n, err);
    CHECK((s == ASSAY_OK) == (w.w != NULL));
    assay_wtns_clear(&w);
    return s;
}

TEST(round_trip)
{
    static const uint64_t expected[SMALL_WIRES] = {1, 35, 5, 7};
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        assay_writer file, again;
        assay_wtns w;
        small_wtns(&file, assay_curve_get((assay_curve_id)i));
        REQUIRE_OK(assay_wtns_parse(&w, "witness", file.p, file.n, NULL));
        CHECK(w.curve == assay_curve_get((assay_curve_id)i));
        CHECK_EQ_U64(w.n, SMALL_WIRES);
        for (size_t k = 0; k < SMALL_WIRES; k++) {
            CHECK_EQ_U64(w.w[k][0], expected[k]);
            CHECK_EQ_U64(w.w[k][1] | w.w[k][2] | w.w[k][3], 0);
        }
        assay_writer_init(&again, 1 << 20);
        CHECK_OK(assay_wtns_write(&w, NULL, &again, NULL));
        CHECK_EQ_U64(again.n, file.n);
        CHECK_EQ_MEM(again.p, file.p, file.n);
        assay_wtns_clear(&w);
        CHECK(w.w == NULL);
        check_truncations(parse, &file, 1);
        file.p[4] = 1; /* the older version is the same but for its number */
        check_refused(parse, file.p, file.n, "version 1", ASSAY_OK, NULL);
        assay_writer_clear(&again);
        assay_writer_clear(&file);
    }
}

TEST(hostile)
{
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    uint8_t r[ASSAY_PRIME_MAX], above[ASSAY_PRIME_MAX];
    (void)assay_store_prime(r, c->fr_modulus, ASSAY_FR_LIMBS);
    memcpy(above, r, sizeof r);
    above[4]++;
    const mutation m[] = {
        {"magic", 0, 0, BYTES("wtnz"), ASSAY_EFORMAT, "not a file of this kind"},
        {"version", 0, 4, BYTES("\3"), ASSAY_EUNSUPPORTED, "unknown version"},
        {"n8", 1, 0, BYTES("\x40"), ASSAY_EFORMAT, "section 1 (header)"},
        {"prime", 1, 4, BYTES("\3"), ASSAY_EUNSUPPORTED, "no known curve"},
        {"count 0", 1, 36, BYTES("\0"), ASSAY_ERANGE, "no values"},
        {"count 5", 1, 36, BYTES("\5"), ASSAY_EFORMAT, "section 2 (values): has a wrong length"},
        {"count huge", 1, 36, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "section 2 (values): has a wrong length"},
        {"not 1", 2, 0, BYTES("\2"), ASSAY_ERANGE, "does not begin with 1"},
        {"r", 2, 32, r + 4, 32, ASSAY_ERANGE, "not below r (wire, of) (1, 4)"},
        {"r + 1", 2, 96, above + 4, 32, ASSAY_ERANGE, "not below r (wire, of) (3, 4)"},
        {"r + 1 for 1", 2, 0, above + 4, 32, ASSAY_ERANGE, "not below r (wire, of) (0, 4)"},
    };
    assay_writer file, half;
    small_wtns(&file, c);
    check_mutations(parse, &file, m, sizeof m / sizeof m[0]);
    small_cut_section(&half, file.p, file.n, 2, 64);
    check_refused(parse, half.p, half.n, "half a section", ASSAY_EFORMAT, "section 2 (values): has a wrong length");
    assay_writer_clear(&half);
    assay_writer_clear(&file);
}

TEST(file)
{
    char path[PATH];
    assay_writer file;
    assay_wtns w;
    assay_errinfo err = {0};
    (void)snprintf(path, sizeof path, "%s/w.wtns", assay_test_tmpdir());
    small_wtns(&file, assay_curve_get(ASSAY_BLS381));
    REQUIRE_OK(assay_file_write(path, file.p, file.n, 0600, NULL));
    CHECK_OK(assay_wtns_read(&w, path, NULL));
    CHECK_EQ_U64(w.n, SMALL_WIRES);
    assay_wtns_clear(&w);
    REQUIRE_OK(assay_file_write(path, file.p, file.n / 2, 0600, NULL));
    CHECK_STATUS(assay_wtns_read(&w, path, &err), ASSAY_EFORMAT);
    CHECK(strncmp(err.subject, path, strlen(path)) == 0);
    CHECK_STATUS(assay_wtns_read(&w, "/nowhere/w.wtns", NULL), ASSAY_EIO);
    assay_writer_clear(&file);
}

static void check_vector(const char *name, uint32_t n, uint64_t output)
{
    size_t nbytes = 0;
    uint8_t *p = vector_load(&nbytes, name);
    assay_wtns w;
    if (!p) return;
    CHECK_OK(assay_wtns_parse(&w, name, p, nbytes, NULL));
    CHECK_EQ_U64(w.n, n);
    if (output) CHECK_EQ_U64(w.w[1][0], output);
    assay_wtns_clear(&w);
    assay_mem_free(p);
}

TEST(witnesses_of_circom)
{
    check_vector("groth16/mul/mul.wtns", 6, 231);
    check_vector("groth16/bls_mul/bls_mul.wtns", 6, 231);
    check_vector("groth16/merkle20/merkle20.wtns", 11355, 0);
    check_vector("groth16/bls_mulchain4000/bls_mulchain4000.wtns", 4003, 0);
    check_vector("groth16/independent/Groth16/bn254/multiplier2/witness.wtns", 4, 33);
    check_vector("groth16/independent/Groth16/bls12_381/poseidon/witness.wtns", 215, 0);
}
