/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of tau: what is read equals what was written, on both curves; refusals. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "groth16/mutation.h"
#include "groth16/ptau.h"
#include "groth16/small_files.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << SMALL_PTAU_POWER, PATH = 1024 };

static assay_status open_only(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_ptau t;
    assay_status s = assay_ptau_of(&t, "ptau", p, n, err);
    assay_ptau_close(&t);
    return s;
}

static const unsigned all[] = {2, 3, 4, 5, 6, 12, 13, 14, 15};

/* Every point. */
static assay_status read_all(const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_affine points[4 * N];
    assay_ptau t;
    assay_status s = assay_ptau_of(&t, "ptau", p, n, err);
    for (size_t i = 0; i < sizeof all / sizeof all[0] && s == ASSAY_OK; i++) {
        size_t count = assay_ptau_n_points(&t, all[i]);
        if (count) s = assay_ptau_points(points, &t, all[i], 0, count, ASSAY_POINT_GROUP, NULL, err);
    }
    assay_ptau_close(&t);
    return s;
}

TEST(round_trip)
{
    static const uint64_t counts[] = {2 * N - 1, N, N, N, 1, 4 * N - 1, 2 * N - 1, 2 * N - 1, 2 * N - 1};
    for (int i = 0; i < 2 * ASSAY_CURVE_COUNT; i++) {
        const assay_curve *c = assay_curve_get((assay_curve_id)(i / 2));
        bool prepared = i % 2;
        assay_writer w;
        assay_ptau t;
        assay_affine points[4], expected;
        small_ptau(&w, c, prepared);
        REQUIRE_OK(assay_ptau_of(&t, "ptau", w.p, w.n, NULL));
        CHECK(t.curve == c && t.prepared == prepared);
        CHECK_EQ_U64(t.power, SMALL_PTAU_POWER);
        CHECK_EQ_U64(t.ceremony_power, 28);
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            CHECK_EQ_U64(assay_ptau_n_points(&t, all[k]), prepared || all[k] < 12 ? counts[k] : 0);
        CHECK_OK(assay_ptau_points(points, &t, ASSAY_PTAU_TAU_G2, 2, 2, ASSAY_POINT_FINITE, NULL, NULL));
        small_multiple(&expected, c, ASSAY_G2, 303);
        CHECK_EQ_MEM((uint8_t *)points + c->group[ASSAY_G2].affine_bytes, &expected, c->group[ASSAY_G2].affine_bytes);
        CHECK_STATUS(assay_ptau_points(points, &t, ASSAY_PTAU_TAU_G2, N, 1, ASSAY_POINT_CURVE, NULL, NULL),
                     ASSAY_EINVAL);
        CHECK_STATUS(assay_ptau_points(points, &t, 7, 0, 1, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EINVAL);
        CHECK_STATUS(assay_ptau_lagrange(points, &t, 12, 2, 1, 2, ASSAY_POINT_CURVE, NULL, NULL),
                     prepared ? ASSAY_OK : ASSAY_EINVAL);
        if (prepared) { /* size 4 begins at point 3 */
            small_multiple(&expected, c, ASSAY_G1, 1204);
            CHECK_EQ_MEM(points, &expected, c->group[ASSAY_G1].affine_bytes);
            CHECK_OK(assay_ptau_lagrange(points, &t, 12, SMALL_PTAU_POWER + 1, 7, 1, ASSAY_POINT_CURVE, NULL, NULL));
            CHECK_STATUS(assay_ptau_lagrange(points, &t, 13, SMALL_PTAU_POWER + 1, 0, 1, ASSAY_POINT_CURVE, NULL, NULL),
                         ASSAY_EINVAL);
            CHECK_STATUS(assay_ptau_lagrange(points, &t, 12, 2, 3, 2, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EINVAL);
            CHECK_STATUS(assay_ptau_lagrange(points, &t, 2, 1, 0, 1, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EINVAL);
        }
        assay_ptau_close(&t);
        check_refused(read_all, w.p, w.n, "all points", ASSAY_OK, NULL);
        check_truncations(open_only, &w, 1);
        assay_writer_clear(&w);
    }
}

/* Section 1: n8, q 4, power 36, ceremony 40. */
TEST(hostile)
{
    static const uint8_t one[64] = {1};
    static const mutation m[] = {
        {"magic", 0, 0, BYTES("ptai"), ASSAY_EFORMAT, "not a file of this kind"},
        {"prime", 1, 4, BYTES("\3"), ASSAY_EUNSUPPORTED, "no known curve"},
        {"power 0", 1, 36, BYTES("\0"), ASSAY_ERANGE, "a power out of range"},
        {"power 29", 1, 36, BYTES("\x1d"), ASSAY_ERANGE, "a power out of range"},
        {"power 28", 1, 36, BYTES("\x1c"), ASSAY_EFORMAT, "section 2 (tau in G1): has a wrong length"},
        {"power huge", 1, 36, BYTES("\xff\xff\xff\xff"), ASSAY_ERANGE, "a power out of range"},
        {"ceremony", 1, 40, BYTES("\1"), ASSAY_ERANGE, "above that of its ceremony"},
        {"off the curve", 2, 64, one, 64, ASSAY_ERANGE, "section 2 (tau in G1): is not on the curve (1)"},
        {"off the curve", 15, 64, one, 64, ASSAY_ERANGE, "section 15 (Lagrange, beta tau): is not on the curve (1)"},
    };
    assay_writer w;
    small_ptau(&w, assay_curve_get(ASSAY_BN254), true);
    check_mutations(read_all, &w, m, sizeof m / sizeof m[0]);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assay_writer shorter;
        char words[32];
        (void)snprintf(words, sizeof words, "section %u", all[i]);
        small_cut_section(&shorter, w.p, w.n, all[i], 64);
        check_refused(open_only, shorter.p, shorter.n, words, ASSAY_EFORMAT, words);
        assay_writer_clear(&shorter);
    }
    assay_writer_clear(&w);
}

TEST(truncated_while_open)
{
    char path[PATH];
    assay_writer w;
    assay_ptau t;
    assay_affine points[4];
    (void)snprintf(path, sizeof path, "%s/p.ptau", assay_test_tmpdir());
    small_ptau(&w, assay_curve_get(ASSAY_BN254), true);
    REQUIRE_OK(assay_file_write(path, w.p, w.n, 0600, NULL));
    REQUIRE_OK(assay_ptau_open(&t, path, NULL));
    CHECK_OK(assay_ptau_points(points, &t, 15, 0, 4, ASSAY_POINT_CURVE, NULL, NULL));
    CHECK(truncate(path, 100) == 0);
    CHECK_STATUS(assay_ptau_points(points, &t, 15, 0, 4, ASSAY_POINT_CURVE, NULL, NULL), ASSAY_EFORMAT);
    assay_ptau_close(&t);
    assay_writer_clear(&w);
}
