#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# `assay groth16 verify --bellperson`: a small key and proof made here, good and spoilt; and Filecoin's official key of
# WinningPoSt for 2 KiB sectors with a recorded proof, where these files are at hand.
# ctest: labels nosan
# ctest: timeout 300
import hashlib
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), x) for x in ("support", "reference")]
from groth16_curves import BLS12_381, neg, off_group  # noqa: E402
from groth16_files import bellman_proof, bellman_vk, multiply_add, square_chain, zcash_bytes  # noqa: E402
from groth16_program import NO, ROOT, UNUSABLE, Program  # noqa: E402
from groth16_reference import prove, setup  # noqa: E402

p = Program()
FILES = [p.path("key.vk"), p.path("values"), p.path("proof")]
G1, G2 = 48, 96  # bytes of a compressed point


def write(*data):
    for path, x in zip(FILES, data):
        p.write(os.path.basename(path), x)


def accepted(what, *data):
    write(*data)
    p.works(what, "verify", "--bellperson", *FILES)
    p.check(p.out == "OK\n" and p.err == "", what, "not OK alone")
    p.works(what, "verify", "--bellperson", "--json", *FILES)
    p.check(json.loads(p.out) == {"verdict": "OK"}, what, "as JSON")
    print(f"ok: {what}")


def invalid(what, pattern, *data):
    write(*data)
    p.invalid(what, pattern, "verify", "--bellperson", *FILES)


def unusable(what, pattern, *data):
    write(*data)
    p.refused(what, UNUSABLE, r"key\.vk.*" + pattern, "verify", "--bellperson", *FILES)


def flipped(data, at, bit=1):
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


def values(xs):
    return b"".join(x.to_bytes(32, "little") for x in xs)


# --- A small circuit -------------------------------------------------------------------------------------------------------------
curve = BLS12_381
TRAPDOOR = dict(tau=1234567891011, alpha=2222, beta=3333, delta=4444)
circuit, witness = multiply_add(curve)
w = witness(3, 11, 7)
made = setup(circuit, **TRAPDOOR)
points = prove(curve, made, w, r=31337, s=4711)
key, publics, proof = bellman_vk(curve, made), w[1:3], bellman_proof(curve, points)
assert len(proof) == 192 and len(key) == 3 * 96 + 3 * 192 + 4 + 3 * 96
x = values(publics)
accepted("a proof", key, x, proof)
a, b, c = points
accepted("-A, -B", key, x, bellman_proof(curve, (neg(curve.f1, a), neg(curve.f2, b), c)))

invalid("another public value", "equation", key, values([publics[0] + 1, publics[1]]), proof)
invalid("public values exchanged", "equation", key, values(publics[::-1]), proof)
invalid("a public value + r", "values.*order", key, values([publics[0] + curve.r, publics[1]]), proof)
invalid("a public value of 2^256 - 1", "values.*order", key, x[:32] + b"\xff" * 32, proof)
invalid("a public value highest byte first", ".", key, x[:32][::-1] + x[32:], proof)
invalid("a public value too few", ".", key, x[:32], proof)
invalid("a public value too many", ".", key, x + bytes(32), proof)
invalid("no public values", ".", key, b"", proof)
for n in (1, 31, 33, 63, 65):
    invalid(f"{n} bytes of public values", r"values: .*whole values.*\(%d, 32\)" % n, key, (x + bytes(32))[:n], proof)
invalid("A changed for C", "equation", key, x, bellman_proof(curve, (c, b, c)))
invalid("-A alone", "equation", key, x, bellman_proof(curve, (neg(curve.f1, a), b, c)))
invalid("the sign of B", "equation", key, x, flipped(proof, G1, 32))
for name, at, two in (("a", 0, False), ("b", G1, True), ("c", G1 + G2, False)):
    n = G2 if two else G1
    wrong = zcash_bytes(curve, off_group(curve, two), compressed=True)
    invalid(f"{name} of another order", f"proof: {name}: ", key, x, proof[:at] + wrong + proof[at + n :])
    invalid(f"{name} at infinity", f"proof: {name}: ", key, x, proof[:at] + b"\xc0" + bytes(n - 1) + proof[at + n :])
    invalid(f"{name} without the flag", f"proof: {name}: ", key, x, flipped(proof, at, 128))
    invalid(f"{name} all ones", f"proof: {name}: ", key, x, proof[:at] + b"\xbf" + b"\xff" * (n - 1) + proof[at + n :])
