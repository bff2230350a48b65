/* SPDX-License-Identifier: Apache-2.0 */
/* The circle group. */
#include "field/circle.h"
#include "vectors/vector_file.h"

TEST(vectors)
{
    vector_file v;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    while (vector_line(&v, "circle")) {
        assay_circle_point a = assay_circle_pow(circle_gen(), vector_u64(&v));
        CHECK_EQ_U64(a.x, vector_f(&v));
        CHECK_EQ_U64(a.y, vector_f(&v));
        CHECK(assay_circle_contains(a));
    }
    vector_close(&v, 20);
}

TEST(roots_have_their_order)
{
    for (unsigned log = 0; log <= CIRCLE_LOG_ORDER; log++) {
        assay_circle_point a = assay_circle_root(log);
        for (unsigned i = 1; i < log; i++) a = circle_double(a);
        if (log > 0) {
            CHECK(a.x == M31_P - 1 && a.y == 0); /* the one point of order two */
            a = circle_double(a);
        }
        CHECK(a.x == 1 && a.y == 0);
    }
}

TEST(group_laws)
{
    for (int i = 0; i < 1000; i++) {
        assay_circle_point a = assay_circle_pow(circle_gen(), assay_test_random());
        assay_circle_point b = assay_circle_pow(circle_gen(), assay_test_random());
        assay_circle_point ab = circle_mul(a, b), ba = circle_mul(b, a), aa = circle_mul(a, a), d = circle_double(a);
        assay_circle_point one = circle_mul(a, circle_inv(a));
        CHECK(ab.x == ba.x && ab.y == ba.y && assay_circle_contains(ab));
        CHECK(aa.x == d.x && aa.y == d.y && circle_double_x(a.x) == d.x);
        CHECK(one.x == circle_one().x && one.y == circle_one().y);
    }
}

TEST(membership)
{
    CHECK(assay_circle_contains(circle_gen()));
    CHECK(!assay_circle_contains(circle_make(2, 1268011824u)));
    CHECK(!assay_circle_contains(circle_make(0, 0)));
    CHECK(!assay_circle_contains(circle_make(M31_P + 1, 0))); /* (1, 0), not canonical */
}
