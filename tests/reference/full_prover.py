# SPDX-License-Identifier: Apache-2.0
"""A prover for docs/protocol.md whose coins are fixed by 32 bytes, for test vectors. How pads, masks, slots and salts come from
the coins is no part of the protocol; this follows src/cp/prove.c: streams (full_field.stream_words) of the labels below.
"""
import numpy as np

from full_argument import TAIL_RATE, TAIL_ROWS
from full_code import TAIL, WEIGHTS, WITNESS, Code, Tree
from full_field import ONE, P, eq_table, fk, kbytes, kdot, kmul, ksum, stream_block, stream_words
from full_files import encode_proof, identify
from full_layout import WITNESS_SLOTS, Shape, log2_up
from full_model import Run, check_shapes
from full_statement import Statement, plan

SALT_KEY, PADS, MASK, ROW_R, SLOTS = 1, 2, 16, 32, 65536


# ---------------------------------------------------------------- the commitment

def matrix_rows(shape, weights, seed):
    """F-rows [R_W][2^c] of the weight tree."""
    pub = shape.pub
    rows = np.zeros((1 << pub.jb, 1 << pub.c), np.int64)
    grids = {g.name[2:]: g.addresses() for g in shape.weight_grids}
    for name, (n, out, k) in shape.matrix.items():
        w = weights[name].T[None] if name == "EMBED" else weights[name].reshape(n, out, k)
        j = np.arange(out)
        rows[j[None, :, None] & ((1 << pub.jb) - 1), grids[name][:, j >> pub.jb]] = w % P
    slots = 1 << pub.a
    for j in range(len(rows)):
        rows[j, -slots:] = stream_words(seed, SLOTS + j, slots)
    return rows


class Commitment:
    """pub without root and id is completed."""

    def __init__(self, pub, weights, seed):
        self.pub, self.weights = pub, weights
        self.rows = matrix_rows(Shape(pub, 1, 1), weights, seed)
        self.tree = Tree(WEIGHTS, Code(pub.c, 2).encode(self.rows).T, stream_block(seed, SALT_KEY))
        pub.root = self.tree.root
        identify(pub)


# ---------------------------------------------------------------- sumcheck tables

class Side:
    """Tables (2^n, 6) of a sumcheck; value(tables) is the summand, of the given degree in each variable."""

    def __init__(self, tables, value, degree):
        self.t, self.value, self.degree = tables, value, degree

    def round(self):
        low, high = [t[0::2] for t in self.t], [t[1::2] for t in self.t]
        step = [(b - a) % P for a, b in zip(low, high)]
        return np.stack([ksum(self.value([(a + x * d) % P for a, d in zip(low, step)])) for x in (0, *range(2, self.degree + 1))])

    def bind(self, r):
        self.t = [(t[0::2] + kmul((t[1::2] - t[0::2]) % P, r)) % P for t in self.t]

    def factor(self, k):
        return self.t[k][0]


def dot_side(*pairs):
    """pairs: a_0, b_0, a_1, b_1, ... arrays over the axes of the sum, fastest last."""
    def value(t):
        return sum(kmul(a, b) for a, b in zip(t[0::2], t[1::2])) % P
    return Side([padded(t) for t in pairs], value, 2)


def padded(a):
    out = np.zeros([1 << log2_up(n) for n in a.shape[:-1]] + [6], np.int64)
    out[tuple(slice(0, n) for n in a.shape[:-1])] = a
    return out.reshape(-1, 6)


class TreeSide:
    def __init__(self, p, q):
        self.levels = [(p, q)]
        while len(p) > 1:
            p, q = (kmul(p[0::2], q[1::2]) + kmul(p[1::2], q[0::2])) % P, kmul(q[0::2], q[1::2])
            self.levels.insert(0, (p, q))

    def root(self):
        return self.levels[0][1]

    def layer(self, d, r, lam):
        p, q = self.levels[d + 1]

        def value(t):
            e, p0, p1, q0, q1 = t
            return kmul(e, (kmul(p0, q1) + kmul(q0, (p1 + kmul(q1, lam)) % P)) % P)
        return Side([eq_table(r), p[0::2], p[1::2], q[0::2], q[1::2]], value, 3)


