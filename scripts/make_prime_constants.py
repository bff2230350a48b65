#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/field/primes_gen.h and src/curve/curves_gen.h: constants of BN254 and BLS12-381, from the curves' parameters alone.
    scripts/make_prime_constants.py          writes the files
    scripts/make_prime_constants.py --check  compares them with what it would write
BN254: x = 4965661367192848881, E: y^2 = x^3 + 3, twist y^2 = x^3 + 3/(9 + u) (EIP-196, EIP-197).
BLS12-381: x = -0xd201000000010000, E: y^2 = x^3 + 4, twist y^2 = x^3 + 4(1 + u) (draft-irtf-cfrg-pairing-friendly-curves)."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by scripts/make_prime_constants.py: %s. Limbs: lowest first. */\n/* clang-format off */\n"


def words(v, n, bits=64):
    return "{" + ", ".join(f"0x{v >> bits * i & (1 << bits) - 1:0{bits // 4}x}" for i in range(n)) + "}"


def define(name, text):
    line = f"#define {name} {text}"
    if len(line) <= 118:
        return line + "\n"
    parts, out, row = text[1:-1].split(", "), [], "    {"
    for i, p in enumerate(parts):
        piece = p + (", " if i + 1 < len(parts) else "}")
        if len(row) + len(piece) > 116:
            out.append(row.rstrip())
            row = "     "
        row += piece
    out.append(row)
    return f"#define {name} \\\n" + " \\\n".join(out) + "\n"


def sqrt_exponent(p):
    return (p + 1) // 4 if p % 4 == 3 else 0


