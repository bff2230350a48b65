#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The lemmas of docs/proximity.md on the circle code, checked exactly over the Mersenne fields of 7, 31 and 127 elements:
the twist by z^(N/2), the image inside the Reed-Solomon code, the distance D - N and the words that attain it."""
import itertools
import random


class Gauss:
    """F_p(i) as pairs."""

    def __init__(self, p):
        self.p = p

    def mul(self, a, b):
        return ((a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p)

    def add(self, a, b):
        return ((a[0] + b[0]) % self.p, (a[1] + b[1]) % self.p)

    def neg(self, a):
        return (-a[0] % self.p, -a[1] % self.p)

    def inv(self, a):
        d = pow(a[0] * a[0] + a[1] * a[1], -1, self.p)
        return (a[0] * d % self.p, -a[1] * d % self.p)

    def power(self, a, e):
        out = (1, 0)
        for _ in range(e):
            out = self.mul(out, a)
        return out

    def horner(self, coefficients, z):
        out = (0, 0)
        for c in reversed(coefficients):
            out = self.add(self.mul(out, z), c)
        return out


def domain(field, size):
    """The odd powers of a point of order 2 size."""
    p = field.p
    for z in itertools.product(range(p), repeat=2):
        if (z[0] ** 2 + z[1] ** 2) % p == 1 and field.power(z, size) == (p - 1, 0):
            return [field.power(z, 2 * j + 1) for j in range(size)]
    raise AssertionError


def basis_value(p, b, point):
    """y^b0 x^b1 pi(x)^b2 pi(pi(x))^b3 ..."""
    out = point[1] if b & 1 else 1
    v, b = point[0], b >> 1
    while b:
        out = out * (v if b & 1 else 1) % p
        v, b = (2 * v * v - 1) % p, b >> 1
    return out


def interpolate(field, points, values):
    """Coefficients of the polynomial of degree < len(points) (Newton)."""
    coefficients, basis = [(0, 0)] * len(points), [(1, 0)]
    for k, (z, v) in enumerate(zip(points, values)):
        gap = field.add(v, field.neg(field.horner(coefficients, z)))
        scale = field.mul(gap, field.inv(field.horner(basis, z)))
        for i, c in enumerate(basis):
            coefficients[i] = field.add(coefficients[i], field.mul(scale, c))
        shifted = [(0, 0)] + basis
        basis = [field.add(s, field.mul(field.neg(z), c)) for s, c in zip(shifted, basis + [(0, 0)])]
    return coefficients


def rank(p, rows):
    rows, r = [list(x) for x in rows], 0
    for col in range(len(rows[0])):
        pivot = next((i for i in range(r, len(rows)) if rows[i][col] % p), None)
        if pivot is None:
            continue
        rows[r], rows[pivot] = rows[pivot], rows[r]
        inv = pow(rows[r][col], -1, p)
        for i in range(r + 1, len(rows)):
            f = rows[i][col] * inv % p
            rows[i] = [(x - f * y) % p for x, y in zip(rows[i], rows[r])]
        r += 1
    return r


def check_twist(p, n, size):
    field = Gauss(p)
    points = domain(field, size)
    assert len(set(points)) == size
    images = []
    for b in range(n):
        twisted = [field.mul(field.power(z, n // 2), (basis_value(p, b, z), 0)) for z in points]
        g = interpolate(field, points[:n + 1], twisted[:n + 1])
        assert all(field.horner(g, z) == v for z, v in zip(points, twisted)), "degree at most N"
        assert field.add(g[0], g[n]) == (0, 0), "first and last coefficient cancel"
        images.append(g)
    # N independent polynomials in a space of dimension N: they span it
    flat = [[x for c in (g if h == 0 else [field.mul((0, 1), c) for c in g]) for x in c] for g in images for h in (0, 1)]
    assert rank(p, flat) == 2 * n


def check_distance(p, n, size, tries):
    """N positions determine a message unless the product of their points is -1; then the missing word has weight D - N."""
    field = Gauss(p)
    points = domain(field, size)
    rows = [[basis_value(p, b, z) for b in range(n)] for z in points]
    rng, met = random.Random(1), [0, 0]
    every = list(itertools.combinations(range(size), n)) if size <= 16 else None
    for _ in range(tries):
        pos = rng.choice(every) if every else rng.sample(range(size), n)
        prod = (1, 0)
        for j in pos:
            prod = field.mul(prod, points[j])
        bad = prod == (p - 1, 0)
        met[bad] += 1
        assert rank(p, [rows[j] for j in pos]) == n - bad
        extra = rng.choice([j for j in range(size) if j not in pos])
        assert rank(p, [rows[j] for j in [*pos, extra]]) == n
    assert met[1] > 0
    assert (size - n) % 2 == 0 and 2 * ((size - n) // 2 - 1) < size - n
    return met


def main():
    for p in (7, 31, 127):
        for n in (2, 4, 8, 16):
            for size in (2 * n, 4 * n, 8 * n):
                if n < size and 2 * size <= p + 1 and n + 1 <= size:
                    check_twist(p, n, size)
    print("twist: images of degree at most N with first + last coefficient 0, and all of them")
    for p, n, size in ((31, 2, 16), (31, 4, 16), (127, 4, 16), (127, 8, 64), (127, 16, 64)):
        good, bad = check_distance(p, n, size, 1500)
        print(f"distance, p = {p}, N = {n}, D = {size}: {good} sets of N positions have full rank, {bad} with product -1 have not")
    print("all checks passed")


main()
