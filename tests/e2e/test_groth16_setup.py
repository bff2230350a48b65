#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `assay groth16 setup`, `info`, `check-witness` and the exports: development keys are marked loudly and work; circuits that
# lie about themselves are refused before anything is allocated for them; keys, witnesses and proofs that are cut or replaced
# while a program reads them do no harm.
# ctest: labels nosan
# ctest: timeout 900
import json
import os
import random
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), x) for x in ("support", "reference")]
from groth16_curves import BLS12_381, BN254, mul, off_group  # noqa: E402
from groth16_files import (Circuit, container, many_publics, multiply_add, point_bytes, points_bytes, ptau_sections, r1cs_bytes, r1cs_sections, read_container,  # noqa: E402
                           read_proof, read_vkey, square_chain, u32, wtns_bytes, zkey_bytes, zkey_sections)
from groth16_program import ASSAY, DONE, NO, OUTPUT, UNUSABLE, Program  # noqa: E402
from groth16_reference import setup, verify  # noqa: E402

p = Program()
CIRCUIT, WITNESS, KEY, VKEY = p.path("c.r1cs"), p.path("w.wtns"), p.path("k.zkey"), p.path("v.json")
PROOF, PUBLIC = p.path("proof.json"), p.path("public.json")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def patched(data, at, new):
    return data[:at] + new + data[at + len(new) :]


def files(circuit, w):
    p.write("c.r1cs", r1cs_bytes(circuit))
    p.write("w.wtns", wtns_bytes(circuit.curve, w))


# --- Development keys: on both curves, for circuits of every odd shape, all the way to the reference's verifier -----------------
def empty_circuit(curve):
    return Circuit(curve, 2, 0, 1, 0, []), lambda: [1, 7]


def unused_wires(curve):
    return Circuit(curve, 9, 1, 1, 2, [({2: 1}, {2: 1}, {1: 1})]), lambda: [1, 9, 3, 4, 5, 6, 7, 8, curve.r - 1]


for curve in (BN254, BLS12_381):
    for what, (circuit, witness), given in (
        ("two constraints", multiply_add(curve), (3, 11, 7)),
        ("one constraint", square_chain(curve, 1), (5,)),
        ("no public values", square_chain(curve, 3, n_public=0), (5,)),
        ("two hundred public values", many_publics(curve, 200), (list(range(2, 202)),)),
        ("no constraints", empty_circuit(curve), ()),
        ("wires in no constraint", unused_wires(curve), ()),
        ("a domain that is just full", square_chain(curve, 62), (9,)),
    ):
        title = f"{curve.name}: {what}"
        w = witness(*given)
        files(circuit, w)
        p.works(title, "setup", CIRCUIT, "-o", KEY)
        p.check("INSECURE" in p.err, title, "no loud word on the insecure key")
        sections = read_container(read(KEY), b"zkey")
        p.check(any(b"INSECURE" in s or b"insecure" in s for s in sections.values()), title, "no mark in the file")
        p.works(title, "info", KEY)
        p.check("development" in p.out.lower(), title, "info does not say that it is a development key")
        p.works(title, "export-vkey", KEY, VKEY)
        p.works(title, "prove", KEY, WITNESS, PROOF, PUBLIC, "--r1cs", CIRCUIT)
        with open(PUBLIC) as f:
            publics = [int(x) for x in json.load(f)]
        p.check(publics == w[1 : 1 + circuit.n_public], title, "public values")
        p.works(title, "verify", VKEY, PUBLIC, PROOF)
        if len(publics) < 10:
            p.check(verify(curve, read_vkey(VKEY), publics, read_proof(PROOF)), title, "the reference does not accept the proof")
        p.works(title, "check-witness", CIRCUIT, WITNESS)
        before = read(KEY)
        p.works(title, "setup", CIRCUIT, "-o", KEY)
        p.check(before != read(KEY), title, "two development keys are equal")
        print(f"ok: {title}")

