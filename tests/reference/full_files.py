# SPDX-License-Identifier: Apache-2.0
"""The files of docs/formats.md that a verifier reads, and their writers: config.bin, ivk.bin, F.req, F.y, F.proof."""
from types import SimpleNamespace

from full_code import need
from full_field import le32, le64, sha
from full_tables import rem_bits

HEAD = "family n_layers d n_heads n_kv head_dim ff vocab max_positions tied fixed_first".split()
WIDTH = ("n_bits score_f dist_bits cos_bits e_bits z_bits o_guard rsqrt_in rsqrt_out rs_t resid_bits f_embed f_head f_gf fn_final "
         "ng.b ng.s ng.f logit_f").split()
SITES = "q k v qr kr o gate up act down".split()


class Reader:
    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def read(self, n):
        need(self.at + n <= len(self.data), f"{self.what} is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def u32(self):
        return int.from_bytes(self.read(4), "little")

    def i32(self):
        return int.from_bytes(self.read(4), "little", signed=True)

    def u64(self):
        return int.from_bytes(self.read(8), "little")

    def i64(self):
        return int.from_bytes(self.read(8), "little", signed=True)

    def head(self, magic):
        need(self.read(8) == magic, f"{self.what} has the wrong magic")
        need(self.u32() == 1, f"{self.what} has an unknown version")

    def end(self):
        need(self.at == len(self.data), f"{self.what} has bytes left over")


def le_i32(v):
    return le32(v % 2**32)


def site(b, s, f):
    return SimpleNamespace(b=b, s=s, f=f)


def encode_model_config(c):
    out = le32(1, *(getattr(c, k) for k in HEAD)) + le64(c.rope_theta_q16) + le64(c.eps_q60)
    out += le_i32(c.bos) + le32(len(c.stop), *c.stop)
    for k in WIDTH:
        v = c
        for part in k.split("."):
            v = getattr(v, part)
        out += le_i32(v)
    for unit, eps in zip(c.unit, c.eps_term):
        out += le_i32(unit) + le64(eps % 2**64)
    for y in c.layer:
        for k in SITES:
            s = getattr(y, k)
            out += le_i32(s.b) + le_i32(s.s) + le_i32(s.f)
        out += le_i32(y.fn1) + le_i32(y.fn2) + le_i32(y.fsg)
    out += le32(len(c.rope_q32)) + b"".join(le64(x) for x in c.rope_q32) + le32(c.parts)
    for y in c.layer if c.parts & 2 else []:
        out += b"".join(le_i32(x) for s in (y.qg, y.kg) for x in (s.b, s.s, s.f)) + le_i32(y.fnh)
    return out


def decode_model_config(r):
    c = SimpleNamespace(ng=site(0, 0, 0))
    need(r.u32() == 1, "the model configuration has an unknown version")
    for k in HEAD:
        setattr(c, k, r.u32())
    c.rope_theta_q16, c.eps_q60, c.bos = r.u64(), r.u64(), r.i32()
    n_stop = r.u32()
    need(n_stop <= 16 and 1 <= c.n_layers <= 256, "the model configuration is out of range")
    c.stop = [r.u32() for _ in range(n_stop)]
    for k in WIDTH:
        setattr(*((c.ng, k[3:]) if k.startswith("ng.") else (c, k)), r.i32())
    pairs = [(r.i32(), r.i64()) for _ in range(2 * c.n_layers + 1)]
    c.unit, c.eps_term = [u for u, _ in pairs], [e for _, e in pairs]
    c.layer = []
    for _ in range(c.n_layers):
        y = SimpleNamespace(**{k: site(r.i32(), r.i32(), r.i32()) for k in SITES})
        y.fn1, y.fn2, y.fsg = r.i32(), r.i32(), r.i32()
        c.layer.append(y)
    n_rope = r.u32()
    need(n_rope <= 512, "the model configuration is out of range")
    c.rope_q32 = [r.u64() for _ in range(n_rope)]
    c.parts = r.u32()
    for y in c.layer if c.parts & 2 else []:
        y.qg, y.kg, y.fnh = site(r.i32(), r.i32(), r.i32()), site(r.i32(), r.i32(), r.i32()), r.i32()
    return c


def identify(pub):
    """Fills config_hash and id."""
    pub.config_hash = sha(encode_model_config(pub.cfg))
    pub.id = sha(b"assay id 1", pub.config_hash, pub.tokenizer_hash, le32(pub.security, pub.c, pub.a, pub.jb), pub.root)
    return pub


def encode_public(pub):
    """config.bin, ivk.bin"""
    return (b"ASSAYCFG" + le32(1) + pub.tokenizer_hash + encode_model_config(pub.cfg),
            b"ASSAYIVK" + le32(1, pub.security, pub.c, pub.a, pub.jb) + pub.root)


def decode_public(config, ivk):
    pub, r = SimpleNamespace(), Reader(config, "config.bin")
    r.head(b"ASSAYCFG")
    pub.tokenizer_hash = r.read(32)
    pub.cfg = decode_model_config(r)
    r.end()
    r = Reader(ivk, "ivk.bin")
    r.head(b"ASSAYIVK")
    pub.security, pub.c, pub.a, pub.jb = r.u32(), r.u32(), r.u32(), r.u32()
    pub.root = r.read(32)
    r.end()
    need(pub.security in (128, 100) and 10 <= pub.c <= 28 and 8 <= pub.a < pub.c and pub.jb <= 12, "ivk.bin is out of range")
    check_config(pub.cfg)
    return identify(pub)


def encode_request(rq):
    """F.req, F.y"""
    return (b"ASSAYREQ" + le32(1, len(rq.context)) + rq.context + le32(rq.n_prompt, len(rq.ids), *rq.ids),
            b"ASSAYTOK" + le32(1, rq.y))


def decode_request(req, y):
    rq, r = SimpleNamespace(), Reader(req, "the request")
    r.head(b"ASSAYREQ")
    n = r.u32()
    need(n <= 64, "the request's context is too long")
    rq.context = r.read(n)
    rq.n_prompt, n = r.u32(), r.u32()
    need(1 <= rq.n_prompt <= n <= 1 << 17, "the request's lengths are out of range")
    rq.ids = [r.u32() for _ in range(n)]
    r.end()
    r = Reader(y, "the next token")
    r.head(b"ASSAYTOK")
    rq.y = r.u32()
    r.end()
    return rq


def encode_proof(body, gap=None):
    """gap: what is stated of gaps, full_gap."""
    return b"ASSAYPRF" + (le32(2, 1, *gap) if gap else le32(1)) + le32(len(body)) + body


def decode_proof(data):
    """(what is stated, the body)"""
    r, gap = Reader(data, "the proof"), None
    if data[8:12] == le32(2):
        need(r.read(8) == b"ASSAYPRF" and r.u32() == 2 and r.u32() == 1, "the proof states an unknown policy")
        gap = r.u32(), r.u32(), r.u32()
    else:
        r.head(b"ASSAYPRF")
    need(r.u32() == len(data) - r.at, "the proof has the wrong length")
    return gap, data[r.at:]



def check_config(c):
    """The column "checked" of the width table of docs/model.md."""
    def log2_up(n):
        return (n - 1).bit_length()
    ok = [c.family == 1, 1 <= c.d < 1 << 15, 1 <= c.n_heads <= 1024, 1 <= c.n_kv <= c.n_heads and c.n_heads % c.n_kv == 0,
          2 <= c.head_dim <= 1024 and c.head_dim % 2 == 0, c.n_heads * c.head_dim <= 1 << 16, 1 <= c.ff <= 1 << 18, 2 <= c.vocab <= 1 << 22, c.tied in (0, 1),
          c.fixed_first in (0, 1), c.parts in (0, 1, 2, 3), c.bos >= 0 or not c.fixed_first,
          1 << 16 <= c.rope_theta_q16 <= 1 << 56, 1 <= c.eps_q60 <= 1 << 48, -1 <= c.bos < c.vocab,
          c.stop == sorted(set(c.stop)) and all(t < c.vocab for t in c.stop),
          len(c.rope_q32) in (0, c.head_dim // 2) and all(1 << 32 <= x <= 1 << 48 for x in c.rope_q32)]
    need(all(ok), "the configuration's shape is out of range")
    ok = [c.n_bits == 15, c.resid_bits == 16, c.rsqrt_in == 12, c.rsqrt_out == 12, 16 <= c.dist_bits <= 29, 1 <= c.score_f - rem_bits(c) <= 16, 2 <= c.cos_bits <= 12,
          4 <= c.e_bits <= 16, 5 <= c.z_bits <= 22, 0 <= c.o_guard <= 4, c.z_bits + c.o_guard <= 23]
    need(all(ok), "the configuration's widths are out of range")
    t = c.rs_t
    need(0 <= t <= 40 and c.d << 2 * t <= 4095**2 << 11 < c.d << 2 * (t + 1), "the reciprocal root's unit is wrong")
    need(1 <= c.max_positions <= 1 << (c.z_bits - 4), "the row bits become too few")
    need(all(-32 <= u <= 15 for u in c.unit), "a residual unit is out of range")
    need(all(0 <= a - b <= 14 for a, b in zip(c.unit, c.unit[1:])), "residual units increase or fall too far")
    for u, eps in zip(c.unit, c.eps_term):
        shift = 60 - 2 * u
        need(eps == max((c.eps_q60 * c.d + (1 << (shift - 1))) >> shift, 1), "an eps term is wrong")

    def adds(b, f, unit):
        need(f <= unit and b - 1 + unit - f <= 28, "a contribution to the residual is out of range")
    for i, y in enumerate(c.layer):
        sites = [getattr(y, k) for k in SITES]
        need(all(2 <= s.b <= 16 and 0 <= s.s <= 16 and s.b + s.s <= 30 and -64 <= s.f <= 64 for s in sites), "a site is out of range")
        need(0 <= y.fn1 <= t and 0 <= y.fn2 <= t and -64 <= y.fsg <= 64, "a unit is out of range")
        q, k = (y.qg, y.kg) if c.parts & 2 else (y.q, y.k)
        if c.parts & 2:
            need(all(2 <= s.b <= 16 and 0 <= s.s <= 16 and s.b + s.s <= 30 and -64 <= s.f <= 64 for s in (q, k)), "a site is out of range")
            need(0 <= y.fnh <= t and all(-32 <= s.f <= 15 for s in (y.q, y.k)), "a head's unit is out of range")
        ok = [y.qr.f + y.qr.s == q.f + c.cos_bits, y.kr.f + y.kr.s == k.f + c.cos_bits, q.b - 1 + c.cos_bits <= 27,
              k.b - 1 + c.cos_bits <= 27, y.qr.f + y.kr.f == c.score_f,
              8 <= y.v.b <= 14, y.v.b + c.o_guard <= 16, y.gate.b <= 16, y.fsg - y.gate.f + y.gate.b <= 16,
              y.act.f + y.act.s == y.fsg + y.up.f]
        need(all(ok), "a layer's widths do not fit")
        adds(y.o.b, y.o.f, c.unit[2 * i + 1])
        adds(y.down.b, y.down.f, c.unit[2 * i + 2])
    adds(16, c.f_embed, c.unit[0])
    ok = [0 <= c.fn_final <= t, 2 <= c.ng.b <= 16, 0 <= c.ng.s <= 16, c.ng.b + c.ng.s <= 30, c.ng.f + c.ng.s == c.fn_final + c.f_gf,
          c.logit_f == c.ng.f + c.f_head, 0 <= c.logit_f <= 40, not c.tied or c.f_head == c.f_embed]
    need(all(ok), "the last row's widths do not fit")
