#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/clients.md shows works as it is shown: its commands for Python and Go are run after those of docs/daemon.md.
They fetch grpcio-tools from PyPI, and Go's plugins through the module proxy.
ctest: labels interop
ctest: timeout 900"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "daemon"))
sys.dont_write_bytecode = True
from assayd import Site, check, run  # noqa: E402
from test_docs import Checkout, commands, first_proof  # noqa: E402

LANGUAGES = ["Python", "Go"]


def main():
    os.environ["GOTOOLCHAIN"] = "local"
    if not shutil.which("go"):
        os.environ["PATH"] += ":/usr/local/go/bin"
    if not shutil.which("go"):
        print("not run: Go, which is not here")
        LANGUAGES.remove("Go")
    site = Site()
    try:
        checkout = Checkout(site)
        first_proof(checkout)
        for language in LANGUAGES:
            files = [os.path.join(checkout.at, x) for x in ("build/first/vkey.json", "public.json", "proof.json")]
            checkout.run(commands("clients.md", language))
            run("assay", "groth16", "verify", *files, "--development", "-q")
            for name in files[1:]:
                os.remove(name)
            check(not os.path.exists(files[2]))
            print("ok", language)
    finally:
        site.remove()
    return 0


sys.exit(main())