# --- Powers of tau: the key is the reference's, section by section, whether the file is just large enough or larger --------------
os.remove(PROOF)
os.remove(PUBLIC)
POWERS = dict(tau=31415926, alpha=2718, beta=1414)
for curve in (BN254, BLS12_381):
    circuit, witness = multiply_add(curve)
    files(circuit, witness(3, 11, 7))
    for power in (3, 4):
        p.write("t.ptau", container(b"ptau", 1, ptau_sections(curve, power, **POWERS)))
        p.works(f"{curve.name}: power {power}", "setup", CIRCUIT, p.path("t.ptau"), "-o", KEY)
        p.check("INSECURE" not in p.err, "powers of tau: called insecure")
        want = dict(zkey_sections(curve, setup(circuit, delta=1, drop_top=power == 3, **POWERS)))
        got = read_container(read(KEY), b"zkey")
        for number in range(1, 10):
            p.check(got[number] == want[number], f"{curve.name}: power {power}: section {number} is not the reference's")
    p.refused(f"{curve.name}: a key without a contribution", UNUSABLE, "delta|development", "prove", KEY, WITNESS, PROOF, PUBLIC, leaves=(PROOF, PUBLIC))
    p.works("asked for", "prove", KEY, WITNESS, PROOF, PUBLIC, "--development")
    os.remove(PROOF)
    os.remove(PUBLIC)
    os.remove(KEY)
    good = dict(ptau_sections(curve, 3, **POWERS))

    def bad_tau(what, pattern, data):
        p.write("t.ptau", data)
        p.refused(f"{curve.name}: powers of tau: {what}", UNUSABLE, pattern, "setup", CIRCUIT, p.path("t.ptau"), "-o", KEY, leaves=(KEY,))

    def tau_with(**changes):
        return container(b"ptau", 1, list((good | {int(k[1:]): v for k, v in changes.items()}).items()))

    two1 = points_bytes(curve, [mul(curve.f1, curve.g1, 2)])
    bad_tau("too few for the circuit", r"c\.r1cs.*\(3, 2\)", container(b"ptau", 1, ptau_sections(curve, 2, **POWERS)))
    bad_tau("not prepared", r"t\.ptau.*prepare", container(b"ptau", 1, ptau_sections(curve, 3, prepared=False, **POWERS)))
    other = BLS12_381 if curve is BN254 else BN254
    bad_tau("of the other curve", r"t\.ptau.*curve", container(b"ptau", 1, ptau_sections(other, 3, **POWERS)))
    bad_tau("cut", r"t\.ptau", tau_with()[:-7])
    bad_tau("power 31", r"t\.ptau", tau_with(s1=good[1][:-8] + u32(31) + u32(31)))
    bad_tau("power 2^32 - 1", r"t\.ptau", tau_with(s1=good[1][:-8] + u32(2**32 - 1) + u32(2**32 - 1)))
    bad_tau("section 12 short of a point", r"t\.ptau.*section 12", tau_with(s12=good[12][len(two1) :]))
    bad_tau("tau begins with 2", r"t\.ptau.*section 2", tau_with(s2=two1 + good[2][len(two1) :]))
    bad_tau("beta differs", r"t\.ptau.*beta", tau_with(s5=two1 + good[5][len(two1) :]))
    bad_tau("a point off the curve", r"t\.ptau.*section 12.*curve", tau_with(s12=good[12][:-1] + bytes([good[12][-1] ^ 1])))
    bad_tau("a point of another order", r"t\.ptau.*section 13", tau_with(s13=good[13][: -4 * curve.n8q] + point_bytes(curve, off_group(curve, True))))
    bad_tau("alpha at infinity", r"t\.ptau.*section 4", tau_with(s4=bytes(len(two1)) + good[4][len(two1) :]))

# --- info prints no value of a witness; JSON is JSON ----------------------------------------------------------------------------
circuit, witness = multiply_add(BN254)
secret = 31415926535897932384626433832795
w = witness(secret, 11, 7)
files(circuit, w)
p.works("a key", "setup", CIRCUIT, "-o", KEY)
for path in (CIRCUIT, WITNESS, KEY):
    p.works("info", "info", path)
    p.check(str(secret) not in p.out and f"{secret:x}" not in p.out, "info prints no value")
    p.works("info --json", "info", path, "--json")
    p.check(isinstance(json.loads(p.out.splitlines()[-1]), dict), "info --json")