class Prime:
    def __init__(self, name, p, n, generator=None):
        self.name, self.p, self.n, self.generator = name, p, n, generator

    def mont(self, v):
        return v * (1 << 64 * self.n) % self.p

    def text(self):
        p, n, N = self.p, self.n, self.name
        out = define(f"{N}_MODULUS", words(p, n)) + define(f"{N}_ONE", words(self.mont(1), n))
        out += define(f"{N}_R2", words(self.mont(1 << 64 * n), n))
        out += f"#define {N}_NEG_INV 0x{-pow(p, -1, 1 << 64) % (1 << 64):016x}\n"
        out += define(f"{N}_MINUS_TWO", words(p - 2, n)) + define(f"{N}_HALF", words((p - 1) // 2, n))
        if sqrt_exponent(p):
            out += define(f"{N}_SQRT_EXP", words(sqrt_exponent(p), n))
        if self.generator:
            s = ((p - 1) & -(p - 1)).bit_length() - 1
            root = pow(self.generator, (p - 1) >> s, p)
            out += f"#define {N}_TWO_ADICITY {s}\n" + define(f"{N}_ROOT", words(self.mont(root), n))
        return out + self.ifma_text()

    def ifma_text(self):
        """Constants of prime_ifma.tmpl.h: limbs of 52 bits, Montgomery's R' = 2^(52 limbs)."""
        p, N, limbs = self.p, self.name + "_IFMA", -(-64 * self.n // 52)
        small, big = 1 << 64 * self.n, 1 << 52 * limbs
        out = f"#define {N}_LIMBS {limbs}\n" + define(f"{N}_MODULUS", words(p, limbs, 52))
        out += f"#define {N}_NEG_INV 0x{-pow(p, -1, 1 << 52) % (1 << 52):013x}\n#define {N}_HEADROOM 0x{big // p:x}\n"
        out += define(f"{N}_ONE", words(big % p, limbs, 52)) + define(f"{N}_LOWER", words(small % p, limbs, 52))
        out += define(f"{N}_RAISE", words(big * big * pow(small, -1, p) % p, limbs, 52))
        return out + define(f"{N}_INTEGER", words(big * small % p, limbs, 52))


def fq2_mul(a, b, p):
    return ((a[0] * b[0] - a[1] * b[1]) % p, (a[0] * b[1] + a[1] * b[0]) % p)


def fq2_pow(a, e, p):
    r = (1, 0)
    while e:
        if e & 1:
            r = fq2_mul(r, a, p)
        a, e = fq2_mul(a, a, p), e >> 1
    return r


def fq2_inv(a, p):
    d = pow(a[0] * a[0] + a[1] * a[1], -1, p)
    return (a[0] * d % p, -a[1] * d % p)


def naf(v):
    out = []
    while v:
        d = 0
        if v & 1:
            d = 2 - (v & 3)
            v -= d
        out.append(d)
        v >>= 1
    return out


class Curve:
    def __init__(self, name, x, q, r, b, xi, twist_divides, g1, g2):
        self.name, self.x, self.q, self.r, self.b, self.xi, self.g1, self.g2 = name, x, q, r, b, xi, g1, g2
        self.n = 4 if q.bit_length() <= 256 else 6
        self.twist_b = fq2_mul((b, 0), fq2_inv(xi, q) if twist_divides else xi, q)

    def mont2(self, v):
        f = Prime("", self.q, self.n)
        return "{{" + words(f.mont(v[0]), self.n) + "}, {" + words(f.mont(v[1]), self.n) + "}}"

    def text(self):
        N, q, r, n = self.name, self.q, self.r, self.n
        f = Prime("", q, n)
        out = define(f"{N}_B", words(f.mont(self.b), n)) + define(f"{N}_B2", self.mont2(self.twist_b))
        out += define(f"{N}_G1_X", words(f.mont(self.g1[0]), n)) + define(f"{N}_G1_Y", words(f.mont(self.g1[1]), n))
        out += define(f"{N}_G2_X", self.mont2(self.g2[0])) + define(f"{N}_G2_Y", self.mont2(self.g2[1]))
        assert (q ** 6 - 1) % 6 == 0
        gamma = [fq2_pow(self.xi, i * (q - 1) // 6, q) for i in range(6)]
        out += "/* xi^(i (q - 1) / 6), i = 0 .. 5 */\n"
        out += f"#define {N}_FROBENIUS \\\n    {{" + ", \\\n     ".join(self.mont2(g) for g in gamma) + "}\n"
        hard = (q ** 4 - q ** 2 + 1) // r
        assert (q ** 4 - q ** 2 + 1) % r == 0
        size = (hard.bit_length() + 63) // 64
        out += f"/* (q^4 - q^2 + 1) / r */\n#define {N}_HARD_LIMBS {size}\n" + define(f"{N}_HARD", words(hard, size))
        if self.x > 0:
            loop = naf(6 * self.x + 2)
            out += f"/* digits of 6x + 2, the lowest first */\n#define {N}_LOOP_DIGITS {len(loop)}\n"
            out += define(f"{N}_LOOP", "{" + ", ".join(map(str, loop)) + "}")
        else:
            loop = [-self.x >> i & 1 for i in range((-self.x).bit_length())]
            out += f"/* digits of -x, the lowest first */\n#define {N}_LOOP_DIGITS {len(loop)}\n"
            out += define(f"{N}_LOOP", "{" + ", ".join(map(str, loop)) + "}")
        return out + f"#define {N}_X_ABS 0x{abs(self.x):016x}\n"


X = 4965661367192848881
BN_Q, BN_R = 36 * X**4 + 36 * X**3 + 24 * X**2 + 6 * X + 1, 36 * X**4 + 36 * X**3 + 18 * X**2 + 6 * X + 1
Z = -0xd201000000010000
BLS_R = Z**4 - Z**2 + 1
BLS_Q = (Z - 1)**2 * BLS_R // 3 + Z
PRIMES = [Prime("BN254_FQ", BN_Q, 4), Prime("BN254_FR", BN_R, 4, 5), Prime("BLS381_FQ", BLS_Q, 6), Prime("BLS381_FR", BLS_R, 4, 5)]
CURVES = [
    Curve("BN254", X, BN_Q, BN_R, 3, (9, 1), True, (1, 2),
          ((10857046999023057135944570762232829481370756359578518086990519993285655852781,
            11559732032986387107991004021392285783925812861821192530917403151452391805634),
           (8495653923123431417604973247489272438418190587263600148770280649306958101930,
            4082367875863433681332203403145435568316851327593401208105741076214120093531))),
    Curve("BLS381", Z, BLS_Q, BLS_R, 4, (1, 1), False,
          (0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb,
           0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1),
          ((0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8,
            0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e),
           (0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801,
            0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be))),
]


def check(c):
    """The generators lie on their curves, and in the groups of order r."""
    (x, y), q = c.g1, c.q
    assert (y * y - x**3 - c.b) % q == 0
    x2, y2 = c.g2
    right = fq2_mul(fq2_mul(x2, x2, q), x2, q)
    left = fq2_mul(y2, y2, q)
    assert all((left[i] - right[i] - c.twist_b[i]) % q == 0 for i in range(2))


def main():
    for c in CURVES:
        check(c)
    def guard(name, body, what):
        return HEAD % what + f"#ifndef {name}\n#define {name}\n\n{body}\n#endif\n"
    files = {
        "src/field/primes_gen.h": guard("ASSAY_FIELD_PRIMES_GEN_H", "\n".join(f.text() for f in PRIMES), "prime fields, Montgomery form"),
        "src/curve/curves_gen.h": guard("ASSAY_CURVE_CURVES_GEN_H", "\n".join(c.text() for c in CURVES), "curves, in Montgomery form"),
    }
    bad = 0
    for name, text in files.items():
        path = os.path.join(ROOT, name)
        if "--check" in sys.argv:
            same = os.path.exists(path) and open(path).read() == text
            bad += not same
            print(f"{name}: {'as made' if same else 'differs'}")
        else:
            open(path, "w").write(text)
    return 1 if bad else 0


sys.exit(main())
