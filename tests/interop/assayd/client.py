#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of ../test_assayd_clients.py with Debian's grpcio.
    client.py ADDRESS WITNESS MODE"""
import os
import sys
import threading
import time

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "daemon"))
from assayd import CANCELLED, COMPLETED, CUZK, FAILED, OWN, TIMEOUT, check, decode, encode, porep, text  # noqa: E402

address, witness_file, mode = sys.argv[1:]
with open(witness_file, "rb") as f:
    WITNESS = f.read()
LIMITS = [("grpc.max_send_message_length", 256 << 20), ("grpc.max_receive_message_length", 256 << 20)]
channel = grpc.insecure_channel(address, LIMITS)


def call(method, request, timeout=120):
    return decode(channel.unary_unary(method)(encode(request), timeout=timeout))


def refused(code, method, request, timeout=120):
    try:
        call(method, request, timeout)
    except grpc.RpcError as e:
        check(e.code() == code, method, e)
        return e.details()
    raise AssertionError(f"{method} should have been refused with {code}")


def done(name):
    print("ok", name, flush=True)


def free():
    request = {1: "py-groth16", 2: "small", 3: [WITNESS, WITNESS]}
    check(text(call(OWN + "SubmitGroth16", request), 1) == "py-groth16")
    m = call(CUZK + "AwaitProof", {1: "py-groth16"})
    check(m[2] == [COMPLETED] and b'"pi_a"' in m[3][0], m)
    done("groth16")
    events = [decode(e) for e in channel.unary_stream(OWN + "Watch")(encode({1: "py-groth16"}), timeout=60)]
    result = decode(events[-1][11][0])
    check(events[-1][4] == [3] and len(result[1]) == 2 and b"".join(result[1]) == m[3][0], events)
    done("watch")
    check(call(OWN + "SubmitGroth16", request)[2] == [1])
    request[3] = [WITNESS]
    refused(grpc.StatusCode.ALREADY_EXISTS, OWN + "SubmitGroth16", request)
    done("same id")
    m = decode(call(CUZK + "Prove", {1: porep("py-porep", b"{}")})[1][0])
    check(m[2] == [FAILED] and text(m, 4), m)
    done("failed in band")
    m = decode(call(CUZK + "Prove", {1: porep("py-large", bytes(70_000_000))})[1][0])
    check(m[2] == [FAILED] and text(m, 1) == "py-large", m)
    done("70 MB")
    check(refused(grpc.StatusCode.INVALID_ARGUMENT, CUZK + "SubmitProof", {2: 1}).startswith("vanilla_proof"))
    refused(grpc.StatusCode.NOT_FOUND, CUZK + "AwaitProof", {1: "py-none"})
    refused(grpc.StatusCode.NOT_FOUND, OWN + "SubmitGroth16", {2: "none", 3: WITNESS})
    done("errors")
    check(call(CUZK + "GetStatus", {}, 5)[4][0] >= 1)
    check(b"# TYPE assay_" in call(CUZK + "GetMetrics", {})[1][0])
    done("status")


def blocked():
    begun = time.monotonic()
    refused(grpc.StatusCode.DEADLINE_EXCEEDED, CUZK + "Prove", {1: porep("py-late", b"{}")}, 0.5)
    check(time.monotonic() - begun < 20)
    check(call(CUZK + "AwaitProof", {1: "py-late"})[2][0] in (CANCELLED, FAILED))
    done("deadline")
    call(CUZK + "SubmitProof", porep("py-waits", b"{}"))
    check(call(CUZK + "AwaitProof", {1: "py-waits", 2: 200})[2] == [TIMEOUT])
    done("timeout")
    check(call(CUZK + "CancelProof", {1: "py-waits"}).get(1, [0]) == [0])
    future = channel.unary_unary(CUZK + "Prove").future(encode({1: porep("py-gone", b"{}")}), timeout=100)
    while True:
        try:
            call(CUZK + "AwaitProof", {1: "py-gone", 2: 1})
            break
        except grpc.RpcError:
            time.sleep(0.02)
    threading.Timer(0.1, future.cancel).start()
    check(call(CUZK + "AwaitProof", {1: "py-gone"})[2] == [CANCELLED])
    done("cancel")


{"free": free, "blocked": blocked}[mode]()
