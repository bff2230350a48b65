/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C kernels. They define the array operations: every other implementation equals them bit for bit. */
#include "backend/cpu/kernels.h"
#include <string.h>

/* ---- circle FFT */

static void fft_pass(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t a = lo[j], b = m31_mul(t, hi[j]);
        lo[j] = m31_add(a, b);
        hi[j] = m31_sub(a, b);
    }
}

static void fft_transpose_pass(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t a = lo[j], b = hi[j];
        lo[j] = m31_add(a, b);
        hi[j] = m31_mul(t, m31_sub(a, b));
    }
}

static void fft_node(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    for (size_t half = ((size_t)1 << i) / 2, blocks = 1; half; half /= 2, blocks *= 2)
        for (size_t h = 0; h < blocks; h++) {
            uint32_t *lo = row + 2 * half * h;
            fft_pass(lo, lo + half, tw[v * blocks + h], half);
        }
}

static void fft_two(uint32_t *out, const uint32_t *in, const uint32_t *tw, size_t v, unsigned i)
{
    size_t half = (size_t)1 << (i - 1);
    if (out != in) memcpy(out, in, 2 * half * sizeof *out);
    fft_pass(out, out + half, tw[v], half);
    for (size_t h = 0; h < 2; h++) fft_pass(out + h * half, out + h * half + half / 2, tw[2 * v + h], half / 2);
}

static void fft_transpose_node(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    for (size_t half = 1, blocks = ((size_t)1 << i) / 2; blocks; half *= 2, blocks /= 2)
        for (size_t h = 0; h < blocks; h++) {
            uint32_t *lo = row + 2 * half * h;
            fft_transpose_pass(lo, lo + half, tw[v * blocks + h], half);
        }
}

/* ---- K arrays */

static void k_axpy(assay_kvec *y, kel a, const assay_kvec *x, size_t n)
{
    for (size_t i = 0; i < n; i++) kvec_set(y, i, k_add(kvec_get(y, i), k_mul(a, kvec_get(x, i))));
}

static void kf_axpy(assay_kvec *y, kel a, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) kvec_set(y, i, k_add(kvec_get(y, i), k_mul_f(a, x[i])));
}

static void kf_axpy_many(assay_kvec *y, const kel *a, const uint32_t *const *rows, size_t nrows, size_t from, size_t n)
{
    for (size_t j = 0; j < nrows; j++) kf_axpy(y, a[j], rows[j] + from, n);
}

static void scale(assay_kvec *y, kel a, size_t n)
{
    for (size_t i = 0; i < n; i++) kvec_set(y, i, k_mul(a, kvec_get(y, i)));
}

static void add(assay_kvec *y, const assay_kvec *x, size_t n)
{
    for (size_t i = 0; i < n; i++) kvec_set(y, i, k_add(kvec_get(y, i), kvec_get(x, i)));
}

static kel sum(const assay_kvec *x, size_t n)
{
    kel s = k_zero();
    for (size_t i = 0; i < n; i++) s = k_add(s, kvec_get(x, i));
    return s;
}

static kel dot(const assay_kvec *a, const assay_kvec *b, size_t n)
{
    kel s = k_zero();
    for (size_t i = 0; i < n; i++) s = k_add(s, k_mul(kvec_get(a, i), kvec_get(b, i)));
    return s;
}

static kel kf_dot(const assay_kvec *a, const uint32_t *b, size_t n)
{
    kel s = k_zero();
    for (size_t i = 0; i < n; i++) s = k_add(s, k_mul_f(kvec_get(a, i), b[i]));
    return s;
}

static void k_fold(assay_kvec *out, const assay_kvec *in, kel r, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) {
        kel a = kvec_get(in, 2 * i), d = k_sub(kvec_get(in, 2 * i + 1), a);
        kvec_set(out, i, k_add(a, k_mul(r, d)));
    }
}

static void f_fold(assay_kvec *out, const uint32_t *in, kel r, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) {
        uint32_t d = m31_sub(in[2 * i + 1], in[2 * i]);
        kvec_set(out, i, k_add_f(k_mul_f(r, d), in[2 * i]));
    }
}

static void k_halve(assay_kvec *out, const assay_kvec *in, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) kvec_set(out, i, k_add(kvec_get(in, 2 * i), kvec_get(in, 2 * i + 1)));
}

static void k_eq_step(assay_kvec *lo, assay_kvec *hi, kel r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kel a = kvec_get(lo, i), b = k_mul(r, a);
        kvec_set(hi, i, b);
        kvec_set(lo, i, k_sub(a, b));
    }
}

/* ---- sumcheck rounds: the value at 0 from even elements, the leading coefficient from differences. */

typedef struct ends {
    kel at0, top;
} ends;

