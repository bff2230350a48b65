#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Small random models of the families that can be imported, as Hugging Face folders, with the example model's tokenizer.

    make_checkpoint.py KIND OUT     KIND: llama, linear, llama3, mistral, qwen2, qwen3

linear and llama3 are Llama models with scaled rotation. Needs numpy.
"""
import json
import os
import shutil
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TINY = os.path.join(HERE, "..", "..", "examples", "tiny")
try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

D, LAYERS, HEADS, KV, E, FF, VOCAB, POSITIONS = 48, 2, 4, 2, 16, 80, 258, 256
SCALING = {
    "linear": {"type": "linear", "factor": 2.5},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64},
}


def config(kind):
    family = kind if kind in ("mistral", "qwen2", "qwen3") else "llama"
    c = {"model_type": family, "hidden_act": "silu", "hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
         "num_key_value_heads": KV, "head_dim": E, "intermediate_size": FF, "vocab_size": VOCAB, "rms_norm_eps": 1e-6,
         "max_position_embeddings": POSITIONS, "rope_theta": 10000.0, "bos_token_id": 256, "eos_token_id": 257,
         "tie_word_embeddings": kind in ("qwen2", "llama3")}
    if kind in SCALING:
        c["rope_scaling"] = SCALING[kind]
    if kind == "mistral":
        c["sliding_window"] = 128
    if kind == "qwen2":
        c.update(use_sliding_window=False, sliding_window=16, max_window_layers=1)
    return c


def tensors(c, rng):
    def normal(std, *shape):
        return (rng.standard_normal(shape) * std).astype(np.float32)

    def gain(n):
        return (1 + rng.standard_normal(n) / 4).astype(np.float32)
    out = {"model.embed_tokens.weight": normal(1.0, VOCAB, D), "model.norm.weight": gain(D)}
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = normal(0.5, VOCAB, D)
    for i in range(LAYERS):
        p, a = f"model.layers.{i}.", f"model.layers.{i}.self_attn."
        out[p + "input_layernorm.weight"], out[p + "post_attention_layernorm.weight"] = gain(D), gain(D)
        for name, rows, cols in (("self_attn.q_proj", HEADS * E, D), ("self_attn.k_proj", KV * E, D),
                                 ("self_attn.v_proj", KV * E, D), ("self_attn.o_proj", D, HEADS * E),
                                 ("mlp.gate_proj", FF, D), ("mlp.up_proj", FF, D), ("mlp.down_proj", D, FF)):
            out[p + name + ".weight"] = normal(cols ** -0.5, rows, cols)
        if c["model_type"] == "qwen2":
            for name, n in (("q", HEADS * E), ("k", KV * E), ("v", KV * E)):
                out[a + name + "_proj.bias"] = normal(0.5, n)
            out[a + "k_proj.bias"][3] = -9.0                     # keys have large biases in real models
        if c["model_type"] == "qwen3":
            out[a + "q_norm.weight"], out[a + "k_norm.weight"] = gain(E), gain(E)
    return out


def write_safetensors(path, arrays):
    head, at = {}, 0
    for name, x in arrays.items():
        head[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    text = json.dumps(head).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(x.tobytes() for x in arrays.values()))


def main():
    kind, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    c = config(kind)
    with open(os.path.join(out, "config.json"), "w", encoding="ascii") as f:
        json.dump(c, f)
    write_safetensors(os.path.join(out, "model.safetensors"), tensors(c, np.random.default_rng(sum(kind.encode()))))
    for name in ("tokenizer.json", "calibration.txt"):
        shutil.copy(os.path.join(TINY, name), out)


if __name__ == "__main__":
    main()
