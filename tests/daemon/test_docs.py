#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/daemon.md shows under "A first proof" works as it is shown: its commands are run, in order, in one shell.
ctest: labels nosan
ctest: timeout 600"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assayd import BIN, BUILD, ROOT, Site, check  # noqa: E402


def commands(document, heading=None):
    """The indented lines of a document, or of one of its sections."""
    with open(os.path.join(ROOT, "docs", document), encoding="utf-8") as f:
        text = f.read()
    if heading:
        text = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    found = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    check(len(found) > 3, document, heading, "has no commands")
    return found


class Checkout:
    """A folder that looks like the repository's root after a build, and a daemon for it."""

    def __init__(self, site):
        self.at = site.path("root")
        os.makedirs(os.path.join(self.at, "build"))
        for name in ("proto", "examples"):
            os.symlink(os.path.join(ROOT, name), os.path.join(self.at, name))
        for name in ("bin", "bench"):
            os.symlink(os.path.join(BUILD, name), os.path.join(self.at, "build", name))
        d = site.start("--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0", own_listen=True, own_page=True)
        port, page = (re.search(rf" {event} .*port=(\d+)", d.log()).group(1) for event in ("listening", "status_listening"))
        self.here = {"127.0.0.1:9820": f"127.0.0.1:{port}", "127.0.0.1:9821": f"127.0.0.1:{page}", "/var/lib/assay": site.work,
                     "cmake --build build ": f"cmake --build {BUILD} "}

    def run(self, lines):
        text = "\n".join(lines)
        for there, here in self.here.items():
            check(there in text or there != "127.0.0.1:9820", "the daemon's address is not in", text)
            text = text.replace(there, here)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.at, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "ended with", done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout


def first_proof(checkout):
    lines = commands("daemon.md", "A first proof")
    if not shutil.which("curl"):
        print("not run, for want of curl:", *[x for x in lines if x.startswith("curl")])
        lines = [x for x in lines if not x.startswith("curl")]
    said = checkout.run(lines).split("\n")
    check("OK" in said and "YES" in said, said)


def main():
    if not os.access(os.path.join(BUILD, "bench", "make_circuit"), os.X_OK):
        print(f"skipped: {BIN}/../bench/make_circuit is not built")
        return 77
    site = Site()
    try:
        first_proof(Checkout(site))
    finally:
        site.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
