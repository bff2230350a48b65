#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The files of deploy/: dashboard and alerts ask for metrics that there are, the entry point chooses as it says, unit and
Dockerfile agree with the configuration. With promtool and systemd-analyze, where they are, also what these say."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request

ROOT = os.environ.get("ASSAY_SOURCE_DIR", ".")
BUILD = os.environ.get("ASSAY_BINARY_DIR", "build")
DEPLOY = os.path.join(ROOT, "deploy")
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        raise SystemExit(f"FAILED: {what}")


def text(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as f:
        return f.read()


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def served_metrics():
    """{name: labels} of all series that a busy daemon has, and of families."""
    p = subprocess.Popen([os.path.join(BUILD, "tests/drivers/test_status"), "127.0.0.1:0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(p.stdout.readline().split()[1])
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as r:
        lines = r.read().decode().splitlines()
    p.stdin.close()
    p.wait(20)
    series = {}
    for line in lines:
        if not line.startswith("#"):
            m = re.match(r"(\w+)(?:\{(.*)\})? ", line)
            series.setdefault(m.group(1), set()).update(re.findall(r'(\w+)="', m.group(2) or ""))
    return series


def dashboard(work):
    board, series = json.loads(text("grafana/assay.json")), served_metrics()
    expressions = [t["expr"] for p in board["panels"] for t in p["targets"]]
    for e in expressions + [v["query"]["query"] for v in board["templating"]["list"] if v["type"] == "query"]:
        names = re.findall(r"\b(?:assay|cuzk)_\w+", e)
        check(names, f"a metric in {e}")
        for name in names:
            check(name in series, f"{name} of the dashboard is served")
        for label in re.findall(r"by \((\w+)\)", e):
            check(any(label in series[n] for n in names), f"label {label} of {e}")
    for p in board["panels"]:
        for t in p["targets"]:
            for label in re.findall(r"\{\{(\w+)\}\}", t["legendFormat"]):
                check(f"({label})" in t["expr"] or label in series[re.search(r"assay_\w+", t["expr"]).group()], f"{{{{{label}}}}} in a legend")
    for name in re.findall(r"\bassay_\w+", text("prometheus/assay.rules.yml")):
        check(name in series, f"{name} of the alerts is served")
    check(len({p["id"] for p in board["panels"]}) == len(board["panels"]) > 10, "panels have ids of their own")
    places = [p["gridPos"] for p in board["panels"]]
    for i, a in enumerate(places):
        check(a["x"] + a["w"] <= 24, "a panel is inside")
        for b in places[:i]:
            check(a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"] or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"], "panels do not overlap")
    if shutil.which("promtool"):
        path = os.path.join(work, "rules.json")
        rules = [{"record": f"r:{i}", "expr": e.replace("$__rate_interval", "5m").replace("$instance", ".*")} for i, e in enumerate(expressions)]
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, f)
        for rules in (path, os.path.join(DEPLOY, "prometheus/assay.rules.yml")):
            r = run("promtool", "check", "rules", rules)
            check(r.returncode == 0, f"promtool: {r.stdout}{r.stderr}")
    else:
        print("promtool is not here: expressions were not parsed")


def entrypoint(work):
    """In a made-up file system: a copy of the script with other paths, and an assayd that says how it was called."""
    script = text("entrypoint.sh")
    for place in ("/etc/assay/assayd.toml", "/run/secrets/assay-token", "/run/assay/assayd.toml", "/sys/fs/cgroup/memory.max"):
        check(script.count(place) >= 1, f"{place} in entrypoint.sh")
        script = script.replace(place, os.path.join(work, place.replace("/", "_")))
    path = {p: os.path.join(work, p.replace("/", "_")) for p in ("/etc/assay/assayd.toml", "/run/secrets/assay-token", "/run/assay/assayd.toml", "/sys/fs/cgroup/memory.max")}
    with open(os.path.join(work, "entry"), "w", encoding="utf-8") as f:
        f.write(script)
    with open(os.path.join(work, "assayd"), "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nfor a in "$@"; do echo "<$a>"; done\n')
    os.chmod(os.path.join(work, "assayd"), 0o755)

    def enter(*args):
        return run("sh", os.path.join(work, "entry"), *args, env={"PATH": work + ":/usr/bin:/bin"})

    def put(name, value):
        with open(path[name], "w", encoding="utf-8") as f:
            f.write(value)

    def made():
        with open(path["/run/assay/assayd.toml"], "rb") as f:
            config = tomllib.load(f)
        r = run(os.path.join(BUILD, "tests/drivers/config_tool"), path["/run/assay/assayd.toml"])
        check(r.stdout == "good\n", f"the configuration that it makes: {r.stdout}")
        return config

    r = enter("--memory", "a b")
    check(r.stdout == f"<--config>\n<{path['/run/assay/assayd.toml']}>\n<--memory>\n<a b>\n", f"arguments: {r.stdout}{r.stderr}")
    check(made() == {"daemon": {"listen": ["unix:///run/assay/assayd.sock"]}} and "no token" in r.stderr, "without a token: the socket only")
    check("no memory limit" in r.stderr, r.stderr)
    put("/sys/fs/cgroup/memory.max", "max\n")
    check("no memory limit" in enter().stderr, "no limit")
    put("/sys/fs/cgroup/memory.max", "34359738368\n")
    check("a memory limit of 32768 MiB" in enter().stderr, "a limit")
    put("/run/secrets/assay-token", "")
    check(enter().returncode == 2, "an empty token is an error")
    put("/run/secrets/assay-token", "secret token\n")
    r = enter()
    config = made()
    check(config["daemon"]["listen"] == ["unix:///run/assay/assayd.sock", "0.0.0.0:9820"] and config["daemon"]["status_listen"] == "0.0.0.0:9821"
          and config["auth"]["token_file"] == path["/run/assay/assayd.toml"] + ".token", "with a token: the ports")
    with open(config["auth"]["token_file"], encoding="utf-8") as f:
        check(f.read() == "secret token\n" and os.fstat(f.fileno()).st_mode & 0o077 == 0, "a copy that is its own alone")
    check("secret token" not in r.stdout + r.stderr + str(config), "the token is not shown")
    check(os.stat(path["/run/assay/assayd.toml"]).st_mode & 0o077 == 0, "its mode")
    # the health check: what the daemon says of its configuration decides
    with open(os.path.join(work, "assay-bench"), "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nfor a in "$@"; do echo "<$a>"; done\n')
    with open(os.path.join(work, "assayd"), "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\n[ "$1 $3" = "--config --print-config" ] && cat "$2" || for a in "$@"; do echo "<$a>"; done\n')
    os.chmod(os.path.join(work, "assay-bench"), 0o755)
    for listen, token, want in (('"unix:///run/assay/assayd.sock", "0.0.0.0:9820"', "/t k", ["unix:///run/assay/assayd.sock", "/t k"]),
                                ('"0.0.0.0:9820", "unix:///x"', "", ["unix:///x"]), ('"0.0.0.0:9820"', "", ["127.0.0.1:9820"]),
                                ('"[::]:9820", "10.0.0.1:1"', "", ["[::1]:9820"])):
        put("/run/assay/assayd.toml", f'[daemon]\nlisten = [{listen}]\nstatus_listen = "0.0.0.0:1"\n[auth]\ntoken_file = "{token}"\n')
        words = ["status", "--quiet", "--addr", want[0]] + (["--token-file", want[1]] if token else [])
        r = enter("health")
        check(r.stdout == "".join(f"<{w}>\n" for w in words), f"health: {r.stdout}{r.stderr}")
    put("/etc/assay/assayd.toml", "")
    check(enter("-x").stdout == f"<--config>\n<{path['/etc/assay/assayd.toml']}>\n<-x>\n", "the operator's configuration")
    check(enter("--config", "c").stdout == "<--config>\n<c>\n" and enter("--config=c").stdout == "<--config=c>\n" and enter("--help").stdout == "<--help>\n", "its own arguments")


def unit(work):
    service, docker = text("systemd/assayd.service"), text("Dockerfile")
    values = dict(re.findall(r"^(\w+)=(.*)$", service, re.M))
    check(values["Type"] == "notify" and values["KillMode"] == "mixed" and values["MemorySwapMax"] == "0" and values["LimitCORE"] == "0", "the unit")
    defaults = run(os.path.join(BUILD, "tests/drivers/config_tool"), "--example").stdout
    check('drain_timeout = "10m"' in defaults and values["TimeoutStopSec"] == "11min", "it waits longer than the daemon drains")
    check('"unix:///run/assay/assayd.sock"' in defaults and values["RuntimeDirectory"] == "assay", "the folder of the socket")
    check('path = "/var/lib/assay/queue.sqlite"' in defaults and values["StateDirectory"] == "assay", "the folder of the queue")
    check("USER assay" in docker and re.search(r'^HEALTHCHECK .* CMD \["/usr/local/bin/assay-entrypoint", "health"\]$', docker, re.M), "the Dockerfile")
    if not shutil.which("systemd-analyze"):
        print("systemd-analyze is not here: the unit was not verified")
        return
    program = os.path.join(work, "bin", "assayd")
    os.makedirs(os.path.dirname(program))
    shutil.copy("/bin/true", program)
    path = os.path.join(work, "assayd.service")
    with open(path, "w", encoding="utf-8") as f:
        f.write(service.replace("@bindir@", os.path.dirname(program)))
    r = run("systemd-analyze", "verify", "--man=no", path)
    complaints = [line for line in r.stderr.splitlines() if "assayd.service" in line]
    check(not complaints, f"systemd-analyze verify: {complaints}")
    r = run("systemd-analyze", "security", "--offline=true", "--threshold=30", path)
    check(r.returncode == 0 and "OK" in r.stdout, f"systemd-analyze security: {r.stdout[-300:]}{r.stderr}")


def main():
    with tempfile.TemporaryDirectory() as work:
        dashboard(work)
        entrypoint(work)
        unit(work)
    print(f"{checks} checks")


sys.exit(main())
