/* SPDX-License-Identifier: Apache-2.0 */
/* What plans remember of circuits: reading it takes up to some tens of milliseconds, and jobs come by the hundred. */
#include "engine/catalogue_impl.h"
#include "groth16/r1cs.h"
#include <string.h>

static bool is_of(const assay_plan_facts *f, const assay_plan_question *q)
{
    return f->used && memcmp(&f->asked, q, sizeof *q) == 0;
}

/* The place of what is asked for, or the one that was not used for longest. */
static assay_plan_facts *place_of(assay_catalogue *c, const assay_plan_question *q)
{
    assay_plan_facts *oldest = &c->facts[0];
    for (size_t i = 0; i < ASSAY_PLAN_FACTS; i++) {
        if (is_of(&c->facts[i], q)) return &c->facts[i];
        if (c->facts[i].used < oldest->used) oldest = &c->facts[i];
    }
    return oldest;
}

static bool recall(assay_plan_facts *out, assay_catalogue *c, const assay_plan_question *q)
{
    (void)pthread_mutex_lock(&c->lock);
    assay_plan_facts *f = place_of(c, q);
    const bool known = is_of(f, q);
    if (known) {
        f->used = ++c->count;
        *out = *f;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return known;
}

static void remember(assay_catalogue *c, const assay_plan_facts *now)
{
    (void)pthread_mutex_lock(&c->lock);
    assay_plan_facts *f = place_of(c, &now->asked);
    *f = *now;
    f->used = ++c->count;
    (void)pthread_mutex_unlock(&c->lock);
}

static assay_status read_circuit(assay_plan_facts *f, const assay_subject_entry *entry, assay_errinfo *err)
{
    assay_r1cs_survey survey;
    assay_status s = assay_r1cs_survey_read(&survey, entry->r1cs, err);
    if (s != ASSAY_OK) return s;
    f->circuit_bytes = survey.most;
    if (survey.n_wires == f->capacity.n_wires) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ERANGE, entry->r1cs, "has another number of wires than the key (circuit, key)",
                       survey.n_wires, f->capacity.n_wires);
}

assay_status assay_plan_facts_get(assay_plan_facts *out, assay_catalogue *c, const assay_subject_entry *entry,
                                  unsigned threads, uint64_t memory_resident, uint64_t memory_in_file,
                                  assay_errinfo *err)
{
    assay_plan_question q = {
        .key = entry->stamp, .threads = threads, .memory_resident = memory_resident, .memory_in_file = memory_in_file};
    assay_file_stamp now;
    assay_status s = entry->r1cs[0] ? assay_file_stamp_read(&q.circuit, entry->r1cs, err) : ASSAY_OK;
    if (s != ASSAY_OK || recall(out, c, &q)) return s;
    *out = (assay_plan_facts){.asked = q};
    s = assay_groth16_capacity_read(&out->capacity, entry->path, threads, memory_resident, memory_in_file, err);
    if (s == ASSAY_OK && entry->r1cs[0]) s = read_circuit(out, entry, err);
    if (s == ASSAY_OK) s = assay_file_stamp_read(&now, entry->path, err);
    /* What was read of a file that has taken the place of the entry's is not the entry's. */
    if (s == ASSAY_OK && memcmp(&now, &q.key, sizeof now) == 0) remember(c, out);
    return s;
}
