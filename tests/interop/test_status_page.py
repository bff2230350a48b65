#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The status page in headless Chromium, and /metrics as promtool reads it.
ctest: labels interop
ctest: timeout 300
Skipped when one of them is not installed.
"""
import html.parser
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

BUILD = os.environ.get("ASSAY_BINARY_DIR", "build")
HOSTILE = "<img/src=x/onerror=document.title='owned'>\"';--&amp;</script>"
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        raise SystemExit(f"FAILED: {what}")


class Page(html.parser.HTMLParser):
    """Texts, titles and classes of the elements of a document."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.skip = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        e = dict(attrs, tag=tag, text="", inside=[o.get("id") for o in self.open])
        self.elements.append(e)
        if tag not in ("meta", "link", "br", "img", "input"):
            self.open.append(e)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for e in self.open:
            e["text"] += data

    def all(self, tag, inside=None, **attrs):
        return [e for e in self.elements if e["tag"] == tag and (inside is None or inside in e["inside"])
                and all(e.get(k.rstrip("_")) == v for k, v in attrs.items())]

    def id(self, name):
        return next(e for e in self.elements if e.get("id") == name)


def visit(port, work):
    """The document as it is after some polls, and what the browser had to complain of."""
    r = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
         f"--user-data-dir={work}", "--window-size=1400,2000", "--virtual-time-budget=5000", "--dump-dom", f"http://127.0.0.1:{port}/"],
        capture_output=True, text=True, timeout=120, env=dict(os.environ, HOME=work))
    complaints = [line for line in r.stderr.splitlines() if "CONSOLE" in line and "503" not in line]
    check(r.returncode == 0 and "</html>" in r.stdout, f"Chromium: {r.stderr[-500:]}")
    check(not complaints, f"the page complains: {complaints}")
    return Page(r.stdout)


def busy(page):
    check(page.all("title")[0]["text"] == "assayd: 3 running, 37 waiting", "the title is the page's own")
    check(not page.all("img") and len(page.all("script")) == 1, "no element came from a name")
    rows = page.all("tr", "jobs")
    check(len(rows) == 20, f"{len(rows)} jobs")
    check(any(HOSTILE in r["text"] for r in rows), "a hostile id is text in the table")
    check(any(HOSTILE in e["text"] for e in page.all("div", "fall")) and any(HOSTILE in e["text"] for e in page.all("div", "workers")), "and elsewhere")
    check(any("the witness <b>breaks</b> the circuit" in r["text"] for r in rows) and not page.all("b", "jobs"), "an error is text too")
    check("8 partition workers" in page.id("why")["text"] and "killed for want of memory" in page.id("advice")["text"], "sentences")
    check(len([e for e in page.all("div", "workers") if (e.get("class") or "").startswith("worker ")]) == 8, "worker cards")
    lanes = page.all("div", "fall", class_="lane")
    check(len(lanes) == 9 + 2 + 1 + 6, f"{len(lanes)} lanes")
    check(len(page.all("i", "fall", class_="s-failed")) == 1 and len(page.all("i", "fall", class_="s-prove")) >= 5, "bars")
    check(len(page.all("rect", "rate")) == 120, "minutes")
    widths = [float(e["style"].split("width:")[1].split("%")[0]) for e in page.all("i", "gauge")]
    check([round(w) for w in widths] == [1, 27, 52], f"the gauge: {widths}")
    check(len(page.all("tr", "keys")) == 4 and len(page.all("tr", "kinds")) == 2, "tables")
    check(page.id("state")["text"] == "ready" and "hidden" in page.id("lost"), "no banner")


def main():
    for program in ("chromium", "promtool"):
        if not shutil.which(program):
            print(f"skipped: {program} is not there (scripts/deps.sh --interop installs it)")
            return 77
    p = subprocess.Popen([os.path.join(BUILD, "tests/drivers/test_status"), "127.0.0.1:0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(p.stdout.readline().split()[1])

    def say(word):
        p.stdin.write(word + "\n")
        p.stdin.flush()
        check(p.stdout.readline().strip() == word, word)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        busy(visit(port, work))
        say("empty")
        page = visit(port, work)
        check(not page.all("tr", "jobs") and "hidden" not in page.id("no-jobs") and "hidden" not in page.id("no-workers"), "an idle engine")
        check("No job waits" in page.id("advice")["text"], "its advice")
        say("gone")
        page = visit(port, work)
        check("hidden" not in page.id("lost") and "Connection lost" in page.id("lost")["text"] and "503" in page.id("lost")["text"], "the banner")
        check(page.id("state")["text"] == "no connection" and page.all("body")[0].get("class") == "stale", "the state")
    for word in ("busy", "empty"):
        say(word)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as r:
            text = r.read()
        lint = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
        check(lint.returncode == 0 and not lint.stdout + lint.stderr, f"promtool: {(lint.stdout + lint.stderr).decode()}")
    p.stdin.close()
    check(p.wait(20) == 0, "exit code")
    print(f"{checks} checks")
    return 0


sys.exit(main())
