#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/vectors/whole_proof/: a small model, a request, coins, and the proof that follows from them, made by the
independent implementation tests/reference/full_protocol.py.

    config.bin ivk.bin weights.bin F.req F.y    files of docs/formats.md
    secrets.txt   "seed" and "coins": 32 bytes each, in hex, and the commitment's ID
    F.proof       the proof
    policy G.req G.y G.proof   a policy file, the same request with a reply that is not the model's choice, and its proof
    N.config.bin N.ivk.bin N.weights.bin N.req N.y N.proof   a model with norms of heads, a request, its proof

Run it again only when the protocol changes: tests/reference/test_full_protocol.py compares without writing, and
tests/unit/cp/test_vectors.c makes the same proof. With --trace it writes nothing and prints label and transcript state
after every absorption and challenge.
"""
import os
import sys
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "whole_proof")
sys.path.insert(0, os.path.join(HERE, "..", "reference"))
from full_field import sha  # noqa: E402
from full_files import encode_public, encode_request  # noqa: E402
from full_gap import decode_policy  # noqa: E402
from full_prover import Commitment, Run, prove  # noqa: E402
from full_small_model import config, encode_weights, weights  # noqa: E402


POLICY = b"assay policy 1\naccept gap\ngap_max 2.5\nbudget 4\n"


def runner_up(run, ids, below):
    """The token that stands `below` places under the model's choice."""
    logits = run.logits_and_trace(ids)[0][-1]
    return int(sorted(range(len(logits)), key=lambda v: (-logits[v], v))[below])


def committed(cfg, seed):
    pub = SimpleNamespace(cfg=cfg, tokenizer_hash=sha(b"no tokenizer"), security=128, c=13, a=8, jb=2)
    return Commitment(pub, weights(cfg), seed)


def greedy_request(com, prompt, n):
    ids, y = Run(com.pub.cfg, com.weights).greedy(prompt, n)
    return SimpleNamespace(context=b"vector", n_prompt=len(prompt), ids=ids, y=y)


def normed_files(seed, coins):
    com = committed(config(normed=True), seed)
    rq = greedy_request(com, [0, 2, 5, 0], 3)
    return com, dict(zip(("N.config.bin", "N.ivk.bin", "N.req", "N.y", "N.weights.bin", "N.proof"),
                         (*encode_public(com.pub), *encode_request(rq), encode_weights(com.pub.cfg, com.weights),
                          prove(com, rq, coins)[0])))


def files():
    """{name: bytes}, the prover."""
    cfg, seed, coins = config(), bytes([0x4b]) * 32, sha(b"assay vector coins")
    com = committed(cfg, seed)
    pub = com.pub
    rq = greedy_request(com, [0, 2, 0], 2)
    proof, p = prove(com, rq, coins)
    out = dict(zip(("config.bin", "ivk.bin"), encode_public(pub)))
    out.update(zip(("F.req", "F.y"), encode_request(rq)))
    out["weights.bin"] = encode_weights(cfg, com.weights)
    out["F.proof"] = proof
    run, ids = Run(cfg, com.weights), [0, 2, 0]
    for below in (1, 0):
        ids.append(runner_up(run, ids, below))
    near = SimpleNamespace(context=b"vector", n_prompt=3, ids=ids, y=runner_up(run, ids, 2))
    out.update(zip(("G.req", "G.y"), encode_request(near)), policy=POLICY)
    out["G.proof"] = prove(com, near, coins, policy=decode_policy(POLICY))[0]
    normed, more = normed_files(seed, coins)
    out.update(more)
    secrets = f"seed {seed.hex()}\ncoins {coins.hex()}\nid {pub.id.hex()}\nnormed {normed.pub.id.hex()}\n"
    out["secrets.txt"] = secrets.encode()
    return out, p


def main():
    out, prover = files()
    if "--trace" in sys.argv:
        for label, state in prover.tr.trace:
            print(f"{state.hex()} {label}")
        return 0
    for name, data in out.items():
        with open(os.path.join(FOLDER, name), "wb") as f:
            f.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
