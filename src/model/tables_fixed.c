/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point logarithm, exponential, cosine and sine on 128-bit integers. ln 2 is 2 atanh(1/3), pi is Machin's
 * 16 atan(1/5) - 4 atan(1/239); the one constant that is written down is recomputed by a test. */
#include "model/tables_fixed.h"

enum { TAYLOR_MAX = 60 };

assay_fx assay_fx_mul(assay_fx a, assay_fx b)
{
    assay_fx a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
    assay_fx low = a0 * b0, m1 = a1 * b0, m2 = a0 * b1;
    assay_fx mid = (low >> 64) + (uint64_t)m1 + (uint64_t)m2;
    assay_fx high = a1 * b1 + (m1 >> 64) + (m2 >> 64) + (mid >> 64);
    return high << (128 - FX_BITS) | (uint64_t)mid >> (FX_BITS - 64);
}

assay_fx assay_fx_div(assay_fx a, assay_fx b)
{
    assay_fx q = a / b, r = a % b;
    for (int k = 0; k < FX_BITS; k++) {
        r <<= 1;
        q <<= 1;
        if (r >= b) {
            r -= b;
            q |= 1;
        }
    }
    return q;
}

/* atanh(z), 0 <= z <= 1/3 */
static assay_fx fx_atanh(assay_fx z)
{
    assay_fx power = z, square = assay_fx_mul(z, z), sum = 0;
    for (unsigned k = 1; power != 0; k += 2) {
        sum += power / k;
        power = assay_fx_mul(power, square);
    }
    return sum;
}

/* atan(1 / n), n >= 5 */
static assay_fx fx_atan_inverse(unsigned n)
{
    assay_fx power = FX_ONE / n, sum = 0;
    bool minus = false;
    for (unsigned k = 1; power != 0; k += 2) {
        sum = minus ? sum - power / k : sum + power / k;
        minus = !minus;
        power /= n * n;
    }
    return sum;
}

static assay_fx fx_pi(void)
{
    return 16 * fx_atan_inverse(5) - 4 * fx_atan_inverse(239);
}

assay_fx assay_fx_ln2(void)
{
    return 2 * fx_atanh(FX_ONE / 3);
}

assay_fx assay_fx_ln_q16(uint64_t x)
{
    unsigned e = 0;
    while (e < 47 && x >> (e + 17) != 0) e++;
    assay_fx m = (assay_fx)x << (FX_BITS - 16 - e); /* 1 <= m < 2 */
    return e * assay_fx_ln2() + 2 * fx_atanh(assay_fx_div(m - FX_ONE, m + FX_ONE));
}

assay_fx assay_fx_exp_neg(assay_fx y)
{
    if (y == 0) return FX_ONE;
    /* exp(-y) = 2^-(n+1) exp(g), 0 < g <= ln 2: every term of the series is positive */
    assay_fx ln2 = assay_fx_ln2(), n = y / ln2, g = ln2 - y % ln2, term = FX_ONE, sum = FX_ONE;
    if (n + 1 >= FX_BITS) return 0;
    for (unsigned k = 1; k < TAYLOR_MAX && term != 0; k++) {
        term = assay_fx_mul(term, g) / k;
        sum += term;
    }
    return sum >> (unsigned)(n + 1);
}

assay_fx assay_fx_exp_neg_ratio(uint64_t a, int f)
{
    const uint64_t far = 100;
    if (a == 0) return FX_ONE;
    if (f >= 0 ? a >> f >= far : a >= far || a << -f >= far) return 0;
    return assay_fx_exp_neg((assay_fx)a << (FX_BITS - f));
}

assay_fx assay_fx_turn(assay_fx w)
{
    return assay_fx_div(w, 2 * fx_pi()) << (128 - FX_BITS);
}

assay_fx assay_fx_turn_div(assay_fx turn, uint64_t f_q32)
{
    /* turn 2^32 / f_q32 by long division in two steps; the remainder has at most 48 bits */
    return (turn / f_q32 << 32) + (turn % f_q32 << 32) / f_q32;
}

/* cos (first = 0) or sin (first = 1) of x / 2^62, 0 <= x <= pi/4 in that unit: the alternating series from x^first on.
 */
static uint64_t fx_series62(uint64_t x, unsigned first)
{
    uint64_t square = (uint64_t)((assay_fx)x * x >> 62), term = first ? x : (uint64_t)1 << 62, sum = term;
    bool minus = true;
    for (unsigned k = first + 2; term != 0; k += 2) {
        term = (uint64_t)((assay_fx)term * square >> 62) / (k * (k - 1));
        sum = minus ? sum - term : sum + term;
        minus = !minus;
    }
    return sum;
}

void assay_fx_cos_sin(int64_t *c, int64_t *s, assay_fx turn)
{
    unsigned quadrant = (unsigned)(turn >> 126);
    assay_fx part = turn << 2; /* of a quarter turn, 128 fractional bits */
    bool mirror = part >> 127 != 0;
    if (mirror) part = -part;
    static const uint64_t half_pi_62 = 7244019458077122842u; /* floor(2^62 pi / 2) */
    uint64_t x = (uint64_t)((part >> 64) * half_pi_62 >> 64);
    int64_t a = (int64_t)fx_series62(x, 0), b = (int64_t)fx_series62(x, 1);
    if (mirror) {
        int64_t swap = a;
        a = b;
        b = swap;
    }
    *c = quadrant == 0 ? a : quadrant == 1 ? -b : quadrant == 2 ? -a : b;
    *s = quadrant == 0 ? b : quadrant == 1 ? a : quadrant == 2 ? -b : -a;
}

bool assay_fx_round(int64_t *out, assay_fx v, unsigned bits)
{
    assay_fx one = (assay_fx)1 << bits, sum = v + (one >> 1), fraction = sum & (one - 1), margin = one >> 30;
    *out = (int64_t)(sum >> bits);
    return fraction > margin && fraction < one - margin;
}
