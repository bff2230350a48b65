/* SPDX-License-Identifier: Apache-2.0 */
/* The array operations of the proof systems: one table a backend, one definition (cpu/ref.c), many
 * implementations that equal it bit for bit.
 *
 * Conventions. All words are canonical M31 elements (< p). K arrays are six planes (field/kvec.h). `n` counts elements.
 * Outputs come first. Input and output arrays do not overlap unless "in place" is said. An operation whose arrays are
 * small runs on the caller's thread. Nothing here fails or allocates more than fixed scratch, except where it says so.
 */
#ifndef ASSAY_BACKEND_BACKEND_H
#define ASSAY_BACKEND_BACKEND_H

#include "base/pool.h"
#include "field/kvec.h"
#include <stddef.h>
#include <stdint.h>

/* Context of one Merkle tree for domain separation (docs/protocol.md, "Merkle trees"). */
typedef struct assay_leaf_params {
    uint8_t tree;            /* tree id */
    uint64_t first;          /* index of the first leaf */
    const uint8_t *salt_key; /* 32 bytes: leaf salt i = SHA-256(key || "salt" || le64 i); NULL: leaves carry no salt */
} assay_leaf_params;

typedef struct assay_backend assay_backend;
struct assay_backend {
    const char *name; /* "ref", "avx2", "avx512"; with "+shani" when the SHA extensions may be used */
    assay_pool *pool; /* borrowed; NULL: one thread */
    const void *impl; /* private to the implementation */

    /* ---- circle FFT (docs/protocol.md, "Code"). One row, one group: 2^c words in place.
     * Stage i = c-1 .. 0: for every block h of 2^(i+1) words, with t = tw[2^(c-1-i) + h], each pair at distance 2^i
     * becomes (a + t b, a - t b). tw has 2^c words (word 0 unused). */
    void (*fft)(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c);
    /* The same from `in` to `out` (2^c words each, apart), for some blocks of 2^log_block words only: n ascending
     * numbers of blocks, log_block <= c. What else is in out then has no meaning. Runs on the caller's thread. */
    void (*fft_blocks)(const assay_backend *be, uint32_t *out, const uint32_t *in, const uint32_t *tw, unsigned c,
                       unsigned log_block, const uint64_t *blocks, size_t n);
    /* Its transpose: stage i = 0 .. c-1: (a, b) becomes (a + b, t (a - b)). */
    void (*fft_transpose)(const assay_backend *be, uint32_t *row, const uint32_t *tw, unsigned c);

    /* ---- SHA-256 over arrays. Digests are 32 bytes, contiguous.
     * Leaf i (0 <= i < n) hashes  header(kind 0, tree, level 0, first + i) || salt (if any) || rows[0][i] ..
     * rows[nrows-1][i], words little-endian. */
    void (*hash_leaves)(const assay_backend *be, uint8_t *out, const assay_leaf_params *lp, size_t n,
                        const uint32_t *const *rows, size_t nrows);
    /* Node i hashes  header(kind 1, tree, level, first + i) || in[2i] || in[2i+1];  level counts from 1 above the
     * leaves. */
    void (*hash_nodes)(const assay_backend *be, uint8_t *out, const uint8_t *in, size_t n, uint8_t tree, uint8_t level,
                       uint64_t first);
    /* Block i of the stream (key, label) is SHA-256(key || le64 label || le64 (first + i)); writes n blocks. */
    void (*stream)(const assay_backend *be, uint8_t *out, const uint8_t key[32], uint64_t label, uint64_t first,
                   size_t n);

