/* SPDX-License-Identifier: Apache-2.0 */
/* Circle FFT on vectors. Blocks above 2^LOG_CACHE words are split depth first, so that the parts fit the first-level
 * cache; inside, two stages a pass. The last VEC_LOG + 1 stages of 2 VEC_WIDTH words happen in two registers: between
 * stages, transpositions of 2x2 blocks put the words to be paired into the same lane.  */

enum { LOG_CACHE = 12, LOG_BASE = VEC_LOG + 1 };

/* (a, b) becomes (a + t b, a - t b); t2 is t doubled. */
static inline void butterfly(vec *a, vec *b, vop t2)
{
    vec m = v_mul(*b, t2), x = *a;
    *a = v_add(x, m);
    *b = v_sub(x, m);
}

/* (a, b) becomes (a + b, t (a - b)). */
static inline void butterfly_transposed(vec *a, vec *b, vop t2)
{
    vec x = *a, y = *b;
    *a = v_add(x, y);
    *b = v_mul(v_sub(x, y), t2);
}

static void fft_pass(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n)
{
    vop t2 = v_twice_const(t);
    size_t j = 0;
    for (; j + VEC_WIDTH <= n; j += VEC_WIDTH) {
        vec a = v_load(lo + j), b = v_load(hi + j);
        butterfly(&a, &b, t2);
        v_store(lo + j, a);
        v_store(hi + j, b);
    }
    assay_cpu_kernels_ref.fft_pass(lo + j, hi + j, t, n - j);
}

static void fft_transpose_pass(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n)
{
    vop t2 = v_twice_const(t);
    size_t j = 0;
    for (; j + VEC_WIDTH <= n; j += VEC_WIDTH) {
        vec a = v_load(lo + j), b = v_load(hi + j);
        butterfly_transposed(&a, &b, t2);
        v_store(lo + j, a);
        v_store(hi + j, b);
    }
    assay_cpu_kernels_ref.fft_transpose_pass(lo + j, hi + j, t, n - j);
}

/* Two stages of node v on 2^i words, i >= VEC_LOG + 2. */
static inline void two_stages_to(uint32_t *out, const uint32_t *in, const uint32_t *tw, size_t v, unsigned i)
{
    size_t q = (size_t)1 << (i - 2);
    vop t = v_twice_const(tw[v]), t0 = v_twice_const(tw[2 * v]), t1 = v_twice_const(tw[2 * v + 1]);
    for (size_t j = 0; j < q; j += VEC_WIDTH) {
        const uint32_t *from = in + j;
        uint32_t *p = out + j;
        vec a = v_load(from), b = v_load(from + q), c = v_load(from + 2 * q), d = v_load(from + 3 * q);
        butterfly(&a, &c, t);
        butterfly(&b, &d, t);
        butterfly(&a, &b, t0);
        butterfly(&c, &d, t1);
        v_store(p, a);
        v_store(p + q, b);
        v_store(p + 2 * q, c);
        v_store(p + 3 * q, d);
    }
}

static inline void two_stages(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    two_stages_to(row, row, tw, v, i);
}

static inline void two_stages_transposed(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    size_t q = (size_t)1 << (i - 2);
    vop t = v_twice_const(tw[v]), t0 = v_twice_const(tw[2 * v]), t1 = v_twice_const(tw[2 * v + 1]);
    for (size_t j = 0; j < q; j += VEC_WIDTH) {
        uint32_t *p = row + j;
        vec a = v_load(p), b = v_load(p + q), c = v_load(p + 2 * q), d = v_load(p + 3 * q);
        butterfly_transposed(&a, &b, t0);
        butterfly_transposed(&c, &d, t1);
        butterfly_transposed(&a, &c, t);
        butterfly_transposed(&b, &d, t);
        v_store(p, a);
        v_store(p + q, b);
        v_store(p + 2 * q, c);
        v_store(p + 3 * q, d);
    }
}

/* All stages of node v on 2 VEC_WIDTH words. */
static inline void base_node(uint32_t *p, const uint32_t *tw, size_t v)
{
    vec a = v_load(p), b = v_load(p + VEC_WIDTH);
    butterfly(&a, &b, v_twice_const(tw[v]));
    v *= 2;
#if VEC_WIDTH == 16
    v_transpose8(&a, &b);
    butterfly(&a, &b, v_twice(v_spread2(tw + v)));
    v *= 2;
    v_transpose4(&a, &b);
    butterfly(&a, &b, v_twice(v_spread4(tw + v)));
    v *= 2;
    v_transpose2(&a, &b);
    butterfly(&a, &b, v_twice(v_spread8(tw + v)));
#else
    v_transpose4(&a, &b);
    butterfly(&a, &b, v_twice(v_spread2(tw + v)));
    v *= 2;
    v_transpose2(&a, &b);
    butterfly(&a, &b, v_twice(v_spread4(tw + v)));
#endif
    v *= 2;
    v_transpose1(&a, &b);
    butterfly(&a, &b, v_twice(v_load(tw + v)));
    v_interleave(&a, &b, a, b);
    v_store(p, a);
    v_store(p + VEC_WIDTH, b);
}

