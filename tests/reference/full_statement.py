# SPDX-License-Identifier: Apache-2.0
"""The statement: points, look-ups, relations and their order, docs/protocol.md §7, and the statement block, §11."""
from types import SimpleNamespace

import numpy as np

import full_gap
from full_argument import Argument, Lin
from full_field import ONE, P, eq_at, eq_table, fk, kint, kmul, ksum, le32, le64
from full_layout import log2_up
from full_tables import rotation


def half(s):
    return 1 << s >> 1


def sparse(n, i, v=ONE):
    """An axis' weights: v at index i."""
    out = np.zeros((n, 6), np.int64)
    out[i] = v
    return out


class Statement(Argument):
    """ids: the request's tokens and the token after them. Provers override tree_side, list_side and the tables_ methods."""

    def __init__(self, shape, ids):
        super().__init__(shape)
        self.ids, self.cfg, self.ext = ids, shape.cfg, shape.ext
        self.group = self.ext["H"] // self.ext["G"]
        self.normed = self.cfg.parts & 2 != 0                     # each head of q and k has a norm

    def tree_side(self, instance):
        return None

    list_side = None

    def tables(self, name, *args):
        """The prover's tables of a relation, made when the sumcheck starts."""
        return (lambda: getattr(self, "tables_" + name)(*args)) if self.proving else None

    # -- points

    def draw(self, label, n):
        return list(self.tr.challenges(label, n)) if n else []

    def points(self):
        e, bits = self.ext, lambda axis: log2_up(self.ext[axis])
        self.alpha, = self.draw("alpha", 1)
        self.beta = self.draw("beta", 6)
        self.r_j = self.draw("rJ", self.shape.pub.jb)
        self.r_x = self.draw("rX", self.shape.x_bits)
        self.w, self.r = {}, {}
        for axis, label in zip("LSBTPDHEA", "rL rS rB rT rP rD rh re rA".split()):
            if axis == "A" and not self.normed:
                continue
            self.r[axis] = self.draw(label, bits(axis))
            self.w[axis] = eq_table(self.r[axis])[:e[axis]]
        if self.cfg.fixed_first:
            self.w["T"][0] = 0
        self.eq_j = eq_table(self.r_j)

    def x_weights(self, n_out):
        n = -(-n_out // (1 << self.shape.pub.jb))
        return eq_table(self.r_x[:log2_up(n)])[:n]

    def out(self, n_out):
        """out(j): eq of the low coordinates with the row times eq of the high ones with the rest."""
        j = np.arange(n_out)
        return kmul(self.eq_j[j & ((1 << self.shape.pub.jb) - 1)], self.x_weights(n_out)[j >> self.shape.pub.jb])

    def joint(self, flat, heads):
        return flat.reshape(self.ext[heads], self.ext["E"], 6)

    def grouped(self, over_heads):
        """Sum over the query heads of each key/value head."""
        return ksum(over_heads.reshape(self.ext["G"], self.group, 6), 1)

    def split(self, point, *bits):
        """The point's coordinates, lowest axis first, as eq tables' points."""
        out, at = [], 0
        for n in bits:
            out.append(point[at:at + n])
            at += n
        return out

    # -- §7.1

    def residual_sources(self):
        """[(tensor, index of its first axis or None, unit's coefficient, first site, last site)]"""
        c, n = self.cfg, self.ext["S"]
        starts = [0] + self.shape.rebase + [n]
        for b, (first, end) in enumerate(zip(starts, starts[1:])):
            if first == 0:
                yield "H0", None, 1 << (c.unit[0] - c.f_embed), first, end
            else:
                yield "REB", b - 1, 1, first, end
            for j in range(max(first, 1), end):
                tensor, f = ("Y", c.layer[j // 2].o.f) if j % 2 else ("DOWN", c.layer[j // 2 - 1].down.f)
                yield tensor, (j - 1) // 2, 1 << (c.unit[j] - f), j, end

    def add_residual(self, lin, over_sites, *factors):
        """Adds sum of over_sites[s, ...] * factors * h; over_sites: (letters from S on, array)."""
        letters, array = over_sites
        parts = {}
        for tensor, index, coef, first, end in self.residual_sources():
            parts.setdefault(tensor, {})[index] = fk(coef, ksum(array[first:end], 0)) if end > first else 0
        for tensor, by_index in parts.items():
            if tensor == "H0":
                rest = [(letters[1:], by_index[None])] if letters[1:] else []
                lin.add("H0", ONE if rest else by_index[None], *rest, *factors)
                continue
            n = self.ext["B" if tensor == "REB" else "L"]
            w = np.zeros((n,) + array.shape[1:], np.int64)
            for index, v in by_index.items():
                w[index] = v
            lin.add(tensor, 1, (("B" if tensor == "REB" else "L") + letters[1:], w), *factors)

    def add_heads(self, lin, over_heads, *factors):
        """Adds sum of over_heads[..., a, ...] * factors * x, x the heads of q and k; over_heads: (letters with "A", array); a layer
        is called "L"."""
        letters, array = over_heads
        axis, n = letters.index("A"), self.ext["H"]
        first, rest = np.split(array, [n], axis)
        lin.add("Q", 1, (letters.replace("A", "H"), first), *factors).add("K", 1, (letters.replace("A", "G"), rest), *factors)

    # -- §7.2 - §7.4

    def lookups(self):
        for n, x in enumerate(self.shape.instances):
            p, q, r = self.fraction_tree(x.leaves, self.tree_side(n))
            if self.planning:
                self.require("lookup p", p)
                self.score(x, q, None) if x.scores else self.require("lookup q", q)
                continue
            used, score_w = 0, None
            for family, grid in x.parts:
                w = self.leaf_weights(grid, r)
                total = ksum(w)
                used, p = (used + total) % P, p - Lin(total)
                w = w.reshape(self.shape.array_shape(family.axes) + [6])
                q = q - self.denominators(family, w)
                if family.score:
                    score_w = w
            for table, grid in zip(x.tables, x.rows):
                w = self.leaf_weights(grid, r)
                used = (used + ksum(w)) % P
                p.add(grid.name, 1, ("R", w))
                t = self.table_values(table)
                q = q - Lin(ksum(kmul(w, (self.alpha - t) % P)))
            q = q - Lin((ONE - used) % P)
            self.require("lookup p", p)
            if x.scores:
                self.score(x, q, score_w)
            else:
                self.require("lookup q", q)

    def leaf_weights(self, grid, r):
        at = grid.addresses()
        w = np.zeros(at.shape + (6,), np.int64)
        w[at >= 0] = eq_at(r, at[at >= 0])
        return w

    def table_values(self, table):
        """beta_0 id + v_1 + beta_1 v_2 + ... of each row."""
        rows = self.shape.table(table)
        out = fk(np.full(len(rows), table), self.beta[0])
        for k in range(rows.shape[1]):
            out = (out + fk(rows[:, k], self.beta[k] if k else ONE)) % P
        return out

    def denominators(self, family, w):
        """Sum of w * (alpha - beta_0 id - v_1 - ...), the score's product left out; w over the letters of the family."""
        letters, n, out = "".join(family.axes), len(w), Lin()
        by_first = ksum(w, tuple(range(1, w.ndim - 1)))
        const = np.stack([(self.alpha - fk(family.table_at(i), self.beta[0])) % P for i in range(n)]) if n else w
        for k, entry in enumerate(family.tuple):
            b = self.beta[k] if k else ONE
            const = (const - fk([entry.const_at(i) for i in range(n)], b)) % P
            for tensor, coef in entry.refs:
                target = self.shape.letters(tensor)
                names = letters if "I" in target else letters.replace("I", "T")
                v = ksum(w, tuple(i for i, x in enumerate(names) if x not in target))
                out.add(tensor, fk(-coef, b), ("".join(x for x in names if x in target), v))
            if entry.virtual == "h":
                self.add_residual(out, ("STD", (P - kmul(w, b)) % P))
            if entry.virtual == "x":
                self.add_heads(out, ("LTAE", (P - kmul(w, b)) % P))
        out.const = ksum(kmul(by_first, const)) if n else out.const
        return out

    def score(self, x, start, w):
        e, (be, bt, bh, bl) = self.ext, [log2_up(self.ext[a]) for a in "ETHL"]
        a, b, rho = self.dot("score", start, be + bt + bh + bl, 1, self.tables("score", w))
        if self.planning:
            self.require("score a0", a[0]), self.require("score b0", b[0])
            return
        pe, pj, ph, pl = (eq_table(p)[:e[n]] for p, n in zip(self.split(rho, be, bt, bh, bl), "ETHL"))
        over_i = ksum(kmul(w, pj[None, :, None, None]), 1)                        # [i, l, h]
        self.require("score a0", a[0] - Lin().add("QR", 1, ("TLH", over_i), ("L", pl), ("H", ph), ("E", pe)))
        self.require("score b0", b[0] - Lin().add("KR", 1, ("L", pl), ("T", pj), ("G", self.grouped(ph)), ("E", pe)))

    # -- §7.5

    def add_value(self, out, tensor, *factors):
        """Adds a value, which may stand in two limbs."""
        limbs = {"V": (("V1", 2**7), ("V0", 1)), "O": (("O1", 2**7), ("O0", 1))}
        for part, coef in limbs.get(tensor, ((tensor, 1),)):
            out.add(part, coef, *factors)
        return out

    def requant(self, tensor, shift, *factors):
        """Sum of factors * (2^s y + rem - half); shift: an integer, or a list by the tensor's first axis."""
        out, first = Lin(), self.shape.letters(tensor + "REM")[0]
        shifts = shift if isinstance(shift, list) else [shift]
        scaled, halves = [], ONE
        for letters, v in factors:
            here = letters == first and isinstance(shift, list)
            scaled.append((letters, fk([1 << s for s in shifts], v) if here else v))
            halves = kmul(halves, ksum(fk([half(s) for s in shifts], v) if here else v))
        if not isinstance(shift, list):
            halves = fk(half(shift), halves)
        if isinstance(shift, list):
            self.add_value(out, tensor, *scaled)
        else:
            out.add(tensor, 1 << shift, *scaled)
        out.add(tensor + "REM", 1, *factors)
        out.const = (-halves) % P
        return out

    def shifts(self, site):
        return [getattr(y, site).s for y in self.cfg.layer]

    def matrices(self):
        e, w = self.ext, self.w
        he, ge = (lambda: self.joint(self.out(e["HE"]), "H")), (lambda: self.joint(self.out(e["GE"]), "G"))
        flat = lambda n: self.out(e[n])
        for name, tensor, out, x, offset in (
                ("q", "Q", ("HE", he()), "N", 0), ("k", "K", ("GE", ge()), "N", 0), ("v", "V", ("GE", ge()), "N", 0),
                ("o", "Y", ("D", flat("D")), "O", 0), ("gate", "GATE", ("F", flat("F")), "N", 1),
                ("up", "UP", ("F", flat("F")), "N", 1), ("down", "DOWN", ("D", flat("D")), "ACT", 0)):
            matrix = name.upper()
            n, n_out, n_in = self.shape.matrix[matrix]
            bk, bl = log2_up(n_in), log2_up(n)
            claim = self.requant(tensor, self.shifts(name), ("L", w["L"]), ("T", w["T"]), out)
            if "B" + matrix in self.shape.matrix:
                claim.add("P.B" + matrix, -ksum(w["T"]) % P, ("N", w["L"]), ("X", self.x_weights(n_out)))
            a, b, rho = self.dot(name, claim, bk + bl, 1, self.tables("matrix", matrix, x, offset))
            pk, pl = (eq_table(p)[:n] for p, n in zip(self.split(rho, bk, bl), (n_in, n)))
            layer = kmul(w["L"], pl)
            if x == "N":
                sites = np.zeros((e["S"], 6), np.int64)
                sites[offset:2 * e["L"]:2] = layer
                factors = ("S", sites), ("T", w["T"]), ("D", pk)
            elif x == "O":
                factors = ("L", layer), ("T", w["T"]), ("HE", self.joint(pk, "H"))
            else:
                factors = ("L", layer), ("T", w["T"]), ("F", pk)
            self.require(name + " a0", a[0] - self.add_value(Lin(), x, *factors))
            self.require(name + " b0", b[0] - Lin().add("P." + matrix, 1, ("N", pl), ("X", self.x_weights(n_out)), ("K", pk)))

        for name, heads, own in (("q", "H", slice(None, e["H"])), ("k", "G", slice(e["H"], None))) if self.normed else ():
            bits, of_heads = (log2_up(e["E"]), log2_up(e["L"])), w["A"][own]
            claim = self.requant(name.upper() + "G", self.shifts(name + "g"), ("U", w["L"]), ("T", w["T"]), (heads, of_heads),
                                 ("E", w["E"])) * self.eq_j[0]
            a, b, rho = self.dot(name + " gain", claim, sum(bits), 1, self.tables("head_gain", "N" + name.upper(), own))
            pe, pl = (eq_table(p)[:e[x]] for p, x in zip(self.split(rho, *bits), "EL"))
            only = np.zeros((e["A"], 6), np.int64)
            only[own] = of_heads
            self.require(name + " gain a0", a[0] - Lin().add("XN", 1, ("U", kmul(w["L"], pl)), ("T", w["T"]), ("A", only),
                                                             ("E", kmul(w["E"], pe))))
            self.require(name + " gain b0", b[0] - Lin().add("P.N" + name.upper(), 1, ("N", pl), ("K", pe)))

        claim = self.requant("NG", self.cfg.ng.s, ("P", w["P"]), ("D", w["D"])) * self.eq_j[0]
        a, b, rho = self.dot("gain", claim, log2_up(e["D"]), 1, self.tables("gain"))
        pc = eq_table(rho)[:e["D"]]
        last, tokens = sparse(e["S"], e["S"] - 1), np.zeros((e["T"], 6), np.int64)
        tokens[self.shape.n_prompt - 1:] = w["P"]
        self.require("gain a0", a[0] - Lin().add("N", 1, ("S", last), ("T", tokens), ("D", kmul(w["D"], pc))))
        self.require("gain b0", b[0] - Lin().add("P.GAIN", 1, ("K", pc)))

        y = self.ids[self.shape.n_prompt:]
        out = self.out(e["V"])
        below = ksum(np.stack([kmul(wp, ksum(out[:t])) for wp, t in zip(w["P"], y)]))
        claim = Lin() if self.shape.gap else Lin((-below) % P)
        claim.add("LM", ksum(out), ("P", w["P"]))
        claim.add("LHI", -2**16, ("P", w["P"]), ("V", out)).add("LLO", -1, ("P", w["P"]), ("V", out))
        a, b, rho = self.dot("head", claim, log2_up(e["D"]), 1, self.tables("head"))
        pc = eq_table(rho)[:e["D"]]
        self.require("head a0", a[0] - Lin().add("NG", 1, ("P", w["P"]), ("D", pc)))
        self.require("head b0", b[0] - Lin().add("P.HEAD", 1, ("X", self.x_weights(e["V"])), ("K", pc)))

        vocab = np.zeros((e["V"], 6), np.int64)
        for wt, t in zip(w["T"], self.ids):
            vocab[t] = (vocab[t] + wt) % P
        claim = Lin().add("H0", 1, ("T", w["T"]), ("D", self.out(e["D"])))
        self.require("embed", -claim.add("P.EMBED", -1, ("X", self.x_weights(e["D"])), ("K", vocab)))
        for name, tensor in (("k", "KR"), ("v", "V")) if self.cfg.fixed_first else ():
            claim = self.add_value(Lin(), tensor, ("L", w["L"]), ("T", sparse(e["T"], 0)), ("GE", self.joint(self.out(e["GE"]), "G")))
            claim.add("P.FIRST_" + name.upper(), -1, ("N", w["L"]), ("X", self.x_weights(e["GE"])))
            self.require("first " + name, -claim)

    # -- §7.6

    def linear(self):
        """All but "rebase" and "rotate" enter the batch with a minus sign: 0 - (left - right)."""
        c, e, w = self.cfg, self.ext, self.w
        y = np.zeros((e["P"], e["V"], 6), np.int64)
        for p, t in enumerate(self.ids[self.shape.n_prompt:]):
            y[p, t] = w["P"][p]
        claimed = Lin().add("LHI", 2**16, ("PV", y)).add("LLO", 1, ("PV", y))
        if self.shape.gap:
            claimed.add("GAP", -2**full_gap.shift(c), ("C", w["P"])).add("GREM", 1, ("C", w["P"]))
        self.require("claimed", -claimed)
        if self.shape.gap:
            _, total, count = self.shape.gap
            ones = "C", np.tile(ONE, (e["C"], 1))
            self.require("gap sum", Lin(kint(total)) - Lin().add("GAP", 1, ones).add("GSP", 1, ones))
            self.require("gap count", Lin(kint(count)) - Lin().add("GZ", 1, ones))
        if e["B"]:
            s = [c.unit[j - 1] - c.unit[j] for j in self.shape.rebase]
            lin, sites = self.requant("REB", s, ("B", w["B"]), ("T", w["T"]), ("D", w["D"])), np.zeros((e["S"], 6), np.int64)
            for b, j in enumerate(self.shape.rebase):
                sites[j - 1] = (-w["B"][b]) % P
            self.add_residual(lin, ("S", sites), ("T", w["T"]), ("D", w["D"]))
            self.require("rebase", lin)
        for name, x, heads in (("rotate q", "Q", "H"), ("rotate k", "K", "G")):
            out = self.joint(self.out(e[heads + "E"]), heads)
            lin = self.requant(x + "R", self.shifts(name[-1] + "r"), ("L", w["L"]), ("T", w["T"]), (heads + "E", out))
            lin.add(x + "G" * self.normed, -1, ("U" if self.normed else "L", w["L"]), ("T", w["T"]), ("T" + heads + "E", self.rotated(out)))
            self.require(name, lin)

        for rows in self.norms():
            self.norm_sums(rows)

        def row(*refs):
            lin = Lin()
            for tensor, coef in refs:
                causal = tensor in ("EX", "ZF")
                lin.add(tensor, coef, ("L", w["L"]), ("H", w["H"]), ("I" if causal else "T", w["T"]))
            return lin
        self.require("Z sum", -row(("Z2", 1), ("ZLOW", 1), ("EX", -1)))
        ones = kmul(kmul(ksum(w["L"]), ksum(w["H"])), ksum(w["T"]))
        self.require("Z max", Lin(ones) - row(("ZF", 1)))
        self.require("Z half", -row(("ZH1", 2**17), ("ZH0", 2), ("ZB", 1), ("Z2", -1)))

    def norms(self):
        """The kinds of norms: names before those of the residual's requirements, tensors, rows [(axis, weights)], cells of a row,
        eps terms by the first axis, and for heads by the last."""
        c, e, w = self.cfg, self.ext, self.w
        yield SimpleNamespace(name="", x="", rows=[("S", w["S"]), ("T", w["T"])], cell="D", eps=c.eps_term)
        if self.normed:
            def term(f):
                return max((c.eps_q60 * c.head_dim + (1 << (59 - 2 * f))) >> (60 - 2 * f), 1)
            eps = [[term(y.q.f)] * e["H"] + [term(y.k.f)] * e["G"] for y in c.layer]
            yield SimpleNamespace(name="head ", x="X", rows=[("U", w["L"]), ("T", w["T"]), ("A", w["A"])], cell="E", eps=eps)

    def norm_input(self, lin, rows, weights, cell):
        """Adds sum of weights * cell * what is normed; weights as rows.rows."""
        if not rows.x:
            self.add_residual(lin, weights[0], *weights[1:], cell)
        else:
            self.add_heads(lin, weights[2], ("L", weights[0][1]), weights[1], cell)

    def norm_sums(self, rows):
        st, x = rows.rows, rows.x

        def at(*refs):
            lin = Lin()
            for tensor, coef in refs:
                lin.add(x + tensor, coef, *st)
            return lin

        def eps(digit):
            v = np.array(rows.eps)
            v = v >> 30 if digit == 2 else v >> (15 * digit) & 0x7fff
            if v.ndim == 2:
                over_last = ksum(fk(v, st[2][1][None]), 1)
                return Lin(kmul(ksum(kmul(over_last, st[0][1])), ksum(st[1][1])))
            return Lin(kmul(ksum(fk(v, st[0][1])), ksum(st[1][1])))

        norm_a = at(("NA1", -2**15), ("NA0", -1))
        self.require(rows.name + "norm A", -norm_a.add(x + "SQ", 1, *st, (rows.cell, np.tile(ONE, (self.ext[rows.cell], 1)))))
        self.require(rows.name + "norm s0", -(at(("NB0", 1), ("NC0", -2**15), ("NS0", -1)) + eps(0)))
        self.require(rows.name + "norm s1", -(at(("NA0", 1), ("NB1", 1), ("NC0", 1), ("NC1", -2**15), ("NS1", -1)) + eps(1)))
        self.require(rows.name + "norm s2", -(at(("NA1", 1), ("NC1", 1), ("NC2", -2**15), ("NS2", -1)) + eps(2)))

    def rotated(self, out):
        """Weights [t, head, e] of x that make sum out * rot(x)."""
        co, si = rotation(self.cfg, self.ext["T"])
        n = self.ext["E"] // 2
        co, si, a, b = co[:, None], si[:, None], out[None, :, :n], out[None, :, n:]
        return np.concatenate([fk(co, a) + fk(si, b), fk(co, b) - fk(si, a)], 2) % P

    # -- §7.7

    def factor(self, name, side, claim, lin):
        self.require(f"{name} {side}", claim - lin)

    def products(self):
        e, w = self.ext, self.w
        bits = {x: log2_up(e[x]) for x in "STDLHFE"}
        for rows in self.norms():
            self.norm(rows)
            self.square(rows)

        theta = self.tr.challenge("mix/theta")
        m, = self.hidden("mix/m", 1, self.proving and self.mix_sum(theta))
        a, b, rho = self.dot("mix", m, bits["T"] + bits["H"] + bits["L"], 1, self.tables("mix", theta))
        pj, ph, pl = (eq_table(p)[:e[x]] for p, x in zip(self.split(rho, bits["T"], bits["H"], bits["L"]), "THL"))
        cells = ("L", kmul(w["L"], pl)), ("H", kmul(w["H"], ph)), ("I", w["T"]), ("J", pj)
        self.factor("mix", "a0", a[0], Lin().add("EX", 1, *cells))
        cells = ("L", pl), ("T", pj), ("G", self.grouped(ph)), ("E", w["E"])
        self.factor("mix", "b0", b[0], Lin().add("V0", 1, *cells).add("V1", theta, *cells))
        self.rows(m, theta, bits)

        claim = self.requant("ACT", self.shifts("act"), ("L", w["L"]), ("T", w["T"]), ("F", self.out(e["F"])))
        a, b, rho = self.dot("act", claim, bits["F"] + bits["T"] + bits["L"], 1, self.tables("act"))
        pf, pt, pl = (eq_table(p)[:e[x]] for p, x in zip(self.split(rho, bits["F"], bits["T"], bits["L"]), "FTL"))
        cells = ("L", kmul(w["L"], pl)), ("T", kmul(w["T"], pt)), ("F", kmul(self.out(e["F"]), pf))
        self.factor("act", "a0", a[0], Lin().add("SG", 1, *cells))
        self.factor("act", "b0", b[0], Lin().add("UP", 1, ("L", pl), ("T", pt), ("F", pf)))

    def row_point(self, rows, rho):
        """Weights of first and of second factors over a norm's rows; the last axis is the lowest."""
        axes = rows.rows[::-1]
        parts = [eq_table(p)[:len(v)] for p, (_, v) in zip(self.split(rho, *(log2_up(len(v)) for _, v in axes)), axes)]
        second = [(letter, p) for (letter, _), p in zip(axes, parts)][::-1]
        return [(letter, kmul(v, p)) for (letter, v), (_, p) in zip(rows.rows, second)], second

    def row_bits(self, rows):
        return sum(log2_up(len(v)) for _, v in rows.rows)

    def square(self, rows):
        claim, cell, name = Lin(), log2_up(self.ext[rows.cell]), rows.name + "square"
        for tensor, coef in (("NA1", 2**30), ("NA0", 2**15), ("NB1", 2**15), ("NB0", 1)):
            claim.add(rows.x + tensor, coef, *rows.rows)
        a, b, rho = self.dot(name, claim, cell + self.row_bits(rows), 1, self.tables("square", rows))
        pc = eq_table(rho[:cell])[:self.ext[rows.cell]]
        for side, claim, weights in zip(("a0", "b0"), (a[0], b[0]), self.row_point(rows, rho[cell:])):
            lin = Lin()
            self.norm_input(lin, rows, weights, (rows.cell, pc))
            self.factor(name, side, claim, lin)

    def norm(self, rows):
        name, theta = rows.name + "norm", self.tr.challenge(rows.name + "norm/theta")
        two = kmul(theta, theta)
        st, d = rows.rows, (rows.cell, self.w[rows.cell])
        d1 = ksum(d[1])
        x = [{"NS0": 1, "NS1": 2**15}, {"NS1": 1, "NS2": 2**15}, {"NS2": 1, "NC2": 2**15}]
        claim = Lin().add(rows.x + "NHF", d1, *st).add(rows.x + "NREM", -1, *st, d).add(rows.x + "NRHO", -theta % P, *st)
        for tensor, coef in x[2].items():
            claim.add(rows.x + tensor, fk(coef, theta), *st)
        a, b, rho = self.dot(name, claim, self.row_bits(rows), 7, self.tables("norm", rows, theta))
        wa, wb = self.row_point(rows, rho)

        def form(weights, coef, refs):
            lin = Lin()
            for tensor, k in refs.items():
                if tensor == "input":
                    (letter, v), *rest = weights
                    self.norm_input(lin, rows, [(letter, kmul(v, coef)), *rest], d)
                else:
                    lin.add(rows.x + tensor, fk(k, coef), *weights, *([d] if tensor == "N" else []))
            return lin

        def minus(u, v):
            out = dict(u)
            for k, n in v.items():
                out[k] = out.get(k, 0) - n
            return out
        terms = [(ONE, {"N": 1}, {"NDS": 1}), (kint(-1), {"input": 1}, {"NRT": 1}), (theta, {"NM": 1}, {"NDR": 1}),
                 (-theta % P, {"NF0": 1}, minus(x[0], x[2])), (-theta % P, {"NF1": 1}, minus(x[1], x[2])),
                 (two, {"NF0": 1}, {"NS2": 1, "NC2": 1}), (two, {"NF1": 1}, {"NC2": 1})]
        for k, (coef, first, second) in enumerate(terms):
            self.factor(name, f"a{k}", a[k], form(wa, coef, first))
            self.factor(name, f"b{k}", b[k], form(wb, ONE, second))

    def rows(self, m, theta, bits):
        e, w, theta2 = self.ext, self.w, kmul(theta, theta)
        lht, e1 = (("L", w["L"]), ("H", w["H"]), ("T", w["T"])), ksum(w["E"])
        claim, carry = m * (1 << self.cfg.o_guard), (kint(2**7) - theta) % P
        claim = claim + Lin().add("ORHO", -1, *lht, ("E", w["E"])).add("Z2", theta2, *lht)
        claim.add("OC1", fk(2**16, carry), *lht, ("E", w["E"])).add("OC0", carry, *lht, ("E", w["E"]))
        cells = kmul(kmul(ksum(w["L"]), ksum(w["H"])), kmul(ksum(w["T"]), e1))
        claim = claim - Lin(fk(1 << (self.cfg.z_bits + self.cfg.o_guard), kmul(carry, cells)))
        claim.add("ZH1", fk(2**16, e1), *lht).add("ZH0", e1, *lht)
        a, b, rho = self.dot("rows", claim, bits["T"] + bits["H"] + bits["L"], 3, self.tables("rows", theta))
        pt, ph, pl = (eq_table(p)[:e[x]] for p, x in zip(self.split(rho, bits["T"], bits["H"], bits["L"]), "THL"))
        wb = ("L", pl), ("H", ph), ("T", pt)
        wa = tuple((x, kmul(w[x], v)) for x, v in wb)
        terms = (([("O0", ONE), ("O1", theta)], "Z2"), ([("OREM", ONE)], "ZDD"), ([("ZP", theta2)], "ZDD"))
        for k, (first, second) in enumerate(terms):
            lin = Lin()
            for tensor, coef in first:
                lin.add(tensor, coef, *wa, *([("E", w["E"])] if k < 2 else []))
            self.factor("rows", f"a{k}", a[k], lin)
            self.factor("rows", f"b{k}", b[k], Lin().add(second, 1, *wb))

    # -- all

    def relations(self):
        """From the points to the product list."""
        self.points()
        if self.proving:
            self.bind_weights()
        self.lookups()
        self.matrices()
        self.linear()
        self.products()
        self.product_list(self.list_side)

    def run(self, rq, counts):
        """The whole protocol after planning; counts: (n_hidden, n_products, requirements)."""
        self.tr.absorb("statement", statement_block(self.shape, rq, counts))
        self.witness_root = self.emit_root("witness root", self.proving and self.commit())
        self.relations()
        claims, row, eps = self.merge(*self.batch())
        self.tail(claims, lambda: self.main_positions(row, eps))


class Planner(Statement):
    """Counts."""
    planning = True

    def emit(self, label, n, values):
        return np.zeros((n, 6), np.int64)


def plan(shape, ids):
    p = Planner(shape, ids)
    p.relations()
    counts = p.n_hidden, len(p.pairs), len(p.requirements)
    shape.n_hidden, shape.products = p.n_hidden, p.pairs
    shape.place(counts[0] + 2 + counts[1] + 1)
    return counts


def statement_block(shape, rq, counts):
    pub = shape.pub
    out = b"assay cp 1" + le32(pub.security) + pub.id + pub.config_hash + pub.root + full_gap.encode(shape.gap)
    out += le32(len(rq.context)) + rq.context
    out += le32(rq.n_prompt, len(rq.ids), *rq.ids, rq.y, pub.c, pub.a, pub.jb, shape.n_rows, *counts, len(shape.instances))
    return out + b"".join(le64(x.leaves) for x in shape.instances)
