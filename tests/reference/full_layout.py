# SPDX-License-Identifier: Apache-2.0
"""Index sets, boxes and their placement: docs/protocol.md §6, and the instances of §7.3.

Axes are words: "L", "T", "HE" (the joint axis), .... A causal grid has "I", "J" first. Where values are kept as arrays a joint
axis is two array axes, so the array of a tensor with axes "L T HE" has the letters L, T, H, E.
"""
import heapq
from types import SimpleNamespace

import numpy as np

from full_code import need
from full_families import families
from full_tables import rem_bits, table_rows, table_tuples

TENSORS = [line.split() for line in """
H0 T D|REB B T D|REBREM B T D|SQ S T D|N S T D|NREM S T D
NA0 S T|NA1 S T|NB0 S T|NB1 S T|NC0 S T|NC1 S T|NC2 S T|NS0 S T|NS1 S T|NS2 S T|NF0 S T|NF1 S T|NR S T|NDR S T|NM S T|NRHO S T
NPAR S T|NSIG S T|NOVER S T|NDS S T|NHF S T|NRT S T
Q L T HE|QREM L T HE|K L T GE|KREM L T GE
XSQ U T AE|XN U T AE|XNREM U T AE
XNA0 U T A|XNA1 U T A|XNB0 U T A|XNB1 U T A|XNC0 U T A|XNC1 U T A|XNC2 U T A|XNS0 U T A|XNS1 U T A|XNS2 U T A|XNF0 U T A|XNF1 U T A
XNR U T A|XNDR U T A|XNM U T A|XNRHO U T A|XNPAR U T A|XNSIG U T A|XNOVER U T A|XNDS U T A|XNHF U T A|XNRT U T A
QG U T HE|QGREM U T HE|KG U T GE|KGREM U T GE
V1 L T GE|VREM L T GE|V0 L T GE|QR L T HE|QRREM L T HE|KR L T GE|KRREM L T GE
EX I J L H|ZF I J L H|DREM I J L H
CMAX L H T|ZP L H T|ZDEL L H T|ZDD L H T|ZFZ L H T|ZLOW L H T|Z2 L H T|ZH0 L H T|ZH1 L H T|ZB L H T
O1 L T HE|O0 L T HE|OREM L T HE|ORHO L T HE|OC1 L T HE|OC0 L T HE|Y L T D|YREM L T D
GATE L T F|GATEREM L T F|SG L T F|UP L T F|UPREM L T F|ACT L T F|ACTREM L T F|DOWN L T D|DOWNREM L T D
NG P D|NGREM P D|LM P|LHI P V|LLO P V|GAP C|GREM C|GZ C|GSP C
""".replace("\n", "|").split("|") if line]
AXES = {t[0]: t[1:] for t in TENSORS}
WITNESS_SLOTS = 8                # log2


# ---------------------------------------------------------------- boxes

def pieces(n):
    """[(start, length)] by the binary digits of n."""
    out, at = [], 0
    for k in range(n.bit_length() - 1, -1, -1):
        if n >> k & 1:
            out.append((at, 1 << k))
            at += 1 << k
    return out


def causal_parts(lo, n):
    """[((i, length), (j, length))] of the cells j <= i of [lo, lo + n)."""
    if n == 1:
        return [((lo, 1), (lo, 1))]
    if n & (n - 1) == 0:
        h = n // 2
        return causal_parts(lo, h) + [((lo + h, h), (lo, h))] + causal_parts(lo + h, h)
    out, ps = [], [(lo + a, m) for a, m in pieces(n)]
    for m, p in enumerate(ps):
        out += [(p, q) for q in ps[:m]] + causal_parts(*p)
    return out


