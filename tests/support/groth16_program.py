# SPDX-License-Identifier: Apache-2.0
"""Drives `assay groth16 ...` in tests: every run is bounded in time and address space; a refusal is one line that names what
it must name, with the right exit code, and leaves nothing behind."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASSAY = os.path.join(os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build/bin")), "assay")
SANITIZED = "ASAN_OPTIONS" in os.environ
ADDRESS_SPACE = 2 << 30  # the files here are small: what asks for more has believed a count
SECONDS = 120            # of a busy machine; alone it is a small part of one

DONE, NO, UNUSABLE, MEMORY, OUTPUT, UNSATISFIED = 0, 1, 2, 3, 4, 9  # exit codes

if not os.access(ASSAY, os.X_OK):
    print(f"skipped: {ASSAY} is not built")
    sys.exit(77)


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Program:
    """A scratch folder, and checks that end the test at the first failure."""

    def __init__(self):
        self.work = tempfile.mkdtemp()
        self.passed = 0

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, data):
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w") as f:
            f.write(data)
        return self.path(name)

    def run(self, *args):
        done = subprocess.run([ASSAY, "groth16", *map(str, args)], capture_output=True, stdin=subprocess.DEVNULL,
                              preexec_fn=limit, timeout=SECONDS)
        self.code = done.returncode
        self.out, self.err = (x.decode("utf-8", "replace") for x in (done.stdout, done.stderr))
        return self.code

    def fail(self, what, why):
        shutil.rmtree(self.work, ignore_errors=True)
        sys.exit(f"FAILED: {what}: {why}\n  exit code {self.code}\n  stdout: {self.out[-800:]!r}\n  stderr: {self.err[-800:]!r}")

    def check(self, good, what, why="not so"):
        if not good:
            self.fail(what, why)
        self.passed += 1

    def works(self, what, *args):
        self.check(self.run(*args) == DONE, what, "does not work")

    def refused(self, what, code, pattern, *args, leaves=()):
        """The exit code (or one of several), one line on stderr like the pattern, and none of the files in `leaves`."""
        before = set(os.listdir(self.work))
        codes = code if isinstance(code, tuple) else (code,)
        if self.run(*args) not in codes:
            self.fail(what, f"exit code is not in {codes}")
        lines = [x for x in self.err.splitlines() if "INSECURE DEVELOPMENT KEY" not in x]
        if len(lines) != 1 or len(lines[0]) > 700:
            self.fail(what, "not exactly one line on stderr")
        if not re.search(pattern, lines[0]):
            self.fail(what, f"no word of {pattern!r}")
        left = [p for p in leaves if os.path.exists(p)] + sorted(set(os.listdir(self.work)) - before)
        if left:
            self.fail(what, f"left behind: {left}")
        self.passed += 1
        print(f"ok: {what}: {lines[0].replace(self.work, '')[:180]}")

    def invalid(self, what, pattern, *args):
        """A verdict: exit code 1, last line INVALID: reason."""
        if self.run(*args) != NO:
            self.fail(what, "exit code is not 1")
        last = (self.out.splitlines() or [""])[-1]
        if not re.match(r"INVALID: .", last) or not re.search(pattern, last):
            self.fail(what, f"last line is not INVALID: ...{pattern}")
        if self.err:
            self.fail(what, "words on stderr")
        self.passed += 1
        print(f"ok: {what}: {last[:180]}")

    def finish(self):
        shutil.rmtree(self.work, ignore_errors=True)
        print(f"{self.passed} passed, 0 failed")
