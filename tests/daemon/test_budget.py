#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon keeps its budget: jobs that together would want several times of it are all worked, and neither the sum over its
processes nor the mark of any one of them is ever beyond it. In a control group of its own where this user may make one: then
the kernel enforces the same number.
ctest: labels slow nosan
ctest: timeout 1800"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assayd import ROOT, Site, check, run  # noqa: E402

CGROUP = "/sys/fs/cgroup/memory"


def main():
    site = Site()
    try:
        site.model()
        files = [site.path("F.req"), site.path("F.y")]
        run("assay", "reply", "--commitment", os.path.join(site.models, "tiny"), "--prompt", "The cat was calm. " * 18, "-n", 1, "--req",
            files[0], "--y", files[1])
        command = [os.path.join(ROOT, "bench", "daemon", "budget.py"), "1536MiB", "5", "--models", site.models]
        if os.access(CGROUP, os.W_OK) and os.path.exists(os.path.join(CGROUP, "memory.limit_in_bytes")):
            command += ["--cgroup", CGROUP]
        done = subprocess.run([*command, "--committed", "tiny", "--req", files[0], "--y", files[1]], capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        check(done.returncode == 0, "the budget was not kept, or a job failed")
        m = json.loads(done.stdout)
        check(m["completed"] == 5 and m["looks"] > 20, m)
        check(m["naive_sum_bytes"] > 2 * m["budget_bytes"], "the jobs are too small for this test", m)
        check(m["peak_bytes"] > m["one_job_bytes"] // 2, "it was not looked at while it worked", m)
    finally:
        site.remove()
    return 0


sys.exit(main())