    /* ---- K arrays, y and x of n elements; f, b and rows in the base field.
     *   k_axpy        y += a x
     *   kf_axpy       y += a f
     *   kf_axpy_many  y += sum_j a[j] rows[j], in one pass over y
     *   k_scale       y *= a
     *   k_add         y += x
     *   k_sum         sum_i x_i
     *   k_dot, kf_dot sum_i a_i b_i */
    void (*k_axpy)(const assay_backend *be, assay_kvec *y, kel a, const assay_kvec *x, size_t n);
    void (*kf_axpy)(const assay_backend *be, assay_kvec *y, kel a, const uint32_t *f, size_t n);
    void (*kf_axpy_many)(const assay_backend *be, assay_kvec *y, const kel *a, const uint32_t *const *rows,
                         size_t nrows, size_t n);
    void (*k_scale)(const assay_backend *be, assay_kvec *y, kel a, size_t n);
    void (*k_add)(const assay_backend *be, assay_kvec *y, const assay_kvec *x, size_t n);
    kel (*k_sum)(const assay_backend *be, const assay_kvec *x, size_t n);
    kel (*k_dot)(const assay_backend *be, const assay_kvec *a, const assay_kvec *b, size_t n);
    kel (*kf_dot)(const assay_backend *be, const assay_kvec *a, const uint32_t *b, size_t n);
    /* Binds the lowest variable: out[i] = in[2i] + r (in[2i+1] - in[2i]), i < n_out; in has 2 n_out elements.
     * out may be in (in place). f_fold: the same from base-field words. */
    void (*k_fold)(const assay_backend *be, assay_kvec *out, const assay_kvec *in, kel r, size_t n_out);
    void (*f_fold)(const assay_backend *be, assay_kvec *out, const uint32_t *in, kel r, size_t n_out);
    /* out[i] = in[2i] + in[2i+1]: an eq table loses its lowest variable. out may be in. */
    void (*k_halve)(const assay_backend *be, assay_kvec *out, const assay_kvec *in, size_t n_out);
    /* out[b] = scale * eq(r, b) for b < 2^n; variable i of r is bit i of b. */
    void (*k_eq)(const assay_backend *be, assay_kvec *out, kel scale, const kel *r, unsigned n);

    /* ---- sumcheck rounds. Arrays hold n_pairs pairs (2i, 2i+1); X is the variable being bound; each function returns
     * the value at X = 0 in out[0] and the coefficient of X^2 in out[1].
     *   dot2    g(X) = sum_i a_i(X) b_i(X), kf: b in the base field
     *   dot3w   g(X) = sum_i w_i a_i(X) b_i(X), w has n_pairs elements and does not depend on X
     *   frac    g(X) = sum_i w_i (p0 q1 + p1 q0 + lambda q0 q1)_i(X)
     * lambda q1 is linear: a caller that keeps p1 + lambda q1 in the place of p1, and folds it, passes lambda = 0 and
     * saves one multiplication in four. */
    void (*round_dot2)(const assay_backend *be, kel out[2], const assay_kvec *a, const assay_kvec *b, size_t n_pairs);
    void (*round_dot2_kf)(const assay_backend *be, kel out[2], const assay_kvec *a, const uint32_t *b, size_t n_pairs);
    void (*round_dot3w)(const assay_backend *be, kel out[2], const assay_kvec *w, const assay_kvec *a,
                        const assay_kvec *b, size_t n_pairs);
    void (*round_frac)(const assay_backend *be, kel out[2], const assay_kvec *w, kel lambda, const assay_kvec *p0,
                       const assay_kvec *p1, const assay_kvec *q0, const assay_kvec *q1, size_t n_pairs);

    /* ---- fraction tree. Node i of the next layer is p = p0 q1 + p1 q0, q = q0 q1 of children 2i and 2i+1.
     * frac_up: from K numerators; frac_up_f: from base-field numerators (leaves). n_out nodes. */
    void (*frac_up)(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const assay_kvec *p,
                    const assay_kvec *q, size_t n_out);
    void (*frac_up_f)(const assay_backend *be, assay_kvec *p_out, assay_kvec *q_out, const uint32_t *p,
                      const assay_kvec *q, size_t n_out);
    /* even[i] = in[2i], odd[i] = in[2i+1]. */
    void (*k_split)(const assay_backend *be, assay_kvec *even, assay_kvec *odd, const assay_kvec *in, size_t n_out);

    /* out[i] = c0 + sum_j coef[j] * cols[j][i], cols in the base field, ncols <= 8: look-up denominators. */
    void (*k_affine)(const assay_backend *be, assay_kvec *out, kel c0, const kel *coef, const uint32_t *const *cols,
                     size_t ncols, size_t n);
};

/* Fills *be with the fastest CPU implementation that assay_cpu_features() allows; pool may be NULL. */
void assay_backend_cpu_init(assay_backend *be, assay_pool *pool);

#endif
