# SPDX-License-Identifier: Apache-2.0
"""Groth16 as snarkjs arranges it, in plain Python integers: setup with a known trapdoor, prove with given blinding, verify.
[Groth 2016, https://eprint.iacr.org/2016/260, section 3.2; docs/groth16.md]

Polynomials are never formed: every L_i(tau) comes from the closed form of the Lagrange basis on a domain of roots of unity,
L_i(x) = w^i (x^n - 1) / (n (x - w^i)), and the values of A, B, C at the odd points of the double domain come from the
barycentric sum over the even ones, in n^2 steps. The C code does both by transforms."""
from groth16_curves import add, mul, neg, on_curve, pairing_product_is_one


def log_domain(n_constraints, n_public):
    return max(1, (n_constraints + n_public).bit_length())


def lagrange_at(curve, log_n, x):
    """[L_0(x), ..., L_{n-1}(x)] on the domain of 2^log_n points; x is none of them."""
    r, n, w = curve.r, 1 << log_n, curve.root(log_n)
    top = (pow(x, n, r) - 1) * pow(n, -1, r) % r
    out, p = [], 1
    for _ in range(n):
        out.append(p * top * pow(x - p, -1, r) % r)
        p = p * w % r
    return out


def qap_rows(circuit):
    """[(matrix, row, wire, value)] of A and B in the order of snarkjs, with the rows that hold the public wires; and C."""
    ab, c = [], []
    for i, (ma, mb, mc) in enumerate(circuit.rows):
        for number, m in ((0, ma), (1, mb)):
            ab += [(number, i, wire, m[wire] % circuit.curve.r) for wire in sorted(m)]
        c += [(2, i, wire, mc[wire] % circuit.curve.r) for wire in sorted(mc)]
    ab += [(0, len(circuit.rows) + i, i, 1) for i in range(circuit.n_public + 1)]
    return ab, c


def setup(circuit, tau, alpha, beta, delta, gamma=1, drop_top=False):
    """The key with this trapdoor. drop_top: the bases of H lack the power tau^(2n - 1), as snarkjs makes them from a ptau
    that is just large enough; proofs are the same."""
    c = circuit.curve
    r, n = c.r, 1 << log_domain(len(circuit.rows), circuit.n_public)
    log_n = n.bit_length() - 1
    at = lagrange_at(c, log_n, tau)
    ab, rest = qap_rows(circuit)
    u = [[0] * circuit.n_wires for _ in range(3)]
    for matrix, row, wire, value in ab + rest:
        u[matrix][wire] = (u[matrix][wire] + value * at[row]) % r
    mix = [(beta * x + alpha * y + z) % r for x, y, z in zip(*u)]
    g1 = lambda k: mul(c.f1, c.g1, k % r)  # noqa: E731
    g2 = lambda k: mul(c.f2, c.g2, k % r)  # noqa: E731
    over_delta, over_gamma = pow(delta, -1, r), pow(gamma, -1, r)
    double = lagrange_at(c, log_n + 1, tau)
    if drop_top:  # the coefficient of x^(2n-1) in L_i is w^(-i (2n-1)) / 2n = w^i / 2n
        w, half = c.root(log_n + 1), pow(2 * n, -1, r)
        top = pow(tau, 2 * n - 1, r) * half % r
        double = [(x - top * pow(w, i, r)) % r for i, x in enumerate(double)]
    public = circuit.n_public + 1
    return {
        "n_wires": circuit.n_wires, "n_public": circuit.n_public, "domain": n, "coefs": ab,
        "alpha1": g1(alpha), "beta1": g1(beta), "beta2": g2(beta), "gamma2": g2(gamma), "delta1": g1(delta), "delta2": g2(delta),
        "ic": [g1(k * over_gamma) for k in mix[:public]],
        "a": [g1(k) for k in u[0]], "b1": [g1(k) for k in u[1]], "b2": [g2(k) for k in u[1]],
        "c": [g1(k * over_delta) for k in mix[public:]],
        "h": [g1(double[2 * i + 1] * over_delta) for i in range(n)],
    }


def h_scalars(curve, key, w):
    """(a b - c)(x) at the odd points x of the double domain: what multiplies the bases H."""
    r, n = curve.r, key["domain"]
    a, b = [0] * n, [0] * n
    for matrix, row, wire, value in key["coefs"]:
        m = (a, b)[matrix]
        m[row] = (m[row] + value * w[wire]) % r
    c = [x * y % r for x, y in zip(a, b)]
    log_n = n.bit_length() - 1
    w2 = curve.root(log_n + 1)
    out = []
    for i in range(n):
        at = lagrange_at(curve, log_n, pow(w2, 2 * i + 1, r))
        va, vb, vc = (sum(k * x for k, x in zip(at, values)) % r for values in (a, b, c))
        out.append((va * vb - vc) % r)
    return out


def combine(f, points, scalars):
    out = None
    for p, k in zip(points, scalars):
        out = add(f, out, mul(f, p, k))
    return out


def prove(curve, key, w, r=0, s=0):
    """(A, B, C) with the blinding r, s."""
    f1, f2, order = curve.f1, curve.f2, curve.r
    a = add(f1, add(f1, key["alpha1"], combine(f1, key["a"], w)), mul(f1, key["delta1"], r))
    b1 = add(f1, add(f1, key["beta1"], combine(f1, key["b1"], w)), mul(f1, key["delta1"], s))
    b2 = add(f2, add(f2, key["beta2"], combine(f2, key["b2"], w)), mul(f2, key["delta2"], s))
    c = add(f1, combine(f1, key["c"], w[key["n_public"] + 1 :]), combine(f1, key["h"], h_scalars(curve, key, w)))
    c = add(f1, c, add(f1, mul(f1, a, s), mul(f1, b1, r)))
    return a, b2, add(f1, c, neg(f1, mul(f1, key["delta1"], r * s % order)))


def verify(curve, vkey, publics, proof):
    """e(A, B) = e(alpha, beta) e(IC(publics), gamma) e(C, delta), with every check of membership."""
    a, b, c = proof
    f1, f2 = curve.f1, curve.f2
    if len(publics) + 1 != len(vkey["ic"]) or not all(0 <= x < curve.r for x in publics):
        return False
    for p in (a, c):
        if p is None or not on_curve(f1, curve.b1, p) or mul(f1, p, curve.r) is not None:
            return False
    if b is None or not on_curve(f2, curve.b2, b) or mul(f2, b, curve.r) is not None:
        return False
    x = combine(f1, vkey["ic"], [1] + publics)
    return pairing_product_is_one(curve, [(neg(f1, a), b), (vkey["alpha1"], vkey["beta2"]), (x, vkey["gamma2"]),
                                          (c, vkey["delta2"])])