class MergeSide(Side):
    def __init__(self, phi, stack, mask, rho, n):
        super().__init__([phi, stack], lambda t: kmul(*t), 2)
        self.mask, self.rho, self.n, self.i, self.done = mask, rho, n, 0, mask[0]

    def round(self):
        i, n, m, out = self.i, self.n, self.mask, []
        rest = ksum(m[2 * i + 3:2 * n + 1])
        for x, g in zip((0, 2), super().round()):
            s = fk(pow(2, n - 1 - i, P), (self.done + x * m[2 * i + 1] + x * x * m[2 * i + 2]) % P)
            if i < n - 1:
                s = s + fk(pow(2, n - 2 - i, P), rest)
            out.append((g + kmul(self.rho, s % P)) % P)
        return np.stack(out)

    def bind(self, r):
        i, m = self.i, self.mask
        self.done, self.i = (self.done + kmul(m[2 * i + 1], r) + kmul(m[2 * i + 2], kmul(r, r))) % P, i + 1
        super().bind(r)


# ---------------------------------------------------------------- the prover

class Prover(Statement):
    proving = True

    def __init__(self, commitment, shape, ids, trace, coins):
        super().__init__(shape, ids)
        self.com, self.v, self.coins, self.written, self.trees = commitment, trace, coins, [], {"weights": commitment.tree}
        self.messages, self.lie = [], None                    # (label, bytes); a label whose first message is altered

    def emit(self, label, n, values):
        values = np.reshape(values, (n, 6)) % P
        if label == self.lie:
            values, self.lie = (values + 1) % P, None
        self.written.append(kbytes(values))
        self.messages.append((label, 24 * n))
        self.tr.absorb(label, kbytes(values))
        return values

    def emit_root(self, label, tree):
        self.written.append(tree.root)
        self.messages.append((label, 32))
        self.tr.absorb(label, tree.root)
        return tree.root

    def opened(self, number, tree, root, depth, positions, width, salted):
        self.written.append(self.trees[tree].opening(positions))
        return self.trees[tree].columns[positions]

    def pad(self, index, n):
        return self.cells[index:index + n]

    # -- the witness

    def multiplicities(self):
        for x in self.shape.instances:
            counts = {t: {} for t in x.tables}
            for family, grid in x.parts:
                here = grid.addresses().reshape(self.shape.array_shape(family.axes)) >= 0
                tuples = self.tuples(family)
                for first in range(len(here)):
                    rows, n = np.unique(tuples[first][here[first]], axis=0, return_counts=True)
                    c = counts[family.table_at(first)]
                    for row, k in zip(map(tuple, rows.tolist()), n):
                        c[row] = c.get(row, 0) + int(k)
            for t, name in zip(x.tables, x.mult):
                rows = self.shape.table(t)
                where = {row: i for i, row in enumerate(map(tuple, rows.tolist()))}   # the last row with a tuple
                m = np.zeros(len(rows), np.int64)
                for row, k in counts[t].items():
                    if row in where:                          # a cheat's tuple is in no row
                        m[where[row]] += k
                yield name, m

    def tuples(self, family):
        """Integers over the family's letters and the entries of its tuple."""
        letters, shape, out = "".join(family.axes), self.shape.array_shape(family.axes), []
        for entry in family.tuple:
            const = np.array([entry.const_at(i) for i in range(shape[0])], np.int64)
            x = np.zeros(shape, np.int64) + const.reshape([-1] + [1] * (len(shape) - 1))
            for tensor, coef in entry.refs:
                x = x + coef * self.spread(tensor, letters)
            if entry.virtual in ("h", "x"):
                x = x + self.v[entry.virtual]
            elif entry.virtual == "score":
                x = x - np.einsum("lihe,ljhe->ijlh", self.v["QR"], np.repeat(self.v["KR"], self.group, 2))
            out.append(x)
        return np.stack(out, -1)

    def spread(self, tensor, letters):
        """A tensor as an array over the family's letters."""
        own = self.shape.letters(tensor)
        if "I" not in own:
            letters = letters.replace("I", "T")
        order = sorted(own, key=letters.index)
        a = np.transpose(self.v[tensor], [own.index(x) for x in order])
        return a.reshape([a.shape[order.index(x)] if x in order else 1 for x in letters])

    def commit(self):
        s, coins = self.shape, self.coins
        n, pairs = s.n_hidden + 2, s.products
        cells = stream_words(coins, PADS, 6 * n).reshape(n, 6)
        a, b = np.array(pairs + [(s.n_hidden, s.n_hidden + 1)]).T
        self.cells = np.concatenate([cells, kmul(cells[a], cells[b])])
        self.v.update(self.multiplicities())
        self.v["HID"] = self.cells.T
        flat = np.zeros(s.n_rows << s.c, np.int64)
        for g in s.grids:
            self.write(flat, g.name)
        self.write(flat, "HID")
        rows = flat.reshape(s.n_rows, 1 << s.c)
        slots = 1 << WITNESS_SLOTS
        for i in range(s.n_rows):
            rows[i, -slots:] = stream_words(coins, SLOTS + i, slots)
        self.m, self.r_row = (np.stack([stream_words(coins, label + k, 1 << s.c) for k in range(6)]) for label in (MASK, ROW_R))
        self.f_rows = rows
        columns = Code(s.c, 2).encode(np.concatenate([self.m, self.r_row, rows])).T
        self.trees["witness"] = Tree(WITNESS, columns, stream_block(coins, SALT_KEY))
        return self.trees["witness"]

    def write(self, flat, name):
        at = self.shape.address[name]
        here = at >= 0
        flat[at[here] - (2 << self.shape.c)] = self.v[name][here] % P

    def bind_weights(self):
        self.p_row = sum(fk(row, e) for row, e in zip(self.com.rows, self.eq_j)) % P

    def matrix(self, name):
        """P[M; l, x, k]"""
        return self.p_row[self.shape.address["P." + name]]

    # -- tables of the sumchecks

    def tree_side(self, instance):
        x = self.shape.instances[instance]
        n = max(2, 1 << log2_up(x.leaves))
        p, q = np.zeros((n, 6), np.int64), np.zeros((n, 6), np.int64)
        q[:, 0] = 1
        for family, grid in x.parts:
            at = grid.addresses()
            here, tuples = at >= 0, self.tuples(family)
            value = np.zeros(tuples.shape[:-1] + (6,), np.int64)
            for i in range(len(tuples)):
                value[i] = fk(family.table_at(i), self.beta[0])
            for k in range(tuples.shape[-1]):
                value = (value + fk(tuples[..., k], self.beta[k] if k else ONE)) % P
            p[at[here], 0] = 1
            q[at[here]] = (self.alpha - value.reshape(at.shape + (6,))[here]) % P
        for t, grid in zip(x.tables, x.rows):
            at = grid.addresses()
            p[at, 0] = -self.v[grid.name] % P
            q[at] = (self.alpha - self.table_values(t)) % P
        return TreeSide(p, q)

    def list_side(self, tau):
        a, b = np.array(self.shape.products + [(self.shape.n_hidden, self.shape.n_hidden + 1)]).T
        return dot_side(kmul(eq_table(tau)[:len(a)], self.cells[a]), self.cells[b])

    def over_tokens(self, x, axis, w):
        """Sum over an axis of integers with weights."""
        w = w.reshape([-1 if i == axis else 1 for i in range(x.ndim)] + [6])
        return ksum(fk(x, w), axis)

    def tables_score(self, w):
        q, k = self.v["QR"], np.repeat(self.v["KR"], self.group, 2)
        y = ksum(fk(np.moveaxis(q, 0, 1)[:, None], w[:, :, :, :, None]), 0)          # [j, l, h, e]
        return dot_side(np.moveaxis(y, 0, 2), fk(np.moveaxis(k, 1, 2), ONE))

    def tables_matrix(self, matrix, x, offset):
        v = (self.v["O1"] << 7) + self.v["O0"] if x == "O" else self.v[x]
        v = v[offset:2 * self.ext["L"]:2] if x == "N" else v.reshape(v.shape[0], v.shape[1], -1)
        f = kmul(self.w["L"][:, None], self.over_tokens(v, 1, self.w["T"]))
        return dot_side(f, self.fold_x(matrix))

    def fold_x(self, matrix):
        p = self.matrix(matrix)
        return ksum(kmul(p, self.x_weights(self.shape.matrix[matrix][1])[None, :, None]), 1)

    def tables_gain(self):
        n = self.v["N"][-1][self.shape.n_prompt - 1:]
        return dot_side(kmul(self.w["D"], self.over_tokens(n, 0, self.w["P"])), self.matrix("GAIN")[0, 0])

    def tables_head(self):
        return dot_side(self.over_tokens(self.v["NG"], 0, self.w["P"]), self.fold_x("HEAD")[0])

    def tables_head_gain(self, matrix, own):
        n = self.over_tokens(self.v["XN"][:, :, own], 1, self.w["T"])                 # [l, a, e]
        n = ksum(kmul(n, self.w["A"][own][None, :, None]), 1)
        f = kmul(kmul(self.w["L"][:, None], n), self.w["E"][None])
        return dot_side(f, self.matrix(matrix)[:, 0])

    def over_rows(self, rows):
        """Weights of a norm's rows, an array over their axes."""
        out = rows.rows[0][1]
        for _, v in rows.rows[1:]:
            out = kmul(out[..., None, :], v)
        return out

    def normed_values(self, rows):
        return self.v["x" if rows.x else "h"]

    def tables_norm(self, rows, theta):
        v = {k: self.v[rows.x + k] for k in "N NDS NRT NM NDR NF0 NF1 NS0 NS1 NS2 NC2".split()}
        w, two = self.over_rows(rows), kmul(theta, theta)
        x = [v["NS0"] + (v["NS1"] << 15), v["NS1"] + (v["NS2"] << 15), v["NS2"] + (v["NC2"] << 15)]
        f0, f1, one = fk(v["NF0"], w), fk(v["NF1"], w), ONE
        n, h = (self.over_tokens(y, y.ndim - 1, self.w[rows.cell]) for y in (v["N"], self.normed_values(rows)))
        return dot_side(kmul(n, w), fk(v["NDS"], one), -kmul(h, w) % P, fk(v["NRT"], one),
                        kmul(fk(v["NM"], w), theta), fk(v["NDR"], one),
                        -kmul(f0, theta) % P, fk(x[0] - x[2], one), -kmul(f1, theta) % P, fk(x[1] - x[2], one),
                        kmul(f0, two), fk(v["NS2"] + v["NC2"], one), kmul(f1, two), fk(v["NC2"], one))

    def tables_square(self, rows):
        x = self.normed_values(rows)
        return dot_side(fk(x, self.over_rows(rows)[..., None, :]), fk(x, ONE))

    def limbs(self, low, high, theta):
        """Sum over E of eq * (low + theta high)."""
        low, high = (ksum(fk(v, self.w["E"]), 3) for v in (low, high))
        return (low + kmul(high, theta)) % P

    def mix_tables(self, theta):
        e = self.over_tokens(self.v["EX"], 0, self.w["T"])                            # [j, l, h]
        e = kmul(np.moveaxis(e, 0, 2), kmul(self.w["L"][:, None], self.w["H"][None])[:, :, None])
        v = self.limbs(*(np.repeat(self.v[k], self.group, 2) for k in ("V0", "V1")), theta)     # [l, j, h]
        return e, np.moveaxis(v, 1, 2)

    def mix_sum(self, theta):
        return kdot(*self.mix_tables(theta))

    def tables_mix(self, theta):
        return dot_side(*self.mix_tables(theta))

    def tables_rows(self, theta):
        w = kmul(kmul(self.w["L"][:, None], self.w["H"][None])[:, :, None], self.w["T"])
        o = kmul(np.moveaxis(self.limbs(self.v["O0"], self.v["O1"], theta), 1, 2), w)
        rem = kmul(np.moveaxis(ksum(fk(self.v["OREM"], self.w["E"]), 3), 1, 2), w)
        one = ONE
        dd = fk(self.v["ZDD"], one)
        return dot_side(o, fk(self.v["Z2"], one), rem, dd, kmul(fk(self.v["ZP"], w), kmul(theta, theta)), dd)

    def tables_act(self):
        w = kmul(kmul(self.w["L"][:, None], self.w["T"][None])[:, :, None], self.out(self.ext["F"]))
        return dot_side(fk(self.v["SG"], w), fk(self.v["UP"], ONE))

    # -- merge and tail

    def mask_sum(self, n):
        m = self.m.T
        return (fk(pow(2, n, P), m[0]) + fk(pow(2, n - 1, P), ksum(m[1:2 * n + 1]))) % P

    def merge_prover(self, phi, rho, n):
        s = self.shape
        flat = np.zeros((1 << n, 6), np.int64)
        for name, w in phi.items():
            at = s.address[name]
            flat[at[at >= 0]] = w[at >= 0]
        stack = np.zeros((1 << s.stack_bits, 1 << s.c, 6), np.int64)
        stack[0], stack[1], stack[2:2 + s.n_rows, :, 0] = self.p_row, self.r_row.T, self.f_rows
        self.stack = stack
        return MergeSide(flat, stack.reshape(-1, 6), self.m.T, rho, n)

    def fold_rows(self, row):
        self.fold = sum(kmul(x, e) for x, e in zip(self.stack, row)) % P
        del self.stack

    def evaluate(self, weights, which):
        v = self.fold if which == "fold" else self.m.T
        return kdot(weights, v[:len(weights)])

    def make_u(self, eps):
        self.u = (self.m.T + kmul(self.fold, eps)) % P

    def commit_u(self, level, c):
        rows = self.u.reshape(1 << TAIL_ROWS, 1 << c, 6)
        words = np.moveaxis(rows, 2, 1).reshape(-1, 1 << c)
        self.trees[level] = Tree(TAIL + level, Code(c, TAIL_RATE).encode(words).T, None)
        return self.trees[level]

    def tail_prover(self, phi):
        return Side([phi, self.u], lambda t: kmul(*t), 2)

    def fold_u(self, row):
        rows = self.u.reshape(len(row), -1, 6)
        self.u = sum(kmul(x, e) for x, e in zip(rows, row)) % P


def prove(commitment, rq, coins, leaf_limit=None, tamper=None, policy=None):
    """The proof file and the prover (its transcript, its witness). tamper(prover): changes its witness first."""
    ids = [*rq.ids, rq.y]
    trace, gap = Run(commitment.pub.cfg, commitment.weights).trace(ids, rq.n_prompt, policy)
    shape = Shape(commitment.pub, rq.n_prompt, len(rq.ids), leaf_limit, gap)
    counts = plan(shape, ids)
    check_shapes(shape, trace)
    p = Prover(commitment, shape, ids, trace, coins)
    if tamper:
        tamper(p)
    p.run(rq, counts)
    return encode_proof(b"".join(p.written), gap), p
