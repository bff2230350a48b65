#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout 600
"""The independent implementation of docs/protocol.md: its vectors come out as stored, its verifier accepts the stored proofs
(its own, and the C programs' of examples/accepted-proof/), and rejects altered ones and false statements.

    test_full_protocol.py        about a minute
"""
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
VECTORS = os.path.join(ROOT, "tests", "vectors")
START = time.time()
sys.path[:0] = [HERE, VECTORS]
try:
    import make_whole_proof
except ImportError as why:
    print("skipped: needs numpy:", why)
    sys.exit(77)
from full_field import P  # noqa: E402
from full_code import Reject  # noqa: E402
from full_files import decode_public, encode_proof, encode_public, encode_request  # noqa: E402
from full_gap import decode_policy  # noqa: E402
from full_prover import Commitment, Run, prove  # noqa: E402
from full_small_model import config, weights  # noqa: E402
from full_verifier import verify  # noqa: E402

FAILED = []


def check(ok, what):
    print(f"[{time.time() - START:5.1f} s] {'ok' if ok else 'FAILED'}: {what}", flush=True)
    if not ok:
        FAILED.append(what)


def load(folder, names=("config.bin", "ivk.bin", "F.req", "F.y", "F.proof")):
    out = []
    for name in names:
        with open(os.path.join(folder, name), "rb") as f:
            out.append(f.read())
    return out


FRAMES = {}                      # plans, shared by all proofs of one commitment and length


def judged(files, identity, setting=128, policy=None):
    return verify(*files, identity, setting, frames=FRAMES, policy=policy)


def rejected(files, identity, place, at, new, what):
    """One file altered: the bytes from `at` on become `new`."""
    files = list(files)
    b = files[place]
    at %= len(b)
    files[place] = b[:at] + new + b[at + len(new):]
    accepted, why = judged(files, identity)
    check(not accepted and files[place] != b, f"{what}: {why or 'accepted'}")


def regenerated():
    """The stored vectors are what the scripts write; gives the prover of the stored proof."""
    files, prover = make_whole_proof.files()
    for name, data in files.items():
        with open(os.path.join(VECTORS, "whole_proof", name), "rb") as f:
            check(f.read() == data, f"whole_proof/{name} as stored")
    with tempfile.TemporaryDirectory() as folder:
        for script, name in (("make_code_vectors.py", "code_vectors.txt"), ("make_field_vectors.py", "field_vectors.txt")):
            again = os.path.join(folder, name)
            subprocess.run([sys.executable, os.path.join(VECTORS, script), again], check=True)
            check(filecmp.cmp(again, os.path.join(VECTORS, name), False), f"{name} as stored")
    return prover


def mutants(files, identity, prover):
    """Parts of the stored files altered. Byte 16 is the witness root; messages follow until the tail's root."""
    accepted, why = judged(files, identity)
    check(accepted, f"the stored proof: {why or 'accepted'}")
    proof, at, marks = files[4], 16, {}
    for label, n in prover.messages:
        marks.setdefault(label, at)
        at += n

    def flipped(at):
        return bytes([proof[at] ^ 1])
    for label in ("witness root", "lookup/p0", "merge/e", "tail/root"):
        rejected(files, identity, 4, marks[label], flipped(marks[label]), f"{label} altered")
    column, last = marks["tail/root"] + 32, len(proof) - 8
    rejected(files, identity, 4, column, flipped(column), "a word of an opened weight column altered")
    rejected(files, identity, 4, last, flipped(last), "the last digest altered")
    at = marks["merge/e"]
    word = int.from_bytes(proof[at:at + 4], "little") + P
    rejected(files, identity, 4, at, word.to_bytes(4, "little"), "a word that is not reduced")
    for body, what in ((proof[16:-8], "a proof cut short"), (proof[16:] + bytes(8), "bytes after the proof")):
        accepted, why = judged([*files[:4], encode_proof(body)], identity)
        check(not accepted, f"{what}: {why or 'accepted'}")
    rejected(files, identity, 2, -4, bytes([7]), "another reply token")
    rejected(files, identity, 2, 16, b"V", "another context")
    rejected(files, identity, 3, -4, bytes([1]), "another token after the reply")
    rejected(files, identity, 1, -1, bytes([files[1][-1] ^ 1]), "another weight root")
    rejected(files, identity, 0, 60, bytes([files[0][60] ^ 1]), "another configuration")


def refuses(call, *arguments):
    try:
        call(*arguments)
    except Reject:
        return True
    return False


def malformed(folder):
    """What no verifier reads: numbers that are no plain decimals, and a configuration whose heads together are too wide."""
    policy = "assay policy 1\naccept gap\ngap_max {}\nbudget 0.5\n"
    check(decode_policy(policy.format("0.25").encode()) == (250000, 500000), "a policy is read")
    for number in ("1e3", "1/2", "-1", "+1", " 1", "1 ", ".5", "1.", "1_0", "", "1234567", "0.1234567", "0.5\r"):
        check(refuses(decode_policy, policy.format(number).encode()), f"a policy with gap_max {number!r} is refused")
    check(refuses(decode_policy, b"assay policy 1\naccept gap\ngap_max 1\n"), "a policy without a budget is refused")
    files = load(folder, ("config.bin", "ivk.bin"))
    pub = decode_public(*files)
    pub.cfg.n_heads, pub.cfg.n_kv, pub.cfg.head_dim = 1024, 1, 66
    check(refuses(decode_public, *encode_public(pub)), "a configuration of too wide heads is refused")


