#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes gguf_blocks.txt: random blocks of every GGUF type that can be read, and their values as the `gguf` package of
ggml has them. Needs the package: tests/interop/gguf_reference.py says how the tests get it.

    PYTHONPATH=FOLDER_WITH_GGUF /usr/bin/python3 tests/vectors/make_gguf_vectors.py

A line is the type's name, its number, the bytes of the blocks, and the bits of the float32 values, all in hex.
"""
import os
import struct
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from gguf_reference import TYPES, random_blocks  # noqa: E402


def main():
    import gguf
    rng = np.random.default_rng(20240602)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gguf_blocks.txt")
    with open(path, "w", encoding="ascii") as out:
        for name in TYPES:
            kind = gguf.GGMLQuantizationType[name]
            cells, _ = gguf.GGML_QUANT_SIZES[kind]
            for _ in range(3):
                blocks = random_blocks(rng, name, max(1, 64 // cells))
                values = gguf.dequantize(blocks, kind).reshape(-1).astype(np.float32)
                bits = "".join(struct.pack(">f", v).hex() for v in values)
                out.write(f"{name} {int(kind)} {blocks.tobytes().hex()} {bits}\n")


if __name__ == "__main__":
    main()
