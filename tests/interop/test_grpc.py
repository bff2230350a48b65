#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The gRPC layer with foreign clients: Debian's grpcio, @grpc/grpc-js from npm, google.golang.org/grpc through the Go module
proxy. Each plays the same scenarios (grpc/client.*) over TCP, a unix socket, and mutual TLS with a token. A client that
cannot be had here is named; if none can, the test is skipped.
ctest: labels interop
ctest: timeout 900

    test_grpc.py [python|node|go]..."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import grpc_clients  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
SERVER = os.path.join(BUILD, "tests", "drivers", "test_server")
HERE = os.path.join(ROOT, "tests", "interop", "grpc")
SCENARIOS = ["echo", "70 MB", "stream", "status", "deadline", "cancel", "unknown method", "compressed", "oversized", "both ways",
             "health", "reflection", "token", "many clients"]


class Server:
    def __init__(self, listen, *keys):
        self.process = subprocess.Popen([SERVER, listen, "limits.message", "80MiB", *keys], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.ports = []
        while True:
            line = self.process.stdout.readline()
            if line.startswith("port "):
                self.ports.append(int(line.split()[1]))
            elif line == "ready\n":
                break
            else:
                raise RuntimeError(f"the server did not start: {line!r}")

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        return {k: int(v) for k, v in zip(words[::2], words[1::2])}

    def stop(self):
        self.process.stdin.close()
        last = self.process.stdout.read()
        assert self.process.wait(60) == 0 and last == "stopped\n", (self.process.returncode, last)


def play(name, client, address, server, *more):
    command, cwd = client
    run = subprocess.run([*command, address, *more], capture_output=True, text=True, cwd=cwd, timeout=400, check=False)
    passed = [line[3:] for line in run.stdout.splitlines() if line.startswith("ok ")]
    good = run.returncode == 0 and passed == SCENARIOS
    for _ in range(100):  # the last streams may be just ending
        held = server.ask()
        if held["memory"] == 0:
            break
        time.sleep(0.05)
    if held["memory"]:
        print(f"{name}: the server still holds {held['memory']} bytes")
        good = False
    print(f"{name}: {len(passed)} of {len(SCENARIOS)} scenarios passed over {address.split(':')[0]} {' '.join(more[-1:])}")
    if not good:
        print(run.stdout[-2000:], run.stderr[-3000:])
    return good


def main():
    clients = grpc_clients.prepare(HERE, sys.argv[1:])
    if not clients:
        print("no foreign client can be had here")
        return 77
    good = True
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([SERVER, "--certificates", work, "ours"], check=True)
        with open(os.path.join(work, "token"), "w", encoding="utf-8") as f:
            f.write("s3cret\n")
        at = {k: os.path.join(work, f"ours{k}") for k in (".pem", "-server.pem", "-server.key", "-client.pem", "-client.key")}
        plain = Server(f"127.0.0.1:0,unix:{work}/socket")
        tls = Server("127.0.0.1:0", "tls.certificate", at["-server.pem"], "tls.key", at["-server.key"], "tls.client_ca", at[".pem"],
                     "auth.token_file", os.path.join(work, "token"))
        for name, client in clients.items():
            dash = "-" if name == "go" else "--"
            files = [dash + "ca", at[".pem"], dash + "cert", at["-client.pem"], dash + "key", at["-client.key"],
                     dash + "token", "s3cret", dash + "quick"]
            good &= play(name, client, f"127.0.0.1:{plain.ports[0]}", plain)
            good &= play(name, client, f"unix:{work}/socket", plain, dash + "quick")
            good &= play(name, client, f"localhost:{tls.ports[0]}", tls, *files)
        plain.stop()
        tls.stop()
    return 0 if good else 1


sys.exit(main())
