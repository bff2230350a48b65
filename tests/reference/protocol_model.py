#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Executable model of the commit-and-prove protocol.

Two matrix layers with hidden weights and a public arg-max are proved end to end, with every
step of the real protocol at toy size: circle-code commitments with random slots, LogUp-GKR,
padded messages, the product list, the masked merge sumcheck, the masked fold, the column
checks and the plain tail.

    y1[t,j]*2^s + r1[t,j] - 2^(s-1) = sum_k x[t,k]*W1[j,k]     x public, y1 and r1 hidden
    y2[t,j]*2^s + r2[t,j] - 2^(s-1) = sum_k y1[t,k]*W2[j,k]    everything hidden
    0 <= r < 2^s,  -2^(b-1) <= y < 2^(b-1),  smallest arg max_j y2[0,j] is public

Order of the transcript (each challenge depends on all that stands before it):
    statement and weight root | witness root | alpha, beta, r_t, r_j, r_h | LogUp-GKR | matrix
    sumcheck | product list | chi | sum of the mask | rho | merge rounds | e, mu, f | eps |
    root of u | positions, columns | gamma | tail rounds | ... | last vector | last positions

The stack has one K-valued virtual row P = sum_j eq(r_j, j) W_j, one uniform K-valued row R, and
the F-rows of the witness.  All claims become one: <phi, stack> = value; phi is 0 on R, on the
random slots and on every cell that no claim names.  A uniform K-valued row M masks the fold,
u = M + eps * fold(stack), and its first entries are the mask polynomial of the merge sumcheck.

