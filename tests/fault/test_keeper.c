/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations on the daemon's side of its keeper processes: what was asked for is done or refused, and nothing
 * stays.
 * ctest: uses unit/engine
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "fault/fault.h"
#include "unit/engine/keeping.h"
#include <unistd.h>

__attribute__((constructor)) static void be_a_keeper(int argc, char **argv)
{
    assay_keeper_main(argc, argv);
}

static keeping_circuit f;

static assay_status start(void *ctx, assay_errinfo *err)
{
    const assay_keeper_options o = {.program = "/proc/self/exe", .threads = 1};
    assay_keeper *k = NULL;
    (void)ctx;
    assay_status s = assay_keeper_start(&k, &o, err);
    if (s != ASSAY_OK) CHECK(k == NULL);
    assay_keeper_stop(k);
    return s;
}

TEST(starting)
{
    REQUIRE(keeping_begin(&f));
    keeping_end(&f);
    const size_t before = keeping_descriptors((int)getpid());
    CHECK(assay_fault_every(start, NULL, 1) >= 2);
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before);
    CHECK_EQ_U64(keeping_children((int)getpid(), NULL, 0), 0);
}

static assay_status ask(void *ctx, assay_errinfo *err)
{
    static uint64_t task;
    const assay_blob input = {f.witness.p, f.witness.n};
    const assay_worker_order o = {
        .task = ++task, .entry = f.circuit, .inputs = &input, .n_inputs = 1, .threads = 1, .hold = true};
    (void)ctx;
    assay_status s = assay_keeper_run(f.g.k, &o, err);
    if (s == ASSAY_OK) s = assay_keeper_go(f.g.k, task, 1, err);
    if (s == ASSAY_OK) s = assay_keeper_kill(f.g.k, task, err);
    if (s == ASSAY_OK) s = assay_keeper_evict(f.g.k, f.circuit.kind, "unknown", err);
    return s;
}

TEST(orders)
{
    REQUIRE(keeping_begin(&f));
    const size_t before = keeping_descriptors((int)getpid());
    CHECK(assay_fault_every(ask, NULL, 1) >= 2);
    keeping_listen(&f.g, 300);
    CHECK(keeping_count(&f.g, ASSAY_KEEPER_ENDED, 0) >= 2); /* of all that were taken on */
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before);
    keeping_end(&f);
}
