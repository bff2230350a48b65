#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the numpy reference on a model written by the C tests and writes every tensor it makes.

    dump_model.py MODEL OUT PROMPT_TOKENS ID...       a run: h, n, nrem, q, qrem, ..., logits
    dump_model.py MODEL OUT --reply N ID...           greedy continuation: ids

MODEL and OUT are files of named arrays (tests/unit/model/arrays.h). The tables are made here with numpy, so equal values
also say that the C tables are right. A run without result writes the array `refused` (layer, position) instead.
"""
import os
import struct
import sys
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from model_reference import IntegerModel, NoResult, Options, Site, exp_tables, table  # noqa: E402

SITES = "q k v qr kr o gate up a down".split()
MATRICES = "q k v o gate up down".split()


def read_arrays(path):
    out, data, at = {}, open(path, "rb").read(), 0
    while at < len(data):
        name, n = data[at:at + 32].rstrip(b"\0").decode(), struct.unpack_from("<Q", data, at + 32)[0]
        out[name] = np.frombuffer(data, "<i8", n, at + 40)
        at += 40 + 8 * n
    return out


def write_arrays(path, arrays):
    with open(path, "wb") as fh:
        for name, x in arrays.items():
            x = np.ascontiguousarray(x, "<i8")
            fh.write(name.encode().ljust(32, b"\0") + struct.pack("<Q", x.size) + x.tobytes())


class StoredModel(IntegerModel):
    """An IntegerModel whose plan and weights come from a file instead of a checkpoint."""

    def __init__(self, a):
        n_layers, d, n_heads, n_kv, hd, ff, vocab, _, tied = (int(x) for x in a["shape"])
        o = self.opt = Options()
        (o.n_bits, o.score_f, o.dist_bits, o.cos_bits, o.e_bits, o.z_bits, o.o_guard, o.rsqrt_in, o.rsqrt_out, self.rs_t,
         o.resid_bits) = (int(x) for x in a["widths"])
        theta, factor = int(a["rope_theta_q16"][0]) / 65536, a["rope_q32"] / 2.0**32
        factor = factor if factor.size else np.ones(hd // 2)
        normed = "heads.0" in a
        self.ck = SimpleNamespace(n_layers=n_layers, normed=normed, eps=int(a["eps_q60"][0]) / 2.0**60, d=d, n_heads=n_heads, n_kv=n_kv, hd=hd, vocab=vocab,
                                  rope=lambda n: self.rope(n, theta, factor))
        self.worst, self.kept = {}, {}
        self.f_embed, self.f_head, self.f_gf, self.fn_final, *ng, _ = (int(x) for x in a["ends"])
        self.ng, self.unit = Site(*ng), [int(x) for x in a["unit"]]
        self.kappa = np.zeros((len(self.unit), d), np.int64)
        self.head_shift, self.eps = self.kappa[0], a["eps_term"]
        weights = [a[f"weight.{k}"] for k in range(2 + (not tied) + (7 + 2 * normed) * n_layers)]
        self.embed = weights.pop(0).reshape(vocab, d)
        self.head = self.embed if tied else weights.pop(0).reshape(vocab, d)
        self.gf = weights.pop(0)
        rows = [n_heads * hd, n_kv * hd, n_kv * hd, d, ff, ff, d, 1, 1]
        self.layers = []
        for i in range(n_layers):
            s = [int(x) for x in a[f"layer.{i}"]]
            lay = SimpleNamespace(w={}, bias={}, site={k: Site(*s[3 * j:3 * j + 3]) for j, k in enumerate(SITES)}, fn=s[30:32])
            if normed:
                *sites, lay.fnh = (int(x) for x in a[f"heads.{i}"])
                lay.site.update(nq=Site(*sites[:3]), nk=Site(*sites[3:]))
            for k, r in zip(MATRICES + ["nq", "nk"] * normed, rows):
                lay.w[k] = weights.pop(0).reshape(r, -1).T.copy()
            for j, k in enumerate("qkv"):
                lay.bias[k] = a.get(f"bias.{3 * i + j}", 0)
            b, fg = lay.site["gate"].b, lay.site["gate"].f
            x = np.arange(-2 ** (b - 1), 2 ** (b - 1)) * 2.0 ** -fg
            lay.silu = table(2.0 ** s[32] * x / (1 + np.exp(-x)))
            self.layers.append(lay)
        m = np.arange(2 ** (o.rsqrt_in - 1), 2 ** o.rsqrt_in)
        self.rsqrt = np.stack([table(2.0 ** self.rs_t * np.sqrt(d / ((m + 0.5) * 2.0 ** par))) for par in (0, 1)])
        self.exp = exp_tables(o)

    def rope(self, n, theta, factor):
        x = np.arange(n)[:, None] * (1.0 / theta ** (np.arange(0, self.ck.hd, 2) / self.ck.hd) / factor)[None]
        return np.cos(x), np.sin(x)

    def eps_term(self, where):
        return int(self.eps[where])

    def see(self, tensor, layer, **values):
        """Keeps values in the order of tensors.h: token before head, lists over layers or sites."""
        causal = None
        for name, x in values.items():
            if tensor in ("q rotated", "k rotated") or tensor == "mix" and name in ("y", "rem"):
                x = x.transpose(1, 0, 2)
            if tensor == "mix" and name == "e":
                causal = np.tril_indices(x.shape[1]) if causal is None else causal
                x = x[:, causal[0], causal[1]]
            self.kept.setdefault(f"{tensor}.{name}", []).append(np.array(x))


NORMS = ("norm1", "norm2", "final norm")


def run(model, prompt, ids):
    try:
        model.forward(np.array(ids), prompt - 1)
    except NoResult as e:
        layer, _, position, *_ = e.args[0].removeprefix("no result: layer ").replace("position ", "").split(", ")
        return {"refused": [int(layer), int(position.split(":")[0])]}
    out = {}
    for name in ("h", "y", "rem", "m", "par", "r", "sigma", "over"):
        first, second, last = (model.kept[f"{n}.{name}"] for n in NORMS)
        out[f"norm.{name}"] = np.stack([x for pair in zip(first, second) for x in pair] + last)
    out |= {k: np.stack(v) for k, v in model.kept.items() if not k.startswith(NORMS)}
    return out


def reply(model, n, ids):
    ids = list(ids)
    for _ in range(n):
        ids.append(int(model.forward(np.array(ids), len(ids) - 1)[-1].argmax()))
    return {"ids": ids}


def main():
    model = StoredModel(read_arrays(sys.argv[1]))
    rest = sys.argv[3:]
    if rest[0] == "--reply":
        out = reply(model, int(rest[1]), [int(x) for x in rest[2:]])
    else:
        out = run(model, int(rest[0]), [int(x) for x in rest[1:]])
    write_arrays(sys.argv[2], out)


if __name__ == "__main__":
    main()
