/* SPDX-License-Identifier: Apache-2.0 */
/* A circuit of any length, its witness, and keys for it: x_(i+1) = (2 x_i + 3) (x_i - 1), every value full width. */
#ifndef ASSAY_TESTS_GROTH16_CHAIN_H
#define ASSAY_TESTS_GROTH16_CHAIN_H

#include "assay/buffer.h"
#include "assay/groth16.h"
#include "curve/curve.h"
#include "groth16/setup.h"
#include <stdbool.h>

enum { CHAIN_PATH = 512 };

/* Files of one chain in the test's folder. */
typedef struct chain {
    const assay_curve *curve;
    uint32_t n; /* constraints */
    bool shown; /* x_n is an output and x_0 a public input; otherwise nothing is public */
    char r1cs[CHAIN_PATH], wtns[CHAIN_PATH], bad[CHAIN_PATH], zkey[CHAIN_PATH], sym[CHAIN_PATH];
    uint32_t broken;  /* the constraint that the witness in `bad` breaks first */
    char culprit[32]; /* the name of the wire that was changed there */
} chain;

/* Writes all files; zkey is a fresh development key. False, and the test failed, if something did not work. */
bool chain_make(chain *k, const assay_curve *c, uint32_t n, bool shown);

/* A key with gamma = delta, which is not marked, in place of k's: what a set-up without a second phase leaves. */
bool chain_key_without_phase_2(const chain *k);

/* The bytes of a file, freed by assay_buffer_free. */
assay_buffer chain_read(const char *path);

/* Whether the proof verifies under the key's verification key. */
bool chain_verifies(const assay_groth16_key *key, const assay_buffer *publics, const assay_buffer *proof);

#endif