It is a model: it is slow, it evaluates public functionals densely, its random numbers are not
secret-grade, and its query count is a toy one (20 queries catch a far word with all but 2^-13).
Run it:  /usr/bin/python3 protocol_model.py   (under a minute; the checks are in
protocol_model_checks.py; environment ASSAY_SEED=n for other random numbers)
"""
import hashlib
import os
import sys
import time
import numpy as np

P = 2**31 - 1
RNG = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "1")))

# ------------------------------------------------------------------------------------------
# Field.  K = C[w]/(w^3 - (2+i)), C = F[i]/(i^2+1).  An element is 6 integers; index 2*j+h
# stands for i^h w^j.  Arrays of elements have a last axis of length 6.

def _structure():
    m = np.zeros((36, 6), np.int64)
    for a in range(6):
        for b in range(6):
            re, im = ((1, 0), (0, 1), (-1, 0))[a % 2 + b % 2]
            j = a // 2 + b // 2
            if j >= 3:
                re, im, j = 2 * re - im, re + 2 * im, j - 3
            m[6 * a + b, 2 * j], m[6 * a + b, 2 * j + 1] = re, im
    return m

M36 = _structure().astype(np.float64)      # sums of 36 terms below 2^34: exact in a double
BASIS = np.eye(6, dtype=np.int64)
ZERO, ONE = np.zeros(6, np.int64), BASIS[0].copy()

def kmul(a, b):
    t = a[..., :, None] * b[..., None, :]
    t = (t & P) + (t >> 31)                # the same mod 2^31 - 1, and below 2^32 in size
    return (t.reshape(t.shape[:-2] + (36,)).astype(np.float64) @ M36).astype(np.int64) % P
def fk(f, k):                      # base-field integers times elements of K
    return (np.asarray(f, np.int64)[..., None] % P * k) % P
def kint(n):
    return np.array([n % P, 0, 0, 0, 0, 0], np.int64)
def ksum(a):
    return a.reshape(-1, 6).sum(axis=0) % P
def kdot(a, b):
    return ksum(kmul(a, b))

def kprod(xs):
    out = ONE
    for x in xs:
        out = kmul(out, x)
    return out

def kinv(a):
    """Inverse through the tower, in plain integers."""
    cm = lambda u, v: ((u[0] * v[0] - u[1] * v[1]) % P, (u[0] * v[1] + u[1] * v[0]) % P)
    cs = lambda u, v: ((u[0] - v[0]) % P, (u[1] - v[1]) % P)
    ca = lambda u, v: ((u[0] + v[0]) % P, (u[1] + v[1]) % P)
    nu = (2, 1)
    a = [int(v) for v in a]
    a0, a1, a2 = (a[0], a[1]), (a[2], a[3]), (a[4], a[5])
    t0 = cs(cm(a0, a0), cm(nu, cm(a1, a2)))
    t1 = cs(cm(nu, cm(a2, a2)), cm(a0, a1))
    t2 = cs(cm(a1, a1), cm(a0, a2))
    n = ca(cm(a0, t0), cm(nu, ca(cm(a2, t1), cm(a1, t2))))
    d = pow(n[0] * n[0] + n[1] * n[1], P - 2, P)
    ni = (n[0] * d % P, -n[1] * d % P)
    return np.array([v for t in (t0, t1, t2) for v in cm(t, ni)], np.int64)
def krand(n):
    return RNG.integers(0, P, (n, 6))

def eq_table(r):
    """eq(r, b) for all b; variable i is bit i (least significant first)."""
    t = ONE[None, :]
    for x in r:
        hi = kmul(t, x)
        t = np.concatenate([(t - hi) % P, hi])
    return t

def eq_eval(a, b):
    out = ONE
    for x, y in zip(a, b):
        out = kmul(out, (ONE - x - y + 2 * kmul(x, y)) % P)
    return out

def lagrange(deg, r):
    """Coefficients that take values at 0..deg to the value at r."""
    out = []
    for j in range(deg + 1):
        num, den = ONE, 1
        for m in range(deg + 1):
            if m != j:
                num, den = kmul(num, (r - kint(m)) % P), den * (j - m)
        out.append(fk(pow(den % P, P - 2, P), num))
    return out

def rank_mod_p(m):
    m = np.array(m, np.int64) % P
    rank = 0
    for col in range(m.shape[1]):
        piv = np.nonzero(m[rank:, col])[0]
        if len(piv) == 0:
            continue
        i = rank + piv[0]
        m[[rank, i]] = m[[i, rank]]
        m[rank] = m[rank] * pow(int(m[rank, col]), P - 2, P) % P
        rows = np.nonzero(m[:, col])[0]
        rows = rows[rows > rank]
        m[rows] = (m[rows] - m[rows, col][:, None] * m[rank][None, :]) % P
        rank += 1
        if rank == m.shape[0]:
            break
    return rank

# ------------------------------------------------------------------------------------------
# Circle code.  Index bit 0 belongs to y, bit 1 to x, bit 2 to pi(x), bit 3 to pi(pi(x)), ...
# This bit order is part of the definition: with it, the last q message positions of a row are
# one aligned block, and the hiding lemma holds for them.
GEN = (2, 1268011823)              # generates the circle group, which is cyclic of order 2^31

def cmul(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P)

def cpow(a, e):
    out = (1, 0)
    while e:
        if e & 1:
            out = cmul(out, a)
        a, e = cmul(a, a), e >> 1
    return out

class Code:
    """Rate 1/4.  The domain is the odd powers of an element of order 2D."""
    cache = {}
    def __new__(cls, c):
        if c not in cls.cache:
            self = super().__new__(cls)
            self.c, self.C, self.D = c, 1 << c, 4 << c
            g = cpow(GEN, 2**31 // (2 * self.D))
            pt, gg, self.points = g, cmul(g, g), []
            for _ in range(self.D):
                self.points.append(pt)
                pt = cmul(pt, gg)
            self.xs = np.array([q[0] for q in self.points], np.int64)
            self.ys = np.array([q[1] for q in self.points], np.int64)
            self.vars = [self.ys, self.xs]               # value of each basis variable
            while len(self.vars) < c:
                self.vars.append((2 * self.vars[-1] * self.vars[-1] - 1) % P)
            self.vars = self.vars[:c]
            cls.cache[c] = self
        return cls.cache[c]
    def encode(self, m):
        """Circle FFT: message (..., C) to codeword (..., D); natural order of odd powers."""
        def line(v, x):            # polynomials in x, basis x^b1 pi(x)^b2 ..., at the x-set
            if v.shape[-1] == 1:
                return np.repeat(v, len(x), axis=-1)
            h = len(x) // 2
            nxt = (2 * x[:h] * x[:h] - 1) % P
            a, b = line(v[..., 0::2], nxt), line(v[..., 1::2], nxt)
            b = b * x[:h] % P
            return np.concatenate([(a + b) % P, ((a - b) % P)[..., ::-1]], axis=-1)
        h = self.D // 2
        x, y = self.xs[:h], self.ys[:h]
        a, b = line(m[..., 0::2], x), line(m[..., 1::2], x)
        b = b * y % P
        return np.concatenate([(a + b) % P, ((a - b) % P)[..., ::-1]], axis=-1)
    def encode_k(self, m):         # (..., C, 6) to (..., D, 6), componentwise
        return np.moveaxis(self.encode(np.moveaxis(m, -1, -2)), -2, -1)
    def functional(self, pos):
        """The vector v with codeword[pos] = <v, message>: a tensor."""
        v = np.ones(1, np.int64)
        for b in range(self.c):
            v = np.concatenate([v, v * int(self.vars[b][pos]) % P])
        return v

# ------------------------------------------------------------------------------------------
# Hashing: salted Merkle tree, transcript, proof bytes.

def sha(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p)
    return h.digest()

def fbytes(a):
    return np.ascontiguousarray(a, dtype="<u4").tobytes()

class Tree:
    def __init__(self, columns, salted):
        """columns: (D, width) base-field integers, one row per codeword position."""
        self.columns = columns
        self.salts = [RNG.bytes(32) if salted else b"" for _ in columns]
        level = [sha(b"\0", s, fbytes(c)) for s, c in zip(self.salts, columns)]
        self.levels = [level]
        while len(level) > 1:
            level = [sha(b"\1", level[i], level[i + 1]) for i in range(0, len(level), 2)]
            self.levels.append(level)
        self.root = level[0]
    def path(self, pos):
        return [lv[(pos >> i) ^ 1] for i, lv in enumerate(self.levels[:-1])]

def root_of(column, salt, pos, path):
    h = sha(b"\0", salt, fbytes(column))
    for sib in path:
        h = sha(b"\1", sib, h) if pos & 1 else sha(b"\1", h, sib)
        pos >>= 1
    return h

class Transcript:
    def __init__(self):
        self.h = sha(b"commit-and-prove model, format 1")
    def absorb(self, label, data):
        tag = label.encode()
        self.h = sha(self.h, bytes([len(tag)]), tag, len(data).to_bytes(8, "little"), data)
    def words(self, label):
        self.absorb(label, b"challenge")
        ctr = 0
        while True:
            block = sha(self.h, b"out", ctr.to_bytes(4, "little"))
            ctr += 1
            for i in range(0, 32, 4):
                yield int.from_bytes(block[i:i + 4], "little") & P
    def field(self, label, n):     # n elements of K, by rejection
        w, out = self.words(label), []
        while len(out) < 6 * n:
            v = next(w)
            if v < P:
                out.append(v)
        return np.array(out, np.int64).reshape(n, 6)
    def positions(self, label, size, t):
        w, out = self.words(label), []
        while len(out) < min(t, size):
            v = next(w) % size     # 31 uniform bits, size a power of two: no bias
            if v not in out:
                out.append(v)
        return sorted(out)

class FixedTranscript(Transcript):
    """Challenges that do not depend on the messages: for the hiding tests only."""
    def absorb(self, label, data):
        super().absorb(label, b"")

class Reject(Exception):
    pass

def need(ok, why):
    if not ok:
        raise Reject(why)

# ------------------------------------------------------------------------------------------
# Statement, plan of hidden values, layout of the stack.

class Params:
    c, t, q = 7, 20, 32            # row length 2^c, queries, random slots a row
    row_bits = 4                   # stack rows: P, R, then rows over F
    T, K1, J1, J2 = 3, 4, 4, 8     # tokens (ragged: padded to 4), widths
    s, b = 3, 5
    jbits = 2                      # low bits of every output index = rows of the weights
    leaves = 7                     # log2 of the LogUp leaves
    tail_stop = 8

PAR = Params()
C, D, ROWS = 1 << PAR.c, 4 << PAR.c, 1 << PAR.row_bits
NVARS = PAR.c + PAR.row_bits
CELLS = ROWS * C

class Plan:
    """Which hidden values are sent and which pairs of them get multiplied: fixed in advance,
    because the pads and the products of pads are committed before the first challenge."""
    def __init__(self):
        self.index, self.products = {}, []
        self.new("gkr/root")
        for k in range(PAR.leaves):
            self.rounds(f"gkr/{k}", k, 3)
            for v in ("p0", "p1", "q0", "q1"):
                self.new(f"gkr/{k}/{v}")
            for a, b in (("p0", "q1"), ("p1", "q0"), ("q0", "q1")):
                self.multiply(f"gkr/{k}/{a}", f"gkr/{k}/{b}")
        self.rounds("mm", 2, 2)
        self.new("mm/a"), self.new("mm/b")
        self.multiply("mm/a", "mm/b")
        self.messages = len(self.index)
        self.new("dummy/a"), self.new("dummy/b")     # never sent: they mask a~ and b~
        self.multiply("dummy/a", "dummy/b")
        self.list_bits = (len(self.products) - 1).bit_length()
        self.rounds("prod", self.list_bits, 3)
        self.size = len(self.index)
    def new(self, name):
        self.index[name] = len(self.index)
    def rounds(self, name, n, deg):
        for i in range(n):
            for x in [0] + list(range(2, deg + 1)):
                self.new(f"{name}/{i}/{x}")
    def multiply(self, a, b):
        self.new(f"{a}*{b}")
        self.products.append((self.index[a], self.index[b], self.index[f"{a}*{b}"]))

PLAN = Plan()

class Layout:
    """Addresses of the cells.  Row 0 is P (virtual), row 1 is R (K-valued, uniform, in no
    claim); the last q positions of every F-row are random slots, in no claim either."""
    def __init__(self):
        self.free = iter(r * C + x for r in range(2, ROWS) for x in range(C - PAR.q))
        self.y1, self.r1 = self.take(PAR.T, PAR.J1), self.take(PAR.T, PAR.J1)
        self.y2, self.r2 = self.take(PAR.T, PAR.J2), self.take(PAR.T, PAR.J2)
        self.mult = self.take(2**PAR.s + 2**PAR.b)
        self.kc = self.take(PLAN.size, 6)
    def take(self, *shape):
        return np.array([next(self.free) for _ in range(int(np.prod(shape)))]).reshape(shape)
    @staticmethod
    def w1(k):
        return k                   # columns of P, matrix 1
    @staticmethod
    def w2(h, k):
        return PAR.K1 + PAR.J1 * h + k   # output index of matrix 2 = (h, row)

LAY = Layout()

class Statement:
    """Public data."""
    def __init__(self, w_root, x, argmax):
        self.w_root, self.x, self.argmax = w_root, np.array(x, np.int64), int(argmax)
    def bytes(self):
        v = vars(Params)
        shape = ",".join(f"{k}={v[k]}" for k in sorted(v) if k[0] != "_")
        return b"|".join([shape.encode(), self.w_root, fbytes(self.x.ravel() % P),
                          self.argmax.to_bytes(4, "little")])

def lookup_system(stm):
    """LogUp leaves.  Leaf i: numerator npc + NP.cells, denominator a - tag*b - (vc + V.cells);
    the leaves left over have numerator 0 and denominator 1.  Fewer than p leaves a sum."""
    n = 1 << PAR.leaves
    NP, V = np.zeros((n, CELLS), np.int64), np.zeros((n, CELLS), np.int64)
    npc, vc = np.zeros(n, np.int64), np.zeros(n, np.int64)
    tag, real = np.zeros(n, np.int64), np.zeros(n, np.int64)
    i = 0
    def leaf(cells, const, tg, num, numcell=None):
        nonlocal i
        for cell, f in cells:
            V[i, cell] += f
        vc[i], tag[i], real[i], npc[i] = const, tg, 1, num
        if numcell is not None:
            NP[i, numcell] = -1
        i += 1
    for arr in (LAY.y1, LAY.y2):
        for cell in arr.ravel():
            leaf([(cell, 1)], 2**(PAR.b - 1), 1, 1)
    for arr in (LAY.r1, LAY.r2):
        for cell in arr.ravel():
            leaf([(cell, 1)], 0, 0, 1)
    for v in range(PAR.J2):        # smallest arg max of row 0
        leaf([(LAY.y2[0, stm.argmax], 1), (LAY.y2[0, v], -1)], -int(v < stm.argmax), 1, 1)
    for e in range(2**PAR.s):
        leaf([], e, 0, 0, LAY.mult[e])
    for e in range(2**PAR.b):
        leaf([], e, 1, 0, LAY.mult[2**PAR.s + e])
    need(i <= n, "too many leaves")
    return NP, npc, V, vc, tag, real

# ------------------------------------------------------------------------------------------
# Affine forms in committed cells.

class Form:
    """v[-1] + sum_i v[i]*kcell[i] + <f, stack>: what the verifier knows of a hidden value."""
    def __init__(self, v=None, f=None):
        self.v = np.zeros((PLAN.size + 1, 6), np.int64) if v is None else v
        self.f = f
    @staticmethod
    def const(k):
        out = Form()
        out.v[-1] = k
        return out
    @staticmethod
    def sent(m, i):                # hidden value = message - pad
        out = Form.const(m)
        out.v[i] = (-ONE) % P
        return out
    @staticmethod
    def cells(pairs):              # sum of coefficient * stack cells
        out = Form()
        out.f = np.zeros((CELLS, 6), np.int64)
        for idx, coef in pairs:
            np.add.at(out.f, np.ravel(idx), np.reshape(coef, (-1, 6)))
        out.f %= P
        return out
    def __add__(self, o):
        f = self.f if o.f is None else o.f if self.f is None else (self.f + o.f) % P
        return Form((self.v + o.v) % P, f)
    def scale(self, k):
        return Form(kmul(self.v, k), None if self.f is None else kmul(self.f, k))
    def __sub__(self, o):
        return self + o.scale(kint(-1))

class SumcheckProver:
    def __init__(self, arrays, combine, deg):
        self.a, self.combine, self.deg = list(arrays), combine, deg
    def round(self):
        lo, hi = [x[0::2] for x in self.a], [x[1::2] for x in self.a]
        out = []
        for x in [0] + list(range(2, self.deg + 1)):
            out.append(ksum(self.combine([(l + x * (h - l)) % P for l, h in zip(lo, hi)])))
        return out
    def fold(self, r):
        self.a = [(x[0::2] + kmul(x[1::2] - x[0::2], r)) % P for x in self.a]

# ------------------------------------------------------------------------------------------
# The script: one text for both parties.  The prover's hooks compute values; the verifier has
# nothing but the proof bytes, so each value() below is called by the prover only.

class Party:
    def __init__(self, stm, transcript):
        self.stm, self.tr = stm, transcript
        self.tr.absorb("statement", stm.bytes())
        self.constraints = []

    def chal(self, label, n=None):
        k = self.tr.field(label, 1 if n is None else n)
        return k[0] if n is None else k

    def hidden(self, name, value):
        i = PLAN.index[name]
        m = self.message(name, value, pad=i)
        return Form.sent(m, i)

    def product(self, fa, fb, a, b):
        """(m_a - pad_a)(m_b - pad_b), with pad_a*pad_b a committed cell."""
        ia, ib, ic = PLAN.index[a], PLAN.index[b], PLAN.index[f"{a}*{b}"]
        ma, mb = fa.v[-1], fb.v[-1]
        out = Form.const(kmul(ma, mb))
        out.v[ia], out.v[ib], out.v[ic] = (-mb) % P, (-ma) % P, ONE
        return out

    def require(self, form):       # form = 0
        self.constraints.append(form)

    def padded_sumcheck(self, name, claim, n, deg, prover):
        point = []
        for i in range(n):
            values = prover.round() if prover else [None] * deg
            g = [self.hidden(f"{name}/{i}/{x}", v)
                 for x, v in zip([0] + list(range(2, deg + 1)), values)]
            g.insert(1, claim - g[0])
            r = self.chal(f"{name}/r{i}")
            claim = Form()
            for form, l in zip(g, lagrange(deg, r)):
                claim = claim + form.scale(l)
            if prover:
                prover.fold(r)
            point.append(r)
        return claim, point

    def plain_sumcheck(self, name, claim, n, prover):
        """Degree 2, messages in clear."""
        r = []
        for i in range(n):
            g = [self.message(f"{name}/{i}/{x}", v)
                 for x, v in zip((0, 2), prover.round() if prover else (None, None))]
            g.insert(1, (claim - g[0]) % P)
            r.append(self.chal(f"{name}/r{i}"))
            claim = ksum(np.stack([kmul(a, l) for a, l in zip(g, lagrange(2, r[-1]))]))
            if prover:
                prover.fold(r[-1])
        return claim, r

    def reduce(self):
        """From the statement to a list of affine constraints on committed cells."""
        alpha, beta = self.chal("alpha"), self.chal("beta")
        r_t, r_j, r_h = self.chal("r_t", 2), self.chal("r_j", PAR.jbits), self.chal("r_h", 1)
        self.r_j = r_j
        self.bind_weights(r_j)
        self.lookups(alpha, beta)
        self.matmuls(r_t, r_j, r_h)
        self.products()

    def lookups(self, alpha, beta):
        system = NP, npc, V, vc, tag, real = lookup_system(self.stm)
        tree = self.fraction_tree(system, alpha, beta)
        claim_p = Form()           # the numerator of the root is 0; no test of the
        claim_q = self.hidden("gkr/root", tree and tree[0][1][0])   # denominator is needed
        r = []
        for k in range(PAR.leaves):
            lam = self.chal(f"gkr/{k}/lambda")
            name, sc = f"gkr/{k}", None
            if tree:
                p, q = tree[k + 1]
                h = 1 << k
                sc = SumcheckProver(
                    [eq_table(r), p[:h], p[h:], q[:h], q[h:]],
                    lambda a: kmul(a[0], (kmul(a[1], a[4]) + kmul(a[2], a[3])
                                          + kmul(lam, kmul(a[3], a[4]))) % P), 3)
            claim, rr = self.padded_sumcheck(name, claim_p + claim_q.scale(lam), k, 3, sc)
            f = [self.hidden(f"{name}/{v}", sc and sc.a[i + 1][0])
                 for i, v in enumerate(("p0", "p1", "q0", "q1"))]
            pr = lambda a, b: self.product(f[a], f[b], f"{name}/{'p0 p1 q0 q1'.split()[a]}",
                                           f"{name}/{'p0 p1 q0 q1'.split()[b]}")
            rhs = pr(0, 3) + pr(1, 2) + pr(2, 3).scale(lam)
            self.require(claim - rhs.scale(eq_eval(r, rr)))
            tau = self.chal(f"gkr/{k}/tau")
            claim_p = f[0] + (f[1] - f[0]).scale(tau)
            claim_q = f[2] + (f[3] - f[2]).scale(tau)
            r = rr + [tau]
        e = eq_table(r)
        cells = np.arange(CELLS)
        # entries of NP and V are 0 or +-1: the sums stay below 2^53 and doubles are exact
        fun = lambda mat: (mat.T.astype(np.float64) @ e.astype(np.float64)).astype(np.int64) % P
        self.require(claim_p - Form.cells([(cells, fun(NP))]) - Form.const(ksum(fk(npc, e))))
        shift = (alpha[None] - fk(tag, beta) - fk(vc, ONE)) % P
        den = real[:, None] * shift + (1 - real)[:, None] * ONE
        self.require(claim_q + Form.cells([(cells, fun(V))]) - Form.const(kdot(e, den)))

    def matmuls(self, r_t, r_j, r_h):
        # Sums run over real indices only: what pads a ragged axis is zero by definition.
        et, ej, eh = eq_table(r_t)[:PAR.T], eq_table(r_j), eq_table(r_h)
        w = lambda a, b: kmul(a[:, None, :], b[None, :, :])
        half, two_s = kint(2**(PAR.s - 1)), kint(2**PAR.s)
        e1 = w(et, ej)
        xt = np.stack([ksum(fk(self.stm.x[:, k], et)) for k in range(PAR.K1)])
        lhs = Form.cells([(LAY.y1, kmul(e1, two_s)), (LAY.r1, e1),
                          ([LAY.w1(k) for k in range(PAR.K1)], (-xt) % P)])
        self.require(lhs - Form.const(kmul(half, ksum(e1))))
        ej2 = w(eh, ej).reshape(-1, 6)                # index j = 4*h + row
        e2 = w(et, ej2)
        claim = Form.cells([(LAY.y2, kmul(e2, two_s)), (LAY.r2, e2)]) \
            - Form.const(kmul(half, ksum(e2)))
        claim, rk = self.padded_sumcheck("mm", claim, 2, 2, self.matmul_prover(et, eh))
        sc = self.mm
        a = self.hidden("mm/a", sc and sc.a[0][0])
        b = self.hidden("mm/b", sc and sc.a[1][0])
        self.require(claim - self.product(a, b, "mm/a", "mm/b"))
        ek = eq_table(rk)
        self.require(a - Form.cells([(LAY.y1, w(et, ek))]))
        cols = [[LAY.w2(h, k) for k in range(4)] for h in range(2)]
        self.require(b - Form.cells([(np.array(cols), w(eh, ek))]))

    def products(self):
        """One zero-check of c = a*b over the list.  Its messages are padded like all others;
        a~ and b~ are sent in clear (a dummy entry makes them uniform); c~ is never sent."""
        rp = self.chal("prod/r", PLAN.list_bits)
        claim, rr = self.padded_sumcheck("prod", Form(), PLAN.list_bits, 3, self.product_prover(rp))
        sc = self.pp
        at = self.message("prod/a~", sc and sc.a[1][0])
        bt = self.message("prod/b~", sc and sc.a[2][0])
        self.list_eq = e = eq_table(rr)
        gather = [Form(), Form(), Form()]
        for l, triple in enumerate(PLAN.products):
            for form, i in zip(gather, triple):
                form.v[i] = (form.v[i] + e[l]) % P
        self.require(gather[0] - Form.const(at))
        self.require(gather[1] - Form.const(bt))
        self.require(claim - (Form.const(kmul(at, bt)) - gather[2]).scale(eq_eval(rp, rr)))

    def batch(self):
        """All constraints as one claim <phi, stack> = value."""
        chi, power = self.chal("chi"), ONE
        total = Form(None, np.zeros((CELLS, 6), np.int64))
        for form in self.constraints:
            total = total + form.scale(power)
            power = kmul(power, chi)
        phi = total.f.copy()
        for k in range(6):
            phi[LAY.kc[:, k]] = (phi[LAY.kc[:, k]] + kmul(total.v[:-1], BASIS[k])) % P
        return phi, (-total.v[-1]) % P

    def merge(self, phi, value, nvars=NVARS, c=PAR.c):
        """Masked sumcheck of <phi, stack> = value, to one claim on a row fold and two on the
        mask row.  The mask polynomial is s = M0 + sum_i (M[1+2i] x_i + M[2+2i] x_i^2): its
        2n+1 coefficients are the first entries of the mask row M."""
        sigma_sum = self.message("merge/sum", self.mask_sum(nvars))
        rho = self.chal("merge/rho")
        claim = (value + kmul(rho, sigma_sum)) % P
        claim, r = self.plain_sumcheck("merge", claim, nvars, self.merge_prover(phi, rho, nvars))
        z, r_row = r[:c], r[c:]
        ez, erow = eq_table(z), eq_table(r_row)
        sfun = np.zeros((1 << c, 6), np.int64)
        sfun[0] = ONE
        for i, x in enumerate(r):
            sfun[1 + 2 * i], sfun[2 + 2 * i] = x, kmul(x, x)
        self.fold_rows(erow)
        e = self.message("merge/e", self.evaluate(ez, "fold"))
        mu = self.message("merge/mu", self.evaluate(ez, "mask"))
        f = self.message("merge/f", self.evaluate(sfun, "fold"))
        phi_r = kdot(phi, eq_table(r))
        sigma = kmul((claim - kmul(phi_r, e)) % P, kinv(rho))       # must be s(r)
        eps = self.chal("eps")
        self.make_u(eps)
        claims = [(ez, (mu + kmul(eps, e)) % P), (sfun, (sigma + kmul(eps, f)) % P)]
        return erow, eps, claims

    def tail(self, c, claims, first):
        """Plain argument for a vector u with linear claims.  `first` and, later, `opener` draw
        positions in the previous oracle and return them as claims; that happens only after
        the present vector is bound."""
        opener, level = first, 0
        while (1 << c) > PAR.tail_stop:
            root = self.commit_u(level, c)
            claims = claims + opener()
            gamma, power = self.chal(f"tail/{level}/gamma"), ONE
            phi, value = np.zeros((1 << c, 6), np.int64), ZERO
            for fun, val in claims:
                phi = (phi + (kmul(fun, power) if fun.ndim == 2 else fk(fun, power))) % P
                value = (value + kmul(val, power)) % P
                power = kmul(power, gamma)
            sc = self.tail_prover(phi)
            value, r = self.plain_sumcheck(f"tail/{level}", value, c, sc)
            e = self.message(f"tail/{level}/e", sc and sc.a[1][0])
            self.check((value == kmul(kdot(phi, eq_table(r)), e)).all(), "tail sumcheck")
            c -= 2                                    # 4 rows
            self.fold_u(eq_table(r[c:]), c)
            claims = [(eq_table(r[:c]), e)]
            opener = self.tail_opener(level, root, c, eq_table(r[c:]))
            level += 1
        u = self.message("tail/u", self.vector(), 1 << c).reshape(-1, 6)
        for fun, val in claims + opener():
            got = kdot(fun, u) if fun.ndim == 2 else ksum(fk(fun, u))
            self.check((got == val).all(), "last vector")

    def top_opener(self, erow, eps):
        """Columns of the weights and of the witness at the same positions."""
        def run():
            pos = self.tr.positions("positions", D, PAR.t)
            ej, code, out = eq_table(self.r_j), Code(PAR.c), []
            for j, (wcol, xcol) in zip(pos, self.open_columns(pos)):
                m, rr, rows = xcol[:6], xcol[6:12], xcol[12:]
                fold = (kmul(erow[0], ksum(fk(wcol, ej))) + kmul(erow[1], rr)
                        + ksum(fk(rows, erow[2:]))) % P
                out.append((code.functional(j), (m + kmul(eps, fold)) % P))
            return out
        return run

    def tail_opener(self, level, root, c, erow):
        def run():
            pos = self.tr.positions(f"tail/{level}/positions", 4 << c, PAR.t)
            return [(Code(c).functional(j), kdot(col.reshape(4, 6), erow))
                    for j, col in zip(pos, self.open_tail(level, root, pos))]
        return run

class Weights:
    """The committed model and its secret randomness."""
    def __init__(self, w1, w2, corrupt=None):
        self.w1, self.w2 = np.array(w1), np.array(w2)
        self.rows = np.zeros((4, C), np.int64)
        for k in range(4):
            self.rows[:, LAY.w1(k)] = self.w1[:, k] % P
            for h in range(2):
                self.rows[:, LAY.w2(h, k)] = self.w2[4 * h:4 * h + 4, k] % P
        self.rows[:, C - PAR.q:] = RNG.integers(0, P, (4, PAR.q))
        word = Code(PAR.c).encode(self.rows)
        self.tree = Tree((corrupt(word) if corrupt else word).T.copy(), True)

def run_model(weights, x):
    """The integers: the reference."""

    def requant(acc):
        y = (acc + 2**(PAR.s - 1)) >> PAR.s
        return y, acc + 2**(PAR.s - 1) - (y << PAR.s)
    y1, r1 = requant(np.array(x) @ weights.w1.T)
    y2, r2 = requant(y1 @ weights.w2.T)
    assert abs(y1).max() < 2**(PAR.b - 1) and abs(y2).max() < 2**(PAR.b - 1)
    return dict(y1=y1, r1=r1, y2=y2, r2=r2)

class Prover(Party):
    def __init__(self, weights, stm, transcript=None, cheat=None):
        super().__init__(stm, transcript or Transcript())
        self.w, self.cheat, self.out, self.revealed = weights, cheat or {}, [], []

    def hook(self, name, value):
        return self.cheat[name](value) if name in self.cheat else value

    # -- output

    def message(self, name, value, n=1, pad=None):
        m = np.array(value, np.int64) % P
        if pad is not None:
            m = (m + self.pads[self.hook("pad index", pad)]) % P
        m = self.hook(name, m) % P
        self.emit(name, m.reshape(-1))
        self.tr.absorb(name, fbytes(m))
        return m

    def emit(self, name, f):
        self.revealed.append((name, f.copy()))
        self.out.append(fbytes(f))

    def check(self, ok, why):
        pass                       # a cheating prover goes on

    # -- proving

    def prove(self):
        wit = self.hook("witness", run_model(self.w, self.stm.x))
        cells = np.zeros((ROWS, C), np.int64)
        flat = cells.reshape(-1)
        for name in ("y1", "r1", "y2", "r2"):
            flat[getattr(LAY, name)] = wit[name] % P
        self.wit = wit
        _, _, V, vc, tag, real = lookup_system(self.stm)
        val = (vc + V @ flat) % P
        mult = np.zeros(2**PAR.s + 2**PAR.b, np.int64)
        for i in np.nonzero(real)[0][:-len(mult)]:
            if val[i] < (2**PAR.s, 2**PAR.b)[tag[i]]:
                mult[val[i] + (0, 2**PAR.s)[tag[i]]] += 1
        flat[LAY.mult] = self.hook("mult", mult)
        self.pads = krand(PLAN.size)
        for a, b, c in PLAN.products:
            self.pads[c] = kmul(self.pads[a], self.pads[b])
        self.pads = self.hook("pads", self.pads)
        flat[LAY.kc] = self.pads
        cells[2:, C - PAR.q:] = RNG.integers(0, P, (ROWS - 2, PAR.q))
        cells = self.hook("cells", cells)
        self.M, self.R = krand(C), krand(C)
        self.frows = cells[2:]
        self.stack = fk(cells, ONE)
        self.stack[1] = self.R
        msgs = np.concatenate([self.M.T, self.R.T, self.frows])
        word = self.hook("word", Code(PAR.c).encode(msgs))
        self.tree = Tree(word.T.copy(), True)
        self.out.append(self.tree.root)
        self.tr.absorb("witness root", self.tree.root)
        self.reduce()
        phi, value = self.batch()
        erow, eps, claims = self.merge(phi, value)
        self.tail(PAR.c, claims, self.top_opener(erow, eps))
        return b"".join(self.out)

    def bind_weights(self, r_j):
        rows = self.hook("fold weights", self.w.rows)
        e = eq_table(r_j)
        self.stack[0] = sum(fk(rows[j], e[j]) for j in range(4)) % P

    def fraction_tree(self, system, alpha, beta):
        NP, npc, V, vc, tag, real = system
        flat = self.stack[:, :, 0].reshape(-1).copy()
        flat[:2 * C] = 0           # rows P and R carry no looked-up value
        p = fk(npc + NP @ flat, ONE)
        q = (alpha - fk(tag, beta) - fk(vc + V @ flat, ONE)) % P
        q = np.where(real[:, None] == 1, q, ONE)
        tree = [(p, q)]
        while len(p) > 1:
            h = len(p) // 2
            p, q = (kmul(p[:h], q[h:]) + kmul(p[h:], q[:h])) % P, kmul(q[:h], q[h:])
            tree.insert(0, (p, q))
        return tree

    def matmul_prover(self, et, eh):
        y1 = np.stack([ksum(fk(self.wit["y1"][:, k], et)) for k in range(4)])
        w = np.stack([ksum(np.stack([kmul(eh[h], self.stack[0, LAY.w2(h, k)])
                                     for h in range(2)])) for k in range(4)])
        self.mm = SumcheckProver([y1, w], lambda a: kmul(a[0], a[1]), 2)
        return self.mm

    def product_prover(self, rp):
        lists = np.zeros((3, 1 << PLAN.list_bits, 6), np.int64)
        for l, triple in enumerate(PLAN.products):
            for k, i in enumerate(triple):
                lists[k, l] = self.pads[i]
        self.pp = SumcheckProver([eq_table(rp), *lists],
                                 lambda a: kmul(a[0], (kmul(a[1], a[2]) - a[3]) % P), 3)
        return self.pp

    def mask_sum(self, n):
        s = fk(pow(2, n, P), self.M[0])
        return (s + fk(pow(2, n - 1, P), ksum(self.M[1:2 * n + 1]))) % P

    def merge_prover(self, phi, rho, n):
        m = self.M
        class Masked(SumcheckProver):
            done, i = m[0], 0
            def round(self):
                i, out = self.i, []
                rest = ksum(m[3 + 2 * i:2 * n + 1])       # sum of s_j(0)+s_j(1), j > i
                for x, g in zip((0, 2), super().round()):
                    si = (fk(x, m[1 + 2 * i]) + fk(x * x, m[2 + 2 * i]) + self.done) % P
                    mask = (fk(pow(2, n - 1 - i, P), si)
                            + (fk(pow(2, n - 2 - i, P), rest) if i < n - 1 else 0)) % P
                    out.append((g + kmul(rho, mask)) % P)
                return out
            def fold(self, r):
                i = self.i
                self.done = (self.done + kmul(m[1 + 2 * i], r) + kmul(m[2 + 2 * i], kmul(r, r))) % P
                self.i += 1
                super().fold(r)
        return Masked([phi, self.stack.reshape(-1, 6)], lambda a: kmul(a[0], a[1]), 2)

    def fold_rows(self, erow):
        self.fold = kmul(self.stack, erow[:, None, :]).sum(axis=0) % P

    def evaluate(self, fun, which):
        return kdot(fun, self.fold if which == "fold" else self.M)

    def make_u(self, eps):
        self.u = self.hook("u", (self.M + kmul(self.fold, eps)) % P)

    def vector(self):
        return self.u

    def commit_u(self, level, c):
        mat = self.u.reshape(4, 1 << (c - 2), 6)
        word = self.hook("tail word", Code(c - 2).encode_k(mat))       # (4, D', 6)
        self.tail_tree = Tree(np.moveaxis(word, 0, 1).reshape(word.shape[1], -1).copy(), False)
        self.out.append(self.tail_tree.root)
        self.tr.absorb(f"tail/{level}/root", self.tail_tree.root)

    def tail_prover(self, phi):
        return SumcheckProver([phi, self.u], lambda a: kmul(a[0], a[1]), 2)

    def fold_u(self, erow, c):
        self.u = kmul(self.u.reshape(4, 1 << c, 6), erow[:, None, :]).sum(axis=0) % P

    def tail_opener(self, level, root, c, erow):
        tree, run0 = self.tail_tree, super().tail_opener(level, root, c, erow)
        def run():
            self.open_tree = tree
            return run0()
        return run

    def show(self, name, tree, j):
        col = self.hook(name, tree.columns[j])
        self.emit(name, col)
        self.out += [tree.salts[j]] + tree.path(j)
        return col

    def open_columns(self, pos):
        return [(self.show("column W", self.w.tree, j), self.show("column X", self.tree, j))
                for j in pos]

    def open_tail(self, level, root, pos):
        return [self.show("column U", self.open_tree, j) for j in pos]

class Verifier(Party):
    """Sees the public statement and the proof bytes."""
    mm = pp = None
    def __init__(self, stm, proof, transcript=None):
        super().__init__(stm, transcript or Transcript())
        self.proof, self.at = proof, 0

    def verify(self):
        try:
            self.x_root = self.read(32)
            self.tr.absorb("witness root", self.x_root)
            self.reduce()
            phi, value = self.batch()
            erow, eps, claims = self.merge(phi, value)
            self.tail(PAR.c, claims, self.top_opener(erow, eps))
            need(self.at == len(self.proof), "bytes left over")
            return True, ""
        except Reject as why:
            return False, str(why)

    def read(self, n):
        need(self.at + n <= len(self.proof), "proof too short")
        self.at += n
        return self.proof[self.at - n:self.at]

    def elements(self, n):
        a = np.frombuffer(self.read(4 * n), "<u4").astype(np.int64)
        need((a < P).all(), "element not reduced")
        return a

    def message(self, name, value, n=1, pad=None):
        m = self.elements(6 * n)
        self.tr.absorb(name, fbytes(m))
        return m

    def check(self, ok, why):
        need(ok, why)

    def column(self, width, root, salted, j, depth):
        col = self.elements(width)
        salt = self.read(32) if salted else b""
        path = [self.read(32) for _ in range(depth)]
        need(root_of(col, salt, j, path) == root, "Merkle path")
        return col

    def open_columns(self, pos):
        n = PAR.c + 2
        return [(self.column(4, self.stm.w_root, True, j, n),
                 self.column(12 + ROWS - 2, self.x_root, True, j, n)) for j in pos]

    def commit_u(self, level, c):
        root = self.read(32)
        self.tr.absorb(f"tail/{level}/root", root)
        return root

    def open_tail(self, level, root, pos):
        c = PAR.c - 2 * (level + 1)
        return [self.column(24, root, False, j, c + 2) for j in pos]

    def nothing(self, *args):
        return None
    bind_weights = fraction_tree = matmul_prover = product_prover = mask_sum = nothing
    merge_prover = fold_rows = evaluate = make_u = vector = tail_prover = fold_u = nothing

if __name__ == "__main__":
    import protocol_model_checks
    sys.exit(protocol_model_checks.main())
