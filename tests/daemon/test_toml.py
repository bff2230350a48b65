#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The TOML reader against Python's tomllib: the same tree, or both refuse. Documents: a list of awkward ones, the corpus of
the fuzz target, and random ones, whole and damaged. Where the two may differ is said in `excused`."""
import datetime
import glob
import json
import math
import os
import random
import struct
import subprocess
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
DRIVER = os.path.join(BUILD, "tests", "drivers", "toml_dump")
ERANGE, EUNSUPPORTED = 3, 8

with open(os.path.join(ROOT, "tests/daemon/toml_documents.txt"), encoding="utf-8") as awkward:
    AWKWARD = awkward.read()  # documents with lines of --- between them

RAW = [b"", b"\xef\xbb\xbfa = 1", b"a = 1\r\nb = 2\r\n", b"a = 1\rb = 2", b"a = 1\r", b"a = '\r'", b"# \x00", b"# \x7f", b"# \t ok",
       b"a = '\x01'", b"a = '\x7f'", b"a = \"\xff\"", b"a = \"\xc0\x80\"", b"a = \"\xed\xa0\x80\"", b"a = \"\xf4\x90\x80\x80\"",
       b"a = \"\xe2\x82\xac\"", b"\xe2\x82\xac = 1", b"a = \"\"\"\r\nx\r\ny\\\r\n  z\"\"\"", b"a = '''\r\nx\r\n'''", b"a\x00 = 1",
       b"a = 1\x00", b"a = 1\x0c", b"\x0b", b"a = \"\t\"", b"a = \"\x08\"", b"a = '''\x0b'''", b"#\r\r\n", b"a = [\r\n1,\r\n]",
       b"a = " + b"[" * 60 + b"]" * 60, b"a = " + b"[" * 80 + b"]" * 80, b".".join([b"a"] * 60) + b" = 1",
       b"a = \"" + b"x" * 3000 + b"\"", b"a = 'b'#", b"a = '\xf0\x9f\x98\x80'", b"\xc3"]


def tree(v):
    """What the driver prints."""
    if isinstance(v, dict):
        return {k.encode().hex(): tree(x) for k, x in v.items()}
    if isinstance(v, list):
        return [tree(x) for x in v]
    if isinstance(v, bool):
        return f"b:{int(v)}"
    if isinstance(v, int):
        return f"i:{v}"
    if isinstance(v, float):
        return "f:nan" if math.isnan(v) else f"f:{struct.unpack('<Q', struct.pack('<d', v))[0]:016x}"
    if isinstance(v, str):
        return "s:" + v.encode().hex()
    if isinstance(v, (datetime.date, datetime.time)):
        return "date"
    raise TypeError(v)


def expected(doc):
    """The tree, or None for a document that is refused; and the reason why ours may refuse what tomllib takes."""
    try:
        t = tree(tomllib.loads(doc.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None, None
    except ValueError as e:  # a date that no calendar has, an integer too long for Python
        return None, str(e)
    text = json.dumps(t)
    if '"date"' in text:
        return t, EUNSUPPORTED
    return t, ERANGE if too_large(t) else None


def too_large(t, depth=0):
    if depth > 64:
        return True
    if isinstance(t, dict):
        return any(too_large(x, depth + 1) for x in t.values())
    if isinstance(t, list):
        return any(too_large(x, depth + 1) for x in t)
    return t.startswith("i:") and not -2**63 <= int(t[2:]) < 2**63


WORDS = ["a", "b", "c", "a.b", "a.b.c", '"a"', "'b'", "=", " = ", "[", "]", "[[", "]]", "{", "}", ",", "\n", "\n", "\n", "\r\n", " ", "\t", "#", "1", "0",
         "-1", "1.5", "1e3", "0x1f", "0o7", "0b1", "_", "true", "false", "inf", "nan", '"x"', "'y'", '"""', "'''", "\\", "\\n", "\\u0041", '"', "'",
         "[a]", "[a.b]", "[[a]]", "[[a.b]]", "a = 1", "b = [1, 2]", "c = {}", "a.b = {c = 1}", "x\x00", "\u00e9", "\x7f", "1979-05-27"]


