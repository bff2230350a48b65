#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every file that the programs write by the text of docs/formats.md alone, and recomputes what can be: the ID, the
digests, and the weight tree's root.
ctest: timeout 300"""
import hashlib
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build/bin"))
P = 2**31 - 1
passed = 0


def check(what, held):
    global passed
    if not held:
        sys.exit(f"FAILED: {what}")
    passed += 1


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


class Reader:
    def __init__(self, path, magic, version=1):
        with open(path, "rb") as f:
            self.b, self.at = f.read(), 0
        if magic:
            check(f"{path}: begins with {magic}", self.take(8) == magic.encode())
            check(f"{path}: version", self.get("I") == version)

    def take(self, n):
        if self.at + n > len(self.b):
            sys.exit("FAILED: a file ends early")
        self.at += n
        return self.b[self.at - n:self.at]

    def get(self, form):
        v = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return v[0] if len(v) == 1 else v

    def end(self):
        check("nothing left over", self.at == len(self.b))


def read_config(c):
    r = Reader(f"{c}/config/config.bin", "ASSAYCFG")
    tokenizer = r.take(32)
    check("tokenizer's digest", tokenizer == sha(open(f"{c}/config/tokenizer.json", "rb").read()))
    body = r.b[r.at:]
    check("version of the model configuration", r.get("I") == 1)
    names = "family n_layers d n_heads n_kv head_dim ff vocab max_positions tied fixed_first".split()
    cfg = dict(zip(names, r.get("11I")))
    theta, eps = r.get("QQ")
    check("theta, eps", theta == 10000 << 16 and abs(eps / 2**60 - 1e-5) < 1e-12)
    cfg["bos"] = r.get("i")
    cfg["stop"] = [r.get("I") for _ in range(r.get("I"))]
    widths = dict(zip("n_bits score_f dist_bits cos_bits e_bits z_bits o_guard rsqrt_in rsqrt_out rs_t resid_bits f_embed f_head f_gf "
                      "fn_final ng_b ng_s ng_f logit_f".split(), r.get("19i")))
    check("widths", widths["n_bits"] == 15 and widths["resid_bits"] == 16 and widths["rsqrt_in"] == 12)
    sites = [r.get("iq") for _ in range(2 * cfg["n_layers"] + 1)]
    check("units never increase", all(a[0] >= b[0] for a, b in zip(sites, sites[1:])) and all(e >= 1 for _, e in sites))
    for _ in range(cfg["n_layers"]):
        layer = r.get("33i")
        check("bits and shifts", all(2 <= layer[3 * i] <= 16 and 0 <= layer[3 * i + 1] <= 16 for i in range(10)))
    check("no RoPE scaling", r.get("I") == 0)
    check("no biases", r.get("I") == 0)
    r.end()
    return cfg, body, tokenizer


def weight_shapes(cfg):
    d, he, ge = cfg["d"], cfg["n_heads"] * cfg["head_dim"], cfg["n_kv"] * cfg["head_dim"]
    shapes = [(cfg["vocab"], d)] + ([] if cfg["tied"] else [(cfg["vocab"], d)]) + [(1, d)]
    return shapes + cfg["n_layers"] * [(he, d), (ge, d), (ge, d), (d, he), (cfg["ff"], d), (cfg["ff"], d), (d, cfg["ff"])]


def read_commitment(c, security):
    cfg, body, tokenizer = read_config(c)
    r = Reader(f"{c}/ivk/ivk.bin", "ASSAYIVK")
    setting, log_c, a, jb = shape = r.get("4I")
    root = r.take(32)
    r.end()
    queries = {128: 192, 100: 151}[setting]
    check("shape", setting == security and 10 <= log_c <= 28 and 8 <= a < log_c and queries < 2**a)
    identity = sha(b"assay id 1", sha(body), tokenizer, struct.pack("<4I", *shape), root)
    check("ID.txt", open(f"{c}/ID.txt").read() == identity.hex() + "\n")

    weights = open(f"{c}/model/weights.bin", "rb").read()
    r = Reader(f"{c}/isk/key.bin", "ASSAYISK")
    check("key's ID, weights' digest", r.take(32) == identity and r.take(32) == sha(weights))
    r.take(32)
    check("lifetime", r.get("Q") == (2**a - 1) // queries)
    r.end()
    r = Reader(f"{c}/isk/counter", "ASSAYCTR")
    spent = r.get("Q")
    r.end()
    check("lock", os.path.getsize(f"{c}/isk/lock") == 0)

    r = Reader(f"{c}/model/weights.bin", "ASSAYWTS")
    check("weights' configuration", r.take(32) == sha(body))
    n = sum(rows * cols for rows, cols in weight_shapes(cfg))
    check("number of weights", r.get("Q") == n)
    check("13 bits", all(-4095 <= w <= 4095 for w in r.get(f"{n}h")))
    r.end()

    r = Reader(f"{c}/model/tree.bin", "ASSAYTRE")
    version, tree_c, log_rate, low = r.get("4B")
    check("tree", (version, tree_c, log_rate, r.get("Q")) == (1, log_c, 2, 2**jb))
    level = [r.take(32) for _ in range(2**(log_c + 2 - low))]
    r.end()
    while len(level) > 1:
        low += 1
        level = [sha(struct.pack("<BBB5xQ", 1, 0, low, i), level[2 * i], level[2 * i + 1]) for i in range(len(level) // 2)]
    check("tree's root", level[0] == root)
    return cfg, spent


def run(program, *args):
    subprocess.run([os.path.join(BIN, program), *args], check=True, stdout=subprocess.PIPE)


def main():
    if not os.path.exists(os.path.join(BIN, "cp_commit")):
        print("skipped: the programs are not built")
        return 77
    with tempfile.TemporaryDirectory() as work:
        c = f"{work}/c"
        run("cp_commit", "--model", f"{ROOT}/examples/tiny", "--out", c, "--security", "100", "--lifetime", "3", "--quiet")
        cfg, spent = read_commitment(c, 100)
        check("no proof yet", spent == 0)
        files = ["--req", f"{work}/F.req", "--y", f"{work}/F.y"]
        run("assay", "reply", "--commitment", c, "--prompt", "ab", "-n", "3", "--context", "nonce", *files)
        run("cp_prove", "--commitment", c, *files, "--out", f"{work}/F.proof")
        check("one proof", read_commitment(c, 100)[1] == 1)

        r = Reader(f"{work}/F.req", "ASSAYREQ")
        check("context", r.take(r.get("I")) == b"nonce")
        n_prompt, n_tokens = r.get("2I")
        ids = r.get(f"{n_tokens}I")
        r.end()
        check("tokens", n_prompt == 3 and n_tokens == 6 and ids[:3] == (cfg["bos"], 97, 98) and max(ids) < cfg["vocab"])
        r = Reader(f"{work}/F.y", "ASSAYTOK")
        check("next token", r.get("I") < cfg["vocab"])
        r.end()
        r = Reader(f"{work}/F.proof", "ASSAYPRF")
        check("proof's length", r.get("I") == len(r.b) - r.at)
    print(f"{passed} passed, 0 failed")
    return 0


sys.exit(main())
