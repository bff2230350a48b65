#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Assay's Groth16 beside its peers, in one run: whole processes, taken in turns, medians of N. See README.md.

    compare.py DIR [--runs N] [--cases NAME...] [--steps prove verify setup memory] [--without PEER...] [--csv FILE]

DIR is what make_cases.sh made. Peers: snarkjs from DIR/tools; rapidsnark where RAPIDSNARK names the folder of its programs
`prover` and `verifier`; ark-groth16 where ARK_PEER names the program of the folder ark/. ASSAY_BIN: the folder of `assay`.
Wall and CPU seconds come from the kernel for each child. Peak memory is the kernel's high-water mark; the one of a small
process is taken through GNU time, since a child of Python begins with Python's own. Every proof is verified."""
import argparse
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = ["merkle20", "poseidon_chain500", "sha256_64B", "bls_sha256_64B", "sha256_chain16"]
SMALL_MIB = 40  # a peak below this is measured once more through GNU time
GNU_TIME = "/usr/bin/time"


def measure(command):
    """Exit code, wall seconds, CPU seconds, peak MiB; its output goes to a file whose end is shown when it fails."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    peak = usage.ru_maxrss / 1024
    if peak < SMALL_MIB and os.path.exists(GNU_TIME):
        done = subprocess.run([GNU_TIME, "-f", "peak %M"] + command, capture_output=True, text=True)
        peak = int(done.stderr.rsplit("peak ", 1)[1]) / 1024
    return child.returncode, wall, usage.ru_utime + usage.ru_stime, peak, text


class Bench:
    def __init__(self, directory, runs, without):
        self.directory, self.runs, self.without, self.rows = directory, runs, without, []
        self.assay = os.path.join(os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build/bin")), "assay")
        self.snarkjs = os.path.join(directory, "tools/node_modules/snarkjs/build/cli.cjs")
        self.rapidsnark = os.environ.get("RAPIDSNARK")
        self.ark = os.environ.get("ARK_PEER")
        self.work = tempfile.mkdtemp()

    def path(self, case, ending):
        return os.path.join(self.directory, case, f"{case}.{ending}")

    def out(self, who, name):
        return os.path.join(self.work, f"{who}.{name}.json")

    def node(self, *args):
        return ["node", "--max-old-space-size=16000", self.snarkjs, *args]

    def provers(self, case):
        key, witness = self.path(case, "zkey"), self.path(case, "wtns")
        out = lambda who: [self.out(who, "proof"), self.out(who, "public")]  # noqa: E731
        commands = {"assay": [self.assay, "groth16", "prove", key, witness, *out("assay")]}
        if self.rapidsnark and not case.startswith("bls"):
            commands["rapidsnark"] = [os.path.join(self.rapidsnark, "prover"), key, witness, *out("rapidsnark")]
        if os.path.exists(self.snarkjs):
            commands["snarkjs"] = self.node("groth16", "prove", key, witness, *out("snarkjs"))
        if self.ark and not case.startswith("bls"):
            commands["ark-groth16"] = [self.ark, "prove", key, witness]
        return commands

    def verifiers(self, case):
        vkey = self.path(case, "vkey.json")
        args = [vkey, self.out("assay", "public"), self.out("assay", "proof")]
        commands = {"assay": [self.assay, "groth16", "verify", *args]}
        if self.rapidsnark and not case.startswith("bls"):
            commands["rapidsnark"] = [os.path.join(self.rapidsnark, "verifier"), *args]
        if os.path.exists(self.snarkjs):
            commands["snarkjs"] = self.node("groth16", "verify", *args)
        return commands

    def turns(self, case, step, commands, after=None):
        """All commands once a round; one round more to warm the caches, which is not counted."""
        commands = {who: c for who, c in commands.items() if who not in self.without}
        figures = {who: [] for who in commands}
        for number in range(self.runs + 1):
            for who, command in commands.items():
                code, wall, cpu, peak, text = measure(command)
                if code != 0:
                    sys.exit(f"{case}: {who} ended with exit code {code}: {' '.join(command)}\n{text[-2000:]}")
                if after is not None:
                    after(who)
                if number:
                    figures[who].append((wall, cpu, peak))
        for who, f in figures.items():
            median = [statistics.median(x[i] for x in f) for i in range(3)]
            low, high = min(x[0] for x in f), max(x[0] for x in f)
            row = dict(case=case, step=step, who=who, wall=median[0], low=low, high=high, cpu=median[1], peak=median[2])
            self.rows.append(row)
            print(f"{case} {step} {who}: {median[0]:.4f} s ({low:.4f} to {high:.4f}), cpu {median[1]:.4f} s, "
                  f"{median[2]:.1f} MiB", file=sys.stderr)

    def accepted(self, case):
        def check(who):
            if who == "ark-groth16":  # checks its own
                return
            done = subprocess.run([self.assay, "groth16", "verify", self.path(case, "vkey.json"), self.out(who, "public"),
                                   self.out(who, "proof")], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{case}: the proof of {who} is not accepted: {done.stdout}{done.stderr}")
        return check

    def found(self, case, step, who):
        return next((r for r in self.rows if (r["case"], r["step"], r["who"]) == (case, step, who)), None)

    def step_prove(self, case):
        self.turns(case, "prove", self.provers(case), self.accepted(case))

    def step_verify(self, case):
        subprocess.run(self.provers(case)["assay"], check=True, capture_output=True)  # what is there may be another case's
        self.turns(case, "verify", self.verifiers(case))

    def step_setup(self, case):
        made = os.path.join(self.work, "made.zkey")
        self.turns(case, "setup", {"assay": [self.assay, "groth16", "setup", self.path(case, "r1cs"), "-o", made]})

    def step_memory(self, case):
        """Half of the default peak, or the least that the program says it needs, and how much longer it takes."""
        base = self.found(case, "prove", "assay")
        if base is None:
            self.turns(case, "prove", {"assay": self.provers(case)["assay"]}, self.accepted(case))
            base = self.found(case, "prove", "assay")
        limit = f"{int(base['peak'] / 2 * 1024)}K"
        command = self.provers(case)["assay"] + ["--memory", limit]
        refusal = re.search(r"\(MiB needed, allowed\) \((\d+), ", measure(command)[4])
        if refusal:
            limit = refusal.group(1) + "M"
            command[-1] = limit
        self.turns(case, "prove within " + limit, {"assay": command}, self.accepted(case))

    def table(self):
        print("\n| case | step | program | wall s (lowest to highest) | CPU s | peak MiB | wall, assay / this |")
        print("|---|---|---|---|---|---|---|")
        for r in self.rows:
            own = self.found(r["case"], r["step"], "assay")
            digits = 4 if r["wall"] < 0.1 else 2
            print(f"| {r['case']} | {r['step']} | {r['who']} | {r['wall']:.{digits}f} ({r['low']:.{digits}f} to "
                  f"{r['high']:.{digits}f}) | {r['cpu']:.{digits}f} | {r['peak']:.1f} | {own['wall'] / r['wall']:.2f} |")

    def write_csv(self, path):
        with open(path, "w", newline="") as f:
            out = csv.DictWriter(f, ["case", "step", "who", "wall", "low", "high", "cpu", "peak"])
            out.writeheader()
            out.writerows(self.rows)


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown")
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout
    return f"{os.cpu_count()} CPUs ({model}), load {os.getloadavg()[0]:.2f} at the start, commit {commit.strip()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cases", nargs="+", default=CASES)
    parser.add_argument("--steps", nargs="+", default=["prove", "verify", "memory", "setup"])
    parser.add_argument("--without", nargs="+", default=[], choices=["rapidsnark", "snarkjs", "ark-groth16"])
    parser.add_argument("--csv")
    args = parser.parse_args()
    print(machine())
    bench = Bench(os.path.abspath(args.dir), args.runs, args.without)
    try:
        for case in args.cases:
            if not os.path.exists(bench.path(case, "zkey")):
                sys.exit(f"{case}: no key {bench.path(case, 'zkey')}; run make_cases.sh")
            for step in args.steps:
                getattr(bench, "step_" + step)(case)
    finally:
        shutil.rmtree(bench.work)
    bench.table()
    if args.csv:
        bench.write_csv(args.csv)


main()
