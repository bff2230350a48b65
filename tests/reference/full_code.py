# SPDX-License-Identifier: Apache-2.0
"""The code, the Merkle trees and the openings of docs/protocol.md §3 - §5."""
import hashlib

import numpy as np

from full_field import ONE, P, fk, kmul, le64, salt


class Reject(Exception):
    """Why a proof is not accepted."""


def need(cond, why):
    if not cond:
        raise Reject(why)


# ---------------------------------------------------------------- the circle

def circle_mul(a, b):
    return (a[0] * b[0] + (P - a[1]) * b[1] % P) % P, (a[0] * b[1] % P + a[1] * b[0]) % P


def circle_pow(a, e):
    out = (1, 0)
    while e:
        if e & 1:
            out = circle_mul(out, a)
        a, e = circle_mul(a, a), e >> 1
    return out


class Code:
    """Messages of 2^c words, 2^(c + log_rate) positions."""

    def __init__(self, c, log_rate):
        self.c, self.log_rate, self.size = c, log_rate, 1 << (c + log_rate)
        self.g = circle_pow((2, 1268011823), 2**31 // (2 * self.size))

    def variables(self, j):
        """X_0 .. X_{c-1} at position j, straight from the definition."""
        s, group = [j >> i & 1 for i in range(self.c)], j >> self.c
        f = 2 * group + 1 + sum(s[i] * (self.size >> (i - 1)) for i in range(1, self.c))
        out = [(1, P - 1)[s[0]] * circle_pow(self.g, f)[1] % P]
        return out + [circle_pow(self.g, f << (i - 1))[0] for i in range(1, self.c)]

    def functional(self, j):
        """The word at j as weights of the message."""
        out = np.ones(1, np.int64)
        for x in self.variables(j):
            out = np.concatenate([out, out * x % P])
        return out

    def extension(self, j, z):
        """That functional's multilinear extension at z."""
        out = ONE
        for x, zi in zip(self.variables(j), z):
            out = kmul(out, (ONE - zi + fk(x, zi)) % P)
        return out

    def encode(self, m):
        """Words (..., 2^c) to words (..., D). Position bit i tells the sign of X_i only for the variables below i, so the
        variables are bound from the top one down: axis 0 is the group and the signs bound so far, highest first."""
        c, group = self.c, np.arange(1 << self.log_rate)
        px, py = np.array([circle_pow(self.g, 2 * int(t) + 1) for t in group]).T
        for i in range(c - 1, 0, -1):                       # points g^f in order of (group, s_{c-1}, .., s_1)
            sx, sy = circle_pow(self.g, self.size >> (i - 1))
            mx, my = circle_mul((px, py), (sx, sy))
            px, py = np.stack([px, mx], 1).reshape(-1), np.stack([py, my], 1).reshape(-1)
        xs, x = [py], px
        for i in range(1, c):
            x = x[::2]                                      # the points with s_i = 0
            xs.append(x)
            x = (2 * x * x - 1) % P
        v = np.broadcast_to(m[..., None, :], m.shape[:-1] + (len(group), m.shape[-1]))
        for i in range(c - 1, -1, -1):
            low, high = v[..., : 1 << i], v[..., 1 << i:]
            t = high * xs[i][:, None] % P
            v = np.stack([low + t, low + (P - t)], -2) % P
            v = v.reshape(v.shape[:-3] + (-1, v.shape[-1]))
        return v[..., 0]


# ---------------------------------------------------------------- Merkle trees

WEIGHTS, WITNESS, TAIL = 0, 1, 2


def header(kind, tree, level, index):
    return bytes([kind, tree, level, 0, 0, 0, 0, 0]) + le64(index)


def leaf_hash(tree, j, salt_j, column):
    return hashlib.sha256(header(0, tree, 0, j) + salt_j + np.ascontiguousarray(column, "<u4").tobytes()).digest()


def node_hash(tree, level, i, left, right):
    return hashlib.sha256(header(1, tree, level, i) + left + right).digest()


class Tree:
    """columns: (positions, words). salt_key: None for trees without salts."""

    def __init__(self, tree, columns, salt_key):
        self.columns, self.key, n = columns, salt_key, len(columns)
        self.levels = [[leaf_hash(tree, j, self.salt(j), columns[j]) for j in range(n)]]
        while n > 1:
            below, n = self.levels[-1], n // 2
            self.levels.append([node_hash(tree, len(self.levels), i, below[2 * i], below[2 * i + 1]) for i in range(n)])
        self.root = self.levels[-1][0]

    def salt(self, j):
        return salt(self.key, j) if self.key else b""

    def opening(self, positions):
        out = [np.ascontiguousarray(self.columns[j], "<u4").tobytes() + self.salt(j) for j in positions]
        known = set(positions)
        for level in self.levels[:-1]:
            out += [level[i ^ 1] for i in sorted(known) if i ^ 1 not in known]
            known = {i >> 1 for i in known}
        return b"".join(out)


def read_opening(read, tree, root, depth, positions, width, salted):
    """The opened columns (positions, width); read(n) gives the proof's next n bytes."""
    columns, known = [], {}
    for j in positions:
        col = np.frombuffer(read(4 * width), "<u4").astype(np.int64)
        need((col < P).all(), "a word of a column is not reduced")
        columns.append(col)
        known[j] = leaf_hash(tree, j, read(32) if salted else b"", col)
    for level in range(1, depth + 1):
        above = {}
        for i in sorted(known):
            if i >> 1 in above:
                continue
            pair = [known[k] if k in known else read(32) for k in (i & ~1, i | 1)]
            above[i >> 1] = node_hash(tree, level, i >> 1, *pair)
        known = above
    need(known[0] == root, "an opening does not lead to its root")
    return np.array(columns)
