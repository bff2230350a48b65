#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The example's calibration text is what its script makes; the built-in text is that of scripts/calibration.txt."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*args):
    subprocess.run([sys.executable, "-B", *args], check=True)


with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "calibration.txt")
    run(os.path.join(ROOT, "examples/tiny/make_calibration.py"), "--out", made)
    with open(made, "rb") as a, open(os.path.join(ROOT, "examples/tiny/calibration.txt"), "rb") as b:
        if a.read() != b.read():
            sys.exit("examples/tiny/calibration.txt is not what make_calibration.py makes")
run(os.path.join(ROOT, "scripts/embed_calibration.py"), "--check")
print("calibration text: as made")
