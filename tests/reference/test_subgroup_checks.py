#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic behind the subgroup checks of src/curve/*_member.h: for each, that the equation holds on the group (where
the Frobenius is q) and that a point of the curve which satisfies it has an order that divides r."""
from math import gcd


def resultant(f, t, q):
    """Of f(X), coefficients from the constant on, and X^2 - t X + q: the norm a^2 + a b t + b^2 q of f mod the latter."""
    a = b = 0
    power_a, power_b = 1, 0
    for c in f:
        a, b = a + c * power_a, b + c * power_b
        power_a, power_b = -q * power_b, power_a + t * power_b
    return a * a + a * b * t + b * b * q


def check(name, f, t, q, r, order):
    assert order % r == 0 and (order // r) % r, name
    assert sum(c * pow(q, i, r) for i, c in enumerate(f)) % r == 0, name
    assert gcd(resultant(f, t, q), order) == r, name
    print(name, "passed")


def main():
    x = 4965661367192848881  # BN254: q, r, t of Barreto and Naehrig; the twist has r (2 q - r) points
    q = 36 * x**4 + 36 * x**3 + 24 * x**2 + 6 * x + 1
    r, t = 36 * x**4 + 36 * x**3 + 18 * x**2 + 6 * x + 1, 6 * x**2 + 1
    assert q + 1 - t == r
    check("BN254 G2", [x + 1, x, x, -2 * x], t, q, r, r * (2 * q - r))

    u = -0xd201000000010000  # BLS12-381; the order of the twist: Barreto, Lynn, Scott, section 3
    r = u**4 - u**2 + 1
    q, t = (u - 1) ** 2 * r // 3 + u, u + 1
    nine_h2 = u**8 - 4 * u**7 + 5 * u**6 - 4 * u**4 + 6 * u**3 - 4 * u**2 - 4 * u + 13
    assert nine_h2 % 9 == 0 and q + 1 - t == (u - 1) ** 2 // 3 * r
    check("BLS12-381 G2", [-u, 1], t, q, r, nine_h2 // 9 * r)
    assert (u**4 - u**2 + 1) == r  # phi^2 + phi + 1 at phi = -u^2
    print("BLS12-381 G1 passed")


main()
