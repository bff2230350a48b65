#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fixed-point transformer: numpy reference of the integer model that the proof's relations are read off.

Reads a Hugging Face folder (Llama layout, safetensors F32/F16/BF16), picks every binary point from a calibration text,
runs the model in integers, and prints greedy text and the fidelity against the same checkpoint in float32.

    model_reference.py FOLDER --calibrate cal.txt --text eval.txt --prompt 'Q: What is 27 + 45?\\nA:'
    model_reference.py FOLDER --costs

A text file holds documents separated by an empty line; each becomes  bos, bytes, eos  and the stream is cut into windows
that start with a document. Only vocabularies without merges (byte level) are tokenised here; others need `--ids`.

Conventions. x_int = x * 2^f: f is the *unit* of a tensor. A site's range is b bits: -2^(b-1) <= y < 2^(b-1). `s` is a
right shift. Everything integer is int64; products and sums stay below 2^30 in absolute value or the model has no result.
Every table is floor(g(x) + 1/2) of a real function g; no entry may lie within 1e-9 of a tie, so that the table does not
depend on the mathematics library that made it.
"""
import argparse
import json
import math
import os
import struct
import sys
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

WINDOW = 30      # b + s <= WINDOW: y * 2^s + rem covers at most 2^30 < p values, so it determines (y, rem)
REM_BITS = 16    # a remainder is one look-up, so s <= 16
LIMIT = 1 << 30  # accumulators stay inside (-LIMIT, LIMIT)


class NoResult(Exception):
    """The model has no result on this request."""

    def __init__(self, layer, tensor, position, why):
        super().__init__(f"no result: layer {layer}, {tensor}, position {position}: {why}")
        self.position = position


@dataclass
class Options:
    w_bits: int = 13        # weights, per tensor
    a_bits: int = 16        # activations between matrices
    head: float = 1.0       # binary-point headroom over the calibrated maximum, bits
    head_wide: float = 2.0  # the same for the residual, gate * up and down
    n_bits: int = 15        # normalised rows
    g_bits: int = 12        # gate: a SiLU table a layer has 2^g_bits rows
    v_bits: int = 10        # values, 8 to 14; cut in a low limb of 7 bits and a high one for the product with e
    score_f: int = 9        # score unit 2^-score_f nats
    dist_bits: int = 16     # dist < 2^dist_bits steps
    cos_bits: int = 12      # unit of cos and sin
    e_bits: int = 12        # unit of exp(-dist) for short rows
    z_bits: int = 19        # Z_i <= 2^z_bits: row i uses min(e_bits, z_bits - ceil(log2(i + 1))) bits
    o_guard: int = 1        # extra fractional bits of the quotient
    rsqrt_in: int = 12      # mantissa bits of the sum of squares that index the table
    rsqrt_out: int = 12     # bits of a table entry
    resid_bits: int = 16    # range of the residual stream at every norm, checked
    resid_f: int = 13       # finest residual unit
    wide_max: int = 0       # residual channels that may have a coarser unit of their own
    smooth: bool = True     # power-of-two smoothing of (up, down), (v, o) and (q, k)


# ---------------------------------------------------------------- checkpoint

def read_safetensors(path):
    out = {}
    with open(path, "rb") as fh:
        n = struct.unpack("<Q", fh.read(8))[0]
        for name, t in json.loads(fh.read(n)).items():
            if name == "__metadata__":
                continue
            a, e = t["data_offsets"]
            fh.seek(8 + n + a)
            raw = fh.read(e - a)
            if t["dtype"] == "BF16":
                x = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
            elif t["dtype"] in ("F16", "F32"):
                x = np.frombuffer(raw, {"F16": "<f2", "F32": "<f4"}[t["dtype"]]).astype(np.float32)
            else:
                raise SystemExit(f"{path}: tensor {name}: dtype {t['dtype']} is not supported")
            out[name] = x.reshape(t["shape"])
    return out


class Checkpoint:
    """Weights as float32, plus the shape; layer keys: g1 q k v o g2 gate up down, with biases bq bk bv, with q/k norms nq nk."""

    NAMES = dict(g1="input_layernorm", g2="post_attention_layernorm", q="self_attn.q_proj", k="self_attn.k_proj",
                 v="self_attn.v_proj", o="self_attn.o_proj", gate="mlp.gate_proj", up="mlp.up_proj", down="mlp.down_proj")

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as fh:
            c = json.load(fh)
        if c.get("model_type") not in ("llama", "mistral", "qwen2", "qwen3"):
            raise SystemExit(f"config.json: model_type {c.get('model_type')!r} is not supported")
        w = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".safetensors"):
                w.update(read_safetensors(os.path.join(folder, name)))
        self.d, self.n_heads, self.n_kv = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"]
        self.hd = c.get("head_dim") or self.d // self.n_heads
        self.ff, self.n_layers, self.vocab = c["intermediate_size"], c["num_hidden_layers"], c["vocab_size"]
        self.eps = c["rms_norm_eps"]
        rope = c.get("rope_parameters") or {}
        self.theta = float(c.get("rope_theta") or rope.get("rope_theta", 10000.0))
        self.rope_factor = rope_factors(c.get("rope_parameters") or c.get("rope_scaling") or {}, self.theta, self.hd)
        self.biased, self.normed = c["model_type"] == "qwen2", c["model_type"] == "qwen3"
        self.bos, self.eos = c.get("bos_token_id"), c.get("eos_token_id")
        self.embed, self.gf = w["model.embed_tokens.weight"], w["model.norm.weight"]
        self.tied = bool(c.get("tie_word_embeddings"))
        self.head = self.embed if self.tied else w["lm_head.weight"]
        self.layers = [{k: w[f"model.layers.{i}.{v}.weight"].copy() for k, v in self.NAMES.items()}
                       for i in range(self.n_layers)]
        for i, lay in enumerate(self.layers):
            for k in "qkv":
                lay["b" + k] = np.zeros(len(lay[k]), np.float32)
                if c["model_type"] == "qwen2":
                    lay["b" + k] = w[f"model.layers.{i}.self_attn.{k}_proj.bias"].copy()
            for k in "qk":
                lay["n" + k] = w[f"model.layers.{i}.self_attn.{k}_norm.weight"].copy() if self.normed else None

    def rope(self, n):
        a = np.arange(n)[:, None] * (1.0 / self.theta ** (np.arange(0, self.hd, 2) / self.hd) / self.rope_factor)[None]
        return np.cos(a), np.sin(a)


def rope_factors(rope, theta, hd):
    """By what the frequency of each rotated pair is divided, in float32."""
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind == "default":
        return np.ones(hd // 2)
    if kind == "linear":
        return np.full(hd // 2, rope["factor"]).astype(np.float32).astype(float)
    if kind != "llama3":
        raise SystemExit(f"config.json: rope_type {kind!r} is not supported")
    freq = theta ** -(np.arange(0, hd, 2) / hd)
    wavelength, context = 2 * np.pi / freq, rope["original_max_position_embeddings"]
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    part = (context / wavelength - low) / (high - low)
    between = 1 / ((1 - part) / rope["factor"] + part)
    out = np.where(wavelength > context / low, rope["factor"], np.where(wavelength < context / high, 1.0, between))
    return out.astype(np.float32).astype(float)


def rotate(x, co, si):
    """x: (heads, T, hd), halves paired as in the Hugging Face layout."""
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * co - b * si, b * co + a * si], axis=-1)


def heads(x, n):
    return x.reshape(x.shape[0], n, -1).transpose(1, 0, 2)


# ---------------------------------------------------------------- float reference

def float_forward(ck, ids, see=None):
    """Logits (T, vocab) in float32. see(site, layer, array) observes every tensor the integer model rounds."""
    see = see or (lambda *a: None)
    n = len(ids)
    co, si = (x.astype(np.float32) for x in ck.rope(n))
    mask = np.triu(np.full((n, n), -np.inf, np.float32), 1)

    def norm(h):
        return h / np.sqrt((h * h).mean(-1, keepdims=True) + np.float32(ck.eps))

    h = ck.embed[ids]
    for i, w in enumerate(ck.layers):
        see("h", 2 * i, h)
        x = norm(h)
        see("n1", i, x)
        x = x * w["g1"]
        q, k, v = (heads(x @ w[m].T + w["b" + m], n) for m, n in (("q", ck.n_heads), ("k", ck.n_kv), ("v", ck.n_kv)))
        if w["nq"] is not None:
            see("xq", i, q), see("xk", i, k)
            q, k = norm(q), norm(k)
            see("nx", i, np.concatenate([q, k]))
            q, k = q * w["nq"], k * w["nk"]
        see("q", i, q), see("k", i, k), see("v", i, v)
        q, k = rotate(q, co, si), rotate(k, co, si)
        see("qr", i, q), see("kr", i, k)
        k, v = (np.repeat(t, ck.n_heads // ck.n_kv, 0) for t in (k, v))
        s = q @ k.transpose(0, 2, 1) * np.float32(ck.hd ** -0.5) + mask
        e = np.exp(s - s.max(-1, keepdims=True))
        o = ((e / e.sum(-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(n, -1)
        see("o", i, o)
        y = o @ w["o"].T
        see("ho", i, y)
        h = h + y
        see("h", 2 * i + 1, h)
        x = norm(h)
        see("n2", i, x)
        x = x * w["g2"]
        g, u = x @ w["gate"].T, x @ w["up"].T
        sg = g / (1 + np.exp(-g))
        a = sg * u
        see("g", i, g), see("u", i, u), see("sg", i, sg), see("a", i, a)
        y = a @ w["down"].T
        see("hd", i, y)
        h = h + y
    see("h", 2 * ck.n_layers, h)
    x = norm(h)
    see("nf", 0, x)
    x = x * ck.gf
    see("ng", 0, x)
    return x @ ck.head.T


def channel_maxima(ck, windows):
    """{(site, layer): max |x| per channel} over the calibration windows (heads flattened)."""
    out = {}

    def see(site, layer, x):
        if x.ndim == 3:
            x = x.transpose(1, 0, 2).reshape(x.shape[1], -1)
        m = np.abs(x).max(0).astype(float)
        key = (site, layer)
        out[key] = np.maximum(out[key], m) if key in out else m

    for ids in windows:
        float_forward(ck, ids, see)
    return out


def smooth(ck, cal):
    """Power-of-two smoothing, in place: rows of up, v, q by 2^-k, the facing columns of down, o (rows of k) by 2^k, so that
    both sides stand out equally. The function is unchanged; cal follows."""
    def balance(a, b):
        a, b = a.astype(float), b.astype(float)
        ra, rb = (np.maximum(x, 1e-9) / np.median(x[x > 0]) if (x > 0).any() else np.ones_like(x) for x in (a, b))
        return np.clip(np.round(0.5 * np.log2(ra / rb)), -8, 8)

    half, group = ck.hd // 2, ck.n_heads // ck.n_kv
    for i, w in enumerate(ck.layers):
        k = balance(cal["a", i], np.abs(w["down"]).max(0))
        w["up"] *= 2.0 ** -k[:, None]
        w["down"] *= 2.0 ** k[None]
        v = balance(cal["v", i], np.abs(w["o"]).max(0).reshape(ck.n_kv, group, ck.hd).max(1).ravel())
        w["v"] *= 2.0 ** -v[:, None]
        w["bv"] *= 2.0 ** -v
        w["o"] *= 2.0 ** np.repeat(v.reshape(ck.n_kv, 1, ck.hd), group, 1).reshape(1, -1)
        n = 1 if ck.normed else ck.n_kv                                        # gains of norms are shared by all heads
        q = cal["qr", i].reshape(n, -1, 2, half).max((1, 2))                    # one exponent for a rotated pair
        r = balance(cal["kr", i].reshape(n, -1, 2, half).max((1, 2)).ravel(), q.ravel()).reshape(n, 1, half)
        r = np.repeat(np.tile(r, (1, 2, 1)).reshape(n, 1, ck.hd), ck.n_kv // n, 1).reshape(ck.n_kv, 1, ck.hd)
        rq = np.repeat(r, group, 1).ravel()
        if ck.normed:
            w["nq"] *= 2.0 ** rq[:ck.hd]
            w["nk"] *= 2.0 ** -rq[:ck.hd]
        else:
            w["k"] *= 2.0 ** -r.reshape(-1, 1)
            w["q"] *= 2.0 ** rq[:, None]
            w["bk"] *= 2.0 ** -r.ravel()
            w["bq"] *= 2.0 ** rq
        for site, e in (("a", -k), ("u", -k), ("v", -v), ("k", -r), ("kr", -r), ("q", rq), ("qr", rq)):
            cal[site, i] = cal[site, i] * 2.0 ** e.ravel()


# ---------------------------------------------------------------- integers

def table(values):
    """floor(v + 1/2), refused where the rounding could depend on the library."""
    t = np.floor(values + 0.5)
    tie = np.abs(values + 0.5 - np.round(values + 0.5))
    if ((tie < 1e-9) & (tie > 0)).any():
        raise SystemExit("a table entry lies too near a tie")
    return t.astype(np.int64)


def exp_tables(opt):
    """{b: entries up to the first 0 or the end of the table, and a 0}"""
    unit = opt.score_f - rem_bits(opt)
    n = min(1 << (opt.dist_bits - rem_bits(opt)), math.ceil((opt.e_bits + 1) * math.log(2) * 2 ** unit) + 1)
    return {b: np.append(table(2.0 ** b * np.exp(-np.arange(n) * 2.0 ** -unit)), 0) for b in range(1, opt.e_bits + 1)}


def rem_bits(opt):
    """Bits of a distance that do not index the exp table."""
    return max(opt.dist_bits - 16, 0)


def matmul(a, b):
    """Exact integer product; through float64 when no partial sum can reach 2^53."""
    small = int(np.abs(a).max()) * int(np.abs(b).max()) * a.shape[-1] < 1 << 53
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) if small else a @ b


Site = namedtuple("Site", "b s f")   # a requantisation: shift by s, b bits left, result at unit f


class IntegerModel:
    def __init__(self, ck, cal, opt=None):
        """cal: channel_maxima() of the checkpoint after smoothing."""
        self.ck, self.opt = ck, opt or Options()
        self.worst = {}   # tensor -> largest |acc| seen, log2
        o, d = self.opt, ck.d
        if o.z_bits + o.o_guard > 23 or not 8 <= o.v_bits <= 14:
            raise SystemExit("z_bits or v_bits exceed what the division proves")
        self.plan_residual(cal)
        scale = 2.0 ** self.kappa[0]
        self.embed, self.f_embed = self.weight(ck.embed / scale, self.unit[0])
        self.head, self.f_head = (self.embed, self.f_embed) if ck.tied else self.weight(ck.head, 99)
        self.head_shift = self.kappa[0] * ck.tied   # tied: one committed matrix, so the head sees the column exponents
        self.gf, self.f_gf = self.weight(ck.gf, 99)

        m = np.arange(2 ** (o.rsqrt_in - 1), 2 ** o.rsqrt_in)
        self.rs_t = math.floor(math.log2((2 ** o.rsqrt_out - 1) / math.sqrt(d / 2 ** (o.rsqrt_in - 1))))
        self.rsqrt = np.stack([table(2.0 ** self.rs_t * np.sqrt(d / ((m + 0.5) * 2.0 ** par))) for par in (0, 1)])
        self.exp = exp_tables(o)
        self.layers = [self.plan_layer(i, w, cal) for i, w in enumerate(ck.layers)]
        self.fn_final = self.unit_of_norm(cal["nf", 0].max())
        self.ng = self.plan(self.fn_final + self.f_gf, cal["ng", 0].max(), o.a_bits)
        self.logit_unit = 2.0 ** -(self.ng.f + self.f_head)

    def plan_residual(self, cal):
        """unit[j], kappa[j]: at norm j channel c of the residual has unit unit[j] - kappa[j][c]; units never get finer again.
        A few channels whose maximum stands out get their own (massive activations); all others share one."""
        o, n = self.opt, 2 * self.ck.n_layers + 1
        top = np.stack([cal["h", j] for j in range(n)])
        ratio = (top / np.median(top, axis=1, keepdims=True)).max(0)
        self.wide = [c for c in np.argsort(-ratio)[:o.wide_max] if ratio[c] > 8]
        narrow = np.delete(top, self.wide, axis=1).max(1)
        room = np.log2(2 ** (o.resid_bits - 1) - 1) - o.head_wide
        fine = np.minimum.accumulate(np.minimum(np.floor(room - np.log2(np.maximum(narrow, 1e-9))), o.resid_f))
        each = np.minimum(np.minimum.accumulate(np.floor(room - np.log2(np.maximum(top, 1e-9))), axis=0), fine[:, None])
        kappa = np.zeros(top.shape, np.int64)
        kappa[:, self.wide] = (fine[:, None] - each)[:, self.wide]
        self.unit, self.kappa = [int(x) for x in fine], list(kappa)

    def weight(self, w, f_max):
        lim = 2 ** (self.opt.w_bits - 1) - 1
        f = min(math.floor(math.log2(lim / max(float(np.abs(w).max()), 1e-6))), f_max)
        return np.floor(w.astype(np.float64) * 2.0 ** f + 0.5).astype(np.int64), f

    def eps_term(self, where):
        """eps * d at the unit of a square, at least 1; from eps at 2^-60, so that integers suffice."""
        return self.eps_of(self.ck.d, self.unit[where])

    def eps_of(self, n, unit):
        e, shift = round(self.ck.eps * 2.0 ** 60) * n, 60 - 2 * unit
        return max((e + (1 << shift >> 1)) >> shift, 1)

    def unit_for(self, top, b, head=None):
        head = self.opt.head if head is None else head
        return math.floor(math.log2((2 ** (b - 1) - 1) / (max(float(top), 1e-6) * 2 ** head)))

    def unit_of_norm(self, top):
        """Unit of a normalised row: no finer than the reciprocal square root, so that no shift is ever negative."""
        return min(self.unit_for(top, self.opt.n_bits), self.rs_t)

    def plan(self, fa, top, b, f_cap=99, head=None):
        """Site for an accumulator at unit fa whose output reaches `top`."""
        head = self.opt.head if head is None else head
        f = min(self.unit_for(top, b, head), f_cap, fa)
        b = min(b, math.ceil(math.log2(top * 2 ** head * 2.0 ** f + 1)) + 1)
        return Site(max(b, 2), fa - f, f)

    def matrix(self, lay, name, w, fx, top, b, f_cap=99, head=None, bias=None):
        """Quantise w no finer than its site can absorb (s <= 16, b + s <= 30), and its bias of 30 bits; and plan the site."""
        most = 99
        if bias is not None and self.ck.biased:
            most = min(math.floor(math.log2((2 ** 29 - 1) / max(float(np.abs(bias).max()), 1e-6))) - fx, 99)
        q, f = self.weight(w, most)
        site = self.plan(fx + f, top, b, f_cap, head)
        extra = max(site.s - min(REM_BITS, WINDOW - site.b), 0)
        q, f = self.weight(w, f - extra)
        site = self.plan(fx + f, top, b, f_cap, head)
        lay.w[name], lay.site[name] = q.T.copy(), site
        if bias is not None:
            lay.bias[name] = np.floor(bias.astype(np.float64) * 2.0 ** (fx + f) + 0.5).astype(np.int64)

    def plan_layer(self, i, w, cal):
        o, ck, lay = self.opt, self.ck, SimpleNamespace(w={}, bias={}, site={})
        mid, end = 2.0 ** -self.kappa[2 * i + 1], 2.0 ** -self.kappa[2 * i + 2]
        top, sc = {s: float(cal[s, i].max()) for s in "n1 q k v qr kr n2 g u sg a".split()}, ck.hd ** -0.5
        fn1, fn2 = self.unit_of_norm(top["n1"]), self.unit_of_norm(top["n2"])
        lay.fn = (fn1, fn2)
        if ck.normed:
            # The integer norm of a head is that of a row of d: sqrt(d / hd) times what it should be, which the gain makes good.
            lay.fnh = self.unit_of_norm(np.float32(cal["nx", i].max()) * np.sqrt(np.float32(ck.d) / np.float32(ck.hd)))
            for name in "qk":
                self.matrix(lay, name, w[name] * w["g1"], fn1, cal["x" + name, i].max(), o.a_bits, o.resid_f, bias=w["b" + name])
        # rotated queries and keys: units add up to the score unit, so that a score needs no rounding of its own
        tq, tk = max(top["q"] * sc, top["qr"] * sc, 1e-6), max(top["k"], top["kr"], 1e-6)
        fq = round((o.score_f + math.log2(tk / tq)) / 2)
        for name, f, t, src, bias in (("q", fq, tq, w["q"] * sc, w["bq"] * np.float32(sc)),
                                      ("k", o.score_f - fq, tk, w["k"], w["bk"])):
            b = max(min(o.a_bits, math.ceil(math.log2(t * 2 ** o.head * 2.0 ** f + 1)) + 1), 2)
            s_max = min(REM_BITS, WINDOW - b)
            before = name
            if ck.normed:
                before = "n" + name
                gain = w[before] * np.float32(ck.d ** -0.5 if name == "q" else math.sqrt(ck.hd / ck.d))
                self.matrix(lay, before, gain[None], lay.fnh, t, o.a_bits, f + s_max - o.cos_bits)
            else:
                self.matrix(lay, name, src * w["g1"], fn1, t, o.a_bits, f + s_max - o.cos_bits, bias=bias)
            lay.site[name + "r"] = Site(b, lay.site[before].f + o.cos_bits - f, f)
        self.matrix(lay, "v", w["v"] * w["g1"], fn1, top["v"], o.v_bits, bias=w["bv"])
        lay.site["v"] = lay.site["v"]._replace(b=max(lay.site["v"].b, 8))
        fo = lay.site["v"].f + o.o_guard
        self.matrix(lay, "o", w["o"] * mid[:, None], fo, (cal["ho", i] * mid).max(), o.a_bits, self.unit[2 * i + 1])
        self.matrix(lay, "gate", w["gate"] * w["g2"], fn2, top["g"], o.g_bits)
        b, fg = lay.site["gate"].b, lay.site["gate"].f
        fsg, fa = min(self.unit_for(top["sg"], o.a_bits), fg + o.a_bits - b), self.unit_for(top["a"], o.a_bits, o.head_wide)
        lay.fsg = fsg
        self.matrix(lay, "up", w["up"] * w["g2"], fn2, top["u"], o.a_bits, fa + WINDOW - o.a_bits - fsg)
        lay.site["a"] = self.plan(fsg + lay.site["up"].f, top["a"], o.a_bits, head=o.head_wide)
        x = np.arange(-2 ** (b - 1), 2 ** (b - 1)) * 2.0 ** -fg
        lay.silu = table(2.0 ** fsg * x / (1 + np.exp(-x)))
        self.matrix(lay, "down", w["down"] * end[:, None], lay.site["a"].f, (cal["hd", i] * end).max(), o.a_bits,
                    self.unit[2 * i + 2], o.head_wide)
        for name, s in lay.site.items():
            if s.b + s.s > WINDOW or not 0 <= s.s <= REM_BITS:
                raise SystemExit(f"layer {i}: {name}: b {s.b}, s {s.s} do not fit")
        return lay

    # ------------------------------------------------------------ the relations

    def see(self, tensor, layer, **values):
        """Called with every tensor as it is made; tests override it."""

    def inside(self, bad, layer, tensor, why, axis):
        """Refuse at the first position where `bad` holds; axis = the position axis."""
        if bad.any():
            pos = int(np.nonzero(bad.any(axis=tuple(a for a in range(bad.ndim) if a != axis)))[0][0])
            raise NoResult(layer, tensor, pos, why)

    def accumulate(self, acc, layer, tensor, axis):
        self.worst[tensor] = max(self.worst.get(tensor, 0), int(np.abs(acc).max()))
        self.inside(np.abs(acc) >= LIMIT, layer, tensor, "accumulator", axis)
        return acc

    def requant(self, acc, site, layer, tensor, axis=0):
        """y * 2^s + rem = acc + 2^(s-1),  0 <= rem < 2^s,  -2^(b-1) <= y < 2^(b-1)."""
        self.accumulate(acc, layer, tensor, axis)
        y = (acc + (1 << site.s >> 1)) >> site.s
        lim = 1 << (site.b - 1)
        self.inside((y < -lim) | (y >= lim), layer, tensor, f"{site.b} bits", axis)
        self.see(tensor, layer, y=y, rem=acc + (1 << site.s >> 1) - (y << site.s))
        return y

    def norm(self, h, where, layer, tensor, fn):
        """n = h / rms(h) at unit fn. S = sum of squares, exact; M * 2^E + rho = S with 2^(m-1) <= M < 2^m; E = 2E' + parity;
        sigma = t + E' - fn; where that exceeds its bound by x > 0, R is rounded to R / 2^x first (one step a token);
        n * 2^(sigma - kappa) + rem = h * R + half."""
        lim = 1 << (self.opt.resid_bits - 1)
        self.inside((h < -lim) | (h >= lim), layer, tensor, "residual", 0)
        return self.norm_rows(h, self.kappa[where], self.eps_term(where), layer, tensor, fn)

    def norm_heads(self, q, k, layer):
        """q, k: (heads, T, hd), normalised head by head as rows of d, times their gains."""
        lay, n = self.layers[layer], len(q)
        eps = [self.eps_of(self.ck.hd, lay.site[name].f) for name in "qk"]
        x = np.concatenate([q, k]).transpose(1, 0, 2)
        y = self.norm_rows(x, 0, np.repeat(eps, [n, len(k)]), layer, "norm of a head", lay.fnh)
        return (self.requant(y[:, part] * lay.w[name][:, 0], lay.site[name], layer, what).transpose(1, 0, 2)
                for part, name, what in ((slice(None, n), "nq", "q gain"), (slice(n, None), "nk", "k gain")))

    def norm_rows(self, h, kappa, eps, layer, tensor, fn):
        o = self.opt
        s = (h * h << 2 * kappa).sum(-1) + eps
        self.inside(s >= 1 << 50, layer, tensor, "sum of squares", 0)
        self.inside(s < 1 << (o.rsqrt_in - 1), layer, tensor, "sum of squares too small", 0)
        e = np.frexp(s.astype(np.float64))[1].astype(np.int64) - o.rsqrt_in
        m, par = s >> e, e & 1
        r = self.rsqrt[par, m - (1 << (o.rsqrt_in - 1))]
        sigma = self.rs_t + ((e - par) >> 1) - fn
        over = np.maximum(sigma - min(REM_BITS, WINDOW - o.n_bits), 0)
        self.inside(over > o.rsqrt_out - 4, layer, tensor, "shift", 0)
        r = (r + (1 << over >> 1)) >> over
        sigma = (sigma - over)[..., None] - kappa
        self.inside(sigma < 0, layer, tensor, "shift", 0)
        acc = self.accumulate(h * r[..., None], layer, tensor, 0)
        y = (acc + (1 << sigma >> 1)) >> sigma
        lim = 1 << (o.n_bits - 1)
        self.inside((y < -lim) | (y >= lim), layer, tensor, f"{o.n_bits} bits", 0)
        self.see(tensor, layer, h=h, y=y, rem=acc + (1 << sigma >> 1) - (y << sigma), m=m, par=par, r=r, sigma=sigma[..., 0], over=over)
        return y

    def row_bits(self, n):
        """Unit of e for rows 0..n-1: public, so that Z_i <= 2^z_bits for every input."""
        return np.array([min(self.opt.e_bits, self.opt.z_bits - math.ceil(math.log2(i + 1))) for i in range(n)])

    def attention(self, q, k, v, layer):
        """dist_ij = c_i - q_i.k_j with the exact row maximum c_i; e_ij = table[dist_ij]; Z_i = sum of e_ij with all but its top
        16 bits cleared; o * Z + rem = 2^guard * (sum of e_ij v_j) + floor(Z / 2), 0 <= rem < Z."""
        o, n = self.opt, q.shape[1]
        tri = np.tril(np.ones((n, n), bool))
        s = self.accumulate(np.where(tri, matmul(q, k.transpose(0, 2, 1)), 0), layer, "score", 1)
        c = np.where(tri, s, -LIMIT).max(-1, keepdims=True)
        dist = np.where(tri, c - s, 0)
        self.inside(np.abs(s) >= 1 << 29, layer, "score", "30 bits", 1)
        self.inside(dist >= 1 << o.dist_bits, layer, "dist", "exp table", 1)
        dist = dist >> rem_bits(o)
        rb = self.row_bits(n)
        e = np.empty_like(dist)
        for b in np.unique(rb):
            e[:, rb == b] = self.exp[b][np.minimum(dist[:, rb == b], len(self.exp[b]) - 1)]
        e = np.where(tri, e, 0)
        z = e.sum(-1, keepdims=True)
        self.worst["Z"] = max(self.worst.get("Z", 0), int(z.max()))
        drop = np.maximum(np.frexp(z.astype(np.float64))[1].astype(np.int64) - 16, 0)
        z = z >> drop << drop
        num = matmul(e, v) << o.o_guard         # each limb of v: |sum e v_limb| <= Z * 2^limb, inside by the choice of z_bits
        y = (num + z // 2) // z
        lim = 1 << (self.layers[layer].site["v"].b + o.o_guard - 1)
        self.inside((y < -lim) | (y >= lim), layer, "mix", "v bits + guard", 1)
        self.see("mix", layer, e=e, c=c, y=y, rem=num + z // 2 - y * z, zp=z >> drop, delta=drop)
        return y

    def forward(self, ids, first=0):
        """Logits (T - first, vocab) as accumulators at positions from `first` on; raises NoResult."""
        ck, o, n = self.ck, self.opt, len(ids)
        co, si = (table(x * 2.0 ** o.cos_bits) for x in ck.rope(n))
        group = ck.n_heads // ck.n_kv
        h = self.embed[ids] << (self.unit[0] - self.f_embed)

        def add(h, y, site, where, layer):
            """Bring h to the units of norm `where`, add y there."""
            old, new = self.unit[where - 1] - self.kappa[where - 1], self.unit[where] - self.kappa[where]
            if (old > new).any():
                h = self.requant(h, Site(o.resid_bits, old - new, 0), layer, "rebase")
            return h + (y << (self.unit[where] - site.f))

        for i, lay in enumerate(self.layers):
            w, st = lay.w, lay.site
            x = self.norm(h, 2 * i, i, "norm1", lay.fn[0])
            q, k, v = (heads(self.requant(matmul(x, w[m]) + lay.bias[m], st[m], i, m), n)
                       for m, n in (("q", ck.n_heads), ("k", ck.n_kv), ("v", ck.n_kv)))
            if ck.normed:
                q, k = self.norm_heads(q, k, i)
            q = self.requant(rotate(q, co, si), st["qr"], i, "q rotated", 1)
            k = self.requant(rotate(k, co, si), st["kr"], i, "k rotated", 1)
            a = self.attention(q, np.repeat(k, group, 0), np.repeat(v, group, 0), i)
            a = a.transpose(1, 0, 2).reshape(n, -1)
            y = self.requant(matmul(a, w["o"]), st["o"], i, "o")
            h = add(h, y, st["o"], 2 * i + 1, i)
            x = self.norm(h, 2 * i + 1, i, "norm2", lay.fn[1])
            g = self.requant(matmul(x, w["gate"]), st["gate"], i, "gate")
            u = self.requant(matmul(x, w["up"]), st["up"], i, "up")
            a = self.requant(lay.silu[g + (1 << (st["gate"].b - 1))] * u, st["a"], i, "gate * up")
            y = self.requant(matmul(a, w["down"]), st["down"], i, "down")
            h = add(h, y, st["down"], 2 * i + 2, i)
        x = self.norm(h, 2 * ck.n_layers, ck.n_layers, "final norm", self.fn_final)[first:]
        x = self.requant(x * self.gf, self.ng, ck.n_layers, "final gain")
        logits = self.accumulate(matmul(x << self.head_shift, self.head.T), ck.n_layers, "logits", 0)
        self.see("logits", ck.n_layers, y=logits)
        return logits

    def bounds(self):
        """Per tensor: log2 of the worst case over every input, by sum |w| * max |x| and by the norm's Cauchy-Schwarz."""
        out, fed = {}, {"q": 0, "k": 0, "v": 0, "gate": 1, "up": 1}     # fed by a norm: |n|_2 is bounded (R keeps 3 bits or more)
        for lay in self.layers:
            bits = {"o": lay.site["v"].b + self.opt.o_guard, "down": lay.site["a"].b}
            for name, w in lay.w.items():
                if name in ("nq", "nk"):
                    continue                     # one product of 15 and 16 bits
                l1 = l2 = float(np.abs(w).sum(0).max()) * 2.0 ** (bits.get(name, self.opt.n_bits) - 1)
                if name in fed:
                    l2 = math.sqrt((w.astype(float) ** 2).sum(0).max() * self.ck.d) * (2.0 ** lay.fn[fed[name]] * 1.13 + 0.5)
                l1, l2 = (x + np.abs(lay.bias.get(name, 0)).max() for x in (l1, l2))
                out[name] = tuple(max(x, math.log2(max(y, 1))) for x, y in zip(out.get(name, (0, 0)), (l1, l2)))
        top = math.log2(max(float(np.abs(self.head).sum(1).max()) * 2.0 ** (self.ng.b - 1), 1))
        return out | {"logits": (top, top)}

    def plan_text(self):
        """Every integer of the plan, a line each: what the importer is compared with."""
        o, ck, site = self.opt, self.ck, lambda s: f"{s.b} {s.s} {s.f}"
        yield "shape " + " ".join(str(x) for x in (ck.n_layers, ck.d, ck.n_heads, ck.n_kv, ck.hd, ck.ff, ck.vocab, int(ck.tied)))
        yield "widths " + " ".join(str(x) for x in (o.n_bits, o.score_f, o.dist_bits, o.cos_bits, o.e_bits, o.z_bits, o.o_guard, o.rsqrt_in,
                                                    o.rsqrt_out, self.rs_t, o.resid_bits))
        yield f"ends {self.f_embed} {self.f_head} {self.f_gf} {self.fn_final} {site(self.ng)} {self.ng.f + self.f_head}"
        for j in range(2 * ck.n_layers + 1):
            yield f"residual {j} {self.unit[j]} {self.eps_term(j)}"
        for i, lay in enumerate(self.layers):
            yield f"layer {i} {lay.fn[0]} {lay.fn[1]} {lay.fsg}"
            for name in "q k v qr kr o gate up a down".split():
                yield f"site {i} {name} {site(lay.site[name])}"
            if ck.normed:
                yield f"heads {i} {site(lay.site['nq'])} {site(lay.site['nk'])} {lay.fnh}"

    def dump(self, stem):
        """STEM.txt: the plan. STEM.bin: int16 weights, matrices [out][in]: embed, head (if untied), gain, then a layer each (last the
        gains of its heads' norms, if there are any); then
        int32 biases of q, k, v of each layer, if there are any."""
        with open(stem + ".txt", "w") as fh:
            fh.writelines(line + "\n" for line in self.plan_text())
        with open(stem + ".bin", "wb") as fh:
            for w in [self.embed] + ([] if self.ck.tied else [self.head]) + [self.gf]:
                fh.write(w.astype("<i2").tobytes())
            for lay in self.layers:
                for name in ("q k v o gate up down" + " nq nk" * self.ck.normed).split():
                    fh.write(np.ascontiguousarray(lay.w[name].T).astype("<i2").tobytes())
            for lay in self.layers if self.ck.biased else []:
                for name in "qkv":
                    fh.write(lay.bias[name].astype("<i4").tobytes())


