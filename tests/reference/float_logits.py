#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Logits of a Hugging Face folder in float64, by the definitions of Llama, Mistral, Qwen2 and Qwen3, one layer after the other
and one head after the other; written apart from the importer and from model_reference.py.

    float_logits.py FOLDER N OUT     tokens 0, 7, 14, ... (N of them, modulo the vocabulary); OUT: float32 [N][vocab]
"""
import json
import os
import struct
import sys

import numpy as np


def load(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        c = json.load(f)
    with open(os.path.join(folder, "model.safetensors"), "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        head, data = json.loads(f.read(n)), f.read()
    return c, {k: np.frombuffer(data[slice(*t["data_offsets"])], "<f4").reshape(t["shape"]).astype(np.float64)
               for k, t in head.items()}


def frequencies(c):
    e, out = c["head_dim"], []
    scale = c.get("rope_scaling") or {}
    for i in range(e // 2):
        freq = c["rope_theta"] ** (-2.0 * i / e)
        kind = scale.get("rope_type", scale.get("type"))
        if kind == "linear":
            freq /= scale["factor"]
        elif kind == "llama3":
            wave, old = 2 * np.pi / freq, scale["original_max_position_embeddings"]
            if wave > old / scale["low_freq_factor"]:
                freq /= scale["factor"]
            elif wave >= old / scale["high_freq_factor"]:
                s = (old / wave - scale["low_freq_factor"]) / (scale["high_freq_factor"] - scale["low_freq_factor"])
                freq = (1 - s) * freq / scale["factor"] + s * freq
        out.append(freq)
    return np.array(out)


def rms(x, gain, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain


def rotate(x, angle):
    half = x.shape[-1] // 2
    turned = np.concatenate([-x[:, half:], x[:, :half]], 1)                  # rotate_half
    both = np.concatenate([angle, angle], 1)
    return x * np.cos(both) + turned * np.sin(both)


def logits(c, w, ids):
    n, e, eps = len(ids), c["head_dim"], c["rms_norm_eps"]
    angle = np.arange(n)[:, None] * frequencies(c)[None]
    h = w["model.embed_tokens.weight"][ids]
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        x, qkv = rms(h, w[p + "input_layernorm.weight"], eps), []
        for name in "qkv":
            y = x @ w[f"{p}self_attn.{name}_proj.weight"].T
            if c["model_type"] == "qwen2":
                y = y + w[f"{p}self_attn.{name}_proj.bias"]
            y = np.split(y, y.shape[1] // e, 1)
            if c["model_type"] == "qwen3" and name != "v":
                y = [rms(a, w[f"{p}self_attn.{name}_norm.weight"], eps) for a in y]
            qkv.append(y if name == "v" else [rotate(a, angle) for a in y])
        q, k, v = qkv
        mixed = []
        for i, a in enumerate(q):
            g = i * len(k) // len(q)
            s = a @ k[g].T / np.sqrt(e)
            s[np.triu_indices(n, 1)] = -np.inf
            s = np.exp(s - s.max(1, keepdims=True))
            mixed.append(s / s.sum(1, keepdims=True) @ v[g])
        h = h + np.concatenate(mixed, 1) @ w[p + "self_attn.o_proj.weight"].T
        x = rms(h, w[p + "post_attention_layernorm.weight"], eps)
        gate = x @ w[p + "mlp.gate_proj.weight"].T
        h = h + (gate / (1 + np.exp(-gate)) * (x @ w[p + "mlp.up_proj.weight"].T)) @ w[p + "mlp.down_proj.weight"].T
    head = w["model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"]
    return rms(h, w["model.norm.weight"], eps) @ head.T


def main():
    folder, n, out = sys.argv[1:]
    c, w = load(folder)
    logits(c, w, np.arange(int(n)) * 7 % c["vocab_size"]).astype("<f4").tofile(out)


if __name__ == "__main__":
    main()
