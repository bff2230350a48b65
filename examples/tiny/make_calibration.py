#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes calibration.txt: documents of corpus.py, separated by an empty line, enough for 24 windows of 256 tokens that each
start with a document (a document is one byte a token, with <s> before and </s> after it).

    make_calibration.py                                          calibration.txt beside this file
    make_calibration.py --seed 777 --windows 80 --out eval.txt   other text of the same kind
"""
import argparse
import os
import random

import corpus

LENGTH = 256


def make(seed=4242, windows=24):
    r, out, full, cur = random.Random(seed), [], 0, 0
    while full < windows:
        out.append(corpus.doc(r))
        cur += len(out[-1].encode()) + 2
        if cur >= LENGTH:
            full, cur = full + 1, 0
    return "\n\n".join(out)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    ap = argparse.ArgumentParser(description="calibration text of the example model")
    ap.add_argument("--seed", type=int, default=4242)
    ap.add_argument("--windows", type=int, default=24)
    ap.add_argument("--out", default=os.path.join(here, "calibration.txt"))
    a = ap.parse_args()
    with open(a.out, "w") as fh:
        fh.write(make(a.seed, a.windows))
