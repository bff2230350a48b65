#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The look-up argument over fields of tiny characteristic p, where "p equal bad look-ups" can be played out.

LogUp: sum over looked-up v of 1/(alpha - v) = sum over table rows t of m_t/(alpha - t), proved by a tree of fractions whose root
numerator must be 0. As a polynomial in alpha the root numerator vanishes identically iff every value outside the table is
looked up a multiple of p times. So an instance must hold fewer than p look-ups and have its own multiplicities and root.
Everything is exact: numerators are polynomials over F_p, and acceptance is counted over all alpha of an extension field."""
import itertools


class Poly:
    """Polynomials over F_p as coefficient tuples, lowest first, no leading zeros."""

    def __init__(self, p):
        self.p = p

    def norm(self, a):
        a = [x % self.p for x in a]
        while a and a[-1] == 0:
            a.pop()
        return tuple(a)

    def add(self, a, b):
        return self.norm([x + y for x, y in itertools.zip_longest(a, b, fillvalue=0)])

    def mul(self, a, b):
        out = [0] * (len(a) + len(b))
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                out[i + j] += x * y
        return self.norm(out)

    def rem(self, a, m):
        a, inv = list(a), pow(m[-1], -1, self.p)
        while len(a) >= len(m):
            f = a[-1] * inv % self.p
            for i, x in enumerate(m):
                a[len(a) - len(m) + i] = (a[len(a) - len(m) + i] - f * x) % self.p
            a.pop()
        return self.norm(a)

    def irreducible(self, degree):
        """The first monic irreducible polynomial of this degree (no factor of degree up to degree / 2)."""
        for low in itertools.product(range(self.p), repeat=degree):
            m = low + (1,)
            if all(self.rem(m, f + (1,)) for d in range(1, degree // 2 + 1)
                   for f in itertools.product(range(self.p), repeat=d)):
                return m
        raise AssertionError


def leaves(p, looked, table, mult):
    """(numerator, denominator as a polynomial in alpha): 1/(alpha - v) and -m/(alpha - t)."""
    return [((1,), (-v % p, 1)) for v in looked] + [((-m % p,), (-t % p, 1)) for t, m in zip(table, mult)]


def root(ring, fractions):
    """The tree of fractions: (p0 q1 + p1 q0, q0 q1) up to the root; odd ones out are paired with 0/1."""
    level = [(ring.norm(n), d) for n, d in fractions]
    while len(level) > 1:
        level += [((), (1,))] * (len(level) % 2)
        level = [(ring.add(ring.mul(a, d), ring.mul(c, b)), ring.mul(b, d))
                 for (a, b), (c, d) in zip(level[0::2], level[1::2])]
    return level[0]


def check_identity(p):
    """Every multiset of up to p look-ups of one bad value beside honest ones, and the best possible multiplicities."""
    ring, table, bad, honest = Poly(p), [0, 1], 2, [0, 1, 1]
    count = [honest.count(t) for t in table]
    for k in range(2 * p + 1):
        num, den = root(ring, leaves(p, honest + [bad] * k, table, count))
        assert den and (num == ()) == (k % p == 0), (p, k)
    # no other multiplicities help while the instance holds fewer than p fractions of the bad value
    for k in range(1, p):
        for mult in itertools.product(range(p), repeat=len(table)):
            assert root(ring, leaves(p, honest + [bad] * k, table, mult))[0] != ()
    # different bad values never cancel each other: only one and the same value, p times
    for ks in itertools.product(range(p), repeat=p - 2):
        looked = [v for v, k in enumerate(ks, start=2) for _ in range(k)]
        assert (root(ring, leaves(p, looked, table, [0, 0]))[0] == ()) == (not looked)


def check_instances(p):
    """p bad look-ups dealt to two instances: each root is non-zero, though the roots' sum, or shared multiplicities, accept."""
    ring, table, bad = Poly(p), [0, 1], 2
    for k in range(1, p):
        parts = [[0] + [bad] * k, [1] + [bad] * (p - k)]
        own = [[part.count(t) for t in table] for part in parts]
        roots = [root(ring, leaves(p, part, table, m)) for part, m in zip(parts, own)]
        assert all(num != () for num, _ in roots)                    # the protocol: rejected, twice
        assert root(ring, roots)[0] == ()                            # instances added up: accepted
        shared = [a + b for a, b in zip(*own)]
        fractions = leaves(p, parts[0], [], []) + leaves(p, parts[1], table, shared)
        assert root(ring, fractions)[0] == ()                        # one set of multiplicities: accepted


def check_probability(p, degree):
    """Over all alpha of the extension: a cheating instance is accepted for at most leaves - 1 of them, zero denominators included."""
    ring = Poly(p)
    m = ring.irreducible(degree)
    worst = 0
    for k in range(1, p):
        fractions = leaves(p, [0, 1, 1] + [2] * k, [0, 1], [1, 2])
        num, _ = root(ring, fractions)
        zeros = 0
        for alpha in itertools.product(range(p), repeat=degree):
            value, alpha = (), ring.norm(alpha)
            for c in reversed(num):
                value = ring.add(ring.rem(ring.mul(value, alpha), m), (c,))
            zeros += value == ()
        assert zeros <= len(fractions) - 1
        worst = max(worst, zeros)
    assert worst > 0          # the bound speaks of something: zero denominators do make roots vanish
    return worst


def check_tuples(p):
    """Tuples (id, v1, v2) under independent betas: different tuples are different linear forms, equal ones are needed to cancel.
    Exact over all (alpha, beta) of F_p^3 with a bad pair that is a mix of two good ones."""
    table = [(1, 0, 0), (1, 1, 1), (2, 0, 1), (2, 1, 0)]
    good, mixed = table[0], (1, 0, 1)             # v1 of one row, v2 of another
    def forms(tup):
        return tuple(-x % p for x in tup)
    assert len({forms(t) for t in table + [mixed]}) == len(table) + 1
    def root_value(looked, mult, alpha, beta0, beta1):
        den = lambda t: (alpha - beta0 * t[0] - t[1] - beta1 * t[2]) % p
        fr = [(1, den(t)) for t in looked] + [(-m % p, den(t)) for t, m in zip(table, mult)]
        num, d = 0, 1
        for n, q in fr:
            num, d = (num * q + n * d) % p, d * q % p
        return num
    points = list(itertools.product(range(p), repeat=3))
    assert all(root_value([good], [1, 0, 0, 0], *x) == 0 for x in points)
    for bad in (mixed, (1, 1, 0)):
        for mult in ([1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]):
            assert any(root_value([bad], mult, *x) for x in points)
    # without the id (beta0 = 0) the entry of the other table passes for the pair that is missing in its own
    for x in points:
        assert root_value([(1, 1, 0)], [0, 0, 0, 1], x[0], 0, x[2]) == 0


def main():
    for p in (3, 5, 7):
        check_identity(p)
        check_instances(p)
        check_tuples(p)
        print(f"p = {p}: k bad look-ups vanish iff p divides k; dealt to instances they never do", flush=True)
    for p, degree in ((3, 5), (5, 3), (7, 3)):
        print(f"p = {p}, all {p ** degree} challenges: at most {check_probability(p, degree)} accept a cheat")
    print("all checks passed")


main()
