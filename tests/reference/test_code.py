# SPDX-License-Identifier: Apache-2.0
"""The circle code of docs/protocol.md against the executable model of the protocol.

The model computes codewords by another transform, at rate 1/4, in the natural order of odd powers. Here positions are those of
the real code: bits 0 .. c-1 are signs, the bits above are the group. Checked: same code up to a permutation of positions, the
in-place transform with its twiddle layout, no variable vanishes, any C+1 positions have full rank (distance D - C), any 2^a - 1
positions are independent on the last 2^a message cells.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import numpy as np
    import protocol_model as model
except ImportError as why:
    print("skipped:", why)
    sys.exit(77)

P = model.P
RNG = np.random.default_rng(7)


def variables(c, log_rate, pos):
    """X_0 .. X_{c-1} at a position, by the definition."""
    d = 1 << (c + log_rate)
    g = model.cpow(model.GEN, 2**31 // (2 * d))
    signs = [pos >> i & 1 for i in range(c)]
    f = 2 * (pos >> c) + 1 + sum(signs[i] * (d >> (i - 1)) for i in range(1, c))
    f %= 2 * d
    first = model.cpow(g, f)[1] * (-1) ** signs[0] % P
    return [first] + [model.cpow(g, f * 2 ** (i - 1) % (2 * d))[0] for i in range(1, c)]


def functional(c, log_rate, pos):
    v = np.ones(1, np.int64)
    for x in variables(c, log_rate, pos):
        v = np.concatenate([v, v * x % P])
    return v


def twiddles(c, log_rate, group):
    """tw[2^(c-1-i) + h]: X_i of the positions whose bits above i are h and whose sign i is 0."""
    tw = [0] * (1 << c)
    for i in range(c):
        for h in range(1 << (c - 1 - i)):
            tw[(1 << (c - 1 - i)) + h] = variables(c, log_rate, (group << c) + (h << (i + 1)))[i]
    return tw


def encode(m, c, log_rate):
    """In place, stages c-1 .. 0."""
    word = []
    for group in range(1 << log_rate):
        tw, row = twiddles(c, log_rate, group), [int(v) for v in m]
        for i in reversed(range(c)):
            for at in range(1 << c):
                if at >> i & 1 == 0:
                    a, b = row[at], tw[(1 << (c - 1 - i)) + (at >> (i + 1))] * row[at + (1 << i)]
                    row[at], row[at + (1 << i)] = (a + b) % P, (a - b) % P
        word += row
    return word


def test_definition():
    for c in range(1, 7):
        for log_rate in (1, 2, 3, 4):
            d = 1 << (c + log_rate)
            m = RNG.integers(0, P, 1 << c)
            word = encode(m, c, log_rate)
            for pos in range(d):
                x = variables(c, log_rate, pos)
                assert all(v % P for v in x), "a variable vanishes"
                assert all(x[i + 1] == (2 * x[i] ** 2 - 1) % P for i in range(1, c - 1))
                assert word[pos] == int((functional(c, log_rate, pos) * m % P).sum() % P)


def test_same_code_as_the_model():
    for c in range(2, 8):
        code = model.Code(c)
        theirs = {tuple(int(v[j]) for v in code.vars): j for j in range(code.D)}
        where = [theirs[tuple(variables(c, 2, pos))] for pos in range(code.D)]
        assert sorted(where) == list(range(code.D)), "not a permutation of the positions"
        m = RNG.integers(0, P, 1 << c)
        assert (np.array(encode(m, c, 2)) == code.encode(m)[where]).all()


def test_distance():
    for c, log_rate in ((2, 2), (3, 2), (4, 2), (5, 2), (3, 3), (4, 3), (4, 4), (5, 1)):
        d, n = 1 << (c + log_rate), 1 << c
        for _ in range(12):
            pos = RNG.choice(d, n + 1, replace=False)
            assert model.rank_mod_p([functional(c, log_rate, int(j)) for j in pos]) == n


def test_slots():
    for c, log_rate, a in ((3, 2, 1), (4, 2, 2), (5, 2, 3), (6, 2, 4), (5, 3, 3), (7, 2, 4)):
        q, d = 1 << a, 1 << (c + log_rate)
        for _ in range(15):
            pos = RNG.choice(d, q - 1, replace=False)
            assert model.rank_mod_p([functional(c, log_rate, int(j))[-q:] for j in pos]) == q - 1


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "passed")
