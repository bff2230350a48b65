#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""assayd as a process: proofs of both wires verified by the programs, ids, refusals, clients that go away, large bodies.
ctest: labels nosan
ctest: timeout 900"""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assayd import (Blocked, CANCELLED, COMPLETED, CUZK, FAILED, OWN, SNAP, TIMEOUT, WINDOW, Site, check, decode, encode, porep, run, text)  # noqa: E402

LARGE = 70_000_000


def verify_groth16(site, name, proof, public, code=0):
    files = [site.path(x) for x in ("vk.json", "public.json", "proof.json")]
    run("assay", "groth16", "export-vkey", os.path.join(site.circuits, name + ".zkey"), files[0], "--development", "-q")
    for path, data in zip(files[1:], (public, proof)):
        with open(path, "wb") as f:
            f.write(data)
    run("assay", "groth16", "verify", *files, "--development", "-q", code=code)


def test_groth16(site, d, witnesses):
    answer = d.groth16("first", [witnesses[0]])
    check(answer[0] == "OK" and text(answer[2], 1) == "first" and 2 not in answer[2], answer)
    status, m = d.wait("first")
    check(status == COMPLETED and m[14][0] > 0, m)
    # All partitions, with their public values, come by Watch.
    check(d.groth16("two", witnesses[:2])[0] == "OK")
    code, words, events = d.begin(OWN + "Watch", {1: "two"}).results()[0]
    last = events[-1]
    check(code == "OK" and last[4] == [3] and last[7] == [2], code, words, last)
    sequence = [e[2][0] for e in events]
    check(sequence == sorted(sequence), sequence)
    result = decode(last[11][0])
    check(len(result[1]) == 2 and len(result[2]) == 2, result)
    for proof, public in zip(result[1], result[2]):
        verify_groth16(site, "small", proof, public)
    verify_groth16(site, "small", result[1][0], result[2][1], code=1)
    check(d.wait("two")[1][3][0] == result[1][0] + result[1][1])


def test_reply(site, d):
    folder = os.path.join(site.models, "tiny")
    files = [site.path(x) for x in ("F.req", "F.y", "F.proof")]
    data = site.reply()
    check(d.call(OWN + "SubmitReply", {1: "reply", 2: "tiny", 3: data[0], 4: data[1]})[0] == "OK")
    status, m = d.wait("reply")
    check(status == COMPLETED, status, text(m, 4))
    with open(files[2], "wb") as f:
        f.write(m[3][0])
    with open(os.path.join(folder, "ID.txt"), encoding="ascii") as f:
        done = run("cp_verify", os.path.join(folder, "config"), os.path.join(folder, "ivk"), *files, "-id", f.read().strip())
    check(done.stdout.splitlines()[-1] == "YES", done.stdout)
    # Another token is not the model's: the job fails, the call does not.
    other = bytes([data[1][0] ^ 1]) + data[1][1:] if len(data[1]) == 4 else data[1][:-4] + bytes([data[1][-4] ^ 1]) + data[1][-3:]
    if d.call(OWN + "SubmitReply", {1: "wrong", 2: "tiny", 3: data[0], 4: other})[0] == "OK":
        status, m = d.wait("wrong")
        check(status == FAILED and text(m, 4), status, m)


def test_ids(d, witnesses):
    check(d.groth16("same", [witnesses[0]])[0] == "OK")
    d.wait("same")
    proof = d.wait("same")[1][3]
    code, _, m = d.groth16("same", [witnesses[0]])
    check(code == "OK" and m[2] == [1], code, m)
    check(d.wait("same")[1][3] == proof, "a job that is known was proven again")
    check(d.groth16("same", [witnesses[1]])[0] == "ALREADY_EXISTS")
    check(d.groth16("same", [witnesses[0], witnesses[0]])[0] == "ALREADY_EXISTS")
    ids = {text(d.groth16("", [witnesses[0]])[2], 1) for _ in range(3)}
    check(len(ids) == 3 and all(len(i) == 36 for i in ids), ids)


def test_refusals(d, witnesses):
    code, words, _ = d.groth16("r", [witnesses[0]], circuit="none")
    check(code == "NOT_FOUND" and "none" in words, code, words)
    code, words, _ = d.call(OWN + "SubmitReply", {1: "r", 2: "none", 3: b"x", 4: b"y"})
    check(code == "NOT_FOUND", code, words)
    for bad in (b"", b"garbage", witnesses[0][:-7]):
        code, words, _ = d.groth16("r", [bad])
        check(code == "INVALID_ARGUMENT" and words, code, words)
    check(d.groth16("r", [witnesses[0]], circuit="broken")[0] == "FAILED_PRECONDITION")
    check(d.groth16("r", [witnesses[0]], circuit="../small")[0] == "INVALID_ARGUMENT")
    code, words, _ = d.groth16("r", [witnesses[0]] * 65)
    check(code == "INVALID_ARGUMENT" and words.startswith("witness:"), code, words)
    # A witness that breaks the circuit: found by proving, so it is the job that fails.
    bad = bytearray(witnesses[0])
    bad[-32 * 3] ^= 1
    check(d.groth16("broken-witness", [bytes(bad)])[0] == "OK")
    status, m = d.wait("broken-witness")
    check(status == FAILED and text(m, 4) and 3 not in m, status, m)
    check(d.call(CUZK + "AwaitProof", {1: "unknown"})[0] == "NOT_FOUND")
    check(d.begin(OWN + "Watch", {1: "unknown"}).results()[0][0] == "NOT_FOUND")


def test_filecoin(d):
    code, _, m = d.call(CUZK + "Prove", {1: porep("porep-1000-7", b"{}")})
    result = decode(m[1][0])
    check(code == "OK" and result[2] == [FAILED] and text(result, 4), code, result)
    job = "wdpost-1000-0-[1 2 3 4 5 6 7 8]"
    request = {1: job, 2: WINDOW, 3: 32 << 30, 11: [b"p"] * 2349, 22: bytes(32)}
    check(d.call(CUZK + "SubmitProof", request)[0] == "OK")
    status, m = d.wait(job)
    check(status == FAILED and text(m, 1) == job, m)
    code, words, _ = d.call(CUZK + "SubmitProof", {1: "s", 2: SNAP, 11: [b"p"], 30: bytes(32), 31: bytes(31), 32: bytes(32)})
    check(code == "INVALID_ARGUMENT" and words.startswith("comm_r_new:"), code, words)


def test_waiting(d, witnesses, slow):
    with Blocked(d, slow):
        # A deadline is kept, and takes the job with it.
        begun = time.monotonic()
        code, _, _ = d.call(CUZK + "Prove", {1: porep("late", b"{}")}, timeout_ms=700)
        check(code == "DEADLINE_EXCEEDED" and time.monotonic() - begun > 0.6, code)
        # So does a client that is killed.
        call = d.begin(CUZK + "Prove", {1: porep("orphan", b"{}")}).sent()
        d.wait_log("job_accepted job=orphan")
        call.kill()
        for job in ("late", "orphan"):
            status, m = d.wait(job)
            check(status in ((CANCELLED, FAILED) if job == "late" else (CANCELLED,)), job, status, m)
        # Not one that was submitted to run alone.
        check(d.call(CUZK + "SubmitProof", porep("alone", b"{}"))[0] == "OK")
        call = d.begin(CUZK + "Prove", {1: porep("alone", b"{}")}).sent()
        d.wait_log("job_known job=alone")
        call.kill()
        check(d.groth16("waits", [witnesses[0]])[0] == "OK")
        status, _ = d.wait("waits", timeout_ms=300)
        check(status == TIMEOUT, status)
        m = d.ask(CUZK + "CancelProof", {1: "waits"})
        check(m.get(1, [0]) == [0] and d.wait("waits")[0] == CANCELLED, m)
    check(d.wait("alone")[0] == FAILED)
    # Who was cancelled may try again.
    check(d.groth16("waits", [witnesses[0]])[2].get(2, [0]) == [0])
    check(d.wait("waits")[0] == COMPLETED)


def test_large(d, slow):
    """Ten bodies of 70 MB pending over one connection."""
    body = os.urandom(1 << 20) * (LARGE >> 20)
    with Blocked(d, slow):
        calls = d.begin(CUZK + "Prove", *[{1: porep(f"large{i}", body)} for i in range(10)])
        calls.sent()
        for i in range(10):
            d.wait_log(f"job_accepted job=large{i} .*bytes=[0-9]{{8}}")
        calls.kill()
        for i in range(10):
            check(d.wait(f"large{i}")[0] == CANCELLED)
    code, words, _ = d.call(CUZK + "Prove", encode({1: porep("huge", b"x" * (140 << 20))}))
    check(code == "RESOURCE_EXHAUSTED", code, words)


def test_keys(d):
    m = d.ask(CUZK + "EvictSRS", {1: "small"})
    check(m.get(1) == [1] and m[2][0] > 0, m)
    check(d.ask(CUZK + "EvictSRS", {1: "small"}).get(1, [0]) == [0])
    check(d.ask(CUZK + "PreloadSRS", {1: "small"}).get(1, [0]) == [0])
    check(d.ask(CUZK + "PreloadSRS", {1: "small"})[1] == [1])
    check(d.call(CUZK + "PreloadSRS", {1: "porep-32g"})[0] == "NOT_FOUND")
    status = d.ask(CUZK + "GetStatus", {})
    check(b"small" in b"".join(status[2]) and status[4][0] > 3 and status[5][0] > 2, status)
    metrics = text(d.ask(CUZK + "GetMetrics", {}), 1)
    check("# TYPE assay_" in metrics, metrics[:500])


def main():
    site = Site()
    try:
        witnesses = site.circuit("small", 100, range(3, 6))
        slow = site.circuit("slow", 30000, [3])[0]
        with open(os.path.join(site.circuits, "broken.zkey"), "wb") as f:
            f.write(b"not a key")
        site.model()
        d = site.start("--memory", "6GiB", "--log-level", "debug")
        for name, test in (("groth16", lambda: test_groth16(site, d, witnesses)), ("reply", lambda: test_reply(site, d)),
                           ("ids", lambda: test_ids(d, witnesses)), ("refusals", lambda: test_refusals(d, witnesses)),
                           ("filecoin", lambda: test_filecoin(d)), ("waiting", lambda: test_waiting(d, witnesses, slow)),
                           ("large", lambda: test_large(d, slow)), ("keys", lambda: test_keys(d))):
            begun = time.monotonic()
            test()
            print(f"ok {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        log = d.stop()
        check("stopped" in log and "draining" in log, log[-500:])
    except AssertionError:
        for d in site.daemons:
            print(d.log()[-4000:])
        raise
    finally:
        site.remove()
    return 0


sys.exit(main())
