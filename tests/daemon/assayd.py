# SPDX-License-Identifier: Apache-2.0
"""Drives build/bin/assayd in tests: circuits and witnesses, the daemon as a process, calls through drivers/rpc_call, and as
much of protocol buffers as its messages need. Debian's python3 alone is enough."""
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
BIN = os.environ.get("ASSAY_BIN", os.path.join(BUILD, "bin"))
CALL = os.path.join(BUILD, "tests", "drivers", "rpc_call")
sys.path[:0] = [os.path.join(ROOT, "tests", x) for x in ("support", "reference")]
sys.dont_write_bytecode = True
from groth16_files import BN254, container, le, prime, u32  # noqa: E402

SANITIZED = "ASAN_OPTIONS" in os.environ
PATIENCE = 600 if SANITIZED else 120  # seconds, of a busy machine

for needed in (os.path.join(BIN, "assayd"), os.path.join(BIN, "assay"), CALL):
    if not os.access(needed, os.X_OK):
        print(f"skipped: {needed} is not built")
        sys.exit(77)


def check(good, *what):
    if not good:
        raise AssertionError(" ".join(map(str, what)))


def run(program, *args, code=0, **more):
    done = subprocess.run([os.path.join(BIN, program), *map(str, args)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE, check=False, **more)
    check(done.returncode == code, program, args, "ended with", done.returncode, done.stdout[-500:], done.stderr[-800:])
    return done


# --- Messages: {field: value or list of values}; numbers, text, bytes, and messages as dictionaries --------------------------------

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def encode(fields):
    out = []
    for number, values in fields.items():
        for v in values if isinstance(values, list) else [values]:
            if isinstance(v, int):
                out.append(varint(number << 3) + varint(v))
                continue
            v = encode(v) if isinstance(v, dict) else v.encode() if isinstance(v, str) else v
            out.append(varint(number << 3 | 2) + varint(len(v)))
            out.append(v)
    return b"".join(out)


def decode(data):
    """{field: [values]}: numbers, and bytes."""
    at, out = 0, {}

    def number():
        nonlocal at
        n = shift = 0
        while True:
            b = data[at]
            at += 1
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            v = number()
        elif tag & 7 == 1:
            v = struct.unpack("<d", data[at:at + 8])[0]
            at += 8
        else:
            n = number()
            v = data[at:at + n]
            at += n
        out.setdefault(tag >> 3, []).append(v)
    return out


def text(message, field):
    return message.get(field, [b""])[-1].decode()


# --- Calls ---------------------------------------------------------------------------------------------------------------------

CUZK, OWN = "/cuzk.v1.ProvingEngine/", "/assay.v1.Engine/"
POREP, SNAP, WINDOW, WINNING = 1, 2, 3, 4
COMPLETED, FAILED, CANCELLED, TIMEOUT = 1, 2, 3, 4
serial = 0


class Call:
    """Calls under way: the requests of one method over one connection, in a process of their own."""

    def __init__(self, daemon, method, *requests, timeout_ms=0, token="-"):
        global serial
        serial += 1
        self.base = os.path.join(daemon.work, f"call{serial}")
        files = []
        for i, request in enumerate(requests):
            files.append(f"{self.base}.request.{i}")
            with open(files[-1], "wb") as f:
                f.write(request if isinstance(request, bytes) else encode(request))
        self.process = subprocess.Popen([CALL, daemon.address, token, method, str(timeout_ms), self.base + ".reply", *files],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def sent(self):
        line = self.process.stdout.readline()
        check(line == "sent\n", "not sent:", line, self.process.stderr.read() if not line else "")
        return self

    def messages(self, i=0):
        with open(f"{self.base}.reply.{i}", "rb") as f:
            data = f.read()
        out = []
        while data:
            n = int.from_bytes(data[:4], "big")
            out.append(decode(data[4:4 + n]))
            data = data[4 + n:]
        return out

    def results(self):
        """[(code, text, messages)] of each request."""
        out, err = self.process.communicate(timeout=PATIENCE)
        lines = [line.split(" ", 2) for line in out.splitlines() if line != "sent"]
        check(self.process.returncode == 0, "rpc_call:", err)
        return [(code, words, self.messages(int(i))) for i, code, words in lines]

    def kill(self):
        self.process.kill()
        self.process.communicate()


# --- Circuits ------------------------------------------------------------------------------------------------------------------

def square_chain(path, n, starts):
    """path.r1cs: n squarings in a row, as groth16_files.square_chain, written quickly; path.I.wtns from each start."""
    one, r = le(1, 32), BN254.r

    def wire(i):
        return 2 if i == 0 else 1 if i == n else 2 + i
    rows = []
    for i in range(n):
        square = u32(1) + u32(wire(i)) + one
        constant = u32(2) + u32(0) + le(-i % r, 32) if i else u32(1)
        rows.append(square + square + constant + u32(wire(i + 1)) + one)
    head = prime(r, 32) + u32(n + 2) + u32(1) + u32(0) + u32(1) + struct.pack("<Q", n + 2) + u32(n)
    labels = b"".join(struct.pack("<Q", i) for i in range(n + 2))
    with open(path + ".r1cs", "wb") as f:
        f.write(container(b"r1cs", 1, [(1, head), (2, b"".join(rows)), (3, labels)]))
    witnesses = []
    for start in starts:
        v = [start]
        for i in range(n):
            v.append((v[-1] * v[-1] + i) % r)
        values = b"".join(le(x, 32) for x in [1, v[n], v[0]] + v[1:n])
        witnesses.append(container(b"wtns", 2, [(1, prime(r, 32) + u32(n + 2)), (2, values)]))
    return witnesses


# --- The daemon ----------------------------------------------------------------------------------------------------------------

class Site:
    """A scratch folder with a circuit, its witnesses, and room for daemons."""

    def __init__(self):
        self.work = tempfile.mkdtemp()
        self.circuits = os.path.join(self.work, "circuits")
        self.models = os.path.join(self.work, "models")
        os.mkdir(self.circuits)
        os.mkdir(self.models)
        self.daemons = []

    def path(self, name):
        return os.path.join(self.work, name)

    def circuit(self, name, n, starts):
        witnesses = square_chain(self.path(name), n, starts)
        run("assay", "groth16", "setup", self.path(name + ".r1cs"), "-o", os.path.join(self.circuits, name + ".zkey"), "-q")
        return witnesses

    def model(self):
        """The example model, committed as `tiny`."""
        run("cp_commit", "--model", os.path.join(ROOT, "examples", "tiny"), "--out", os.path.join(self.models, "tiny"), "-q")

    def reply(self):
        """F.req and F.y of a reply of its: their bytes; the files stay."""
        files = [self.path("F.req"), self.path("F.y")]
        run("assay", "reply", "--commitment", os.path.join(self.models, "tiny"), "--prompt", "The ", "-n", 4, "--req", files[0],
            "--y", files[1])
        out = []
        for name in files:
            with open(name, "rb") as f:
                out.append(f.read())
        return out

    def start(self, *flags, **more):
        d = Daemon(self, *flags, **more)
        self.daemons.append(d)
        return d

    def remove(self):
        for d in self.daemons:
            if d.process.poll() is None:
                d.process.kill()
                d.process.wait()
        shutil.rmtree(self.work, ignore_errors=True)


class Daemon:
    def __init__(self, site, *flags, queue="queue.sqlite", ready=True, env=None, own_listen=False, own_page=False, before=None):
        self.work, number = site.work, len(site.daemons)
        self.address = f"unix:{site.path(f's{number}')}"
        self.log_path = site.path(f"log{number}")
        arguments = [*([] if own_listen else ["--listen", self.address]), *([] if own_page else ["--status-listen", ""]), "--queue",
                     site.path(queue), "--circuits", site.circuits, "--models", site.models, *flags]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([os.path.join(BIN, "assayd"), *arguments], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=os.environ | (env or {}), preexec_fn=before)
        if ready:
            self.wait_log(r" ready$")

    def log(self):
        with open(self.log_path, encoding="utf-8") as f:
            return f.read()

    def wait_log(self, pattern, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.log(), re.M):
            check(self.process.poll() is None, "the daemon ended:", self.process.returncode, self.log()[-3000:])
            check(time.monotonic() < end, "no", pattern, "in", self.log()[-3000:])
            time.sleep(0.02)

    def begin(self, method, *requests, **more):
        return Call(self, method, *requests, **more)

    def call(self, method, request, **more):
        """(code, text, the message or None)"""
        code, words, messages = self.begin(method, request, **more).results()[0]
        return code, words, messages[-1] if messages else None

    def ask(self, method, request, **more):
        code, words, message = self.call(method, request, **more)
        check(code == "OK", method, code, words)
        return message

    def groth16(self, job, witnesses, circuit="small", **more):
        return self.call(OWN + "SubmitGroth16", {1: job, 2: circuit, 3: witnesses, **{int(k[1:]): v for k, v in more.items()}})

    def wait(self, job, timeout_ms=0):
        """(status, message) of AwaitProof."""
        m = self.ask(CUZK + "AwaitProof", {1: job, 2: timeout_ms})
        return m[2][0], m

    def stop(self, by=signal.SIGTERM, code=0):
        self.process.send_signal(by)
        return self.ended(code)

    def ended(self, code=0):
        check(self.process.wait(PATIENCE) == code, "the daemon ended with", self.process.returncode, self.log()[-2000:])
        return self.log()


def workers(daemon):
    """Processes of partitions: grandchildren of the daemon."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as f:
                    parents[int(name)] = int(f.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    return {pid for pid, parent in parents.items() if parents.get(parent) == daemon.process.pid}


class Blocked:
    """While this is entered, jobs wait: a job of the highest priority is being worked, by processes that are stopped."""

    def __init__(self, d, witness, circuit="slow"):
        self.d, self.witness, self.circuit, self.job = d, witness, circuit, f"slow{time.monotonic()}"

    def __enter__(self):
        stopped = set()
        check(self.d.groth16(self.job, [self.witness] * 16, circuit=self.circuit, _5=4)[0] == "OK")
        self.d.wait_log("job_claimed job=" + self.job)
        end, quiet = time.monotonic() + PATIENCE, 0
        while quiet < 20:  # until no new ones have come for a while
            new = workers(self.d) - stopped
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            stopped |= new
            self.stopped = stopped
            quiet = 0 if new or not stopped else quiet + 1
            check(time.monotonic() < end, "no worker came", self.d.log()[-1000:])
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.d.ask(CUZK + "CancelProof", {1: self.job})
        check(self.d.wait(self.job)[0] == CANCELLED)
        for pid in self.stopped & workers(self.d):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def porep(job, body, **more):
    return {1: job, 2: POREP, 3: 32 << 30, 10: body, 20: 7, 21: 1000, **{int(k[1:]): v for k, v in more.items()}}
