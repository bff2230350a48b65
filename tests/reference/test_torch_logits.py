#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""float_logits.py, which the importer's float path is compared with, against logits that torch and transformers gave for the same
random models of every family (tests/vectors/torch_logits.txt). They differ by the rounding of float32 at most."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
STEP, TOKENS = 16, 48


def read():
    rows = {}
    with open(os.path.join(TESTS, "vectors", "torch_logits.txt"), encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                kind, position, *values = line.split()
                rows.setdefault(kind, {})[int(position)] = np.array([float(v) for v in values])
    return rows


def run(script, *args):
    subprocess.run([sys.executable, os.path.join(TESTS, script), *args], check=True)


def main():
    failed, rows = 0, read()
    assert set(rows) == {"llama", "linear", "llama3", "mistral", "qwen2", "qwen3"}
    with tempfile.TemporaryDirectory() as work:
        for kind, wanted in rows.items():
            folder, out = os.path.join(work, kind), os.path.join(work, "logits")
            run("support/make_checkpoint.py", kind, folder)
            run("reference/float_logits.py", folder, str(TOKENS), out)
            got = np.fromfile(out, "<f4").reshape(TOKENS, -1)
            for position, values in wanted.items():
                off = float(np.abs(got[position, ::STEP] - values).max())
                bad = not off < 2e-7 * max(64.0, float(np.abs(got).max()))
                failed += bad
                print(f"{kind} position {position}: {off:.2e}{' FAILED' if bad else ''}")
    print(f"{sum(len(r) for r in rows.values()) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
