# SPDX-License-Identifier: Apache-2.0
"""BN254 and BLS12-381 in plain Python integers: prime fields, F_q2, the two groups, and a pairing. Slow and short on purpose;
it shares neither formulas nor constants with the C code. The pairing is the plain ate pairing f_{T,Q}(P)^((q^12-1)/r) with
T = trace - 1, not the optimal one: as good for asking whether a product of pairings is one.

Points are None (infinity) or (x, y); coordinates are ints in G1 and pairs (c0, c1) = c0 + c1 i, i^2 = -1, in G2."""


class Curve:
    def __init__(self, name, json_name, q, r, b1, xi0, d_twist, trace_less_one, g1, g2, cofactor1, cofactor2):
        self.name, self.json_name, self.q, self.r, self.b1 = name, json_name, q, r, b1
        self.n8q, self.n8r = -(-q.bit_length() // 64) * 8, 32
        self.xi = (xi0, 1)  # F_q12 = F_q2[w] / (w^6 - xi)
        self.d_twist, self.loop = d_twist, abs(trace_less_one)
        self.f1, self.f2 = Fq(q), Fq2(q)
        self.b2 = self.f2.mul((b1, 0), self.f2.inv(self.xi) if d_twist else self.xi)
        self.g1, self.g2 = g1, g2
        self.cofactor1, self.cofactor2 = cofactor1, cofactor2
        self.two_adicity = ((r - 1) & (1 - r)).bit_length() - 1

    def root(self, log_n):
        """The root of unity of order 2^log_n that circom's tools use: a power of the least non-residue, 5 for both curves."""
        r, g = self.r, 2
        while pow(g, (r - 1) // 2, r) == 1:
            g += 1
        return pow(g, (r - 1) >> log_n, r)


class Fq:
    zero, one = 0, 1

    def __init__(self, q):
        self.q = q

    def add(self, a, b):
        return (a + b) % self.q

    def sub(self, a, b):
        return (a - b) % self.q

    def mul(self, a, b):
        return a * b % self.q

    def inv(self, a):
        return pow(a, -1, self.q)


class Fq2:
    zero, one = (0, 0), (1, 0)

    def __init__(self, q):
        self.q = q

    def add(self, a, b):
        return (a[0] + b[0]) % self.q, (a[1] + b[1]) % self.q

    def sub(self, a, b):
        return (a[0] - b[0]) % self.q, (a[1] - b[1]) % self.q

    def mul(self, a, b):
        return (a[0] * b[0] - a[1] * b[1]) % self.q, (a[0] * b[1] + a[1] * b[0]) % self.q

    def inv(self, a):
        n = pow(a[0] * a[0] + a[1] * a[1], -1, self.q)
        return a[0] * n % self.q, -a[1] * n % self.q


# --- Groups: affine formulas, one inversion an addition ------------------------------------------------------------------------

def on_curve(f, b, p):
    return p is None or f.mul(p[1], p[1]) == f.add(f.mul(f.mul(p[0], p[0]), p[0]), b)


def neg(f, p):
    return None if p is None else (p[0], f.sub(f.zero, p[1]))


def slope(f, p, q):
    """Of the line through p and q, the tangent when they are equal; None for a vertical one."""
    if p[0] != q[0]:
        return f.mul(f.sub(q[1], p[1]), f.inv(f.sub(q[0], p[0])))
    if p[1] != q[1] or p[1] == f.zero:
        return None
    xx = f.mul(p[0], p[0])
    return f.mul(f.add(xx, f.add(xx, xx)), f.inv(f.add(p[1], p[1])))


def add(f, p, q):
    if p is None or q is None:
        return q if p is None else p
    m = slope(f, p, q)
    if m is None:
        return None
    x = f.sub(f.sub(f.mul(m, m), p[0]), q[0])
    return x, f.sub(f.mul(m, f.sub(p[0], x)), p[1])


def mul(f, p, k):
    """k * p, k >= 0 not reduced."""
    out = None
    while k:
        if k & 1:
            out = add(f, out, p)
        p = add(f, p, p)
        k >>= 1
    return out


def in_group(c, p, two=False):
    f, b = (c.f2, c.b2) if two else (c.f1, c.b1)
    return on_curve(f, b, p) and mul(f, p, c.r) is None


# --- F_q12 as 6 coefficients of F_q2 in w ----------------------------------------------------------------------------------------

def mul12(c, a, b):
    q = c.q
    re, im = [0] * 11, [0] * 11
    for i, (a0, a1) in enumerate(a):
        if a0 or a1:
            for j, (b0, b1) in enumerate(b):
                re[i + j] += a0 * b0 - a1 * b1
                im[i + j] += a0 * b1 + a1 * b0
    x0 = c.xi[0]
    return [((re[k] + (re[k + 6] * x0 - im[k + 6] if k < 5 else 0)) % q,
             (im[k] + (im[k + 6] * x0 + re[k + 6] if k < 5 else 0)) % q) for k in range(6)]


ONE12 = [(1, 0)] + [(0, 0)] * 5


def line(c, m, t, p):
    """The line of slope m through the twist's point t, at p of G1, up to a factor that the final exponentiation removes."""
    f = c.f2
    out = [(0, 0)] * 6
    at = (0, 1, 3) if c.d_twist else (3, 2, 0)
    out[at[0]] = (p[1], 0)
    out[at[1]] = f.sub(f.zero, f.mul(m, (p[0], 0)))
    out[at[2]] = f.sub(f.mul(m, t[0]), t[1])
    return out


def miller(c, p, q):
    f, acc, t = c.f2, ONE12, q
    for bit in bin(c.loop)[3:]:
        acc = mul12(c, mul12(c, acc, acc), line(c, slope(f, t, t), t, p))
        t = add(f, t, t)
        if bit == "1":
            m = slope(f, t, q)
            if m is not None:  # vertical only in the last step, where the line lies in a subfield
                acc = mul12(c, acc, line(c, m, t, p))
            t = add(f, t, q)
    return acc


def pairing_product_is_one(c, pairs):
    """pairs: [(P of G1, Q of G2)], all of order r."""
    acc = ONE12
    for p, q in pairs:
        if p is not None and q is not None:
            acc = mul12(c, acc, miller(c, p, q))
    out, e = ONE12, (c.q**12 - 1) // c.r
    for bit in bin(e)[2:]:
        out = mul12(c, out, out)
        if bit == "1":
            out = mul12(c, out, acc)
    return out == ONE12


def bn254():
    x = 4965661367192848881
    q = 36 * x**4 + 36 * x**3 + 24 * x**2 + 6 * x + 1
    r = 36 * x**4 + 36 * x**3 + 18 * x**2 + 6 * x + 1
    g2 = ((0x1800DEEF121F1E76426A00665E5C4479674322D4F75EDADD46DEBD5CD992F6ED,
           0x198E9393920D483A7260BFB731FB5D25F1AA493335A9E71297E485B7AEF312C2),
          (0x12C85EA5DB8C6DEB4AAB71808DCB408FE3D1E7690C43D37B4CE6CC0166FA7DAA,
           0x090689D0585FF075EC9E99AD690C3395BC4B313370B38EF355ACDADCD122975B))
    return Curve("BN254", "bn128", q, r, 3, 9, True, 6 * x * x, (1, 2), g2, 1, 2 * q - r)


def bls12_381():
    x = -0xD201000000010000
    r = x**4 - x**2 + 1
    q = (x - 1) ** 2 * r // 3 + x
    g1 = (0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
          0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1)
    g2 = ((0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
           0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E),
          (0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
           0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE))
    h2 = (x**8 - 4 * x**7 + 5 * x**6 - 4 * x**4 + 6 * x**3 - 4 * x**2 - 4 * x + 13) // 9
    return Curve("BLS12-381", "bls12381", q, r, 4, 1, False, x, g1, g2, (x - 1) ** 2 // 3, h2)


BN254, BLS12_381 = bn254(), bls12_381()
CURVES = (BN254, BLS12_381)


# --- Points that are not what they should be -------------------------------------------------------------------------------------

def sqrt2(c, a):
    """A square root in F_q2, or None; q = 3 mod 4. [Adj, Rodriguez-Henriquez 2012, algorithm 9]"""
    f, q = c.f2, c.q

    def power(x, e):
        out = f.one
        for bit in bin(e)[2:]:
            out = f.mul(out, out)
            if bit == "1":
                out = f.mul(out, x)
        return out

    a1 = power(a, (q - 3) // 4)
    alpha, x0 = f.mul(a1, f.mul(a1, a)), f.mul(a1, a)
    if alpha == (q - 1, 0):
        x = f.mul((0, 1), x0)
    else:
        x = f.mul(power(f.add(f.one, alpha), (q - 1) // 2), x0)
    return x if f.mul(x, x) == a else None


def off_curve(c, two=False):
    """Coordinates of no point."""
    g = c.g2 if two else c.g1
    return g[0], (c.f2 if two else c.f1).add(g[1], (c.f2 if two else c.f1).one)


def off_group(c, two=False):
    """A point of the curve that is not of order r. G1 of BN254 has none."""
    f, b = (c.f2, c.b2) if two else (c.f1, c.b1)
    for k in range(1, 100):
        x = (k, 0) if two else k
        y2 = f.add(f.mul(f.mul(x, x), x), b)
        y = sqrt2(c, y2) if two else pow(y2, (c.q + 1) // 4, c.q)
        if y is not None and f.mul(y, y) == y2 and not in_group(c, (x, y), two):
            return x, y
    raise ValueError("no such point")
