# SPDX-License-Identifier: Apache-2.0
"""The files of docs/formats.md that a verifier reads, and their writers: config.bin, ivk.bin, F.req, F.y, F.proof."""
from types import SimpleNamespace

from full_code import need
from full_field import le32, le64, sha

HEAD = "family n_layers d n_heads n_kv head_dim ff vocab max_positions tied".split()
WIDTH = ("n_bits score_f cos_bits e_bits z_bits o_guard rsqrt_in rsqrt_out rs_t resid_bits f_embed f_head f_gf fn_final "
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


def encode_proof(body):
    return b"ASSAYPRF" + le32(1, len(body)) + body


def decode_proof(data):
    r = Reader(data, "the proof")
    r.head(b"ASSAYPRF")
    need(r.u32() == len(data) - r.at, "the proof has the wrong length")
    return data[r.at:]

