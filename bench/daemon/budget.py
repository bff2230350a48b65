#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does the daemon keep its budget? Gives it many jobs at once whose memory, each in a process of its own, would be far more
than there is, and looks at the memory of all its processes from outside while it works them.
    bench/daemon/budget.py BUDGET COUNT [--cgroup DIR] [--circuits DIR] [--models DIR] JOB...
BUDGET   such as 20GiB. COUNT: jobs, all submitted at once.
JOB      options of `assay-bench batch` that say what a job is: --circuit NAME --witness FILE, or --committed NAME --req F --y F
--cgroup a folder of a mounted memory controller (version 1): the daemon runs in a group below it whose limit is BUDGET, so that
         the kernel kills what goes beyond, and its own high-water mark is printed. That mark has files' pages in it too.
Prints one JSON object. Exit code 0: every job ended well, and no look, and no mark of a process, was beyond the budget."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("ASSAY_BIN", os.path.join(ROOT, "build", "bin"))
UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}


def tree(root):
    """The pids of a process and its descendants."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                children.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            pass
    out, todo = [], [root]
    while todo:
        out.append(todo.pop())
        todo += children.get(out[-1], [])
    return out


def field(path, name):
    try:
        with open(path) as f:
            return next((int(line.split()[1]) * 1024 for line in f if line.startswith(name + ":")), 0)
    except OSError:
        return 0


class Watch(threading.Thread):
    """Sums of proportional set sizes, every 20 ms; and the largest high-water mark of a single process."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.looks, self.one, self.stop = pid, 0, 0, 0, False
        self.start()

    def run(self):
        while not self.stop:
            pids = tree(self.pid)
            self.peak = max(self.peak, sum(field(f"/proc/{p}/smaps_rollup", "Pss") for p in pids))
            self.one = max([self.one] + [field(f"/proc/{p}/status", "VmHWM") for p in pids])
            self.looks += 1
            time.sleep(0.02)


class Group:
    def __init__(self, parent, limit):
        self.folder = tempfile.mkdtemp(prefix="assay-", dir=parent) if parent else None
        if self.folder:
            self.write("memory.limit_in_bytes", limit)

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(str(value))

    def enter(self):
        if self.folder:
            self.write("cgroup.procs", os.getpid())

    def read(self, name):
        with open(os.path.join(self.folder, name)) as f:
            return f.read()

    def facts(self):
        if not self.folder:
            return {}
        oom = dict(line.split() for line in self.read("memory.oom_control").splitlines())
        return {"cgroup_high_water_bytes": int(self.read("memory.max_usage_in_bytes")), "cgroup_oom_kills": int(oom.get("oom_kill", 0))}

    def remove(self):
        if self.folder:
            os.rmdir(self.folder)


def ask(address, command, *args):
    done = subprocess.run([os.path.join(BIN, "assay-bench"), command, "-a", address, "--json", *args], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode in (0, 1) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("budget")
    parser.add_argument("count", type=int)
    parser.add_argument("--cgroup")
    parser.add_argument("--circuits")
    parser.add_argument("--models")
    o, job = parser.parse_known_args()
    budget = int(o.budget[:-3]) * UNITS[o.budget[-3:]]
    work = tempfile.mkdtemp(prefix="assay-budget-")
    address = f"unix://{work}/s"
    with open(os.path.join(work, "assayd.toml"), "w") as f:
        f.write('[limits]\nconnection_memory = "128MiB"\ntotal_memory = "128MiB"\n')
    group = Group(o.cgroup, budget)
    with open(os.path.join(work, "log"), "w") as log:
        d = subprocess.Popen([os.path.join(BIN, "assayd"), "--config", f"{work}/assayd.toml", "--listen", address, "--status-listen", "",
                              "--queue", f"{work}/q.sqlite", "--memory", o.budget, "--circuits", o.circuits or work, "--models", o.models or work],
                             stdout=log, stderr=log, preexec_fn=group.enter)
    try:
        while ask(address, "status") is None:
            assert d.poll() is None, open(os.path.join(work, "log")).read()
            time.sleep(0.1)
        watch = Watch(d.pid)
        begin = time.monotonic()
        m = ask(address, "batch", *job, "-c", str(o.count), "-j", str(o.count))
        seconds = time.monotonic() - begin
        keys = sum(k["bytes"] for k in ask(address, "status")["keys"])
        watch.stop = True
        watch.join()
        d.send_signal(signal.SIGTERM)
        d.wait()
        facts = group.facts()
        group.remove()
    finally:
        if d.poll() is None:
            d.kill()
            d.wait()
        shutil.rmtree(work)
    good = m["completed"] == o.count and watch.peak <= budget and watch.one <= budget and not facts.get("cgroup_oom_kills")
    print(json.dumps({"budget_bytes": budget, "jobs": o.count, "completed": m["completed"], "failed": m["failed"],
                      "error": m.get("error"), "seconds": round(seconds, 1),
                      "one_job_bytes": m["job_peak_bytes"], "keys_bytes": keys, "naive_sum_bytes": o.count * (m["job_peak_bytes"] + keys),
                      "peak_bytes": watch.peak, "looks": watch.looks, "largest_process_high_water_bytes": watch.one, **facts,
                      "kept": good}))
    return 0 if good else 1


sys.exit(main())
