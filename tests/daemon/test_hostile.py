#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile HTTP/2 against the gRPC server, over real sockets: peers that are slow, silent, greedy or not HTTP/2 at all are
turned away in time, in bounded memory, and others are served meanwhile.
ctest: labels nosan
ctest: timeout 300"""
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
SERVER = os.path.join(BUILD, "tests", "drivers", "test_server")
DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    n = len(value)
    return b"\0" + bytes([len(name)]) + name + (bytes([n]) if n < 127 else bytes([127, (n - 127) & 127 | 128, (n - 127) >> 7])) + value


def headers(stream, method=b"Echo", extra=b"", post=True, kind=b"application/grpc"):
    block = (b"\x83" if post else b"\x82") + b"\x86" + literal(b":path", b"/assay.test.v1.Test/" + method)
    block += literal(b":authority", b"x") + literal(b"content-type", kind) + literal(b"te", b"trailers") + extra
    return frame(HEADERS, 4, stream, block)


def message(p, flag=0):
    return bytes([flag]) + struct.pack(">I", len(p)) + p


class Server:
    def __init__(self, *keys):
        self.process = subprocess.Popen([SERVER, "127.0.0.1:0", "limits.message", "1MiB", "limits.connection_memory", "4MiB",
                                         "limits.total_memory", "8MiB", "limits.handshake_timeout", "1500ms",
                                         "limits.request_timeout", "2s", "limits.keepalive", "2s", "limits.idle_timeout", "3s",
                                         "limits.streams", "20", "limits.connections", "50", *keys],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        assert self.process.stdout.readline() == "ready\n"

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        return {k: int(v) for k, v in zip(words[::2], words[1::2])}

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) << 10

    def stop(self):
        self.process.stdin.close()
        assert self.process.stdout.read() == "stopped\n"
        assert self.process.wait(30) == 0


class Peer:
    """A raw connection; everything received, cut into frames."""
    def __init__(self, server, greet=True):
        self.s = socket.create_connection(("127.0.0.1", server.port))
        self.s.settimeout(10)
        self.bytes, self.closed = b"", False
        if greet:
            self.send(PREFACE + frame(SETTINGS))

    def send(self, *frames):
        try:
            self.s.sendall(b"".join(frames))
        except OSError:
            self.closed = True
        return self

    def receive(self, seconds, until=lambda frames: False):
        """Frames that come within the time, the end of the connection, or until enough came."""
        end = time.monotonic() + seconds
        while not self.closed and not until(self.frames()) and time.monotonic() < end:
            self.s.settimeout(max(end - time.monotonic(), 0.01))
            try:
                p = self.s.recv(1 << 16)
                self.closed = not p
                self.bytes += p
            except socket.timeout:
                break
            except OSError:
                self.closed = True
        return self.frames()

    def frames(self):
        out, at = [], 0
        while len(self.bytes) >= at + 9:
            n = int.from_bytes(self.bytes[at:at + 3], "big")
            if len(self.bytes) < at + 9 + n:
                break
            kind, flags = self.bytes[at + 3], self.bytes[at + 4]
            out.append((kind, flags, int.from_bytes(self.bytes[at + 5:at + 9], "big"), self.bytes[at + 9:at + 9 + n]))
            at += 9 + n
        return out


def ended(stream):
    return lambda frames: any(f[2] == stream and f[0] in (DATA, HEADERS) and f[1] & 1 for f in frames)


def has(frames, kind, stream=None):
    return [f for f in frames if f[0] == kind and stream in (None, f[2])]


def serves(server, what):
    """An honest client is answered."""
    p = Peer(server)
    p.send(headers(1), frame(DATA, 1, 1, message(b"\x0a\x05hello")))
    got = p.receive(10, ended(1))
    assert b"hello" in b"".join(f[3] for f in has(got, DATA, 1)), (what, got)
    p.s.close()


def until_idle(server):
    for _ in range(200):
        held = server.ask()
        if held["connections"] == 0 and held["memory"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"still held: {held}")


def closed_within(peer, least, most, what):
    begun = time.monotonic()
    peer.receive(most + 2)
    took = time.monotonic() - begun
    assert peer.closed and least <= took <= most, (what, peer.closed, took)


def not_http2(server):
    for words in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", bytes(range(256)), PREFACE[:-1] + b"x"):
        p = Peer(server, greet=False).send(words)
        closed_within(p, 0, 8, words)


def slow_beginnings(server):
    silent = Peer(server, greet=False)
    half = Peer(server, greet=False).send(PREFACE[:10])
    no_settings = Peer(server, greet=False).send(PREFACE)
    dribble = Peer(server, greet=False)
    for p in (silent, half, no_settings):
        closed_within(p, 0, 8, "slow beginning")
    for b in PREFACE + frame(SETTINGS):
        dribble.send(bytes([b]))
        time.sleep(0.06)
    closed_within(dribble, 0, 8, "dribbled preface")


def slow_requests(server):
    begun = time.monotonic()
    no_body = Peer(server).send(headers(1))
    part = Peer(server).send(headers(1), frame(DATA, 0, 1, message(bytes(1000))[:100]))
    open_block = Peer(server).send(frame(HEADERS, 0, 1, b"\x83"))
    for p in (no_body, part):
        got = p.receive(8, lambda frames: has(frames, RST, 1))
        assert has(got, RST, 1), got
    assert 1 <= time.monotonic() - begun < 9
    assert open_block.receive(8) is not None and open_block.closed  # nothing goes on inside a header block
    dribble = Peer(server).send(headers(1))
    for i in range(100):
        dribble.send(frame(DATA, 0, 1, b"\0"))
        if has(dribble.receive(0.05), RST, 1):
            break
    assert i < 90, "a dribbled body"


def refused_requests(server):
    """Each ends the call, not the connection."""
    p, stream = Peer(server), 1
    for what in (headers(1, b"Nothing"), headers(3, post=False), headers(5, kind=b"text/html"),
                 headers(7, extra=literal(b"grpc-encoding", b"gzip")), headers(9, extra=literal(b"grpc-timeout", b"soon"))):
        p.send(what)
        got = p.receive(5, ended(stream))
        assert ended(stream)(got), (stream, got)
        stream += 2
    for body in (message(b"x", 1), message(b"x", 2), b"\0\xff\xff\xff\xff", b"", message(b"")[:3], message(b"") * 2, b"\0\0\x20\0\0"):
        p.send(headers(stream), frame(DATA, 1, stream, body))
        got = p.receive(5, ended(stream))
        assert ended(stream)(got) and not has(got, DATA, stream), (stream, body, got)
        stream += 2
    p.send(headers(stream), frame(DATA, 1, stream, message(b"\x0a\x01z")))
    assert has(p.receive(5, ended(stream)), DATA, stream), "after the refusals"
    assert not p.closed


def broken_frames(server):
    """Each ends the connection, at once."""
    for what in (frame(DATA, 0, 1, b"x"), frame(HEADERS, 4, 2, b"\x83"), frame(HEADERS, 4, 1, b"\xff\xff\xff\xff\xff\xff"),
                 struct.pack(">I", 1 << 20)[1:] + bytes([DATA, 0, 0, 0, 0, 1]), frame(SETTINGS, 0, 0, b"12345"), frame(PING, 0, 0, b"1"),
                 frame(WINDOW, 0, 0, bytes(4)), frame(PUSH, 4, 1, bytes(4)), frame(CONTINUATION, 4, 1, b"\x83"),
                 frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0xFFFFFFFF)), frame(RST, 0, 9, bytes(4))):
        p = Peer(server).send(what)
        p.receive(5, lambda frames: has(frames, GOAWAY))
        assert has(p.frames(), GOAWAY) or p.closed, what


def floods(server):
    for name, what, n in (("ping", frame(PING, 0, 0, bytes(8)), 30000), ("settings", frame(SETTINGS), 30000),
                          ("priority", frame(PRIORITY, 0, 1, bytes([0, 0, 0, 3, 1])), 30000),
                          ("resets", None, 5000), ("empty data", headers(1) + frame(DATA, 0, 1) * 20000, 1)):
        p = Peer(server)
        if what is None:  # rapid reset
            what, n = b"".join(headers(1 + 2 * i) + frame(RST, 0, 1 + 2 * i, struct.pack(">I", 8)) for i in range(n)), 1
        for _ in range(n // 1000 + 1):
            p.send(what * min(n, 1000))
            if p.closed:
                break
        p.receive(8, lambda frames: has(frames, GOAWAY))
        assert p.closed or has(p.frames(), GOAWAY), name
        p.s.close()
    # Many continuations of one block, and a block that is too large.
    p = Peer(server).send(frame(HEADERS, 0, 1, b"\x83"), frame(CONTINUATION, 0, 1, b"") * 1000)
    p.receive(5, lambda frames: has(frames, GOAWAY))
    assert p.closed or has(p.frames(), GOAWAY)
    big = b"".join(literal(b"x-%d" % i, b"v" * 1000) for i in range(40))
    p = Peer(server).send(frame(HEADERS, 0, 1, b"\x83" + big[:16000]), frame(CONTINUATION, 4, 1, big[16000:32000 - 16000]), headers(3))
    p.receive(5, lambda frames: has(frames, RST, 1) or has(frames, GOAWAY))
    assert p.closed or has(p.frames(), RST, 1) or has(p.frames(), GOAWAY)


def greedy(server):
    """More calls than allowed on one connection, and more bytes than allowed in all."""
    p = Peer(server).send(*(headers(1 + 2 * i, b"Sleep") for i in range(30)))
    got = p.receive(5, lambda frames: len({f[2] for f in has(frames, RST)}) >= 10)
    assert len({f[2] for f in has(got, RST)}) >= 10, got
    p.s.close()
    until_idle(server)
    before, peers = server.resident(), []
    block = bytes(16000)
    for _ in range(20):
        p = Peer(server)
        peers.append(p)
        p.receive(5, lambda frames: has(frames, WINDOW, 0))
        p.send(frame(SETTINGS, 1))  # now the large windows hold
        for i in range(6):
            p.send(headers(1 + 2 * i), frame(DATA, 0, 1 + 2 * i, message(bytes(1 << 20))[:16000]), *(frame(DATA, 0, 1 + 2 * i, block) for _ in range(60)))
    time.sleep(0.2)
    assert server.ask()["memory"] <= 8 << 20
    grown = server.resident() - before
    assert grown < 40 << 20, grown  # 120 MB were sent
    assert any(any(f[1] & 1 for f in has(p.receive(0.1), HEADERS)) for p in peers), "nobody was refused"
    for p in peers:
        p.s.close()


def does_not_read(server):
    """A reply that is never taken does not stay."""
    p = Peer(server, greet=False).send(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))  # no window at all
    p.send(headers(1), frame(DATA, 1, 1, message(b"\x0a\xa8\x46" + bytes(9000))))
    got = p.receive(8, lambda frames: has(frames, RST, 1))
    assert has(got, RST, 1) or p.closed
    full = Peer(server).send(frame(WINDOW, 0, 0, struct.pack(">I", 1 << 30)), headers(1, b"Count"),
                             frame(DATA, 1, 1, message(b"\x08\x90\x4e\x18\x80\x80\x04")))  # 10,000 messages of 64 KiB, socket full
    time.sleep(4)
    assert server.ask()["memory"] <= 4 << 20
    full.s.close()


def too_many(server):
    peers = [Peer(server) for _ in range(60)]
    time.sleep(0.3)
    held = server.ask()
    assert held["connections"] <= 50 and held["refused"] >= 10, held
    for p in peers:
        p.s.close()
    until_idle(server)


def idle(server):
    """Idle ones are told and closed; a ping that is not answered ends a connection too."""
    p = Peer(server)
    got = p.receive(8)
    assert p.closed and (has(got, GOAWAY) or has(got, PING)), got
    busy = Peer(server).send(headers(1, b"Sleep"), frame(DATA, 1, 1, message(b"\x08\xe0\x5d")))  # 12 s; answers pings
    for _ in range(60):
        frames = busy.receive(0.1)
        pings = [f for f in has(frames, PING) if not f[1] & 1]
        busy.bytes = b""
        for ping in pings:
            busy.send(frame(PING, 1, 0, ping[3]))
    assert not busy.closed
    busy.s.close()


def calls_take_memory():
    """Calls that say nothing count too: 64 at 8 KiB are more than 256 KiB."""
    server = Server("limits.message", "16KiB", "limits.connection_memory", "256KiB", "limits.total_memory", "256KiB")
    peers = [Peer(server).send(*(headers(1 + 2 * i) for i in range(16))) for _ in range(4)]
    refused = sum(sum(f[1] & 1 for f in has(p.receive(0.3), HEADERS)) for p in peers)
    assert refused == 32, refused
    for p in peers:
        p.s.close()
    until_idle(server)
    serves(server, "calls_take_memory")
    server.stop()


def tls(folder):
    subprocess.run([SERVER, "--certificates", folder, "ours"], check=True)
    server = Server("tls.certificate", f"{folder}/ours-server.pem", "tls.key", f"{folder}/ours-server.key")

    def shake(alpn, **limits):
        context = ssl.create_default_context(cafile=f"{folder}/ours.pem")
        for key, value in limits.items():
            setattr(context, key, value)
        if alpn:
            context.set_alpn_protocols(alpn)
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.settimeout(5)
            with context.wrap_socket(raw, server_hostname="localhost") as s:
                return s.version(), s.selected_alpn_protocol(), s.recv(100)
    warnings.simplefilter("ignore", DeprecationWarning)  # old versions are asked for on purpose
    for alpn, limits in ((["http/1.1"], {}), (["h2"], {"maximum_version": ssl.TLSVersion.TLSv1_1, "minimum_version": ssl.TLSVersion.TLSv1}),
                         ([], {})):
        try:
            got = shake(alpn, **limits)
            assert not got[2], got  # without ALPN the handshake ends well, and then the connection
        except OSError:
            pass
    assert shake(["http/1.1", "h2"])[1] == "h2"
    assert shake(["h2"], maximum_version=ssl.TLSVersion.TLSv1_2)[0] == "TLSv1.2"
    silent = Peer(server, greet=False)
    closed_within(silent, 0, 8, "no handshake")
    half = Peer(server, greet=False).send(b"\x16\x03\x01\x02\x00\x01")
    closed_within(half, 0, 8, "half a handshake")
    until_idle(server)
    server.stop()


def main():
    server = Server()
    for attack in (not_http2, slow_beginnings, slow_requests, refused_requests, broken_frames, floods, greedy, does_not_read, too_many, idle):
        begun = time.monotonic()
        attack(server)
        serves(server, attack.__name__)
        until_idle(server)
        print(f"{attack.__name__}: turned away, {time.monotonic() - begun:.1f} s", flush=True)
    server.stop()
    calls_take_memory()
    with tempfile.TemporaryDirectory() as folder:
        tls(folder)
    print("tls: turned away")


main()
sys.exit(0)
