/* SPDX-License-Identifier: Apache-2.0 */
/* The array operations of Groth16: a table a backend, as backend.h is for the fields of the other proof system. The
 * plain C reference (cpu/groups_ref.c) defines; the others equal it: field arrays bit for bit, group sums as points
 * (the Jacobian representative may differ).
 *
 * Conventions. `n` counts elements. assay_fr arrays are in Montgomery form, scalars are plain integers below r, affine
 * points are packed (curve/curve.h). Outputs come first; in and out may be the same array only where "in place" is
 * said. Secrecy: scalars are witnesses (class B of docs/secrets.md); running time depends on them (zeros and ones are
 * set apart), and scratch that has held them is wiped. */
#ifndef ASSAY_BACKEND_GROUPS_H
#define ASSAY_BACKEND_GROUPS_H

#include "base/pool.h"
#include "base/progress.h"
#include "curve/curve.h"
#include <stddef.h>
#include <stdint.h>

typedef uint64_t assay_scalar[ASSAY_FR_LIMBS];

enum { ASSAY_NTT_PARTS = 8 };

typedef struct assay_ntt assay_ntt; /* the roots of unity for one size of one curve's scalar field */
typedef struct assay_msm assay_msm; /* a sum of multiples in the making */

typedef struct assay_group_backend assay_group_backend;
struct assay_group_backend {
    const char *name; /* "ref", "adx", "ifma" */
    assay_pool *pool; /* borrowed; NULL: one thread */
    const void *impl;

    /* ---- scalar field arrays; in place is fine everywhere.
     *   fr_mul       out[i] = a[i] b[i]
     *   fr_mul_sub   out[i] = a[i] b[i] - c[i]
     *   fr_powers    x[i] *= s g^i
     *   fr_to_scalars, fr_from_scalars   Montgomery form to plain integers and back (out may be the same memory) */
    void (*fr_mul)(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                   const assay_fr *b, size_t n);
    void (*fr_mul_sub)(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                       const assay_fr *b, const assay_fr *sub, size_t n);
    void (*fr_powers)(const assay_group_backend *be, const assay_curve *c, assay_fr *x, assay_fr s, assay_fr g,
                      size_t n);
    void (*fr_to_scalars)(const assay_group_backend *be, const assay_curve *c, assay_scalar *out, const assay_fr *a,
                          size_t n);
    void (*fr_from_scalars)(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_scalar *a,
                            size_t n);

    /* ---- NTT of size 2^k over the roots w = fr_root(k), natural order in and out, in place.
     *   forward  y[j] = sum_i x[i] w^(ij)
     *   inverse  undoes it, 1/n included
     *   extend   values on w^j to values on s w^j of the polynomial of degree below n that has them: an inverse and a
     *            forward transform with shift s, but cheaper, since coefficients need no order in between
     *   part     values on w^j to values on s w^(mj), j < n / m, of the same polynomial, in the first n / m places; the
     *            others are scratch afterwards. `fewer` is of size n / m, m at most ASSAY_NTT_PARTS
     * With a shift s (not NULL): forward evaluates on s w^j, that is x[i] is multiplied by s^i first; inverse undoes
     * that. new: k <= two_adicity; ASSAY_ENOMEM. The object is read-only afterwards and may serve several threads.
     * bytes: what it takes, and a transform with it beside x: for plans. */
    assay_status (*ntt_new)(const assay_group_backend *be, assay_ntt **t, const assay_curve *c, unsigned k,
                            assay_errinfo *err);
    void (*ntt_free)(assay_ntt *t);
    void (*ntt_forward)(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift);
    void (*ntt_inverse)(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, const assay_fr *shift);
    void (*ntt_extend)(const assay_group_backend *be, const assay_ntt *t, assay_fr *x, assay_fr s);
    void (*ntt_part)(const assay_group_backend *be, const assay_ntt *t, const assay_ntt *fewer, assay_fr *x,
                     assay_fr s);
    size_t (*ntt_bytes)(const assay_group_backend *be, const assay_curve *c, unsigned k);

    /* ---- multi-scalar multiplication: sum_i k_i P_i, fed in pieces so that keys can be streamed.
     *   new     n: how many terms are to come in all (a hint for the width of windows); max_bytes: the most memory the
     *           object may hold at a time, buckets and scratch together (0: no bound); ASSAY_ENOMEM when a sum cannot
     * be made within it add     n terms: points on the curve, aligned to 8 bytes (infinities allowed; not checked),
     * scalars below r. Any number of calls, any n; each is worked off at once, so pieces of 2^16 terms and more cost
     * least (2^18 terms in four pieces: 18 % more additions than in one). progress may be NULL; a non-zero answer ends
     * with ASSAY_ECANCELED finish  the Jacobian sum; the object may then only be freed bytes   what `new` would take
     * for n terms without a bound: for plans Points outside the group of order r, which a bad key may hold where
     * cofactors are not 1: for k > r / 2 the CPU adds (k - r) P, not k P. The sum is then not the one meant, but a
     * point of the curve, and nothing worse: a proof made of it fails verification. */
    assay_status (*msm_new)(const assay_group_backend *be, assay_msm **m, const assay_curve *c, assay_group_id g,
                            size_t n, size_t max_bytes, assay_errinfo *err);
    assay_status (*msm_add)(assay_msm *m, const void *points, const assay_scalar *scalars, size_t n,
                            const assay_progress *progress, assay_errinfo *err);
    assay_status (*msm_finish)(assay_msm *m, void *point, assay_errinfo *err);
    void (*msm_free)(assay_msm *m); /* NULL is fine; wipes */
    size_t (*msm_bytes)(const assay_group_backend *be, const assay_curve *c, assay_group_id g, size_t n);

    /* ---- many multiples of one point: out[i] = k_i P, affine, for set-ups. out has n affine points. ASSAY_ENOMEM. */
    assay_status (*fixed_base)(const assay_group_backend *be, const assay_curve *c, assay_group_id g, void *out,
                               const void *affine, const assay_scalar *k, size_t n, const assay_progress *progress,
                               assay_errinfo *err);
};

/* How many points at the start of the array, in the form of key files (LEM), have coordinates below q and lie on the
 * curve, or are infinity. On the caller's thread; not constant time. */
size_t assay_points_on_curve(const assay_group *g, const void *points, size_t n);

/* Fills *be with the fastest CPU implementation that assay_cpu_features() allows; pool may be NULL. */
void assay_group_backend_cpu_init(assay_group_backend *be, assay_pool *pool);

#endif
