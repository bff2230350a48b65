/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits: round trip, refusals, circuits that circom made (whose witnesses must satisfy what was read), and names. */
#include "base/mem.h"
#include "groth16/mutation.h"
#include "groth16/r1cs.h"
#include "groth16/small_files.h"
#include "groth16/symbols.h"
#include "groth16/vectors.h"
#include <stdio.h>
#include <string.h>

static assay_status parse(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_r1cs c;
    assay_status s = assay_r1cs_parse(&c, "circuit", p, n, err);
    CHECK((s == ASSAY_OK) == (c.start != NULL));
    assay_r1cs_clear(&c);
    return s;
}

TEST(round_trip)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        const assay_curve *curve = assay_curve_get((assay_curve_id)i);
        assay_writer file, again;
        assay_r1cs c;
        const uint32_t *wire, *value;
        small_r1cs(&file, curve);
        REQUIRE_OK(assay_r1cs_parse(&c, "circuit", file.p, file.n, NULL));
        CHECK(c.curve == curve);
        CHECK_EQ_U64(c.n_wires, SMALL_WIRES);
        CHECK_EQ_U64(assay_r1cs_n_public(&c), SMALL_PUBLIC);
        CHECK_EQ_U64(c.n_constraints, 1);
        CHECK_EQ_U64(c.values.n, 1);
        CHECK_EQ_U64(assay_r1cs_row(&c, 0, ASSAY_R1CS_C, &wire, &value), 1);
        CHECK_EQ_U64(wire[0], 1);
        assay_fr one = curve->fr_from_u64(1);
        CHECK_EQ_MEM(&c.values.v[value[0]], &one, sizeof one);
        assay_writer_init(&again, 1 << 20);
        CHECK_OK(assay_r1cs_write(&c, NULL, &again, NULL));
        CHECK_EQ_U64(again.n, file.n);
        CHECK_EQ_MEM(again.p, file.p, file.n);
        assay_r1cs_clear(&c);
        check_truncations(parse, &file, 1);
        assay_writer_clear(&again);
        assay_writer_clear(&file);
    }
}

#define ONES_8 "\xff\xff\xff\xff\xff\xff\xff\xff"

