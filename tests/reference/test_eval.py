#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`assay eval` against the numpy reference, on a text of eight windows: perplexities, agreement, accumulators; and windows
without a result, at the position where the reference refuses.
ctest: timeout 300
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TINY = os.path.join(ROOT, "examples/tiny")
ASSAY = os.path.join(os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build")), "bin/assay")
sys.path[:0] = [HERE, TINY]
import model_reference as ref  # noqa: E402

LENGTH = 256
problems = 0


def check(good, *words):
    global problems
    problems += not good
    print("ok" if good else "FAILED", *words)


def evaluate(*args):
    run = subprocess.run([ASSAY, "eval", "--model", TINY, "--json", "--quiet", *args], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"assay eval {args}: {run.returncode}: {run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def documents(path):
    with open(path, newline="") as fh:
        return fh.read().split("\n\n")


def compare(name, got, ck, model, windows):
    """Everything that is printed, from the reference's own functions."""
    want = ref.fidelity(ck, model, windows)
    losses = {"perplexity_float": [], "perplexity_integer": []}
    for ids in windows:
        losses["perplexity_float"].append(ref.nll(ref.float_forward(ck, ids), ids))
        losses["perplexity_integer"].append(ref.nll(model.forward(ids) * model.logit_unit, ids))
    for key, values in losses.items():
        value = math.exp(np.concatenate(values).mean())
        # Integers are equal, so only the last bits of exp and log differ; floats are summed in another order.
        check(abs(got[key] / value - 1) < (1e-9 if "integer" in key else 1e-5), name, key, got[key], value)
    check(abs(got["perplexity_ratio"] / want["ratio"] - 1) < 1e-5, name, "ratio", got["perplexity_ratio"], want["ratio"])
    check(got["tokens"] == want["tokens"] and got["windows"] == want["windows"] and got["window"] == len(windows[0]), name, "tokens")
    # A near tie of the float model may fall either way: one position.
    one = 100.0 / want["tokens"] + 1e-9
    check(abs(got["agreement"] - want["agreement"]) <= one, name, "agreement", got["agreement"], want["agreement"])
    check(abs(got["agreement_decisive"] - want["agreement_decisive"]) <= one, name, "decisive", got["agreement_decisive"],
          want["agreement_decisive"])
    check(got["windows_without_result"] == want["no_result"] == 0 and got["tokens_without_result"] == 0, name, "no refusals")
    for a in got["accumulators"]:
        top = math.log2(model.worst[a["name"]])
        check(abs(a["log2"] - top) < 0.01, name, "accumulator", a["name"], a["log2"], round(top, 3))


def main():
    with tempfile.TemporaryDirectory() as folder:
        text, calibration, ids = (os.path.join(folder, x) for x in ("text", "calibration", "ids"))
        docs = documents(os.path.join(TINY, "calibration.txt"))
        half = len(docs) // 2
        with open(calibration, "w", newline="") as fh:
            fh.write("\n\n".join(docs[:half]))
        with open(text, "w", newline="") as fh:
            fh.write("\n\n".join(docs[half:]))

        ck = ref.Checkpoint(TINY)
        cal = ref.channel_maxima(ck, ref.windows_of(ck, calibration, LENGTH, 24))
        ref.smooth(ck, cal)
        plain = ref.Checkpoint(TINY)
        windows = ref.windows_of(ck, text, LENGTH, 8)
        model = ref.IntegerModel(ck, cal)
        got = evaluate("--text", text, "--calibrate", calibration, "--tokens", str(8 * LENGTH))
        compare("text", got, plain, model, windows)

        # Token ids, and a shorter window.
        lines = [list(t.encode()) for t in docs[half:half + 40]]
        with open(ids, "w") as fh:
            fh.writelines(" ".join(map(str, x)) + "\n" for x in lines)
        model = ref.IntegerModel(ck, cal)
        got = evaluate("--text", ids, "--ids", "--calibrate", calibration, "--tokens", "200", "--window", "50")
        compare("ids", got, plain, model, ref.windows_of(ck, ids, 50, 4, True))

        # Calibrated on one kind of line only, other lines leave the ranges: refused where the reference refuses.
        with open(calibration, "w", newline="") as fh:
            fh.write("\n\n".join(docs[0] * 3 for _ in range(8)))
        ck = ref.Checkpoint(TINY)
        cal = ref.channel_maxima(ck, ref.windows_of(ck, calibration, LENGTH, 24))
        ref.smooth(ck, cal)
        model = ref.IntegerModel(ck, cal)
        got = evaluate("--text", text, "--calibrate", calibration, "--tokens", str(8 * LENGTH))
        refused, lost = 0, 0
        for window in windows:
            n = LENGTH
            while n > 0:  # the first position without a result: what is before it has one
                try:
                    model.forward(window[:n])
                    break
                except ref.NoResult as e:
                    n = e.position
            refused += n < LENGTH
            lost += LENGTH - n
        check(got["windows_without_result"] == refused > 0, "refused windows", got["windows_without_result"], refused)
        check(got["tokens_without_result"] == lost, "refused tokens", got["tokens_without_result"], lost)
        check(sum(r["windows"] for r in got["no_result"]) == refused, "reasons", got["no_result"])
    print("0 failed" if problems == 0 else f"{problems} failed")
    return problems != 0


if __name__ == "__main__":
    sys.exit(main())
