#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What is fed to `assay groth16 prove` in the reports of other provers' users, and what breaks those provers: wrong and
# foreign witnesses, files cut anywhere, counts and indices that lie, points where they do harm. Each is refused with one
# line that names the file and what is wrong with it; no proof is written, nothing crashes. What is good, though odd, works.
# ctest: labels nosan
# ctest: timeout 900
import json
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), x) for x in ("support", "reference")]
from groth16_files import (BN254, BLS12_381, Circuit, container, multiply_add, many_publics, point_bytes, points_bytes,  # noqa: E402
                           r1cs_bytes, read_proof, square_chain, u32, wtns_bytes, wtns_sections, zkey_sections)
from groth16_curves import mul, off_curve, off_group  # noqa: E402
from groth16_program import MEMORY, OUTPUT, UNSATISFIED, UNUSABLE, Program  # noqa: E402
from groth16_reference import setup, verify  # noqa: E402

p = Program()
PROOF, PUBLIC = p.path("proof.json"), p.path("public.json")
ANY = (UNUSABLE, UNSATISFIED)
PLACE = (UNUSABLE, OUTPUT)


def prove(*options):
    return ("prove", p.path("k.zkey"), p.path("w.wtns"), PROOF, PUBLIC, *options)


def refused(what, code, pattern, *options):
    p.refused(what, code, pattern, *prove(*options), leaves=(PROOF, PUBLIC))


def accepted(what, curve, key, publics, *options):
    p.works(what, *prove(*options))
    with open(PUBLIC) as f:
        p.check([int(x) for x in json.load(f)] == publics, what, "public values")
    p.check(verify(curve, key, publics, read_proof(PROOF)), what, "the reference does not accept the proof")
    os.remove(PROOF)
    os.remove(PUBLIC)
    print(f"ok: {what}")


def key_with(sections, changes, **kinds):
    """The key with sections replaced: {number: bytes}, None to leave one out. Order and repetition by `order`."""
    new = dict(sections)
    new.update(changes)
    order = kinds.get("order", [n for n, _ in sections])
    p.write("k.zkey", container(b"zkey", kinds.get("version", 1), [(n, new[n]) for n in order if new[n] is not None]))


def patched(data, at, new):
    return data[:at] + new + data[at + len(new) :]


CURVES_TESTED = (BN254, BLS12_381)[: int(os.environ.get("NC", "2"))]
TRAPDOOR = dict(tau=1234567891011, alpha=2222, beta=3333, delta=4444)

