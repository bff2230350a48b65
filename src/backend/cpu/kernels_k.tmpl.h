/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise kernels on vectors. Each does whole vectors and leaves the rest to the plain C kernel. */

/* ---- element-wise */

static void k_axpy(assay_kvec *y, kel a, const assay_kvec *x, size_t n)
{
    vk_right r = vk_const_right(a);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(y, i, vk_add(vk_load(y, i), vk_mul_by(vk_load(x, i), &r)));
    assay_kvec yt = assay_kvec_at(y, i, n - i), xt = assay_kvec_at(x, i, n - i);
    assay_cpu_kernels_ref.k_axpy(&yt, a, &xt, n - i);
}

/* A constant of K to be multiplied by elements of F. */
typedef struct vk_twice {
    vop v[K_WORDS];
} vk_twice;

static inline vk_twice vk_const_twice(kel a)
{
    vk_twice r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_twice_const(a.v[j]);
    return r;
}

VEC_INLINE vk vk_mul_f(vec f, const vk_twice *a)
{
    vk r;
    for (int j = 0; j < K_WORDS; j++) r.v[j] = v_mul(f, a->v[j]);
    return r;
}

static void kf_axpy(assay_kvec *y, kel a, const uint32_t *x, size_t n)
{
    vk_twice r = vk_const_twice(a);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(y, i, vk_add(vk_load(y, i), vk_mul_f(v_load(x + i), &r)));
    assay_kvec yt = assay_kvec_at(y, i, n - i);
    assay_cpu_kernels_ref.kf_axpy(&yt, a, x + i, n - i);
}

static void scale(assay_kvec *y, kel a, size_t n)
{
    vk_right r = vk_const_right(a);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(y, i, vk_mul_by(vk_load(y, i), &r));
    assay_kvec yt = assay_kvec_at(y, i, n - i);
    assay_cpu_kernels_ref.k_scale(&yt, a, n - i);
}

static void add(assay_kvec *y, const assay_kvec *x, size_t n)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(y, i, vk_add(vk_load(y, i), vk_load(x, i)));
    assay_kvec yt = assay_kvec_at(y, i, n - i), xt = assay_kvec_at(x, i, n - i);
    assay_cpu_kernels_ref.k_add(&yt, &xt, n - i);
}

static void k_eq_step(assay_kvec *lo, assay_kvec *hi, kel r, size_t n)
{
    vk_right rv = vk_const_right(r);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) {
        vk a = vk_load(lo, i), b = vk_mul_by(a, &rv);
        vk_store(hi, i, b);
        vk_store(lo, i, vk_sub(a, b));
    }
    assay_kvec lt = assay_kvec_at(lo, i, n - i), ht = assay_kvec_at(hi, i, n - i);
    assay_cpu_kernels_ref.k_eq_step(&lt, &ht, r, n - i);
}

/* ---- linear combinations of base-field rows: eight products of centred factors are reduced together. */

typedef struct terms {
    vec c[ASSAY_CPU_TERMS][K_WORDS]; /* centred coefficients */
    const uint32_t *const *rows;
    size_t n;
} terms;

static inline terms make_terms(const kel *a, const uint32_t *const *rows, size_t n)
{
    terms t;
    t.rows = rows;
    t.n = n;
    for (size_t k = 0; k < n; k++)
        for (int j = 0; j < K_WORDS; j++) t.c[k][j] = v_operand_const(a[k].v[j]).e;
    return t;
}

/* s + the combination of words at .. at + VEC_WIDTH - 1 of the rows. */
VEC_INLINE vk add_terms(vk s, const terms *t, size_t at)
{
    vacc sum[K_WORDS];
    for (int j = 0; j < K_WORDS; j++) sum[j].e = sum[j].o = v_zero();
    for (size_t k = 0; k < t->n; k++) {
        vop f = v_operand(v_load(t->rows[k] + at));
        for (int j = 0; j < K_WORDS; j++) {
            vop c = {t->c[k][j], t->c[k][j]};
            sum[j] = vacc_add(sum[j], vacc_mul(f, c));
        }
    }
    for (int j = 0; j < K_WORDS; j++) s.v[j] = v_add(s.v[j], vacc_reduce(sum[j]));
    return s;
}

static void kf_axpy_many(assay_kvec *y, const kel *a, const uint32_t *const *rows, size_t nrows, size_t from, size_t n)
{
    terms t = make_terms(a, rows, nrows);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(y, i, add_terms(vk_load(y, i), &t, from + i));
    assay_kvec yt = assay_kvec_at(y, i, n - i);
    assay_cpu_kernels_ref.kf_axpy_many(&yt, a, rows, nrows, from + i, n - i);
}

static void k_affine(assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols, size_t ncols, size_t from,
                     size_t n)
{
    terms t = make_terms(coef, cols, ncols);
    vk c = vk_set1(c0);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH) vk_store(out, i, add_terms(c, &t, from + i));
    assay_kvec ot = assay_kvec_at(out, i, n - i);
    assay_cpu_kernels_ref.k_affine(&ot, c0, coef, cols, ncols, from + i, n - i);
}

