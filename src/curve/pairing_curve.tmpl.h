/* SPDX-License-Identifier: Apache-2.0 */
/* A pairing-friendly curve: its tower, both groups and their generators, as a template. Before inclusion: CURVE, the
 * prefix of all names; FQ, the prime field's; CURVE_BIG, the constants' (curves_gen.h); FR_MODULUS, the limbs of the
 * group order; TOWER_XI, TOWER_XI_TOP (tower.tmpl.h). They are undefined at the end. */

#define PAIR_FN(name)    LIMB_JOIN(CURVE, name)
#define PAIR_CONST(name) LIMB_JOIN(CURVE_BIG, name)
#define PAIR_FQ2         PAIR_FN(fq2)
#define PAIR_G1A         LIMB_JOIN(PAIR_FN(g1), affine)
#define PAIR_G2A         LIMB_JOIN(PAIR_FN(g2), affine)
#define TOWER_FROBENIUS  PAIR_CONST(FROBENIUS)
#include "curve/tower.tmpl.h"

static inline FQ PAIR_FN(b)(void)
{
    FQ b = {PAIR_CONST(B)};
    return b;
}

static inline PAIR_FQ2 PAIR_FN(b2)(void)
{
    static const FQ b[2] = PAIR_CONST(B2);
    return LIMB_JOIN(PAIR_FQ2, make)(b[0], b[1]);
}

#define POINT             PAIR_FN(g1)
#define COORD             FQ
#define POINT_B           PAIR_FN(b)()
#define POINT_ORDER       FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

#define POINT             PAIR_FN(g2)
#define COORD             PAIR_FQ2
#define POINT_B           PAIR_FN(b2)()
#define POINT_ORDER       FR_MODULUS
#define POINT_ORDER_LIMBS 4
#include "curve/point.tmpl.h"

static inline PAIR_G1A LIMB_JOIN(PAIR_FN(g1), generator)(void)
{
    PAIR_G1A g = {{PAIR_CONST(G1_X)}, {PAIR_CONST(G1_Y)}};
    return g;
}

static inline PAIR_G2A LIMB_JOIN(PAIR_FN(g2), generator)(void)
{
    static const FQ x[2] = PAIR_CONST(G2_X), y[2] = PAIR_CONST(G2_Y);
    PAIR_G2A g = {LIMB_JOIN(PAIR_FQ2, make)(x[0], x[1]), LIMB_JOIN(PAIR_FQ2, make)(y[0], y[1])};
    return g;
}

#undef PAIR_FN
#undef PAIR_CONST
#undef PAIR_FQ2
#undef PAIR_G1A
#undef PAIR_G2A
#undef CURVE
#undef FQ
#undef CURVE_BIG
#undef FR_MODULUS
#undef TOWER_XI
#undef TOWER_XI_TOP
#undef TOWER_FROBENIUS
