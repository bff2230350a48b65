# SPDX-License-Identifier: Apache-2.0
"""The field, the transcript and the streams of secrets of docs/protocol.md §1, §2, for the independent implementation
full_protocol.py. Written from the text; numpy and hashlib only.

Words are int64 in [0, P). An element of K has a last axis of 6 words: word 2j + h is the coefficient of i^h w^j.
"""
import hashlib

import numpy as np

P = 2**31 - 1
ONE = np.array([1, 0, 0, 0, 0, 0], np.int64)
ZERO = np.zeros(6, np.int64)
BASIS = np.eye(6, dtype=np.int64)
BLOCK = 4096
P64, TWO64, FAR64 = np.uint64(P), np.uint64(2), np.uint64(P << 8)


# ---------------------------------------------------------------- K

def kint(n):
    """The element n of F inside K."""
    return np.array([int(n) % P, 0, 0, 0, 0, 0], np.int64)


def _part(x):
    """The same mod P, below 2^33; x is uint64."""
    return (x & P64) + (x >> np.uint64(31))


def kmul(a, b):
    """Products of elements of K, broadcasting over all axes but the last; in blocks that fit a cache."""
    a, b = np.asarray(a), np.asarray(b)
    shape = np.broadcast(a, b).shape
    rest = int(np.prod(shape[1:-1], dtype=np.int64))
    if len(shape) < 2 or shape[0] * rest <= BLOCK or shape[0] == 1:
        return _kmul(a, b)
    a, b = (x.reshape((1,) * (len(shape) - x.ndim) + x.shape) for x in (a, b))
    out, step = np.empty(shape, np.int64), max(1, BLOCK // rest)
    for i in range(0, shape[0], step):
        x, y = (v if len(v) == 1 else v[i:i + step] for v in (a, b))
        out[i:i + step] = _kmul(x, y) if step > 1 or rest <= BLOCK else kmul(x[0], y[0])
    return out


def _kmul(a, b):
    x = [a[..., t].astype(np.uint64) for t in range(6)]
    y = [b[..., t].astype(np.uint64) for t in range(6)]
    minus = [P64 - y[2 * t + 1] for t in range(3)]
    re, im = [np.uint64(0)] * 5, [np.uint64(0)] * 5
    for s in range(3):
        for t in range(3):                    # each product of two words is below 2^62, a sum of two fits 64 bits
            re[s + t] = re[s + t] + _part(x[2 * s] * y[2 * t] + x[2 * s + 1] * minus[t])
            im[s + t] = im[s + t] + _part(x[2 * s] * y[2 * t + 1] + x[2 * s + 1] * y[2 * t])
    out = np.empty(np.broadcast(a, b).shape, np.int64)
    for t in range(3):                        # w^3 = 2 + i; FAR64 keeps a difference positive
        r, i = re[t], im[t]
        if t < 2:
            r, i = r + TWO64 * re[t + 3] + (FAR64 - im[t + 3]), i + re[t + 3] + TWO64 * im[t + 3]
        out[..., 2 * t], out[..., 2 * t + 1] = _part(r), _part(i)
    out[out >= P] -= P
    return out


def fk(f, k):
    """Integers (any sign, below 2^62) times elements of K."""
    return np.asarray(f, np.int64)[..., None] % P * k % P


def ksum(a, axis=None):
    """Sum over all axes but the last, or over the given ones."""
    if axis is None:
        return a.reshape(-1, 6).sum(axis=0) % P
    return a.sum(axis=axis) % P


def kdot(a, b):
    return ksum(kmul(a, b))


def kpow(a, e):
    out = ONE
    while e:
        if e & 1:
            out = kmul(out, a)
        a, e = kmul(a, a), e >> 1
    return out


def kinv(a):
    return kpow(a, P**6 - 2)


def kbytes(a):
    return np.ascontiguousarray(a, dtype="<u4").tobytes()


def eq_table(r):
    """eq(r, b) for all b; coordinate i of r belongs to bit i of b."""
    t = ONE[None, :]
    for x in r:
        high = kmul(t, x)
        t = np.concatenate([(t - high) % P, high])
    return t


def eq_at(r, index):
    """eq(r, b) for an array of indices b, without the whole table."""
    half = len(r) // 2
    low, high = eq_table(r[:half]), eq_table(r[half:])
    return kmul(low[index & ((1 << half) - 1)], high[index >> half])


def eq_points(a, b):
    out = ONE
    for x, y in zip(a, b):
        out = kmul(out, (ONE - x - y + 2 * kmul(x, y)) % P)
    return out


def lagrange(degree, r):
    """Weights that take a polynomial's values at 0 .. degree to its value at r."""
    out = []
    for j in range(degree + 1):
        num, den = ONE, 1
        for m in range(degree + 1):
            if m != j:
                num, den = kmul(num, (r - kint(m)) % P), den * (j - m)
        out.append(fk(pow(den % P, P - 2, P), num))
    return out


# ---------------------------------------------------------------- hashing

def sha(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p)
    return h.digest()


def le32(*v):
    return b"".join(int(x).to_bytes(4, "little") for x in v)


def le64(v):
    return int(v).to_bytes(8, "little")


class Transcript:
    """trace: (label, state after it) of every absorption and challenge."""

    def __init__(self):
        self.state, self.trace = sha(b"assay transcript 1"), []

    def absorb(self, label, data):
        name = label.encode()
        self.state = sha(self.state, bytes([len(name)]), name, le64(len(data)), data)
        self.trace.append((label, self.state))

    def _words(self, label):
        self.absorb(label, b"challenge")

        def stream():
            j = 0
            while True:
                yield from (int(w) & P for w in np.frombuffer(sha(self.state, b"out", le32(j)), "<u4"))
                j += 1
        return stream()

    def challenges(self, label, n):
        words, out = self._words(label), []
        while len(out) < 6 * n:
            w = next(words)
            if w != P:
                out.append(w)
        return np.array(out, np.int64).reshape(n, 6)

    def challenge(self, label):
        return self.challenges(label, 1)[0]

    def positions(self, label, size, t):
        """Ascending; size is a power of two."""
        words, seen = self._words(label), set()
        if t >= size:
            return list(range(size))
        while len(seen) < t:
            seen.add(next(words) % size)
        return sorted(seen)


def stream_words(key, label, n):
    """n words of F of the secret stream (key, label): tests fix a prover's coins with it."""
    out, i = np.zeros(0, np.int64), 0
    while len(out) < n:
        m = max(16, (n - len(out)) // 8 + 1)
        block = b"".join(hashlib.sha256(key + le64(label) + le64(j)).digest() for j in range(i, i + m))
        w = np.frombuffer(block, "<u4").astype(np.int64) & P
        out, i = np.concatenate([out, w[w != P]]), i + m
    return out[:n]


def stream_block(key, label):
    return sha(key, le64(label), le64(0))


def salt(key, index):
    return sha(key, b"salt", le64(index))
