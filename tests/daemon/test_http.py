#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The status listener against clients that are strange, slow, many, or not allowed to look."""
import base64
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("ASSAY_BINARY_DIR", "build")
DRIVER = os.path.join(BUILD, "tests/drivers/test_status")
HOSTILE = "<img/src=x/onerror=document.title='owned'>\"';--&amp;</script>"
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        raise SystemExit(f"FAILED: {what}")


class Status:
    """A running test_status."""

    def __init__(self, *args):
        self.p = subprocess.Popen([DRIVER, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.p.stdout.readline()
        check(first.startswith("port "), f"it began: {first}")
        self.port = int(first.split()[1])

    def say(self, word):
        self.p.stdin.write(word + "\n")
        self.p.stdin.flush()
        check(self.p.stdout.readline().strip() == word, f"it heard {word}")

    def get(self, path, method="GET", headers=None, host=None, context=None):
        kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
        c = kind("127.0.0.1", self.port, timeout=20, **({"context": context} if context else {}))
        try:
            c.request(method, path, headers=dict(headers or {}, **({"host": host} if host else {})))
            r = c.getresponse()
            body = r.read()
            return r.status, {k.lower(): v for k, v in r.getheaders()}, body
        finally:
            c.close()

    def raw(self, data, wait=20):
        """What comes back for these bytes, until the connection ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as s:
            try:
                s.sendall(data)
                got = b""
                while part := s.recv(65536):
                    got += part
            except ConnectionError:
                pass
            return got

    def end(self):
        self.p.stdin.close()
        check(self.p.stdout.read() == "stopped\n", "it stopped")
        check(self.p.wait(20) == 0, "exit code")


def pages(s):
    code, headers, body = s.get("/status")
    check(code == 200 and headers["content-type"] == "application/json", "/status")
    status = json.loads(body)
    check(any(j["id"] == HOSTILE for j in status["jobs"]), "an id comes back as it was")
    # the names that cuzk's users read
    check(set(status) >= {"uptime_secs", "memory", "synthesis", "pipelines", "gpu_workers", "allocations", "counters", "buffers"}, "cuzk's members")
    check(set(status["memory"]) >= {"total_bytes", "used_bytes", "available_bytes"}, "memory")
    check(status["synthesis"] == {"max_concurrent": 8, "active": 5}, "synthesis")
    first = status["pipelines"][0]
    check(set(first) == {"job_id", "proof_kind", "started_secs_ago", "total_partitions", "partitions_done", "partitions"}, "pipelines")
    check([p["state"] for p in first["partitions"]] == ["done"] * 4 + ["gpu", "synth_done"] + ["synthesizing"] * 3 + ["pending"], "states")
    check(first["partitions"][0] == {"index": 0, "state": "done", "synth_ms": 35000, "gpu_ms": 17000}, "a partition that is done")
    check(first["partitions"][9] == {"index": 9, "state": "pending", "synth_ms": None, "gpu_ms": None}, "a partition that waits")
    check(len(status["pipelines"]) == 3, "finished jobs are in it for 30 s only")
    check({w["state"] for w in status["gpu_workers"]} == {"proving"} and len(status["gpu_workers"]) == 2, "provers")
    check([k["evictable"] for k in status["allocations"]["srs"]] == [False] * 4 and status["allocations"]["pce"] == [], "keys")
    check(status["counters"]["queue_depth"] == 37 and status["counters"]["completed_by_kind"]["groth16"] == 1200, "counters")
    check(status["per_minute"][:2] == [8, 8 + 37 % 11 - 13 % 5] and len(status["per_minute"]) == 120, "minutes")
    check("killed for want of memory" in status["advice"], "advice")
    code, headers, body = s.get("/")
    check(code == 200 and body.startswith(b"<!doctype html>") and body.rstrip().endswith(b"</html>"), "/")
    policy = headers["content-security-policy"]
    for tag in ("script", "style"):
        import hashlib
        inside = re.search(rb"<%s>(.*?)</%s>" % (tag.encode(), tag.encode()), body, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(inside).digest()).decode()
        check(f"{tag}-src 'sha256-{digest}'" in policy, f"the policy allows the page's own {tag}")
    check(re.fullmatch("default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self'; img-src data:; "
                       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'", policy), "and nothing else")
    check(not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", body), "nothing from elsewhere")
    check(not re.search(rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\sstyle=|\son[a-z]+=\"", body), "texts stay texts")
    check(headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store", "headers")
    code, headers, body = s.get("/metrics")
    check(code == 200 and headers["content-type"].startswith("text/plain; version=0.0.4"), "/metrics")
    check(b"\nassay_jobs_submitted_total 1290\n" in body and b"\nassay_connections 3\n" in body, "metrics")
    check(s.get("/healthz")[::2] == (200, b"ok\n") and s.get("/readyz")[::2] == (200, b"ready\n"), "health")
    for path in ("/x", "/status/", "//status", "/../etc/passwd", "/Status", "/index.html"):
        check(s.get(path)[0] == 404, f"{path} is not there")
    check(s.get("/status?x=1")[0] == 200, "a query is left aside")


def states(s):
    s.say("not-ready")
    check(s.get("/readyz")[::2] == (503, b"not ready\n") and s.get("/healthz")[0] == 200, "not ready, but alive")
    s.say("draining")
    check(s.get("/readyz")[::2] == (503, b"draining\n"), "draining")
    s.say("gone")
    check(s.get("/status")[0] == 503 and s.get("/metrics")[0] == 503 and s.get("/readyz")[0] == 503, "out of memory")
    s.say("empty")
    empty = json.loads(s.get("/status")[2])
    check(empty["jobs"] == [] and empty["memory"]["found"]["group_limit_bytes"] is None, "an idle engine")
    s.say("busy")


def methods(s):
    code, headers, body = s.get("/status", "HEAD")
    check(code == 200 and body == b"" and int(headers["content-length"]) > 1000, "HEAD")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        code, headers, _ = s.get("/status", method, headers={"content-length": "0"})
        check(code == 405 and headers["allow"] == "GET, HEAD", method)
    check(b" 413 " in s.raw(b"POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\n").split(b"\r\n")[0], "a body")
    check(b" 413 " in s.raw(b"GET /status HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").split(b"\r\n")[0], "a body in chunks")
    check(not s.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n").startswith(b"HTTP/1.1 2"), "TLS spoken to a plain port")
    check(not s.raw(b"GET /status\r\n\r\n").startswith(b"HTTP/1.1 2"), "HTTP 0.9")
    long = s.raw(b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    check(long == b"" or b" 4" in long.split(b"\r\n")[0], "a line of 100 kB")
    many = s.raw(b"GET /status HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(20000)) + b"\r\n")
    check(many == b"" or b" 4" in many.split(b"\r\n")[0], "20,000 headers")


def names(s):
    for host in ("localhost", "localhost:9821", "127.0.0.1:1", "127.8.9.1", "[::1]:9821", "[::1]"):
        check(s.get("/status", host=host)[0] == 200, f"host {host}")
    for host in ("evil.example", "evil.example:9821", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]:1", "[", "", ":", "a" * 400):
        for path in ("/", "/status", "/metrics", "/healthz", "/x"):
            check(s.raw(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path.encode(), host.encode())).startswith(b"HTTP/1.1 421 "), f"host {host}")


def http_connection(port):
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def limits(s):
    """64 connections are served, more are closed; what is slow is ended; afterwards all is well."""
    held = []
    try:
        for _ in range(64):
            held.append(socket.create_connection(("127.0.0.1", s.port), timeout=20))
            held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check(held[-1].recv(100).startswith(b"HTTP/1.1 200"), "one of 64")
        check(s.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") == b"", "the 65th is closed")
        start = time.monotonic()
        drip = held[0]
        try:  # a byte from time to time keeps libmicrohttpd's own timeout away
            drip.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
            while time.monotonic() - start < 40:
                drip.sendall(b"y")
                time.sleep(0.1)
        except ConnectionError:
            pass
        check(1 < time.monotonic() - start < 35, "a slow request is ended")
        while held[1].recv(1000):
            pass  # an idle one is ended too
        with http_connection(s.port) as c:  # as long as they come and are answered, requests may follow on one connection
            for _ in range(9):
                c.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                check(c.recv(1000).startswith(b"HTTP/1.1 200"), "a connection that is used")
                time.sleep(0.8)
    finally:
        for h in held:
            h.close()
    for _ in range(50):
        try:
            if s.get("/healthz")[0] == 200:
                break
        except (ConnectionError, http.client.HTTPException):
            time.sleep(0.1)
    check(s.get("/status")[0] == 200, "and then it serves again")


def tokens(work):
    s = Status("0.0.0.0:0", "correct horse")
    basic = lambda text: {"authorization": "Basic " + base64.b64encode(text).decode()}
    for path in ("/", "/status", "/metrics", "/x"):
        code, headers, body = s.get(path)
        check(code == 401 and headers["www-authenticate"].startswith("Basic realm=") and b"porep" not in body, f"{path} asks for the token")
        for h in ({"authorization": "Bearer correct hors"}, {"authorization": "Bearer correct horse2"}, {"authorization": "Bearer"},
                  {"authorization": "Bearer "}, {"authorization": "correct horse"}, basic(b"x:correct"), basic(b"correct horse:"),
                  basic(b"correct horse"), {"authorization": "Basic !!!"}, {"authorization": "Basic " + "A" * 9000}):
            check(s.get(path, headers=h)[0] == 401, f"{path} with {h}"[:120])
    check(s.get("/healthz")[0] == 200 and s.get("/readyz")[0] == 200, "probes need no token")
    for h in ({"authorization": "Bearer correct horse"}, {"authorization": "bEARER correct horse"}, basic(b"any:correct horse"), basic(b":correct horse")):
        check(s.get("/status", headers=h, host="some.name:9821")[0] == 200, f"with {h}")
    s.end()
    s = Status("127.0.0.1:0", "correct horse")
    check(s.get("/status")[0] == 200, "loopback needs no token")
    s.end()

    subprocess.run([os.path.join(BUILD, "tests/drivers/test_server"), "--certificates", work, "host"], check=True)
    files = sorted(os.listdir(work))
    check(files, "certificates")
    s = Status("0.0.0.0:0", "t", *certificate(work, files))
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    check(s.get("/status", headers={"authorization": "Bearer t"}, context=context)[0] == 200, "over TLS")
    check(not s.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200"), "not without TLS")
    s.end()


def certificate(work, files):
    key = next(f for f in files if "key" in f and "server" in f)
    cert = next(f for f in files if "key" not in f and "server" in f)
    return os.path.join(work, cert), os.path.join(work, key)


def places(work):
    path = os.path.join(work, "s.sock")
    s = Status("unix://" + path)
    with socket.socket(socket.AF_UNIX) as u:
        u.connect(path)
        u.sendall(b"GET /healthz HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
        check(u.recv(1000).startswith(b"HTTP/1.1 200"), "a unix socket")
    other = subprocess.run([DRIVER, "unix://" + path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check(other.returncode == 2 and "another process serves this socket" in other.stdout, "the socket is taken")
    s.end()
    check(not os.path.exists(path), "its file is gone")
    s = Status("127.0.0.1:0")
    other = subprocess.run([DRIVER, f"127.0.0.1:{s.port}"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check(other.returncode == 2 and "cannot listen" in other.stdout, "the port is taken")
    other = subprocess.run([DRIVER, "0.0.0.0:0", "t", "/none", "/none"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check(other.returncode == 2 and other.stdout.startswith("/none: "), "no certificate there")
    other = subprocess.run([DRIVER, "0.0.0.0:0", "t", __file__, __file__], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check(other.returncode == 2 and "cannot be used" in other.stdout, "a certificate that is none")
    s.end()


def main():
    with tempfile.TemporaryDirectory() as work:
        s = Status("127.0.0.1:0")
        for part in (pages, states, methods, names, limits):
            part(s)
        s.end()
        tokens(work)
        places(work)
    print(f"{checks} checks")


sys.exit(main())