# ---------------------------------------------------------------- text, fidelity

def tokens_of(ck, text):
    if ck.vocab > 258:
        raise SystemExit("this vocabulary needs a tokeniser: give --ids")
    return list(text.encode())


def windows_of(ck, path, length, limit, as_ids=False):
    with open(path, newline="") as fh:
        docs = [t for t in fh.read().split("\n" if as_ids else "\n\n") if t]
    out, cur = [], []
    for t in docs:
        cur += [int(x) for x in t.split()] if as_ids else [ck.bos] + tokens_of(ck, t) + [ck.eos]
        if len(cur) >= length and len(out) < limit:
            out.append(np.array(cur[:length]))
            cur = []
    return out


def nll(logits, ids):
    x = logits[:-1].astype(np.float64)
    m = x.max(-1)
    return m + np.log(np.exp(x - m[:, None]).sum(-1)) - x[np.arange(len(x)), ids[1:]]


def fidelity(ck, model, windows, decisive=0.02):
    """Perplexity ratio and top-1 agreement against float32, over the windows that have a result."""
    diff = same = n = sure = sure_same = 0
    refused, first = 0, None
    for ids in windows:
        try:
            y = model.forward(ids) * model.logit_unit
        except NoResult as e:
            refused, first = refused + 1, first or e
            continue
        x = float_forward(ck, ids)
        diff += float((nll(y, ids) - nll(x, ids)).sum())
        hit = x.argmax(-1) == y.argmax(-1)
        top = np.partition(x, -2, -1)
        clear = top[:, -1] - top[:, -2] > decisive
        same, n, sure, sure_same = same + hit.sum(), n + len(ids), sure + clear.sum(), sure_same + hit[clear].sum()
    return dict(tokens=int(n), ratio=math.exp(diff / max(n - len(windows) + refused, 1)), agreement=100.0 * same / max(n, 1),
                agreement_decisive=100.0 * sure_same / max(sure, 1), windows=len(windows), no_result=refused, first=first)


