#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of the daemon, measured on this machine: what it adds to a proof, how many jobs it accepts, how quickly it
answers, how soon a second proof starts, and what overlapping is worth.
    bench/daemon/run.py [--log LOG] [--jobs N] [--seconds N] [--folder DIR] [PART...]
PART: accept, start, overhead, overlap (default: all). Needs `scripts/build.sh` and `cmake --build build --target bench`.
Prints one JSON object a part on standard output, and what it does on standard error. Leave the machine alone meanwhile."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build", "bin"))
SIDE = os.path.join(os.path.dirname(BIN), "bench")  # flood, make_circuit


def say(text):
    print(text, file=sys.stderr, flush=True)


def program(name, *args, **kwargs):
    return subprocess.run([os.path.join(BIN, name), *args], check=True, stdout=subprocess.PIPE, text=True, **kwargs).stdout


def last_json(text):
    return json.loads(text.strip().splitlines()[-1])


class Daemon:
    """An assayd of its own for one measurement."""

    def __init__(self, folder, *flags):
        self.work = tempfile.mkdtemp(prefix="assay-daemon-", dir=folder)
        self.address = f"unix://{self.work}/s"
        self.log = open(os.path.join(self.work, "log"), "w")
        config = os.path.join(self.work, "assayd.toml")  # all else at its default, whatever this machine has in /etc
        with open(config, "w") as f:
            f.write("[queue]\nmax_jobs = 1000000\n")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "assayd"), "--config", config, "--listen", self.address,
             "--queue", os.path.join(self.work, "queue.sqlite"), "--status-listen", "", "--circuits", os.path.join(folder, "circuits"),
             "--models", os.path.join(folder, "models"), *flags], stdout=self.log, stderr=self.log)
        for _ in range(600):
            if subprocess.run([os.path.join(BIN, "assay-bench"), "status", "-a", self.address], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0:
                return
            assert self.process.poll() is None, f"assayd ended: see {self.log.name}"
            time.sleep(0.1)
        raise AssertionError(f"assayd does not serve: see {self.log.name}")

    def bench(self, command, *args):
        return last_json(program("assay-bench", command, "-a", self.address, "--json", *args))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()


# --- What is proven ------------------------------------------------------------------------------------------------------------

def make_circuit(folder, log):
    """A MiMC chain of 2^log constraints; its path without suffix."""
    base = os.path.join(folder, "circuits", f"mimc-{log}")
    if not os.path.exists(base + ".zkey"):
        say(f"a circuit of 2^{log} constraints")
        subprocess.run([os.path.join(SIDE, "make_circuit"), "--log", str(log), base], check=True, stdout=subprocess.DEVNULL)
        program("assay", "groth16", "setup", base + ".r1cs", "-o", base + ".zkey", "--quiet", stderr=subprocess.DEVNULL)
    return base


def make_model(folder):
    base = os.path.join(folder, "models", "tiny")
    if not os.path.exists(base):
        say("model tiny")
        program("cp_commit", "--model", os.path.join(ROOT, "examples", "tiny"), "--out", base, "--quiet")
        program("assay", "reply", "--commitment", base, "--prompt", "The ", "-n", "24", "--req", os.path.join(folder, "F.req"),
                "--y", os.path.join(folder, "F.y"), "--quiet")
    return ["--committed", "tiny", "--req", os.path.join(folder, "F.req"), "--y", os.path.join(folder, "F.y")]


def groth16(base):
    return ["--circuit", os.path.basename(base), "--witness", base + ".wtns"]


# --- The parts -----------------------------------------------------------------------------------------------------------------

def accept(o):
    """Small jobs accepted durably, and GetStatus meanwhile."""
    base = make_circuit(o.folder, 9)
    for connections in (1, 16, 64):
        with Daemon(o.folder, "--partition-workers", "1") as d:
            d.bench("preload", "mimc-9")
            text = subprocess.run([os.path.join(SIDE, "flood"), d.address, "mimc-9", base + ".wtns", str(connections), str(o.seconds)], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            yield {"part": "accept", **json.loads(text)}


def start(o):
    """Loading a key once, and proofs with it afterwards."""
    base = make_circuit(o.folder, o.log)
    with Daemon(o.folder) as d:
        begin = time.monotonic()
        d.bench("preload", os.path.basename(base))
        loading = time.monotonic() - begin
        first = d.bench("single", *groth16(base))
        second = d.bench("single", *groth16(base))
        for i, r in enumerate((first, second)):
            yield {"part": "start", "proof": i + 1, "preload_seconds": round(loading, 3), "load_ms": r["load_ms"],
                   "queue_wait_ms": r["queue_wait_ms"], "total_ms": r["total_ms"], "wall_ms": r["wall_ms"],
                   "synthesis_ms": r["synthesis_ms"], "prove_ms": r["prove_ms"]}


def overhead(o):
    """The same proof from the command line and by the daemon, one after the other and alternating."""
    base = make_circuit(o.folder, o.log)
    command = ["groth16", "prove", base + ".zkey", base + ".wtns", os.path.join(o.folder, "p.json"),
               os.path.join(o.folder, "q.json"), "--r1cs", base + ".r1cs", "--quiet"]
    with Daemon(o.folder) as d:
        d.bench("single", *groth16(base))
        alone, served = [], []
        for _ in range(3):
            begin = time.monotonic()
            for _ in range(o.jobs):
                program("assay", *command, stderr=subprocess.DEVNULL)
            alone.append((time.monotonic() - begin) / o.jobs)
            served.append(d.bench("batch", *groth16(base), "-c", str(o.jobs), "-j", "4")["seconds_per_proof"])
        alone.sort()
        served.sort()
        yield {"part": "overhead", "command_line_seconds": round(alone[1], 4), "daemon_seconds": round(served[1], 4),
               "daemon_over_command_line": round(served[1] / alone[1], 4)}


def overlap(o):
    """Throughput with overlapping stages and without."""
    kinds = {"reply": make_model(o.folder), "groth16": groth16(make_circuit(o.folder, o.log))}
    for kind, job in kinds.items():
        seconds = {}
        for name, flags in (("without", ["--no-pipeline"]), ("with", [])):
            with Daemon(o.folder, *flags) as d:
                d.bench("single", *job)
                seconds[name] = sorted(d.bench("batch", *job, "-c", str(o.jobs), "-j", "6")["seconds_per_proof"] for _ in range(3))[1]
        yield {"part": "overlap", "kind": kind, "seconds_without": round(seconds["without"], 4),
               "seconds_with": round(seconds["with"], 4), "throughput_ratio": round(seconds["without"] / seconds["with"], 3)}


PARTS = {"accept": accept, "start": start, "overhead": overhead, "overlap": overlap}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=int, default=16, help="the larger circuit has 2^LOG constraints")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--folder", help="where circuits and models are kept; made and removed if it is not given")
    parser.add_argument("part", nargs="*", choices=[[], *PARTS])
    o = parser.parse_args()
    temporary = o.folder is None
    o.folder = os.path.abspath(o.folder or tempfile.mkdtemp(prefix="assay-bench-daemon-"))
    for name in ("circuits", "models"):
        os.makedirs(os.path.join(o.folder, name), exist_ok=True)
    try:
        for name in o.part or PARTS:
            for line in PARTS[name](o):
                print(json.dumps(line), flush=True)
    finally:
        if temporary:
            shutil.rmtree(o.folder)


if __name__ == "__main__":
    main()
