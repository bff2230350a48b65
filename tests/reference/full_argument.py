# SPDX-License-Identifier: Apache-2.0
"""The argument around the relations, docs/protocol.md §8 - §10: hidden messages, padded sumchecks, fraction trees, the product
list, the batch, the merge, the tail. One text for planner, verifier and prover; what they do differently are the methods at
the top of Argument.
"""
import numpy as np

from full_code import TAIL, WEIGHTS, WITNESS, Code, need
from full_field import BASIS, ONE, P, ZERO, Transcript, eq_at, eq_points, eq_table, fk, kdot, kint, kinv, kmul, ksum, lagrange
from full_layout import log2_up

TAIL_STOP, TAIL_ROWS, MAIN_RATE, TAIL_RATE = 12, 4, 2, 3        # all log2
QUERIES = {128: (192, 158), 100: (151, 126)}                    # main trees, tail trees


def grown(a, n):
    return a if len(a) >= n else np.concatenate([a, np.zeros((n - len(a), 6), np.int64)])


def added(a, b):
    n = max(len(a), len(b))
    return (grown(a, n) + grown(b, n)) % P


class Lin:
    """An affine form: const + sum pads[k] * pad k + sum products[k] * product cell k + sum of terms. A term is (tensor, coef,
    factors): coef * sum over cells of the product of the factors; a factor is (letters of its axes, array)."""

    def __init__(self, const=ZERO, pads=None, products=None, terms=()):
        empty = np.zeros((0, 6), np.int64)
        self.const, self.terms = const, list(terms)
        self.pads, self.products = empty if pads is None else pads, empty if products is None else products

    def __add__(self, o):
        return Lin((self.const + o.const) % P, added(self.pads, o.pads), added(self.products, o.products), self.terms + o.terms)

    def __mul__(self, k):
        k = kint(k) if np.ndim(k) == 0 else k
        return Lin(kmul(self.const, k), kmul(self.pads, k), kmul(self.products, k),
                   [(t, kmul(c, k), f) for t, c, f in self.terms])

    def __neg__(self):
        return Lin(-self.const % P, -self.pads % P, -self.products % P, [(t, -c % P, f) for t, c, f in self.terms])

    def __sub__(self, o):
        return self + -o

    def add(self, tensor, coef, *factors):
        self.terms.append((tensor, kint(coef) if np.ndim(coef) == 0 else coef, factors))
        return self


def unit(i, v=ONE):
    out = np.zeros((i + 1, 6), np.int64)
    out[i] = v
    return out


class Hidden(Lin):
    """A message value + pad as a claim about the value."""

    def __init__(self, sent, index):
        super().__init__(sent, unit(index, kint(-1)))
        self.sent, self.index = sent, index


