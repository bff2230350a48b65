#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes field_vectors.txt: values of the field, the circle group, SHA-256, the transcript, Merkle hashing and the
expander, from plain integers and hashlib only. K is done here by polynomial division over a dict of monomials, unlike
the C code. Run it again only when the protocol changes: the tests read the committed file.

A line is a name and fields separated by blanks; K elements are six comma-separated decimals, bytes are hex ('-': none).
"""
import hashlib
import os
import random
import sys

P = 2**31 - 1
rng = random.Random(20240601)
CORNERS = [0, 1, 2, P - 1, P - 2, P // 2, P // 2 + 1, 1 << 30]


def fe():
    return rng.choice(CORNERS) if rng.random() < 0.4 else rng.randrange(P)


def k():
    return [fe() for _ in range(6)]


def k_mul(a, b):
    """a, b: coefficient of i^h w^j at 2j+h. Multiply as polynomials in i and w, then reduce w^3 = 2+i and i^2 = -1."""
    poly = {}
    for s in range(6):
        for t in range(6):
            key = (s // 2 + t // 2, s % 2 + t % 2)
            poly[key] = poly.get(key, 0) + a[s] * b[t]
    for w in (4, 3):
        for i in (2, 1, 0):
            c = poly.pop((w, i), 0)
            poly[(w - 3, i)] = poly.get((w - 3, i), 0) + 2 * c
            poly[(w - 3, i + 1)] = poly.get((w - 3, i + 1), 0) + c
    out = [0] * 6
    for (w, i), c in poly.items():
        sign = -1 if i in (2, 3) else 1
        out[2 * w + i % 2] += sign * c
    return [c % P for c in out]


def k_pow(a, e):
    r = [1, 0, 0, 0, 0, 0]
    while e:
        if e & 1:
            r = k_mul(r, a)
        a = k_mul(a, a)
        e >>= 1
    return r


def circle_pow(e):
    x, y = 1, 0
    bx, by = 2, 1268011823
    while e:
        if e & 1:
            x, y = (x * bx - y * by) % P, (x * by + y * bx) % P
        bx, by = (bx * bx - by * by) % P, 2 * bx * by % P
        e >>= 1
    return x, y


def sha(data):
    return hashlib.sha256(data).digest()


class Transcript:
    def __init__(self):
        self.state = sha(b"assay transcript 1")

    def absorb(self, label, data):
        label = label.encode()
        self.state = sha(self.state + bytes([len(label)]) + label + len(data).to_bytes(8, "little") + data)

    def words(self, label):
        self.absorb(label, b"challenge")
        return self.stream()

    def stream(self):
        ctr = 0
        while True:
            block = sha(self.state + b"out" + ctr.to_bytes(4, "little"))
            for j in range(0, 32, 4):
                yield int.from_bytes(block[j:j + 4], "little") & P
            ctr += 1

    def challenge_k(self, label, n):
        draw = (w for w in self.words(label) if w != P)
        return [[next(draw) for _ in range(6)] for _ in range(n)]

    def positions(self, label, log_size, t):
        size = 1 << log_size
        draw = self.words(label)
        if t >= size:
            return list(range(size))
        seen = set()
        while len(seen) < t:
            seen.add(next(draw) % size)
        return sorted(seen)


def le(words):
    return b"".join(w.to_bytes(4, "little") for w in words)


def kstr(a):
    return ",".join(map(str, a))


def field(out):
    for _ in range(200):
        a, b = fe(), fe()
        out("m31", a, b, (a + b) % P, (a - b) % P, a * b % P, pow(a, P - 2, P))
    for _ in range(100):
        x = rng.choice([rng.randrange(-2**63, 2**63), -2**63, 2**63 - 1, -1, -P, P, P + 1, rng.randrange(-P, P)])
        r = x % P
        out("i64", x, r, r if r <= P // 2 else r - P)
    for _ in range(100):
        a, b = k(), k()
        inv = k_pow(a, P**6 - 2)
        out("k", kstr(a), kstr(b), kstr(k_mul(a, b)), kstr(k_mul(a, a)), kstr(inv))
    for e in [0, 1, 2, 3, P, P + 1, 2**31, 2**64 - 1, rng.randrange(2**64)]:
        a = k()
        out("kpow", kstr(a), e, kstr(k_pow(a, e)))
    for e in [0, 1, 2, 3, 2**29, 2**30, 2**31 - 1, 2**31, 2**32 + 5] + [rng.randrange(2**31) for _ in range(20)]:
        out("circle", e, *circle_pow(e))


def hashing(out):
    for n in list(range(301)) + [1000, 4096, 65537]:
        data = bytes((i * 7 + n) & 255 for i in range(n))
        out("sha", n, sha(data).hex())
    key = bytes(range(32))
    for i in [0, 1, 2**32, 2**64 - 1]:
        out("salt", i, sha(key + b"salt" + i.to_bytes(8, "little")).hex())
        out("drbg", i, sha(key + (i ^ 5).to_bytes(8, "little") + i.to_bytes(8, "little")).hex())
        for salted in (0, 1):
            for nrows in (0, 1, 3, 16, 29):
                header = bytes([0, 9, 0, 0, 0, 0, 0, 0]) + i.to_bytes(8, "little")
                column = le((j * 1000003 + i) % P for j in range(nrows))
                out("leaf", i, salted, nrows, sha(header + (key[::-1] if salted else b"") + column).hex())
        header = bytes([1, 200, 31, 0, 0, 0, 0, 0]) + i.to_bytes(8, "little")
        out("node", i, sha(header + sha(b"left") + sha(b"right")).hex())


def transcript(out):
    t = Transcript()
    out("t_state", t.state.hex())
    for step in range(60):
        kind = rng.choice(["absorb", "absorb_k", "absorb_f", "absorb_u64", "k", "pos", "k", "pos"])
        label = rng.choice(["a", "weights", "round", "x" * 255, ""])
        shown = label or "-"
        if kind == "absorb":
            data = rng.randbytes(rng.choice([0, 1, 31, 32, 64, 100, 1000]))
            t.absorb(label, data)
            out("t_absorb", shown, data.hex() or "-", t.state.hex())
        elif kind == "absorb_k":
            xs = [k() for _ in range(rng.choice([0, 1, 2, 20]))]
            t.absorb(label, b"".join(map(le, xs)))
            out("t_absorb_k", shown, len(xs), *map(kstr, xs), t.state.hex())
        elif kind == "absorb_f":
            xs = [fe() for _ in range(rng.choice([0, 1, 6, 100]))]
            t.absorb(label, le(xs))
            out("t_absorb_f", shown, len(xs), *xs, t.state.hex())
        elif kind == "absorb_u64":
            x = rng.randrange(2**64)
            t.absorb(label, x.to_bytes(8, "little"))
            out("t_absorb_u64", shown, x, t.state.hex())
        elif kind == "k":
            n = rng.choice([1, 2, 3, 10])
            xs = t.challenge_k(label, n)
            out("t_k", shown, n, *map(kstr, xs), t.state.hex())
        else:
            log_size, count = rng.choice([(0, 1), (3, 8), (3, 9), (3, 7), (8, 192), (8, 300), (20, 192), (30, 5), (31, 3), (4, 0)])
            pos = t.positions(label, log_size, count)
            out("t_pos", shown, log_size, count, len(pos), *pos, t.state.hex())


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "field_vectors.txt")
    with open(sys.argv[1] if len(sys.argv) > 1 else path, "w") as f:
        def out(*fields):
            print(*fields, file=f)
        field(out)
        hashing(out)
        transcript(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
