# SPDX-License-Identifier: Apache-2.0
"""The small models of tests/vectors/whole_proof: every part of the protocol occurs (axes that are no powers of two, grouped
heads, scaled rotation, biases, two rebases, different shifts, widths and SiLU tables by layer, several output rows a weight row), weights from a hash.
One of them has norms of heads, and heads that are not a part of the width.
"""
import math
from types import SimpleNamespace

import numpy as np

from full_field import le32, sha, stream_words
from full_files import encode_model_config, site

SEED = sha(b"assay small model")


def config(normed=False):
    c = SimpleNamespace(family=1, n_layers=2, d=8, n_heads=2, n_kv=1, head_dim=4, ff=12, vocab=11, max_positions=64, tied=0,
                        fixed_first=1)
    c.rope_theta_q16, c.eps_q60, c.bos, c.stop = 10000 << 16, round(1e-5 * 2**60), 0, [10]
    c.n_bits, c.score_f, c.dist_bits, c.cos_bits, c.e_bits, c.z_bits, c.o_guard = 15, 9, 20, 12, 16, 21, 1
    c.rsqrt_in = c.rsqrt_out = 12
    c.resid_bits = 16
    c.rs_t = math.floor(math.log2(4095 / math.sqrt(c.d / 2048)))
    c.fn_final, c.f_embed, c.f_head, c.f_gf = 11, 7, 6, 9
    c.ng = site(15, 8, c.fn_final + c.f_gf - 8)
    c.logit_f = c.ng.f + c.f_head
    c.unit = [12, 12, 11, 11, 9]
    c.eps_term = [max((c.eps_q60 * c.d + (1 << (59 - 2 * u))) >> (60 - 2 * u), 1) for u in c.unit]
    c.rope_q32, c.parts = [1 << 32, 3 << 31], 1
    c.layer = []
    for i in range(c.n_layers):
        y = SimpleNamespace(fn1=11 - i, fn2=10 + i)
        y.qr, y.kr = site(9, 13, 4), site(9, 12 + i, 5)
        y.q, y.k = site(10, 12, y.qr.f + y.qr.s - 12), site(10, 12 - i, y.kr.f + y.kr.s - 12)
        y.v = site(14 - i, 11 + i, 7)
        y.o = site(12, 7 - i, c.unit[2 * i + 1] - i)
        y.gate = site(6 - i, 15 + i, 3)
        y.fsg = y.gate.f + 10
        y.up = site(12, 10, 6)
        y.act = site(14, 7 + i, y.fsg + y.up.f - 7 - i)
        y.down = site(12, 9, c.unit[2 * i + 2] - 1)
        c.layer.append(y)
    if normed:
        norm_heads(c)
    return c


def norm_heads(c):
    c.parts, c.n_heads, c.n_kv, c.head_dim, c.rope_q32 = 3, 4, 2, 6, [1 << 32, 3 << 31, 1 << 33]
    for i, y in enumerate(c.layer):
        y.qg, y.kg, y.fnh = site(10, 13, y.q.f), site(10, 13 - i, y.k.f), 11 - i
        y.q, y.k = site(15, 7 + i, 8), site(14, 8, 9 - i)


def weights(c):
    he, ge = c.n_heads * c.head_dim, c.n_kv * c.head_dim
    shapes = dict(EMBED=(c.vocab, c.d), HEAD=(c.vocab, c.d), GAIN=(c.d,), Q=(c.n_layers, he, c.d), K=(c.n_layers, ge, c.d),
                  V=(c.n_layers, ge, c.d), O=(c.n_layers, c.d, he), GATE=(c.n_layers, c.ff, c.d), UP=(c.n_layers, c.ff, c.d),
                  DOWN=(c.n_layers, c.d, c.ff), FIRST_K=(c.n_layers, ge), FIRST_V=(c.n_layers, ge), BQ=(c.n_layers, he),
                  BK=(c.n_layers, ge), BV=(c.n_layers, ge))
    if c.parts & 2:
        shapes.update(NQ=(c.n_layers, c.head_dim), NK=(c.n_layers, c.head_dim))
    out = {}
    for n, (name, shape) in enumerate(shapes.items()):
        limit = 255 if name in ("EMBED", "HEAD", "GAIN", "NQ", "NK") else 63 if name[0] != "B" else 1 << 18
        words = stream_words(SEED, n, int(np.prod(shape)))
        out[name] = (words % (2 * limit + 1) - limit).reshape(shape)
    return out


def encode_weights(c, w):
    """weights.bin of docs/formats.md."""
    values = [w["EMBED"]] + ([] if c.tied else [w["HEAD"]]) + [w["GAIN"]]
    for i in range(c.n_layers):
        values += [w[name][i] for name in ("Q", "K", "V", "O", "GATE", "UP", "DOWN", "NQ", "NK") if name in w]
    values += [w["FIRST_K"], w["FIRST_V"]]
    flat = np.concatenate([v.reshape(-1) for v in values])
    biases = np.concatenate([w[name][i] for i in range(c.n_layers) for name in ("BQ", "BK", "BV")])
    head = b"ASSAYWTS" + le32(1) + sha(encode_model_config(c)) + len(flat).to_bytes(8, "little")
    return head + flat.astype("<i2").tobytes() + biases.astype("<i4").tobytes()
