# SPDX-License-Identifier: Apache-2.0
"""The look-up families of docs/protocol.md §7.2, as data."""
import full_gap
from full_tables import EXP, NEXP, POW, RANGE, RSQRT, SILU, SQUARE, ZEXP, rem_bits


class Form:
    """const (an integer, or a list by the family's first axis) + sum coef * tensor + a virtual value ("h": the residual,
    "x": heads of q and k, "score": minus q.k)."""

    def __init__(self, const=0, refs=(), virtual=None):
        self.const, self.refs, self.virtual = const, list(refs), virtual

    def const_at(self, i):
        return self.const[i] if isinstance(self.const, list) else self.const


class Family:
    def __init__(self, axes, table, *entries):
        """table: an id, or a list by the first axis."""
        self.axes, self.table = axes.split(), table
        self.tuple = [e if isinstance(e, Form) else Form(e) if isinstance(e, (int, list)) else Form(0, [(e, 1)]) for e in entries]
        self.score = any(e.virtual == "score" for e in self.tuple)
        self.name = ""

    def table_at(self, i):
        return self.table[i] if isinstance(self.table, list) else self.table


def families(shape):
    c, layers = shape.cfg, shape.cfg.layer
    out = []

    def fam(*args):
        out.append(Family(*args))

    def pair(axes, y, b, s):
        half = [1 << (x - 1) for x in b] if isinstance(b, list) else 1 << (b - 1)
        fam(axes, RANGE, b, Form(half, [(y, 1)]))
        fam(axes, RANGE, s, y + "REM")

    def layered(axes, y, site):
        pair(axes, y, [getattr(x, site).b for x in layers], [getattr(x, site).s for x in layers])

    def norm(x, rows, cells, virtual, fn):
        """x: before the residual's names; fn: units of normalised rows by the first axis."""
        def names(*refs):
            return [(x + t, coef) for t, coef in refs]
        fam(cells, SQUARE, Form(0, [], virtual), x + "SQ")
        fam(cells, RANGE, c.n_bits, Form(1 << (c.n_bits - 1), names(("N", 1))))
        fam(cells, RANGE, x + "NSIG", x + "NREM")

        for t in ("NA0", "NA1", "NB0", "NB1", "NS0", "NS1", "NS2"):
            fam(rows, RANGE, 15, x + t)
        for t in ("NC0", "NC1", "NC2"):
            fam(rows, RANGE, 2, x + t)
        for t in (x + "NF0", x + "NF1", Form(1, names(("NF0", -1), ("NF1", -1)))):
            fam(rows, RANGE, 1, t)
        fam(rows, POW, x + "NR", x + "NDR")
        fam(rows, RANGE, x + "NR", x + "NRHO")
        g = Form([30 + 2 * (c.rs_t - f) for f in fn], names(("NF0", -30), ("NF1", -15), ("NR", 1)))
        fam(rows, NEXP, g, *(x + t for t in ("NPAR", "NSIG", "NOVER", "NDS", "NHF")))
        fam(rows, RSQRT, *(x + t for t in ("NPAR", "NM", "NOVER", "NRT")))

    norm("", "S T", "S T D", "h", [f for y in layers for f in (y.fn1, y.fn2)] + [c.fn_final])

    pair("B T D", "REB", c.resid_bits, [c.unit[j - 1] - c.unit[j] for j in shape.rebase])
    layered("L T HE", "Q", "q")
    layered("L T GE", "K", "k")
    if c.parts & 2:
        norm("X", "U T A", "U T AE", "x", [y.fnh for y in layers])
        layered("U T HE", "QG", "qg")
        layered("U T GE", "KG", "kg")
    values = [y.v.b - 7 for y in layers]
    fam("L T GE", RANGE, values, Form([1 << (b - 1) for b in values], [("V1", 1)]))
    fam("L T GE", RANGE, [y.v.s for y in layers], "VREM")
    fam("L T GE", RANGE, 7, "V0")
    layered("L T HE", "QR", "qr")
    layered("L T GE", "KR", "kr")

    bits = [shape.row_bits(i) for i in range(shape.ext["T"])]
    r = rem_bits(c)
    fam("I J L H", [EXP + b for b in bits], Form(0, [("CMAX", 1), ("DREM", -1)] if r else [("CMAX", 1)], "score"), "EX", "ZF")
    if r:
        fam("I J L H", RANGE, Form(r, [("ZF", -r)]), "DREM")

    fam("L H T", ZEXP, "ZDEL", "ZDD", "ZFZ")
    fam("L H T", RANGE, Form(16, [("ZFZ", -1)]), Form(0, [("ZP", 1), ("ZFZ", -2**15)]))
    fam("L H T", RANGE, "ZDEL", "ZLOW")
    fam("L H T", RANGE, 16, "ZH0")
    fam("L H T", RANGE, 6, "ZH1")
    fam("L H T", RANGE, 1, "ZB")

    wide = [y.v.b + c.o_guard - 7 for y in layers]
    fam("L T HE", RANGE, wide, Form([1 << (b - 1) for b in wide], [("O1", 1)]))
    fam("L T HE", RANGE, 7, "O0")
    fam("L T HE", RANGE, 16, "OREM")
    fam("L T HE", RANGE, 16, Form(-1, [("ZP", 1), ("OREM", -1)]))
    fam("L T HE", RANGE, "ZDEL", "ORHO")
    fam("L T HE", RANGE, max(c.z_bits + c.o_guard - 15, 0), "OC1")
    fam("L T HE", RANGE, 16, "OC0")

    layered("L T D", "Y", "o")
    fam("L T F", RANGE, [y.gate.s for y in layers], "GATEREM")
    fam("L T F", [SILU + i for i in range(len(layers))], "GATE", "SG")
    layered("L T F", "UP", "up")
    layered("L T F", "ACT", "act")
    layered("L T D", "DOWN", "down")
    pair("P D", "NG", c.ng.b, c.ng.s)

    fam("P V", RANGE, 14, "LHI")
    fam("P V", RANGE, 16, "LLO")
    if shape.gap:
        b = full_gap.bits(c)
        fam("C", RANGE, 1, "GZ")
        fam("C", RANGE, Form(0, [("GZ", b)]), "GAP")
        fam("C", RANGE, full_gap.shift(c), "GREM")
        fam("C", RANGE, b, Form(shape.gap[0], [("GAP", -1)]))
        fam("C", RANGE, full_gap.SPARE_BITS, "GSP")
    for n, f in enumerate(out):
        f.name = f"family {n}"
    return out
