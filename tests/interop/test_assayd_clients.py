#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Foreign gRPC clients speak cuzk.v1 and assay.v1 to assayd: Debian's grpcio, @grpc/grpc-js from npm, google.golang.org/grpc as
Curio uses it. A client that cannot be had here is named; if none can, the test is skipped.
ctest: labels interop
ctest: timeout 900

    test_assayd_clients.py [python|node|go]..."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "daemon")]
sys.dont_write_bytecode = True
import grpc_clients  # noqa: E402
from assayd import Blocked, Site  # noqa: E402

FREE = ["groth16", "watch", "same id", "failed in band", "70 MB", "errors", "status"]
BLOCKED = ["deadline", "timeout", "cancel"]


def play(name, client, address, witness, mode, scenarios):
    command, cwd = client
    run = subprocess.run([*command, address, witness, mode], capture_output=True, text=True, cwd=cwd, timeout=400, check=False)
    passed = [line[3:] for line in run.stdout.splitlines() if line.startswith("ok ")]
    good = run.returncode == 0 and passed == scenarios
    print(f"{name}: {len(passed)} of {len(scenarios)} scenarios passed over {address.split(':')[0]}, {mode}")
    if not good:
        print(run.stdout[-2000:], run.stderr[-3000:])
    return good


def main():
    clients = grpc_clients.prepare(os.path.join(HERE, "assayd"), sys.argv[1:])
    if not clients:
        print("no foreign client can be had here")
        return 77
    site, good = Site(), True
    try:
        witness = site.path("witness.wtns")
        with open(witness, "wb") as f:
            f.write(site.circuit("small", 100, [3])[0])
        slow = site.circuit("slow", 20000, [3])[0]
        # Over TCP and a unix socket, whose name comes first for the calls of this script.
        d = site.start("--listen", f"unix:{site.path('s')},127.0.0.1:0", "--log-level", "debug", own_listen=True)
        d.address = f"unix:{site.path('s')}"
        port = [line.split("port=")[1] for line in d.log().splitlines() if "listening address=127" in line][0]
        for name, client in clients.items():
            good &= play(name, client, f"127.0.0.1:{port}", witness, "free", FREE)
        with Blocked(d, slow):
            for name, client in clients.items():
                good &= play(name, client, d.address, witness, "blocked", BLOCKED)
        log = d.stop()
        if not good:
            print(log[-3000:])
    finally:
        site.remove()
    return 0 if good else 1


sys.exit(main())
