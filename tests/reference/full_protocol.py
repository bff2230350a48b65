#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An independent implementation of docs/protocol.md, to find out whether that text is complete and whether the C code follows
it. As a program it is a verifier:

    full_protocol.py CONFIG_DIR IVK_DIR F.req F.y F.proof -id HEX [--trace] [--setting 128|100]

It prints YES (exit 0) or NO and the reason (exit 1). It needs numpy, and about 8 s and 1 GB on a short request to the example
model. --trace: label and transcript state after every absorption and challenge.

Parts: full_field (§1, §2), full_code (§3 - §5), full_layout and full_families and full_tables (§6, §7.2, §7.3), full_statement
(§7, §11), full_argument (§8 - §10), full_files (docs/formats.md), full_verifier; and for test vectors full_model (the integer
model) and full_prover (a prover with fixed coins).
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    try:
        from full_verifier import verify
    except ImportError as why:
        print("skipped:", why)
        return 77
    a = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    for name in ("config", "ivk", "req", "y", "proof"):
        a.add_argument(name)
    a.add_argument("-id", required=True, type=bytes.fromhex)
    a.add_argument("--trace", action="store_true")
    a.add_argument("--setting", type=int, default=128)
    a = a.parse_args()
    data, trace = [], []
    for path in (os.path.join(a.config, "config.bin"), os.path.join(a.ivk, "ivk.bin"), a.req, a.y, a.proof):
        with open(path, "rb") as f:
            data.append(f.read())
    accepted, why = verify(*data, a.id, a.setting, trace=trace)
    if a.trace:
        for label, state in trace:
            print(f"{state.hex()} {label}")
    print("YES" if accepted else f"NO: {why}")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main())