good = read(KEY)
at = good.rindex(read_container(good, b"zkey")[10])
p.write("k.zkey", patched(good, at + 64, u32(2**20)))
for options in ((), ("--json",)):
    p.refused("info: a bad section 10", UNUSABLE, "k.zkey: section 10", "info", KEY, *options)
    if options:
        p.check("section 10" in json.loads(p.out)["error"], "one object on standard output")
    else:
        p.check(p.out == "", "nothing on standard output before the key is known to be good")
p.write("k.zkey", good)
red = p.path("red\x1b[31m.r1cs")
with open(red, "wb") as f:
    f.write(r1cs_bytes(circuit))
p.works("info: a name with control characters", "info", red)
p.check("red?[31m.r1cs: circuit" in p.out and "\x1b" not in p.out, "the name is not printed as it is")
p.works("prove: a name with control characters", "prove", KEY, WITNESS, red + ".json", PUBLIC)
p.check("red?[31m.r1cs.json: proved" in p.out and "\x1b" not in p.out, "the name is not printed as it is")
p.works("setup: a name with control characters", "setup", CIRCUIT, "-o", red + ".zkey")
p.check("red?[31m.r1cs.zkey: an INSECURE" in p.out and "\x1b" not in p.out, "the name is not printed as it is")
os.remove(PUBLIC)
for name in ("", ".json", ".zkey"):
    os.remove(red + name)
p.refused("prove: an output without a name", UNUSABLE, "output: its name is empty", "prove", KEY, WITNESS, PROOF, "", leaves=(PROOF,))
p.write("w.wtns", wtns_bytes(BN254, w[:5] + [w[5] + 1]))
p.invalid("check-witness: a wrong product", "constraint 0", "check-witness", CIRCUIT, WITNESS)
p.check(str(secret) not in p.out, "check-witness prints no value")
p.write("c.sym", "1,1,0,main.out\n2,2,0,main.c\n3,3,0,main.a\n4,4,0,main.b\n5,5,0,main.product\n6,-1,0,main.gone\n")
p.invalid("check-witness: with names", "main.product", "check-witness", CIRCUIT, WITNESS, "--sym", p.path("c.sym"))
for what, sym in (("no numbers", "a,b,c,d\n"), ("a line cut", "1,1"), ("wire too large", "1,99999999999999999999,0,main.x\n"), ("binary", b"\0\xff\n" * 50)):
    p.write("c.sym", sym)
    p.check(p.run("check-witness", CIRCUIT, WITNESS, "--sym", p.path("c.sym")) in (NO, UNUSABLE), f"names: {what}")
p.write("c.sym", "1,5,0,main.\x1b[31mred\n")
p.run("check-witness", CIRCUIT, WITNESS, "--sym", p.path("c.sym"))
p.check("\x1b" not in p.out + p.err, "names: control characters are not printed")