/* Section 1: n8, r, nWires 36, nPubOut 40, nPubIn 44, nPrvIn 48, nLabels 52, nConstraints 60. */
TEST(hostile)
{
    static const mutation m[] = {
        {"magic", 0, 0, BYTES("r1c5"), ASSAY_EFORMAT, "not a file of this kind"},
        {"version", 0, 4, BYTES("\2"), ASSAY_EUNSUPPORTED, "unknown version"},
        {"n8", 1, 0, BYTES("\x60"), ASSAY_EFORMAT, "no prime of a known length"},
        {"prime", 1, 4, BYTES("\3"), ASSAY_EUNSUPPORTED, "no known curve"},
        {"no wires", 1, 36, BYTES("\0\0\0\0"), ASSAY_ERANGE, "more inputs and outputs than wires"},
        {"outputs", 1, 40, BYTES("\2"), ASSAY_ERANGE, "more inputs and outputs than wires"},
        {"outputs overflow", 1, 40, BYTES("\xff\xff\xff\xff\2"), ASSAY_ERANGE, "more inputs and outputs than wires"},
        {"constraints 0", 1, 60, BYTES("\0"), ASSAY_EFORMAT, "fits no number of terms"},
        {"constraints 2", 1, 60, BYTES("\2"), ASSAY_EFORMAT, "fits no number of terms"},
        {"constraints 2^28", 1, 60, BYTES("\0\0\0\x10"), ASSAY_ERANGE, "larger than the curve has a domain for"},
        {"constraints 2^28 - 2", 1, 60, BYTES("\xfe\xff\xff\x0f"), ASSAY_EFORMAT, "fits no number of terms"},
        {"constraints 2^32 - 1", 1, 60, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "larger than the curve has a domain"},
        {"constraints 4", 1, 60, BYTES("\4"), ASSAY_EFORMAT, NULL},
        {"terms", 2, 0, BYTES("\4"), ASSAY_EFORMAT, "more terms than its bytes hold"},
        {"terms huge", 2, 0, BYTES("\xff\xff\xff\xff"), ASSAY_EFORMAT, "more terms than its bytes hold"},
        {"last terms 0", 2, 80, BYTES("\0"), ASSAY_EFORMAT, "bytes after the last constraint"},
        {"wire", 2, 4, BYTES("\4"), ASSAY_ERANGE, "a wire that is not there"},
        {"wire huge", 2, 44, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "a wire that is not there"},
        {"value", 2, 8, BYTES(ONES_8 ONES_8 ONES_8 ONES_8), ASSAY_ERANGE, "not below r (constraint, wire) (0, 2)"},
    };
    assay_writer file, half, gates;
    small_r1cs(&file, assay_curve_get(ASSAY_BN254));
    check_mutations(parse, &file, m, sizeof m / sizeof m[0]);
    small_cut_section(&half, file.p, file.n, 2, 60);
    check_refused(parse, half.p, half.n, "half a section", ASSAY_EFORMAT, "section 2 (constraints)");
    assay_writer_clear(&half);
    assay_writer_init(&gates, 1 << 20);
    assay_write_bytes(&gates, file.p, file.n);
    assay_write_u32(&gates, 4);
    assay_write_u64(&gates, 4);
    assay_write_u32(&gates, 0);
    gates.p[8] = 4;
    check_refused(parse, gates.p, gates.n, "no custom gates", ASSAY_OK, NULL);
    gates.p[gates.n - 4] = 1;
    check_refused(parse, gates.p, gates.n, "custom gates", ASSAY_EUNSUPPORTED, "custom gates");
    assay_writer_clear(&gates);
    assay_writer_clear(&file);
}

TEST(domain)
{
    CHECK_EQ_U64(assay_groth16_log_domain(0, 0), 1);
    CHECK_EQ_U64(assay_groth16_log_domain(1, 0), 1);
    CHECK_EQ_U64(assay_groth16_log_domain(1, 1), 2);
    CHECK_EQ_U64(assay_groth16_log_domain(2, 1), 2);
    CHECK_EQ_U64(assay_groth16_log_domain(2, 2), 3);
    CHECK_EQ_U64(assay_groth16_log_domain(500484, 1), 19);
    CHECK_EQ_U64(assay_groth16_log_domain(UINT32_MAX, UINT32_MAX), 33);
}

static assay_fr dot(const assay_r1cs *c, uint32_t i, unsigned m, const assay_wtns *w)
{
    const uint32_t *wire, *value;
    uint32_t n = assay_r1cs_row(c, i, m, &wire, &value);
    assay_fr sum = c->curve->fr_from_u64(0);
    for (uint32_t t = 0; t < n; t++) {
        assay_fr x = c->curve->fr_from_limbs(w->w[wire[t]]);
        sum = c->curve->fr_add(sum, c->curve->fr_mul(c->values.v[value[t]], x));
    }
    return sum;
}

/* Reads a circuit and its witness; every constraint must hold. */
static void check_vector(const char *name, uint32_t n_constraints, uint32_t most_values)
{
    char file[VECTOR_PATH], path[VECTOR_PATH];
    assay_r1cs c;
    assay_wtns w;
    (void)snprintf(file, sizeof file, "groth16/%s.r1cs", name);
    if (!vector_path(path, file)) return;
    REQUIRE_OK(assay_r1cs_read(&c, path, NULL, NULL));
    CHECK_EQ_U64(c.n_constraints, n_constraints);
    CHECK(c.values.n <= most_values);
    (void)snprintf(file, sizeof file, "groth16/%s.wtns", name);
    if (strstr(name, "circuit"))
        (void)snprintf(file, sizeof file, "groth16/%.*switness.wtns", (int)(strlen(name) - 7), name);
    if (!vector_path(path, file)) return;
    REQUIRE_OK(assay_wtns_read(&w, path, NULL));
    CHECK_EQ_U64(w.n, c.n_wires);
    bool holds = true;
    for (uint32_t i = 0; i < c.n_constraints; i++) {
        assay_fr ab = c.curve->fr_mul(dot(&c, i, ASSAY_R1CS_A, &w), dot(&c, i, ASSAY_R1CS_B, &w));
        assay_fr cc = dot(&c, i, ASSAY_R1CS_C, &w);
        holds = holds && memcmp(&ab, &cc, sizeof ab) == 0;
    }
    CHECK(holds);
    assay_wtns_clear(&w);
    assay_r1cs_clear(&c);
}

