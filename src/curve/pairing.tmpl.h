/* SPDX-License-Identifier: Apache-2.0 */
/* Optimal ate pairings, as a template over a tower and its two groups. Before inclusion: CURVE and FQ; TWIST_B, b of
 * the twist; PAIRING_LOOP, PAIRING_LOOP_DIGITS, signed digits of the loop count; PAIRING_LINE(f, l0, l1, l2), the
 * sparse product for the type of twist; PAIRING_LAST_LINES(f, t, p, q), lines of a pair after the loop; PAIRING_END(f),
 * what follows for all pairs at once; PAIRING_HARD(f), the power (q^4 - q^2 + 1) m / r.
 *
 * Points of the twist in homogeneous coordinates; lines as in Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit
 * formulas for computing pairings over ordinary curves" (Eurocrypt 2011), section 4. */

#define PAIRING_FN(name) LIMB_JOIN(assay, CURVE_FN(name))
#define G1A              CURVE_FN(g1_affine)
#define G2A              CURVE_FN(g2_affine)

/* x / z, y / z */
typedef struct CURVE_FN(twist_point) {
    FQ2 x, y, z;
} CURVE_FN(twist_point);
#define TWIST CURVE_FN(twist_point)

/* t = 2 t; the tangent at t: l[0] y_P, l[1] x_P, l[2] */
static void CURVE_FN(line_double)(TWIST *t, FQ2 l[3])
{
    static const FQ b2[2] = TWIST_B;
    FQ2 b = FQ2_FN(sqr)(t->y), c = FQ2_FN(sqr)(t->z), j = FQ2_FN(sqr)(t->x), xy = FQ2_FN(mul)(t->x, t->y);
    FQ2 c3 = FQ2_FN(add)(FQ2_FN(dbl)(c), c), e = FQ2_FN(mul)(FQ2_FN(make)(b2[0], b2[1]), c3);
    FQ2 f = FQ2_FN(add)(FQ2_FN(dbl)(e), e), h = FQ2_FN(sub)(FQ2_FN(sqr)(FQ2_FN(add)(t->y, t->z)), FQ2_FN(add)(b, c));
    FQ2 g = FQ2_FN(add)(b, f), ee = FQ2_FN(sqr)(e), ee12 = FQ2_FN(dbl)(FQ2_FN(dbl)(FQ2_FN(add)(FQ2_FN(dbl)(ee), ee)));
    l[0] = FQ2_FN(neg)(h);
    l[1] = FQ2_FN(add)(FQ2_FN(dbl)(j), j);
    l[2] = FQ2_FN(sub)(e, b);
    /* all coordinates times 4: no halves */
    t->x = FQ2_FN(dbl)(FQ2_FN(mul)(xy, FQ2_FN(sub)(b, f)));
    t->y = FQ2_FN(sub)(FQ2_FN(sqr)(g), ee12);
    t->z = FQ2_FN(dbl)(FQ2_FN(dbl)(FQ2_FN(mul)(b, h)));
}

/* t = t + q; the line through both. */
static void CURVE_FN(line_add)(TWIST *t, FQ2 l[3], const G2A *q)
{
    FQ2 o = FQ2_FN(sub)(t->y, FQ2_FN(mul)(q->y, t->z)), d = FQ2_FN(sub)(t->x, FQ2_FN(mul)(q->x, t->z));
    FQ2 dd = FQ2_FN(sqr)(d), e = FQ2_FN(mul)(d, dd), f = FQ2_FN(mul)(t->z, FQ2_FN(sqr)(o)), g = FQ2_FN(mul)(t->x, dd);
    FQ2 h = FQ2_FN(sub)(FQ2_FN(add)(e, f), FQ2_FN(dbl)(g));
    l[0] = d;
    l[1] = FQ2_FN(neg)(o);
    l[2] = FQ2_FN(sub)(FQ2_FN(mul)(o, q->x), FQ2_FN(mul)(d, q->y));
    t->x = FQ2_FN(mul)(d, h);
    t->y = FQ2_FN(sub)(FQ2_FN(mul)(o, FQ2_FN(sub)(g, h)), FQ2_FN(mul)(e, t->y));
    t->z = FQ2_FN(mul)(t->z, e);
}

