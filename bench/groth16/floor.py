#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many multiplications in F_q and F_r a proof needs, whatever the program:
    floor.py [--endomorphism] KEY.zkey W.wtns [NS_Q NS_R [CORES]]

With the measured time of one multiplication (nanoseconds, one core, from bench_groups) it also says how long that takes.
What is counted, term by term, for each sum over a section of the key:
  - a term of scalar 0, or whose point is at infinity, costs nothing; one of scalar 1 or r - 1 is one addition;
  - a scalar of b bits costs ceil(b / c) additions into buckets of signed windows of c bits, plus 2 full additions for each of the
    2^(c-1) buckets of every window; c is the best for the section;
  - an addition of affine points with a shared inversion is 6 multiplications of the coordinate field; a full one is 14; a
    multiplication in F_q2 is 3 in F_q;
  - the quotient takes three transforms back and three forward of n/2 log n multiplications each, and 5 n beside;
    coefficients are one multiplication each.
Precomputed tables could lower it; reading files, copying and sorting are not in it. --endomorphism: in G1 a scalar of more than
128 bits is split into two of 128, one of them for (beta x, y), which is one multiplication more."""
import struct
import sys

import numpy as np


def sections(path, magic):
    data = np.memmap(path, np.uint8, "r")
    assert bytes(data[:4]) == magic, path
    at, found = 12, {}
    for _ in range(int(data[8:12].view("<u4")[0])):
        number, length = struct.unpack("<IQ", bytes(data[at : at + 12]))
        found[number] = data[at + 12 : at + 12 + length]
        at += 12 + length
    return found


def bit_lengths(words, modulus):
    """Of each scalar or its negative, whichever is shorter; 0 for 0. words: (n, 4) of u64, lowest first."""
    top = np.zeros(len(words), np.int64)
    for i in range(4):
        w = words[:, i]
        high = np.zeros(len(words), np.int64)
        for s in (32, 16, 8, 4, 2, 1):
            big = (w >> np.uint64(s)) > 0
            high += np.where(big, s, 0)
            w = np.where(big, w >> np.uint64(s), w)
        top = np.where(words[:, i] > 0, 64 * i + high + 1, top)
    # r - x is short when x agrees with r in its upper half; few are.
    near = np.flatnonzero((words[:, 3] == np.uint64(modulus >> 192)) & (words[:, 2] == np.uint64(modulus >> 128 & 2**64 - 1)))
    for i in near:
        x = modulus - sum(int(words[i, k]) << (64 * k) for k in range(4))
        top[i] = min(top[i], x.bit_length())
    return top


def additions(lengths):
    """(affine additions, full additions) of one sum."""
    ones = int((lengths == 1).sum())
    wide = lengths[lengths > 1]
    if len(wide) == 0:
        return ones, 0
    best = None
    for c in range(4, 23):
        windows = -(-wide // c)
        affine, full = int(windows.sum()), int(windows.max()) * 2 * 2 ** (c - 1)
        if best is None or 6 * affine + 14 * full < 6 * best[0] + 14 * best[1]:
            best = (affine, full)
    return ones + best[0], best[1]


def halved(lengths):
    """Of the terms after the split, and how many were split."""
    wide = lengths[lengths > 128]
    return np.concatenate([lengths[lengths <= 128], np.full(2 * len(wide), 128)]), len(wide)


def main():
    endomorphism = "--endomorphism" in sys.argv
    if endomorphism:
        sys.argv.remove("--endomorphism")
    if len(sys.argv) not in (3, 5, 6):
        sys.exit(__doc__)
    key, witness = sections(sys.argv[1], b"zkey"), sections(sys.argv[2], b"wtns")
    head = bytes(key[2])
    n8 = struct.unpack("<I", head[:4])[0]
    r = int.from_bytes(head[8 + n8 : 40 + n8], "little")
    n_vars, n_public, n = struct.unpack("<3I", head[40 + n8 : 52 + n8])
    lengths = bit_lengths(np.frombuffer(bytes(witness[2]), "<u8").reshape(-1, 4), r)
    log_n = n.bit_length() - 1
    total = 0
    print("| sum | terms | points at infinity | scalar 0 | 1 | wider | multiplications in F_q |\n|---|---|---|---|---|---|---|")
    for name, number, fq, scalars in (("A", 5, 1, lengths), ("B in G1", 6, 1, lengths), ("B in G2", 7, 3, lengths),
                                      ("C", 8, 1, lengths[n_public + 1 :]), ("H", 9, 1, np.full(n, r.bit_length()))):
        points = key[number].reshape(len(scalars), -1)
        there = np.zeros(len(scalars), bool)
        for k in range(0, points.shape[1], 32):
            there |= points[:, k : k + 32].any(axis=1)
        used = scalars[there]
        terms, split = halved(used) if endomorphism and fq == 1 else (used, 0)
        affine, full = additions(terms)
        cost = fq * (6 * affine + 14 * full) + split
        total += cost
        print(f"| {name} | {len(scalars):,} | {len(scalars) - len(used):,} | {int((used == 0).sum()):,} | {int((used == 1).sum()):,} | "
              f"{int((used > 1).sum()):,} | {cost / 1e6:.1f} M |")
    n_coefs = struct.unpack("<I", bytes(key[4][:4]))[0]
    field = 6 * (n // 2) * log_n + 5 * n + n_coefs
    print(f"| quotient | | | | | | {field / 1e6:.1f} M in F_r |")
    print(f"\nin all {total / 1e6:.1f} M multiplications in F_q, {field / 1e6:.1f} M in F_r")
    if len(sys.argv) > 3:
        ns_q, ns_r, cores = float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1
        print(f"floor: {(total * ns_q + field * ns_r) / 1e9 / cores:.3f} s on {cores} core{'s' * (cores > 1)}")


main()