TEST(circuits_of_circom)
{
    check_vector("mul/mul", 2, 2);
    check_vector("bls_mul/bls_mul", 2, 2);
    check_vector("merkle20/merkle20", 11332, 20000);
    check_vector("bls_mulchain4000/bls_mulchain4000", 4000, 3);
    check_vector("independent/Groth16/bn254/poseidon/circuit", 213, 1000);
    check_vector("independent/Groth16/bls12_381/multiplier2/circuit", 1, 2);
}

TEST(symbols)
{
    static const char text[] =
        "1,1,0,main.out\n2,2,0,main.a\n3,-1,0,main.gone\r\n4,4294967294,12,main.x[3].y\n5,2,1,main.again";
    assay_symbol s[] = {{.wire = 2}, {.wire = 1}, {.wire = UINT32_MAX}, {.wire = 3}, {.wire = UINT32_MAX - 1}};
    assay_source source = assay_source_of("sym", text, sizeof text - 1);
    REQUIRE_OK(assay_symbols_find_in(s, 5, &source, NULL));
    CHECK_EQ_STR(s[0].name, "main.a");
    CHECK_EQ_STR(s[1].name, "main.out");
    CHECK_EQ_STR(s[2].name, "");
    CHECK_EQ_STR(s[3].name, "");
    CHECK_EQ_STR(s[4].name, "main.x[3].y");
    static const char *const bad[] = {
        "1,2,3", "x,1,0,a", "1,,0,a", "1,1,0 a", "1;1;0;a", "99999999999999999999999,1,0,a", "1,1,0,a\n2,2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        source = assay_source_of("sym", bad[i], strlen(bad[i]));
        CHECK_STATUS(assay_symbols_find_in(s, 5, &source, NULL), ASSAY_EFORMAT);
    }
}

/* Longer than the buffer; a line without end. */
TEST(symbols_long)
{
    enum { LINES = 20000, LONG = 80000 };
    assay_writer w;
    char line[64];
    assay_symbol s[] = {{.wire = LINES - 1}, {.wire = 0}};
    assay_writer_init(&w, 1 << 22);
    for (int i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%d,%d,0,main.c[%d].out\n", i, i, i);
        assay_write_bytes(&w, line, strlen(line));
    }
    assay_source source = assay_source_of("sym", w.p, w.n);
    REQUIRE_OK(assay_symbols_find_in(s, 2, &source, NULL));
    CHECK_EQ_STR(s[0].name, "main.c[19999].out");
    CHECK_EQ_STR(s[1].name, "main.c[0].out");
    for (int i = 0; i < LONG; i++) assay_write_u8(&w, 'x');
    source = assay_source_of("sym", w.p, w.n);
    CHECK_STATUS(assay_symbols_find_in(s, 2, &source, NULL), ASSAY_EFORMAT);
    assay_writer_clear(&w);
    char path[VECTOR_PATH];
    if (!vector_path(path, "groth16/mul/mul.sym")) return;
    assay_symbol t = {.wire = 3};
    REQUIRE_OK(assay_symbols_find(&t, 1, path, NULL));
    CHECK_EQ_STR(t.name, "main.a");
}