static ends get_ends(const assay_kvec *a, size_t i)
{
    kel x = kvec_get(a, 2 * i);
    ends e = {x, k_sub(kvec_get(a, 2 * i + 1), x)};
    return e;
}

static void round_dot2(kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n_pairs)
{
    out[0] = out[1] = k_zero();
    for (size_t i = 0; i < n_pairs; i++) {
        ends x = get_ends(a, i), y = get_ends(b, i);
        out[0] = k_add(out[0], k_mul(x.at0, y.at0));
        out[1] = k_add(out[1], k_mul(x.top, y.top));
    }
}

static void round_dot2_kf(kel out[2], const assay_kvec *a, const uint32_t *b, size_t n_pairs)
{
    out[0] = out[1] = k_zero();
    for (size_t i = 0; i < n_pairs; i++) {
        ends x = get_ends(a, i);
        out[0] = k_add(out[0], k_mul_f(x.at0, b[2 * i]));
        out[1] = k_add(out[1], k_mul_f(x.top, m31_sub(b[2 * i + 1], b[2 * i])));
    }
}

static void round_dot3w(kel out[2], const assay_kvec *w, const assay_kvec *a, const assay_kvec *b, size_t n_pairs)
{
    out[0] = out[1] = k_zero();
    for (size_t i = 0; i < n_pairs; i++) {
        ends x = get_ends(a, i), y = get_ends(b, i);
        kel wi = kvec_get(w, i);
        out[0] = k_add(out[0], k_mul(wi, k_mul(x.at0, y.at0)));
        out[1] = k_add(out[1], k_mul(wi, k_mul(x.top, y.top)));
    }
}

/* w (p0 q1 + q0 (p1 + lambda q1)) */
static kel frac_term(kel w, kel lambda, kel p0, kel p1, kel q0, kel q1)
{
    kel t = k_add(p1, k_mul(lambda, q1));
    return k_mul(w, k_add(k_mul(p0, q1), k_mul(q0, t)));
}

static void round_frac(kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0, const assay_kvec *p1,
                       const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs)
{
    out[0] = out[1] = k_zero();
    for (size_t i = 0; i < n_pairs; i++) {
        ends a = get_ends(p0, i), b = get_ends(p1, i), c = get_ends(q0, i), d = get_ends(q1, i);
        kel wi = kvec_get(w, i);
        out[0] = k_add(out[0], frac_term(wi, lambda, a.at0, b.at0, c.at0, d.at0));
        out[1] = k_add(out[1], frac_term(wi, lambda, a.top, b.top, c.top, d.top));
    }
}

/* ---- fraction tree */

static void frac_up(assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p, const assay_kvec *q, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) {
        kel q0 = kvec_get(q, 2 * i), q1 = kvec_get(q, 2 * i + 1);
        kvec_set(p_out, i, k_add(k_mul(kvec_get(p, 2 * i), q1), k_mul(kvec_get(p, 2 * i + 1), q0)));
        kvec_set(q_out, i, k_mul(q0, q1));
    }
}

static void frac_up_f(assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p, const assay_kvec *q, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) {
        kel q0 = kvec_get(q, 2 * i), q1 = kvec_get(q, 2 * i + 1);
        kvec_set(p_out, i, k_add(k_mul_f(q1, p[2 * i]), k_mul_f(q0, p[2 * i + 1])));
        kvec_set(q_out, i, k_mul(q0, q1));
    }
}

static void k_split(assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++) {
        kvec_set(even, i, kvec_get(in, 2 * i));
        kvec_set(odd, i, kvec_get(in, 2 * i + 1));
    }
}

static void k_affine(assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols, size_t ncols, size_t from,
                     size_t n)
{
    for (size_t i = 0; i < n; i++) kvec_set(out, i, c0);
    kf_axpy_many(out, coef, cols, ncols, from, n);
}

const assay_cpu_kernels assay_cpu_kernels_ref = {
    .fft_pass = fft_pass,
    .fft_node = fft_node,
    .fft_two = fft_two,
    .fft_transpose_pass = fft_transpose_pass,
    .fft_transpose_node = fft_transpose_node,
    .k_axpy = k_axpy,
    .kf_axpy = kf_axpy,
    .kf_axpy_many = kf_axpy_many,
    .k_scale = scale,
    .k_add = add,
    .k_sum = sum,
    .k_dot = dot,
    .kf_dot = kf_dot,
    .k_fold = k_fold,
    .f_fold = f_fold,
    .k_halve = k_halve,
    .k_eq_step = k_eq_step,
    .round_dot2 = round_dot2,
    .round_dot2_kf = round_dot2_kf,
    .round_dot3w = round_dot3w,
    .round_frac = round_frac,
    .frac_up = frac_up,
    .frac_up_f = frac_up_f,
    .k_split = k_split,
    .k_affine = k_affine,
};
