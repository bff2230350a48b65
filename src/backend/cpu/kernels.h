/* SPDX-License-Identifier: Apache-2.0 */
/* The single-threaded kernels behind the CPU backend, one table an instruction set. They mean what the operations of
 * backend.h of the same name mean, on one piece of the arrays; ops.c cuts arrays in pieces and shares them out. */
#ifndef ASSAY_BACKEND_CPU_KERNELS_H
#define ASSAY_BACKEND_CPU_KERNELS_H

#include "field/kvec.h"
#include <stddef.h>
#include <stdint.h>

/* Terms of a linear combination with base-field factors that one call takes. */
enum { ASSAY_CPU_TERMS = 8 };

typedef struct assay_cpu_kernels {
    /* Twiddles are a binary heap: the block of node v at stage i splits into those of nodes 2v and 2v+1 at stage i-1,
     * and multiplies by tw[v]. *_pass: one block, n pairs (lo[j], hi[j]). *_node: all stages of the 2^i words under
     * node v. */
    void (*fft_pass)(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n);
    void (*fft_node)(uint32_t *row, const uint32_t *tw, size_t v, unsigned i);
    /* The first two stages under node v, i >= 2, from `in` to `out`, which may be the same. */
    void (*fft_two)(uint32_t *out, const uint32_t *in, const uint32_t *tw, size_t v, unsigned i);
    void (*fft_transpose_pass)(uint32_t *lo, uint32_t *hi, uint32_t t, size_t n);
    void (*fft_transpose_node)(uint32_t *row, const uint32_t *tw, size_t v, unsigned i);

    void (*k_axpy)(assay_kvec *y, kel a, const assay_kvec *x, size_t n);
    void (*kf_axpy)(assay_kvec *y, kel a, const uint32_t *x, size_t n);
    /* At most eight terms, rows read from `from` on. */
    void (*kf_axpy_many)(assay_kvec *y, const kel *a, const uint32_t *const *rows, size_t nrows, size_t from, size_t n);
    void (*k_scale)(assay_kvec *y, kel a, size_t n);
    void (*k_add)(assay_kvec *y, const assay_kvec *x, size_t n);
    kel (*k_sum)(const assay_kvec *x, size_t n);
    kel (*k_dot)(const assay_kvec *a, const assay_kvec *b, size_t n);
    kel (*kf_dot)(const assay_kvec *a, const uint32_t *b, size_t n);
    /* In place they read ahead of what they write, in ascending order. */
    void (*k_fold)(assay_kvec *out, const assay_kvec *in, kel r, size_t n_out);
    void (*f_fold)(assay_kvec *out, const uint32_t *in, kel r, size_t n_out);
    void (*k_halve)(assay_kvec *out, const assay_kvec *in, size_t n_out);
    /* One variable of an eq table: hi = r lo, then lo -= hi. */
    void (*k_eq_step)(assay_kvec *lo, assay_kvec *hi, kel r, size_t n);

    void (*round_dot2)(kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n_pairs);
    void (*round_dot2_kf)(kel out[2], const assay_kvec *a, const uint32_t *b, size_t n_pairs);
    void (*round_dot3w)(kel out[2], const assay_kvec *w, const assay_kvec *a, const assay_kvec *b, size_t n_pairs);
    void (*round_frac)(kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0, const assay_kvec *p1,
                       const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs);

    void (*frac_up)(assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p, const assay_kvec *q, size_t n_out);
    void (*frac_up_f)(assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p, const assay_kvec *q, size_t n_out);
    void (*k_split)(assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n_out);
    /* out[i] = c0 + sum_j coef[j] cols[j][from + i], at most eight terms. */
    void (*k_affine)(assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols, size_t ncols, size_t from,
                     size_t n);
} assay_cpu_kernels;

extern const assay_cpu_kernels assay_cpu_kernels_ref;
extern const assay_cpu_kernels assay_cpu_kernels_avx2;   /* x86-64 builds only: name them by ASSAY_X86_FN(&...) */
extern const assay_cpu_kernels assay_cpu_kernels_avx512; /* likewise */

#endif
