/* SPDX-License-Identifier: Apache-2.0 */
/* Optimal ate pairings, as a template over a tower and its two groups. Before inclusion: CURVE and FQ; TWIST_B, b of
 * the twist; PAIRING_LOOP, PAIRING_LOOP_DIGITS, signed digits of the loop count; PAIRING_LINE(f, l0, l1, l2), the
 * sparse product for the type of twist; PAIRING_LAST_LINES(f, t, p, q), lines of a pair after the loop; PAIRING_END(f),
 * what follows for all pairs at once; PAIRING_HARD(f), the power (q^4 - q^2 + 1) m / r. They are undefined at the end.
 *
 * Points of the twist in homogeneous coordinates; lines as in Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit
 * formulas for computing pairings over ordinary curves" (Eurocrypt 2011), section 4. */

#define G1A CURVE_FN(g1_affine)
#define G2A CURVE_FN(g2_affine)

/* x / z, y / z */
typedef struct CURVE_FN(twist_point) {
    FQ2 x, y, z;
} CURVE_FN(twist_point);
#define TWIST CURVE_FN(twist_point)

/* t = 2 t; the tangent at t: l[0] y_P, l[1] x_P, l[2] */
ASSAY_NO_INLINE void CURVE_FN(line_double)(TWIST *t, FQ2 l[3])
{
    static const FQ2 twist_b = {TWIST_B};
    FQ2 b, c, j, xy, e, f, h, g, ee;
    FQ2_FN(square)(&b, &t->y);
    FQ2_FN(square)(&c, &t->z);
    FQ2_FN(square)(&j, &t->x);
    FQ2_FN(product)(&xy, &t->x, &t->y);
    FQ2_FN(sum)(&h, &t->y, &t->z);
    FQ2_FN(square)(&h, &h);
    FQ2_FN(difference)(&h, &h, &b);
    FQ2_FN(difference)(&h, &h, &c);
    FQ2_FN(sum)(&e, &c, &c);
    FQ2_FN(sum)(&e, &e, &c);
    FQ2_FN(product)(&e, &twist_b, &e);
    FQ2_FN(sum)(&f, &e, &e);
    FQ2_FN(sum)(&f, &f, &e);
    FQ2_FN(sum)(&g, &b, &f);
    l[0] = FQ2_FN(neg)(h);
    FQ2_FN(sum)(&l[1], &j, &j);
    FQ2_FN(sum)(&l[1], &l[1], &j);
    FQ2_FN(difference)(&l[2], &e, &b);
    /* all coordinates times 4: no halves. x = 2 xy (b - f), y = g^2 - 12 e^2, z = 4 b h */
    FQ2_FN(difference)(&f, &b, &f);
    FQ2_FN(product)(&xy, &xy, &f);
    FQ2_FN(sum)(&t->x, &xy, &xy);
    FQ2_FN(square)(&ee, &e);
    FQ2_FN(sum)(&c, &ee, &ee);
    FQ2_FN(sum)(&c, &c, &ee);
    FQ2_FN(sum)(&c, &c, &c);
    FQ2_FN(sum)(&c, &c, &c);
    FQ2_FN(square)(&g, &g);
    FQ2_FN(difference)(&t->y, &g, &c);
    FQ2_FN(product)(&b, &b, &h);
    FQ2_FN(sum)(&b, &b, &b);
    FQ2_FN(sum)(&t->z, &b, &b);
}

/* t = t + q; the line through both. */
ASSAY_NO_INLINE void CURVE_FN(line_add)(TWIST *t, FQ2 l[3], const G2A *q)
{
    FQ2 o, d, dd, e, f, g, h;
    FQ2_FN(product)(&o, &q->y, &t->z);
    FQ2_FN(difference)(&o, &t->y, &o);
    FQ2_FN(product)(&d, &q->x, &t->z);
    FQ2_FN(difference)(&d, &t->x, &d);
    FQ2_FN(square)(&dd, &d);
    FQ2_FN(product)(&e, &d, &dd);
    FQ2_FN(square)(&f, &o);
    FQ2_FN(product)(&f, &t->z, &f);
    FQ2_FN(product)(&g, &t->x, &dd);
    FQ2_FN(sum)(&h, &e, &f);
    FQ2_FN(difference)(&h, &h, &g);
    FQ2_FN(difference)(&h, &h, &g);
    l[0] = d;
    l[1] = FQ2_FN(neg)(o);
    FQ2_FN(product)(&f, &o, &q->x);
    FQ2_FN(product)(&dd, &d, &q->y);
    FQ2_FN(difference)(&l[2], &f, &dd);
    FQ2_FN(product)(&t->x, &d, &h);
    FQ2_FN(difference)(&g, &g, &h);
    FQ2_FN(product)(&g, &o, &g);
    FQ2_FN(product)(&h, &e, &t->y);
    FQ2_FN(difference)(&t->y, &g, &h);
    FQ2_FN(product)(&t->z, &t->z, &e);
}

static inline void CURVE_FN(line_apply)(FQ12 *f, FQ2 l[3], const G1A *p)
{
    l[0] = FQ2_FN(scale)(l[0], p->y);
    l[1] = FQ2_FN(scale)(l[1], p->x);
    PAIRING_LINE(f, &l[0], &l[1], &l[2]);
}

enum { CURVE_FN(batch) = 4 };

/* out *= the Miller functions of n pairs, at most `batch`, which share the squarings. A pair with infinity counts as 1.
 */
static inline void CURVE_FN(miller)(FQ12 *out, const G1A *p, const G2A *q, size_t n)
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
static inline void CURVE_FN(easy_power)(FQ12 *f)
{
    FQ12 a, b;
    FQ12_FN(conj)(&a, f);
    FQ12_FN(inv_var)(&b, f);
    FQ12_FN(mul)(&a, &a, &b);
    FQ12_FN(frobenius)(&b, &a);
    FQ12_FN(frobenius)(&b, &b);
    FQ12_FN(mul)(f, &b, &a);
}

/* Whether the product of e(p[i], q[i]) is 1, for points of the groups (infinity counts as 1). */
static inline bool CURVE_FN(pairing_product_is_one)(const G1A *p, const G2A *q, size_t n)
{
    FQ12 f = FQ12_FN(one)(), one = f;
    for (size_t i = 0; i < n; i += CURVE_FN(batch))
        CURVE_FN(miller)(&f, p + i, q + i, n - i < CURVE_FN(batch) ? n - i : CURVE_FN(batch));
    CURVE_FN(easy_power)(&f);
    PAIRING_HARD(&f);
    return FQ12_FN(equal)(&f, &one);
}

/* e(p, q) with the exponent (q^12 - 1) / r, as verification keys hold it. Several ms. */
static inline void CURVE_FN(pairing)(FQ12 *out, const G1A *p, const G2A *q)
{
    static const uint64_t hard[PAIRING_HARD_LIMBS] = PAIRING_HARD_EXPONENT;
    *out = FQ12_FN(one)();
    CURVE_FN(miller)(out, p, q, 1);
    CURVE_FN(easy_power)(out);
    FQ12_FN(pow)(out, out, hard, PAIRING_HARD_LIMBS);
}

#undef G1A
#undef G2A
#undef TWIST
#undef CURVE
#undef FQ
#undef TWIST_B
#undef PAIRING_LOOP
#undef PAIRING_LOOP_DIGITS
#undef PAIRING_HARD_LIMBS
#undef PAIRING_HARD_EXPONENT
#undef PAIRING_LINE
#undef PAIRING_LAST_LINES
#undef PAIRING_END
#undef PAIRING_HARD
