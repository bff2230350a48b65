#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Groth16 against the tools that others use: circom, snarkjs, @noble/curves, and the keys that two npm packages ship. Proofs
and keys go both ways on both curves; keys made from the same powers of tau are equal byte for byte. Packages come from the
npm registry.
ctest: labels interop
ctest: timeout 1800

    test_groth16.py [NAME...]    only these parts: bn128 bls12381 rln unirep
"""
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
CACHE = os.path.join(BUILD, "interop", "groth16")
TOOLS = os.path.join(CACHE, "tools")
ASSAY = os.path.join(os.environ.get("ASSAY_BIN", os.path.join(BUILD, "bin")), "assay")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from groth16_files import read_container, read_r1cs, read_wtns, wtns_bytes  # noqa: E402

CIRCUIT = """pragma circom 2.0.0;
%(include)s
template Small() {
    signal input a; signal input b; signal input secret[3];
    signal output product; signal output sum;
    signal bits[40]; signal left[41]; signal power[4];
    var rest = 0;
    for (var i = 0; i < 40; i++) {
        bits[i] <-- (secret[0] >> i) & 1;
        bits[i] * (bits[i] - 1) === 0;
        rest += bits[i] * (1 << i);
    }
    rest === secret[0];
    power[0] <== secret[1] * secret[2];
    for (var i = 0; i < 3; i++) { power[i + 1] <== power[i] * power[i] + a; }
    product <== power[3] * b;
    %(rest)s
}
component main {public [a, b]} = Small();
"""
INPUT = {"a": "3", "b": "12345678901234567890123456789", "secret": ["1099511627775", "99", "-7"]}
CIRCUITS = {
    "bn128": dict(include='include "./circomlib/circuits/poseidon.circom";', power=10,
                  rest="component h = Poseidon(2); h.inputs[0] <== a; h.inputs[1] <== secret[1]; sum <== h.out;"),
    "bls12381": dict(include="", power=6, rest="sum <== a + b + secret[0];"),
}
passed = 0


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def run(*command, cwd=None, code=0):
    done = subprocess.run([str(x) for x in command], capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        sys.exit(f"FAILED: exit code {done.returncode}, not {code}: {' '.join(map(str, command))}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def check(good, what):
    global passed
    if not good:
        sys.exit(f"FAILED: {what}")
    passed += 1
    print(f"ok: {what}")


def assay(*args, code=0):
    return run(ASSAY, "groth16", *args, code=code)


def snarkjs(*args, code=0):
    return run("node", os.path.join(TOOLS, "node_modules/snarkjs/build/cli.cjs"), *args, code=code)


def accepted_by_all(what, vkey, publics, proof):
    check(snarkjs("groth16", "verify", vkey, publics, proof).rstrip().endswith("OK!"), f"{what}: accepted by snarkjs")
    check(run("node", os.path.join(TOOLS, "noble_verify.mjs"), vkey, publics, proof).split()[-1] == "OK", f"{what}: accepted by @noble/curves")
    check(assay("verify", vkey, publics, proof).splitlines()[-1] == "OK", f"{what}: accepted by us")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def both_ways(what, zkey, wtns, folder, *options):
    """A proof by each prover with the key, accepted by all; both verification keys say the same."""
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    assay("export-vkey", zkey, at("vkey.json"), *options)
    snarkjs("zkey", "export", "verificationkey", zkey, at("vkey_snarkjs.json"))
    ours = json.loads(read(at("vkey.json")))
    check(ours.pop("assay_development_key", False) == ("development" in what), f"{what}: the mark of a development key")
    check(json.dumps(ours, indent=1) == read(at("vkey_snarkjs.json")).decode().strip(), f"{what}: verification key equal to snarkjs's, byte for byte")
    assay("prove", zkey, wtns, at("proof.json"), at("public.json"), *options)
    accepted_by_all(f"{what}: our proof", at("vkey.json"), at("public.json"), at("proof.json"))
    snarkjs("groth16", "prove", zkey, wtns, at("proof_snarkjs.json"), at("public_snarkjs.json"))
    accepted_by_all(f"{what}: snarkjs's proof", at("vkey_snarkjs.json"), at("public_snarkjs.json"), at("proof_snarkjs.json"))
    check(read(at("public.json")) == read(at("public_snarkjs.json")), f"{what}: public values equal, byte for byte")
    for name in ("proof.json", "public.json"):
        check(json.dumps(json.loads(read(at(name))), indent=1) == read(at(name)).decode(), f"{what}: {name} as snarkjs lays it out")


def compile_circuit(curve, folder):
    if not os.path.exists(os.path.join(folder, "small.wtns")):
        shutil.copytree(os.path.join(TOOLS, "node_modules/circomlib"), os.path.join(folder, "circomlib"), dirs_exist_ok=True)
        with open(os.path.join(folder, "small.circom"), "w") as f:
            f.write(CIRCUIT % CIRCUITS[curve])
        with open(os.path.join(folder, "input.json"), "w") as f:
            json.dump(INPUT, f)
        run(os.path.join(TOOLS, "node_modules/.bin/circom2"), "small.circom", "-p", curve, "--r1cs", "--wasm", "--sym", cwd=folder)
        run("node", "small_js/generate_witness.js", "small_js/small.wasm", "input.json", "small.wtns.part", cwd=folder)
        os.rename(os.path.join(folder, "small.wtns.part"), os.path.join(folder, "small.wtns"))


def powers_of_tau(curve, power, folder):
    path = os.path.join(folder, f"tau_{power}.ptau")
    if not os.path.exists(path):
        new, one = path + ".new", path + ".one"
        snarkjs("powersoftau", "new", curve, power, new)
        snarkjs("powersoftau", "contribute", new, one, "--name=first", "-e=some words")
        snarkjs("powersoftau", "prepare", "phase2", one, path + ".part")
        os.rename(path + ".part", path)
    return path


def part_curve(curve):
    folder = os.path.join(CACHE, curve)
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    compile_circuit(curve, folder)
    ptau = powers_of_tau(curve, CIRCUITS[curve]["power"], folder)
    circuit, w = read_r1cs(read(at("small.r1cs"))), read_wtns(read(at("small.wtns")))
    check(circuit.violated(w) is None and len(circuit.rows) > 40, f"{curve}: {len(circuit.rows)} constraints, witness by circom")

    # The witness: circom's is good, a wrong one is bad for both programs.
    check(assay("check-witness", at("small.r1cs"), at("small.wtns")).splitlines()[-1] == "OK", f"{curve}: check-witness accepts")
    snarkjs("wtns", "check", at("small.r1cs"), at("small.wtns"))
    w[-1] ^= 1
    with open(at("wrong.wtns"), "wb") as f:
        f.write(wtns_bytes(circuit.curve, w))
    first = circuit.violated(w)
    said = assay("check-witness", at("small.r1cs"), at("wrong.wtns"), "--sym", at("small.sym"), code=1).splitlines()[-1]
    check(said.startswith("INVALID: ") and f"constraint {first}" in said, f"{curve}: check-witness: {said}")
    snarkjs("wtns", "check", at("small.r1cs"), at("wrong.wtns"), code=1)

    # Keys from the same powers of tau.
    assay("setup", at("small.r1cs"), ptau, "-o", at("ours.zkey"))
    snarkjs("groth16", "setup", at("small.r1cs"), ptau, at("snarkjs.zkey"))
    ours, theirs = (read_container(read(at(name)), b"zkey") for name in ("ours.zkey", "snarkjs.zkey"))
    for number in range(1, 10):
        check(ours[number] == theirs[number], f"{curve}: section {number} of the key equals that of snarkjs ({len(theirs[number])} bytes)")
    check(read(at("ours.zkey")) == read(at("snarkjs.zkey")), f"{curve}: so does the whole file, with the hash of the circuit")
    check("ZKey Ok!" in snarkjs("zkey", "verify", at("small.r1cs"), ptau, at("ours.zkey")), f"{curve}: snarkjs zkey verify accepts our key")
    snarkjs("zkey", "contribute", at("ours.zkey"), at("final.zkey"), "--name=second", "-e=other words")
    check("ZKey Ok!" in snarkjs("zkey", "verify", at("small.r1cs"), ptau, at("final.zkey")), f"{curve}: and a contribution to it")
    both_ways(f"{curve}: contributed key", at("final.zkey"), at("small.wtns"), folder)
    assay("prove", at("final.zkey"), at("wrong.wtns"), at("never.json"), at("never_public.json"), code=9)
    check(not os.path.exists(at("never.json")), f"{curve}: no proof from a wrong witness")

    # A key without a contribution is a development key: said, and to be asked for.
    check("development" in assay("info", at("ours.zkey")), f"{curve}: info says that the key has no contribution")

    # Our development key.
    assay("setup", at("small.r1cs"), "-o", at("development.zkey"))
    both_ways(f"{curve}: our development key", at("development.zkey"), at("small.wtns"), folder)

    if curve == "bn128":
        calldata = snarkjs("zkey", "export", "soliditycalldata", at("public.json"), at("proof.json")).strip()
        check(assay("export-calldata", at("public.json"), at("proof.json")).strip() == calldata, f"{curve}: calldata equals that of snarkjs")


def package(name, version):
    folder = os.path.join(CACHE, "packages")
    path = os.path.join(folder, "node_modules", name)
    if not os.path.isdir(path):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w") as f:
            f.write('{"private": true}')
        done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", f"{name}@{version}"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"{name}: the npm registry does not answer")
    return path


def shipped(what, zkey, wasm, vkey, given):
    """A shipped key proves and its shipped verification key accepts; the witness comes from the shipped program."""
    folder = os.path.join(CACHE, what)
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    with open(at("input.json"), "w") as f:
        json.dump(given, f)
    snarkjs("wtns", "calculate", wasm, at("input.json"), at("w.wtns"))
    both_ways(what, zkey, at("w.wtns"), folder)
    accepted_by_all(f"{what}: our proof under the shipped verification key", vkey, at("public.json"), at("proof.json"))


def part_rln():
    at = os.path.join(package("@waku/rln", "0.0.13"), "dist/resources")
    vkey = os.path.join(CACHE, "rln_vkey.json")
    # The package has its key as a program: `const verificationKey = {...}; export default verificationKey;`
    with open(os.path.join(at, "verification_key.js")) as f:
        value = json.JSONDecoder().raw_decode(f.read().split("=", 1)[1].lstrip())[0]
    with open(vkey, "w") as f:
        json.dump(value, f)
    shipped("rln", os.path.join(at, "rln_final.zkey"), os.path.join(at, "rln.wasm"), vkey,
            {"identity_secret": "123456789", "path_elements": [str(1000 + i) for i in range(20)], "identity_path_index": [i % 2 for i in range(20)],
             "x": "42", "epoch": "7", "rln_identifier": "99"})


def part_unirep():
    at = os.path.join(package("@unirep/circuits", "2.0.0"), "zksnarkBuild")
    common = {"attester_id": "219090124810", "epoch": "1", "identity_secret": "888888", "chain_id": "31337"}
    for name, more in (("signup", {}), ("epochKeyLite", {"reveal_nonce": "0", "nonce": "1", "sig_data": "696969"})):
        shipped("unirep_" + name, *(os.path.join(at, f"{name}.{ending}") for ending in ("zkey", "wasm", "vkey.json")), dict(common, **more))


def main():
    if not os.access(ASSAY, os.X_OK):
        skip(f"{ASSAY} is not built")
    os.makedirs(CACHE, exist_ok=True)
    done = subprocess.run([os.path.join(ROOT, "bench/groth16/tools.sh"), TOOLS], capture_output=True, text=True)
    if done.returncode == 77:
        skip(done.stderr.strip().splitlines()[-1].removeprefix("skipped: "))
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    shutil.copy(os.path.join(ROOT, "tests/interop/groth16/noble_verify.mjs"), TOOLS)
    parts = {"bn128": lambda: part_curve("bn128"), "bls12381": lambda: part_curve("bls12381"), "rln": part_rln, "unirep": part_unirep}
    for name in sys.argv[1:] or parts:
        parts[name]()
    print(f"{passed} passed, 0 failed")


main()