def under_a_policy(folder, identity):
    """The stored proof of the gap policy: by its own policy, by others, and with other bounds in its header."""
    *files, text = load(folder, ("config.bin", "ivk.bin", "G.req", "G.y", "G.proof", "policy"))
    own, head = decode_policy(text), [int.from_bytes(files[4][i:i + 4], "little") for i in range(12, 28, 4)]
    for policy, want in ((own, True), ((own[0] * 2, own[1] * 2), True), (None, False), ((own[0], 1000000), False),
                         ((500000, own[1]), False)):
        accepted, why = judged(files, identity, policy=policy)
        check(accepted == want, f"the stored proof of a gap policy under {policy}: {why or 'accepted'}")
    check(judged(load(folder), identity, policy=own)[0], "an exact proof under a gap policy")
    for at, value in zip(range(12, 28, 4), head):
        altered = files[4][:at] + (value - 1).to_bytes(4, "little") + files[4][at + 4:]
        accepted, why = judged([*files[:4], altered], identity, policy=own)
        check(not accepted, f"byte {at} of its header one less: {why or 'accepted'}")


def setting_100():
    """Rows so short that there is no tail, another setting; a wrong witness, and provers that go on from a false message."""
    pub = SimpleNamespace(cfg=config(), tokenizer_hash=bytes(32), security=100, c=12, a=8, jb=1)
    com = Commitment(pub, weights(pub.cfg), bytes(32))
    ids, y = Run(pub.cfg, com.weights).greedy([0, 9], 1)
    rq = SimpleNamespace(context=b"", n_prompt=2, ids=ids, y=y)
    public = [*encode_public(pub), *encode_request(rq)]
    files = [*public, prove(com, rq, bytes(32))[0]]
    accepted, why = judged(files, pub.id, 100)
    check(accepted, f"setting 100, rows of 2^12: {why or 'accepted'}")
    check(not judged(files, pub.id)[0], "setting 100 where 128 is asked for")

    def tamper(p):
        p.v["UP"][1, 1, 3] += 1
        p.v["UPREM"][1, 1, 3] -= 1 << pub.cfg.layer[1].up.s
    for what, cheat in [("a remainder outside its range", tamper)] + [(x, lambda p, x=x: setattr(p, "lie", x))
                                                                      for x in ("lookup/q1", "merge/mu")]:
        accepted, why = judged([*public, prove(com, rq, bytes(32), tamper=cheat)[0]], pub.id, 100)
        check(not accepted, f"{what} false: {why or 'accepted'}")


def c_programs():
    """The proof that the C programs made, if the examples have it."""
    folder = os.path.join(ROOT, "examples", "accepted-proof")
    paths = [os.path.join(folder, *p) for p in (("config", "config.bin"), ("ivk", "ivk.bin"), ("F.req",), ("F.y",), ("F.proof",))]
    if not os.path.exists(folder):
        print("examples/accepted-proof is not there: not compared")
        return
    files = []
    for path in paths:
        with open(path, "rb") as f:
            files.append(f.read())
    with open(os.path.join(folder, "ID.txt")) as f:
        identity = bytes.fromhex(f.read().split()[-1])
    accepted, why = judged(files, identity)
    check(accepted, f"examples/accepted-proof: {why or 'accepted'}")


def norms_of_heads(folder, identity):
    """The stored proof of a model whose heads have norms; the same with numbers of these norms altered, and provers that cheat."""
    files = load(folder, ("N.config.bin", "N.ivk.bin", "N.req", "N.y", "N.proof"))
    accepted, why = judged(files, identity)
    check(accepted, f"the stored proof of a model with norms of heads: {why or 'accepted'}")
    rejected(files, identity, 0, -4, bytes([files[0][-4] ^ 1]), "another unit of normalised heads")
    pub = decode_public(*files[:2])
    pub.cfg.layer[1].q.f = 16
    check(refuses(decode_public, *encode_public(pub)), "a unit of q that no square has is refused")

    pub = SimpleNamespace(cfg=config(normed=True), tokenizer_hash=bytes(32), security=100, c=12, a=8, jb=1)
    com = Commitment(pub, weights(pub.cfg), bytes(32))
    ids, y = Run(pub.cfg, com.weights).greedy([0, 2, 5], 1)
    rq = SimpleNamespace(context=b"", n_prompt=3, ids=ids, y=y)
    public = [*encode_public(pub), *encode_request(rq)]

    def changed(*changes):
        def tamper(p):
            for tensor, at, by in changes:
                p.v[tensor][at] += by
        return tamper
    cell = 1, 2, 4, 3
    for what, tamper in (("nothing", None), ("a normalised head", changed(("XN", cell, 1), ("XNREM", cell, -1))),
                         ("a digit of a head", changed(("XNS0", cell[:3], 1))),
                         ("a key times its gain", changed(("KG", (1, 2, 1, 3), 1)))):
        accepted, why = judged([*public, prove(com, rq, bytes(32), tamper=tamper)[0]], pub.id, 100)
        check(accepted == (tamper is None), f"norms of heads, {what} false: {why or 'accepted'}")


def main():
    prover = regenerated()
    folder = os.path.join(VECTORS, "whole_proof")
    lines = dict(line.split() for line in load(folder, ["secrets.txt"])[0].decode().splitlines())
    identity = bytes.fromhex(lines["id"])
    mutants(load(folder), identity, prover)
    norms_of_heads(folder, bytes.fromhex(lines["normed"]))
    malformed(folder)
    under_a_policy(folder, identity)
    setting_100()
    c_programs()
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
