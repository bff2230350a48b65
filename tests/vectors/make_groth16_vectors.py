#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes groth16_vectors.txt: small circuits on both curves, the key of a known trapdoor section by section, and the proof
with known blinding, all from the reference in plain Python. make_groth16_vectors.py [--check]

Lines: case NAME CURVE; r1cs, wtns: the file; trapdoor TAU ALPHA BETA GAMMA DELTA; section NUMBER BYTES of the key; blinding R S;
proof A B C as in key files; end. Bytes in hex, numbers as 32 little-endian bytes."""
import hashlib
import os
import sys

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "support"))
from groth16_files import (CURVES, Circuit, many_publics, multiply_add, point_bytes, r1cs_bytes, square_chain,  # noqa: E402
                           wtns_bytes, zkey_sections)
from groth16_reference import prove, setup  # noqa: E402

PATH = os.path.join(TESTS, "vectors/groth16_vectors.txt")


def number(curve, *words):
    return int.from_bytes(hashlib.sha512(" ".join(words).encode()).digest(), "little") % curve.r


def corners(curve):
    """Rows without terms, coefficients 0 and -1, a wire in nothing, a wire in all three."""
    rows = [({}, {1: 1}, {}), ({1: -1}, {1: -1}, {2: 1}), ({2: 0, 3: 5}, {0: 1}, {}), ({0: 7}, {0: 1}, {0: 7})]

    def witness(x):
        return [1, x % curve.r, x * x % curve.r, 0, curve.r - 1]

    return Circuit(curve, 5, 0, 1, 1, rows), witness


def cases(curve):
    circuit, witness = multiply_add(curve)
    yield "multiply_add", circuit, witness(3, number(curve, "b"), curve.r - 2)
    circuit, witness = square_chain(curve, 5, n_public=0)
    yield "no_publics", circuit, witness(number(curve, "x"))
    circuit, witness = many_publics(curve, 6)
    yield "many_publics", circuit, witness([number(curve, "p", str(i)) for i in range(5)] + [0])
    circuit, witness = square_chain(curve, 1)
    yield "one_constraint", circuit, witness(0)
    circuit, witness = corners(curve)
    yield "corners", circuit, witness(9)


def lines():
    yield "# Made by make_groth16_vectors.py."
    for curve in CURVES:
        for name, circuit, w in cases(curve):
            assert circuit.violated(w) is None, name
            trapdoor = {k: number(curve, name, k) for k in ("tau", "alpha", "beta", "gamma", "delta")}
            r, s = number(curve, name, "r"), number(curve, name, "s")
            key = setup(circuit, **trapdoor)
            hexed = lambda x: x.to_bytes(32, "little").hex()  # noqa: E731
            yield f"case {name} {curve.json_name}"
            yield f"r1cs {r1cs_bytes(circuit).hex()}"
            yield f"wtns {wtns_bytes(curve, w).hex()}"
            yield "trapdoor " + " ".join(hexed(trapdoor[k]) for k in ("tau", "alpha", "beta", "gamma", "delta"))
            for number_of, body in zkey_sections(curve, key):
                if number_of != 10 and body:
                    yield f"section {number_of} {body.hex()}"
            yield f"blinding {hexed(r)} {hexed(s)}"
            yield "proof " + " ".join(point_bytes(curve, p).hex() for p in prove(curve, key, w, r, s))
            yield "end"


def main():
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["--check"]:
        with open(PATH) as f:
            sys.exit(0 if f.read() == text else "groth16_vectors.txt is not what its script writes")
    with open(PATH, "w") as f:
        f.write(text)


main()
