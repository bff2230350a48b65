/* SPDX-License-Identifier: Apache-2.0 */
/* The proving key file .zkey (version 1, groth16) of snarkjs, on both curves. docs/groth16.md, "Formats".
 *
 * A key comes from strangers. Opening checks everything that is small; what is large is checked as it is read. What a
 * hostile key could still do, and why it gains nothing, is argued at assay_zkey_check_header. */
#ifndef ASSAY_GROTH16_ZKEY_H
#define ASSAY_GROTH16_ZKEY_H

#include "base/progress.h"
#include "groth16/container.h"
#include "groth16/points.h"
#include "groth16/values.h"
#include "groth16/vk.h"
#include <stdbool.h>

enum {
    ASSAY_ZKEY_HEADER = 1,
    ASSAY_ZKEY_GROTH16 = 2,
    ASSAY_ZKEY_IC = 3,    /* n_public + 1 of G1 */
    ASSAY_ZKEY_COEFS = 4, /* coefficients of A and B */
    ASSAY_ZKEY_A = 5,     /* n_vars of G1 */
    ASSAY_ZKEY_B1 = 6,    /* n_vars of G1 */
    ASSAY_ZKEY_B2 = 7,    /* n_vars of G2 */
    ASSAY_ZKEY_C = 8,     /* n_vars - n_public - 1 of G1: of wires n_public + 1 and on */
    ASSAY_ZKEY_H = 9,     /* domain of G1 */
    ASSAY_ZKEY_CONTRIBUTIONS = 10,
    /* Ours, ignored by others: an insecure development key, whose trapdoor was known to the program that made it. Text.
     */
    ASSAY_ZKEY_DEVELOPMENT = 0x41535359
};

enum { ASSAY_ZKEY_COEF_BYTES = 44 };

typedef struct assay_zkey {
    assay_container file;
    const assay_curve *curve;
    uint32_t n_vars, n_public; /* with and without the constant 1; n_public < n_vars */
    uint32_t domain, n_coefs;
    unsigned log_domain;
    bool development; /* marked so, or gamma2 = delta2: a key whose proofs anybody can forge */
    assay_affine alpha1, beta1, delta1, beta2, gamma2, delta2;
} assay_zkey;

/* Opens a key and checks its header: known primes; domain a power of two, at most 2^two_adicity; section lengths equal
 * to what the counts ask for (so that no count is believed that the file does not back); the six points in their groups
 * and none at infinity. Without allow_development a development key, marked or not, is ASSAY_EUNSUPPORTED;
 * assay_groth16_key_open sets it and refuses on its own, of these keys only those with gamma2 = delta2 and no mark, so
 * that marked ones prove, with a warning. Not read here: the contents of sections 3 to 10. Allocates nothing. */
