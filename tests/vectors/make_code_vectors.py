#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes code_vectors.txt: codewords, functionals, Merkle roots and openings of docs/protocol.md §3 - §5, by the independent
implementation (tests/reference/full_code.py). Read by tests/unit/commit/test_code_vectors.c. Run it again only when the
protocol changes.

Lines: `variables c log_rate position X_0 ..`; `word c log_rate message.. word..`; `digest c log_rate sha256` for the message
m[i] = i * i * 2654435761 + 12345 mod p; `extension c log_rate position z.. value`; `opening tree salted c log_rate rows n
position.. root sha256-of-the-opening length` with row r's message m[i + r * 2^c] and the salt key 0, 1, .., 31.
"""
import os
import random
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reference"))
from full_code import Code, Tree  # noqa: E402
from full_field import P, kbytes, sha  # noqa: E402


def message(n):
    i = np.arange(n, dtype=object)
    return np.array((i * i * 2654435761 + 12345) % P, np.int64)


def lines():
    rng = random.Random(7)
    for c, rate in ((1, 1), (1, 2), (2, 2), (3, 3), (5, 4), (12, 2), (16, 2), (14, 3), (28, 2)):
        for _ in range(4):
            j = rng.randrange(1 << (c + rate))
            yield "variables", c, rate, j, *Code(c, rate).variables(j)
    for c, rate in ((1, 1), (1, 4), (2, 2), (3, 3), (4, 2), (5, 4)):
        m = np.array([rng.choice([0, 1, P - 1, rng.randrange(P)]) for _ in range(1 << c)])
        yield "word", c, rate, *m, *Code(c, rate).encode(m)
    for c, rate in ((8, 2), (9, 3), (13, 2), (14, 3), (15, 4)):
        yield "digest", c, rate, sha(kbytes(Code(c, rate).encode(message(1 << c)))).hex()
    for c, rate in ((1, 2), (4, 3), (12, 3), (17, 2)):
        for _ in range(3):
            j, z = rng.randrange(1 << (c + rate)), np.array([[rng.randrange(P) for _ in range(6)] for _ in range(c)])
            value = Code(c, rate).extension(j, z)
            yield "extension", c, rate, j, *(",".join(map(str, x)) for x in [*z, value])
    for tree, salted, c, rate, rows, n in ((0, 1, 6, 2, 4, 40), (1, 1, 9, 2, 17, 192), (2, 0, 7, 3, 96, 158), (5, 0, 3, 3, 1, 64),
                                           (1, 1, 5, 2, 1, 1), (0, 1, 11, 2, 3, 192)):
        m = message(rows << c).reshape(rows, -1)
        t = Tree(tree, Code(c, rate).encode(m).T, bytes(range(32)) if salted else None)
        at = sorted(rng.sample(range(1 << (c + rate)), n))
        opening = t.opening(at)
        yield "opening", tree, salted, c, rate, rows, n, *at, t.root.hex(), sha(opening).hex(), len(opening)


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "code_vectors.txt"), "w") as f:
        for line in lines():
            print(*line, file=f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
