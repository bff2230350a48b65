#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checkpoints made to harm: each is refused with one line and exit code 2, at once, within a small address space, and
# nothing is written. The good model commits within the same limits, so the limits are not what refuses.
# ctest: labels nosan
# ctest: timeout 600
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("ASSAY_SOURCE_DIR", ".")
COMMIT = os.path.join(os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build/bin")), "cp_commit")
TINY = os.path.join(ROOT, "examples/tiny")
ADDRESS_SPACE = 400 << 20
SECONDS = 60  # of a busy machine; alone it is a small part of one

work = tempfile.mkdtemp()
good = open(os.path.join(TINY, "model.safetensors"), "rb").read()
header = json.loads(good[8 : 8 + struct.unpack("<Q", good[:8])[0]])
data = good[8 + struct.unpack("<Q", good[:8])[0] :]
config = json.load(open(os.path.join(TINY, "config.json")))
passed = 0


def folder(files):
    """A copy of the example model with these files instead of its own."""
    path = os.path.join(work, "model")
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(TINY, path)
    for name, content in files.items():
        with open(os.path.join(path, name), "wb") as f:
            f.write(content)
    return path


def commit(path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    start = time.monotonic()
    out = os.path.join(work, "c")
    done = subprocess.run([COMMIT, "--model", path, "--out", out, "--threads", "1", "--quiet"], capture_output=True,
                          preexec_fn=limit, timeout=SECONDS)
    return done.returncode, done.stderr, os.path.exists(out), time.monotonic() - start


def refused(what, path, says):
    global passed
    code, err, written, seconds = commit(path)
    lines = err.decode("utf-8", "replace").splitlines()
    if code != 2 or len(lines) != 1 or not any(s in lines[0] for s in says.split("|")) or written or len(lines[0]) > 600:
        sys.exit(f"FAILED: {what}: exit code {code}, {len(lines)} lines, written: {written}: {lines[:3]}")
    passed += 1
    print(f"ok: {what} ({seconds:.1f} s): {lines[0][-100:]}")


def safetensors(changed, body=data):
    text = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
    return struct.pack("<Q", len(text)) + text + body


def with_tensor(name, **fields):
    h = {k: dict(v) for k, v in header.items()}
    h[name].update(fields)
    return h


def with_config(**fields):
    return json.dumps({**config, **fields}).encode()


def check_safetensors():
    embed = "model.embed_tokens.weight"
    begin, end = header[embed]["data_offsets"]
    for share in (0, 4, 8, 100, len(good) // 2, len(good) - 1):
        refused(f"cut to {share} bytes", folder({"model.safetensors": good[:share]}), "model.safetensors: ")
    cases = {
        "a header longer than the file": (struct.pack("<Q", 1 << 62) + b"{}", "shorter than its header"),
        "a header of all the file": (struct.pack("<Q", len(good) - 8) + good[8:], "header: is not JSON"),
        "a header of 100,000 levels": (safetensors(b'{"a":' * 100000), "header: is not JSON"),
        "lists of 1,000,000 levels": (safetensors(b"[" * 1000000), "header: is not JSON"),
        "a name of 1 MB": (safetensors({"x" * (1 << 20): header[embed], **header}), "model.safetensors: "),
        "500,000 tensors": (safetensors({str(i): {"dtype": "F16", "shape": [0], "data_offsets": [0, 0]}
                                         for i in range(500000)}), "model.safetensors: "),
        "2^80 cells": (safetensors(with_tensor(embed, shape=[1 << 40, 1 << 40])), "more cells"),
        "2^60 cells": (safetensors(with_tensor(embed, shape=[1 << 30, 1 << 30])), "embed_tokens.weight: "),
        "a shape that the bytes do not have": (safetensors(with_tensor(embed, shape=[end, 128])), "embed_tokens.weight: "),
        "offsets behind the file": (safetensors(with_tensor(embed, data_offsets=[begin, 1 << 62])), "outside"),
        "offsets beyond 2^64": (safetensors(with_tensor(embed, data_offsets=[begin, 1 << 70])), "model.safetensors: "),
        "offsets that are no integers": (safetensors(with_tensor(embed, data_offsets=[0.5, "x"])), "data_offsets"),
        "two tensors in one place": (safetensors(with_tensor("model.norm.weight", data_offsets=header[
            "model.layers.0.input_layernorm.weight"]["data_offsets"])), "overlaps|hole"),
    }
    for what, (content, says) in cases.items():
        refused(what, folder({"model.safetensors": content}), says)
    for what, bits in (("NaN", 0x7E00), ("infinity", 0x7C00), ("minus infinity", 0xFC00)):
        for at in (begin, end - 2):
            body = bytearray(data)
            body[at : at + 2] = struct.pack("<H", bits)
            refused(f"{what} at byte {at}", folder({"model.safetensors": safetensors(header, bytes(body))}),
                    "embed_tokens.weight: holds a value that is not finite")
    path = folder({})
    os.truncate(os.path.join(path, "model.safetensors"), 1 << 40)
    refused("a file of 2^40 bytes, mostly a hole", path, "model.safetensors: ")


def check_config():
    for key, value, says in (
        ("hidden_size", (1 << 15) - 1, ""), ("hidden_size", 1 << 40, "hidden_size: is out of range"),
        ("num_hidden_layers", 1 << 10, ""), ("num_hidden_layers", -1, "num_hidden_layers: is"),
        ("intermediate_size", 1 << 18, ""), ("vocab_size", 1 << 22, ""), ("vocab_size", 1 << 33, "vocab_size: is"),
        ("num_attention_heads", 1024, ""), ("head_dim", 1024, ""), ("rms_norm_eps", 1e308, "rms_norm_eps"),
        ("hidden_size", 128.5, "hidden_size: is"), ("hidden_size", [128], "hidden_size: is"),
    ):
        refused(f"{key} = {value}", folder({"config.json": with_config(**{key: value})}), says or "model.safetensors: |config.json: ")
    deep = b'{"a":' * 100000 + b"1" + b"}" * 100000
    for name in ("config.json", "tokenizer.json"):
        refused(f"{name} of 100,000 levels", folder({name: deep}), name)
        refused(f"{name} of lists", folder({name: b"[" * 1000000}), name)
        refused(f"{name} that is empty", folder({name: b""}), name)
        refused(f"{name} of zeros", folder({name: bytes(1 << 16)}), name)
    refused("config.json of 64 MB", folder({"config.json": b" " * (64 << 20)}), "config.json: ")


def gguf(values, tensors=0, n_values=None, tail=b""):
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, len(values) if n_values is None else n_values) + b"".join(values) + tail


def value(key, kind, content):
    return struct.pack("<Q", len(key)) + key + struct.pack("<I", kind) + content


def check_gguf():
    string, array, u32 = 8, 9, 4
    nested = b"".join(struct.pack("<IQ", array, 1) for _ in range(100000))
    cases = {
        "2^64 - 1 values": gguf([], n_values=2**64 - 1),
        "2^64 - 1 tensors": gguf([], tensors=2**64 - 1),
        "a key of 2^63 bytes": gguf([struct.pack("<Q", 1 << 63) + bytes(64)]),
        "a string of 2^63 bytes": gguf([value(b"general.architecture", string, struct.pack("<Q", 1 << 63))]),
        "an array of 2^60 numbers": gguf([value(b"a", array, struct.pack("<IQ", u32, 1 << 60))]),
        "an array of 2^31 strings": gguf([value(b"a", array, struct.pack("<IQ", string, 1 << 31))]),
        "arrays of 100,000 levels": gguf([value(b"a", array, nested)]),
        "a tensor of 2^80 cells": gguf([value(b"general.architecture", string, struct.pack("<Q", 5) + b"llama")], 1, tail=
                                       struct.pack("<Q", 1) + b"t" + struct.pack("<IQQIQ", 2, 1 << 40, 1 << 40, 0, 0)),
        "no values": gguf([]),  # so that a tokenizer.json is looked for
        "only its magic": b"GGUF",
    }
    for what, content in cases.items():
        path = os.path.join(work, "hostile.gguf")
        with open(path, "wb") as f:
            f.write(content)
        refused(f"GGUF: {what}", path, "hostile.gguf: |tokenizer.json: no such file")


try:
    code, err, written, _ = commit(folder({}))
    if code != 0 or not written:
        sys.exit(f"FAILED: the good model does not commit within the limits: {code} {err!r}")
    shutil.rmtree(os.path.join(work, "c"))
    check_safetensors()
    check_config()
    check_gguf()
    print(f"{passed} passed, 0 failed")
finally:
    shutil.rmtree(work, ignore_errors=True)
