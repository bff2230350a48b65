/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that add up: sums, dot products, sumcheck rounds. Rounds never take pairs apart: with odd lanes replaced by
 * differences, even lanes compute the value at 0 and odd lanes the leading coefficient. */

enum { PAIRS = VEC_WIDTH / 2 }; /* in a vector */

static kel sum(const assay_kvec *x, size_t n)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) s = vk_add(s, vk_load(x, i));
    kel lanes[2];
    vk_sum_lanes(lanes, s);
    assay_kvec xt = assay_kvec_at(x, i, n - i);
    return k_add(k_add(lanes[0], lanes[1]), assay_cpu_kernels_ref.k_sum(&xt, n - i));
}

static kel dot(const assay_kvec *a, const assay_kvec *b, size_t n)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) {
        vk_right r = vk_as_right(vk_load(b, i));
        s = vk_add(s, vk_mul_by(vk_load(a, i), &r));
    }
    kel lanes[2];
    vk_sum_lanes(lanes, s);
    assay_kvec at = assay_kvec_at(a, i, n - i), bt = assay_kvec_at(b, i, n - i);
    return k_add(k_add(lanes[0], lanes[1]), assay_cpu_kernels_ref.k_dot(&at, &bt, n - i));
}

static kel kf_dot(const assay_kvec *a, const uint32_t *b, size_t n)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) {
        vop d = v_twice(v_load(b + i));
        for (int j = 0; j < K_WORDS; j++) s.v[j] = v_add(s.v[j], v_mul(v_load(a->c[j] + i), d));
    }
    kel lanes[2];
    vk_sum_lanes(lanes, s);
    assay_kvec at = assay_kvec_at(a, i, n - i);
    return k_add(k_add(lanes[0], lanes[1]), assay_cpu_kernels_ref.kf_dot(&at, b + i, n - i));
}

/* ---- rounds */

/* Pairs i .. i + PAIRS - 1, odd lanes as differences. */
static inline vk load_ends(const assay_kvec *v, size_t i)
{
    vk r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_diff_odd(v_load(v->c[j] + 2 * i));
    return r;
}

/* Weights i .. i + PAIRS - 1, each for both lanes of its pair. */
static inline vk_right load_weights(const assay_kvec *w, size_t i)
{
    vk r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_load_twice(w->c[j] + i);
    return vk_as_right(r);
}

/* out = the lanes of s and the rest of the round. */
static inline void finish(kel out[2], vk s, const kel rest[2])
{
    vk_sum_lanes(out, s);
    out[0] = k_add(out[0], rest[0]);
    out[1] = k_add(out[1], rest[1]);
}

static inline assay_kvec pairs_from(const assay_kvec *v, size_t i, size_t n_pairs)
{
    return assay_kvec_at(v, 2 * i, 2 * (n_pairs - i));
}

static void round_dot2(kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n_pairs)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + PAIRS <= n_pairs; i += PAIRS) {
        vk_right r = vk_as_right(load_ends(b, i));
        s = vk_add(s, vk_mul_by(load_ends(a, i), &r));
    }
    kel rest[2];
    assay_kvec at = pairs_from(a, i, n_pairs), bt = pairs_from(b, i, n_pairs);
    assay_cpu_kernels_ref.round_dot2(rest, &at, &bt, n_pairs - i);
    finish(out, s, rest);
}

static void round_dot2_kf(kel out[2], const assay_kvec *a, const uint32_t *b, size_t n_pairs)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + PAIRS <= n_pairs; i += PAIRS) {
        vop d = v_twice(v_diff_odd(v_load(b + 2 * i)));
        vk x = load_ends(a, i);
        for (int j = 0; j < K_WORDS; j++) s.v[j] = v_add(s.v[j], v_mul(x.v[j], d));
    }
    kel rest[2];
    assay_kvec at = pairs_from(a, i, n_pairs);
    assay_cpu_kernels_ref.round_dot2_kf(rest, &at, b + 2 * i, n_pairs - i);
    finish(out, s, rest);
}

static void round_dot3w(kel out[2], const assay_kvec *w, const assay_kvec *a, const assay_kvec *b, size_t n_pairs)
{
    vk s = vk_zero();
    size_t i = 0;
    for (; i + PAIRS <= n_pairs; i += PAIRS) {
        vk_right r = vk_as_right(load_ends(b, i));
        vk ab = vk_mul_by(load_ends(a, i), &r);
        vk_right wr = load_weights(w, i);
        s = vk_add(s, vk_mul_by(ab, &wr));
    }
    kel rest[2];
    assay_kvec wt = assay_kvec_at(w, i, n_pairs - i), at = pairs_from(a, i, n_pairs), bt = pairs_from(b, i, n_pairs);
    assay_cpu_kernels_ref.round_dot3w(rest, &wt, &at, &bt, n_pairs - i);
    finish(out, s, rest);
}

static void round_frac(kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0, const assay_kvec *p1,
                       const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs)
{
    vk_right l = vk_const_right(lambda);
    bool with_lambda = !k_is_zero(lambda);
    vk s = vk_zero();
    size_t i = 0;
    for (; i + PAIRS <= n_pairs; i += PAIRS) {
        vk q1v = load_ends(q1, i);
        vk_left q1l = vk_as_left(q1v);
        vk p1v = load_ends(p1, i);
        vk_right t = vk_as_right(with_lambda ? vk_add(p1v, vk_mul(&q1l, &l)) : p1v);
        vk v = vk_mul_by(load_ends(q0, i), &t);
        vk_right p0r = vk_as_right(load_ends(p0, i));
        v = vk_add(v, vk_mul(&q1l, &p0r));
        vk_right wr = load_weights(w, i);
        s = vk_add(s, vk_mul_by(v, &wr));
    }
    kel rest[2];
    assay_kvec wt = assay_kvec_at(w, i, n_pairs - i);
    assay_kvec p0t = pairs_from(p0, i, n_pairs), p1t = pairs_from(p1, i, n_pairs);
    assay_kvec q0t = pairs_from(q0, i, n_pairs), q1t = pairs_from(q1, i, n_pairs);
    assay_cpu_kernels_ref.round_frac(rest, &wt, lambda, &p0t, &p1t, &q0t, &q1t, n_pairs - i);
    finish(out, s, rest);
}
