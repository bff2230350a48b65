#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""assayd's life: what it refuses to start with, tokens, systemd, drains, and jobs that outlive kill -9, each ended once.
ctest: labels nosan
ctest: timeout 900"""
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assayd import BIN, BUILD, CANCELLED, COMPLETED, CUZK, OWN, PATIENCE, TIMEOUT, Blocked, Site, check, decode, porep, run, text  # noqa: E402

JOBS = 50
TOKEN = "correct-horse-battery-staple"


def refused(site, code, pattern, *flags):
    """It ends with that code and one line that says so."""
    done = subprocess.run([os.path.join(BIN, "assayd"), *flags], capture_output=True, text=True, timeout=PATIENCE, check=False)
    lines = done.stderr.splitlines()
    check(done.returncode == code and len(lines) == 1 and re.search(pattern, lines[0]) and lines[0].startswith("assayd: "), flags,
          done.returncode, done.stdout, done.stderr)


def test_bad_starts(site):
    def config(body):
        with open(site.path("c.toml"), "w", encoding="utf-8") as f:
            f.write(body)
        return "--config", site.path("c.toml")
    usual = ["--listen", f"unix:{site.path('bad')}", "--status-listen", "", "--queue", site.path("bad.sqlite")]
    refused(site, 2, r"unknown option", "--no-such-flag")
    refused(site, 2, r"c\.toml:2: daemon\.lisen", *config("[daemon]\nlisen = \"x\"\n"), "--check-config")
    refused(site, 2, r"c\.toml:2: memory\.total", *config("[memory]\ntotal = 7\n"), "--check-config")
    refused(site, 2, r"nothing\.toml", "--config", site.path("nothing.toml"), "--check-config")
    refused(site, 2, r"--memory", "--memory", "lots", "--check-config")
    refused(site, 2, r"--partition-workers", "--partition-workers", "0", "--check-config")
    refused(site, 2, r"daemon\.listen.*other machines", "--listen", "0.0.0.0:9820", "--check-config")
    refused(site, 2, r"queue\.url", "--queue", "mysql://x", "--check-config")
    refused(site, 2, r"paths\.circuits.*(No such|no such)", "--circuits", site.path("none"), "--check-config")
    refused(site, 2, r"paths\.models.*is no folder", "--models", site.path("c.toml"), "--check-config")
    refused(site, 2, r"tls", *config("[tls]\nkey = \"k\"\n"), "--check-config")
    missing = site.path("missing.pem")
    refused(site, 2, r"missing\.pem", *config(f'[tls]\ncertificate = "{missing}"\nkey = "{missing}"\n'), "--check-config")
    refused(site, 2, r"none/queue", *usual[:4], "--queue", site.path("none/queue.sqlite"))
    with open(site.path("not-a-queue"), "wb") as f:
        f.write(b"something else" * 1000)
    refused(site, 2, r"not-a-queue", *usual[:4], "--queue", site.path("not-a-queue"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused(site, 2, rf"127\.0\.0\.1:{port}.*the address is in use", "--listen", f"127.0.0.1:{port}", *usual[2:])
        refused(site, 2, rf"127\.0\.0\.1:{port}", *usual[:2], "--status-listen", f"127.0.0.1:{port}", *usual[4:])
    done = run("assayd", *config("[log]\nlevel = \"warn\"\n"), "--check-config")
    check(done.stdout == "the configuration is in order\n", done.stdout)
    done = run("assayd", "--config", site.path("c.toml"), "--memory", "3GiB", "--preload", "a,b", "--no-pipeline", "--quiet",
               "--queue", "postgresql://u:pw@h/d", "--print-config")
    for line in ('level = "error"', 'total = "3GiB"', 'preload = ["a", "b"]', "pipeline = false",
                 'url = "postgresql://u:...@h/d"', 'path = "/var/lib/assay/queue.sqlite"'):
        check(line in done.stdout.splitlines(), line, done.stdout)


def test_token(site):
    path = site.path("token")
    with open(path, "w", encoding="ascii") as f:
        f.write(TOKEN + "\nnot this\n")
    flags = ["--config", site.path("t.toml")]
    with open(flags[1], "w", encoding="utf-8") as f:
        f.write(f'[auth]\ntoken_file = "{path}"\n')
    os.chmod(path, 0o640)
    refused(site, 2, r"token.*chmod 600", *flags, "--check-config")
    os.chmod(path, 0o600)
    d = site.start(*flags, queue="token.sqlite")
    check(d.call(CUZK + "GetStatus", {})[0] == "UNAUTHENTICATED")
    check(d.call(CUZK + "GetStatus", {}, token=TOKEN[:-1])[0] == "UNAUTHENTICATED")
    check(d.call(CUZK + "GetStatus", {}, token=TOKEN)[0] == "OK")
    check("--token-file" in run("assay-bench", "status", "-a", d.address, code=2).stderr)
    run("assay-bench", "status", "-a", d.address, "--token-file", path)
    refused(site, 5, r"token\.sqlite", "--listen", f"unix:{site.path('other')}", "--status-listen", "",
            "--queue", site.path("token.sqlite"))
    check(TOKEN not in d.stop(), "the token is in the log")


def test_tls(site):
    """Client certificates and a token, over TCP."""
    driver = os.path.join(BUILD, "tests", "drivers", "test_server")
    subprocess.run([driver, "--certificates", site.work, "ours"], check=True)
    at = {k: site.path("ours" + k) for k in (".pem", "-server.pem", "-server.key", "-client.pem", "-client.key")}
    with open(site.path("tls.toml"), "w", encoding="utf-8") as f:
        f.write(f'[tls]\ncertificate = "{at["-server.pem"]}"\nkey = "{at["-server.key"]}"\nclient_ca = "{at[".pem"]}"\n'
                f'[auth]\ntoken_file = "{site.path("token")}"\n')
    d = site.start("--config", site.path("tls.toml"), "--listen", "0.0.0.0:0", queue="tls.sqlite", own_listen=True)
    port = re.search(r"listening address=0\.0\.0\.0:0 port=(\d+)", d.log()).group(1)
    whole = ["status", "-a", f"localhost:{port}", "--tls-ca", at[".pem"], "--tls-cert", at["-client.pem"], "--tls-key",
             at["-client.key"], "--token-file", site.path("token")]
    run("assay-bench", *whole)
    for missing in (slice(5, 9), slice(9, 11), slice(3, 9)):
        less = whole[:]
        del less[missing]
        done = subprocess.run([os.path.join(BIN, "assay-bench"), *less], capture_output=True, text=True, timeout=PATIENCE, check=False)
        check(done.returncode not in (0, 1) and done.stderr, less, done)
    check("TLS is wanted" in done.stderr, done)  # the last one came without
    d.stop()


def test_systemd(site):
    name = site.path("notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(name)
        s.settimeout(PATIENCE)
        d = site.start(queue="notify.sqlite", env={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000", "JOURNAL_STREAM": "8:1"})
        check(s.recv(100) == b"READY=1")
        for _ in range(4):
            check(s.recv(100) == b"WATCHDOG=1")
        check("<6>" not in d.log(), "a log that is no journal's is written as one")
        d.process.send_signal(signal.SIGHUP)  # harmless
        time.sleep(0.3)
        check(d.ask(CUZK + "GetStatus", {}) is not None)
        d.process.terminate()
        while (word := s.recv(100)) == b"WATCHDOG=1":
            pass
        check(word == b"STOPPING=1", word)
        d.ended()
    path = site.path(f"log{len(site.daemons)}")  # of the next one
    with open(path, "wb") as f:
        st = os.fstat(f.fileno())
    d = site.start(queue="notify.sqlite", env={"JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"})
    check(d.log().startswith("<6>"), d.log())
    d.stop()


def test_small_budget(site, witness):
    d = site.start("--memory", "400MiB", "--log-level", "debug", queue="small.sqlite")
    check("calls_scaled_down=yes" in d.log() and "budget_bytes=419430400" in d.log(), d.log())
    code, words, _ = d.groth16("huge", [witness] * 1, circuit="slow")
    check(code == "OK", code, words)
    check(d.wait("huge")[0] == COMPLETED)
    d.stop()
    d = site.start("--memory", "64MiB", queue="small.sqlite")
    request, token = site.reply()
    code, words, _ = d.call(OWN + "SubmitReply", {1: "larger", 2: "tiny", 3: request, 4: token})
    check(code == "RESOURCE_EXHAUSTED" and len(re.findall(r"\d+", words)) >= 2, code, words)
    print("  " + words)
    d.stop()


def test_full_disk(site, witness):
    """No file may grow beyond 30 MB: as a full disk does, this refuses a large job and keeps nothing of it."""
    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000_000, 30_000_000))
    d = site.start(queue="full.sqlite", before=before)
    code, words, _ = d.call(CUZK + "SubmitProof", porep("large", bytes(60_000_000)))
    check(code == "UNAVAILABLE" and words, code, words)
    print("  " + words)
    check(d.call(CUZK + "AwaitProof", {1: "large"})[0] == "NOT_FOUND")
    check(d.groth16("small", [witness])[0] == "OK" and d.wait("small")[0] == COMPLETED)
    d.stop()


def test_drain(site, witnesses, slow):
    d = site.start("--log-level", "debug", queue="drain.sqlite")
    check(d.groth16("running", [slow] * 2, circuit="slow")[0] == "OK")
    d.wait_log("job_claimed job=running")
    call = d.begin(CUZK + "AwaitProof", {1: "running"}).sent()
    with Blocked(d, slow):
        for i in range(3):
            check(d.groth16(f"waits{i}", [witnesses[i]], _4=0)[0] == "OK")
        waiting = d.begin(CUZK + "Prove", {1: porep("prove", b"{}")}).sent()
        d.wait_log("job_accepted job=prove")
        d.process.terminate()
        d.wait_log(r" draining partitions_at_work=\d+ seconds_at_most=\d+$")
        code, words, _ = d.groth16("late", [witnesses[0]])
        check(code == "UNAVAILABLE", code, words)
        check(d.ask(CUZK + "GetStatus", {}) is not None, "it does not answer while it drains")
    log = d.ended()
    code, words, messages = call.results()[0]
    check(code == "OK" and messages[0][2] == [COMPLETED], code, words, log[-2000:])
    code, words, _ = waiting.results()[0]
    check(code == "UNAVAILABLE" and "stays in the queue" in words, code, words)
    d = site.start(queue="drain.sqlite")
    for i in range(3):
        check(d.wait(f"waits{i}")[0] == COMPLETED)
    check(d.wait("running")[0] == COMPLETED and d.wait("prove")[0] != 0)

    # A second signal does not wait; what ran goes back to the queue, and is done by the next one.
    check(d.groth16("again", [slow] * 16, circuit="slow")[0] == "OK")
    d.wait_log("job_accepted job=again")
    time.sleep(0.5)
    d.process.send_signal(signal.SIGINT)
    d.wait_log(r" draining partitions_at_work=\d+ seconds_at_most=\d+$")
    begun = time.monotonic()
    d.stop(signal.SIGTERM)
    check(time.monotonic() - begun < 60, "the second signal waited")
    d = site.start(queue="drain.sqlite")
    check(d.wait("again", timeout_ms=300_000)[0] == COMPLETED)
    d.stop()


def result_of(d, job):
    code, words, events = d.begin(OWN + "Watch", {1: job}).results()[0]
    check(code == "OK" and events[-1][4] == [3], job, code, words, text(events[-1], 10) if events else "")
    return decode(events[-1][11][0])


def test_kill(site, witnesses):
    """Accepted is durable: after kill -9 every job ends, and those that had ended are not done again."""
    d = site.start(queue="kill.sqlite")
    calls = [d.begin(OWN + "SubmitGroth16", *[{1: f"k{i}-{j}", 2: "small", 3: [witnesses[i % 3]]} for j in range(10)])
             for i in range(JOBS // 10)]
    for c in calls:
        check(all(code == "OK" for code, _, _ in c.results()))
    jobs = [f"k{i}-{j}" for i in range(JOBS // 10) for j in range(10)]
    d.process.kill()
    d.process.wait()
    killed = 1
    before = {}
    for _ in range(3):  # and again while it works
        d = site.start(queue="kill.sqlite")
        for job in jobs:
            status, m = d.wait(job, timeout_ms=1)
            if status == COMPLETED:
                check(before.get(job, m[3][0]) == m[3][0], job, "was proven twice")
                before[job] = m[3][0]
            if len(before) >= killed * 12:
                break
        d.process.kill()
        d.process.wait()
        killed += 1
    d = site.start(queue="kill.sqlite")
    publics = set()
    for i, job in enumerate(jobs):
        status, m = d.wait(job)
        check(status == COMPLETED, job, status, text(m, 4))
        check(before.get(job, m[3][0]) == m[3][0], job, "was proven twice")
        if i % 10 == 0:
            publics.add(result_of(d, job)[2][0])
    check(len(publics) == 3, publics)
    end = time.monotonic() + PATIENCE  # what people are shown follows
    while 3 in (status := d.ask(CUZK + "GetStatus", {})):
        check(time.monotonic() < end, "jobs are left:", status[3])
        time.sleep(0.1)
    log = d.stop()
    for w in witnesses:
        check(w[-16:].hex() not in log)


def keepers(d):
    """Keeper processes, once they run: before, the daemon waits for the system to start them."""
    return {pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_keeper(d, pid)}


def is_keeper(d, pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            name, rest = f.read().rsplit(")", 1)
        return name.endswith("(assay-keeper") and int(rest.split()[1]) == d.process.pid
    except OSError:
        return False


def test_stuck_key(site, slow):
    """A key whose process is stuck while it loads it: its job can be cancelled, loading be given up, and the key loaded anew."""
    d = site.start("--log-level", "debug", queue="stuck.sqlite")
    while not keepers(d):
        time.sleep(0.01)
    others = keepers(d)
    for i in range(50):
        call = d.begin(OWN + "SubmitGroth16", {1: f"stuck{i}", 2: "slow", 3: [slow]})
        end = time.monotonic() + 5
        while not keepers(d) - others and time.monotonic() < end:
            pass
        stopped = keepers(d) - others
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        check(call.results()[0][0] == "OK")
        timed_out, since = d.wait(f"stuck{i}", 1000)[0] == TIMEOUT, d.log().split(f"job_claimed job=stuck{i} ")[-1]
        if timed_out and stopped and "key_loading" in since and "key_loaded" not in since:
            break
        for pid in keepers(d) - others:
            os.kill(pid, signal.SIGCONT)  # it was loaded already
        d.wait(f"stuck{i}")
        d.ask(CUZK + "EvictSRS", {1: "slow"})
    check(d.call(CUZK + "EvictSRS", {1: "slow"})[0] == "FAILED_PRECONDITION")
    d.ask(CUZK + "CancelProof", {1: f"stuck{i}"})
    check(d.wait(f"stuck{i}")[0] == CANCELLED)
    d.ask(CUZK + "EvictSRS", {1: "slow"})
    check(d.groth16("after", [slow], circuit="slow")[0] == "OK" and d.wait("after")[0] == COMPLETED)
    d.stop()


def main():
    site = Site()
    try:
        witnesses = site.circuit("small", 100, range(3, 6))
        slow = site.circuit("slow", 20000, [3])[0]
        site.model()
        for name, test in (("bad starts", lambda: test_bad_starts(site)), ("token", lambda: test_token(site)),
                           ("tls", lambda: test_tls(site)), ("systemd", lambda: test_systemd(site)), ("small budget", lambda: test_small_budget(site, slow)),
                           ("full disk", lambda: test_full_disk(site, witnesses[0])), ("drain", lambda: test_drain(site, witnesses, slow)), ("kill", lambda: test_kill(site, witnesses)),
                           ("stuck key", lambda: test_stuck_key(site, slow))):
            begun = time.monotonic()
            test()
            print(f"ok {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    except AssertionError:
        for d in site.daemons[-1:]:
            print(d.log()[-4000:])
        raise
    finally:
        site.remove()
    return 0


sys.exit(main())
