#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes prime_vectors.txt: the prime fields and groups of BN254 and BLS12-381 by Python integers and affine formulas, unlike
the C code. A line is a name and hex fields, integers big-endian at the field's length.
    FIELD a b a+b a-b ab 1/a        (the inverse of 0 is 0)
    CURVE_g1 k x y                  k times the generator
    CURVE_g2 k x0 x1 y0 y1
    CURVE_outside x0 x1 y0 y1       on the twist, not of order r"""
import os
import random

X = 4965661367192848881
BN_Q, BN_R = 36 * X**4 + 36 * X**3 + 24 * X**2 + 6 * X + 1, 36 * X**4 + 36 * X**3 + 18 * X**2 + 6 * X + 1
Z = -0xd201000000010000
BLS_R = Z**4 - Z**2 + 1
BLS_Q = (Z - 1)**2 * BLS_R // 3 + Z
FIELDS = [("bn254_fq", BN_Q, 32), ("bn254_fr", BN_R, 32), ("bls381_fq", BLS_Q, 48), ("bls381_fr", BLS_R, 32)]
rng = random.Random(20261130)


class Fq2:
    """a + b u over GF(q), u^2 = -1; GF(q) itself is b = 0."""

    def __init__(self, q, a, b=0):
        self.q, self.a, self.b = q, a % q, b % q

    def __add__(self, o):
        return Fq2(self.q, self.a + o.a, self.b + o.b)

    def __sub__(self, o):
        return Fq2(self.q, self.a - o.a, self.b - o.b)

    def __mul__(self, o):
        return Fq2(self.q, self.a * o.a - self.b * o.b, self.a * o.b + self.b * o.a)

    def inverse(self):
        d = pow(self.a * self.a + self.b * self.b, -1, self.q)
        return Fq2(self.q, self.a * d, -self.b * d)

    def __eq__(self, o):
        return (self.a, self.b) == (o.a, o.b)


def add(p, r):
    if p is None or r is None:
        return r if p is None else p
    (x1, y1), (x2, y2) = p, r
    if x1 == x2:
        if not y1 == y2 or (y1.a, y1.b) == (0, 0):
            return None
        three, two = Fq2(x1.q, 3), Fq2(x1.q, 2)
        m = three * x1 * x1 * (two * y1).inverse()
    else:
        m = (y2 - y1) * (x2 - x1).inverse()
    x3 = m * m - x1 - x2
    return x3, m * (x1 - x3) - y1


def times(k, p):
    r = None
    while k:
        if k & 1:
            r = add(r, p)
        p, k = add(p, p), k >> 1
    return r


def root(v):
    """A square root in GF(q^2), q = 3 mod 4, or None: v^((q+1)/4)-style by the norm."""
    q = v.q
    norm = pow(v.a * v.a + v.b * v.b, (q + 1) // 4, q)
    for n in (norm, -norm):
        half = (v.a + n) * pow(2, -1, q) % q
        a = pow(half, (q + 1) // 4, q)
        if a * a % q == half and a:
            r = Fq2(q, a, v.b * pow(2 * a, -1, q))
            if r * r == v:
                return r
    return None


def outside(q, r, b):
    """The first point (i + u, y) of the twist whose order is not r."""
    for i in range(100):
        x = Fq2(q, i, 1)
        y = root(x * x * x + b)
        if y is not None and times(r, (x, y)) is not None:
            return x, y
    raise AssertionError


CURVES = [
    ("bn254", BN_Q, BN_R, 32, (1, 2),
     (10857046999023057135944570762232829481370756359578518086990519993285655852781,
      11559732032986387107991004021392285783925812861821192530917403151452391805634,
      8495653923123431417604973247489272438418190587263600148770280649306958101930,
      4082367875863433681332203403145435568316851327593401208105741076214120093531)),
    ("bls381", BLS_Q, BLS_R, 48,
     (0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb,
      0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1),
     (0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8,
      0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e,
      0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801,
      0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be)),
]


def main():
    out = []
    for name, p, n in FIELDS:
        corners = [0, 1, 2, p - 1, p - 2, p // 2, p // 2 + 1, 1 << 64, (1 << 64) - 1, 1 << 128, (1 << 192) - 1]
        for i in range(60):
            a, b = (rng.choice(corners) if rng.random() < 0.4 else rng.randrange(p) for _ in range(2))
            row = (a, b, (a + b) % p, (a - b) % p, a * b % p, pow(a, p - 2, p))
            out.append(name + " " + " ".join(v.to_bytes(n, "big").hex() for v in row))
    for name, q, r, n, g1, g2 in CURVES:
        for k in [1, 2, 3, r - 1, r - 2] + [rng.randrange(r) for _ in range(5)]:
            x, y = times(k, (Fq2(q, g1[0]), Fq2(q, g1[1])))
            out.append(f"{name}_g1 " + " ".join(v.to_bytes(m, "big").hex() for v, m in ((k, 32), (x.a, n), (y.a, n))))
            x, y = times(k, (Fq2(q, g2[0], g2[1]), Fq2(q, g2[2], g2[3])))
            row = ((k, 32), (x.a, n), (x.b, n), (y.a, n), (y.b, n))
            out.append(f"{name}_g2 " + " ".join(v.to_bytes(m, "big").hex() for v, m in row))
        b = Fq2(q, 3) * Fq2(q, 9, 1).inverse() if name == "bn254" else Fq2(q, 4, 4)
        x, y = outside(q, r, b)
        out.append(f"{name}_outside " + " ".join(v.to_bytes(n, "big").hex() for v in (x.a, x.b, y.a, y.b)))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "prime_vectors.txt"), "w") as f:
        f.write("\n".join(out) + "\n")


main()
