#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# What verifiers of others accept and must not, against `assay groth16 verify`: aliases of public values and coordinates,
# shortened arrays, ignored fields, points off the curve or of another order, keys without a second phase; and files that are
# no JSON. A proof or public values that do not hold give INVALID and exit code 1; a key that cannot be used, 2.
# ctest: labels nosan
# ctest: timeout 900
import copy
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), x) for x in ("support", "reference")]
from groth16_curves import BLS12_381, BN254, mul, neg, off_curve, off_group  # noqa: E402
from groth16_files import json1, json2, multiply_add, proof_json, square_chain, vkey_json  # noqa: E402
from groth16_program import DONE, NO, UNUSABLE, Program  # noqa: E402
from groth16_reference import prove, setup  # noqa: E402

p = Program()
FILES = [p.path("vkey.json"), p.path("public.json"), p.path("proof.json")]
TRAPDOOR = dict(tau=1234567891011, alpha=2222, beta=3333, delta=4444)


def text(x):
    return x if isinstance(x, (str, bytes)) else json.dumps(x, indent=1)


def write(vkey, publics, proof):
    for path, x in zip(FILES, (vkey, publics, proof)):
        p.write(os.path.basename(path), text(x))


def changed(x, *way):
    """A copy with the last word of `way` put where the others point; no word after the way: the member is removed."""
    out = copy.deepcopy(x)
    at = out
    *steps, name, value = way
    for s in steps:
        at = at[s]
    if value is None:
        del at[name]
    else:
        at[name] = value
    return out


def is_ok(what):
    p.works(what, "verify", *FILES)
    p.check(p.out.splitlines()[-1] == "OK", what, "the last line is not OK")
    print(f"ok: {what}")