# --- Circuits that lie ----------------------------------------------------------------------------------------------------------
os.remove(KEY)
for curve in (BN254, BLS12_381):
    circuit, witness = multiply_add(curve)
    sections = r1cs_sections(circuit)
    by_id = dict(sections)
    head, body = by_id[1], by_id[2]
    counts = 36  # n_wires, n_outputs, n_inputs, n_private, u64 n_labels, n_constraints

    def lying(what, data, pattern=r"c\.r1cs"):
        p.write("c.r1cs", data)
        p.refused(f"{curve.name}: circuit: {what}", UNUSABLE, pattern, "setup", CIRCUIT, "-o", KEY, leaves=(KEY,))

    def with_sections(changes, order=(1, 2, 3), version=1):
        new = dict(sections) | changes
        return container(b"r1cs", version, [(n, new[n]) for n in order])

    whole = r1cs_bytes(circuit)
    p.write("c.r1cs", with_sections({}, order=(3, 2, 1)))
    p.works("sections in another order", "setup", CIRCUIT, "-o", KEY)
    p.write("c.r1cs", with_sections({77: b"what is this"}, order=(77, 2, 1, 3)))
    p.works("an unknown section", "setup", CIRCUIT, "-o", KEY)
    os.remove(KEY)
    rng = random.Random(3)
    for cut in sorted({0, 4, 11, 12, len(whole) - 1} | {rng.randrange(len(whole)) for _ in range(15)}):
        lying(f"cut to {cut} bytes", whole[:cut])
    for number in (1, 2):
        lying(f"no section {number}", with_sections({}, order=[n for n in (1, 2, 3) if n != number]))
        lying(f"section {number} twice", with_sections({}, order=(1, 2, 3, number)))
    lying("version 2", with_sections({}, version=2))
    lying("custom gates", with_sections({4: u32(1), 5: u32(0)}, order=(1, 2, 3, 4, 5)))
    for what, at, n in (("0 wires", 0, 0), ("1 wire", 0, 1), ("5 wires of 6", 0, 5), ("2^32 - 1 wires", 0, 2**32 - 1), ("9 outputs", 4, 9),
                        ("2^32 - 1 outputs", 4, 2**32 - 1), ("2^32 - 1 inputs", 8, 2**32 - 1), ("2^31 private inputs", 12, 2**31),
                        ("1 constraint of 2", 24, 1), ("3 constraints of 2", 24, 3), ("2^32 - 1 constraints", 24, 2**32 - 1), ("2^28 constraints", 24, 2**28)):
        lying(what, with_sections({1: patched(head, counts + at, u32(n))}))
    lying("outputs + inputs beyond 2^32", with_sections({1: patched(patched(head, counts + 4, u32(2**31)), counts + 8, u32(2**31))}))
    lying("another prime", with_sections({1: patched(head, 4, bytes([head[4] ^ 2]))}))
    for n in (0, 8, 2**32 - 1):
        lying(f"a prime of {n} bytes", with_sections({1: patched(head, 0, u32(n))}))
    lying("a combination of 2^32 - 1 terms", with_sections({2: patched(body, 0, u32(2**32 - 1))}))
    lying("a combination longer than the section", with_sections({2: patched(body, 0, u32(7))}))
    lying("a wire that is not there", with_sections({2: patched(body, 4, u32(6))}))
    lying("wire 2^32 - 1", with_sections({2: patched(body, 4, u32(2**32 - 1))}))
    lying("a coefficient of r", with_sections({2: patched(body, 8, curve.r.to_bytes(32, "little"))}))
    lying("a coefficient of 2^256 - 1", with_sections({2: patched(body, 8, b"\xff" * 32)}))
    lying("section 2 long by a byte", with_sections({2: body + b"\0"}))
    lying("a witness for a circuit", wtns_bytes(curve, witness(1, 2, 3)))
files(circuit, witness(3, 11, 7))
p.refused("setup: no circuit", UNUSABLE, "nothing.r1cs", "setup", p.path("nothing.r1cs"), "-o", KEY, leaves=(KEY,))
p.refused("setup: no powers of tau", UNUSABLE, "nothing.ptau", "setup", CIRCUIT, p.path("nothing.ptau"), "-o", KEY, leaves=(KEY,))
p.refused("setup: a circuit for powers of tau", UNUSABLE, "c.r1cs|ptau", "setup", CIRCUIT, CIRCUIT, "-o", KEY, leaves=(KEY,))
p.refused("setup: no such folder", OUTPUT, "nowhere", "setup", CIRCUIT, "-o", p.path("nowhere/k.zkey"))
p.refused("setup: over the circuit", (UNUSABLE, OUTPUT), "c.r1cs", "setup", CIRCUIT, "-o", CIRCUIT)
p.write("t.ptau", container(b"ptau", 1, ptau_sections(BN254, 3, **POWERS)))
p.refused("setup: over the powers of tau", (UNUSABLE, OUTPUT), "t.ptau", "setup", CIRCUIT, p.path("t.ptau"), "-o", p.path("t.ptau"))
p.check(read(p.path("t.ptau")) == container(b"ptau", 1, ptau_sections(BN254, 3, **POWERS)), "the powers of tau are still there")
p.check(read(CIRCUIT) == r1cs_bytes(circuit), "the circuit is still there")
p.check(p.run("setup", CIRCUIT) == UNUSABLE, "usage: no place for the key")

