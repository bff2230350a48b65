# SPDX-License-Identifier: Apache-2.0
"""Gaps: docs/model.md, "Gap", and what a proof states of them, docs/protocol.md §7.8. A statement is (most, sum, count), None under
the exact policy; a policy is (gap_max, budget) in millionths of a nat, None for the exact one."""
import re
from fractions import Fraction

import numpy as np

from full_code import need
from full_field import P, le32

SPARE_BITS = 8


def step_f(cfg):
    return min(cfg.logit_f, 10)


def shift(cfg):
    return cfg.logit_f - step_f(cfg)


def bits(cfg):
    return min(16, 30 - shift(cfg))


def encode(gap):
    """As the statement block and the header of a proof have it."""
    return le32(0) if gap is None else le32(1, *gap)


def check(gap, cfg, n_checked):
    """Whether this can be stated."""
    if gap is None:
        return
    most, total, count = gap
    need(8 <= cfg.logit_f <= 26, "no gaps are defined for this logit unit")
    need(most < 1 << bits(cfg) and total < P and count <= n_checked and n_checked * (most + (1 << SPARE_BITS) - 1) < P,
         "the bounds are out of range")


def limits(policy, cfg):
    """Whole steps, rounded down."""
    most, total = (int(Fraction(x, 10**6) * 2**step_f(cfg)) for x in policy)
    return min(most, (1 << bits(cfg)) - 1), min(total, P - 1)


def implied(gap, policy, cfg):
    """Whether the statement implies the policy."""
    if policy is None or gap is None:
        return gap is None
    return gap[0] <= limits(policy, cfg)[0] and gap[1] <= limits(policy, cfg)[1]


def decode_policy(text):
    need(len(text) <= 4096, "the policy is too long")
    lines = [x for x in text.decode("latin-1").split("\n") if x and not x.startswith("#")]
    need(lines[:1] == ["assay policy 1"], "the policy has no known version")
    if lines[1:] == ["accept exact"]:
        return None
    need(len(lines) == 4 and lines[1] == "accept gap", "the policy is malformed")
    found = [re.fullmatch(key + " ([0-9]{1,6}([.][0-9]{1,6})?)", x) for key, x in zip(("gap_max", "budget"), lines[2:])]
    need(all(found), "the policy is malformed")
    return tuple(int(Fraction(x[1]) * 10**6) for x in found)


def measure(trace, cfg, y, policy):
    """Adds the gap tensors to a trace whose LHI and LLO are there; gives what is stated: the use rounded up to sixteenths of a nat,
    but no more than the policy."""
    d = np.take_along_axis((trace["LHI"] << 16) + trace["LLO"], y[:, None], 1)[:, 0]
    steps = -(-d >> shift(cfg))
    most, total = limits(policy, cfg)
    if steps.max() > most or steps.sum() > total:
        return None
    grain = 1 << (step_f(cfg) - 4)
    stated = min(-(-int(steps.max()) // grain) * grain, most), min(-(-int(steps.sum()) // grain) * grain, total)
    spare = np.zeros_like(steps)
    spare[0] = stated[1] - steps.sum()
    trace.update(GAP=steps, GREM=(steps << shift(cfg)) - d, GZ=(steps > 0).astype(np.int64), GSP=spare)
    return *stated, int((steps > 0).sum())