def greedy(ck, forward, prompt, limit):
    ids = [ck.bos] + tokens_of(ck, prompt)
    start = len(ids)
    while len(ids) < start + limit:
        t = int(forward(np.array(ids))[-1].argmax())   # smallest index of the maximum
        if t == ck.eos:
            break
        ids.append(t)
    return bytes(t for t in ids[start:] if t < 256).decode(errors="replace")


# ---------------------------------------------------------------- costs

SHAPES = {
    "tiny": dict(L=6, d=128, H=4, K=2, hd=32, ff=352, V=258),
    "SmolLM2-135M": dict(L=30, d=576, H=9, K=3, hd=64, ff=1536, V=49152),
    "Llama-2-7B": dict(L=32, d=4096, H=32, K=32, hd=128, ff=11008, V=32000),
    "Maverick-like": dict(L=48, d=5120, H=40, K=8, hd=128, ff=16384, V=202048, experts=128),
}


def costs(d, H, K, hd, ff, T, experts=0, rem=1, written=0, z16=0, **_):
    """{operation: (columns, look-ups)} per token and layer; T causal positions, so (T + 1) / 2 cells a head on average.
    rem=1: remainders committed; 0: virtual, opened at the look-up's own point. written=1: residual in two committed limbs,
    scores requantised, division by all of Z. z16=1: Z <= 2^16. experts: half of the layers route to 1 of `experts`."""
    q, kv, cells = H * hd, K * hd, H * (T + 1) / 2

    rq = lambda n, extra=0: (n * (1 + rem + extra), 2 * n)
    div = (3 + rem, 5) if written else (1 + rem, 3) if z16 else (5 + rem, 7)
    out = {
        "norms: sum of squares": (4 * d, 4 * d) if written else (2 * d, 2 * d),
        "norms: rows": rq(2 * d),
        "norms: per token": (24, 24),
        "q, k, v": rq(q + 2 * kv),
        "low limb of v": (kv, kv),
        "rotated q, k": rq(q + kv),
        "score cells": (4 * cells, 2 * cells) if written else (2 * cells, cells),
        "mix, division": (div[0] * q, div[1] * q),
        "o, down": rq(2 * d),
        "gate, SiLU": rq(ff, 1),
        "up, gate * up": rq(2 * ff),
    }
    if experts:
        out["router"] = (experts * (2 + rem) / 2, experts * 2 / 2)
    return out