ASSAY_MUST_USE assay_status assay_zkey_open(assay_zkey *z, const char *path, bool allow_development,
                                            assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_zkey_of(assay_zkey *z, const char *name, const void *p, size_t n,
                                          bool allow_development, assay_errinfo *err);
void assay_zkey_close(assay_zkey *z);

/* "section 5 (A)", for messages. */
const char *assay_zkey_part(unsigned section);
/* Points of a section: how many, and of which group. */
uint64_t assay_zkey_n_points(const assay_zkey *z, unsigned section);
const assay_group *assay_zkey_group(const assay_zkey *z, unsigned section);
/* Points [first, first + n) of section 3, 5, 6, 7, 8 or 9 into out (n * affine_bytes). n = 0 is fine. Several threads
 * may read at once, if at most one of them gives the pool. See assay_points_read. */
ASSAY_MUST_USE assay_status assay_zkey_points(void *out, const assay_zkey *z, unsigned section, uint64_t first,
                                              size_t n, assay_point_check check, assay_pool *pool, assay_errinfo *err);

/* Whether the points of the header belong together: e(beta1, g2) = e(g1, beta2), e(delta1, g2) = e(g1, delta2).
 * ASSAY_ERANGE. About 2 ms. A prover calls it for every key it loads.
 *
 * Why nothing leaks then, whatever sections 4 to 9 hold, if the prover draws fresh r and s, verifies its own proof
 * against the header and section 3 of this key, subgroups included, and releases only proofs that pass. pi_a = .. + r
 * delta1 and pi_b = .. + s delta2 with delta1, delta2 of order r: two uniform elements of G1 and G2 (a part outside of
 * the groups would be refused), independent of the witness; delta2 not infinity makes pi_c the only element that
 * verifies with them. So a released proof says no more than the simulator's. That the key made a proof fail is one bit,
 * which a proving service shows by its answer; a key that passes assay_zkey_check never does. Were delta1 infinity or
 * foreign to delta2, pi_a would be a function of the witness: the attack that this stops. */
ASSAY_MUST_USE assay_status assay_zkey_check_header(const assay_zkey *z, assay_errinfo *err);

/* All of the key: the above, every point in its group, none of section 3 at infinity, B1 and B2 the same multiples (by
 * a random combination), every coefficient; infinity where A or B have a coefficient but no point. Minutes for a large
 * key on BLS12-381; for `info --check` and set-ups. It does not tell whether the key fits a circuit. */
ASSAY_MUST_USE assay_status assay_zkey_check(const assay_zkey *z, assay_pool *pool, const assay_progress *progress,
                                             assay_errinfo *err);

/* The verification key inside: header and section 3, checked as assay_vk_check does. */
ASSAY_MUST_USE assay_status assay_zkey_vk(assay_vk *vk, const assay_zkey *z, assay_errinfo *err);

/* ---- coefficients (section 4). value R^2 mod r stands in the file: value is that number, plain, as Montgomery limbs
 * are written, so that fr_mul(value, w) with a plain w gives the product in Montgomery form. */
typedef struct assay_zkey_coef {
    uint32_t matrix; /* 0: A, 1: B */
    uint32_t row;    /* below domain */
    uint32_t signal; /* below n_vars */
    assay_fr value;  /* below r, see above */
} assay_zkey_coef;

/* Coefficients [first, first + n), every bound checked. Several threads may read at once. */
ASSAY_MUST_USE assay_status assay_zkey_coefs(assay_zkey_coef *out, const assay_zkey *z, uint32_t first, size_t n,
                                             assay_errinfo *err);

/* Both matrices by rows: terms of row i of matrix m are start[m][i] .. start[m][i + 1]. values.v as
 * assay_zkey_coef.value. */
typedef struct assay_zkey_matrices {
    uint32_t domain, n_coefs;
    uint32_t *start[2];       /* domain + 1 each; start[0][domain] = start[1][0] */
    uint32_t *signal, *value; /* n_coefs */
    assay_values values;
} assay_zkey_matrices;

/* Reads section 4 twice. Memory: 8 bytes a coefficient, 8 a row, 40 to 80 a distinct value. Cleared on failure. */
ASSAY_MUST_USE assay_status assay_zkey_matrices_load(assay_zkey_matrices *m, const assay_zkey *z, assay_errinfo *err);
void assay_zkey_matrices_clear(assay_zkey_matrices *m);

/* ---- contributions (section 10), for `info`. */
enum { ASSAY_ZKEY_HASH_BYTES = 64, ASSAY_ZKEY_NAME_BYTES = 256, ASSAY_ZKEY_BEACON_BYTES = 255 };
typedef struct assay_zkey_contribution {
    assay_affine delta_after, g1_s, g1_sx, g2_spx; /* in their groups */
    uint8_t transcript[ASSAY_ZKEY_HASH_BYTES];
    uint32_t type;                    /* 0: a person, 1: a beacon */
    char name[ASSAY_ZKEY_NAME_BYTES]; /* "" for none; control characters become '?' */
    uint32_t beacon_iterations_log;
    uint8_t beacon[ASSAY_ZKEY_BEACON_BYTES];
    size_t n_beacon;
} assay_zkey_contribution;

typedef struct assay_zkey_history {
    uint8_t circuit_hash[ASSAY_ZKEY_HASH_BYTES];
    uint32_t n;
    assay_zkey_contribution *contribution;
} assay_zkey_history;

/* The last delta_after must be delta1 of the header. An absent section 10 gives an empty history and a zero hash. */
ASSAY_MUST_USE assay_status assay_zkey_history_read(assay_zkey_history *h, const assay_zkey *z, assay_errinfo *err);
void assay_zkey_history_clear(assay_zkey_history *h);

/* ---- writing. The order of snarkjs for a new key: 1, 2, 4, 3, 9, 8, 5, 6, 7, 10. The caller opens the container by
 * assay_container_write("zkey", 1, n_sections), fills the counts and points of z, and calls: */
/* Sections 1 and 2. */
ASSAY_MUST_USE assay_status assay_zkey_write_header(assay_container_writer *w, const assay_zkey *z, assay_errinfo *err);
/* Section 4: its length for n_coefs, then each. */
ASSAY_MUST_USE assay_status assay_zkey_begin_coefs(assay_container_writer *w, uint32_t n_coefs, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_zkey_put_coefs(assay_container_writer *w, const assay_zkey_coef *coef, size_t n,
                                                 assay_errinfo *err);
/* A section of points, its length from the counts in z; then any number of calls that fill it. */
ASSAY_MUST_USE assay_status assay_zkey_begin_points(assay_container_writer *w, const assay_zkey *z, unsigned section,
                                                    assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_zkey_put_points(assay_container_writer *w, const assay_zkey *z, unsigned section,
                                                  const void *points, size_t n, assay_errinfo *err);
/* Section 10 with no contribution. */
ASSAY_MUST_USE assay_status assay_zkey_write_history(assay_container_writer *w,
                                                     const uint8_t circuit_hash[ASSAY_ZKEY_HASH_BYTES],
                                                     assay_errinfo *err);
/* The mark of a development key. */
ASSAY_MUST_USE assay_status assay_zkey_write_mark(assay_container_writer *w, assay_errinfo *err);

#endif
