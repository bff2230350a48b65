/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of Groth16 jobs. With N wires a worker goes through
 *
 *   synthesis   its input, 32 N for the witness, and the circuit that it is checked against
 *   ready       32 N
 *   prove       what groth16/plan.h says, the witness in it
 *
 * over its own pages. */
#include "engine/catalogue_impl.h"
#include "groth16/plan.h"
#include "groth16/wtns.h"

enum {
    PUBLIC_VALUE = 320, /* bytes a public value: its point in the key, two copies, its decimals in a growing text */
    SCALAR = 32
};

typedef struct costs {
    uint64_t program; /* what plans of groth16/plan.h count for a whole program, in place of which stands */
    uint64_t process; /* what a worker takes */
    uint64_t synthesis, ready;
    uint64_t publics; /* in the key's process */
} costs;

static assay_status check_inputs(const assay_groth16_capacity *k, const assay_blob *inputs, size_t n,
                                 assay_errinfo *err)
{
    if (n > ASSAY_JOB_PARTITIONS)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "witnesses", "are more than a job may have (their number, limit)", n,
                           ASSAY_JOB_PARTITIONS);
    for (size_t i = 0; i < n; i++) {
        assay_wtns_head head;
        assay_status s = assay_wtns_head_parse(&head, "witness", inputs[i].p, inputs[i].n, err);
        if (s != ASSAY_OK) return s;
        if (head.curve != k->curve)
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "witness", "is over another field than the key (witness)", i);
        if (head.n != k->n_wires)
            return ASSAY_FAIL2(err, ASSAY_ERANGE, "witness", "has another number of values than the key (witness, key)",
                               head.n, k->n_wires);
    }
    return ASSAY_OK;
}

static costs count(const assay_plan_facts *f, const assay_blob *inputs, size_t n)
{
    const uint64_t witness = (uint64_t)f->capacity.n_wires * SCALAR;
    const uint64_t publics = (uint64_t)f->capacity.n_public * PUBLIC_VALUE;
    uint64_t input = n ? 0 : witness;
    for (size_t i = 0; i < n; i++) input = inputs[i].n > input ? inputs[i].n : input;
    return (costs){.program = assay_groth16_plan_beside(0),
                   .process = ASSAY_PLAN_WORKER + f->asked.threads * ASSAY_PLAN_THREAD + publics,
                   .synthesis = input + witness + f->circuit_bytes,
                   .ready = witness,
                   .publics = publics};
}

static void fill(assay_job_plan *out, const costs *k, const assay_groth16_plan *plan, uint64_t bound)
{
    out->process = k->process;
    out->synthesis = k->synthesis;
    out->ready = k->ready;
    out->prove = plan->peak - k->program;
    out->prove_bytes = bound;
}

static void fill_resident(assay_job_plan *out, const costs *k, const assay_groth16_capacity *c, uint64_t bound)
{
    out->key = c->held + k->publics + ASSAY_PLAN_KEEPER;
    out->load = c->loading;
    fill(out, k, &c->resident, bound);
    out->process += out->key / ASSAY_PLAN_PAGE_TABLES;
}

/* The bound of a prover, as groth16/plan.h counts it, with which a worker stays within room; 0: it cannot. beside:
 * what is not the prover's. */
static uint64_t bound_of(uint64_t room, uint64_t beside, const costs *k, uint64_t least)
{
    const uint64_t arrays = room > beside ? room - beside : 0;
    return arrays + k->program >= least ? arrays + k->program : 0;
}

/* In the order of what is quickest. */
assay_status assay_plan_groth16(assay_job_plan *out, assay_catalogue *c, const assay_subject_entry *entry,
                                const assay_blob *inputs, size_t n_inputs, unsigned threads, uint64_t room,
                                assay_errinfo *err)
{
    assay_plan_facts f;
    assay_status s = assay_plan_facts_get(&f, c, entry, threads, 0, 0, err);
    if (s == ASSAY_OK) s = check_inputs(&f.capacity, inputs, n_inputs, err);
    if (s != ASSAY_OK) return s;
    const costs k = count(&f, inputs, n_inputs);
    const uint64_t least = f.capacity.in_file.least;
    out->partitions = (uint32_t)n_inputs;
    out->least = least - k.program;

    fill_resident(out, &k, &f.capacity, 0);
    if (assay_plan_sum(out) <= room) return ASSAY_OK;
    const uint64_t resident = bound_of(room, out->key + out->load + out->process, &k, f.capacity.resident.least);
    const uint64_t in_file = bound_of(room, k.process, &k, least);
    if (resident) {
        if ((s = assay_plan_facts_get(&f, c, entry, threads, resident, 0, err)) != ASSAY_OK) return s;
        fill_resident(out, &k, &f.capacity, resident);
        if (assay_plan_sum(out) <= room) return ASSAY_OK;
    }
    out->key = out->load = 0;
    fill(out, &k, &f.capacity.in_file, 0);
    if (assay_plan_sum(out) <= room) return ASSAY_OK;
    if (in_file) {
        if ((s = assay_plan_facts_get(&f, c, entry, threads, 0, in_file, err)) != ASSAY_OK) return s;
        fill(out, &k, &f.capacity.in_file, in_file);
        if (assay_plan_sum(out) <= room) return ASSAY_OK;
    }
    const uint64_t needed = k.synthesis > out->least ? k.synthesis : out->least;
    return assay_plan_refuse(entry, k.process + needed, room, err);
}
