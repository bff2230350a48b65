#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Layer check: a folder may include only what the table allows, by rooted paths, without cycles among folders."""
import os
import re
import sys

import source

BELOW_BACKEND = ["base", "field", "hash", "curve"]
BELOW_IOP = BELOW_BACKEND + ["backend", "poly", "commit"]
ALLOWED = {
    "base": [],
    "field": ["base"],
    "hash": ["base", "field"],
    "curve": ["base", "field"],
    "backend": BELOW_BACKEND,
    "poly": BELOW_BACKEND + ["backend"],
    "commit": BELOW_BACKEND + ["backend", "poly"],
    "iop": BELOW_IOP,
    "model": BELOW_BACKEND + ["backend"],
    "cp": BELOW_IOP + ["iop", "model"],
    "groth16": BELOW_BACKEND + ["backend", "poly"],
    "engine": BELOW_IOP + ["iop", "model", "cp", "groth16", "circuit"],
    "daemon": BELOW_IOP + ["iop", "model", "cp", "groth16", "circuit", "engine"],
    "cli": BELOW_IOP + ["iop", "model", "cp", "groth16", "circuit", "engine", "daemon"],
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def main():
    problems, names = [], source.files("src", "include")
    for name in names:
        parts = name.split("/")
        for target in INCLUDE.findall(source.text(name)):
            where = f"{name}: includes \"{target}\""
            folder = target.split("/")[0]
            if folder == "assay":
                if not os.path.exists(os.path.join(source.ROOT, "include", target)):
                    problems.append(f"{where}: no such public header")
            elif parts[0] == "include":
                problems.append(f"{where}: a public header includes only public headers")
            elif not os.path.exists(os.path.join(source.ROOT, "src", target)):
                problems.append(f"{where}: not a path rooted at src/")
            elif parts[1] not in ALLOWED:
                problems.append(f"{name}: folder src/{parts[1]} is not in the table of layers")
            elif folder != parts[1] and folder not in ALLOWED[parts[1]]:
                problems.append(f"{where}: src/{parts[1]} may not include src/{folder}")
    return source.report("layers", problems, len(names))


sys.exit(main())
