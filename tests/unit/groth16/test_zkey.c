/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: timeout 600
 * Proving keys: what is read equals what was written, on both curves, and each way in which a stranger's key may be
 * wrong is refused with words that name it. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "base/mem.h"
#include "groth16/mutation.h"
#include "groth16/small_files.h"
#include "groth16/vectors.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1024 };

static assay_status open_only(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_zkey z;
    assay_status s = assay_zkey_of(&z, "key", p, n, false, err);
    assay_zkey_close(&z);
    return s;
}

/* Everything: also what a prover and `info --check` would do. */
static assay_status read_all(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_zkey z;
    assay_vk vk = {0};
    assay_zkey_matrices m = {0};
    assay_zkey_history h = {0};
    assay_status s = assay_zkey_of(&z, "key", p, n, false, err);
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

static void check_contents(const assay_zkey *z)
{
    const assay_group *g1 = &z->curve->group[ASSAY_G1];
    assay_affine points[SMALL_DOMAIN], expected;
    CHECK_EQ_U64(z->n_vars, SMALL_WIRES);
    CHECK_EQ_U64(z->n_public, SMALL_PUBLIC);
    CHECK_EQ_U64(z->domain, SMALL_DOMAIN);
    CHECK_EQ_U64(z->log_domain, 2);
    CHECK_EQ_U64(z->n_coefs, SMALL_COEFS);
    small_multiple(&expected, z->curve, ASSAY_G1, 5);
    CHECK_EQ_MEM(&z->beta1, &expected, g1->affine_bytes);
    REQUIRE_OK(assay_zkey_points(points, z, ASSAY_ZKEY_H, 1, 2, ASSAY_POINT_GROUP, NULL, NULL));
    small_multiple(&expected, z->curve, ASSAY_G1, 22);
    CHECK_EQ_MEM((uint8_t *)points + g1->affine_bytes, &expected, g1->affine_bytes);
    CHECK_STATUS(assay_zkey_points(points, z, ASSAY_ZKEY_H, 3, 2, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_zkey_points(points, z, ASSAY_ZKEY_COEFS, 0, 1, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EINVAL);
    CHECK_OK(assay_zkey_points(NULL, z, ASSAY_ZKEY_C, 2, 0, ASSAY_POINT_CURVE, NULL, NULL));
}

static void check_matrices(const assay_zkey *z)
{
    assay_zkey_matrices m;
    REQUIRE_OK(assay_zkey_matrices_load(&m, z, NULL));
    static const uint32_t start_a[] = {0, 1, 2, 3, 3}, start_b[] = {3, 4, 4, 4, 4}, signal[] = {2, 0, 1, 3};
    CHECK_EQ_MEM(m.start[0], start_a, sizeof start_a);
    CHECK_EQ_MEM(m.start[1], start_b, sizeof start_b);
    CHECK_EQ_MEM(m.signal, signal, sizeof signal);
    CHECK_EQ_U64(m.values.n, 2);
    assay_fr three = {{3}}, product = z->curve->fr_mul(m.values.v[m.value[2]], (assay_fr){{1}});
    three = z->curve->fr_from_u64(3);
    CHECK_EQ_MEM(&product, &three, sizeof three); /* c R^2 times a plain 1 is c in Montgomery form */
    assay_zkey_matrices_clear(&m);
}

TEST(round_trip)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        assay_writer w;
        assay_zkey z;
        assay_zkey_history h;
        assay_vk vk, expected;
        small_zkey(&w, assay_curve_get((assay_curve_id)i), false);
        REQUIRE_OK(assay_zkey_of(&z, "key", w.p, w.n, false, NULL));
        CHECK(!z.development);
        check_contents(&z);
        check_matrices(&z);
        REQUIRE_OK(assay_zkey_history_read(&h, &z, NULL));
        CHECK_EQ_U64(h.n, 1);
        CHECK_EQ_STR(h.contribution[0].name, "alice");
        CHECK_EQ_U64(h.circuit_hash[63], 0xAB);
        assay_zkey_history_clear(&h);
        REQUIRE_OK(assay_zkey_vk(&vk, &z, NULL));
        small_vk(&expected, z.curve);
        CHECK_EQ_MEM(vk.ic, expected.ic, 2 * z.curve->group[ASSAY_G1].affine_bytes);
        CHECK_EQ_MEM(&vk.delta2, &expected.delta2, z.curve->group[ASSAY_G2].affine_bytes);
        assay_vk_clear(&vk);
        assay_vk_clear(&expected);
        CHECK_OK(assay_zkey_check(&z, NULL, NULL, NULL));
        assay_zkey_close(&z);
        CHECK_OK(read_all(w.p, w.n, NULL));
        check_truncations(open_only, &w, 7);
        assay_writer_clear(&w);
    }
}

/* Sections in the opposite order, and one nobody knows. */
TEST(any_order)
{
    assay_writer w, turned;
    assay_container c;
    small_zkey(&w, assay_curve_get(ASSAY_BN254), false);
    REQUIRE_OK(assay_container_of(&c, "key", w.p, w.n, "zkey", 1, NULL));
    assay_writer_init(&turned, 1 << 20);
    assay_write_bytes(&turned, w.p, 8);
    assay_write_u32(&turned, (uint32_t)c.n_sections + 1);
    for (size_t i = c.n_sections; i-- > 0;) {
        assay_write_u32(&turned, c.section[i].id);
        assay_write_u64(&turned, c.section[i].n);
        assay_write_bytes(&turned, w.p + c.section[i].at, (size_t)c.section[i].n);
    }
    assay_write_u32(&turned, 4711);
    assay_write_u64(&turned, 3);
    assay_write_bytes(&turned, "abc", 3);
    CHECK_OK(read_all(turned.p, turned.n, NULL));
    /* a section that comes twice */
    assay_store_u32(turned.p + turned.n - 15, ASSAY_ZKEY_A);
    check_refused(open_only, turned.p, turned.n, "A twice", ASSAY_EFORMAT, "comes twice");
    assay_writer_clear(&turned);
    assay_writer_clear(&w);
}

/* The least curve's places: section 2 is 4 + 32 + 4 + 32, nVars 72, nPublic 76, domain 80, alpha 84, beta1 148, beta2
 * 212, gamma2 340, delta1 468, delta2 532. */
enum {
    N_VARS = 72,
    N_PUBLIC = 76,
    DOMAIN = 80,
    ALPHA1 = 84,
    BETA1 = 148,
    BETA2 = 212,
    GAMMA2 = 340,
    DELTA1 = 468,
    DELTA2 = 532
};
#define ZERO_64                                                                                                        \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
    "\0\0\0\0\0\0\0\0"
#define ONES_8  "\xff\xff\xff\xff\xff\xff\xff\xff"
#define ONES_32 ONES_8 ONES_8 ONES_8 ONES_8
#define ONE_64                                                                                                         \
    "\1"                                                                                                               \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"                                                   \
    "\1"                                                                                                               \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

TEST(hostile_headers)
{
    static const mutation m[] = {
        {"magic", 0, 0, BYTES("zKey"), ASSAY_EFORMAT, "not a file of this kind"},
        {"version", 0, 4, BYTES("\2"), ASSAY_EUNSUPPORTED, "unknown version"},
        {"plonk", 1, 0, BYTES("\2"), ASSAY_EUNSUPPORTED, "not groth16"},
        {"n8q", 2, 0, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "no prime of a known length"},
        {"n8q 0", 2, 0, BYTES("\0"), ASSAY_EFORMAT, "no prime of a known length"},
        {"q", 2, 4, BYTES("\0"), ASSAY_EUNSUPPORTED, "no known curve"},
        {"r", 2, 40, BYTES("\0"), ASSAY_EFORMAT, "not that of the curve"},
        {"domain 0", 2, DOMAIN, BYTES("\0\0\0\0"), ASSAY_ERANGE, "domainSize: is no power of two"},
        {"domain 1", 2, DOMAIN, BYTES("\1\0\0\0"), ASSAY_ERANGE, "domainSize: is no power of two"},
        {"domain 12345", 2, DOMAIN, BYTES("\x39\x30\0\0"), ASSAY_ERANGE, "domainSize: is no power of two"},
        {"domain 2^28", 2, DOMAIN, BYTES("\0\0\0\x10"), ASSAY_EFORMAT, "section 9 (H): has a wrong length"},
        {"domain 2^29", 2, DOMAIN, BYTES("\0\0\0\x20"), ASSAY_ERANGE, "larger than the curve's fields have"},
        {"domain 2^31", 2, DOMAIN, BYTES("\0\0\0\x80"), ASSAY_ERANGE, "larger than the curve's fields have"},
        {"domain 2", 2, DOMAIN, BYTES("\2\0\0\0"), ASSAY_EFORMAT, "section 9 (H): has a wrong length"},
        {"nVars", 2, N_VARS, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "section 5 (A): has a wrong length"},
        {"nVars 0", 2, N_VARS, BYTES("\0\0\0\0"), ASSAY_ERANGE, "nPublic: not below nVars"},
        {"nPublic", 2, N_PUBLIC, BYTES("\4\0\0\0"), ASSAY_ERANGE, "nPublic: not below nVars"},
        {"nPublic 2", 2, N_PUBLIC, BYTES("\2\0\0\0"), ASSAY_EFORMAT, "section 3 (IC): has a wrong length"},
        {"nPublic -1", 2, N_PUBLIC, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "nPublic: not below nVars"},
        {"alpha at infinity", 2, ALPHA1, BYTES(ZERO_64), ASSAY_ERANGE, "alpha1: is the point at infinity"},
        {"beta1 at infinity", 2, BETA1, BYTES(ZERO_64), ASSAY_ERANGE, "beta1: is the point at infinity"},
        {"delta1 at infinity", 2, DELTA1, BYTES(ZERO_64), ASSAY_ERANGE, "delta1: is the point at infinity"},
        {"beta2 at infinity", 2, BETA2, BYTES(ZERO_64 ZERO_64), ASSAY_ERANGE, "beta2: is the point at infinity"},
        {"gamma2 at infinity", 2, GAMMA2, BYTES(ZERO_64 ZERO_64), ASSAY_ERANGE, "gamma2: is the point at infinity"},
        {"delta2 at infinity", 2, DELTA2, BYTES(ZERO_64 ZERO_64), ASSAY_ERANGE, "delta2: is the point at infinity"},
        {"alpha off the curve", 2, ALPHA1, BYTES(ONE_64), ASSAY_ERANGE, "alpha1: is not on the curve"},
        {"delta2 off the curve", 2, DELTA2, BYTES(ONE_64), ASSAY_ERANGE, "delta2: is not on the curve"},
        {"alpha too large", 2, ALPHA1, BYTES(ONES_32), ASSAY_ERANGE, "alpha1: has a coordinate that is not below q"},
        {"n of coefficients", 4, 0, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT,
         "section 4 (coefficients): has a wrong length"},
        {"3 coefficients", 4, 0, BYTES("\3"), ASSAY_EFORMAT, "section 4 (coefficients): has a wrong length"},
    };
    assay_writer w;
    small_zkey(&w, assay_curve_get(ASSAY_BN254), false);
    check_mutations(open_only, &w, m, sizeof m / sizeof m[0]);
    assay_writer_clear(&w);
}

TEST(hostile_contents)
{
    static const mutation m[] = {
        {"matrix", 4, 4, BYTES("\2"), ASSAY_ERANGE, "a matrix other than A and B"},
        {"row", 4, 8, BYTES("\4\0\0\0"), ASSAY_ERANGE, "a row outside of the domain"},
        {"row huge", 4, 8, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "a row outside of the domain"},
        {"signal", 4, 12, BYTES("\4\0\0\0"), ASSAY_ERANGE, "a signal that is not there"},
        {"signal huge", 4, 12, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "a signal that is not there"},
        {"value", 4, 16, BYTES(ONES_32), ASSAY_ERANGE, "not below r"},
        {"IC at infinity", 3, 64, BYTES(ZERO_64), ASSAY_ERANGE, "section 3 (IC): is the point at infinity (1)"},
        {"IC off the curve", 3, 0, BYTES(ONE_64), ASSAY_ERANGE, "section 3 (IC): is not on the curve (0)"},
        {"A off the curve", 5, 64, BYTES(ONE_64), ASSAY_ERANGE, "section 5 (A): is not on the curve (1)"},
        {"A too large", 5, 128, BYTES(ONES_32), ASSAY_ERANGE,
         "section 5 (A): has a coordinate that is not below q (2)"},
        {"A at infinity", 5, 0, BYTES(ZERO_64), ASSAY_ERANGE, "section 5 (A): is at infinity for a signal"},
        {"B1 at infinity", 6, 192, BYTES(ZERO_64), ASSAY_ERANGE, "section 6 (B1): is at infinity for a signal"},
        {"B2 at infinity", 7, 384, BYTES(ZERO_64 ZERO_64), ASSAY_ERANGE, "section 7 (B2): is at infinity for a signal"},
        {"B2 off the curve", 7, 384, BYTES(ONE_64), ASSAY_ERANGE, "section 7 (B2): is not on the curve (3)"},
        {"C off the curve", 8, 0, BYTES(ONE_64), ASSAY_ERANGE, "section 8 (C): is not on the curve (0)"},
        {"H off the curve", 9, 192, BYTES(ONE_64), ASSAY_ERANGE, "section 9 (H): is not on the curve (3)"},
        {"contributions", 10, 64, BYTES("\2"), ASSAY_EFORMAT, "more contributions than fit"},
        {"contributions huge", 10, 64, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "more contributions than fit"},
        {"no contribution", 10, 64, BYTES("\0"), ASSAY_EFORMAT, "bytes after the last contribution"},
        {"last delta", 10, 68, BYTES(ZERO_64), ASSAY_EFORMAT, "another delta1"},
        {"delta off the curve", 10, 68, BYTES(ONE_64), ASSAY_EFORMAT, "not on its curve"},
        {"type", 10, 68 + 320 + 64, BYTES("\7"), ASSAY_EFORMAT, "unknown type"},
        {"parameters", 10, 68 + 320 + 68, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "too many bytes"},
        {"name too long", 10, 68 + 320 + 73, BYTES("\xff"), ASSAY_EFORMAT, "end too early"},
        {"parameter", 10, 68 + 320 + 72, BYTES("\4"), ASSAY_EFORMAT, "unknown parameter"},
        {"parameter 0", 10, 68 + 320 + 72, BYTES("\0"), ASSAY_EFORMAT, "not sorted"},
    };
    assay_writer w;
    small_zkey(&w, assay_curve_get(ASSAY_BN254), false);
    check_mutations(read_all, &w, m, sizeof m / sizeof m[0]);
    assay_writer_clear(&w);
}

/* Points of the curve, but not the right ones: beta1 and delta1 foreign to beta2 and delta2 (which would strip a proof
 * of its blinding), B1 to B2. */
TEST(foreign_multiples)
{
    static const struct {
        const char *name;
        uint32_t section;
        size_t at;
        const char *words;
    } cases[] = {{"beta1", 2, BETA1, "beta1 and beta2"},
                 {"delta1", 2, DELTA1, "delta1 and delta2"},
                 {"B1", 6, 192, "sections 6 and 7"}};
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assay_writer w;
        assay_affine other;
        size_t nbytes;
        small_zkey(&w, c, false);
        small_multiple(&other, c, ASSAY_G1, 77);
        c->group[ASSAY_G1].to_lem(w.p + small_section(w.p, w.n, cases[i].section, &nbytes) + cases[i].at, &other);
        if (cases[i].section == 2) { /* or the history would complain first */
            assay_zkey z;
            assay_errinfo err = {0};
            REQUIRE_OK(assay_zkey_of(&z, "key", w.p, w.n, false, NULL));
            CHECK_STATUS(assay_zkey_check_header(&z, &err), ASSAY_ERANGE);
            CHECK(strstr(err.subject, cases[i].words) != NULL);
            assay_zkey_close(&z);
        } else {
            check_refused(read_all, w.p, w.n, cases[i].name, ASSAY_ERANGE, cases[i].words);
        }
        assay_writer_clear(&w);
    }
}