for n in (0, 1, 191):
    invalid(f"a proof of {n} bytes", r"proof: .*length.*\(%d, 192\)" % n, key, x, proof[:n])
invalid("a proof in hexadecimal digits", "proof: .*length", key, x, proof.hex())
invalid("a byte after the proof", "proof: .*length", key, x, proof + b"\n")

for cut in (0, 1, 95, 100, 867, 868, len(key) - 1):
    unusable(f"a key cut to {cut} bytes", ".", key[:cut], x, proof)
unusable("a byte after the key", ".", key + b"\0", x, proof)
unusable("2^32 - 1 points announced", ".", key[:864] + b"\xff" * 4 + key[868:], x, proof)
unusable("a key off the curve", "alpha", flipped(key, 95), x, proof)
unusable("a key with a beta of another order", "beta", key[:192] + zcash_bytes(curve, off_group(curve, True)) + key[384:], x, proof)
undone = setup(circuit, **{**TRAPDOOR, "delta": 1})
write(bellman_vk(curve, undone), x, bellman_proof(curve, prove(curve, undone, w, r=5, s=6)))
p.check(p.run("verify", "--bellperson", *FILES) == NO and "INVALID: gamma = delta" in p.out, "a key without a second phase", "not refused")
p.works("such a key with --development", "verify", "--bellperson", "--development", *FILES)
p.check("INSECURE" in p.err, "such a key with --development", "no word of it")
unusable("JSON for a key", ".", "{}", x, proof)
write(key, x, proof)
p.refused("files of bellperson without the option", UNUSABLE, "key.vk", "verify", *FILES)
none, make = square_chain(curve, 2, n_public=0)
none_key = setup(none, **TRAPDOOR)
accepted("no public values", bellman_vk(curve, none_key), b"", bellman_proof(curve, prove(curve, none_key, make(3), r=5, s=6)))
os.remove(FILES[1])
p.refused("no such file", UNUSABLE, "values: no such file", "verify", "--bellperson", *FILES)

# --- Filecoin: 66 challenges of one sector of 64 leaves; public are for each the sector's commitment and the leaf asked for ----------
folder = os.path.join(os.environ.get("ASSAY_SHARED", os.path.join(ROOT, "..", "shared")), "vectors", "filecoin")
if os.path.exists(os.path.join(folder, "winning_2kib.vk")):
    with open(os.path.join(folder, "winning_2kib.vk"), "rb") as f:
        key = f.read()
    with open(os.path.join(folder, "winningpost_2kib_vector.json")) as f:
        record = json.load(f)
    proof, randomness = bytes.fromhex(record["proof_bytes_hex"]), bytes.fromhex(record["randomness_hex"])
    sealed = int.from_bytes(bytes.fromhex(record["sealed_cid_bytes_hex"])[-32:], "little")
    xs = []
    for i in range(66):
        digest = hashlib.sha256(randomness + struct.pack("<QQ", record["sector_number"], i)).digest()
        xs += [sealed, int.from_bytes(digest[:8], "little") % 64]
    accepted("Filecoin: WinningPoSt of 2 KiB", key, values(xs), proof)
    for i in (0, 1, 131):
        invalid(f"Filecoin: public value {i} changed", "equation", key, values(xs[:i] + [xs[i] ^ 1] + xs[i + 1 :]), proof)
    invalid("Filecoin: a public value left out", ".", key, values(xs[:-1]), proof)
    invalid("Filecoin: the sign of C", "equation", key, values(xs), flipped(proof, G1 + G2, 32))
    invalid("Filecoin: C for A", "equation", key, values(xs), proof[-G1:] + proof[G1:])
    unusable("Filecoin: a key off the curve", ".", flipped(key, len(key) - 1), values(xs), proof)
else:
    print(f"skipped: Filecoin's key and proof: not in {folder}")
p.finish()