class Argument:
    """The verifier's or prover's run. Subclasses give: emit, opened, and (prover) values; see below."""

    proving = planning = False

    def __init__(self, shape):
        self.shape, self.tr = shape, Transcript()
        self.n_hidden, self.pairs, self.requirements, self.counts = 0, [], [], None

    # -- differs between the parties

    def emit(self, label, n, values):
        """A message of n elements of K: the words sent."""
        raise NotImplementedError

    def emit_root(self, label, tree):
        raise NotImplementedError

    def opened(self, number, tree, root, depth, positions, width, salted):
        """Columns of an opening."""
        raise NotImplementedError

    def pad(self, index, n):
        """Pads added to hidden messages (prover)."""
        return np.zeros((n, 6), np.int64)

    # -- messages

    def clear(self, label, n=1, values=None):
        return self.emit(label, n, values)

    def hidden(self, label, n=1, values=None):
        """n messages of one element each."""
        i = self.n_hidden
        self.n_hidden += n
        if self.proving:
            values = (np.reshape(values, (n, 6)) + self.pad(i, n)) % P
        return [Hidden(self.emit(label, 1, values[k] if self.proving else None)[0], i + k) for k in range(n)]

    def product(self, a, b):
        """The product of two hidden values, §8.1."""
        k = len(self.pairs)
        self.pairs.append((a.index, b.index))
        return Lin(kmul(a.sent, b.sent), added(unit(a.index, (P - b.sent) % P), unit(b.index, (P - a.sent) % P)), unit(k))

    def require(self, name, lin):
        self.requirements.append((name, lin))

    # -- §8.2

    def padded_sumcheck(self, name, claim, degree, n_vars, prover=None):
        point = []
        for _ in range(n_vars):
            sent = self.hidden(name + "/g", degree, prover and prover.round())
            g = [sent[0], claim - sent[0], *sent[1:]]
            r = self.tr.challenge(name + "/r")
            point.append(r)
            if self.planning:
                continue
            claim = Lin()
            for weight, v in zip(lagrange(degree, r), g):
                claim = claim + v * weight
            if prover:
                prover.bind(r)
        return claim, point

    def plain_sumcheck(self, name, claim, n_vars, prover=None):
        point = []
        for _ in range(n_vars):
            g0, g2 = self.clear(name + "/g", 2, prover and prover.round())
            r = self.tr.challenge(name + "/r")
            weights = lagrange(2, r)
            claim = ksum(np.stack([kmul(w, v) for w, v in zip(weights, (g0, (claim - g0) % P, g2))]))
            if prover:
                prover.bind(r)
            point.append(r)
        return claim, point

    def dot(self, name, start, n_vars, n_terms, tables=None):
        """Sumcheck of start = sum of a_k b_k; returns the factors' claims and the point."""
        side = tables and tables()
        claim, point = self.padded_sumcheck(name, start, 2, n_vars, side)
        a, b = [], []
        for k in range(n_terms):
            a += self.hidden(f"{name}/a{k}", 1, side and side.factor(2 * k))
            b += self.hidden(f"{name}/b{k}", 1, side and side.factor(2 * k + 1))
        for x, y in zip(a, b):
            claim = claim - self.product(x, y)
        self.require(name, claim)
        return a, b, point

    # -- §8.3

    def fraction_tree(self, n_leaves, side=None):
        """Claims p, q at a point; side: the prover's tree."""
        depth = max(1, log2_up(n_leaves))
        p, r = Lin(), []
        q, = self.hidden("lookup/root", 1, side and side.root())
        for d in range(depth):
            lam = self.tr.challenge("lookup/lambda")
            layer = side and side.layer(d, r, lam)
            claim, rho = self.padded_sumcheck("lookup/sc", p + q * lam, 3, d, layer)
            four = [self.hidden("lookup/" + x, 1, layer and layer.factor(1 + k))[0] for k, x in enumerate(("p0", "p1", "q0", "q1"))]
            p0, p1, q0, q1 = four
            top = self.product(p0, q1)
            top = top + self.product(p1, q0)
            top = top + self.product(q0, q1) * lam
            self.require("lookup", claim - top * eq_points(r, rho))
            tau = self.tr.challenge("lookup/tau")
            p, q, r = p0 + (p1 - p0) * tau, q0 + (q1 - q0) * tau, [tau] + rho
        return p, q, r

    # -- §8.4, §8.5

    def product_list(self, side=None):
        """side: makes the prover's tables at tau."""
        n = len(self.pairs) + 1
        bits = log2_up(n)
        tau = self.tr.challenges("prod/tau", bits)
        e = eq_table(tau)[:n]
        side = side and side(tau)
        claim, rho = self.padded_sumcheck("prod/sc", Lin(products=e), 2, bits, side)
        ab = [self.clear("prod/a", 1, side and side.factor(0))[0], self.clear("prod/b", 1, side and side.factor(1))[0]]
        e_rho = eq_table(rho)[:n]
        for k, weights in enumerate((kmul(e_rho, e), e_rho)):
            pads = np.zeros((self.n_hidden + 2, 6), np.int64)
            for w, pair in zip(weights, self.pairs + [(self.n_hidden, self.n_hidden + 1)]):
                pads[pair[k]] = (pads[pair[k]] + w) % P
            self.require("prod " + "ab"[k], Lin(ab[k]) - Lin(pads=pads))
        self.require("prod", claim - Lin(kmul(ab[0], ab[1])))

    def batch(self):
        """{tensor: weights of its cells}, value."""
        chi, power, total, by_tensor = self.tr.challenge("chi"), ONE, Lin(), {}
        for _, lin in self.requirements:
            total = total + Lin(lin.const, lin.pads, lin.products) * power
            for tensor, coef, factors in lin.terms:
                by_tensor.setdefault(tensor, []).append((kmul(coef, power), factors))
            power = kmul(power, chi)
        phi = {}
        for tensor, terms in by_tensor.items():
            letters = self.shape.letters(tensor)
            phi[tensor] = np.zeros(self.shape.address[tensor].shape + (6,), np.int64)
            for coef, factors in terms:
                phi[tensor] = (phi[tensor] + dense(letters, coef, factors)) % P
        cells = np.concatenate([grown(total.pads, self.n_hidden + 2), grown(total.products, len(self.pairs) + 1)])
        phi["HID"] = kmul(BASIS[:, None, :], cells[None])
        return phi, (-total.const) % P

    # -- §9

    def merge(self, phi, value):
        """Claims (extension, dense weights, value) on u, and eq of the rows."""
        n = self.shape.c + self.shape.stack_bits
        total, = self.clear("merge/sum", 1, self.proving and self.mask_sum(n))
        rho = self.tr.challenge("merge/rho")
        claim = (value + kmul(rho, total)) % P
        claim, r = self.plain_sumcheck("merge", claim, n, self.proving and self.merge_prover(phi, rho, n))
        z, row = r[:self.shape.c], eq_table(r[self.shape.c:])[:2 + self.shape.n_rows]
        prefix = [ONE]
        for x in r:
            prefix += [x, kmul(x, x)]
        prefix = np.array(prefix)
        if self.proving:
            self.fold_rows(row)
        e, = self.clear("merge/e", 1, self.proving and self.evaluate(eq_table(z), "fold"))
        mu, = self.clear("merge/mu", 1, self.proving and self.evaluate(eq_table(z), "mask"))
        f, = self.clear("merge/f", 1, self.proving and self.evaluate(prefix, "fold"))
        phi_r = self.extension(phi, r)
        sigma = kmul((claim - kmul(phi_r, e)) % P, kinv(rho))
        eps = self.tr.challenge("eps")
        if self.proving:
            self.make_u(eps)
        claims = [Evaluation(z, (mu + kmul(eps, e)) % P), Prefix(prefix, (sigma + kmul(eps, f)) % P)]
        return claims, row, eps

    def extension(self, phi, r):
        out = ZERO
        for tensor, weights in phi.items():
            at = self.shape.address[tensor].reshape(-1)
            here = at >= 0
            out = (out + kdot(eq_at(r, at[here]), weights.reshape(-1, 6)[here])) % P
        return out

    def main_positions(self, row, eps):
        """Openings of both main trees as claims on u."""
        s, t = self.shape, QUERIES[self.shape.pub.security][0]
        code = Code(s.c, MAIN_RATE)
        at = self.tr.positions("positions", code.size, t)
        depth = s.c + MAIN_RATE
        w = self.opened(WEIGHTS, "weights", s.pub.root, depth, at, 1 << s.pub.jb, True)
        x = self.opened(WITNESS, "witness", self.witness_root, depth, at, 12 + s.n_rows, True)
        ej, out = eq_table(self.r_j), []
        for j, wc, xc in zip(at, w, x):
            m, mask, rows = xc[:6], xc[6:12], xc[12:]
            fold = kmul(row[0], ksum(fk(wc, ej))) + kmul(row[1], mask) + ksum(fk(rows, row[2:]))
            out.append(Position(code, j, (m + kmul(eps, fold % P)) % P))
        return out

    # -- §10

    def tail(self, claims, pending):
        """pending: opens the positions of the previous oracle, once the next vector is bound."""
        c, level = self.shape.c, 0
        while c > TAIL_STOP:
            c -= TAIL_ROWS
            root = self.emit_root("tail/root", self.proving and self.commit_u(level, c))
            claims = claims + pending()
            gamma, powers = self.tr.challenge("tail/gamma"), [ONE]
            for _ in claims[1:]:
                powers.append(kmul(powers[-1], gamma))
            value = ksum(np.stack([kmul(w, x.value) for w, x in zip(powers, claims)]))
            side = self.proving and self.tail_prover(sum_dense(claims, powers, c + TAIL_ROWS))
            value, r = self.plain_sumcheck("tail/sc", value, c + TAIL_ROWS, side)
            e, = self.clear("tail/e", 1, side and side.factor(1))
            phi_r = ksum(np.stack([kmul(w, x.extension(r)) for w, x in zip(powers, claims)]))
            need(self.proving or (value == kmul(phi_r, e)).all(), "the tail's sumcheck ends wrong")
            row = eq_table(r[c:])
            if self.proving:
                self.fold_u(row)
            claims = [Evaluation(r[:c], e)]
            pending = self.tail_positions(level, root, c, row)
            level += 1
        u = self.clear("tail/u", 1 << c, self.proving and self.u)
        for x in claims + pending():
            need(self.proving or (x.on(u) == x.value).all(), "the last vector is wrong")

    def tail_positions(self, level, root, c, row):
        def run():
            code = Code(c, TAIL_RATE)
            at = self.tr.positions("tail/positions", code.size, QUERIES[self.shape.pub.security][1])
            cols = self.opened(TAIL + level, level, root, c + TAIL_RATE, at, 6 << TAIL_ROWS, False)
            return [Position(code, j, kdot(col.reshape(-1, 6), row)) for j, col in zip(at, cols)]
        return run


