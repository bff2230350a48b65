# SPDX-License-Identifier: Apache-2.0
"""The verifier of docs/protocol.md: the statement's run on a proof's bytes."""
import numpy as np

import full_gap
from full_argument import QUERIES
from full_code import Reject, need, read_opening
from full_field import P
from full_files import Reader, decode_proof, decode_public, decode_request
from full_layout import Shape
from full_statement import Statement, plan


class Verifier(Statement):
    def __init__(self, shape, ids, proof):
        super().__init__(shape, ids)
        self.reader = Reader(proof, "the proof")

    def emit(self, label, n, values):
        m = np.frombuffer(self.reader.read(24 * n), "<u4").astype(np.int64)
        need((m < P).all(), "a word is not reduced")
        self.tr.absorb(label, m.astype("<u4").tobytes())
        return m.reshape(n, 6)

    def emit_root(self, label, tree):
        root = self.reader.read(32)
        self.tr.absorb(label, root)
        return root

    def opened(self, number, tree, root, depth, positions, width, salted):
        return read_opening(self.reader.read, number, root, depth, positions, width, salted)


def check_request(rq, cfg):
    need(len(rq.ids) <= cfg.max_positions, "the request is too long for the model")
    need(not cfg.fixed_first or rq.ids[0] == cfg.bos and rq.n_prompt >= 2, "the prompt does not begin as the model's must")
    need(all(t < cfg.vocab for t in [*rq.ids, rq.y]), "a token is outside the vocabulary")


def verify(config, ivk, req, y, proof, identity, setting=128, leaf_limit=None, trace=None, frames=None, policy=None):
    """(True, "") or (False, why). setting, policy (full_gap): what the caller insists on; leaf_limit: production's; trace: a list that receives
    (label, state); frames: a dict that keeps plans for the next proof of the same lengths."""
    try:
        pub, rq = decode_public(config, ivk), decode_request(req, y)
        need(pub.id == identity, "the commitment is another one")
        need(pub.security >= setting, "the security setting is too low")
        need(QUERIES[pub.security][0] < 1 << pub.a, "the weight rows have too few slots")
        check_request(rq, pub.cfg)
        ids = [*rq.ids, rq.y]
        gap, body = decode_proof(proof)
        need(full_gap.implied(gap, policy, pub.cfg), "what the proof states does not imply the policy")
        full_gap.check(gap, pub.cfg, len(ids) - rq.n_prompt)
        key = pub.id, rq.n_prompt, len(ids), leaf_limit, gap
        frames = {} if frames is None else frames
        if key not in frames:
            shape = Shape(pub, rq.n_prompt, len(rq.ids), leaf_limit, gap)
            frames[key] = shape, plan(shape, ids)
        shape, counts = frames[key]
        v = Verifier(shape, ids, body)
        if trace is not None:
            v.tr.trace = trace
        v.run(rq, counts)
        v.reader.end()
        return True, ""
    except Reject as why:
        return False, str(why)