/* Sections a little shorter, with every other length right. */
TEST(half_sections)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        assay_writer w;
        small_zkey(&w, assay_curve_get((assay_curve_id)i), false);
        for (uint32_t id = ASSAY_ZKEY_HEADER; id <= ASSAY_ZKEY_H; id++) {
            size_t nbytes;
            (void)small_section(w.p, w.n, id, &nbytes);
            for (size_t cut = 1; cut <= nbytes; cut = cut == nbytes      ? nbytes + 1
                                                      : cut * 3 < nbytes ? cut * 3
                                                                         : nbytes) {
                assay_writer shorter;
                char words[32];
                (void)snprintf(words, sizeof words, "section %u", id);
                small_cut_section(&shorter, w.p, w.n, id, cut);
                check_refused(open_only, shorter.p, shorter.n, words, ASSAY_EFORMAT, words);
                assay_writer_clear(&shorter);
            }
        }
        assay_writer_clear(&w);
    }
}

TEST(development_keys)
{
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_writer w;
    assay_zkey z;
    size_t nbytes;
    small_zkey(&w, c, true);
    check_refused(open_only, w.p, w.n, "marked", ASSAY_EUNSUPPORTED, "insecure development key");
    CHECK_OK(assay_zkey_of(&z, "key", w.p, w.n, true, NULL));
    CHECK(z.development);
    assay_zkey_close(&z);
    assay_writer_clear(&w);
    small_zkey(&w, c, false);
    uint8_t *header = w.p + small_section(w.p, w.n, 2, &nbytes);
    memcpy(header + DELTA2, header + GAMMA2, 128);
    check_refused(open_only, w.p, w.n, "gamma2 = delta2", ASSAY_EUNSUPPORTED, "gamma2 = delta2");
    CHECK_OK(assay_zkey_of(&z, "key", w.p, w.n, true, NULL));
    CHECK(z.development);
    assay_zkey_close(&z);
    assay_writer_clear(&w);
}

