#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Exact equality of views over tiny Mersenne fields: all coins are enumerated, so that "hides" means that two data sets with the
same public claims give literally the same histogram of views. Each weakened variant must give two different histograms.

1. Random slots over the circle code, p = 7 and p = 31 (all slot values).
2. The masked fold, p = 3, row length 4: the prover run on all 3^10 coins.
3. The masked merge and fold, p = 3, row length 8: all 3^18 coins, by convolving the coins one after the other (the view is
   affine in the coins; part 2 checks that the convolution and the run over all coins give the same histogram).
4. Pads and the product list, p = 7: all pads.
K = F here: the extension matters for soundness, not for hiding."""
import itertools
import numpy as np

RNG = np.random.default_rng(7)


# ---------------------------------------------------------------------------------- 1. slots

def circle_domain(p):
    """The circle group is cyclic of order p + 1 = 2^k; D = 2^(k-1) points of full order, as (x, y)."""
    mul = lambda a, b: ((a[0] * b[0] - a[1] * b[1]) % p, (a[0] * b[1] + a[1] * b[0]) % p)
    for g in itertools.product(range(p), repeat=2):
        powers, z = [], (1, 0)
        if (g[0] ** 2 + g[1] ** 2) % p != 1:
            continue
        for _ in range(p + 1):
            powers.append(z)
            z = mul(z, g)
        if len(set(powers)) == p + 1:
            return powers[1::2], mul
    raise AssertionError


def functional(p, c, point):
    """Index bit 0 is y, bit 1 is x, bit 2 is 2x^2 - 1, ..."""
    x, y = point
    v = np.ones(1, np.int64)
    for value in [y, x, 2 * x * x - 1, 2 * (2 * x * x - 1) ** 2 - 1][:c]:
        v = np.concatenate([v, v * value % p])
    return v % p


def all_coins(p, n):
    return np.stack(np.meshgrid(*[np.arange(p)] * n, indexing="ij"), axis=-1).reshape(-1, n).astype(np.int64)


def histogram(p, view):
    """Counts of the views (rows of a matrix), indexed by their base-p number."""
    index = np.zeros(len(view), np.int64)
    for column in view.T:
        index = index * p + column % p
    return np.bincount(index, minlength=p ** view.shape[1])


def slot_case(p, c, a, points, slots):
    """(uniform?, same for two data sets?) of the codeword values at these points."""
    coins = all_coins(p, 1 << a)
    f = np.stack([functional(p, c, z) for z in points])
    out = []
    for _ in range(2):
        data = RNG.integers(0, p, 1 << c)
        data[slots] = 0
        out.append(histogram(p, coins @ f[:, slots].T + f @ data))
    return (out[0] == len(coins) // p ** len(points)).all(), (out[0] == out[1]).all()


def check_slots(p, c, a, limit):
    domain, mul = circle_domain(p)
    q, n = 1 << a, 1 << c
    last = list(range(n - q, n))
    sets = {t: list(itertools.combinations(domain, t)) for t in (q - 1, q)}
    for t in sets:
        RNG.shuffle(sets[t])
    for points in sets[q - 1][:limit]:
        assert slot_case(p, c, a, points, last) == (True, True)
    seen = {False: 0, True: 0}
    for points in sets[q]:
        prod = (1, 0)
        for z in points:
            prod = mul(prod, tuple(z))
        bad = prod == (p - 1, 0)
        if seen[bad] < limit:
            seen[bad] += 1
            uniform, same = slot_case(p, c, a, points, last)
            assert uniform != bad and (same or bad)
            # where the product is -1 one combination is a function of the data: look until two data sets differ in it
            assert not bad or not all(slot_case(p, c, a, points, last)[1] for _ in range(8))
    assert min(seen.values()) > 0
    # the same number of slots in reversed index order: two points of one fibre
    reverse = [int(format(i, f"0{c}b")[::-1], 2) for i in last]
    x, y = domain[0]
    assert not slot_case(p, c, a, [(x, y), (x, p - y)], reverse)[0]
    print(f"slots, p = {p}, row {n}, {q} slots, all {p ** q} values: {q - 1} positions uniform and the same for all data; {q} "
          f"positions not, where the product of points is -1 ({seen[True]} sets met)")


# ---------------------------------------------------------------------------------- 2, 3. merge and fold

class Opening:
    """The opening for fixed challenges. rows: how many data rows (weights or F-rows), each with its own slots; the stack is
    row 0 = data, row 1 = R, rows 2 .. = data, 2^bits rows in all. merge: with the masked sumcheck over the row bits.
    weak: the variant."""
    p = 3

    def __init__(self, n, data_rows, bits, merge, positions, slots, weak=None):
        self.n, self.data_rows, self.bits, self.merge, self.slots, self.weak = n, data_rows, bits, merge, slots, weak
        self.functionals = np.array([self.tensor(v) for v in positions])
        self.r = np.array([2, 0][:bits])           # eq(r, 1), the weight of R, is not 0
        self.rho, self.eps = 2, 1
        self.phi = np.zeros((1 << bits, n), np.int64)
        for row in [0] + list(range(2, 1 + data_rows)):
            self.phi[row] = RNG.integers(1, self.p, n)
            self.phi[row, slots] = 0
        self.z = self.phi[0] * np.where(np.arange(n) % 2, 1, 2) % self.p      # not a multiple of phi; 0 on slots
        self.ncoins = 2 * n + data_rows * len(slots)

    def tensor(self, values):
        v = np.ones(1, np.int64)
        for x in values:
            v = np.concatenate([v, v * x % self.p])
        return v

    def fold(self, a, x):                          # lowest row bit of axis -2
        return ((1 - x) * a[..., 0::2, :] + x * a[..., 1::2, :]) % self.p

    def run(self, coins, data):
        """coins (m, ncoins), data (data_rows, n): the view by names, each (m, k)."""
        p, n, m = self.p, self.n, len(coins)
        M, R, slots = coins[:, :n].copy(), coins[:, n:2 * n].copy(), coins[:, 2 * n:]
        if self.weak == "no R":
            R[:] = 0
        if self.weak == "no M":
            M[:] = 0
        if self.weak == "R on its slots only":
            R[:, [i for i in range(n) if i not in self.slots]] = 0
        stack = np.zeros((m, 1 << self.bits, n), np.int64)
        for k, row in enumerate([0] + list(range(2, 1 + self.data_rows))):
            stack[:, row] = data[k]
            stack[:, row, self.slots] = slots.reshape(m, self.data_rows, -1)[:, k]
        stack[:, 1] = R
        view = {}
        a, b = M[:, 1:2 * self.bits + 1:2], M[:, 2:2 * self.bits + 2:2].copy()
        if self.weak == "mask of degree 1":
            b[:] = 0
        phi, st, done = self.phi[None], stack, M[:, 0].copy()
        if self.merge:
            view["sum"] = (2 ** self.bits * M[:, 0] + 2 ** (self.bits - 1) * (a + b).sum(axis=1))[:, None] % p
            last = ((phi * stack).sum(axis=(1, 2)) + self.rho * view["sum"][:, 0]) % p
        for i, r in enumerate(self.r):
            if self.merge:
                left = self.bits - 1 - i
                rest = (a + b)[:, i + 1:].sum(axis=1)
                def g(x):
                    mask = 2 ** left * (done + a[:, i] * x + b[:, i] * x * x) + (2 ** (left - 1) * rest if left else 0)
                    return ((self.fold(phi, x) * self.fold(st, x)).sum(axis=(1, 2)) + self.rho * mask) % p
                g0, g1, g2 = g(0), g(1), g(2)
                assert ((g0 + g1 - last) % p == 0).all()
                view[f"g{i}"] = np.stack([g0, g2], axis=1)
                # degree 2 through 0, 1, 2; 1/2 = 2 in F_3
                last = (g0 * 2 * (r - 1) * (r - 2) - g1 * r * (r - 2) + g2 * 2 * r * (r - 1)) % p
                done = (done + a[:, i] * r + b[:, i] * r * r) % p
            phi, st = self.fold(phi, r), self.fold(st, r)
        # after the merge the claim is <phi folded by r, fold>; alone, the fold is asked for some other functional
        fold, z = st[:, 0], phi[0, 0] if self.merge else self.z
        lr = np.zeros(n, np.int64)
        lr[0] = 1
        for i, r in enumerate(self.r):
            lr[1 + 2 * i], lr[2 + 2 * i] = r, r * r % p
        view["e"] = (fold @ z)[:, None] % p
        u = (M + self.eps * fold) % p
        view["u"] = u
        for k, row in enumerate([0] + list(range(2, 1 + self.data_rows))):
            view[f"column {k}"] = stack[:, row] @ self.functionals.T % p
        view["column R"] = R @ self.functionals.T % p
        # what follows from the rest by the verifier's equations
        view["mu"], view["column M"] = (M @ z)[:, None] % p, M @ self.functionals.T % p
        if self.merge:
            view["f"] = (fold @ lr)[:, None] % p
        if self.weak is None and self.merge:
            assert ((last - view["e"][:, 0] - self.rho * done) % p == 0).all()
            assert ((done + self.eps * view["f"][:, 0] - u @ lr) % p == 0).all()
        if self.weak is None:
            assert ((u @ z - view["mu"][:, 0] - self.eps * view["e"][:, 0]) % p == 0).all()
            assert ((u - M - self.eps * fold) % p == 0).all()
        return view

    def claim(self, data):
        return sum(int(self.phi[row] @ data[k]) for k, row in enumerate([0] + list(range(2, 1 + self.data_rows)))) % self.p

    def two_data_sets(self):
        while True:
            d = RNG.integers(0, self.p, (2, self.data_rows, self.n))
            d[..., self.slots] = 0
            if (d[0] != d[1]).any() and self.claim(d[0]) == self.claim(d[1]):
                return d

    def flat(self, coins, data, names):
        view = self.run(coins, data)
        return np.concatenate([v for k, v in view.items() if names is None or k in names], axis=1) % self.p

    def exhaustive(self, data, names=None):
        return histogram(self.p, self.flat(all_coins(self.p, self.ncoins), data, names))

    def convolved(self, data, names=None):
        """The same histogram, coin by coin."""
        zero = np.zeros((1, self.ncoins), np.int64)
        base = self.flat(zero, data, names)[0]
        unit = (self.flat(np.eye(self.ncoins, dtype=np.int64), data, names) - base) % self.p
        probe = RNG.integers(0, self.p, (50, self.ncoins))
        assert ((self.flat(probe, data, names) - base - probe @ unit) % self.p == 0).all()      # affine
        h = np.zeros((self.p,) * len(base), np.uint32)
        h[tuple(base)] = 1
        for vector in unit:
            total, moved = h.copy(), h
            for _ in range(self.p - 1):
                for axis in np.nonzero(vector)[0]:
                    moved = np.roll(moved, vector[axis], axis)
                total += moved
            h = total
        return h.reshape(-1)


def differ(make, names, count=12):
    """Do some two data sets with equal claims have different histograms?"""
    o = make()
    for _ in range(count):
        a, b = o.two_data_sets()
        if (o.exhaustive(a, names) if o.ncoins <= 10 else o.convolved(a, names)).tolist() != \
           (o.exhaustive(b, names) if o.ncoins <= 10 else o.convolved(b, names)).tolist():
            return True
    return False


def check_fold():
    one = [(2, 1)]
    make = lambda weak=None, positions=one, slots=(2, 3): \
        (lambda: Opening(4, 1, 1, False, positions, list(slots), weak))
    o = make()()
    for _ in range(6):
        a, b = o.two_data_sets()
        ha = o.exhaustive(a)
        assert (ha == o.exhaustive(b)).all() and (ha == o.convolved(a)).all() and ha.sum() == 3 ** 10
    assert not differ(make(), None)
    assert differ(make("no R"), None)
    assert differ(make(None, [(1, 1), (2, 1)], (1, 3)), None)          # slots in reversed order, a fibre of y
    print("fold, p = 3, all 59,049 coins: the same view for all data; without R, or with slots in reversed order: not")


def check_merge():
    o = Opening(8, 1, 1, True, [(2, 1, 2)], [6, 7])
    names = {"sum", "g0", "e", "u", "column 0", "column R"}
    a, b = o.two_data_sets()
    ha = o.convolved(a, names)
    assert (ha == o.convolved(b, names)).all() and (ha == 3 ** 18 // 3 ** 14).all()
    print("merge and fold, p = 3, one row variable, all 387,420,489 coins: 4,782,969 views, each 81 times, for both data sets")
    # two row variables and two data rows; the messages of merge and fold without u: a part of the view that must be equal already
    part = {"sum", "g0", "g1", "e", "column 0", "column 1", "column R"}
    make = lambda weak=None: (lambda: Opening(8, 2, 2, True, [(2, 1, 2)], [6, 7], weak))
    assert not differ(make(), part, 6)
    for weak in ("no R", "R on its slots only", "no M", "mask of degree 1"):
        assert differ(make(weak), part), weak
    print("merge, p = 3, two row variables, all 3^20 coins: weakened (no R, R on its slots only, no M, mask of degree 1) the views differ")


# ---------------------------------------------------------------------------------- 4. pads

def check_pads(p=7):
    """Hidden x and y are sent padded; the list holds pad_x pad_y and a dummy; its evaluation is sent in clear."""
    eq = (3, 5)                                    # weights of the two entries, neither is 0
    coins = all_coins(p, 5)                        # pad_x, pad_y, dummy a, dummy b, the pad of a list message
    def view(x, y, dummy=True, reuse=False):
        px, py, a, b, pl = coins.T
        if not dummy:
            a, b = 0 * a, 0 * b
        if reuse:
            py = px
        first = (eq[0] * px * py + eq[1] * a * b + pl) % p          # a message of the list's sumcheck, padded
        return histogram(p, np.stack([x + px, y + py, first, eq[0] * px + eq[1] * a, eq[0] * py + eq[1] * b], axis=1))
    flat = view(0, 0)
    assert (flat == 1).all()
    assert all((view(x, y) == flat).all() for x in range(p) for y in range(p))
    for weak in (dict(dummy=False), dict(reuse=True)):
        assert len({view(x, y, **weak).tobytes() for x in range(p) for y in range(p)}) > 1
    print(f"pads, p = {p}, all {p ** 5} coins: the same view for all hidden values; without the dummy, or with one pad twice: not")


def main():
    check_slots(7, 2, 1, 4)
    check_slots(31, 3, 2, 6)
    check_fold()
    check_merge()
    check_pads()
    print("all checks passed")


main()