def dense(letters, coef, factors):
    """coef * product of the factors as an array with one axis a letter."""
    out = coef.reshape((1,) * len(letters) + (6,))
    for names, a in sorted(factors, key=lambda f: f[1].size):
        order = sorted(names, key=letters.index)
        a = np.transpose(a, [names.index(x) for x in order] + [len(names)])
        size = dict(zip(order, a.shape))
        out = kmul(out, a.reshape([size.get(x, 1) for x in letters] + [6]))
    return out


# ---------------------------------------------------------------- claims on u

class Evaluation:
    def __init__(self, z, value):
        self.z, self.value = z, value

    def extension(self, r):
        return eq_points(self.z, r)

    def dense(self):
        return eq_table(self.z)

    def on(self, u):
        return kdot(self.dense(), u)


class Prefix(Evaluation):
    """Weights of the first entries."""

    def extension(self, r):
        return kmul(kdot(self.z, eq_table(r[:7])[:len(self.z)]), eq_points(r[7:], [ZERO] * (len(r) - 7)))

    def dense(self):
        return self.z

    def on(self, u):
        return kdot(self.z, u[:len(self.z)])


class Position(Evaluation):
    def __init__(self, code, j, value):
        self.code, self.j, self.value = code, j, value

    def extension(self, r):
        return self.code.extension(self.j, r)

    def dense(self):
        return self.code.functional(self.j)[:, None] * ONE

    def on(self, u):
        return ksum(fk(self.code.functional(self.j), u))


def sum_dense(claims, powers, bits):
    out = np.zeros((1 << bits, 6), np.int64)
    for x, w in zip(claims, powers):
        t = fk(x.code.functional(x.j), w) if isinstance(x, Position) else kmul(x.dense(), w)
        out[:len(t)] = (out[:len(t)] + t) % P
    return out
