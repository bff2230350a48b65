#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Five hundred clients at once, each with a connection of its own, among them some that dribble, vanish, cancel, or use an
id that others use too: every accepted job ends once, everybody gets an answer, and memory stays within bounds.
ctest: labels nosan
ctest: timeout 300"""
import asyncio
import collections
import re
import resource
import struct
import sys

from assayd import (CANCELLED, COMPLETED, CUZK, FAILED, OWN, Site, check, decode, encode, porep)

CLIENTS, SHARED, WATCHES = 500, 25, 2000
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request(stream, method, fields):
    block = b"\x83\x86" + literal(b":path", method.encode()) + literal(b":authority", b"x")
    block += literal(b"content-type", b"application/grpc") + literal(b"te", b"trailers")
    body = encode(fields)
    body = b"\0" + struct.pack(">I", len(body)) + body
    check(len(body) < 16384)
    return frame(HEADERS, 4, stream, block) + frame(DATA, 1, stream, body)


class Client:
    """One connection; calls that are answered by messages, or by none if they fail."""

    async def open(self, d):
        self.reader, self.writer = await asyncio.open_unix_connection(d.address[5:])
        self.streams, self.bodies, self.ends = 1, collections.defaultdict(bytearray), {}
        self.writer.write(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1 << 24)) +
                          frame(WINDOW, 0, 0, struct.pack(">I", 1 << 28)))
        self.listener = asyncio.ensure_future(self.listen())
        return self

    async def listen(self):
        try:
            while True:
                head = await self.reader.readexactly(9)
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                if kind in (SETTINGS, PING) and not flags & 1:
                    self.writer.write(frame(kind, 1, 0, payload if kind == PING else b""))
                if kind == DATA:
                    self.bodies[stream] += payload
                if kind == RST or (kind in (DATA, HEADERS) and flags & 1):
                    self.end(stream)
        except (asyncio.IncompleteReadError, ConnectionError):
            for stream in list(self.ends):
                self.end(stream)

    def end(self, stream):
        if not self.ends[stream].done():
            self.ends[stream].set_result(None)

    def send(self, method, fields):
        stream, self.streams = self.streams, self.streams + 2
        self.ends[stream] = asyncio.get_running_loop().create_future()
        self.writer.write(request(stream, method, fields))
        return stream

    async def answer(self, stream):
        await self.ends[stream]
        data, out = bytes(self.bodies.pop(stream, b"")), []
        while data:
            n = int.from_bytes(data[1:5], "big")
            out.append(decode(data[5:5 + n]))
            data = data[5 + n:]
        return out

    async def call(self, method, fields):
        return (await self.answer(self.send(method, fields)) or [None])[-1]

    async def submit(self, job, witness):
        got = await self.call(OWN + "SubmitGroth16", {1: job, 2: "small", 3: [witness]})
        check(got and got[1] == [job.encode()], "submitted:", job, got)

    async def wait(self, job):
        got = await self.call(CUZK + "AwaitProof", {1: job})
        check(got and got[1] == [job.encode()], "awaited:", job, got)
        return got[2][0], bytes(got.get(3, [b""])[0])

    def close(self):
        self.listener.cancel()
        self.writer.close()


async def plain(c, i, d, witness):
    await c.submit(f"own{i}", witness)
    status, proof = await c.wait(f"own{i}")
    check(status == COMPLETED and b"pi_a" in proof, status, proof)


async def shared(c, i, d, witness):
    """Many submit one job: there is one, and one proof."""
    await c.submit(f"shared{i % SHARED}", witness)
    status, proof = await c.wait(f"shared{i % SHARED}")
    check(status == COMPLETED and proof)
    return f"shared{i % SHARED}", proof


async def cancels(c, i, d, witness):
    await c.submit(f"cancelled{i}", witness)
    await c.call(CUZK + "CancelProof", {1: f"cancelled{i}"})  # or it has ended already
    check((await c.wait(f"cancelled{i}"))[0] in (COMPLETED, CANCELLED))


async def proves(c, i, d, witness):
    got = await c.call(CUZK + "Prove", {1: porep(f"porep{i}", b"{}")})
    check(got and decode(got[1][0])[2] == [FAILED], got)


async def watches(c, i, d, witness):
    await c.submit(f"watched{i}", witness)
    events = await c.answer(c.send(OWN + "Watch", {1: f"watched{i}"}))
    ended = [e[4][0] for e in events if e[4][0] >= 3]
    check(ended == [3], events)


async def vanishes(c, i, d, witness):
    """Gone as soon as it sent its job; another client finds the job, or it was never taken."""
    c.send(OWN + "SubmitGroth16", {1: f"left{i}", 2: "small", 3: [witness]})
    await c.writer.drain()
    c.close()
    other = await Client().open(d)
    await other.submit(f"left{i}", witness)
    check((await other.wait(f"left{i}"))[0] == COMPLETED)
    other.close()


async def dribbles(d, over):
    """Bytes of a request one after the other, for as long as the others need."""
    reader, writer = await asyncio.open_unix_connection(d.address[5:])
    for b in PREFACE + frame(SETTINGS) + request(1, OWN + "SubmitGroth16", {1: "slow", 2: "small", 3: [bytes(1000)]})[:-1]:
        writer.write(bytes([b]))
        if over.is_set() or reader.at_eof():
            break
        await asyncio.sleep(0.1)
    writer.close()


async def crowd(d, witness):
    over = asyncio.Event()
    slow = [asyncio.ensure_future(dribbles(d, over)) for _ in range(20)]
    clients = await asyncio.gather(*(Client().open(d) for _ in range(CLIENTS)))
    does = (plain, shared, cancels, proves, watches, vanishes)
    got = await asyncio.gather(*(does[i % len(does)](c, i, d, witness) for i, c in enumerate(clients)))
    proofs = collections.defaultdict(set)
    for job, proof in filter(None, got):
        proofs[job].add(proof)
    check(proofs and all(len(p) == 1 for p in proofs.values()), "one id, several proofs")
    over.set()
    await asyncio.gather(*slow)
    for c in clients:
        c.close()


async def many_watches(d, witness):
    """Thousands of watches of one job, over a few connections: each is told of the end."""
    clients = await asyncio.gather(*(Client().open(d) for _ in range(WATCHES // 100)))
    await clients[0].submit("much-watched", witness)
    streams = [(c, c.send(OWN + "Watch", {1: "much-watched", 2: 1})) for c in clients for _ in range(100)]
    for c, stream in streams:
        events = await c.answer(stream)
        check(events and events[-1][4] == [3], events)
    for c in clients:
        c.close()


async def too_many(d, witness):
    """More connections than there are descriptors: jobs have theirs nevertheless."""
    c = await Client().open(d)
    others = await asyncio.gather(*(asyncio.open_unix_connection(d.address[5:]) for _ in range(100)))
    for i in range(3):
        await c.submit(f"own{i}", witness)
        check((await c.wait(f"own{i}"))[0] == COMPLETED, d.log()[-1000:])
    for _, writer in others:
        writer.close()
    c.close()


def once(log):
    """Each job's end stands in the log once; a shared one's too. (Of those that were cancelled while they waited: none.)"""
    ends = collections.Counter(re.findall(r"job_(?:completed|failed|cancelled) job=(\S+)", log))
    check(not [j for j, n in ends.items() if n != 1], ends.most_common(3))
    taken = {"much-watched", *(f"shared{i}" for i in range(SHARED))}
    for i in range(CLIENTS):
        taken |= {("own", "", "", "porep", "watched", "left")[i % 6] + str(i)} if i % 6 not in (1, 2) else set()
    check(not taken - set(ends), "never ended:", taken - set(ends))
    return ends


def main():
    site = Site()
    try:
        witness = site.circuit("small", 16, [3])[0]
        d = site.start("--memory", "1GiB")
        asyncio.run(asyncio.wait_for(crowd(d, witness), 240))
        asyncio.run(asyncio.wait_for(many_watches(d, witness), 120))
        with open(f"/proc/{d.process.pid}/status", encoding="ascii") as f:
            peak = int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) >> 10
        check(peak < 200, "MiB at the peak:", peak)
        log = d.stop()
        d = site.start(queue="few.sqlite", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        asyncio.run(asyncio.wait_for(too_many(d, witness), 120))
        d.stop()
        print(f"{CLIENTS} clients, {len(once(log))} jobs ended once, {peak} MiB")
    finally:
        site.remove()


main()
sys.exit(0)