static void CURVE_FN(line_apply)(FQ12 *f, const FQ2 l[3], const G1A *p)
{
    PAIRING_LINE(f, FQ2_FN(scale)(l[0], p->y), FQ2_FN(scale)(l[1], p->x), l[2]);
}

enum { CURVE_FN(batch) = 4 };

/* out *= the Miller functions of n pairs, at most `batch`, which share the squarings. A pair with infinity counts as 1.
 */
static void CURVE_FN(miller)(FQ12 *out, const G1A *p, const G2A *q, size_t n)
{
    static const int8_t digit[PAIRING_LOOP_DIGITS] = PAIRING_LOOP;
    FQ12 f = FQ12_FN(one)();
    FQ2 l[3];
    TWIST t[CURVE_FN(batch)];
    size_t at[CURVE_FN(batch)], m = 0;
    for (size_t i = 0; i < n; i++) {
        if (CURVE_FN(g1_affine_is_infinity)(&p[i]) || CURVE_FN(g2_affine_is_infinity)(&q[i])) continue;
        t[m].x = q[i].x;
        t[m].y = q[i].y;
        t[m].z = FQ2_FN(one)();
        at[m++] = i;
    }
    for (int i = PAIRING_LOOP_DIGITS - 1; i-- > 0;) {
        FQ12_FN(sqr)(&f, &f);
        for (size_t k = 0; k < m; k++) {
            CURVE_FN(line_double)(&t[k], l);
            CURVE_FN(line_apply)(&f, l, &p[at[k]]);
            if (digit[i] == 0) continue;
            G2A step = q[at[k]];
            if (digit[i] < 0) step.y = FQ2_FN(neg)(step.y);
            CURVE_FN(line_add)(&t[k], l, &step);
            CURVE_FN(line_apply)(&f, l, &p[at[k]]);
        }
    }
    for (size_t k = 0; k < m; k++) PAIRING_LAST_LINES(&f, &t[k], &p[at[k]], &q[at[k]]);
    PAIRING_END(&f);
    FQ12_FN(mul)(out, out, &f);
}

/* f^((q^6 - 1)(q^2 + 1)) */
static void CURVE_FN(easy_power)(FQ12 *f)
{
    FQ12 a, b;
    FQ12_FN(conj)(&a, f);
    FQ12_FN(inv)(&b, f);
    FQ12_FN(mul)(&a, &a, &b);
    FQ12_FN(frobenius)(&b, &a);
    FQ12_FN(frobenius)(&b, &b);
    FQ12_FN(mul)(f, &b, &a);
}

bool PAIRING_FN(pairing_product_is_one)(const G1A *p, const G2A *q, size_t n)
{
    FQ12 f = FQ12_FN(one)(), one = f;
    for (size_t i = 0; i < n; i += CURVE_FN(batch))
        CURVE_FN(miller)(&f, p + i, q + i, n - i < CURVE_FN(batch) ? n - i : CURVE_FN(batch));
    CURVE_FN(easy_power)(&f);
    PAIRING_HARD(&f);
    return FQ12_FN(equal)(&f, &one);
}

void PAIRING_FN(pairing)(FQ12 *out, const G1A *p, const G2A *q)
{
    static const uint64_t hard[PAIRING_HARD_LIMBS] = PAIRING_HARD_EXPONENT;
    *out = FQ12_FN(one)();
    CURVE_FN(miller)(out, p, q, 1);
    CURVE_FN(easy_power)(out);
    FQ12_FN(pow)(out, out, hard, PAIRING_HARD_LIMBS);
}