static inline void base_node_transposed(uint32_t *p, const uint32_t *tw, size_t v)
{
    vec a, b;
    v_deinterleave(&a, &b, v_load(p), v_load(p + VEC_WIDTH));
    butterfly_transposed(&a, &b, v_twice(v_load(tw + v * VEC_WIDTH)));
    v_transpose1(&a, &b);
#if VEC_WIDTH == 16
    butterfly_transposed(&a, &b, v_twice(v_spread8(tw + v * 8)));
    v_transpose2(&a, &b);
    butterfly_transposed(&a, &b, v_twice(v_spread4(tw + v * 4)));
    v_transpose4(&a, &b);
    butterfly_transposed(&a, &b, v_twice(v_spread2(tw + v * 2)));
    v_transpose8(&a, &b);
#else
    butterfly_transposed(&a, &b, v_twice(v_spread4(tw + v * 4)));
    v_transpose2(&a, &b);
    butterfly_transposed(&a, &b, v_twice(v_spread2(tw + v * 2)));
    v_transpose4(&a, &b);
#endif
    butterfly_transposed(&a, &b, v_twice_const(tw[v]));
    v_store(p, a);
    v_store(p + VEC_WIDTH, b);
}

/* A node whose words fit the cache, stage after stage; LOG_BASE <= i. */
static void cached_node(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    unsigned s = i;
    for (; s >= LOG_BASE + 2; s -= 2)
        for (size_t h = 0; h < (size_t)1 << (i - s); h++) two_stages(row + (h << s), tw, (v << (i - s)) + h, s);
    if (s > LOG_BASE) {
        size_t half = (size_t)1 << (s - 1);
        for (size_t h = 0; h < (size_t)1 << (i - s); h++) {
            uint32_t *lo = row + (h << s);
            fft_pass(lo, lo + half, tw[(v << (i - s)) + h], half);
        }
        s--;
    }
    for (size_t h = 0; h < (size_t)1 << (i - s); h++) base_node(row + (h << s), tw, (v << (i - s)) + h);
}

static void cached_node_transposed(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    unsigned s = LOG_BASE;
    for (size_t h = 0; h < (size_t)1 << (i - s); h++) base_node_transposed(row + (h << s), tw, (v << (i - s)) + h);
    if ((i - s) % 2) {
        size_t half = (size_t)1 << s++;
        for (size_t h = 0; h < (size_t)1 << (i - s); h++) {
            uint32_t *lo = row + (h << s);
            fft_transpose_pass(lo, lo + half, tw[(v << (i - s)) + h], half);
        }
    }
    for (s += 2; s <= i; s += 2)
        for (size_t h = 0; h < (size_t)1 << (i - s); h++)
            two_stages_transposed(row + (h << s), tw, (v << (i - s)) + h, s);
}

static void fft_node(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    if (i < LOG_BASE) {
        assay_cpu_kernels_ref.fft_node(row, tw, v, i);
    } else if (i <= LOG_CACHE) {
        cached_node(row, tw, v, i);
    } else if (i == LOG_CACHE + 1) {
        size_t half = (size_t)1 << LOG_CACHE;
        fft_pass(row, row + half, tw[v], half);
        for (size_t h = 0; h < 2; h++) cached_node(row + h * half, tw, 2 * v + h, LOG_CACHE);
    } else {
        two_stages(row, tw, v, i);
        for (size_t h = 0; h < 4; h++) fft_node(row + (h << (i - 2)), tw, 4 * v + h, i - 2);
    }
}

static void fft_transpose_node(uint32_t *row, const uint32_t *tw, size_t v, unsigned i)
{
    if (i < LOG_BASE) {
        assay_cpu_kernels_ref.fft_transpose_node(row, tw, v, i);
    } else if (i <= LOG_CACHE) {
        cached_node_transposed(row, tw, v, i);
    } else if (i == LOG_CACHE + 1) {
        size_t half = (size_t)1 << LOG_CACHE;
        for (size_t h = 0; h < 2; h++) cached_node_transposed(row + h * half, tw, 2 * v + h, LOG_CACHE);
        fft_transpose_pass(row, row + half, tw[v], half);
    } else {
        for (size_t h = 0; h < 4; h++) fft_transpose_node(row + (h << (i - 2)), tw, 4 * v + h, i - 2);
        two_stages_transposed(row, tw, v, i);
    }
}

static void fft_two(uint32_t *out, const uint32_t *in, const uint32_t *tw, size_t v, unsigned i)
{
    if (i < VEC_LOG + 2)
        assay_cpu_kernels_ref.fft_two(out, in, tw, v, i);
    else
        two_stages_to(out, in, tw, v, i);
}
