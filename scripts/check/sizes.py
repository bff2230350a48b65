#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""File and function sizes. Longer ones stand in sizes_allowed.txt as `path lines` or `path:function lines`; an entry may
only shrink: when the file has become shorter, the entry must follow. Generated files (*_gen.c, *_vectors.h) are exempt."""
import os
import re
import sys

import source

MAX_FILE, MAX_FUNCTION = 600, 120


def measures(name):
    """(key, lines, limit) of the file and of each function; functions begin and end with a brace in column 0."""
    lines = source.text(name).split("\n")
    yield name, len(lines) - 1, MAX_FILE
    start = head = None
    for i, line in enumerate(lines):
        if line == "{" and start is None:
            j = i - 1
            while j > 0 and lines[j - 1].strip() and lines[j - 1][0] not in "}#/*" and not lines[j - 1].rstrip().endswith(";"):
                j -= 1
            m = re.search(r"(\w+)\s*\(", " ".join(lines[j:i]))
            start, head = j, m.group(1) if m else f"line{i}"
        elif line.startswith("}") and start is not None:
            yield f"{name}:{head}", i - start + 1, MAX_FUNCTION
            start = None


def main():
    allowed = {}
    path = os.path.join(source.ROOT, "scripts/check/sizes_allowed.txt")
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                key, n = line.split()
                allowed[key] = int(n)
    problems, names = [], source.files("src", "include", "tests", "fuzz", "bench", "examples")
    names = [n for n in names if not n.endswith(("_gen.c", "_gen.h", "_vectors.h"))]
    for name in names:
        for key, n, limit in measures(name):
            bound = allowed.pop(key, None)
            if bound is None and n > limit:
                problems.append(f"{key}: {n} lines, at most {limit}")
            elif bound is not None and n > bound:
                problems.append(f"{key}: grew from {bound} to {n} lines")
            elif bound is not None and (n < bound or n <= limit):
                problems.append(f"{key}: now {n} lines: lower or remove its entry in sizes_allowed.txt")
    problems += [f"{key}: is gone: remove its entry in sizes_allowed.txt" for key in allowed]
    return source.report("sizes", problems, len(names))


sys.exit(main())
