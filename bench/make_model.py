#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A random model of a wanted shape, as a Hugging Face folder: what a proof costs follows from the shape alone.

    bench/make_model.py OUT [--layers N --width N --heads N --kv-heads N --head-dim N --hidden N --vocab N --seed N]

Defaults: the shape of SmolLM2-135M. Weights are gaussian with the deviation that keeps activations near 1; the
vocabulary is the 256 bytes, two marks and fillers that no text makes. Needs numpy; the model's size twice in memory."""
import argparse
import json
import os
import struct

import numpy as np


def byte_names():
    """GPT-2's printable name of each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names, extra = {}, 0
    for b in range(256):
        if b in plain:
            names[b] = chr(b)
        else:
            names[b] = chr(256 + extra)
            extra += 1
    return [names[b] for b in range(256)]


def shapes(a):
    """(name, shape, standard deviation) of every tensor; 0: all ones."""
    heads, kv = a.heads * a.head_dim, a.kv_heads * a.head_dim
    deep = (2 * a.layers) ** -0.5
    yield "model.embed_tokens.weight", (a.vocab, a.width), a.width**-0.5
    for i in range(a.layers):
        p = f"model.layers.{i}."
        yield p + "input_layernorm.weight", (a.width,), 0
        yield p + "self_attn.q_proj.weight", (heads, a.width), a.width**-0.5
        yield p + "self_attn.k_proj.weight", (kv, a.width), a.width**-0.5
        yield p + "self_attn.v_proj.weight", (kv, a.width), a.width**-0.5
        yield p + "self_attn.o_proj.weight", (a.width, heads), deep * heads**-0.5
        yield p + "post_attention_layernorm.weight", (a.width,), 0
        yield p + "mlp.gate_proj.weight", (a.hidden, a.width), a.width**-0.5
        yield p + "mlp.up_proj.weight", (a.hidden, a.width), a.width**-0.5
        yield p + "mlp.down_proj.weight", (a.width, a.hidden), deep * a.hidden**-0.5
    yield "model.norm.weight", (a.width,), 0


def write_weights(path, a):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape, _ in shapes(a):
        end = at + 2 * int(np.prod(shape))
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    rng = np.random.default_rng(a.seed)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, shape, std in shapes(a):
            w = rng.standard_normal(shape, dtype=np.float32) * np.float32(std) if std else np.ones(shape, np.float32)
            f.write(w.astype("<f2").tobytes())


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False, indent=1)
        f.write("\n")


def write_tokenizer(path, a):
    names = byte_names() + ["<s>", "</s>"]
    names += [f"filler{i}" for i in range(len(names), a.vocab)]
    marks = [{"id": 256 + i, "content": m, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for i, m in enumerate(("<s>", "</s>"))]
    bytelevel = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    write_json(path, {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": marks, "normalizer": None,
        "pre_tokenizer": bytelevel, "post_processor": None, "decoder": {**bytelevel, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {name: i for i, name in enumerate(names)}, "merges": []}})


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("out")
    for name, value in (("layers", 30), ("width", 576), ("heads", 9), ("kv-heads", 3), ("head-dim", 64),
                        ("hidden", 1536), ("vocab", 49152), ("positions", 2048), ("seed", 1)):
        p.add_argument("--" + name, type=int, default=value)
    a = p.parse_args()
    if a.vocab < 258:
        p.error("--vocab is at least 258: 256 bytes and two marks")
    os.makedirs(a.out, exist_ok=True)
    write_json(os.path.join(a.out, "config.json"), {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "bos_token_id": 256, "dtype": "float16",
        "eos_token_id": 257, "head_dim": a.head_dim, "hidden_act": "silu", "hidden_size": a.width,
        "intermediate_size": a.hidden, "max_position_embeddings": a.positions, "mlp_bias": False,
        "model_type": "llama", "num_attention_heads": a.heads, "num_hidden_layers": a.layers,
        "num_key_value_heads": a.kv_heads, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": True,
        "vocab_size": a.vocab})
    write_json(os.path.join(a.out, "generation_config.json"), {"bos_token_id": 256, "eos_token_id": 257})
    write_tokenizer(os.path.join(a.out, "tokenizer.json"), a)
    write_weights(os.path.join(a.out, "model.safetensors"), a)


if __name__ == "__main__":
    main()
