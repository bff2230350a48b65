#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of ../test_grpc.py with Debian's grpcio. Messages are written by hand, so that no generated code is needed.
    client.py ADDRESS [--ca FILE --cert FILE --key FILE] [--token TOKEN] [--quick]"""
import argparse
import threading
import time

import grpc

parser = argparse.ArgumentParser()
parser.add_argument("address")
for option in ("--ca", "--cert", "--key", "--token"):
    parser.add_argument(option)
parser.add_argument("--quick", action="store_true")
args = parser.parse_args()
LIMITS = [("grpc.max_send_message_length", 256 << 20), ("grpc.max_receive_message_length", 256 << 20)]
TEST = "/assay.test.v1.Test/"
metadata = [("authorization", "Bearer " + args.token)] if args.token else None


def channel():
    options = LIMITS + [("grpc.use_local_subchannel_pool", 1)]
    if args.ca:
        ca, key, cert = (open(f, "rb").read() for f in (args.ca, args.key, args.cert))
        return grpc.secure_channel(args.address, grpc.ssl_channel_credentials(ca, key, cert), options)
    return grpc.insecure_channel(args.address, options)


def varint(v):
    out = b""
    while True:
        out += bytes([v & 127 | (128 if v > 127 else 0)])
        v >>= 7
        if not v:
            return out


def number(field, v):
    return varint(field << 3) + varint(v) if v else b""


def data(field, b):
    return varint(field << 3 | 2) + varint(len(b)) + b if b else b""


def fields(b):
    """{field: last value} of a message."""
    out, at = {}, 0

    def read():
        nonlocal at
        v = shift = 0
        while True:
            byte = b[at]
            at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return v
    while at < len(b):
        tag = read()
        v = read()
        if tag & 7 == 2:
            v, at = b[at:at + v], at + v
        out[tag >> 3] = v
    return out


main = channel()


def unary(method, q, timeout=60, ch=None, **more):
    return fields((ch or main).unary_unary(TEST + method if "/" not in method else method)(
        q, timeout=timeout, metadata=metadata, **more))


def refused(code, method, q, timeout=60, **more):
    try:
        unary(method, q, timeout, **more)
    except grpc.RpcError as e:
        assert e.code() == code, (e.code(), e.details(), code)
        return e.details()
    raise AssertionError(f"{method} should have failed with {code}")


def until(what):
    for _ in range(500):
        if what():
            return
        time.sleep(0.02)
    raise AssertionError("did not happen in 10 s")


def done(name):
    print("ok", name, flush=True)


S = grpc.StatusCode
for n in (0, 1, 1000, 100000, (4 << 20) + 1):
    p = bytes(i * 7 & 255 for i in range(min(n, 5000))) + bytes(max(n - 5000, 0))
    assert unary("Echo", data(1, p)).get(1, b"") == p
done("echo")
big = bytes(70_000_000)
assert unary("Echo", data(1, big))[1] == big
done("70 MB")
numbers = [fields(m).get(3, 0) for m in main.unary_stream(TEST + "Count")(number(1, 100) + number(3, 10000), timeout=60, metadata=metadata)]
assert numbers == list(range(100)), numbers
done("stream")
assert refused(S.NOT_FOUND, "Fail", number(1, 5) + data(2, "50% of é failed".encode())) == "50% of é failed"
done("status")
assert 0 < unary("Echo", b"", timeout=30)[2] <= 31000  # clients round up
before = unary("Counters", b"").get(2, 0)
refused(S.DEADLINE_EXCEEDED, "Sleep", number(1, 20000), timeout=0.3)
until(lambda: unary("Counters", b"").get(2, 0) == before + 1)
done("deadline")
started = unary("Counters", b"").get(1, 0)
call = main.unary_unary(TEST + "Sleep").future(number(1, 20000), metadata=metadata)
until(lambda: unary("Counters", b"").get(1, 0) == started + 1)
call.cancel()
until(lambda: unary("Counters", b"").get(2, 0) == before + 2)
stream = main.unary_stream(TEST + "Count")(number(1, 1000000) + number(2, 5), metadata=metadata)
next(stream)
next(stream)
stream.cancel()
until(lambda: unary("Counters", b"").get(2, 0) == before + 3)
done("cancel")
refused(S.UNIMPLEMENTED, "Nothing", b"")
refused(S.UNIMPLEMENTED, "/a.B/C", b"")
done("unknown method")
refused(S.UNIMPLEMENTED, "Echo", data(1, bytes(1000)), compression=grpc.Compression.Gzip)
done("compressed")
refused(S.RESOURCE_EXHAUSTED, "Echo", data(1, bytes(81 << 20)))
assert unary("Echo", data(1, b"x"))[1] == b"x"
done("oversized")
replies = [fields(m)[1] for m in main.stream_stream(TEST + "Talk")((data(1, bytes([65 + i])) for i in range(5)), timeout=60, metadata=metadata)]
assert replies == [b"A", b"B", b"C", b"D", b"E"], replies
done("both ways")
assert unary("/grpc.health.v1.Health/Check", b"")[1] == 1
assert unary("/grpc.health.v1.Health/Check", data(1, b"assay.test.v1.Test"))[1] == 1
refused(S.NOT_FOUND, "/grpc.health.v1.Health/Check", data(1, b"none"))
done("health")
for version in ("v1", "v1alpha"):
    info = main.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
    answers = [fields(m) for m in info(iter([data(7, b"*"), data(4, b"assay.test.v1.Test")]), timeout=60, metadata=metadata)]
    assert b"assay.test.v1.Test" in answers[0][6] and b"assay/test/v1/test.proto" in answers[1][4], answers
done("reflection")
if args.token:
    kept, metadata = metadata, [("authorization", "Bearer wrong")]
    refused(S.UNAUTHENTICATED, "Echo", b"")
    metadata = None
    refused(S.UNAUTHENTICATED, "Echo", b"")
    metadata = kept
done("token")
good = []


def one_client():
    with channel() as ch:
        good.append(unary("Sleep", number(1, 200), ch=ch))


threads = [threading.Thread(target=one_client) for _ in range(20 if args.quick else 100)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(good) == len(threads)
done("many clients")
