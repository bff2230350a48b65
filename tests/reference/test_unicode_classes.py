#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The generated Unicode tables against the tables of this Python's library, for the characters that both know. That they
are what their generator makes is checked by tests/interop/test_tokenizers.py, which can fetch the database."""
import os
import re
import sys
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import make_unicode_tables as tables  # noqa: E402

KINDS = tables.LETTER | tables.NUMBER | tables.SPACE | tables.WORD


def array(text, name):
    body = re.search(rf"\b{name}\[\] = \{{\n(.*?)\n\}};", text, re.S).group(1)
    return [int(x, 0) for x in re.findall(r"0x[0-9a-f]+|\d+", body)]


def by_character(ranges):
    out, ends = {}, [r >> 8 for r in ranges[1:]] + [0x110000]
    for r, end in zip(ranges, ends):
        for c in range(r >> 8, end):
            out[c] = r & 0xff
    return out


def main():
    with open(tables.TARGET, encoding="ascii") as fh:
        text = fh.read()
    classes = by_character(array(text, "assay_unicode_classes"))
    combining = by_character(array(text, "assay_unicode_combining"))
    flat = array(text, "assay_unicode_decompositions")
    decompositions = {flat[i]: [x for x in flat[i + 1:i + 3] if x] for i in range(0, len(flat), 3)}
    known = [c for c in tables.SCALARS if unicodedata.category(chr(c)) != "Cn"]
    wrong = []
    for c, flags in tables.classes(unicodedata, {}):
        if c in classes and unicodedata.category(chr(c)) != "Cn" and (classes[c] ^ flags) & KINDS:
            wrong.append((hex(c), classes[c], flags))
    for c in known:
        if combining[c] != unicodedata.combining(chr(c)):
            wrong.append((hex(c), "combining class", combining[c]))
        if decompositions.get(c, []) != tables.canonical(unicodedata, c):
            wrong.append((hex(c), "decomposition", decompositions.get(c)))
    order = [tuple(decompositions[flat[3 * i]]) for i in array(text, "assay_unicode_compositions")]
    if order != sorted(set(order)):
        wrong.append("compositions are out of order")
    print(f"unicode {unicodedata.unidata_version}: {len(known)} characters, {len(wrong)} problems", *wrong[:10])
    return 1 if wrong or len(known) < 100000 else 0


if __name__ == "__main__":
    sys.exit(main())