for curve in CURVES_TESTED:
    title = curve.name
    circuit, witness = multiply_add(curve)
    w = witness(3, 11, 7)
    key = setup(circuit, **TRAPDOOR)
    sections = zkey_sections(curve, key)
    by_id = dict(sections)
    n8, g1 = curve.n8q, 2 * curve.n8q
    g2 = 2 * g1
    # Places in section 2: the counts, then alpha1 beta1 beta2 gamma2 delta1 delta2.
    counts = 4 + n8 + 4 + 32
    places, at = {}, counts + 12
    for name, size in (("alpha1", g1), ("beta1", g1), ("beta2", g2), ("gamma2", g2), ("delta1", g1), ("delta2", g2)):
        places[name] = (at, size)
        at += size

    def good_files():
        p.write("k.zkey", container(b"zkey", 1, sections))
        p.write("w.wtns", wtns_bytes(curve, w))
        p.write("c.r1cs", r1cs_bytes(circuit))
        p.write("c.sym", "1,1,0,main.out\n2,2,0,main.c\n3,3,0,main.a\n4,4,0,main.b\n5,5,0,main.product\n")

    # --- What must work ------------------------------------------------------------------------------------------------------
    good_files()
    accepted(f"{title}: a proof", curve, key, w[1:3])
    accepted(f"{title}: a proof, circuit checked", curve, key, w[1:3], "--r1cs", p.path("c.r1cs"))
    accepted(f"{title}: a proof, one thread", curve, key, w[1:3], "--threads", "1")
    key_with(sections, {11: b"unknown", 4000: b""}, order=[9, 11, 8, 7, 10, 6, 5, 4000, 4, 3, 2, 1])
    accepted(f"{title}: sections in another order, and unknown ones", curve, key, w[1:3])
    key_with(sections, {10: None})
    accepted(f"{title}: a key without section 10", curve, key, w[1:3])
    two = square_chain(curve, 2, n_public=0)
    for what, (odd, make), publics in ((("no public values"), two, 0), ("one constraint", square_chain(curve, 1), 1)):
        odd_key, odd_w = setup(odd, **TRAPDOOR), make(5)
        p.write("k.zkey", container(b"zkey", 1, zkey_sections(curve, odd_key)))
        p.write("w.wtns", wtns_bytes(curve, odd_w))
        accepted(f"{title}: {what}", curve, odd_key, odd_w[1 : 1 + publics])
    square = Circuit(curve, 3, 0, 2, 0, [({1: 1}, {1: 1}, {2: 1})])
    square_key = setup(square, **TRAPDOOR)
    p.check(not square_key["c"], "section C is empty")
    p.write("k.zkey", container(b"zkey", 1, zkey_sections(curve, square_key)))
    p.write("w.wtns", wtns_bytes(curve, [1, 9, 81]))
    accepted(f"{title}: all wires public, an empty section of points", curve, square_key, [9, 81])
    zeros = witness(0, 0, 0)
    good_files()
    p.write("w.wtns", wtns_bytes(curve, zeros))
    accepted(f"{title}: a witness of zeros", curve, key, zeros[1:3])

    # --- Witnesses -----------------------------------------------------------------------------------------------------------
    good_files()
    bad = w[:5] + [w[5] ^ 1]
    p.write("w.wtns", wtns_bytes(curve, bad))
    refused(f"{title}: one bit of the witness changed", UNSATISFIED, "w.wtns|witness")
    refused(f"{title}: the same, with the circuit", UNSATISFIED, "constraint 0", "--r1cs", p.path("c.r1cs"))
    refused(f"{title}: the same, with names", UNSATISFIED, "constraint 0.*main.product", "--r1cs", p.path("c.r1cs"), "--sym", p.path("c.sym"))
    last = w[:1] + [w[1] + 1] + w[2:]
    p.write("w.wtns", wtns_bytes(curve, last))
    refused(f"{title}: a wrong output, with the circuit", UNSATISFIED, "constraint 1", "--r1cs", p.path("c.r1cs"))
    wtns = dict(wtns_sections(curve, w))
    other = BLS12_381 if curve is BN254 else BN254
    for what, data in (
        ("of another circuit (longer)", wtns_bytes(curve, w + [0])),
        ("of another circuit (shorter)", wtns_bytes(curve, w[:-1])),
        ("of the other curve", wtns_bytes(other, w)),
        ("half of section 2", container(b"wtns", 2, [(1, wtns[1]), (2, wtns[2][:96])])),
        ("half of section 2, count kept, trailing section", container(b"wtns", 2, [(1, wtns[1]), (2, wtns[2][:96]), (3, wtns[2][96:])])),
        ("no section 2", container(b"wtns", 2, [(1, wtns[1])])),
        ("no section 1", container(b"wtns", 2, [(2, wtns[2])])),
        ("section 2 twice", container(b"wtns", 2, [(1, wtns[1]), (2, wtns[2]), (2, wtns[2])])),
        ("a public value + r", wtns_bytes(curve, w[:2] + [w[2] + curve.r] + w[3:])),
        ("a value of r", wtns_bytes(curve, w[:5] + [curve.r])),
        ("a value of 2^256 - 1", wtns_bytes(curve, w[:5] + [2**256 - 1])),
        ("first value 0", wtns_bytes(curve, [0] + w[1:])),
        ("first value 2", wtns_bytes(curve, [2] + w[1:])),
        ("count 0", container(b"wtns", 2, [(1, wtns[1][:-4] + u32(0)), (2, b"")])),
        ("count 2^32 - 1", container(b"wtns", 2, [(1, wtns[1][:-4] + u32(2**32 - 1)), (2, wtns[2])])),
        ("version 3", container(b"wtns", 3, list(wtns.items()))),
        ("a key for a witness", container(b"zkey", 1, sections)),
        ("empty file", b""),
        ("n8 = 0", container(b"wtns", 2, [(1, u32(0) + wtns[1][4:]), (2, wtns[2])])),
        ("n8 = 2^31", container(b"wtns", 2, [(1, u32(2**31) + wtns[1][4:]), (2, wtns[2])])),
        ("trailing bytes", wtns_bytes(curve, w) + b"x"),
    ):
        p.write("w.wtns", data)
        refused(f"{title}: witness: {what}", UNUSABLE, r"w\.wtns")
    whole = wtns_bytes(curve, w)
    for cut in sorted({0, 3, 4, 8, 11, 12, 23, len(whole) // 2, len(whole) - 1}):
        p.write("w.wtns", whole[:cut])
        refused(f"{title}: witness cut to {cut} bytes", UNUSABLE, r"w\.wtns")
    p.write("w.wtns", whole)
    os.rename(p.path("w.wtns"), p.path("away"))
    refused(f"{title}: no witness", UNUSABLE, r"w\.wtns")
    os.rename(p.path("away"), p.path("w.wtns"))

    # --- Keys: counts, sections, coefficients ------------------------------------------------------------------------------------
    file = container(b"zkey", 1, sections)
    rng = random.Random(7)
    for cut in sorted({0, 4, 8, 12, 20, len(file) - 1} | {rng.randrange(len(file)) for _ in range(12)}):
        p.write("k.zkey", file[:cut])
        refused(f"{title}: key cut to {cut} bytes", UNUSABLE, r"k\.zkey")
    for number in range(1, 10):
        key_with(sections, {number: None})
        refused(f"{title}: key without section {number}", UNUSABLE, rf"k\.zkey.*section {number}\b")
        key_with(sections, {}, order=list(by_id) + [number])
        refused(f"{title}: section {number} twice", UNUSABLE, rf"k\.zkey.*twice.*\b{number}\b")
    for number in (3, 5, 6, 7, 8, 9):
        size = g2 if number == 7 else g1
        key_with(sections, {number: by_id[number][:-size]})
        refused(f"{title}: section {number} short of a point", UNUSABLE, rf"k\.zkey.*section {number}\b")
        key_with(sections, {number: by_id[number] + by_id[number][:size]})
        refused(f"{title}: section {number} long by a point", UNUSABLE, rf"k\.zkey.*section {number}\b")
    key_with(sections, {}, version=2)
    refused(f"{title}: key of version 2", UNUSABLE, r"k\.zkey.*version")
    for protocol in (0, 2, 10):
        key_with(sections, {1: u32(protocol)})
        refused(f"{title}: protocol {protocol}", UNUSABLE, r"k\.zkey.*(protocol|groth16)")
    p.write("k.zkey", b"wtns" + file[4:])
    refused(f"{title}: wrong magic", UNUSABLE, r"k\.zkey")
    for n in (0, 2**32 - 1):
        p.write("k.zkey", patched(file, 8, u32(n)))
        refused(f"{title}: {n} sections", UNUSABLE, r"k\.zkey")
    p.write("k.zkey", patched(file, 16, struct.pack("<Q", 2**64 - 8)))
    refused(f"{title}: a section of 2^64 - 8 bytes", UNUSABLE, r"k\.zkey")
    head = by_id[2]
    for domain in (0, 1, 3, 12345, 2**28, 2**31, 2**32 - 1):
        key_with(sections, {2: patched(head, counts + 8, u32(domain))})
        refused(f"{title}: domain {domain}", UNUSABLE, r"k\.zkey.*(domain|section 9)")
    for domain in (0, 3, 6):
        key_with(sections, {2: patched(head, counts + 8, u32(domain)), 9: (by_id[9] * 3)[: domain * g1]})
        refused(f"{title}: domain {domain} with as many points", UNUSABLE, r"k\.zkey.*domain")
    key_with(sections, {2: patched(head, counts + 8, u32(2)), 9: by_id[9][: 2 * g1]})
    refused(f"{title}: domain 2, smaller than the rows", UNUSABLE, r"k\.zkey.*(section 4|row)")
    for what, at, n in (("wires", 0, 0), ("wires", 0, 5), ("wires", 0, 2**32 - 1), ("public values", 4, 6), ("public values", 4, 2**32 - 1)):
        key_with(sections, {2: patched(head, counts + at, u32(n))})
        refused(f"{title}: {n} {what}", UNUSABLE, r"k\.zkey")
    key_with(sections, {2: head[:-1]})
    refused(f"{title}: header short of a byte", UNUSABLE, r"k\.zkey.*section 2")
    for what, at in (("q", 4), ("r", 4 + n8 + 4)):
        key_with(sections, {2: patched(head, at, bytes([head[at] ^ 2]))})
        refused(f"{title}: another {what}", UNUSABLE, r"k\.zkey")
    for n in (0, 31, 2**32 - 1):
        key_with(sections, {2: patched(head, 0, u32(n))})
        refused(f"{title}: q of {n} bytes", UNUSABLE, r"k\.zkey")
    coefs = by_id[4]
    for what, at, new in (("matrix 2", 4, u32(2)), ("row at the domain", 8, u32(key["domain"])), ("row 2^32 - 1", 8, u32(2**32 - 1)),
                          ("signal at the number of wires", 12, u32(6)), ("signal 2^31", 12, u32(2**31)),
                          ("value r", 16, curve.r.to_bytes(32, "little")), ("value 2^256 - 1", 16, b"\xff" * 32),
                          ("count 0", 0, u32(0)), ("count 2^32 - 1", 0, u32(2**32 - 1))):
        key_with(sections, {4: patched(coefs, at, new)})
        refused(f"{title}: coefficient: {what}", UNUSABLE, r"k\.zkey.*section 4")
    key_with(sections, {4: patched(coefs, 16, (12345).to_bytes(32, "little"))})
    refused(f"{title}: coefficient: another value", UNSATISFIED, "key|verify")

    # --- Keys: points ----------------------------------------------------------------------------------------------------------
    infinity1, infinity2 = bytes(g1), bytes(g2)
    wrong1, wrong2 = point_bytes(curve, off_curve(curve)), point_bytes(curve, off_curve(curve, True))
    foreign2 = point_bytes(curve, off_group(curve, True))
    for name, (at, size) in places.items():
        wrong = wrong1 if size == g1 else wrong2
        key_with(sections, {2: patched(head, at, bytes(size))})
        refused(f"{title}: {name} at infinity", UNUSABLE, rf"k\.zkey.*{name}")
        key_with(sections, {2: patched(head, at, wrong)})
        refused(f"{title}: {name} off the curve", UNUSABLE, rf"k\.zkey.*{name}")
        key_with(sections, {2: patched(head, at, b"\xff" * size)})
        refused(f"{title}: {name} with coordinates above q", UNUSABLE, rf"k\.zkey.*{name}")
        if size == g2:
            key_with(sections, {2: patched(head, at, foreign2)})
            refused(f"{title}: {name} of another order", UNUSABLE, rf"k\.zkey.*{name}")
        elif curve is BLS12_381:
            key_with(sections, {2: patched(head, at, point_bytes(curve, off_group(curve)))})
            refused(f"{title}: {name} of another order", UNUSABLE, rf"k\.zkey.*{name}")
    for name in ("beta1", "delta1"):
        key_with(sections, {2: patched(head, places[name][0], point_bytes(curve, mul(curve.f1, curve.g1, 99)))})
        refused(f"{title}: {name} that does not belong to its partner in G2", UNUSABLE, rf"k\.zkey.*{name}")
    # Without blinding: beta1, delta1 and section 6 at infinity make pi_a a function of the witness.
    stripped = patched(patched(head, places["beta1"][0], infinity1), places["delta1"][0], infinity1)
    key_with(sections, {2: stripped, 6: bytes(len(by_id[6]))})
    refused(f"{title}: blinding removed", UNUSABLE, r"k\.zkey.*(beta1|delta1)")
    key_with(sections, {2: patched(head, places["delta2"][0], head[places["gamma2"][0] : places["gamma2"][0] + g2])})
    refused(f"{title}: delta2 = gamma2 alone", UNUSABLE, r"k\.zkey.*delta")
    undone = setup(circuit, **{**TRAPDOOR, "delta": 1})
    p.write("k.zkey", container(b"zkey", 1, zkey_sections(curve, undone)))
    refused(f"{title}: gamma = delta, no second phase", UNUSABLE, r"k\.zkey.*(development|delta)")
    for number in (5, 6, 7, 8, 9):
        size, wrong = (g2, wrong2) if number == 7 else (g1, wrong1)
        body = by_id[number]
        used = (3 if number in (5, 6, 7) else 0) * size  # of wire 3 (a) in A; wires 3.. in C; the first in H
        used = next(i for i in range(0, len(body), size) if body[i : i + size] != bytes(size)) if number in (6, 7) else used
        key_with(sections, {number: patched(body, used, wrong)})
        refused(f"{title}: section {number}: a point off the curve", UNUSABLE, rf"k\.zkey.*section {number}\b")
        key_with(sections, {number: patched(body, used, b"\xff" * size)})
        refused(f"{title}: section {number}: a coordinate above q", UNUSABLE, rf"k\.zkey.*section {number}\b")
        shifted = mul(curve.f2, curve.g2, 5) if number == 7 else mul(curve.f1, curve.g1, 5)
        key_with(sections, {number: patched(body, used, point_bytes(curve, shifted))})
        refused(f"{title}: section {number}: another point", UNSATISFIED, "key|verify")
        key_with(sections, {number: patched(body, used, bytes(size))})
        refused(f"{title}: section {number}: infinity for a point", UNSATISFIED, "key|verify")
    key_with(sections, {7: patched(by_id[7], by_id[7].index(by_id[7].strip(b"\0")[:8]) // g2 * g2, foreign2)})
    refused(f"{title}: section 7: a point of another order", ANY, "k.zkey|key|verify")
    for i in range(3):
        key_with(sections, {3: patched(by_id[3], i * g1, infinity1)})
        refused(f"{title}: IC[{i}] at infinity", UNUSABLE, rf"k\.zkey.*IC.*{i}")
        key_with(sections, {3: patched(by_id[3], i * g1, wrong1)})
        refused(f"{title}: IC[{i}] off the curve", UNUSABLE, rf"k\.zkey.*IC.*{i}")

    # --- Circuits that do not belong ----------------------------------------------------------------------------------------------
    good_files()
    p.write("c.r1cs", r1cs_bytes(square_chain(curve, 4)[0]))
    refused(f"{title}: the circuit of another key", ANY, r"c\.r1cs|w\.wtns|constraint", "--r1cs", p.path("c.r1cs"))
    # A key for the same constraints that makes all wires public: with the true circuit at hand it is refused.
    open_circuit = Circuit(curve, circuit.n_wires, circuit.n_wires - 1, 0, 0, circuit.rows)
    p.write("k.zkey", container(b"zkey", 1, zkey_sections(curve, setup(open_circuit, **TRAPDOOR))))
    p.write("c.r1cs", r1cs_bytes(circuit))
    refused(f"{title}: a key that publishes the witness", UNUSABLE, r"c\.r1cs.*public values", "--r1cs", p.path("c.r1cs"))
    good_files()
    p.write("c.r1cs", r1cs_bytes(circuit)[:-40])
    refused(f"{title}: a circuit cut short", UNUSABLE, r"c\.r1cs", "--r1cs", p.path("c.r1cs"))

# --- Places to write, limits, usage (BN254) ---------------------------------------------------------------------------------------
curve = BN254
circuit, witness = many_publics(curve, 40)
w = witness(list(range(3, 43)))
key = setup(circuit, **TRAPDOOR)
p.write("k.zkey", container(b"zkey", 1, zkey_sections(curve, key)))
p.write("w.wtns", wtns_bytes(curve, w))
accepted("forty public values", curve, key, w[1:41])
p.refused("a folder that is not there", OUTPUT, "nowhere", "prove", p.path("k.zkey"), p.path("w.wtns"), p.path("nowhere/proof.json"), PUBLIC, leaves=(PUBLIC,))
p.refused("no place for the public values", OUTPUT, "nowhere", "prove", p.path("k.zkey"), p.path("w.wtns"), PROOF, p.path("nowhere/public.json"), leaves=(PROOF,))
p.refused("one file for both", PLACE, "proof.json", "prove", p.path("k.zkey"), p.path("w.wtns"), PROOF, PROOF, leaves=(PROOF,))
p.refused("the key as an output", PLACE, "k.zkey", "prove", p.path("k.zkey"), p.path("w.wtns"), p.path("k.zkey"), PUBLIC, leaves=(PUBLIC,))
p.check(os.path.getsize(p.path("k.zkey")) > 1000, "the key is still there")
refused("one byte of memory", MEMORY, "memory|MiB", "--memory", "1")
for options in (("--threads", "0x"), ("--memory", "lots"), ("--no-such-option",), ("--r1cs",)):
    p.check(p.run(*prove(*options)) == UNUSABLE and not os.path.exists(PROOF), f"usage: {options}")
p.check(p.run("prove") == UNUSABLE, "usage: no arguments")
p.check(p.run("no-such-command") == UNUSABLE, "usage: another command")
p.finish()
