# SPDX-License-Identifier: Apache-2.0
"""Checks of the protocol model: completeness, about a hundred targeted cheats, a lie in every
message, and hiding.  Run through protocol_model.py."""
from protocol_model import *

START = time.time()

def instance(ties=False, corrupt=None):
    w1, w2 = RNG.integers(-3, 4, (4, 4)), RNG.integers(-3, 4, (8, 4))
    if ties:
        w2[5] = w2[2]
    w, x = Weights(w1, w2, corrupt), RNG.integers(-3, 4, (PAR.T, PAR.K1))
    top = run_model(w, x)["y2"][0]
    return w, Statement(w.tree.root, x, int(np.argmax(top)))

def say(text):
    print(f"[{time.time() - START:5.1f} s] {text}", flush=True)

def test_field():
    p2 = P * P - 1                                   # order of C*
    def cp(e):
        return cpow((2, 1), e)
    assert pow(P - 1, (P - 1) // 2, P) == P - 1      # -1 is no square: C is a field
    assert p2 % 3 == 0 and cp(p2 // 3) != (1, 0)     # 2+i is no cube in C: K is a field
    w = BASIS[2]
    assert (kprod([w, w, w]) == np.array([2, 1, 0, 0, 0, 0])).all()
    a, b, c = krand(50), krand(50), krand(50)
    assert (kmul(kmul(a, b), c) == kmul(a, kmul(b, c))).all() and (kmul(a, b) == kmul(b, a)).all()
    assert (kmul(a, (b + c) % P) == (kmul(a, b) + kmul(a, c)) % P).all()
    for x in a:
        assert (kmul(x, kinv(x)) == ONE).all()
    assert (GEN[0] ** 2 + GEN[1] ** 2) % P == 1 and cpow(GEN, 2**30) == (P - 1, 0)
    say("field: w^3-(2+i) irreducible, ring laws, inverses, circle generator of order 2^31")

def circle_product(code, pos):
    out = (1, 0)
    for j in pos:
        out = cmul(out, code.points[j])
    return out

def test_code():
    for c in range(2, 9):
        code = Code(c)
        assert all((v != 0).all() for v in code.vars), "a basis variable vanishes"
        m = RNG.integers(0, P, 1 << c)
        w = code.encode(m)
        for j in RNG.choice(code.D, 12, replace=False):
            assert w[j] == (code.functional(j) * m % P).sum() % P
    mk = krand(32)
    for j in (0, 5, 77):
        assert (Code(5).encode_k(mk)[j] == ksum(fk(Code(5).functional(j), mk))).all()
    say("code: FFT = tensor functional at every size 4..256; no variable vanishes on the domain")
    for c in (3, 4, 5):                              # distance: C+1 positions determine a word
        code = Code(c)
        for _ in range(30):
            pos = RNG.choice(code.D, code.C + 1, replace=False)
            assert rank_mod_p([code.functional(j) for j in pos]) == code.C
    code, n = Code(4), 0                             # ... and C need not: distance is D - C
    while circle_product(code, pos := RNG.choice(code.D, code.C, replace=False)) != (P - 1, 0):
        n += 1
    assert rank_mod_p([code.functional(j) for j in pos]) == code.C - 1
    say("code: any C+1 positions have full rank; C positions whose product is -1 do not")

def test_slots():
    tried = singular = 0
    for c, q in ((4, 2), (5, 4), (6, 8), (7, 8), (7, 16), (8, 32), (8, 64)):
        code = Code(c)
        for _ in range(25):
            for t in {1, q // 2, q - 1, q}:
                pos = RNG.choice(code.D, t, replace=False)
                r = rank_mod_p([code.functional(j)[-q:] for j in pos])
                bad = t == q and circle_product(code, pos) == (P - 1, 0)
                assert r == (t - 1 if bad else t)
                tried, singular = tried + 1, singular + bad
    code, q = Code(5), 4                             # every set of a small case
    pos, hit = np.arange(code.D), 0
    for _ in range(20000):
        four = RNG.choice(code.D, 4, replace=False)
        if circle_product(code, four) == (P - 1, 0):
            assert rank_mod_p([code.functional(j)[-4:] for j in four]) == 3
            hit += 1
    assert hit
    # the same count of slots in the other bit order: two positions of one fibre are dependent
    slots = [((b & 1) << 4) | ((b >> 1 & 1) << 3) | 7 for b in range(4)]
    d = code.D
    assert rank_mod_p([code.functional(j)[slots] for j in (3, d - 1 - 3)]) == 1
    say(f"slots: {tried} random sets: t <= q-1 positions always independent; t = q fails exactly "
        f"when the product of the points is -1 ({singular + hit} met); reversed bit order leaks")

def test_honest():
    n = 0
    for i in range(20):
        w, stm = instance(ties=i % 4 == 0)
        proof = Prover(w, stm).prove()
        ok, why = Verifier(stm, proof).verify()
        assert ok, why
        n += len(proof)
    say(f"honest: 20 proofs accepted, {n // 20} bytes on average")
    named = {int(v) for a in (LAY.y1, LAY.r1, LAY.y2, LAY.r2, LAY.mult, LAY.kc) for v in a.ravel()}
    spare = [i for i in range(2 * C, CELLS) if i not in named]
    def junk(cells):
        cells.reshape(-1)[spare] = RNG.integers(0, P, len(spare))
        return cells
    w.rows[:, PAR.K1 + 2 * PAR.J1:] = RNG.integers(0, P, (4, C - PAR.K1 - 2 * PAR.J1))
    w.tree = Tree(Code(PAR.c).encode(w.rows).T.copy(), True)
    stm = Statement(w.tree.root, stm.x, stm.argmax)
    assert Verifier(stm, Prover(w, stm, cheat={"cells": junk}).prove()).verify()[0]
    assert not Verifier(Statement(w.tree.root, stm.x, (stm.argmax + 1) % 8), Prover(
        w, Statement(w.tree.root, stm.x, (stm.argmax + 1) % 8), cheat={"cells": junk}).prove()).verify()[0]
    say("honest: junk in every unnamed cell of weights and witness changes nothing")

class GkrLiar(Prover):
    """Makes every layer's check pass by choosing p0, and so pushes the lie to the leaves."""
    def chal(self, label, n=None):
        k = super().chal(label, n)
        if label.endswith("lambda"):
            self.lam = k
        return k
    def value(self, form):
        out = (form.v[-1] + kdot(form.v[:-1], self.pads)) % P
        return out if form.f is None else (out + kdot(form.f, self.stack.reshape(-1, 6))) % P
    def padded_sumcheck(self, name, claim, n, deg, prover):
        claim, r = super().padded_sumcheck(name, claim, n, deg, prover)
        self.last, self.sc = claim, prover
        return claim, r
    def hidden(self, name, value):
        if name.startswith("gkr") and name.endswith("/p0"):
            e, p0, p1, q0, q1 = [a[0] for a in self.sc.a]
            rest = kmul(q0, (p1 + kmul(self.lam, q1)) % P)
            value = kmul((kmul(self.value(self.last), kinv(e)) - rest) % P, kinv(q1))
            self.sc.a[1][0] = value
        return super().hidden(name, value)

class KernelU(Prover):
    """Alters u so that both evaluation claims still hold."""
    def evaluate(self, fun, which):
        if which == "fold" and not hasattr(self, "ez"):
            self.ez = fun
        return super().evaluate(fun, which)
    def make_u(self, eps):
        super().make_u(eps)
        d = krand(1)[0]
        self.u[90] = (self.u[90] + kmul(d, self.ez[91])) % P
        self.u[91] = (self.u[91] - kmul(d, self.ez[90])) % P

class MergeLiar(Prover):
    """A false claim; the row evaluation is chosen so that the last check of the merge passes."""
    def plain_sumcheck(self, name, claim, n, prover):
        claim, r = super().plain_sumcheck(name, claim, n, prover)
        if name == "merge":
            s = (self.M[0] + sum(kmul(self.M[1 + 2 * i], x) + kmul(self.M[2 + 2 * i], kmul(x, x))
                                 for i, x in enumerate(r))) % P
            self.fake = kmul((claim - kmul(self.rho, s)) % P, kinv(prover.a[0][0]))
        return claim, r
    def chal(self, label, n=None):
        k = super().chal(label, n)
        self.rho = k if label == "merge/rho" else getattr(self, "rho", None)
        return k
    def evaluate(self, fun, which):
        if self.fake is not None:
            out, self.fake = self.fake, None
            return out
        return super().evaluate(fun, which)

def change(fn):
    def f(v):
        v = v.copy() if not isinstance(v, dict) else {k: a.copy() for k, a in v.items()}
        fn(v)
        return v
    return f

def noise(row):
    """A row with 45 % of its codeword positions replaced: far from every codeword."""
    def f(word):
        word, axis = word.copy(), word.shape[1]
        at = RNG.choice(axis, int(0.45 * axis), replace=False)
        word[row, at] = RNG.integers(0, P, word[row, at].shape)
        return word
    return f

def test_cheats():
    count = 0
    def expect(name, w, stm, cheat=None, cls=Prover, vstm=None, edit=None):
        nonlocal count
        proof = cls(w, stm, cheat=cheat).prove()
        for fn in edit or [lambda b: b]:
            ok, why = Verifier(vstm or stm, fn(proof)).verify()
            assert not ok, f"accepted: {name}"
            count += 1
    w, stm = instance()
    kc = {n: LAY.kc[i] for n, i in PLAN.index.items()}
    def put(arr, at, d):
        return change(lambda v: v[arr].__setitem__(at, v[arr][at] + d))
    both = lambda f, g: lambda v: g(f(v))
    # -- the witness
    other, _ = instance()
    expect("output of other weights", w, stm, {"witness": lambda v: run_model(other, stm.x)})
    twin = Weights(other.w1, other.w2)
    twin.tree = w.tree
    expect("other weights folded over the committed tree", twin, stm)
    for arr in ("r1", "r2", "y1", "y2"):
        expect(f"{arr} off by one", w, stm, {"witness": put(arr, (1, 2), 1)})
    expect("r2 off by one, lie pushed into the merge", w, stm, {"witness": put("r2", (1, 2), 1)}, MergeLiar)
    for n in "12":
        expect(f"y{n}-1, r{n}+2^s", w, stm,
               {"witness": both(put("y" + n, (2, 1), -1), put("r" + n, (2, 1), 8))})
        expect(f"y{n} wraps around p", w, stm,
               {"witness": both(put("y" + n, (0, 3), 2**28), put("r" + n, (0, 3), -1))})
    bad_r = both(put("y2", (2, 1), -1), put("r2", (2, 1), 8))
    expect("remainder out of range, lie pushed down the GKR tree", w, stm,
           {"witness": bad_r}, GkrLiar)
    expect("multiplicity + 1", w, stm, {"mult": change(lambda v: v.__setitem__(3, v[3] + 1))})
    expect("multiplicity moved", w, stm,
           {"mult": change(lambda v: v.__iadd__(np.eye(40, dtype=np.int64)[3] - np.eye(40, dtype=np.int64)[4]))})
    wrong = Statement(w.tree.root, stm.x, (stm.argmax + 1) % 8)
    expect("wrong arg max", w, wrong)
    expect("wrong arg max, lie pushed down the GKR tree", w, wrong, None, GkrLiar)
    while True:
        wt, st = instance(ties=True)
        if st.argmax == 2:
            break
    expect("larger index of a tie", wt, Statement(wt.tree.root, st.x, 5))
    # -- pads and products
    i, j = PLAN.index["gkr/3/q0"], PLAN.index["gkr/3/q1"]
    expect("swapped pads", w, stm, {"pad index": lambda v: {i: j, j: i}.get(v, v)})
    for name in ("gkr/4/p0*q1".replace("*", "*gkr/4/"), "mm/a*mm/b", "dummy/a*dummy/b"):
        expect(f"product cell {name}", w, stm,
               {"pads": change(lambda v, k=PLAN.index[name]: v.__setitem__((k, 2), (v[k, 2] + 1) % P))})
    expect("committed pad differs from the used one", w, stm, {"cells": change(
        lambda v: v.reshape(-1).__setitem__(kc["mm/1/2"][4], 7))})
    # -- commitments and openings
    expect("witness row far from the code", w, stm, {"word": noise(14)})
    expect("mask row far from the code", w, stm, {"word": noise(2)})
    wc, sc = instance(corrupt=noise(1))
    expect("weights row far from the code", wc, sc)
    expect("tail word far from the code", w, stm, {"tail word": noise(1)})
    for name in ("column W", "column X", "column U"):
        expect(f"{name} altered", w, stm, {name: change(lambda v: v.__setitem__(1, (v[1] + 1) % P))})
    expect("committed mask row differs from the used one", w, stm, {"word": lambda v: np.concatenate(
        [Code(PAR.c).encode(krand(C).T), v[6:]])})
    expect("committed R differs from the used one", w, stm, {"word": lambda v: np.concatenate(
        [v[:6], Code(PAR.c).encode(krand(C).T), v[12:]])})
    expect("u altered", w, stm, {"u": change(lambda v: v.__setitem__(50, krand(1)[0]))})
    expect("u altered inside the kernel of both claims", w, stm, None, KernelU)
    # -- bytes and public data
    def bump(at):
        def f(b):
            v = int.from_bytes(b[at:at + 4], "little") + P
            return b[:at] + v.to_bytes(4, "little") + b[at + 4:]
        return f
    flips = [lambda b, k=k: b[:k] + bytes([b[k] ^ 1]) + b[k + 1:] for k in RNG.integers(0, 31000, 25)]
    swap = Prover(w, stm).prove()
    expect("bytes", w, stm, None, edit=flips + [bump(32), bump(400), lambda b: b + b"\0",
           lambda b: b[:-1], lambda b: swap[:32] + b[32:], lambda b: b[:40]])
    x2 = stm.x.copy()
    x2[1, 1] += 1
    for v in (Statement(w.tree.root, x2, stm.argmax), Statement(other.tree.root, stm.x, stm.argmax), wrong):
        expect("another statement", w, stm, vstm=v)
    say(f"cheats: {count} rejected, 34 of them edits of the bytes or of the public data")
    pr = Prover(w, stm)
    pr.prove()
    names = dict.fromkeys(n for n, _ in pr.revealed if not n.startswith("column"))
    for n in names:
        def lie(m, v=krand(1)[0]):
            m = m.copy()
            m.reshape(-1, 6)[0] += v
            return m
        expect(f"lie in {n}", w, stm, {n: lie})
    say(f"cheats: a lie in each of the {len(names)} messages rejected")

def test_mutants():
    """The cheats are sharp: drop one check from the protocol and its cheat is accepted."""
    w, stm = instance()
    wit = run_model(w, stm.x)
    def shift(name):               # +1 on one remainder, still in range
        at = tuple(np.argwhere(wit[name] < 7)[0])
        return {"witness": change(lambda v: v[name].__setitem__(at, v[name][at] + 1))}
    at = tuple(np.argwhere((wit["r2"] < 8) & (wit["y2"] > -9))[0])
    far = {"witness": change(lambda v: (v["y2"].__setitem__(at, v["y2"][at] - 1),
                                        v["r2"].__setitem__(at, v["r2"][at] + 8)))}
    dummy = {"pads": change(lambda v: v.__setitem__((PLAN.index["dummy/a*dummy/b"], 2), 1))}
    bump = {"gkr/3/0/2": lambda m: (m + 5) % P}
    keep_require, keep_tail = Party.require, Party.tail
    def run(cls, cheat, drop, claim=None):
        def require(self, form):
            self.constraints.append(Form() if len(self.constraints) == drop else form)
        def tail(self, c, claims, first):
            if claim is not None:
                claims = [(f, v) for i, (f, v) in enumerate(claims) if i != claim]
            if claim == 2:
                first = lambda: (self.open_columns(self.tr.positions("positions", D, PAR.t)), [])[1]
            keep_tail(self, c, claims, first)
        Party.require, Party.tail = require, tail
        try:
            return Verifier(stm, cls(w, stm, cheat=cheat).prove()).verify()[0]
        finally:
            Party.require, Party.tail = keep_require, keep_tail
    cases = [(Prover, bump, 3, None), (GkrLiar, far, 7, None), (Prover, shift("r1"), 9, None),
             (Prover, shift("r2"), 10, None), (Prover, dummy, 15, None),
             (MergeLiar, shift("r2"), None, 0), (KernelU, {}, None, 2)]
    for cls, cheat, drop, claim in cases:
        assert not run(cls, cheat, None) and run(cls, cheat, drop, claim), (cls, drop, claim)
    say(f"mutants: {len(cases)} dropped checks, each let its cheat through; with the check it is rejected")

class Probe(Prover):
    """The opening alone, on a tiny stack, for fixed challenges: its view is an affine function of
    its coins, so hiding can be decided exactly.  Rows: P = fold of two weight rows, R, two F-rows."""
    c, q, n = 5, 4, 32
    phi = fk(RNG.integers(0, P, (4, 32)), ONE)       # base-field coefficients keep the test simple
    def __init__(self, coins, f, t=3, r=None, s_degree=2, slots=None):
        self.tr, self.cheat, self.out, self.revealed = FixedTranscript(), {}, [], []
        take = lambda k: np.array([next(coins) for _ in range(k)], np.int64)
        coins = iter(coins)
        self.M, self.R = take(6 * self.n).reshape(-1, 6), take(6 * self.n).reshape(-1, 6)
        if s_degree == 1:
            self.M[2:15:2] = 0                       # univariates without quadratic terms
        self.R[:{None: 0, "slots only": self.n - self.q, "none": self.n}[r]] = 0
        slots = np.arange(self.n - self.q, self.n) if slots is None else slots
        f, phi = f.copy(), self.phi.copy()
        f[:, slots] = take(4 * self.q).reshape(4, -1)
        phi[:, slots], phi[1] = 0, 0
        rj = self.chal("rj")
        p = (fk(f[0], (ONE - rj) % P) + fk(f[1], rj)) % P
        self.stack = np.stack([p, self.R, fk(f[2], ONE), fk(f[3], ONE)])
        self.value = kdot(phi.reshape(-1, 6), self.stack.reshape(-1, 6))
        self.merge(phi.reshape(-1, 6), self.value, 7, 5)
        view, code = [v for _, v in self.revealed] + [self.u.reshape(-1)], Code(self.c)
        for j in self.tr.positions("positions", code.D, t):
            fun = code.functional(j)
            view += [ksum(fk(fun, self.M)), ksum(fk(fun, self.R)), (f * fun % P).sum(axis=1) % P]
        self.view = np.concatenate(view) % P

def probe(**kw):
    """(rank of coins -> view, length of the view, is the difference of two data sets with one
    and the same public claim covered by the coins?)"""
    n = Probe.n
    f = RNG.integers(0, P, (4, n))
    g, zero = f.copy(), np.zeros(12 * n + 4 * Probe.q, np.int64)
    g[2, 5] = (g[2, 5] + Probe.phi[2, 6, 0]) % P     # the claim does not see this change
    g[2, 6] = (g[2, 6] - Probe.phi[2, 5, 0]) % P
    base, other = Probe(zero, f, **kw), Probe(zero, g, **kw)
    assert (other.value == base.value).all()
    m = [(Probe(e, f, **kw).view - base.view) % P for e in np.eye(len(zero), dtype=np.int64)]
    rank = rank_mod_p(m)
    return rank, len(base.view), rank_mod_p(m + [(other.view - base.view) % P]) == rank

def test_opening_hides():
    eqs = lambda t: 6 * (t + 2)                      # what the verifier can recompute
    rank, size, covered = probe()
    assert rank == size - eqs(3) and covered
    say(f"opening: view of {size} elements = {eqs(3)} verifier equations + {rank} uniform ones (exact)")
    out = []
    for name, kw in (("no row R", dict(r="none")), ("R random in its slots only", dict(r="slots only")),
                     ("univariates of degree 1", dict(s_degree=1)), ("more positions than slots - 1", dict(t=6))):
        rank, size, covered = probe(**kw)
        assert not covered or rank < size - eqs(kw.get("t", 3)), name
        out.append(f"{name}: {size - eqs(kw.get('t', 3)) - rank} short, data {'covered' if covered else 'LEAKS'}")
    say("opening, weakened (must leak): " + "; ".join(out))

class Still(Prover):
    """Stops after the reduction; pads given."""
    def __init__(self, w, stm, pads):
        self.given = pads
        super().__init__(w, stm, FixedTranscript(), {"pads": lambda v: pads.copy()})
    def batch(self):
        raise Reject("stop")

def test_pads_hide():
    """Every padded message has its own pad, and a~, b~ have the dummy entry."""
    w, stm = instance()
    def view(pads):
        pr = Still(w, stm, pads)
        try:
            pr.prove()
        except Reject:
            pass
        return {k: v for k, v in pr.revealed}
    pads = krand(PLAN.size)
    base, sent = view(pads), 0
    for name, i in PLAN.index.items():
        moved = pads.copy()
        moved[i] = (moved[i] + ONE) % P
        now = view(moved)
        diff = {n for n in base if (now[n] != base[n]).any()}
        early = {n for n in diff if not n.startswith("prod")}
        if name in base:           # the list sumcheck works on pads: it may move, under its own pads
            assert diff == {name} if name.startswith("prod") else early == {name}
            sent += 1
        else:
            ends = diff & {"prod/a~", "prod/b~"}
            assert not early and ends == {"dummy/a": {"prod/a~"}, "dummy/b": {"prod/b~"}}.get(name, set())
    # without the dummy entry a~ would be the same combination of pads that the messages
    # carry: a~ minus that combination of the messages is a fixed function of hidden values
    leak = []
    for fresh in (True, False):
        seen = set()
        for _ in range(4):
            pads = krand(PLAN.size)
            if not fresh:
                pads[PLAN.index["dummy/a"]] = 0
            pr = Still(w, stm, pads)
            try:
                pr.prove()
            except Reject:
                pass
            got = dict(pr.revealed)
            e = pr.list_eq
            comb = ksum(np.stack([kmul(e[l], got[n]) for l, (a, _, _) in enumerate(PLAN.products)
                                  for n in [list(PLAN.index)[a]] if n in got]))
            seen.add(tuple((comb - got["prod/a~"]) % P))
        leak.append(len(seen))
    assert leak == [4, 1]
    say(f"pads: each of {sent} messages moved by its own pad only; a~ leaks a fixed value without the dummy")

def test_marginals(n=64, bins=8):
    """Fixed challenges, fresh coins: every revealed element looks uniform, for two models."""
    stats = []
    x = RNG.integers(-3, 4, (PAR.T, PAR.K1))
    while len(stats) < 2:
        w, _ = instance()
        if run_model(w, x)["y2"][0].argmax() != 2:
            continue
        rows = []
        for _ in range(n):
            w = Weights(w.w1, w.w2)                  # fresh slots: the marginal over all coins
            stm = Statement(w.tree.root, x, 2)
            pr = Prover(w, stm, FixedTranscript())
            pr.prove()
            rows.append(np.concatenate([f for _, f in pr.revealed]))
        v = np.array(rows)                           # (n, elements)
        assert all(len(set(col)) > n - 4 for col in v.T), "a revealed element does not vary"
        hist = np.stack([(v * bins // P == b).sum(axis=0) for b in range(bins)])
        stats.append(hist)
    e = n / bins
    chi = [((h - e) ** 2 / e).sum(axis=0) for h in stats]
    two = ((stats[0] - stats[1]) ** 2 / np.maximum(stats[0] + stats[1], 1)).sum(axis=0)
    m = chi[0].size
    for name, c in (("first", chi[0]), ("second", chi[1]), ("pair", two)):
        assert c.max() < 48 and abs(c.mean() - (bins - 1)) < 0.35, (name, c.max(), c.mean())
    say(f"marginals: {m} revealed elements x {n} proofs x 2 models: chi-square means "
        f"{chi[0].mean():.2f}, {chi[1].mean():.2f}, between models {two.mean():.2f} (7 expected), "
        f"largest {max(c.max() for c in (*chi, two)):.1f}")

def test_traps():
    """Designs that look right and are not."""
    alpha = krand(1)[0]
    q = (alpha - kint(999999)) % P                   # one bad looked-up value, 2^31-1 times
    num, den, pn, pd = None, None, ONE, q
    for _ in range(31):                              # 2^k equal leaves; p = sum of 2^k, k < 31
        num, den = (pn, pd) if num is None else ((kmul(num, pd) + kmul(pn, den)) % P, kmul(den, pd))
        pn, pd = 2 * kmul(pn, pd) % P, kmul(pd, pd)
    assert (num == 0).all() and (den != 0).any()
    r = krand(3)                                     # one point for both axes of a matrix
    a = RNG.integers(0, P, (8, 8))
    e = eq_table(r)
    at = lambda m, u, v: ksum(kmul(np.stack([ksum(fk(row, v)) for row in m]), u))
    d = (a - a.T) % P                                # a wrong matrix: non-zero, antisymmetric
    assert d.any() and (at(d, e, e) == 0).all() and (at(d, e, eq_table(krand(3))) != 0).any()
    lam, ep, ex, dl = krand(4)                       # lambda known before both evaluations
    fake = (ex - kmul(dl, kinv(lam))) % P
    assert ((ep + kmul(lam, ex)) % P == (ep + dl + kmul(lam, fake)) % P).all()
    say("traps: a LogUp sum over 2^31-1 equal bad leaves is zero; one point on both axes of a "
        "matrix misses antisymmetric errors; evaluations sent after their batching challenge can be shifted")

SOUNDNESS = (test_field, test_code, test_slots, test_traps, test_honest, test_cheats, test_mutants)
HIDING = (test_opening_hides, test_pads_hide, test_marginals)

def main(checks=SOUNDNESS + HIDING):
    for check in checks:
        check()
    say("all checks passed")
    return 0
