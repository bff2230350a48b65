# SPDX-License-Identifier: Apache-2.0
"""The files of circom and snarkjs, made and read in plain Python: .r1cs, .wtns, .zkey and their JSON. A file is kept as a
list of sections [(id, bytes)], so that a test can leave out, repeat, cut or reorder them before it writes the bytes."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "reference"))
from groth16_curves import BLS12_381, BN254, CURVES, mul  # noqa: E402,F401


def u32(n):
    return struct.pack("<I", n)


def le(x, n):
    return x.to_bytes(n, "little")


# --- The container -------------------------------------------------------------------------------------------------------------

def container(magic, version, sections):
    out = magic + u32(version) + u32(len(sections))
    for number, body in sections:
        out += u32(number) + struct.pack("<Q", len(body)) + body
    return out


def read_container(data, magic):
    """{id: bytes}; asserts a well-formed file of distinct sections."""
    assert data[:4] == magic, data[:4]
    (n,) = struct.unpack("<I", data[8:12])
    at, sections = 12, {}
    for _ in range(n):
        number, length = struct.unpack("<IQ", data[at : at + 12])
        assert number not in sections and at + 12 + length <= len(data)
        sections[number] = data[at + 12 : at + 12 + length]
        at += 12 + length
    assert at == len(data)
    return sections


def prime(p, n8):
    return u32(n8) + le(p, n8)


# --- Circuits and witnesses ----------------------------------------------------------------------------------------------------

class Circuit:
    """rows[i] = (A, B, C), each {wire: coefficient}. Wires: 0 the constant, outputs, public inputs, private ones, the rest."""

    def __init__(self, curve, n_wires, n_outputs, n_inputs, n_private, rows):
        self.curve, self.n_wires, self.n_outputs, self.n_inputs, self.n_private = curve, n_wires, n_outputs, n_inputs, n_private
        self.rows = rows
        self.n_public = n_outputs + n_inputs

    def row_values(self, i, w):
        return [sum(k * w[j] for j, k in m.items()) % self.curve.r for m in self.rows[i]]

    def violated(self, w):
        """The first constraint that the witness breaks, or None."""
        for i in range(len(self.rows)):
            a, b, c = self.row_values(i, w)
            if (a * b - c) % self.curve.r:
                return i
        return None


def r1cs_sections(c):
    r = c.curve.r
    header = prime(r, 32) + u32(c.n_wires) + u32(c.n_outputs) + u32(c.n_inputs) + u32(c.n_private)
    header += struct.pack("<Q", c.n_wires) + u32(len(c.rows))
    body = b""
    for row in c.rows:
        for m in row:
            body += u32(len(m)) + b"".join(u32(j) + le(m[j] % r, 32) for j in sorted(m))
    return [(1, header), (2, body), (3, b"".join(struct.pack("<Q", i) for i in range(c.n_wires)))]


def r1cs_bytes(c):
    return container(b"r1cs", 1, r1cs_sections(c))


def curve_of(p):
    return next(c for c in CURVES if c.r == p)


def read_r1cs(data):
    s = read_container(data, b"r1cs")
    h = s[1]
    curve = curve_of(int.from_bytes(h[4:36], "little"))
    n_wires, n_out, n_in, n_prv = struct.unpack("<4I", h[36:52])
    (n,) = struct.unpack("<I", h[60:64])
    at, rows = 0, []
    for _ in range(n):
        row = []
        for _ in range(3):
            (terms,) = struct.unpack("<I", s[2][at : at + 4])
            at += 4
            m = {}
            for _ in range(terms):
                (wire,) = struct.unpack("<I", s[2][at : at + 4])
                m[wire] = (m.get(wire, 0) + int.from_bytes(s[2][at + 4 : at + 36], "little")) % curve.r
                at += 36
            row.append(m)
        rows.append(tuple(row))
    assert at == len(s[2])
    return Circuit(curve, n_wires, n_out, n_in, n_prv, rows)


def wtns_sections(curve, w):
    return [(1, prime(curve.r, 32) + u32(len(w))), (2, b"".join(le(x, 32) for x in w))]


def wtns_bytes(curve, w):
    return container(b"wtns", 2, wtns_sections(curve, w))


def read_wtns(data):
    s = read_container(data, b"wtns")
    return [int.from_bytes(s[2][i : i + 32], "little") for i in range(0, len(s[2]), 32)]


# --- Keys ------------------------------------------------------------------------------------------------------------------------

def point_bytes(curve, p):
    """Little-endian Montgomery form; infinity is all zero."""
    q, n8 = curve.q, curve.n8q
    coords = (0, 0) if p is None else p
    two = isinstance(coords[0], tuple)
    flat = [x for c in coords for x in c] if two else coords
    return b"".join(le((x << (8 * n8)) % q, n8) for x in flat)


def points_bytes(curve, points, two=False):
    infinity = bytes((4 if two else 2) * curve.n8q)
    return b"".join(infinity if p is None else point_bytes(curve, p) for p in points)


def read_points(curve, data, two=False):
    n8, q = curve.n8q, curve.q
    inverse = pow(1 << (8 * n8), -1, q)
    x = [int.from_bytes(data[i : i + n8], "little") * inverse % q for i in range(0, len(data), n8)]
    if two:
        x = [(x[i], x[i + 1]) for i in range(0, len(x), 2)]
    zero = (0, 0) if two else 0
    return [None if x[i] == zero and x[i + 1] == zero else (x[i], x[i + 1]) for i in range(0, len(x), 2)]


def zkey_sections(curve, key):
    """key: what groth16_reference.setup returns."""
    g1 = lambda points: points_bytes(curve, points)  # noqa: E731
    g2 = lambda points: points_bytes(curve, points, True)  # noqa: E731
    header = prime(curve.q, curve.n8q) + prime(curve.r, 32) + u32(key["n_wires"]) + u32(key["n_public"]) + u32(key["domain"])
    header += g1([key["alpha1"], key["beta1"]]) + g2([key["beta2"], key["gamma2"]]) + g1([key["delta1"]]) + g2([key["delta2"]])
    coefs = u32(len(key["coefs"]))
    for matrix, row, wire, value in key["coefs"]:
        coefs += u32(matrix) + u32(row) + u32(wire) + le((value << 512) % curve.r, 32)
    return [(1, u32(1)), (2, header), (3, g1(key["ic"])), (4, coefs), (5, g1(key["a"])), (6, g1(key["b1"])), (7, g2(key["b2"])),
            (8, g1(key["c"])), (9, g1(key["h"])), (10, bytes(64) + u32(0))]


def zkey_bytes(curve, key):
    return container(b"zkey", 1, zkey_sections(curve, key))


def ptau_sections(curve, power, tau, alpha, beta, prepared=True):
    """Powers of tau of a known trapdoor, as snarkjs lays them out."""
    r = curve.r
    g1 = lambda k: mul(curve.f1, curve.g1, k % r)  # noqa: E731
    g2 = lambda k: mul(curve.f2, curve.g2, k % r)  # noqa: E731
    powers = [pow(tau, i, r) for i in range(2 * 2**power - 1)]
    half = powers[: 2**power]
    one = lambda scale, values: points_bytes(curve, [g1(scale * k) for k in values])  # noqa: E731
    two = lambda values: points_bytes(curve, [g2(k) for k in values], True)  # noqa: E731
    out = [(1, prime(curve.q, curve.n8q) + u32(power) + u32(power)), (2, one(1, powers)), (3, two(half)), (4, one(alpha, half)),
           (5, one(beta, half)), (6, two([beta])), (7, u32(0))]
    if prepared:
        bases = [lagrange_of(curve, k, powers[: 2**k]) for k in range(power + 2)]
        flat = [x for basis in bases[:-1] for x in basis]
        out += [(12, one(1, flat + bases[-1])), (13, two(flat)), (14, one(alpha, flat)), (15, one(beta, flat))]
    return out


def lagrange_of(curve, log_n, powers):
    """L_i = 1/n sum_j w^(-ij) powers_j; missing powers count as 0."""
    r, n, back = curve.r, 1 << log_n, pow(curve.root(log_n), -1, curve.r)
    return [sum(pow(back, i * j, r) * x for j, x in enumerate(powers)) * pow(n, -1, r) % r for i in range(n)]


# --- JSON ------------------------------------------------------------------------------------------------------------------------

def json1(p):
    return ["0", "1", "0"] if p is None else [str(p[0]), str(p[1]), "1"]


def json2(p):
    if p is None:
        return [["0", "0"], ["1", "0"], ["0", "0"]]
    return [[str(p[0][0]), str(p[0][1])], [str(p[1][0]), str(p[1][1])], ["1", "0"]]


def vkey_json(curve, key):
    return {"protocol": "groth16", "curve": curve.json_name, "nPublic": key["n_public"], "vk_alpha_1": json1(key["alpha1"]),
            "vk_beta_2": json2(key["beta2"]), "vk_gamma_2": json2(key["gamma2"]), "vk_delta_2": json2(key["delta2"]),
            "IC": [json1(p) for p in key["ic"]]}


def proof_json(curve, proof):
    a, b, c = proof
    return {"pi_a": json1(a), "pi_b": json2(b), "pi_c": json1(c), "protocol": "groth16", "curve": curve.json_name}


def read_json1(x):
    assert x[2] == "1"
    return int(x[0]), int(x[1])


def read_json2(x):
    assert x[2] == ["1", "0"]
    return (int(x[0][0]), int(x[0][1])), (int(x[1][0]), int(x[1][1]))


def read_proof(path):
    with open(path) as f:
        p = json.load(f)
    return read_json1(p["pi_a"]), read_json2(p["pi_b"]), read_json1(p["pi_c"])


def read_vkey(path):
    with open(path) as f:
        v = json.load(f)
    return {"n_public": v["nPublic"], "alpha1": read_json1(v["vk_alpha_1"]), "beta2": read_json2(v["vk_beta_2"]),
            "gamma2": read_json2(v["vk_gamma_2"]), "delta2": read_json2(v["vk_delta_2"]), "ic": [read_json1(p) for p in v["IC"]]}


# --- The files of bellperson (BLS12-381): points as zcash encodes them ---------------------------------------------------------

def zcash_bytes(curve, p, compressed=False):
    """Highest byte first, of G2 the second component first; the flags of a compressed point: 128, and 32 for the larger y."""
    x, y = ([*c[::-1]] if isinstance(c, tuple) else [c] for c in p)
    out = bytearray(b"".join(c.to_bytes(curve.n8q, "big") for c in (x if compressed else x + y)))
    if compressed:
        out[0] |= 128 | (32 if y > [-c % curve.q for c in y] else 0)
    return bytes(out)


def bellman_vk(curve, key):
    points = [key[k] for k in ("alpha1", "beta1", "beta2", "gamma2", "delta1", "delta2")]
    return b"".join(zcash_bytes(curve, p) for p in points) + struct.pack(">I", len(key["ic"])) + b"".join(zcash_bytes(curve, p) for p in key["ic"])


def bellman_proof(curve, proof):
    return b"".join(zcash_bytes(curve, p, compressed=True) for p in proof)


# --- Small circuits to test with -----------------------------------------------------------------------------------------------

def multiply_add(curve):
    """out = a b c + a + 5, c public: two constraints. Returns (circuit, witness of a, b, c)."""
    # 0: one, 1: out, 2: c, 3: a, 4: b, 5: t = a b
    rows = [({3: 1}, {4: 1}, {5: 1}), ({5: 1}, {2: 1}, {1: 1, 3: -1, 0: -5})]

    def witness(a, b, c):
        t = a * b % curve.r
        return [1, (t * c + a + 5) % curve.r, c % curve.r, a % curve.r, b % curve.r, t]

    return Circuit(curve, 6, 1, 1, 2, rows), witness


def square_chain(curve, n, n_public=1):
    """n squarings in a row, x_{i+1} = x_i^2 + i; the last is the output. n_public = 0 hides it. Returns (circuit, witness)."""
    # 0: one, 1: out = x_n, 2: x_0, 3...: x_1 ... x_{n-1}
    wire = lambda i: 2 if i == 0 else 1 if i == n else 2 + i  # noqa: E731
    rows = [({wire(i): 1}, {wire(i): 1}, {wire(i + 1): 1, 0: -i}) for i in range(n)]

    def witness(x):
        xs = [x % curve.r]
        for i in range(n):
            xs.append((xs[-1] * xs[-1] + i) % curve.r)
        return [1, xs[n], xs[0]] + xs[1:n]

    return Circuit(curve, n + 2, n_public, 0, 1, rows), witness


def many_publics(curve, n):
    """n public inputs, of which only the product of the first two is used. Returns (circuit, witness)."""
    rows = [({1: 1}, {2: 1}, {n + 1: 1})]

    def witness(publics):
        return [1] + [p % curve.r for p in publics] + [publics[0] * publics[1] % curve.r]

    return Circuit(curve, n + 2, 0, n, 0, rows), witness
