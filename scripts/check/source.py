# SPDX-License-Identifier: Apache-2.0
"""Reading C sources for the checks: files of the tree, and their text without comments and strings."""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def files(*folders, suffixes=(".c", ".h")):
    """Tracked files under the folders, relative to the root; all files where there is no git."""
    try:
        out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--", *folders], check=True, capture_output=True)
        names = out.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(d, f), ROOT)
                 for folder in folders for d, _, fs in os.walk(os.path.join(ROOT, folder)) for f in fs]
    return sorted(n for n in names if n.endswith(suffixes) and os.path.exists(os.path.join(ROOT, n)))


def text(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def code(name):
    """The text with comments blanked and string contents removed; line numbers are kept."""
    def blank(m):
        t = m.group(0)
        return t[0] + t[0] if t[0] in "\"'" else " " + "\n" * t.count("\n")
    return _TOKEN.sub(blank, text(name))


def report(name, problems, checked):
    for p in problems:
        print(p)
    print(f"{name}: {checked} files, {len(problems)} problems")
    return 1 if problems or not checked else 0
