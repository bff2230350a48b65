#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of Groth16 agrees with itself: its proofs verify on both curves, whatever the blinding and however the bases
of H are made, and not when anything is changed; its curves have the structure that they claim."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from groth16_files import CURVES, multiply_add, read_r1cs, read_wtns, r1cs_bytes, square_chain, wtns_bytes  # noqa: E402
import groth16_curves as curves  # noqa: E402
from groth16_reference import prove, setup, verify  # noqa: E402

passed = 0


def check(good, what):
    global passed
    if not good:
        sys.exit(f"FAILED: {what}")
    passed += 1


for c in CURVES:
    check(curves.in_group(c, c.g1) and curves.in_group(c, c.g2, True), f"{c.name}: generators")
    check(pow(c.root(c.two_adicity), 1 << (c.two_adicity - 1), c.r) == c.r - 1, f"{c.name}: root of unity")
    six, two, three = curves.mul(c.f1, c.g1, 6), curves.mul(c.f1, c.g1, 2), curves.mul(c.f2, c.g2, 3)
    check(curves.pairing_product_is_one(c, [(six, c.g2), (curves.neg(c.f1, two), three)]), f"{c.name}: bilinear")
    check(not curves.pairing_product_is_one(c, [(six, c.g2), (curves.neg(c.f1, six), three)]), f"{c.name}: not degenerate")

    circuit, witness = multiply_add(c)
    w = witness(3, 11, 7)
    check(circuit.violated(w) is None and circuit.violated(w[:-1] + [32]) == 0, f"{c.name}: constraints")
    again = read_r1cs(r1cs_bytes(circuit))
    check(again.rows == [tuple({j: k % c.r for j, k in m.items()} for m in row) for row in circuit.rows], f"{c.name}: r1cs")
    check(read_wtns(wtns_bytes(c, w)) == w, f"{c.name}: wtns")
    key = setup(circuit, tau=987654321, alpha=12345, beta=67890, delta=13579)
    dropped = setup(circuit, tau=987654321, alpha=12345, beta=67890, delta=13579, drop_top=True)
    check(key["h"] != dropped["h"], f"{c.name}: bases of H with and without the top power")
    proof = prove(c, key, w, r=424242, s=777)
    check(proof == prove(c, dropped, w, r=424242, s=777), f"{c.name}: the same proof from either bases")
    check(verify(c, key, w[1:3], proof), f"{c.name}: proof")
    check(verify(c, key, w[1:3], prove(c, key, w)), f"{c.name}: proof without blinding")
    check(not verify(c, key, [w[1] + 1, w[2]], proof), f"{c.name}: another public value")
    check(not verify(c, key, [w[1] + c.r, w[2]], proof), f"{c.name}: public value above r")
    check(not verify(c, key, w[1:2], proof), f"{c.name}: too few public values")
    check(not verify(c, key, w[1:3], prove(c, key, w[:-1] + [32], r=1, s=2)), f"{c.name}: wrong witness")
    other = setup(circuit, tau=987654321, alpha=12345, beta=67890, delta=13580)
    check(not verify(c, other, w[1:3], proof), f"{c.name}: another key")

c = CURVES[0]
circuit, witness = square_chain(c, 5, n_public=0)
w = witness(6)
key = setup(circuit, tau=5, alpha=6, beta=7, delta=8, gamma=9)
check(verify(c, key, [], prove(c, key, w, r=1, s=1)), "no public values")
script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vectors/make_groth16_vectors.py")
check(subprocess.call([sys.executable, script, "--check"]) == 0, "groth16_vectors.txt is what its script writes")
print(f"{passed} passed, 0 failed")