/* ---- halving */

/* Elements 2i .. 2i + 2 VEC_WIDTH - 1: those of even and of odd index. */
static inline void vk_load_pairs(vk *even, vk *odd, const assay_kvec *in, size_t i)
{
    for (int j = 0; j < K_WORDS; j++) {
        const uint32_t *p = in->c[j] + 2 * i;
        v_deinterleave(&even->v[j], &odd->v[j], v_load(p), v_load(p + VEC_WIDTH));
    }
}

static void k_fold(assay_kvec *out, const assay_kvec *in, kel r, size_t n_out)
{
    vk_right rv = vk_const_right(r);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vk a, b;
        vk_load_pairs(&a, &b, in, i);
        vk_store(out, i, vk_add(a, vk_mul_by(vk_sub(b, a), &rv)));
    }
    assay_kvec ot = assay_kvec_at(out, i, n_out - i), it = assay_kvec_at(in, 2 * i, 2 * (n_out - i));
    assay_cpu_kernels_ref.k_fold(&ot, &it, r, n_out - i);
}

static void f_fold(assay_kvec *out, const uint32_t *in, kel r, size_t n_out)
{
    vk_twice rv = vk_const_twice(r);
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vec a, b;
        v_deinterleave(&a, &b, v_load(in + 2 * i), v_load(in + 2 * i + VEC_WIDTH));
        vk s = vk_mul_f(v_sub(b, a), &rv);
        s.v[0] = v_add(s.v[0], a);
        vk_store(out, i, s);
    }
    assay_kvec ot = assay_kvec_at(out, i, n_out - i);
    assay_cpu_kernels_ref.f_fold(&ot, in + 2 * i, r, n_out - i);
}

static void k_halve(assay_kvec *out, const assay_kvec *in, size_t n_out)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vk a, b;
        vk_load_pairs(&a, &b, in, i);
        vk_store(out, i, vk_add(a, b));
    }
    assay_kvec ot = assay_kvec_at(out, i, n_out - i), it = assay_kvec_at(in, 2 * i, 2 * (n_out - i));
    assay_cpu_kernels_ref.k_halve(&ot, &it, n_out - i);
}

static void k_split(assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n_out)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vk a, b;
        vk_load_pairs(&a, &b, in, i);
        vk_store(even, i, a);
        vk_store(odd, i, b);
    }
    assay_kvec et = assay_kvec_at(even, i, n_out - i), ot = assay_kvec_at(odd, i, n_out - i);
    assay_kvec it = assay_kvec_at(in, 2 * i, 2 * (n_out - i));
    assay_cpu_kernels_ref.k_split(&et, &ot, &it, n_out - i);
}

static void frac_up(assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p, const assay_kvec *q, size_t n_out)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vk p0, p1, q0, q1;
        vk_load_pairs(&q0, &q1, q, i);
        vk_right q1r = vk_as_right(q1);
        vk_left q0l = vk_as_left(q0);
        vk_store(q_out, i, vk_mul(&q0l, &q1r));
        vk_load_pairs(&p0, &p1, p, i);
        vk_right p1r = vk_as_right(p1);
        vk_store(p_out, i, vk_add(vk_mul_by(p0, &q1r), vk_mul(&q0l, &p1r)));
    }
    assay_kvec pt = assay_kvec_at(p_out, i, n_out - i), qt = assay_kvec_at(q_out, i, n_out - i);
    assay_kvec pi = assay_kvec_at(p, 2 * i, 2 * (n_out - i)), qi = assay_kvec_at(q, 2 * i, 2 * (n_out - i));
    assay_cpu_kernels_ref.frac_up(&pt, &qt, &pi, &qi, n_out - i);
}

static void frac_up_f(assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p, const assay_kvec *q, size_t n_out)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n_out; i += VEC_WIDTH) {
        vk q0, q1;
        vec p0, p1;
        vk_load_pairs(&q0, &q1, q, i);
        v_deinterleave(&p0, &p1, v_load(p + 2 * i), v_load(p + 2 * i + VEC_WIDTH));
        vop d0 = v_twice(p0), d1 = v_twice(p1);
        for (int j = 0; j < K_WORDS; j++) v_store(p_out->c[j] + i, v_add(v_mul(q1.v[j], d0), v_mul(q0.v[j], d1)));
        vk_right q1r = vk_as_right(q1);
        vk_store(q_out, i, vk_mul_by(q0, &q1r));
    }
    assay_kvec pt = assay_kvec_at(p_out, i, n_out - i), qt = assay_kvec_at(q_out, i, n_out - i);
    assay_kvec qi = assay_kvec_at(q, 2 * i, 2 * (n_out - i));
    assay_cpu_kernels_ref.frac_up_f(&pt, &qt, p + 2 * i, &qi, n_out - i);
}
