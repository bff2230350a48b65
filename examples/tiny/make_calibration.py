#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes calibration.txt: documents of corpus.py, separated by an empty line, enough for 24 windows of 256 tokens that each
start with a document (a document is one byte a token, with <s> before and </s> after it)."""
import os
import random

import corpus

SEED, WINDOWS, LENGTH = 4242, 24, 256


def make():
    r, out, full, cur = random.Random(SEED), [], 0, 0
    while full < WINDOWS:
        out.append(corpus.doc(r))
        cur += len(out[-1].encode()) + 2
        if cur >= LENGTH:
            full, cur = full + 1, 0
    return "\n\n".join(out)


if __name__ == "__main__":
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calibration.txt"), "w") as fh:
        fh.write(make())
