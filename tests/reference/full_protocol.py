#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An independent implementation of docs/protocol.md, to find out whether that text is complete and whether the C code follows
it. As a program it is a verifier:

    full_protocol.py CONFIG_DIR IVK_DIR F.req F.y F.proof -id HEX [--policy FILE] [--trace] [--setting 128|100]

It prints YES (exit 0) or NO and the reason (exit 1). It needs numpy, and about 8 s and 1 GB on a short request to the example
model. --trace: label and transcript state after every absorption and challenge.

Parts: full_field (§1, §2), full_gap (§7.8), full_code (§3 - §5), full_layout and full_families and full_tables (§6, §7.2, §7.3), full_statement
(§7, §11), full_argument (§8 - §10), full_files (docs/formats.md), full_verifier; and for test vectors full_model (the integer
model) and full_prover (a prover with fixed coins).
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    try:
        from full_gap import decode_policy
        from full_verifier import verify
    except ImportError as why:
        print("skipped:", why)
        return 77
    a = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    for name in ("config", "ivk", "req", "y", "proof"):
        a.add_argument(name)
    a.add_argument("-id", required=True, type=bytes.fromhex)
    a.add_argument("--policy")
    a.add_argument("--trace", action="store_true")
    a.add_argument("--setting", type=int, default=128)
    a = a.parse_args()
    data, trace = [], []
    for path in (os.path.join(a.config, "config.bin"), os.path.join(a.ivk, "ivk.bin"), a.req, a.y, a.proof):
        with open(path, "rb") as f:
            data.append(f.read())
    policy = None
    if a.policy:
        with open(a.policy, "rb") as f:
            policy = decode_policy(f.read())
    accepted, why = verify(*data, a.id, a.setting, trace=trace, policy=policy)
    if a.trace:
        for label, state in trace:
            print(f"{state.hex()} {label}")
    print("YES" if accepted else f"NO: {why}")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main())