def random_value(rng, depth=0):
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return str(rng.randint(-10**rng.randrange(20), 10**rng.randrange(20)))
    if kind == 1:
        return rng.choice(["true", "false", "0x1f", "0o17", "0b101", "1_000", "-0", "inf", "nan"])
    if kind == 2:
        return repr(rng.uniform(-1, 1) * 10.0**rng.randint(-30, 30))
    if kind == 3:
        return json.dumps("".join(rng.choice("ab \u00e9\U0001f600\n\t\"\\#='") for _ in range(rng.randrange(8))))
    if kind == 4:
        return "'" + "".join(rng.choice("ab \\\"#=") for _ in range(rng.randrange(6))) + "'"
    if kind == 5:
        q = rng.choice(['"""', "'''"])
        return q + "".join(rng.choice(["a", "\n", " ", '"', "'", "\\\n ", "\u00e9"]) for _ in range(rng.randrange(8))) + q
    if kind == 6:
        return "[" + rng.choice(["", "\n", " "]) + ", ".join(random_value(rng, depth + 1) for _ in range(rng.randrange(4))) + "]"
    if kind == 7:
        return "{" + ", ".join(f"{random_key(rng)} = {random_value(rng, depth + 1)}" for _ in range(rng.randrange(3))) + "}"
    return rng.choice(["[]", "{}", "''"])


def random_key(rng):
    return ".".join(rng.choice(["a", "b", "c", '"a"', "'d'", "1", "-"]) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))


def random_document(rng):
    if rng.random() < 0.3:
        return "".join(rng.choice(WORDS) for _ in range(rng.randrange(30))).encode("utf-8")
    lines = []
    for _ in range(rng.randrange(9)):
        kind = rng.randrange(8)
        if kind == 0:
            lines.append(f"[{random_key(rng)}]")
        elif kind == 1:
            lines.append(f"[[{random_key(rng)}]]")
        else:
            lines.append(f"{random_key(rng)} = {random_value(rng)}" + rng.choice(["", " # remark"]))
    doc = rng.choice(["\n", "\r\n"]).join(lines).encode()
    if rng.random() < 0.3 and doc:  # damaged
        i = rng.randrange(len(doc))
        doc = doc[:i] + rng.choice([b"", bytes([rng.randrange(256)]), b"]", b"\"", b"\n", b"."]) + doc[i + rng.randrange(2):]
    return doc


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40000
    docs = [d.encode() for d in AWKWARD.split("\n---\n")] + RAW
    for name in sorted(glob.glob(os.path.join(ROOT, "fuzz/corpus/toml/*"))) + [os.path.join(ROOT, "examples/assayd.toml")]:
        if os.path.exists(name):
            with open(name, "rb") as f:
                docs.append(f.read())
    rng = random.Random(20261201)
    docs += [random_document(rng) for _ in range(count)]
    stream = b"".join(struct.pack("<I", len(d)) + d for d in docs)
    lines = subprocess.run([DRIVER], input=stream, capture_output=True, check=True).stdout.decode().split("\n")
    assert len(lines) == len(docs) + 1, (len(lines), len(docs))
    problems, accepted, refused, excused = 0, 0, 0, 0
    for doc, line in zip(docs, lines):
        want, excuse = expected(doc)
        if line.startswith("ERROR"):
            status = int(line.split()[1])
            refused += 1
            excused += want is not None and status == excuse
            good = (want is None and (excuse is None or status in (ERANGE, EUNSUPPORTED))) or status == excuse
            good = good and line.split(" ", 2)[2].startswith("doc")
        else:
            accepted += 1
            got = json.loads(line)
            good = want is not None and got == want
        if not good:
            problems += 1
            if problems < 10:
                print("DIFFERENT", doc, "\n   ours", line[:300], "\n   tomllib", want, excuse)
    print(f"{accepted} accepted alike, {refused} refused alike, {excused} of them for a limit of ours; {problems} problems")
    assert accepted > len(docs) // 8 and refused > len(docs) // 8 and (excused > 3)
    return 1 if problems else 0


sys.exit(main())