# --- Files that change while they are read ---------------------------------------------------------------------------------------
circuit, witness = square_chain(BN254, 4000)
files(circuit, witness(3))
p.works("a larger circuit", "setup", CIRCUIT, "-o", KEY)
p.works("its verification key", "export-vkey", KEY, VKEY)
key = read(KEY)
rng = random.Random(11)
seen = set()
start = time.monotonic()
p.works("a larger proof", "prove", KEY, WITNESS, PROOF, PUBLIC)
whole = time.monotonic() - start
for trial in range(200):
    if trial >= 16 and seen != {0}:  # on a busy machine it takes more than 16 to meet the prover while it reads
        break
    p.write("k.zkey", key)
    for path in (PROOF, PUBLIC):
        if os.path.exists(path):
            os.remove(path)
    child = subprocess.Popen([ASSAY, "groth16", "prove", KEY, WITNESS, PROOF, PUBLIC], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(rng.random() * whole)
    if trial % 2:
        os.truncate(KEY, rng.randrange(len(key)))
    else:
        with open(KEY, "r+b") as f:
            f.seek(len(key) // 3)
            f.write(os.urandom(len(key) // 2))
    err = child.communicate()[1].decode("utf-8", "replace")
    p.code, p.out, p.err = child.returncode, "", err
    p.check(child.returncode in (0, UNUSABLE, 9), f"a key that changes under the prover, trial {trial}", "another end")
    p.check((child.returncode == 0) == os.path.exists(PROOF) == os.path.exists(PUBLIC), f"trial {trial}: files and exit code disagree")
    if child.returncode == 0:
        p.works(f"trial {trial}: the proof that was written", "verify", VKEY, PUBLIC, PROOF)
    seen.add(child.returncode)
print(f"ok: a key that changes under the prover: exit codes {sorted(seen)}")
p.check(seen != {0}, "no trial caught the prover at work")

# --- Exports ------------------------------------------------------------------------------------------------------------------------
p.write("k.zkey", key)
for path in (PROOF, PUBLIC):
    p.check(p.run("prove", KEY, WITNESS, PROOF, PUBLIC) == DONE, "prove")
p.works("calldata", "export-calldata", PUBLIC, PROOF)
call = json.loads("[" + p.out + "]")
proof, publics = json.load(open(PROOF)), json.load(open(PUBLIC))
number = lambda x: int(x, 16)  # noqa: E731
p.check([[number(x) for x in call[0]], [number(x) for x in call[2]], [number(x) for x in call[3]]]
        == [[int(x) for x in proof["pi_a"][:2]], [int(x) for x in proof["pi_c"][:2]], [int(x) for x in publics]], "calldata: A, C, public values")
p.check([[number(x) for x in pair] for pair in call[1]] == [[int(pair[1]), int(pair[0])] for pair in proof["pi_b"][:2]], "calldata: B, components swapped")
p.works("verification key to standard output", "export-vkey", KEY)
p.check(json.loads(p.out) == json.load(open(VKEY)), "the same on standard output")
circuit, witness = multiply_add(BLS12_381)
files(circuit, witness(3, 11, 7))
p.works("a key on BLS12-381", "setup", CIRCUIT, "-o", KEY)
p.works("a proof on BLS12-381", "prove", KEY, WITNESS, PROOF, PUBLIC)
p.refused("calldata for BLS12-381", UNUSABLE, "BN254|curve", "export-calldata", PUBLIC, PROOF)
p.finish()