/* A key cut while it is open: an error from the section that is gone, and no signal. */
TEST(truncated_while_open)
{
    char path[PATH];
    assay_writer w;
    assay_zkey z;
    assay_zkey_matrices m;
    assay_affine points[SMALL_WIRES];
    (void)snprintf(path, sizeof path, "%s/key", assay_test_tmpdir());
    small_zkey(&w, assay_curve_get(ASSAY_BLS381), false);
    REQUIRE_OK(assay_file_write(path, w.p, w.n, 0600, NULL));
    REQUIRE_OK(assay_zkey_open(&z, path, false, NULL));
    CHECK(truncate(path, 900) == 0);
    check_refused(read_all, w.p, w.n, "memory is another thing", ASSAY_OK, NULL);
    CHECK_STATUS(assay_zkey_points(points, &z, ASSAY_ZKEY_A, 0, SMALL_WIRES, ASSAY_POINT_CURVE, NULL, NULL),
                 ASSAY_EFORMAT);
    CHECK_STATUS(assay_zkey_matrices_load(&m, &z, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_zkey_check(&z, NULL, NULL, NULL), ASSAY_EFORMAT);
    assay_zkey_close(&z);
    assay_writer_clear(&w);
}

/* Circuits with all wires public have no C; without public signals IC has one point. */
TEST(empty_sections)
{
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    for (uint32_t n_public = 0; n_public < SMALL_WIRES; n_public += SMALL_WIRES - 1) {
        assay_writer w;
        assay_zkey z = {.curve = c, .n_vars = SMALL_WIRES, .n_public = n_public, .domain = 2}, read;
        assay_container_writer out;
        assay_vk vk;
        small_multiple(&z.alpha1, c, ASSAY_G1, 3);
        small_multiple(&z.delta1, c, ASSAY_G1, 5);
        small_multiple(&z.beta1, c, ASSAY_G1, 3);
        small_multiple(&z.beta2, c, ASSAY_G2, 3);
        small_multiple(&z.delta2, c, ASSAY_G2, 5);
        small_multiple(&z.gamma2, c, ASSAY_G2, 4);
        assay_writer_init(&w, 1 << 20);
        REQUIRE_OK(assay_container_write(&out, NULL, &w, "zkey", 1, 9, NULL));
        CHECK_OK(assay_zkey_write_header(&out, &z, NULL));
        CHECK_OK(assay_zkey_begin_coefs(&out, 0, NULL));
        for (unsigned section = ASSAY_ZKEY_IC; section <= ASSAY_ZKEY_H; section++) {
            if (section == ASSAY_ZKEY_COEFS) continue;
            assay_affine point = z.alpha1;
            if (section != ASSAY_ZKEY_IC) memset(&point, 0, sizeof point);
            CHECK_OK(assay_zkey_begin_points(&out, &z, section, NULL));
            for (uint64_t i = 0; i < assay_zkey_n_points(&z, section); i++)
                CHECK_OK(assay_zkey_put_points(&out, &z, section, &point, 1, NULL));
        }
        CHECK_OK(assay_container_finish(&out, NULL));
        assay_container_writer_clear(&out);
        REQUIRE_OK(assay_zkey_of(&read, "key", w.p, w.n, false, NULL));
        CHECK_EQ_U64(assay_zkey_n_points(&read, ASSAY_ZKEY_C), SMALL_WIRES - 1 - n_public);
        CHECK_OK(assay_zkey_check(&read, NULL, NULL, NULL));
        REQUIRE_OK(assay_zkey_vk(&vk, &read, NULL));
        CHECK_EQ_U64(vk.n_public, n_public);
        assay_vk_clear(&vk);
        assay_zkey_close(&read);
        assay_writer_clear(&w);
    }
}

static void check_vector(const char *name, uint32_t n_vars, uint32_t n_public, uint32_t domain, size_t contributions)
{
    char path[VECTOR_PATH];
    assay_errinfo err = {0};
    assay_zkey z;
    assay_zkey_history h;
    if (!vector_path(path, name)) return;
    if (!CHECK_OK(assay_zkey_open(&z, path, true, &err))) {
        printf("  %s: %s\n", err.subject, err.reason);
        return;
    }
    CHECK_EQ_U64(z.n_vars, n_vars);
    CHECK_EQ_U64(z.n_public, n_public);
    CHECK_EQ_U64(z.domain, domain);
    CHECK(z.development == (contributions == 0));
    if (!CHECK_OK(assay_zkey_check(&z, NULL, NULL, &err))) printf("  %s: %s\n", err.subject, err.reason);
    CHECK_OK(assay_zkey_history_read(&h, &z, NULL));
    CHECK_EQ_U64(h.n, contributions);
    assay_zkey_history_clear(&h);
    assay_zkey_close(&z);
}

TEST(keys_of_snarkjs)
{
    check_vector("groth16/mul/mul.zkey", 6, 2, 8, 1);
    check_vector("groth16/bls_mul/bls_mul.zkey", 6, 2, 8, 1);
    check_vector("groth16/independent/Groth16/bn254/multiplier2/circuit.zkey", 4, 1, 4, 1);
    check_vector("groth16/independent/Groth16/bls12_381/multiplier2/circuit.zkey", 4, 1, 4, 1);
    check_vector("groth16/independent/Groth16/bn254/poseidon/circuit.zkey", 215, 1, 256, 0);
    check_vector("groth16/independent/Groth16/bls12_381/poseidon/circuit.zkey", 215, 1, 256, 1);
}
