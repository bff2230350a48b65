/* SPDX-License-Identifier: Apache-2.0 */
/* What a cheating prover does to one row of a norm, of the residual or of a head (cheats.h). Each of these breaks one
 * relation, or puts a tuple in no row of one table, and goes on from there. */
#include "harness.h"
#include "support/cheats.h"

enum { DIGIT = 1 << 15 };

void cheat_norm_change(const cheater *c, int32_t *const *v, const cheat_norm_digit *ch, size_t n)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    for (size_t i = 0; i < n; i++) *cheat_norm_at(&x, ch[i].t) += ch[i].by;
    cheat_norm_redo(&x);
}

void cheat_norm_carry(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    const cheat_norm x = cheat_norm_open(c, v, w->token);
    *cheat_norm_cell(&x, TEN_N, w->at % x.n) += w->by;
    *cheat_norm_cell(&x, TEN_NREM, w->at % x.n) -= w->by * *cheat_norm_at(&x, TEN_NDS);
}

static int32_t word(uint32_t x) /* of F, as a value of a run */
{
    return (int32_t)m31_to_i64(x);
}

void cheat_norm_window_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const int32_t rho = *cheat_norm_at(&x, TEN_NRHO);
    *cheat_norm_at(&x, TEN_NRHO) = rho ? rho - 1 : 1;
}

void cheat_norm_other_mantissa(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    int32_t *m = cheat_norm_at(&x, TEN_NM);
    *m = *m < 3000 ? *m + 1 : *m - 1;
    cheat_norm_scale(&x, cheat_norm_exponent(&x));
}

/* n of the token before: another scale for this row's residual. */
void cheat_norm_other_scale(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token), y = cheat_norm_open(c, v, c->what->token - 1);
    const int32_t own = *cheat_norm_at(&x, TEN_NRT);
    *cheat_norm_at(&x, TEN_NRT) = *cheat_norm_at(&y, TEN_NRT) + (*cheat_norm_at(&y, TEN_NRT) == own);
    cheat_norm_rows(&x);
    *cheat_norm_at(&x, TEN_NRT) = own;
}

/* The square's entry one larger: A = sum of entries grows, B shrinks by 2^15, S is the same. */
void cheat_norm_square_entry(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_cell(&x, TEN_SQ, c->what->at % x.n);
    ++*cheat_norm_at(&x, TEN_NA0);
    --*cheat_norm_at(&x, TEN_NB1);
}

/* Channel 0 at site 2 meets zero weights. */
void cheat_norm_far(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    int32_t *rem = cheat_norm_cell(&x, TEN_NREM, c->what->at % x.n);
    CHECK(*rem > 0);
    --*rem;
    *cheat_norm_cell(&x, TEN_N, c->what->at % x.n) += (int32_t)1 << (31 - *cheat_norm_at(&x, TEN_NSIG));
}

/* A remainder as for the next exponent: the range's width is the exponent that the table of exponents ties. */
void cheat_norm_loose_width(const cheater *c, int32_t *const *v)
{
    const cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_at(&x, TEN_NSIG);
    cheat_norm_carry(c, v);
}

/* Digit flags (-1, 1) for (1, 0), and so 1 for the third: the window is X0 - X1 and the exponent 15 + r. */
void cheat_norm_flag_minus_one(const cheater *c, int32_t *const *v)
{
    for (uint32_t row = 0; row < cheat_norm_rows_of(c); row++) {
        cheat_norm x = cheat_norm_row(c, v, row);
        const int64_t s0 = *cheat_norm_at(&x, TEN_NS0), s1 = *cheat_norm_at(&x, TEN_NS1), window = s0 + s1 * DIGIT - s1;
        if (*cheat_norm_at(&x, TEN_NS2) || window < 1 << 11 || window >= 1 << 26) continue;
        int r = 0;
        while (window >> r >= 1 << 12) r++;
        cheat_norm_window(&x, 1, r, window);
        *cheat_norm_at(&x, TEN_NF0) = 1;
        *cheat_norm_at(&x, TEN_NF1) = -1;
        return;
    }
}

