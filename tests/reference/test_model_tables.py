#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The SHA-256 of the model's tables, made with numpy, against tests/vectors/model_tables.txt (the C tables are compared
with the same file by tests/unit/model/test_tables.c).

    test_model_tables.py             compare, exit 1 if a line differs
    test_model_tables.py --write     write the file anew

A line: d rsqrt_in rsqrt_out e_bits score_f cos_bits theta_q16 head_dim tokens gate_b gate_f fsg dist_bits, the number of
factors of RoPE scaling and the factors times 2^32, sha256. The hash covers R for over = 0 .. 8 and both parities as 16-bit
words, then, as 32-bit words, the entries of exp for b = 1 .. e_bits that are not 0, SiLU, cos and sin.
"""
import hashlib
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "..", "vectors", "model_tables.txt")
try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)
sys.path.insert(0, HERE)
from model_reference import rope_factors, table  # noqa: E402

LLAMA3 = {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
SETTINGS = [
    # d, rsqrt_in, rsqrt_out, e_bits, score_f, cos_bits, theta, head_dim, tokens, gate_b, gate_f, fsg, dist_bits, scaling
    (128, 12, 12, 12, 9, 12, 10000.0, 32, 512, 12, 7, 11, 16, {}),
    (128, 12, 12, 12, 9, 12, 10000.0, 32, 512, 12, 8, 11, 16, {}),
    (576, 12, 12, 12, 9, 12, 100000.0, 64, 512, 12, 6, 9, 16, {}),
    (4096, 12, 12, 15, 8, 12, 500000.0, 128, 256, 12, 5, 9, 16, {}),
    (33, 12, 12, 10, 12, 10, 1000000.0, 10, 300, 9, 4, 11, 16, {}),
    (7, 12, 12, 8, 1, 2, 1.5, 2, 200, 2, 0, 14, 16, {}),
    (2048, 12, 12, 12, 10, 12, 10000.0, 80, 400, 11, -1, 3, 16, {}),
    (2048, 12, 12, 12, 9, 12, 500000.0, 64, 9000, 12, 6, 9, 16, LLAMA3),
    (33, 12, 12, 10, 12, 12, 10000.0, 10, 300, 9, 4, 11, 16, {"rope_type": "linear", "factor": 2.3}),
    (576, 12, 12, 16, 15, 12, 100000.0, 64, 200, 16, 11, 11, 22, {}),
]


def digest(d, r_in, r_out, e_bits, score_f, cos_bits, theta, hd, tokens, gate_b, gate_f, fsg, dist_bits, factor):
    h = hashlib.sha256()
    m = np.arange(2 ** (r_in - 1), 2 ** r_in)
    t = math.floor(math.log2((2 ** r_out - 1) / math.sqrt(d / 2 ** (r_in - 1))))
    r = np.stack([table(2.0 ** t * np.sqrt(d / ((m + 0.5) * 2.0 ** par))) for par in (0, 1)])
    for over in range(9):
        h.update(((r + (1 << over >> 1)) >> over).astype("<u2").tobytes())
    rem = max(dist_bits - 16, 0)
    for b in range(1, e_bits + 1):
        h.update(np.trim_zeros(table(2.0 ** b * np.exp(-np.arange(1 << (dist_bits - rem)) * 2.0 ** (rem - score_f))), "b").astype("<u4").tobytes())
    x = np.arange(-2 ** (gate_b - 1), 2 ** (gate_b - 1)) * 2.0 ** -gate_f
    h.update(table(2.0 ** fsg * x / (1 + np.exp(np.minimum(-x, 700.0)))).astype("<i4").tobytes())
    a = np.arange(tokens)[:, None] * (1.0 / theta ** (np.arange(0, hd, 2) / hd) / factor)[None]
    for f in (np.cos, np.sin):
        h.update(table(f(a) * 2.0 ** cos_bits).astype("<i4").tobytes())
    return h.hexdigest()


def main():
    lines = []
    for s in SETTINGS:
        fields = [round(x * 65536) if k == 6 else x for k, x in enumerate(s[:13])]
        factor = rope_factors(s[13], s[6], s[7])
        exact = [int(x * 2.0**32) for x in factor] if (factor != 1).any() else []
        fields += [len(exact)] + exact
        lines.append(" ".join(str(x) for x in fields) + " " + digest(*s[:13], factor) + "\n")
    if sys.argv[1:] == ["--write"]:
        with open(VECTORS, "w") as fh:
            fh.writelines(lines)
        return 0
    with open(VECTORS) as fh:
        stored = fh.readlines()
    print(f"{sum(a == b for a, b in zip(lines, stored))} of {len(lines)} tables as stored")
    return 0 if lines == stored else 1


sys.exit(main())