for curve in (BN254, BLS12_381):
    title, q, r = curve.name, curve.q, curve.r
    circuit, witness = multiply_add(curve)
    w = witness(r - 5, 1, 0)  # out = a + 5 = 0, c = 0: values that could be left out unseen
    key = setup(circuit, **TRAPDOOR)
    points = prove(curve, key, w, r=31337, s=4711)
    vkey, publics, proof = vkey_json(curve, key), [str(x) for x in w[1:3]], proof_json(curve, points)
    assert publics == ["0", "0"]
    a, b, c = points

    write(vkey, publics, proof)
    is_ok(f"{title}: a proof")
    write(json.dumps(vkey), json.dumps(publics) + "\n", json.dumps(proof))
    is_ok(f"{title}: files of one line")
    write(dict(vkey, vk_alphabeta_12=[], more={"x": [1, None, True, -1.5e3]}), publics, dict(proof, comment="\u00e9 \\ \""))
    is_ok(f"{title}: members that nobody asked for")
    write(vkey, publics, changed(proof, "curve", None))
    is_ok(f"{title}: a proof that names no curve, as rapidsnark writes it")
    write(vkey, publics, proof_json(curve, (neg(curve.f1, a), neg(curve.f2, b), c)))
    is_ok(f"{title}: -A, -B (Groth16 proofs can be altered; docs/groth16.md)")

    def invalid(what, pattern, new_publics=publics, new_proof=proof):
        write(vkey, new_publics, new_proof)
        p.invalid(f"{title}: {what}", pattern, "verify", *FILES)

    # --- Public values
    for what, value in (("1", "1"), ("+ r", str(r)), ("- r", str(-r)), ("-0", "-0"), ("00", "00"), ("+0", "+0"), ("hexadecimal", "0x0"), ("empty", ""),
                        ("blank before", " 0"), ("blank after", "0 "), ("a number that is not a string", 0), ("null", None), ("true", True),
                        ("an array", ["0"]), ("2^256", str(2**256)), ("10^5000", "1" + "0" * 5000), ("a point for zero", "0.0"), ("exponent", "0e0")):
        new = [value, "0"]
        invalid(f"public value {what}", "public" if what != "1" else ".", new)
    invalid("last public value left out", "public|1.*2", publics[:1])
    invalid("no public values", "public|0.*2", [])
    invalid("one public value more", "public|3.*2", publics + ["0"])
    invalid("public values as an object", "public", {"0": "0", "1": "0"})

    # --- Proofs
    for name, two in (("pi_a", False), ("pi_b", True), ("pi_c", False)):
        as_json = json2 if two else json1
        f, g = (curve.f2, curve.g2) if two else (curve.f1, curve.g1)
        invalid(f"{name} missing", name, new_proof=changed(proof, name, None))
        invalid(f"{name} another point", ".", new_proof=dict(proof, **{name: as_json(mul(f, g, 77))}))
        invalid(f"{name} off the curve", name, new_proof=dict(proof, **{name: as_json(off_curve(curve, two))}))
        invalid(f"{name} at infinity", name, new_proof=dict(proof, **{name: as_json(None)}))
        if two or curve is BLS12_381:
            invalid(f"{name} of another order", name, new_proof=dict(proof, **{name: as_json(off_group(curve, two))}))
        if two:
            ways = [(name, 0, 0), (name, 0, 1), (name, 1, 0), (name, 1, 1)]
        else:
            ways = [(name, 0), (name, 1)]
        for way in ways:
            x = proof
            for step in way:
                x = x[step]
            invalid(f"{name}: coordinate + q", name, new_proof=changed(proof, *way, str(int(x) + q)))
            invalid(f"{name}: coordinate - q", name, new_proof=changed(proof, *way, str(int(x) - q)))
            invalid(f"{name}: coordinate with a zero before", name, new_proof=changed(proof, *way, "0" + x))
            invalid(f"{name}: coordinate abc", name, new_proof=changed(proof, *way, "abc"))
            invalid(f"{name}: coordinate as a number", name, new_proof=changed(proof, *way, 5))
        z = [(name, 2, 0), (name, 2, 1)] if two else [(name, 2)]
        for way in z:
            for value in ("7", "2", "01"):
                invalid(f"{name}: z = {value}", name, new_proof=changed(proof, *way, value))
        invalid(f"{name}: two coordinates", name, new_proof=dict(proof, **{name: proof[name][:2]}))
        invalid(f"{name}: four coordinates", name, new_proof=dict(proof, **{name: proof[name] + ["1"]}))
        invalid(f"{name}: a string", name, new_proof=dict(proof, **{name: "x"}))
        invalid(f"{name} twice", "twice", new_proof=json.dumps(proof)[:-1] + f', "{name}": ' + json.dumps(proof[name]) + "}")
    invalid("of another protocol", "protocol", new_proof=dict(proof, protocol="plonk"))
    invalid("without a protocol", "protocol", new_proof=changed(proof, "protocol", None))
    invalid("of the other curve", "curve", new_proof=dict(proof, curve=(BLS12_381 if curve is BN254 else BN254).json_name))
    invalid("of an unknown curve", "curve", new_proof=dict(proof, curve="bn1"))
    for what, new in (("empty", ""), ("not JSON", "proof"), ("an array", "[]"), ("cut", json.dumps(proof)[:-1]), ("more after it", json.dumps(proof) + "x"),
                      ("deep", "[" * 200000), ("deep objects", '{"a":' * 100000), ("a NUL", json.dumps(proof) + "\0"), ("no UTF-8", b'{"pi_a": "\xff\xfe"}'),
                      ("binary", bytes(range(256)) * 8), ("a lone surrogate", '{"\\ud800": 1}')):
        invalid(f"proof that is {what}", "proof.json", new_proof=new)
        if what != "empty object":
            invalid(f"public values that are {what}", "public.json", new_publics=new if what != "an array" else "{}")

    # --- One bit changed anywhere: never OK unless it says the same
    rng = random.Random(5)
    plain = json.dumps(proof).encode()
    for _ in range(150):
        i = rng.randrange(len(plain))
        flipped = plain[:i] + bytes([plain[i] ^ (1 << rng.randrange(8))]) + plain[i + 1 :]
        write(vkey, publics, flipped)
        code = p.run("verify", *FILES)
        try:
            same = {k: v for k, v in json.loads(flipped).items() if k in proof}
        except ValueError:
            same = None
        # Without a curve (rapidsnark writes none) that of the key is meant.
        p.check(code == NO or (code == DONE and same in (proof, {k: v for k, v in proof.items() if k != "curve"})),
                f"{title}: bit flipped in the proof at {i}", f"exit code {code}: {flipped!r}")

    # --- Keys
    def unusable(what, pattern, new_vkey):
        write(new_vkey, publics, proof)
        p.refused(f"{title}: key: {what}", UNUSABLE, rf"vkey\.json.*({pattern})", "verify", *FILES)

    for name, two in (("vk_alpha_1", False), ("vk_beta_2", True), ("vk_gamma_2", True), ("vk_delta_2", True)):
        as_json, word = json2 if two else json1, name.split("_")[1]
        unusable(f"{name} missing", word, changed(vkey, name, None))
        unusable(f"{name} at infinity", word, dict(vkey, **{name: as_json(None)}))
        unusable(f"{name} off the curve", word, dict(vkey, **{name: as_json(off_curve(curve, two))}))
        if two or curve is BLS12_381:
            unusable(f"{name} of another order", word, dict(vkey, **{name: as_json(off_group(curve, two))}))
    for i in range(3):
        unusable(f"IC[{i}] at infinity", "IC", changed(vkey, "IC", i, json1(None)))
        unusable(f"IC[{i}] off the curve", "IC", changed(vkey, "IC", i, json1(off_curve(curve))))
        unusable(f"IC[{i}] + q", "IC", changed(vkey, "IC", i, 0, str(int(vkey["IC"][i][0]) + q)))
    unusable("nPublic = 99", "nPublic|IC", dict(vkey, nPublic=99))
    unusable("nPublic = 1", "nPublic|IC", dict(vkey, nPublic=1))
    unusable("nPublic = -1", "nPublic", dict(vkey, nPublic=-1))
    unusable("nPublic = 2.5", "nPublic", dict(vkey, nPublic=2.5))
    unusable("IC empty", "IC", dict(vkey, IC=[]))
    unusable("IC missing", "IC", changed(vkey, "IC", None))
    unusable("protocol plonk", "protocol", dict(vkey, protocol="plonk"))
    unusable("unknown curve", "curve", dict(vkey, curve="bn129"))
    unusable("not JSON", ".", "key")
    unusable("empty", ".", "")
    # Other keys that anybody can forge under, whatever the public values.
    minus = lambda point: [point[0], [str(curve.q - int(c)) if int(c) else "0" for c in point[1]], point[2]]  # noqa: E731
    beta, gamma = vkey["vk_beta_2"], vkey["vk_gamma_2"]
    for name, member, value in (("beta = delta", "vk_delta_2", beta), ("beta = delta, or its negative", "vk_delta_2", minus(beta)),
                                ("beta = gamma", "vk_gamma_2", beta), ("gamma = -delta", "vk_delta_2", minus(gamma))):
        unusable(name, name, dict(vkey, **{member: value}))
    write(dict(vkey, vk_delta_2=vkey["vk_gamma_2"]), publics, proof)
    p.check(p.run("verify", *FILES) in (NO, UNUSABLE) and "OK" not in p.out, f"{title}: key without a second phase", "accepted")
    # Such a key has a proof for any public values: A = alpha, B = beta, C = -L.
    undone = setup(circuit, **{**TRAPDOOR, "delta": 1})
    total = mul(curve.f1, undone["ic"][0], 1)
    forged = proof_json(curve, (undone["alpha1"], undone["beta2"], neg(curve.f1, total)))
    write(vkey_json(curve, undone), publics, forged)
    p.check(p.run("verify", *FILES) in (NO, UNUSABLE) and "OK" not in p.out, f"{title}: the forgery for such a key", "accepted")

    # --- Odd but good: no public values
    none, make = square_chain(curve, 2, n_public=0)
    none_key = setup(none, **TRAPDOOR)
    none_proof = proof_json(curve, prove(curve, none_key, make(3), r=5, s=6))
    write(vkey_json(curve, none_key), [], none_proof)
    is_ok(f"{title}: no public values")
    write(vkey_json(curve, none_key), ["0"], none_proof)
    p.invalid(f"{title}: one where there are none", "public|1.*0", "verify", *FILES)

# --- Files that are not there, usage
write(vkey, publics, proof)
for i, path in enumerate(FILES):
    os.rename(path, path + "~")
    p.refused(f"no {os.path.basename(path)}", UNUSABLE, os.path.basename(path), "verify", *FILES)
    os.rename(path + "~", path)
p.refused("a folder for a proof", UNUSABLE, p.work, "verify", FILES[0], FILES[1], p.work)
p.check(p.run("verify", *FILES[:2]) == UNUSABLE, "usage: a file short")
p.check(p.run("verify", *FILES, "x") == UNUSABLE, "usage: a file more")
p.finish()
