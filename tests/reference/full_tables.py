# SPDX-License-Identifier: Apache-2.0
"""The look-up tables of docs/protocol.md §7.2 and the rotation, from the formulas of docs/model.md, in floating point: every
entry is floor(g + 1/2) of a real g, and no g may be near a tie."""
import numpy as np

RANGE, SQUARE, NEXP, RSQRT, POW, ZEXP, EXP, SILU = 1, 2, 3, 4, 5, 6, 16, 64
SIGMA_MAX = 15
EXP_BITS = 16


def rounded(g):
    tie = np.abs(g + 0.5 - np.round(g + 0.5))
    if ((tie < 1e-9) & (tie > 0)).any():
        raise ValueError("a table entry lies too near a tie")
    return np.floor(g + 0.5).astype(np.int64)


def rsqrt(cfg):
    """[over][parity][M - 2^(in-1)]"""
    m = np.arange(2 ** (cfg.rsqrt_in - 1), 2 ** cfg.rsqrt_in)
    r = np.stack([rounded(2.0 ** cfg.rs_t * np.sqrt(cfg.d / ((m + 0.5) * 2.0 ** par))) for par in (0, 1)])
    return np.stack([(r + (1 << over >> 1)) >> over for over in range(9)])


def rem_bits(cfg):
    """Bits of a distance that its remainder has; the others index the exp table."""
    return max(cfg.dist_bits - EXP_BITS, 0)


def exp(cfg, b):
    r = rem_bits(cfg)
    return rounded(2.0 ** b * np.exp(-np.arange(1 << (cfg.dist_bits - r)) * 2.0 ** (r - cfg.score_f)))


def silu(cfg, layer):
    y = cfg.layer[layer]
    x = np.arange(-2 ** (y.gate.b - 1), 2 ** (y.gate.b - 1)) * 2.0 ** -y.gate.f
    return rounded(2.0 ** y.fsg * x / (1 + np.exp(-x)))


def rotation(cfg, n_tokens):
    """cos, sin [t][e < E/2]"""
    theta = cfg.rope_theta_q16 / 65536
    turns = 1.0 / theta ** (np.arange(0, cfg.head_dim, 2) / cfg.head_dim)
    if cfg.rope_q32:
        turns = turns / (np.array(cfg.rope_q32) / 2.0**32)
    a = np.arange(n_tokens)[:, None] * turns[None]
    return rounded(np.cos(a) * 2.0 ** cfg.cos_bits), rounded(np.sin(a) * 2.0 ** cfg.cos_bits)


def table_rows(cfg, table):
    fixed = {RANGE: 1 << 17, SQUARE: 1 << 16, NEXP: 48, RSQRT: 18 << (cfg.rsqrt_in - 1), POW: 15, ZEXP: 10}
    if table in fixed:
        return fixed[table]
    return (1 << (cfg.dist_bits - rem_bits(cfg))) + 1 if table < SILU else 1 << cfg.layer[table - SILU].gate.b


def table_tuples(cfg, table):
    """Integers [rows][width]."""
    i = np.arange(table_rows(cfg, table))
    if table == RANGE:
        s = np.frexp(np.maximum(i, 1))[1] - 1
        columns = [s, np.where(i > 0, i - (1 << s), 0)]
    elif table == SQUARE:
        x = i - 2**15
        columns = [x, x * x >> 15]
    elif table == NEXP:
        sigma = np.minimum(i >> 1, SIGMA_MAX)
        columns = [i, i & 1, sigma, (i >> 1) - sigma, 1 << sigma, 1 << sigma >> 1]
    elif table == RSQRT:
        n = cfg.rsqrt_in - 1
        block, m = i >> n, i & ((1 << n) - 1)
        columns = [block & 1, m + (1 << n), block >> 1, rsqrt(cfg)[block >> 1, block & 1, m]]
    elif table == POW:
        columns = [i, 1 << i]
    elif table == ZEXP:
        columns = [i, 1 << i, i >= 1]
    elif table < SILU:
        b, last = table - EXP, len(i) - 1
        columns = [np.where(i == last, 0, i << rem_bits(cfg)), np.append(exp(cfg, b), 1 << b), i == last]
    else:
        columns = [i - (len(i) >> 1), silu(cfg, table - SILU)]
    return np.stack([np.asarray(c, np.int64) for c in columns], 1)
