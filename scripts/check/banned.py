#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Banned functions and constructs, by folder. Each rule says why."""
import re
import sys

import source

# (pattern, reason, folders it holds in, files it does not hold in)
LIBRARY = ["src/base", "src/field", "src/hash", "src/curve", "src/backend", "src/poly", "src/commit", "src/iop",
           "src/model", "src/cp", "src/groth16", "src/daemon"]
RULES = [
    (r"\b(malloc|calloc|realloc|aligned_alloc|posix_memalign|free|strdup|strndup|asprintf)\s*\(",
     "allocation goes through base/mem.h", ["src"], ["src/base/mem.c"]),
    (r"\b(strcpy|strcat|strncat|sprintf|vsprintf|gets|strtok|alloca)\s*\(", "unbounded or stateful",
     ["src", "fuzz", "examples"], []),
    (r"\b(atoi|atol|atoll|atof|scanf|sscanf|fscanf)\s*\(", "cannot report a bad number: use strtoll or a parser",
     ["src", "fuzz", "examples"], []),
    (r"\b(rand|srand|random|drand48)\s*\(", "randomness comes from hash/random.h", ["src"], []),
    (r"\b(system|popen|setjmp|longjmp|signal)\s*\(", "not in this code base", ["src"], []),
    (r"\b(exit|_exit|_Exit|quick_exit|abort|assert)\s*\(", "a library returns a status", LIBRARY, []),
    (r"\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror)\s*\(|\b(stdout|stderr)\b", "a library does not print",
     LIBRARY, []),
    (r"\bgoto\s+(?!out\s*;)", "the one label is `out`", ["src"], []),
    (r"\b(float|double)\b", "no floating point where values enter a statement or a transcript",
     ["src/field", "src/hash", "src/backend", "src/poly"], []),
    (r"^[ \t]*#[ \t]*(if|elif)\b(?!.*__cplusplus)", "conditionals belong in src/base",
     [f for f in LIBRARY + ["src/cli"] if f != "src/base"], []),
    (r"^[ \t]*#[ \t]*ifdef\b(?!.*__cplusplus)", "conditionals belong in src/base",
     [f for f in LIBRARY + ["src/cli"] if f != "src/base"], []),
    (r"\b(TODO|FIXME|XXX)\b", "open ends go to the issue tracker", ["src", "include", "tests", "fuzz", "bench"], []),
]

SPDX = "/* SPDX-License-" + "Identifier: Apache-2.0 */\n"  # in two parts: this line is not a tag


def main():
    problems, names = [], source.files("src", "include", "tests", "fuzz", "bench", "examples")
    for name in names:
        whole, stripped = source.text(name), source.code(name)
        for pattern, reason, folders, exempt in RULES:
            if "conditionals" in reason and name.endswith(".tmpl.h"):
                continue  # a template asks for its parameters
            if name in exempt or not any(name.startswith(f + "/") for f in folders):
                continue
            for m in re.finditer(pattern, whole if "TODO" in pattern else stripped, re.M):
                line = (whole if "TODO" in pattern else stripped).count("\n", 0, m.start()) + 1
                problems.append(f"{name}:{line}: {m.group(0).strip()} ({reason})")
        if not whole.startswith(SPDX):
            problems.append(f"{name}:1: the first line must be the SPDX tag")
    return source.report("banned", problems, len(names))


sys.exit(main())
