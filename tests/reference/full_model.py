# SPDX-License-Identifier: Apache-2.0
"""The integer model of docs/model.md for a prover: every committed tensor of one run, as int64 arrays with the axes of
docs/protocol.md §6.2 (joint axes as two), and "h", the residual at each norm site.

weights: {"EMBED": [V][D], "HEAD": [V][D], "GAIN": [D], "Q": [L][out][in], ... "DOWN",
and "FIRST_K", "FIRST_V" [L][GE] where the first token is fixed, "BQ", "BK", "BV" [L][out] where there are biases, "NQ", "NK"
[L][E] where heads have norms}.
"""
import numpy as np

import full_gap
import full_tables as tables
from full_layout import AXES, Shape


class NoResult(Exception):
    pass


def need(ok, why):
    if not np.all(ok):
        raise NoResult(why)


class Run:
    def __init__(self, cfg, weights):
        self.cfg, self.w = cfg, weights
        self.rsqrt = tables.rsqrt(cfg)
        self.exp, self.silu = {}, [tables.silu(cfg, i) for i in range(cfg.n_layers)]

    def requant(self, acc, b, s, what):
        need(np.abs(acc) < 1 << 30, what + ": accumulator")
        acc = acc + (1 << s >> 1)
        y = acc >> s
        need((y >= -(1 << (b - 1))) & (y < 1 << (b - 1)), what + ": range")
        return y, acc - (y << s)

    def matrix(self, name, layer, x, site):
        acc = x @ self.w[name][layer].T
        if self.cfg.parts & 1 and name in "QKV":
            acc = acc + self.w["B" + name][layer]
        y, rem = self.requant(acc, site.b, site.s, f"{name} of layer {layer}")
        return y, rem

    def norm(self, out, j, h, fn):
        return self.norm_rows(out, "", h, self.cfg.eps_term[j], fn, "h")

    def norm_heads(self, v, layer):
        """From v's Q and K [T, heads, E]: normalised heads times their gains."""
        c, y, q, k = self.cfg, self.cfg.layer[layer], v["Q"], v["K"]
        n = c.n_heads
        eps = [max((c.eps_q60 * c.head_dim + (1 << (59 - 2 * f))) >> (60 - 2 * f), 1) for f in (y.q.f, y.k.f)]
        rows = {}
        x = self.norm_rows(rows, "X", np.concatenate([q, k], 1), np.repeat(eps, [n, c.n_kv]), y.fnh, "x")
        v.update({name: value[0] for name, value in rows.items()})
        for name, part, site in (("Q", x[:, :n], y.qg), ("K", x[:, n:], y.kg)):
            v[name + "G"], v[name + "GREM"] = self.requant(part * self.w["N" + name][layer], site.b, site.s, name + " times gain")

    def norm_rows(self, out, prefix, h, eps, fn, what):
        """h: rows along the last axis, tokens along the first; eps: one number, or by the axis before the last."""
        c, p15 = self.cfg, 2**15
        need((h >= -p15) & (h < p15), "residual")
        sq = h * h >> 15
        a, b, eps = sq.sum(-1), (h * h - (sq << 15)).sum(-1), np.array(eps)
        if c.fixed_first:                                                          # position 0 is not computed
            b[0] += 1 << (c.rsqrt_in - 1)
        digits = [eps % p15, (eps >> 15) % p15, eps >> 30]
        t0, t1 = b % p15 + digits[0], a % p15 + (b >> 15) + digits[1]
        c0 = t0 >> 15
        t1 = t1 + c0
        t2 = (a >> 15) + digits[2] + (t1 >> 15)
        v = dict(NA0=a % p15, NA1=a >> 15, NB0=b % p15, NB1=b >> 15, NC0=c0, NC1=t1 >> 15, NC2=t2 >> 15,
                 NS0=t0 % p15, NS1=t1 % p15, NS2=t2 % p15)
        s = (a << 15) + b + eps
        need(s >= 1 << (c.rsqrt_in - 1), "sum of squares")
        e = np.array([int(x).bit_length() - c.rsqrt_in for x in s.ravel()]).reshape(s.shape)
        m, r = s >> e, e % 15
        v.update(NF0=e // 15 == 0, NF1=e // 15 == 1, NR=r, NDR=1 << r, NM=m, NRHO=(s >> (15 * (e // 15))) - (m << r))
        sigma = c.rs_t + (e >> 1) - fn
        over = np.maximum(sigma - tables.SIGMA_MAX, 0)
        need(over <= 8, "shift")
        sigma = sigma - over
        root = self.rsqrt[over, e & 1, m - (1 << (c.rsqrt_in - 1))]
        v.update(NPAR=e & 1, NSIG=sigma, NOVER=over, NDS=1 << sigma, NHF=1 << sigma >> 1, NRT=root)
        acc = h * root[..., None] + (1 << sigma >> 1)[..., None]
        n = acc >> sigma[..., None]
        need((n >= -(1 << (c.n_bits - 1))) & (n < 1 << (c.n_bits - 1)), "normalised row")
        v.update(SQ=sq, N=n, NREM=acc - (n << sigma[..., None]))
        for k, x in v.items():
            out.setdefault(prefix + k, []).append(x)
        out.setdefault(what, []).append(h)
        return n

    def rotate(self, x, site, what):
        co, si = tables.rotation(self.cfg, len(x))
        a, b = np.split(x, 2, -1)
        co, si = co[:, None], si[:, None]
        return self.requant(np.concatenate([a * co - b * si, b * co + a * si], -1), site.b, site.s, what)

    def attention(self, v, q, k, val, layer):
        """q [T,H,E], k and val [T,G,E]; fills v."""
        c, y, n = self.cfg, self.cfg.layer[layer], len(q)
        group = c.n_heads // c.n_kv
        k, val, below = np.repeat(k, group, 1), np.repeat(val, group, 1), np.tril(np.ones((n, n), bool))
        s = np.einsum("ihe,jhe->ijh", q, k)
        top = np.where(below[:, :, None], s, -(1 << 40)).max(1)                    # [i, h]
        dist = np.where(below[:, :, None], top[:, None] - s, 0)
        need(np.abs(s) < 1 << 29, "score")
        need(dist < 1 << c.dist_bits, "distance")
        r = tables.rem_bits(c)
        ex = np.zeros_like(dist)
        for i in range(n):
            b = min(c.e_bits, c.z_bits - max(i, 0).bit_length())
            if b not in self.exp:
                self.exp[b] = tables.exp(c, b)
            ex[i] = self.exp[b][dist[i] >> r]
        ex = np.where(below[:, :, None], ex, 0)
        hit = (dist == 0) & below[:, :, None]
        first = hit & (np.cumsum(hit, 1) == 1)
        z = ex.sum(1)
        delta = np.array([[max(int(x).bit_length() - 16, 0) for x in row] for row in z])
        zp = z >> delta
        z2 = zp << delta
        num = np.einsum("ijh,jhe->ihe", ex, val) << c.o_guard
        num = num + (z2 >> 1)[:, :, None]
        o = num // z2[:, :, None]
        bits = y.v.b + c.o_guard
        need((o >= -(1 << (bits - 1))) & (o < 1 << (bits - 1)), "mixed value")
        rem = num - o * z2[:, :, None]
        carry = (np.einsum("ijh,jhe->ihe", ex, val >> 7) << c.o_guard) - (o >> 7) * z2[:, :, None] + (1 << (c.z_bits + c.o_guard))
        v.update(OC1=carry >> 16, OC0=carry & 0xffff)
        v.update(EX=ex, ZF=first, DREM=dist & ((1 << r) - 1), CMAX=top.T, ZP=zp.T, ZDEL=delta.T, ZDD=1 << delta.T, ZFZ=delta.T >= 1, ZLOW=(z - z2).T, Z2=z2.T,
                 ZH0=(z2 >> 1).T & 0xffff, ZH1=z2.T >> 17, ZB=z2.T & 1, O1=o >> 7, O0=o & 127, OREM=rem >> delta[:, :, None],
                 ORHO=rem & ((1 << delta) - 1)[:, :, None])

    def add(self, out, j, h, y, f):
        unit, before = self.cfg.unit[j], self.cfg.unit[j - 1]
        if unit < before:
            h, rem = self.requant(h, self.cfg.resid_bits, before - unit, "rebase")
            out.setdefault("REB", []).append(h)
            out.setdefault("REBREM", []).append(rem)
        return h + (y << (unit - f))

    def logits_and_trace(self, ids):
        """Logits of every position, and the tensors but those of checked positions."""
        c, n, sites, layers = self.cfg, len(ids), {}, {}
        h0 = self.w["EMBED"][ids]
        if c.fixed_first:
            h0[0] = 0
        h = h0 << (c.unit[0] - c.f_embed)
        for i, y in enumerate(c.layer):
            v = {}
            x = self.norm(sites, 2 * i, h, y.fn1)
            for name, site in (("Q", y.q), ("K", y.k), ("V", y.v)):
                t, rem = self.matrix(name, i, x, site)
                v[name], v[name + "REM"] = t.reshape(n, -1, c.head_dim), rem.reshape(n, -1, c.head_dim)
            if c.parts & 2:
                self.norm_heads(v, i)
            for name, site in (("Q", y.qr), ("K", y.kr)):
                before = name + "G" if c.parts & 2 else name
                v[name + "R"], v[name + "RREM"] = self.rotate(v[before], site, "rotation")
            if c.fixed_first:
                v["KR"][0], v["V"][0] = (self.w[x][i].reshape(-1, c.head_dim) for x in ("FIRST_K", "FIRST_V"))
            v["V1"], v["V0"] = v["V"] >> 7, v["V"] & 127
            self.attention(v, v["QR"], v["KR"], v.pop("V"), i)
            if c.fixed_first:
                for name in ("O1", "O0", "OREM", "ORHO", "OC1", "OC0"):
                    v[name][0] = 0
            o = ((v["O1"] << 7) + v["O0"]).reshape(n, -1)
            v["Y"], v["YREM"] = self.matrix("O", i, o, y.o)
            h = self.add(sites, 2 * i + 1, h, v["Y"], y.o.f)
            x = self.norm(sites, 2 * i + 1, h, y.fn2)
            v["GATE"], v["GATEREM"] = self.matrix("GATE", i, x, y.gate)
            v["UP"], v["UPREM"] = self.matrix("UP", i, x, y.up)
            v["SG"] = self.silu[i][v["GATE"] + (1 << (y.gate.b - 1))]
            v["ACT"], v["ACTREM"] = self.requant(v["SG"] * v["UP"], y.act.b, y.act.s, "gate * up")
            v["DOWN"], v["DOWNREM"] = self.matrix("DOWN", i, v["ACT"], y.down)
            h = self.add(sites, 2 * i + 2, h, v["DOWN"], y.down.f)
            for k, x in v.items():
                layers.setdefault(k, []).append(x)
        x = self.norm(sites, 2 * c.n_layers, h, c.fn_final)
        ng, rem = self.requant(x * self.w["GAIN"], c.ng.b, c.ng.s, "final gain")
        logits = ng @ self.w["HEAD"].T
        need(np.abs(logits) < 1 << 29, "logits")
        trace = {k: np.array(v, np.int64) for k, v in {**sites, **layers}.items()}
        for k in ("EX", "ZF", "DREM"):
            trace[k] = np.moveaxis(trace[k], 0, 2)                                # [i, j, l, h]
        trace.update(H0=h0, NG=ng, NGREM=rem)
        return logits, trace

    def greedy(self, prompt, n):
        """(ids, the token after them)."""
        ids = list(prompt)
        for _ in range(n):
            ids.append(int(self.logits_and_trace(ids)[0][-1].argmax()))
        return ids, int(self.logits_and_trace(ids)[0][-1].argmax())

    def trace(self, ids, n_prompt, policy=None):
        """ids: with the token after the last. All tensors of AXES, and h; and what is stated of gaps (full_gap)."""
        logits, t = self.logits_and_trace(ids[:-1])
        logits, y = logits[n_prompt - 1:], np.array(ids[n_prompt:])
        t["NG"], t["NGREM"] = t["NG"][n_prompt - 1:], t["NGREM"][n_prompt - 1:]
        t["LM"] = logits.max(1) if policy else np.take_along_axis(logits, y[:, None], 1)[:, 0]
        gap = t["LM"][:, None] - logits - (not policy) * (np.arange(logits.shape[1]) < y[:, None])
        if (gap < 0).any() or (gap >= 1 << 30).any():
            raise NoResult("a claimed token is not the model's choice")
        t["LHI"], t["LLO"] = gap >> 16, gap & 0xffff
        for k in ("REB", "REBREM"):
            t.setdefault(k, np.zeros((0, len(ids) - 1, self.cfg.d), np.int64))
        stated = None
        if policy:
            stated = full_gap.measure(t, self.cfg, y, policy)
            if stated is None:
                raise NoResult("a claimed token is too far below the model's choice")
        for k in ("GAP", "GREM", "GZ", "GSP"):
            t.setdefault(k, np.zeros(0, np.int64))
        if not self.cfg.parts & 2:
            shape = Shape.extents(self.cfg, n_prompt, len(ids) - 1, False)
            t.update({k: np.zeros([shape[x] for a in axes for x in a], np.int64) for k, axes in AXES.items() if axes[0] == "U"})
        return t, stated


def check_shapes(shape: Shape, trace):
    for name, axes in AXES.items():
        assert list(trace[name].shape) == shape.array_shape(axes), name