class Box:
    def __init__(self, ranges, base=None):
        self.ranges, self.base = ranges, base
        self.size = int(np.prod([n for _, n in ranges]))

    def halves(self):
        k = next(i for i, (_, n) in enumerate(self.ranges) if n > 1)
        a, n = self.ranges[k]
        return [Box(self.ranges[:k] + [half] + self.ranges[k + 1:]) for half in ((a, n // 2), (a + n // 2, n // 2))]


class Grid:
    """name, axes, their extents; boxes: as cut, then as placed."""

    def __init__(self, name, axes, extents):
        self.name, self.axes, self.extents = name, axes, list(extents)
        self.causal = axes[0] == "I"
        lists = [pieces(n) for n in self.extents]
        parts = [[]]
        if self.causal:
            n = self.extents[0]
            parts, lists = [list(p) for p in (causal_parts(0, n) if n else [])], lists[2:]
        for pl in lists:
            parts = [b + [p] for b in parts for p in pl]
        self.boxes = [Box(b) for b in parts]
        self.placed = []

    def cells(self):
        return sum(b.size for b in self.boxes)

    def addresses(self):
        """Array of the extents: where each cell stands, -1 where there is none (here)."""
        out = np.full(self.extents, -1, np.int64)
        for b in self.placed:
            at = tuple(slice(a, a + n) for a, n in b.ranges)
            out[at] = b.base + np.arange(b.size).reshape([n for _, n in b.ranges])
        return out


def place_rows(grids, c, slots, n_rows=None):
    """§6.3; returns the number of rows."""
    room = (1 << c) - (1 << slots)
    rows = n_rows or -(-sum(g.cells() for g in grids) // room)
    free = {k: [] for k in range(c + 1)}
    for r in range(rows):
        at = r << c
        for k in range(c - 1, slots - 1, -1):
            free[k].append(at)
            at += 1 << k
    for h in free.values():
        heapq.heapify(h)

    def place(grid, box):
        k0 = box.size.bit_length() - 1
        k = next((k for k in range(k0, c + 1) if free[k]), None)
        if k is None:
            need(box.size > 1, "the cells do not fit")
            for half in box.halves():
                place(grid, half)
            return
        box.base = heapq.heappop(free[k])
        for j in range(k0, k):
            heapq.heappush(free[j], box.base + (1 << j))
        grid.placed.append(box)

    for grid, box in sorted(((g, b) for g in grids for b in g.boxes), key=lambda gb: -gb[1].size):
        place(grid, box)
    return rows


def place_leaves(boxes):
    """Bases from 0, largest first; returns the number of leaves."""
    at = 0
    for b in sorted(boxes, key=lambda b: -b.size):
        b.base, at = at, at + b.size
    return at


def log2_up(n):
    return max(n - 1, 0).bit_length()


# ---------------------------------------------------------------- the shape of a proof

class Shape:
    """Everything public about a proof's cells: pub (full_files.decode_public), lengths of the request, what it states of gaps
    (full_gap)."""

    def __init__(self, pub, n_prompt, n_tokens, leaf_limit=None, gap=None):
        c = self.cfg = pub.cfg
        self.gap = gap
        self.pub, self.c, self.n_prompt, self._tuples = pub, pub.c, n_prompt, {}
        self.rebase = [j for j in range(1, len(c.unit)) if c.unit[j] < c.unit[j - 1]]
        self.ext = self.extents(c, n_prompt, n_tokens, gap)
        self.grids = [self.grid(name, axes) for name, axes in AXES.items() if name != "DREM" or rem_bits(c)]
        self.families = families(self)
        self.instances = []
        self.deal(leaf_limit)
        self.grids += [Grid(name, ["ROW"], [table_rows(c, t)]) for x in self.instances for t, name in zip(x.tables, x.mult)]
        self.matrices()

    @staticmethod
    def extents(c, n_prompt, n_tokens, gap):
        checked = n_tokens - n_prompt + 1
        return dict(L=c.n_layers, S=2 * c.n_layers + 1, B=sum(b < a for a, b in zip(c.unit, c.unit[1:])), T=n_tokens, I=n_tokens,
                    J=n_tokens, P=checked, C=checked if gap else 0, D=c.d, F=c.ff, H=c.n_heads, G=c.n_kv, E=c.head_dim, V=c.vocab,
                    HE=c.n_heads * c.head_dim, GE=c.n_kv * c.head_dim, U=c.n_layers if c.parts & 2 else 0, A=c.n_heads + c.n_kv,
                    AE=(c.n_heads + c.n_kv) * c.head_dim)

    def grid(self, name, axes):
        return Grid(name, axes, [self.ext[a] for a in axes])

    def array_shape(self, axes):
        return [self.ext[letter] for a in axes for letter in a]

    def row_bits(self, i):
        return min(self.cfg.e_bits, self.cfg.z_bits - log2_up(i + 1))

    def deal(self, limit):
        """Families' boxes to instances; an instance has parts (family, grid of its boxes), tables and their leaves."""
        cells = [box.size for f in self.families for box in self.grid(f.name, f.axes).boxes]
        limit = limit or max(1 << 26, *cells)
        need(max(cells) <= min(limit, 1 << 30), "too many look-ups in one box")
        leaves = limit
        for f in self.families:
            for box in self.grid(f.name, f.axes).boxes:
                if leaves + box.size > limit:
                    self.instances.append(SimpleNamespace(parts=[], tables=set()))
                    leaves = 0
                leaves += box.size
                x = self.instances[-1]
                if not x.parts or x.parts[-1][0] is not f:
                    x.parts.append((f, self.grid(f.name, f.axes)))
                    x.parts[-1][1].boxes = []
                x.parts[-1][1].boxes.append(box)
                first, n = box.ranges[0]
                x.tables.update(f.table_at(i) for i in range(first, first + n))
        for n, x in enumerate(self.instances):
            x.tables = sorted(x.tables)
            x.mult = [f"MULT{n}/{t}" for t in x.tables]
            x.rows = [Grid(name, ["ROW"], [table_rows(self.cfg, t)]) for t, name in zip(x.tables, x.mult)]
            grids = [g for _, g in x.parts] + x.rows
            x.leaves = place_leaves([b for g in grids for b in g.boxes])
            for g in grids:
                g.placed = g.boxes
            x.scores = any(f.score for f, _ in x.parts)

    def matrices(self):
        c, e = self.cfg, self.ext
        self.matrix = dict(EMBED=(1, c.d, c.vocab), Q=(c.n_layers, e["HE"], c.d), K=(c.n_layers, e["GE"], c.d),
                           V=(c.n_layers, e["GE"], c.d), O=(c.n_layers, c.d, e["HE"]), GATE=(c.n_layers, c.ff, c.d),
                           UP=(c.n_layers, c.ff, c.d), DOWN=(c.n_layers, c.d, c.ff), GAIN=(1, 1, c.d), HEAD=(1, c.vocab, c.d))
        if c.fixed_first:
            self.matrix.update(FIRST_K=(c.n_layers, e["GE"], 1), FIRST_V=(c.n_layers, e["GE"], 1))
        if c.parts & 1:                                        # biases: one input
            self.matrix.update(BQ=(c.n_layers, e["HE"], 1), BK=(c.n_layers, e["GE"], 1), BV=(c.n_layers, e["GE"], 1))
        if c.parts & 2:                                        # gains of the heads' norms: one output
            self.matrix.update(NQ=(c.n_layers, 1, c.head_dim), NK=(c.n_layers, 1, c.head_dim))
        rows = 1 << self.pub.jb
        self.weight_grids = [Grid("P." + m, ["N", "X", "IN"], [n, -(-out // rows), k]) for m, (n, out, k) in self.matrix.items()]
        self.x_bits = max(log2_up(g.extents[1]) for g in self.weight_grids)
        place_rows(self.weight_grids, self.c, self.pub.a, 1)

    def place(self, n_cells):
        """Adds the hiding cells and places the stack; address[name] has the array axes of a tensor."""
        hid = Grid("HID", ["WORD", "CELL"], [6, n_cells])
        self.n_rows = place_rows(self.grids + [hid], self.c, WITNESS_SLOTS)
        self.stack_bits = log2_up(2 + self.n_rows)
        self.address = {}
        for g in self.grids + [hid] + self.weight_grids:
            at = g.addresses()
            if not g.name.startswith("P."):
                at = np.where(at < 0, -1, at + (2 << self.c))
            if g.name in AXES:
                at = at.reshape(self.array_shape(g.axes))
            self.address[g.name] = at

    def letters(self, name):
        if name in AXES:
            return "".join(AXES[name])
        return "R" if name.startswith("MULT") else "NXK"

    def table(self, table):
        if table not in self._tuples:
            self._tuples[table] = table_tuples(self.cfg, table)
        return self._tuples[table]
