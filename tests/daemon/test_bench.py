#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""assay-bench against a true assayd: every subcommand, what is refused, and a small sweep with daemons of its own.
ctest: labels nosan
ctest: timeout 900"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assayd import BIN, Blocked, Site, check, run  # noqa: E402


class Bench:
    def __init__(self, site, d):
        self.site, self.address = site, d.address

    def __call__(self, command, *args, code=0):
        return run("assay-bench", command, "-a", self.address, *args, code=code)

    def json(self, command, *args, code=0):
        return json.loads(self(command, *args, "--json", code=code).stdout.splitlines()[-1])


def one_line(done, *words):
    lines = done.stderr.splitlines()
    check(len(lines) == 1 and lines[0].startswith("assay-bench") and all(w in lines[0] for w in words), done.stderr)


def test_single(site, bench, witness, other):
    files = [site.path(x) for x in ("vk.json", "public.json", "proof.json")]
    run("assay", "groth16", "export-vkey", os.path.join(site.circuits, "small.zkey"), files[0], "--development", "-q")
    m = bench.json("single", "--circuit", "small", "--witness", witness, "-o", files[2], "--public-out", files[1])
    check(m["completed"] and m["proof_bytes"] == os.path.getsize(files[2]) and m["wall_ms"] >= m["total_ms"], m)
    run("assay", "groth16", "verify", *files, "--development", "-q")
    done = bench("single", "--circuit", "small", "--witness", witness)
    check("proving" in done.stdout and not done.stderr, done)
    # A job that fails in the daemon, one that it refuses, and options that do not belong together.
    one_line(bench("single", "--circuit", "small", "--witness", other, code=1), "the job failed")
    check(bench.json("single", "--circuit", "small", "--witness", other, code=1)["completed"] is False)
    one_line(bench("single", "--circuit", "none", "--witness", witness, code=2), "NOT_FOUND", "none")
    one_line(bench("single", "--circuit", "small", "--witness", site.path("short.w"), code=2), "INVALID_ARGUMENT", "witness")
    one_line(bench("single", "--circuit", "small", code=2), "--witness")
    one_line(bench("single", "--circuit", "small", "--committed", "tiny", code=2), "one of")
    one_line(bench("single", "--circuit", "small", "--witness", witness, "--c1", witness, code=2), "--c1", "--type")
    one_line(bench("single", "--circuit", "small", "--witness", site.path("nothing"), code=2), "nothing")
    one_line(bench("single", "--type", "porep", "--c1", witness, code=1), "not built")
    with open(site.path("vanilla.json"), "w") as f:
        json.dump(["AAECAwQ=", "AAEC"], f)
    for kind in ("snap", "wpost", "winning"):
        one_line(bench("single", "--type", kind, "--vanilla", site.path("vanilla.json"), "--randomness", "01" * 32, code=1), "not built")
    for bad in ('["AAE"]', '["*AAA"]', "[]", '{"a": 1}', "[1]", "x"):
        with open(site.path("bad.json"), "w") as f:
            f.write(bad)
        one_line(bench("single", "--type", "snap", "--vanilla", site.path("bad.json"), code=2), "bad.json")
    one_line(bench("single", "--type", "wpost", "--vanilla", site.path("vanilla.json"), "--randomness", "0x1", code=2), "64")


def test_batch(site, bench, witness, other):
    m = bench.json("batch", "--circuit", "small", "--witness", witness, "--witness", witness, "-c", 5, "-j", 3)
    check(m["completed"] == 5 and m["failed"] == 0 and m["proofs_per_hour"] > 0, m)
    check(0 < m["wall_min_seconds"] <= m["wall_median_seconds"] <= m["wall_p95_seconds"] <= m["wall_max_seconds"] <= m["seconds"], m)
    check(m["job_peak_bytes"] > 0, m)
    check("5 proofs in" in bench("batch", "--circuit", "small", "--witness", witness, "-c", 5).stdout)
    m = bench.json("batch", "--circuit", "small", "--witness", other, "-c", 2, code=1)
    check(m["completed"] == 0 and m["failed"] == 2 and m["error"], m)


def test_reply(site, bench):
    site.reply()
    m = bench.json("single", "--committed", "tiny", "--req", site.path("F.req"), "--y", site.path("F.y"), "-o", site.path("F.proof"))
    check(m["completed"] and m["proof_bytes"] > 0, m)
    folder = os.path.join(site.models, "tiny")
    with open(os.path.join(folder, "ID.txt")) as f:
        run("cp_verify", os.path.join(folder, "config"), os.path.join(folder, "ivk"), *[site.path("F." + x) for x in ("req", "y", "proof")],
            "-id", f.read().strip())