/* Flags 1/2 and 0, so 1/2 for the third: half the window at 15 more bits. */
void cheat_norm_flag_half(const cheater *c, int32_t *const *v)
{
    for (uint32_t row = 0; row < cheat_norm_rows_of(c); row++) {
        cheat_norm x = cheat_norm_row(c, v, row);
        const int64_t window = *cheat_norm_at(&x, TEN_NS0) + *cheat_norm_at(&x, TEN_NS1) * (int64_t)DIGIT;
        if (*cheat_norm_at(&x, TEN_NS2) || window % 2 || window / 2 < 1 << 11 || window / 2 >= 1 << 26) continue;
        int r = 0;
        while (window / 2 >> r >= 1 << 12) r++;
        cheat_norm_window(&x, 1, r, window / 2);
        *cheat_norm_at(&x, TEN_NF0) = 1 << 30; /* (p + 1) / 2 */
        *cheat_norm_at(&x, TEN_NF1) = 0;
        return;
    }
}

/* Flags that are no bits but sum to one: any window and any exponent for one S. F0 X0 + F1 X1 = window and, for 15 + r,
 * F1 = 1 - 2 F0. */
void cheat_norm_flags_any(const cheater *c, int32_t *const *v)
{
    for (uint32_t row = 0; row < cheat_norm_rows_of(c); row++) {
        cheat_norm x = cheat_norm_row(c, v, row);
        if (*cheat_norm_at(&x, TEN_NS2)) continue;
        const uint32_t s0 = (uint32_t)*cheat_norm_at(&x, TEN_NS0), s1 = (uint32_t)*cheat_norm_at(&x, TEN_NS1);
        const uint32_t x0 = m31_add(s0, m31_mul(s1, DIGIT)), window = 3000u << 10;
        const uint32_t f0 = m31_mul(m31_sub(window, s1), m31_inv(m31_sub(x0, m31_add(s1, s1))));
        cheat_norm_window(&x, 1, 10, window);
        *cheat_norm_at(&x, TEN_NF0) = word(f0);
        *cheat_norm_at(&x, TEN_NF1) = word(m31_sub(1, m31_add(f0, f0)));
        return;
    }
}

/* Any mantissa, by a "power of two" that takes it to the window. */
void cheat_norm_any_power(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const uint32_t m = (uint32_t)*cheat_norm_at(&x, TEN_NM), power = (uint32_t)*cheat_norm_at(&x, TEN_NDR),
                   other = m ^ 1024;
    *cheat_norm_at(&x, TEN_NDR) = word(m31_mul(m31_mul(m, power), m31_inv(other)));
    *cheat_norm_at(&x, TEN_NM) = (int32_t)other;
    cheat_norm_scale(&x, cheat_norm_exponent(&x));
}

void cheat_norm_low_mantissa(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    --*cheat_norm_at(&x, TEN_NM);
    *cheat_norm_at(&x, TEN_NRHO) += *cheat_norm_at(&x, TEN_NDR);
    cheat_norm_scale(&x, cheat_norm_exponent(&x));
}

/* Half the mantissa at one bit more: not in normal form, so in no row, whatever scale is claimed. */
void cheat_norm_not_normal(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const int e = cheat_norm_exponent(&x) + 1;
    int32_t *m = cheat_norm_at(&x, TEN_NM);
    *cheat_norm_at(&x, TEN_NRHO) += (*m & 1) * *cheat_norm_at(&x, TEN_NDR);
    *cheat_norm_at(&x, TEN_NDR) *= 2;
    ++*cheat_norm_at(&x, TEN_NR);
    const int32_t half = *m / 2;
    *m = 2048; /* an entry to go on with */
    cheat_norm_scale(&x, e);
    *m = half;
}

void cheat_norm_scale_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_at(&x, TEN_NRT);
    cheat_norm_rows(&x);
}

/* Everything as for twice the scale: sigma one larger than the exponent says. */
void cheat_norm_sigma_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    ++*cheat_norm_at(&x, TEN_NSIG);
    *cheat_norm_at(&x, TEN_NDS) *= 2;
    *cheat_norm_at(&x, TEN_NHF) *= 2;
    cheat_norm_rows(&x);
}

void cheat_norm_half_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    *cheat_norm_at(&x, TEN_NHF) = 0; /* rounding down */
    cheat_norm_rows(&x);
}

/* The other parity: a scale off by the root of two, honest for that entry. */
void cheat_norm_parity_off(const cheater *c, int32_t *const *v)
{
    cheat_norm x = cheat_norm_open(c, v, c->what->token);
    const int32_t rows = 2048;
    int32_t *par = cheat_norm_at(&x, TEN_NPAR);
    *par ^= 1;
    *cheat_norm_at(&x, TEN_NRT) =
        c->st->tables.rsqrt[(*cheat_norm_at(&x, TEN_NOVER) * 2 + *par) * rows + *cheat_norm_at(&x, TEN_NM) - rows];
    cheat_norm_rows(&x);
}