def print_costs():
    for name, shape in SHAPES.items():
        for T in (64, 512):
            for kw in (dict(written=1), dict(), dict(rem=0)):
                rows = costs(T=T, **shape, **kw)
                c, k = (sum(x[i] for x in rows.values()) for i in (0, 1))
                print(f"{name:14s} T {T:4d} {str(kw):16s} token and layer: {c:9,.0f} columns {k:9,.0f} look-ups;  "
                      f"token: {c * shape['L'] / 1e6:7.3f} M, {k * shape['L'] / 1e6:7.3f} M;  "
                      f"checked position: {shape['V'] * (1 + kw.get('rem', 1)):7,} and {shape['V'] * 2:7,}")
        for op, x in costs(T=512, **shape).items():
            print(f"    {op:24s} {x[0]:12,.0f} {x[1]:12,.0f}")


# ---------------------------------------------------------------- command line

def main():
    ap = argparse.ArgumentParser(description="integer reference of the fixed-point transformer")
    ap.add_argument("folder")
    ap.add_argument("--calibrate", help="text file for the binary points")
    ap.add_argument("--text", help="text file for the fidelity figures")
    ap.add_argument("--ids", action="store_true", help="text files hold token ids, one document a line")
    ap.add_argument("--prompt", action="append", default=[])
    for name, n, what in (("length", 256, "window length"), ("windows", 80, "windows"), ("new", 24, "tokens to generate")):
        ap.add_argument("--" + name, type=int, default=n, help=what)
    ap.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the integer model")
    ap.add_argument("--costs", action="store_true")
    ap.add_argument("--dump", metavar="STEM", help="write the plan and the weights")
    a = ap.parse_args()
    if a.costs:
        return print_costs()
    assert a.calibrate, "--calibrate is needed"
    opt = Options(**{k: json.loads(v) for k, v in (s.split("=", 1) for s in a.set)})
    ck = Checkpoint(a.folder)
    cal = channel_maxima(ck, windows_of(ck, a.calibrate, a.length, 24, a.ids))
    if opt.smooth:
        smooth(ck, cal)
    model = IntegerModel(ck, cal, opt)
    if a.dump:
        model.dump(a.dump)
    for p in a.prompt:
        p = p.replace("\\n", "\n")
        print("float  ", repr(greedy(ck, lambda ids: float_forward(ck, ids), p, a.new)))
        try:
            print("integer", repr(greedy(ck, model.forward, p, a.new)))
        except NoResult as e:
            print("integer", e)
    if a.text:
        r = fidelity(ck, model, windows_of(ck, a.text, a.length, a.windows, a.ids))
        print(f"tokens {r['tokens']}  perplexity ratio {r['ratio']:.5f}  agreement {r['agreement']:.3f} %  "
              f"where the reference's margin exceeds 0.02: {r['agreement_decisive']:.3f} %  "
              f"windows without result {r['no_result']} of {r['windows']}" + (f"  first: {r['first']}" if r["first"] else ""))
    print("residual units", model.unit, "channels with their own", [int(c) for c in model.wide],
          "logit unit 2^%d" % round(math.log2(model.logit_unit)))
    print("largest |accumulator|, log2:", {k: round(math.log2(max(v, 1)), 1) for k, v in sorted(model.worst.items())})
    print("worst case over every input, log2 (sum |w| max |x|, Cauchy-Schwarz):",
          {k: tuple(round(x, 1) for x in v) for k, v in model.bounds().items()})


if __name__ == "__main__":
    sys.exit(main())