def test_operators(site, d, bench, slow_witness):
    check(bench.json("preload", "small")["already_loaded"] is True)
    check(bench.json("evict", "small")["was_loaded"] is True)
    check(bench.json("evict", "small")["was_loaded"] is False)
    check("loaded in" in bench("preload", "small").stdout)
    one_line(bench("preload", "none", code=2), "NOT_FOUND", "no such circuit or model")
    status = bench.json("status")
    check(status["total_proofs_completed"] >= 5 and [k for k in status["keys"] if k["name"] == "small"], status)
    check(status["memory_limit_bytes"] > 0 and status["workers"], status)
    check("proofs completed" in bench("status").stdout)
    check("# TYPE assay_" in bench("metrics").stdout and bench.json("metrics")["prometheus_text"])
    one_line(bench("cancel", "no-such-job", code=2), "NOT_FOUND")
    with open(slow_witness, "rb") as f:
        witness = f.read()
    with Blocked(d, witness):
        check(d.groth16("to-cancel", [witness], circuit="slow")[0] == "OK")
        check(bench.json("cancel", "to-cancel")["was_running"] is False)
    one_line(run("assay-bench", "status", "-a", "unix://" + site.path("nobody"), code=2), "nobody")


def test_sweep(site, witness):
    """Other daemons run on a machine where tests run, so it is measured beside them."""
    sweep = ["sweep", "--circuits", site.circuits, "--circuit", "small", "--witness", witness, "--partition-workers", "1,2",
             "--gpu-workers", "1,2", "--memory", "4GiB", "-c", "3"]
    done = run("assay-bench", *sweep, "--force", "--csv", site.path("s.csv"), "--svg", site.path("s.svg"))
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    check(len([r for r in rows if r.endswith("| 3 | 0 |")]) == 4, done.stdout)
    check("2 GPU workers: peak = " in done.stdout and "all: peak" in done.stdout, done.stdout)
    with open(site.path("s.csv")) as f:
        lines = [line.split(",") for line in f.read().splitlines()]
    check([x[:2] for x in lines[1:]] == [["1", "1"], ["2", "1"], ["1", "2"], ["2", "2"]], lines)
    check(all(int(x[2]) > 4 << 20 and float(x[4]) > 0 for x in lines[1:]), lines)
    check(xml.etree.ElementTree.parse(site.path("s.svg")).getroot().tag.endswith("svg"))
    one_line(run("assay-bench", *sweep, code=2), "--force")  # the daemon of these tests runs still
    one_line(run("assay-bench", *sweep, "--force", "--partition-workers=1,", code=2), "option given twice")
    for bad in ("1,", "0", "1;2", "", "5000", "+1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"):
        one_line(run("assay-bench", *sweep[:7], "--force", f"--partition-workers={bad}", code=2), "list")
    left = subprocess.run(["sh", "-c", "ls -d /tmp/assay-bench-* 2>/dev/null"], capture_output=True, text=True, check=False).stdout
    check(not [x for x in left.split() if os.stat(x).st_uid == os.getuid() and os.path.isdir(x) and not os.listdir(x)], left)


def main():
    site = Site()
    try:
        check(os.path.exists(os.path.join(BIN, "assayd")))
        good = site.circuit("small", 60, [3])[0]
        slow = site.circuit("slow", 30000, [3])[0]
        wrong = good[:-32] + bytes([good[-32] ^ 1]) + good[-31:]  # the last wire has another value
        for name, data in (("good", good), ("slow", slow), ("wrong", wrong), ("short", good[:-1])):
            with open(site.path(name + ".w"), "wb") as f:
                f.write(data)
        site.model()
        d = site.start("--memory", "4GiB", "--log-level", "debug")
        bench = Bench(site, d)
        witness, other = site.path("good.w"), site.path("wrong.w")
        for name, test in (("single", lambda: test_single(site, bench, witness, other)),
                           ("batch", lambda: test_batch(site, bench, witness, other)), ("reply", lambda: test_reply(site, bench)),
                           ("operators", lambda: test_operators(site, d, bench, site.path("slow.w"))),
                           ("sweep", lambda: test_sweep(site, witness))):
            test()
            print("ok", name, flush=True)
    finally:
        site.remove()
    return 0


sys.exit(main())
