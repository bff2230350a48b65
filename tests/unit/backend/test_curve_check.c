/* SPDX-License-Identifier: Apache-2.0 */
/* assay_points_on_curve with every instruction set: good arrays of every small size, and one bad point at every place.
 */
#include "backend/groups.h"
#include "base/cpu.h"
#include "field/limbs.h"
#include "harness.h"
#include <string.h>

enum { POINTS = 21 };

static const unsigned masks[] = {0, ASSAY_CPU_ADX, ~0u};

/* 0, G, 2 G, ... with a second infinity. */
static void make_points(const assay_group *g, uint8_t *out)
{
    assay_affine generator;
    assay_point p;
    g->generator(&generator);
    g->infinity(&p);
    for (size_t i = 0; i < POINTS; i++, g->add_affine(&p, &p, &generator)) {
        assay_affine a;
        g->to_affine(&a, &p);
        if (i == 13) memset(&a, 0, sizeof a);
        g->to_lem(out + i * g->affine_bytes, &a);
    }
}

/* One coordinate, the c-th of the point, made wrong. */
static void spoil(const assay_curve *c, uint8_t *point, size_t coord, unsigned how)
{
    uint64_t v[ASSAY_FQ_MAX_LIMBS], carry = 0;
    const int n = (int)c->fq_limbs;
    uint8_t *at = point + coord * c->fq_bytes;
    limbs_from_bytes(v, at, n, false);
    switch (how) {
    case 0:
        v[0] ^= 1;
        break;
    case 1:
        v[n - 1] ^= (uint64_t)1 << 50;
        break;
    case 2: /* the same residue, plus q */
        for (int i = 0; i < n; i++) v[i] = limb_add(v[i], c->fq_modulus[i], &carry);
        break;
    case 3:
        memcpy(v, c->fq_modulus, c->fq_bytes);
        break;
    default:
        memset(v, 0xff, sizeof v);
        break;
    }
    limbs_to_bytes(at, v, n, false);
}

static void check_group(const assay_curve *c, const assay_group *g)
{
    uint8_t points[POINTS * ASSAY_AFFINE_MAX_BYTES], kept[ASSAY_AFFINE_MAX_BYTES];
    make_points(g, points);
    for (size_t n = 0; n <= POINTS; n++) CHECK_EQ_U64(assay_points_on_curve(g, points, n), n);
    for (size_t i = 0; i < POINTS; i++)
        for (unsigned how = 0; how < 5; how++)
            for (size_t coord = 0; coord < g->affine_bytes / c->fq_bytes; coord++) {
                uint8_t *at = points + i * g->affine_bytes;
                memcpy(kept, at, g->affine_bytes);
                spoil(c, at, coord, how);
                assay_affine a;
                bool good = g->from_lem(&a, at) && g->on_curve(&a);
                CHECK(!good);
                CHECK_EQ_U64(assay_points_on_curve(g, points, POINTS), i);
                CHECK_EQ_U64(assay_points_on_curve(g, points, i + 1), i);
                memcpy(at, kept, g->affine_bytes);
            }
    CHECK_EQ_U64(assay_points_on_curve(g, points, POINTS), POINTS);
}

TEST(all_groups)
{
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++) {
        assay_cpu_mask(masks[m]);
        for (int id = 0; id < ASSAY_CURVE_COUNT; id++) {
            const assay_curve *c = assay_curve_get((assay_curve_id)id);
            for (int i = 0; i < ASSAY_GROUP_COUNT; i++) check_group(c, &c->group[i]);
        }
    }
    assay_cpu_mask(~0u);
}
