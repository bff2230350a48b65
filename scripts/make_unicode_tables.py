#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/model/unicode_classes_gen.c: what tokenizers ask about characters, of one version of Unicode.

    make_unicode_tables.py            write the file
    make_unicode_tables.py --check    exit 1 if it differs from what would be written

Needs the PyPI package unicodedata2 at the version below (the Python library's own tables are of another version of
Unicode on each machine). The version is that of the regular expressions of Hugging Face tokenizers 0.21 to 0.23.
"""
import os
import sys

VERSION = "16.0.0"
TARGET = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src/model/unicode_classes_gen.c")

LETTER, NUMBER, SPACE, WORD, UNSTABLE = 1, 2, 4, 8, 16  # as in src/model/unicode.h
SPACES = [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
# Alphabetic characters that are neither letters, marks nor numbers: letters in circles and squares.
ALPHABETIC_SYMBOLS = [*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A), *range(0x1F170, 0x1F18A)]
JOINERS = [0x200C, 0x200D]
HANGUL = range(0xAC00, 0xD7A4)
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]

HEAD = f"""/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/make_unicode_tables.py from the character database of Unicode {VERSION}. */
#include "model/unicode.h"
/* clang-format off */

"""


def canonical(u, c):
    """The canonical decomposition of one character, one step; Hangul syllables are computed and left out."""
    d = u.decomposition(chr(c))
    return [int(x, 16) for x in d.split()] if d and not d.startswith("<") and c not in HANGUL else []


def classes(u, compositions):
    seconds = {second for _, second in compositions.values()} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    spaces, odd = set(SPACES), set(ALPHABETIC_SYMBOLS + JOINERS)
    for c in SCALARS:
        ch = chr(c)
        kind = u.category(ch)
        word = kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or c in odd
        stable = u.combining(ch) == 0 and c not in seconds and u.normalize("NFC", ch) == ch
        yield c, (LETTER * (kind[0] == "L") | NUMBER * (kind[0] == "N") | SPACE * (c in spaces) | WORD * word
                  | UNSTABLE * (not stable))


def ranges(pairs):
    """(first character of a range) << 8 | value, for each range of equal values."""
    last = None
    for c, value in pairs:
        if value != last:
            yield c << 8 | value
        last = value


def array(kind, name, values, per_line):
    values = list(values)
    yield f"const {kind} {name}[] = {{\n"
    for i in range(0, len(values), per_line):
        yield "    " + ", ".join(values[i:i + per_line]) + ",\n"
    yield f"}};\nconst size_t {name}_count = sizeof {name} / sizeof *{name};\n\n"


def make(u):
    decompositions = {c: d for c in SCALARS if (d := canonical(u, c))}
    assert all(len(d) <= 2 for d in decompositions.values())
    compositions = {c: tuple(d) for c, d in decompositions.items()
                    if len(d) == 2 and u.normalize("NFC", chr(c)) == chr(c)}
    index = {c: i for i, c in enumerate(decompositions)}
    order = sorted(compositions, key=compositions.get)
    text = [HEAD]
    text += array("uint32_t", "assay_unicode_classes", (f"0x{v:x}" for v in ranges(classes(u, compositions))), 10)
    text += array("uint32_t", "assay_unicode_combining",
                  (f"0x{v:x}" for v in ranges((c, u.combining(chr(c))) for c in SCALARS)), 10)
    text += array("assay_decomposition", "assay_unicode_decompositions",
                  (f"{{0x{c:x}, {{0x{d[0]:x}, 0x{d[1] if len(d) == 2 else 0:x}}}}}" for c, d in decompositions.items()), 4)
    text += array("uint16_t", "assay_unicode_compositions", (str(index[c]) for c in order), 20)
    return "".join(text).rstrip("\n") + "\n"


if __name__ == "__main__":
    import unicodedata2
    assert unicodedata2.unidata_version == VERSION, f"unicodedata2 is {unicodedata2.unidata_version}, not {VERSION}"
    new = make(unicodedata2)
    if sys.argv[1:] == ["--check"]:
        with open(TARGET) as fh:
            sys.exit(f"{TARGET} is out of date" if fh.read() != new else 0)
    with open(TARGET, "w") as fh:
        fh.write(new)
