/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations made to fail in turn: the k-th allocation of an operation fails, for k = 1, 2, ..., until it passes.
 */
#ifndef ASSAY_TESTS_FAULT_H
#define ASSAY_TESTS_FAULT_H

#include "harness.h"

/* One run of the operation from a clean state. It must free what it made, whatever happens; leaks are found by running
 * under AddressSanitizer. */
typedef assay_status assay_fault_op(void *ctx, assay_errinfo *err);

/* Runs op with the k-th allocation failing for k = 1, 1 + stride, ... until a run in which none failed. Checks that
 * each run with a failure returns ASSAY_ENOMEM with a reason filled in, that the last one returns ASSAY_OK, and that
 * the operation still works afterwards. Returns the number of allocations of a whole run, 0 if a check failed. stride:
 * 1 for all; larger for operations too slow to repeat for each. */
uint64_t assay_fault_every(assay_fault_op *op, void *ctx, uint64_t stride);

/* The same for operations that allocate in loops: of all allocations that are asked for by one chain of calls, the
 * first, the last and one between fail, each in a run of its own. So every way out of every function is taken, with
 * nothing, with something and with nearly all of a loop's work to give back. Returns the number of chains, 0 if a check
 * failed. */
uint64_t assay_fault_chains(assay_fault_op *op, void *ctx);

#endif
