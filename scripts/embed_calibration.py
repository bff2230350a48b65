#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/model/calibration_text_gen.c from scripts/calibration.txt: one string a document.

    embed_calibration.py          write the file
    embed_calibration.py --check  exit 1 if it differs from what would be written
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXT, TARGET = os.path.join(ROOT, "scripts/calibration.txt"), os.path.join(ROOT, "src/model/calibration_text_gen.c")

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/embed_calibration.py from scripts/calibration.txt. */
#include "model/calibration_text.h"

const char *const assay_calibration_documents[] = {
"""


def quoted(text, width=100):
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    at = 0
    while at < len(text):
        cut = min(at + width, len(text))
        if cut < len(text) and text[cut - 1] == "\\":
            cut -= 1
        yield f'    "{text[at:cut]}"'
        at = cut


def make():
    with open(TEXT, newline="") as fh:
        docs = [d for d in fh.read().split("\n\n") if d]
    return HEAD + "".join("\n".join(quoted(d)) + ",\n" for d in docs) + "    NULL,\n};\n"


if __name__ == "__main__":
    new = make()
    if sys.argv[1:] == ["--check"]:
        with open(TARGET) as fh:
            sys.exit(f"{TARGET} is out of date" if fh.read() != new else 0)
    with open(TARGET, "w") as fh:
        fh.write(new)
